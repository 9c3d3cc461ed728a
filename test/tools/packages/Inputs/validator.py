#!/usr/bin/env python3
"""Stands for spirv-val: records its arguments and ends as it is told."""

import os
import signal
import sys

with open(os.environ["VALIDATOR_RECORD"], "a", encoding="utf-8") as file:
    print(sys.argv[1:], file=file)
status = os.environ["VALIDATOR_STATUS"]
if status == "signal":
    os.kill(os.getpid(), signal.SIGTERM)
if status != "0":
    print("error: a fake fault", file=sys.stderr)
sys.exit(int(status))
