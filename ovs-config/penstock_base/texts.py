# SPDX-License-Identifier: Apache-2.0
"""Texts of others, such as names and answers of a controller, as a terminal gets them."""


def plain(text: str) -> str:
    """A text in which each character that could command a terminal, and each that cannot be encoded, is written as an
    escape of Python."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in text)


def plain_lines(text: str) -> str:
    """The same for a text of several lines."""
    return "\n".join(map(plain, text.split("\n")))
