"""Writes copies of a module with one fault each.

usage: plant_faults.py FILE.spv FOLDER

Each fault is a change of words, or of instructions, of a module in the Vulkan form of Cone.
"""
import os
import struct
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
words = list(struct.unpack("<%dI" % (len(data) // 4), data))
os.makedirs(sys.argv[2], exist_ok=True)


def instructions():
    at, found = 5, []
    while at < len(words):
        length = words[at] >> 16
        found.append((words[at] & 0xffff, words[at + 1:at + length]))
        at += length
    return found


def plant(name, change):
    """`change` gives for an instruction those that stand for it; the first that differs is the only one changed."""
    head, out, done = words[:5], [], False
    for op, operands in instructions():
        new = None if done else change(op, operands)
        done |= new is not None
        for new_op, new_operands in [(op, operands)] if new is None else new:
            out += [(len(new_operands) + 1) << 16 | new_op] + new_operands
    if not done:
        sys.exit("nothing to plant %s on" % name)
    with open(os.path.join(sys.argv[2], name + ".spv"), "wb") as file:
        file.write(struct.pack("<%dI" % (len(head) + len(out)), *head, *out))


def decoration(number, new):
    return lambda op, w: new(w) if op == 71 and w[1] == number else None


def with_operand(wanted, place, value):
    return lambda op, w: [(op, w[:place] + [value] + w[place + 1:])] if op == wanted and w[place] != value else None


errors = {w[0] for op, w in instructions() if op == 5 and struct.pack("<%dI" % (len(w) - 1), *w[1:]).rstrip(b"\0").endswith(b".errors")}
record = {w[1] for op, w in instructions() if op == 65 and w[2] in errors}
counts = {w[1] for op, w in instructions() if op == 234 and w[2] in record}
constants = {w[2]: w[1] for op, w in instructions() if op == 43}
plant("no_contraction", decoration(42, lambda w: []))
plant("readable", decoration(24, lambda w: []))
plant("binding", decoration(33, lambda w: [(71, w[:2] + [w[2] + 5])]))
plant("stride", decoration(6, lambda w: [(71, w[:2] + [16])]))
plant("offset", lambda op, w: [(op, w[:3] + [w[3] + 4])] if op == 72 and w[1] == 1 else None)
plant("fast", lambda op, w: [(op, w), (71, [w[0], 40, 16])] if op == 71 and w[1] == 42 else None)
plant("restrict", lambda op, w: [(op, w), (71, [w[0], 19])] if op == 71 and w[1] == 24 else None)
plant("no_file", lambda op, w: [] if op == 4 else None)
plant("capability", lambda op, w: [(op, w), (17, [22])] if op == 17 else None)
plant("extension", lambda op, w: [(op, w), (10, [0x5f565053, 0])] if op == 17 else None)
plant("unlisted", lambda op, w: [(op, w[:-1])] if op == 15 else None)
plant("renamed", lambda op, w: [(op, w[:2] + [w[2] + 1] + w[3:])] if op == 15 else None)
plant("size", lambda op, w: [(op, w[:2] + [w[2] + 1] + w[3:])] if op == 16 else None)
plant("mode", lambda op, w: [(op, w), (op, [w[0], 4462, 32])] if op == 16 else None)
plant("memory", with_operand(14, 1, 3))
plant("remainder", lambda op, w: [(138, w)] if op == 135 else None)
plant("divisor", lambda op, w: [(op, w[:3] + [w[2]])] if op == 135 else None)
plant("shift", lambda op, w: [(op, w[:3] + [w[2]])] if op == 196 else None)
plant("barrier", with_operand(224, 2, constants[1]))
plant("atomic", with_operand(235, 4, constants[1]))
plant("counted", lambda op, w: [(op, w[:4] + [constants[0], w[5]])] if op == 234 and w[2] in record else None)
plant("record", lambda op, w: [] if op == 62 and w[0] in record else None)
plant("first", lambda op, w: [(171, w)] if op == 170 and w[2] in counts else None)
plant("initial", lambda op, w: [(op, w[:3])] if op == 59 and w[2] == 6 else None)
plant("length", with_operand(68, 3, 1))
plant("returns", lambda op, w: [(op, w), (op, w)] if op == 253 else None)
plant("name", lambda op, w: [(op, [w[0], w[1] + 1] + w[2:])] if op == 5 and len(w) > 3 and b"." in
      struct.pack("<%dI" % (len(w) - 1), *w[1:]) else None)
