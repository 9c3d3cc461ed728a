#include "targets/source/source_dialect.h"

#include <stddef.h>

#include "ir/hazard.h"

const struct source_dialect source_opencl = {
    .target = "opencl",
    .float64 = true,
    .head =
        "/* OpenCL C 1.2. Build with -cl-fp32-correctly-rounded-divide-sqrt, and never with -cl-fast-relaxed-math. */\n"
        "#pragma OPENCL FP_CONTRACT OFF\n",
    .float64_on = "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n",
    .float64_if = "#ifdef cl_khr_fp64\n",
    .spaces = {"__global", "__local"},
    .constant_space = "__constant",
    .function = "static inline ",
    .restrict_word = "restrict ",
    .zero = "{0}",
    .cast_bits = "as_%s",
    .fabs = "fabs",
    .sqrt = "sqrt",
    .floor = "floor",
    .ceil = "ceil",
    .round = "round",
    .barriers = {"barrier(CLK_LOCAL_MEM_FENCE);", "barrier(CLK_GLOBAL_MEM_FENCE);"},
    /* C99 gives a loop no duty to end. */
    .always = "true",
    .record = "uint",
};

/* Metal compilers may flush F32 subnormals; with -fno-fast-math division and root are correctly rounded (Metal
 * Shading Language, Numerical Compliance). */
const struct source_dialect source_metal = {
    .target = "metal",
    .hazards = IR_HAZARD_FLUSH_F32 | IR_HAZARD_NO_F64,
    .settings = true,
    .head = "/* Metal Shading Language 2.4. Build with -fno-fast-math. */\n"
            "#include <metal_stdlib>\n"
            "#pragma METAL fp contract(off)\n",
    .float64_on = "",
    .spaces = {"device", "threadgroup"},
    .constant_space = "constant",
    .function = "static inline ",
    .restrict_word = "",
    .zero = "{}",
    .cast_bits = "metal::as_type<%s>",
    .fabs = "metal::precise::fabs",
    .sqrt = "metal::precise::sqrt",
    .floor = "metal::precise::floor",
    .ceil = "metal::precise::ceil",
    .round = "metal::precise::round",
    .barriers = {"metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);",
                 "metal::threadgroup_barrier(metal::mem_flags::mem_device);"},
    /* C++ takes every loop without effects to end ([intro.progress]); reading a volatile is an effect. */
    .always = "sspur_always",
    .always_is = "volatile bool sspur_always = true;",
    .record = "metal::atomic_uint",
    .atomics_cast = true,
};
