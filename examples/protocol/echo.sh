#!/bin/sh
# The smallest workflow in shell: reads one invocation from standard input and answers with plain text.
#
# Text is an answer too. It has no claims, and graders that look into JSON have nothing to look at.
# HOLDPOINT_STATE_DIR is the trial's own folder; no other variable but PATH is there unless the project file lists it.

set -eu

invocation=$(cat)
printf '%s\n' "$invocation" >> "$HOLDPOINT_STATE_DIR/invocations"
printf 'Invocation %s: %s\n' "$(wc -l < "$HOLDPOINT_STATE_DIR/invocations" | tr -d ' ')" "$invocation"
