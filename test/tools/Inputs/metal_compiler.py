#!/usr/bin/env python3
"""In place of Apple's Metal compiler, as SSPUR_METAL names it: writes its arguments to METAL_RECORD, and files that begin as
the compiler's do, with the source behind. METAL_FAULT: `compile` or `link` fails there, `air` or `metallib` writes something
else, `none` nothing, `signal` ends it. METAL_WORDS=1: its arguments are in what it makes."""
import os
import signal
import sys

words = sys.argv[1:]
fault = os.environ.get("METAL_FAULT")
step = "compile" if "-c" in words else "link"
if "METAL_RECORD" in os.environ:
    with open(os.environ["METAL_RECORD"], "a") as record:
        print([os.path.basename(word) for word in words], file=record)
if fault == step:
    print("%s:1:1: error: a fake error" % os.path.basename(words[-1]), file=sys.stderr)
    sys.exit(3)
if fault == "signal":
    os.kill(os.getpid(), signal.SIGTERM)
with open(words[-1], "rb") as file:
    given = file.read()
if step == "link":
    assert given[:4] == b"BC\xc0\xde"
    given = given[4:]
made = (b"BC\xc0\xde" if step == "compile" else b"MTLB") + given
if os.environ.get("METAL_WORDS") == "1":
    made += repr(words).encode()
if fault == ("air" if step == "compile" else "metallib"):
    made = b"something else"
if fault != "none":
    with open(words[words.index("-o") + 1], "wb") as file:
        file.write(made)
