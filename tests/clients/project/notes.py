"""A tool server over streamable HTTP with one tool, which writes a note to notes.jsonl in HOLDPOINT_STATE_DIR."""

import json
import os
from pathlib import Path

from mcp.server.fastmcp import FastMCP

server = FastMCP("notes", host="127.0.0.1", port=int(os.environ["HOLDPOINT_PORT"]))


@server.tool()
def add_note(text: str) -> str:
    """Keeps a note."""
    with (Path(os.environ["HOLDPOINT_STATE_DIR"]) / "notes.jsonl").open("a") as notes:
        notes.write(json.dumps({"text": text}) + "\n")
    return "kept"


if __name__ == "__main__":
    server.run("streamable-http")
