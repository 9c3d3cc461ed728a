"""mutate.py SSPUR COUNT [SEED]: changes manifests at random, and compares what is taken with tomllib, where that is there."""

import random
import re
import subprocess
import sys

try:
    import tomllib
except ImportError:
    tomllib = None

SEEDS = [
    b'[package]\nname = "p"\nversion = "1"\noutput = "library"\ntargets = ["native"]\n\n[a.b]\nx = {a.b = 1, c = [1, [2, "x"]]}\n'
    b"[[bin]]\nname = 1979-05-27T07:32:00Z\n[[bin]]\nn = -1.5e+3\nm = \"\"\"a\\\n  b\"\"\"\nk = '''x'y'''\n",
    b'package = {name = "p", "output" = "library", targets = ["native", ]}\na.b.c = 07:32:00.5\na.b.d = 0xdead_beef\n'
    b'"quoted key".x = true\nf = [ 1, 2.0, # c\n inf, -nan, 1979-05-27 07:32:00-08:00 ]\n[a.x]\n[q]\n[q.r.s]\n[q.r]\n',
    b'\xef\xbb\xbf[package]\r\nname = "p" # \xc3\xa9\r\nversion = "\\u00e9\\U0001F600"\r\n[x]\r\n1 = 0b1010\r\n2.3 = 0o17\r\n',
]
PIECES = b"[ ] [[ ]] { } = . , \" ' \"\"\" ''' # \\ _ 0 1e5 1. nan true \x00 \xff \\u12 \t +1 -0 00 1_0 1__0".split(b" ")
PIECES += [b"\n", b"\r\n", b" ", b"[package]\n", b"[a.b]\n", b"a.b = 1\n", b"x = 1\n", b"[[bin]]\n", b"[bin]\n"]
# Rules of [package]; everything else that is refused is not TOML.
RULE = re.compile(r"\[package\] has|there is no (\[package\]|output|target)|is not a table|it should|is no name of|lacks|in a folder named")


def change(text):
    at = random.randrange(len(text) + 1)
    kind = random.randrange(5)
    if kind == 0:
        return text[:at] + random.choice(PIECES) + text[at:]
    if kind == 1:
        return text[:at] + text[at + random.choice([1, 1, 2, 5, 20]) :]
    if kind == 2:
        return text[:at] + bytes([random.randrange(256)]) + text[at + 1 :]
    if kind == 3:
        other = random.randrange(len(text) + 1)
        return text[:at] + text[other : other + random.randrange(40)] + text[at:]
    lines = text.split(b"\n")
    random.shuffle(lines)
    return b"\n".join(lines)


def is_toml(text):
    try:
        text = text.decode("utf-8")
        tomllib.loads(text[1:] if text.startswith("\ufeff") else text)
        return True
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False


def main(sspur, count, seed="1"):
    random.seed(int(seed))
    faults = 0
    for _ in range(int(count)):
        text = random.choice(SEEDS)
        for _ in range(random.choice([1, 1, 2, 3, 6])):
            text = change(text)
        with open("p/congo.toml", "wb") as file:
            file.write(text)
        done = subprocess.run([sspur, "check", "p"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        said = done.stderr.decode("utf-8", "replace")
        good = done.returncode == 0 or (done.returncode == 1 and said.startswith("sspur: error: p/congo.toml"))
        is_read = done.returncode == 0 or RULE.search(said) is not None
        if good and tomllib and b"\\u0000" not in text:
            good = is_read == is_toml(text)
        if not good:
            faults += 1
            print(done.returncode, text, said)
    return 1 if faults else 0


sys.exit(main(*sys.argv[1:]))
