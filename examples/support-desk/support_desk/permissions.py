"""Who may do what, as `manifests/permissions.yaml` says. Whatever it does not allow is refused."""

from pathlib import Path

from .manifests import read_manifest


class Permissions:
    """The permissions as they stand at this invocation."""

    def __init__(self, manifest: Path) -> None:
        document = read_manifest(manifest)
        self.actors: dict[str, dict] = document["actors"]
        self.needs_approval: list[str] = document["needs_approval"]

    def allows(self, actor: str, action: str) -> bool:
        """Whether the actor may do this at all."""
        return action in self.actors.get(actor, {}).get("may", [])

    def must_wait(self, action: str) -> bool:
        """Whether a person has to approve before it is done."""
        return action in self.needs_approval
