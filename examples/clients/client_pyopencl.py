"""Launches saxpy from the emitted saxpy.cl or saxpy.spv with PyOpenCL, and reads the status record.

    sspur build examples/saxpy.ssp --target opencl -o saxpy.cl
    python3 examples/clients/client_pyopencl.py saxpy.cl
"""
import sys

import numpy
import pyopencl as cl

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
with open(sys.argv[1], "rb") as file:
    code = file.read()
program = cl.Program(context, code if code[:4] == b"\x03\x02\x23\x07" else code.decode())
saxpy = program.build(["-cl-fp32-correctly-rounded-divide-sqrt"]).saxpy
flags = cl.mem_flags.COPY_HOST_PTR
x = cl.Buffer(context, flags, hostbuf=numpy.array([1, 2, 3, 4], dtype=numpy.float32))
y = cl.Buffer(context, flags, hostbuf=numpy.array([10, 20, 30, 40], dtype=numpy.float32))
for length in (4, 3):  # 3 breaks the kernel's `pre`: thread 3 reads past the end
    status = numpy.zeros(8, dtype=numpy.uint32)
    record = cl.Buffer(context, flags, hostbuf=status)
    # In the order of saxpy.json's `arguments`: a, x, x_length, y, y_length, n, first_group, status, mask.
    saxpy(queue, (256,), (256,), numpy.float32(0.5), x, numpy.uint64(length), y, numpy.uint64(4), numpy.uint64(4),
          numpy.uint64(0), record, None)
    cl.enqueue_copy(queue, status, record)
    failed, kind, _, line, thread, _, _, value = status
    if failed:
        print(f"{failed} failed: kind {kind} at line {line}, thread {thread}, value {value}")
    else:
        result = numpy.empty(4, dtype=numpy.float32)
        cl.enqueue_copy(queue, result, y)
        print("0 failed")
        print(*("%g" % v for v in result))
