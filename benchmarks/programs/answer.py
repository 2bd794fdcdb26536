"""Reads an invocation from standard input, or from the file that is named, and answers it."""

import sys

sys.stdout.write((open(sys.argv[1]) if len(sys.argv) > 1 else sys.stdin).read())
