"""The plain twins of operations on vectors: units are lists of eight words, lanes are lists of 64 numbers."""

WORDS = 8
ELEMENTS = 64
MASK = (1 << 64) - 1


def lanes(values: list[int], index: int) -> list[int]:
    return values[index : index + ELEMENTS]


def unit(words: list[int], index: int) -> list[int]:
    return words[index : index + WORDS]


def gather(words: list[int], base: int, order: list[int], begin: int) -> list[int]:
    return [words[base + order[begin + i]] for i in range(WORDS)]


def rows(some: list[int]) -> int:
    return sum(1 << i for i, word in enumerate(some) if word)


def rows_kept(some: list[int], mask: int) -> list[int]:
    """The unit without the words whose bit is not set."""
    return [word if mask >> i & 1 else 0 for i, word in enumerate(some)]


def rotated(some: list[int], by: int) -> list[int]:
    """Every bit b of a word goes to b - by, round the end."""
    return [sum(1 << (bit - by) % 64 for bit in range(64) if word >> bit & 1) for word in some]


def chosen(word: int, one: list[int], other: list[int]) -> list[int]:
    return [first if word >> i & 1 else second for i, (first, second) in enumerate(zip(one, other, strict=True))]


def word_of(truth: list[bool]) -> int:
    return sum(1 << i for i, true in enumerate(truth) if true)
