"""One invocation: a `holdpoint.invoke/1` document on standard input, the answer as JSON on standard output."""

import json
import sys
from pathlib import Path

from .desk import Desk
from .manifests import ManifestError


def main() -> int:
    invocation = json.load(sys.stdin)
    if invocation.get("schema") != "holdpoint.invoke/1":
        print(f"unknown invocation: {invocation.get('schema')!r}", file=sys.stderr)
        return 64
    project = Path(__file__).resolve().parent.parent
    try:
        desk = Desk.open(project, Path(invocation["state_dir"]), invocation["now"])
    except ManifestError as error:
        print(error, file=sys.stderr)
        return 78
    answer = desk.handle(invocation["input"])
    json.dump(answer, sys.stdout, ensure_ascii=False)
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
