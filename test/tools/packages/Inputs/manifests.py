"""Builds p with each congo.toml of a test's lines `TOML TEXT`, whose escapes are Python's: prints the status and what is said."""

import codecs
import subprocess
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        if line.startswith("TOML "):
            with open("p/congo.toml", "wb") as manifest:
                manifest.write(codecs.decode(line[5:].rstrip("\n"), "unicode_escape").encode("latin-1"))
            done = subprocess.run([sys.argv[2], "build", "p"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            print(done.returncode, done.stdout.decode("utf-8").rstrip("\n"))
