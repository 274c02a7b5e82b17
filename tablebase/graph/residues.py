"""Primes, and the Chinese remainder theorem: exact counts from counts modulo primes."""

from __future__ import annotations

from math import isqrt, prod

PRIME_BITS = 31
"""Two residues add up within 32 bits."""


def primes(bits: int) -> list[int]:
    """The largest primes of `PRIME_BITS` bits whose product has more than so many bits."""
    found: list[int] = []
    candidate = (1 << PRIME_BITS) - 1
    small = [n for n in range(3, isqrt(candidate) + 1, 2) if all(n % d for d in range(3, isqrt(n) + 1, 2))]
    while prod(found).bit_length() <= bits:
        if all(candidate % one for one in small):
            found.append(candidate)
        candidate -= 2
    return found


def combine(residues: list[int], moduli: list[int]) -> int:
    """The number below the product of the moduli that has these residues (Chinese remainder theorem)."""
    number, step = 0, 1
    for residue, modulus in zip(residues, moduli, strict=True):
        number += step * ((residue - number) * pow(step, -1, modulus) % modulus)
        step *= modulus
    return number
