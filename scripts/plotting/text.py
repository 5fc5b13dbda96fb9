"""Words and figures as they stand in pictures."""

import re
import textwrap
import unicodedata

ELLIPSIS = "…"
NO_BREAK = "\u00a0"  # a space where no line ends

TIME_UNITS = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"), (1e-12, "ps")]


def plain(text):
    """One line without control characters, which an SVG file cannot hold."""
    kept = "".join(
        " " if unicodedata.category(c) in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp") else c for c in text
    )
    return re.sub("[ \t]+", " ", kept).strip()


def short(text, most):
    """`text` without its middle if it has more than `most` characters."""
    text = plain(text)
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return text[:head] + ELLIPSIS + text[len(text) - (most - 1 - head) :]


def wrapped(text, width, lines=3):
    """`text` in at most `lines` lines of at most `width` characters."""
    width = max(width, 8)
    return "\n".join(textwrap.wrap(plain(text), width, max_lines=lines, placeholder=" " + ELLIPSIS))


def counted(count, noun):
    """ "1 process", "4,096 processes", with a space where no line ends."""
    if count == 1:
        return f"1{NO_BREAK}{noun}"
    return f"{count:,}{NO_BREAK}{noun}{'es' if noun.endswith('s') else 's'}"


def time_unit(longest_s):
    """The unit in which times up to `longest_s` are shown, in seconds, and its name."""
    for seconds, name in TIME_UNITS:
        if longest_s >= seconds * 0.9999999:
            return seconds, name
    return TIME_UNITS[0] if longest_s <= 0 else TIME_UNITS[-1]


def figure(number, digits=4):
    """At most `digits` significant digits, without an exponent if that can be read."""
    if number == 0:
        return "0"
    if abs(number) >= 10 ** digits and abs(number) < 1e15:
        return f"{number:,.0f}"
    return f"{number:.{digits}g}"


def readable_time(seconds):
    unit, name = time_unit(abs(seconds))
    return f"{figure(seconds / unit)} {name}"


def readable_rate(bytes_per_s):
    for unit, name in ((1e12, "TB/s"), (1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")):
        if abs(bytes_per_s) >= unit:
            return f"{figure(bytes_per_s / unit)} {name}"
    return f"{figure(bytes_per_s)} B/s"
