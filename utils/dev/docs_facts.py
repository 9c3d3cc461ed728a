"""Sizes, limits and counts of the pages, each computed from what it is of."""
import os
import re
import subprocess

# C: the value of an expression, with a header of the tree. FILE: a number of a file, which a pattern has as its one group.
C, FILE = "C", "FILE"

DEVICES = "interp seq cpu twin cuda opencl vulkan metal".split()

# The page, what it says with the number as the one group, and what the number is.
FACTS = [
    ("docs/abi.md", r"`struct kernel_trap` is (\d+) bytes", C, "utils/base/trap.h", "sizeof(struct kernel_trap)"),
    ("docs/abi.md", r"core's Invocation, (\d+) bytes", C, "targets/twin_abi.h", "sizeof(struct twin_invocation)"),
    ("docs/abi.md", r"the address of the status record, (\d+) bytes", C, "runtime/sspur.h", "sizeof(sspur_status)"),
    ("docs/abi.md", r"of any content, aligned to (\d+)", C, "targets/native_abi.h", "NATIVE_WORKSPACE_ALIGN"),
    ("docs/api.md", r"(\d+) a metallib of it", C, "runtime/bundle.h", "BUNDLE_PART_COUNT - 1"),
    ("docs/cli.md", r"the device `cpu` uses, 1 to (\d+)", C, "runtime/thread_pool.h", "THREAD_POOL_MOST"),
    ("docs/cli.md", r"(\d+) million operations at most", FILE, "runtime/dispatch.c", r"WAIT_STEPS = (\d+) \* 1000 \* 1000"),
    ("docs/cli.md", r"one line a pair of accesses \((\d+) at most\)", FILE, "utils/tools/race_watch.c", r"RACE_REPORTS = (\d+)"),
    ("docs/language.md", r"`if` and `for` nest up to (\d+) deep", C, "frontend/ssp/kernel_check.h", "KERNEL_MAX_NESTING"),
    ("docs/language.md", r"have up to (\d+) expressions when inlined", C, "frontend/ssp/kernel_check.h", "KERNEL_MAX_INLINED"),
    ("docs/language.md", r"generics or contracts, up to (\d+) deep", C, "frontend/ssp/kernel_helpers.h", "KERNEL_MAX_LEVELS"),
    ("docs/language.md", r"`group_size`, (\d+) KB\s+a kernel at most", C, "ir/ir.h", "IR_MAX_SHARED_BYTES >> 10"),
    ("docs/runtime.md", r"which takes 8 to (\d+) threads of a row", C, "targets/native_abi.h", "NATIVE_LANES_MOST"),
    ("docs/runtime.md", r"the first launch of a batch \((\d+) launches\)", FILE, "runtime/queue.h", r"QUEUE_BATCH_MOST = (\d+)"),
    ("docs/devices.md", r"more than \d+ slices \((\d+) buffers\)", FILE, "runtime/metal_program.c", r"BUFFER_LIMIT = (\d+)"),
]


def c_values(root, folder):
    """The values of all expressions, by header and expression: one program prints them."""
    wanted = sorted({(fact[3], fact[4]) for fact in FACTS if fact[2] == C})
    lines = ["#include <stdio.h>"] + ['#include "%s"' % header for header in sorted({header for header, _ in wanted})]
    lines += ["int main(void)", "{"]
    lines += ['\tprintf("%%lld\\n", (long long)(%s));' % expression for _, expression in wanted] + ["}"]
    program = os.path.join(folder, "facts")
    compiler = ["cc", "-std=gnu11", "-I", root, "-x", "c", "-", "-o", program]
    subprocess.run(compiler, input="\n".join(lines) + "\n", universal_newlines=True, check=True)
    printed = subprocess.run([program], stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout.split()
    return dict(zip(wanted, printed))


def faults(root, folder):
    """Yields (page, what is wrong) of each fact that does not hold, or that a page no longer states."""
    values = c_values(root, folder)
    for page, says, kind, where, what in FACTS:
        with open(os.path.join(root, page), encoding="utf-8") as file:
            said = re.search(says, file.read())
        if kind == C:
            value = values[where, what]
        else:
            with open(os.path.join(root, where), encoding="utf-8") as file:
                found = re.findall(what, file.read(), re.M)
            value = found[0] if found else "nothing like it"
        if not said:
            yield page, "nothing matches /%s/, which is to say %s" % (says, value)
        elif said.group(1) != value:
            yield page, "`%s` says %s, and %s has %s" % (said.group(0), said.group(1), where, value)
