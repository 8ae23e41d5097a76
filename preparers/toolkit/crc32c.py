"""The checksum of TFRecord files, CRC-32C, for many bytes at once.

Started from 0, a CRC is linear: that of a text is the exclusive or of those of its blocks, each moved on by the number
of bytes that follow it. So all blocks are gone through side by side, and then joined two by two.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]

POLYNOMIAL = 0x82F63B78
EVERY_BIT = 0xFFFFFFFF
BLOCK = 256
"""Bytes of a block."""


def crc32c(data: bytes) -> int:
    """The checksum of the data.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    rows = 1
    while rows * BLOCK < len(data):
        rows *= 2
    text = np.zeros(rows * BLOCK, dtype=np.uint8)  # zeros in front change nothing
    text[len(text) - len(data) :] = np.frombuffer(data, dtype=np.uint8)
    register = _register(text.reshape(rows, BLOCK))
    return register ^ _moved(EVERY_BIT, len(data)) ^ EVERY_BIT


def _register(blocks: npt.NDArray[np.uint8]) -> int:
    table = _table()
    registers = np.zeros(len(blocks), dtype=np.uint32)
    for column in blocks.T:
        registers = table[(registers ^ column) & 0xFF] ^ (registers >> np.uint32(8))
    length = BLOCK
    while len(registers) > 1:
        registers = _move(registers[::2], length) ^ registers[1::2]
        length *= 2
    return int(registers[0])


def _moved(register: int, length: int) -> int:
    """A register moved on by so many bytes of 0."""
    word = np.array([register], dtype=np.uint32)
    step = 1
    while length:
        if length & 1:
            word = _move(word, step)
        length >>= 1
        step *= 2
    return int(word[0])


def _move(registers: Words, length: int) -> Words:
    """Registers moved on by so many bytes of 0, a power of two."""
    first, second, third, fourth = _steps(length)
    moved: Words = first[registers & 0xFF] ^ second[registers >> 8 & 0xFF]
    moved ^= third[registers >> 16 & 0xFF] ^ fourth[registers >> 24]
    return moved


@cache
def _steps(length: int) -> tuple[Words, ...]:
    """What becomes of each value of each of a register's four bytes."""
    values = [np.arange(256, dtype=np.uint32) << np.uint32(8 * place) for place in range(4)]
    if length == 1:
        return tuple(_table()[value & 0xFF] ^ (value >> np.uint32(8)) for value in values)
    return tuple(_move(_move(value, length // 2), length // 2) for value in values)


@cache
def _table() -> Words:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, table >> np.uint32(1) ^ np.uint32(POLYNOMIAL), table >> np.uint32(1))
    return table
