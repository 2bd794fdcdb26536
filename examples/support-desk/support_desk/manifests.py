"""Reads the manifests that holdpoint checks, so that each fact stands in one place only.

The standard library has no YAML, and these files need little of it: maps and lists by indentation, flow lists of
plain values, comments on lines of their own. Whatever else appears is an error, never a guess.
"""

import json
import re
from pathlib import Path
from typing import Any

# A value without quotes: no sign that means something in YAML at its start, no map and no comment inside it.
PLAIN = re.compile(r"(?!.*(?:: | #))[^\[\]{}&*!|>%@`\"'#,?:\s-].*")


class ManifestError(Exception):
    """A manifest that this workflow cannot read."""


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest at `path` as a map."""
    lines = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        text = line.strip()
        if text and not text.startswith("#"):
            lines.append((len(line) - len(line.lstrip(" ")), text, f"{path.name}:{number}"))
    value, rest = _block(lines, 0)
    if rest < len(lines) or not isinstance(value, dict):
        raise ManifestError(f"{lines[rest][2] if rest < len(lines) else path.name}: unexpected indentation")
    return value


def _block(lines: list, at: int) -> tuple[Any, int]:
    """The map or list that begins at line `at`, and the line after it."""
    indent, text, _ = lines[at]
    result: Any = [] if text.startswith("- ") else {}
    while at < len(lines) and lines[at][0] == indent:
        _, text, place = lines[at]
        if isinstance(result, list):
            if not text.startswith("- "):
                raise ManifestError(f"{place}: expected a list item")
            item = text[2:]
            if re.match(r"\w+:(\s|$)", item):
                # A map as an item: its first key stands two columns further in, beside its other keys.
                lines[at] = (indent + 2, item, place)
                value, at = _block(lines, at)
            else:
                value, at = _scalar(item, place), at + 1
            result.append(value)
            continue
        key, colon, rest = text.partition(":")
        if not colon or (rest and not rest.startswith(" ")) or key in result:
            raise ManifestError(f"{place}: expected one `key: value`")
        if rest.strip():
            result[key], at = _scalar(rest.strip(), place), at + 1
        elif at + 1 < len(lines) and lines[at + 1][0] > indent:
            result[key], at = _block(lines, at + 1)
        else:
            raise ManifestError(f"{place}: `{key}` has no value")
    return result, at


def _scalar(text: str, place: str) -> Any:
    if text.startswith("[") and text.endswith("]"):
        inner = text[1:-1].strip()
        return [_scalar(item.strip(), place) for item in inner.split(",")] if inner else []
    if text.startswith('"'):
        try:
            return json.loads(text)
        except ValueError as error:
            raise ManifestError(f"{place}: {error}") from error
    if text in ("true", "false"):
        return text == "true"
    if text in ("null", "~"):
        return None
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if re.fullmatch(r"-?\d+\.\d+", text):
        return float(text)
    if not PLAIN.fullmatch(text):
        raise ManifestError(f"{place}: this reader does not know the form of `{text}`")
    return text
