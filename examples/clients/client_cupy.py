"""Launches saxpy from the emitted saxpy.ptx with CuPy, and reads the status record.

    sspur build examples/saxpy.ssp --target ptx -o saxpy.ptx
    python3 examples/clients/client_cupy.py saxpy.ptx
"""
import sys

import cupy
import numpy

saxpy = cupy.RawModule(path=sys.argv[1]).get_function("saxpy")
x = cupy.array([1, 2, 3, 4], dtype=cupy.float32)
y = cupy.array([10, 20, 30, 40], dtype=cupy.float32)
for length in (4, 3):  # 3 breaks the kernel's `pre`: thread 3 reads past the end
    status = cupy.zeros(8, dtype=cupy.uint32)
    # In the order of saxpy.json's `arguments`: a, x, x_length, y, y_length, n, first_group, status, mask.
    saxpy((1,), (256,), (numpy.float32(0.5), x, numpy.uint64(length), y, numpy.uint64(4), numpy.uint64(4),
                         numpy.uint64(0), status, numpy.uint64(0)))
    failed, kind, _, line, thread, _, _, value = status.get()
    if failed:
        print(f"{failed} failed: kind {kind} at line {line}, thread {thread}, value {value}")
    else:
        print("0 failed")
        print(*("%g" % v for v in y.get()))
