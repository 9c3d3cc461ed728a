"""Writes a C program that prints what runtime/vulkan_types.h declares: each number, and the size and the fields of each
structure. The header that it includes decides what it prints.

usage: vulkan_layout.py HEADER INCLUDE"""

import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
print("#define VK_NO_PROTOTYPES\n#include <stddef.h>\n#include <stdio.h>\n#include <%s>\nint main(void)\n{" % sys.argv[2])
for name in re.findall(r"^\t(VK_\w+) =", text, re.M) + re.findall(r"^#define (VK_\w+) (?!\")", text, re.M):
    print('\tprintf("%s %%lld\\n", (long long)%s);' % (name, name))
for name in re.findall(r'^#define (VK_\w+) "', text, re.M):
    print('\tputs("%s " %s);' % (name, name))
for name in re.findall(r"^#define (VK_\w+)\(version\)", text, re.M):
    print('\tprintf("%s %%u\\n", %s(0x12345678u));' % (name, name))
for body, name in re.findall(r"^typedef struct \w+ \{\n(.*?)^\} (\w+);", text, re.M | re.S):
    print('\tprintf("%s %%zu\\n", sizeof(%s));' % (name, name))
    for field in re.findall(r"(\w+)(?:\[\w+\])*[,;]", body):
        print('\tprintf("%s.%s %%zu\\n", offsetof(%s, %s));' % (name, field, name, field))
for name in re.findall(r"^typedef \w+ (\w+);|^\} (\w+);", text, re.M):
    name = "".join(name)
    print('\tprintf("%s %%zu\\n", sizeof(%s));' % (name, name))
print("\treturn 0;\n}")
