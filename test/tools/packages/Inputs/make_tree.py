"""Writes the files that a test holds: make_tree.py TEST FOLDER. Each follows a line `==== PATH`; `====` ends the last.
A marked library, a program and a plain library of some names need no text: `==== marked NAME IMPORT...` and the like have their
congo.toml and src/NAME.cone, which imports what follows."""

import os
import sys

TARGETS = {"marked": 'targets = ["native", "gpu"]\n', "plain": "", "program": ""}


def write(folder, path, text):
    path = os.path.join(folder, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write_package(folder, kind, name, imports):
    output = "executable" if kind == "program" else "library"
    write(folder, name + "/congo.toml", '[package]\nname = "%s"\noutput = "%s"\n%s' % (name, output, TARGETS[kind]))
    write(folder, "%s/src/%s.cone" % (name, name), "mod %s;\n" % name + "".join("import %s;\n" % i for i in imports))


def main(test, folder):
    path, text = None, []
    with open(test, encoding="utf-8") as file:
        lines = file.read().split("\n") + ["===="]
    for line in lines:
        if line != "====" and not line.startswith("==== "):
            text.append(line)
            continue
        if path:
            write(folder, path, "\n".join(text) + "\n")
        words, path, text = line.split()[1:], None, []
        if words and words[0] in TARGETS:
            write_package(folder, words[0], words[1], words[2:])
        elif words:
            path = words[0]


main(*sys.argv[1:])
