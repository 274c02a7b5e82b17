"""Primes and the Chinese remainder theorem: exact counts from counts modulo primes."""

from __future__ import annotations

from functools import cache
from math import isqrt, prod

PRIME_BITS = 31
"""The sum of two residues fits into 32 bits."""


def primes(bits: int) -> list[int]:
    """The largest primes of `PRIME_BITS` bits, as many as it takes for their product to have more than `bits` bits."""
    moduli: list[int] = []
    while prod(moduli).bit_length() <= bits:
        moduli.append(_prime_below(moduli[-1] if moduli else (1 << PRIME_BITS) + 1))
    return moduli


@cache
def _prime_below(odd: int) -> int:
    """The largest prime below an odd number."""
    candidate = odd - 2
    while not all(candidate % divisor for divisor in _divisors()):
        candidate -= 2
    return candidate


@cache
def _divisors() -> tuple[int, ...]:
    """The odd primes of which one divides any odd number of `PRIME_BITS` bits that is not prime."""
    return tuple(n for n in range(3, isqrt(1 << PRIME_BITS) + 1, 2) if all(n % d for d in range(3, isqrt(n) + 1, 2)))


def combine(residues: list[int], moduli: list[int]) -> int:
    """The number below the product of the moduli with these residues (Chinese remainder theorem)."""
    number, step = 0, 1
    for residue, modulus in zip(residues, moduli, strict=True):
        number += step * ((residue - number) * pow(step, -1, modulus) % modulus)
        step *= modulus
    return number
