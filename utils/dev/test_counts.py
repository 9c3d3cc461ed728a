#!/usr/bin/env python3
"""Prints lit's skipped tests by reason, then `PASSED FAILED`. Argument: the file of lit --output."""

import collections
import json
import re
import sys

passed = failed = 0
skipped = collections.defaultdict(list)
with open(sys.argv[1]) as file:
    tests = json.load(file)["tests"]
for test in tests:
    if test["code"] in ("PASS", "XFAIL", "FLAKYPASS"):
        passed += 1
    elif test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
        match = re.search(r"unavailable features: *(.*)", test["output"])
        reason = "needs " + match.group(1) if match else test["output"].strip() or test["code"].lower()
        skipped[reason].append(test["name"].split(" :: ")[-1])
    else:
        failed += 1
for reason, names in sorted(skipped.items()):
    print("skipped (%s): %s" % (reason, " ".join(sorted(names))))
print(passed, failed)
