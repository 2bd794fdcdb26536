"""The smallest workflow in Python: reads one invocation from standard input and answers it on standard output.

It keeps what it did in its state directory, so that a second invocation with the same operation is a replay. Try it:

    echo '{"schema": "holdpoint.invoke/1", "case": "try", "trial": 1, "step": 1, "operation": "op-7",
           "input": {"operation": "op-7", "question": "Is anyone there?"}, "state_dir": "/tmp",
           "connectors": {}, "now": "2026-01-01T00:00:00Z"}' | python3 echo.py
"""

import json
import pathlib
import sys


def main():
    call = json.load(sys.stdin)
    if call["schema"] != "holdpoint.invoke/1":
        # A non-zero exit makes the trial errored, whatever was printed; standard error is shown with it.
        sys.exit(f"this program speaks holdpoint.invoke/1, not {call['schema']}")

    answer = {"output": f"You asked: {call['input'].get('question')}"}
    operation = call["operation"]
    if operation is not None:
        done = pathlib.Path(call["state_dir"], "done.json")
        operations = json.loads(done.read_text()) if done.exists() else {}
        # What was done first stays: a repeated operation changes nothing.
        answer["receipt"] = operations.setdefault(operation, {"operation": operation, "at": call["now"]})
        done.write_text(json.dumps(operations))
        # One of completed, rejected, failed, unknown, held. A claim is held against the evidence.
        answer["claims"] = [{"operation": operation, "claim": "completed"}]
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
