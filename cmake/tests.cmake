# The lit suite and the programs it runs.
enable_testing()

# test/base/*.c is one program of unit tests of utils/base.
sspur_sources(base_test_sources *.c test/base)
if(base_test_sources)
  add_executable(test-base ${base_test_sources})
  target_link_libraries(test-base PRIVATE sspur_base)
endif()

# test/ir/*.c is one of the kernel IR: what its text form cannot express.
sspur_sources(ir_test_sources *.c test/ir)
if(ir_test_sources)
  add_executable(test-ir ${ir_test_sources})
  target_link_libraries(test-ir PRIVATE sspur_ir sspur_base)
endif()

# The devices by themselves, with artifacts as sspur gets them.
add_executable(test-devices test/runtime/devices/test_devices.c ${provider_sources})
target_compile_definitions(test-devices PRIVATE SSPUR_VERSION="${PROJECT_VERSION}")
target_link_libraries(test-devices PRIVATE sspur_runtime sspur_ir sspur_base ${CMAKE_DL_LIBS})

# test/runtime/queue is the queue on a simulated device.
sspur_sources(queue_test_sources *.c test/runtime/queue)
add_executable(test-queue ${queue_test_sources})
target_link_libraries(test-queue PRIVATE sspur_runtime sspur_ir sspur_base ${CMAKE_DL_LIBS})

# The public API, as a program that has the library uses it.
foreach(name api artifacts records rounds large environment locale fork limits stack)
  add_executable(test-${name} test/runtime/api/test_${name}.c)
  target_link_libraries(test-${name} PRIVATE sspur_runtime sspur_ir sspur_base ${CMAKE_DL_LIBS})
endforeach()

# The same with allocations that fail.
add_executable(test-allocations test/runtime/allocations/test_allocations.c)
target_link_libraries(test-allocations PRIVATE sspur_runtime sspur_ir sspur_base ${CMAKE_DL_LIBS})
target_link_options(test-allocations PRIVATE
  -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=posix_memalign)

# SPIR-V as Vulkan's drivers get it.
add_executable(test-spirv test/runtime/spirv/test_spirv.c)
target_link_libraries(test-spirv PRIVATE sspur_runtime sspur_ir sspur_base ${CMAKE_DL_LIBS})

# Each file of test/fuzz is a libFuzzer target; `fuzzers` builds them all.
if(SSPUR_FUZZ)
  add_custom_target(fuzzers)
  sspur_sources(fuzz_sources *.c test/fuzz)
  foreach(source ${fuzz_sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE sspur_frontend_ssp sspur_frontend_cone sspur_runtime sspur_ir sspur_base ${CMAKE_DL_LIBS})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${name})
  endforeach()
  target_sources(fuzz_npy PRIVATE utils/tools/npy.c)
  target_sources(fuzz_toml PRIVATE utils/tools/toml.c)
  target_sources(fuzz_cache PRIVATE ${provider_sources})
  target_compile_definitions(fuzz_cache PRIVATE SSPUR_VERSION="${PROJECT_VERSION}")
  # The writer itself, so that its branches are counted, and what spirv-val is made of.
  sspur_sources(vulkan_sources *.c targets/vulkan)
  target_sources(fuzz_vulkan PRIVATE ${vulkan_sources} ${pass_sources})
  target_link_libraries(fuzz_vulkan PRIVATE SPIRV-Tools stdc++)
endif()

# What the tests may ask for with REQUIRES, as far as the build decides it;
# test/lit.cfg.py adds the tools it finds.
set(SSPUR_TEST_FEATURES llvm${LLVM_VERSION_MAJOR})
if(SSPUR_TRANSLATOR)
  list(APPEND SSPUR_TEST_FEATURES translator)
endif()
if(SSPUR_SANITIZE STREQUAL "thread")
  list(APPEND SSPUR_TEST_FEATURES sanitize-thread)
elseif(SSPUR_SANITIZE)
  list(APPEND SSPUR_TEST_FEATURES sanitize)
endif()
list(JOIN SSPUR_TEST_FEATURES "," SSPUR_TEST_FEATURES)

sspur_find_again(SSPUR_LIT "")
sspur_find_again(SSPUR_PYTHON "")
find_program(SSPUR_LIT NAMES lit lit.py lit-${SSPUR_LLVM_VERSION} lit-22
  PATHS /usr/lib/llvm-15/build/utils/lit /usr/lib/llvm-${SSPUR_LLVM_VERSION}/build/utils/lit)
find_program(SSPUR_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(SSPUR_PYTHON python3)
if(SSPUR_LIT AND SSPUR_PYTHON)
  configure_file(cmake/run-tests.in run-tests @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  add_test(NAME lit COMMAND ${CMAKE_BINARY_DIR}/run-tests)
else()
  message(STATUS "lit was not found: no tests (utils/check installs llvm-15-tools)")
endif()
