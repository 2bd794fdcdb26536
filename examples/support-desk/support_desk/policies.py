"""Policy sources: which passages exist, from which source and version, in force since when."""

import re
from dataclasses import dataclass
from pathlib import Path

from .manifests import read_manifest

STOP_WORDS = frozenset(
    "a after an and any are at be by can do does for from get have how i if in is it long many me much my of on or "
    "our that the them there these this to us was we what when where which who will with would you your".split()
)


@dataclass(frozen=True)
class Passage:
    """One paragraph or list item of a policy."""

    source: str
    version: str
    effective: str
    heading: str
    text: str

    def overlap(self, question: str) -> int:
        """How many words of the question the passage or its heading has."""
        return len(words(question) & words(f"{self.heading} {self.text}"))


def words(text: str) -> frozenset[str]:
    """The words that carry meaning, in one form for singular and plural."""
    found = re.findall(r"[a-z0-9]+", text.lower())
    return frozenset(word.removesuffix("s") for word in found if word not in STOP_WORDS)


def read_passages(project: Path, today: str) -> list[Passage]:
    """All passages of all sources that are in force by `today` (`YYYY-MM-DD`), the newest source first."""
    passages = []
    for path in sorted((project / "manifests").glob("*.yaml")):
        manifest = read_manifest(path)
        if manifest["kind"] != "source" or str(manifest["effective"]) > today:
            continue
        for name in manifest["files"]:
            for heading, text in _paragraphs((project / name).read_text(encoding="utf-8")):
                passages.append(
                    Passage(
                        source=manifest["id"],
                        version=str(manifest["version"]),
                        effective=str(manifest["effective"]),
                        heading=heading,
                        text=text,
                    )
                )
    return sorted(passages, key=lambda passage: passage.effective, reverse=True)


def _paragraphs(document: str) -> list[tuple[str, str]]:
    heading, found = "", []
    for block in re.split(r"\n\s*\n", document.strip()):
        if block.startswith("#"):
            heading = block.lstrip("#").strip()
        else:
            found += [(heading, line.removeprefix("- ").strip()) for line in block.splitlines()]
    return found
