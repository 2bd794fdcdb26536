"""Who may do what, as `manifests/permissions.yaml` says. Whatever it does not allow is refused."""

from pathlib import Path

from .manifests import read_manifest


class Permissions:
    """The permissions as they stand at this invocation."""

    def __init__(self, manifest: Path) -> None:
        document = read_manifest(manifest)
        self.actors: dict[str, dict] = document["actors"]
        self.actions: dict[str, dict] = document["actions"]

    def allows(self, actor: str, action: str) -> bool:
        """Whether the actor may do this at all."""
        return action in self.actions and action in self.actors.get(actor, {}).get("actions", [])

    def may_read(self, actor: str, source: str) -> bool:
        """Whether the actor may see what the source says."""
        return source in self.actors.get(actor, {}).get("sources", [])

    def must_wait(self, action: str) -> bool:
        """Whether a person has to approve before it is done."""
        return self.actions[action].get("needs_approval", False)
