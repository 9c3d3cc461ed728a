# libsspur_compiler.so: everything that needs LLVM, opened at run time only when
# something must be compiled (linking LLVM costs every process 65 ms).
sspur_sources(compiler_sources *.c lower lower/llvm targets targets/*)
if(NOT compiler_sources)
  return()
endif()

# LLVM's version file accepts its own major and minor number only; from 18 on the
# first release is N.1.
foreach(version ${SSPUR_LLVM_VERSION} ${SSPUR_LLVM_VERSION}.1)
  if(NOT LLVM_FOUND)
    find_package(LLVM ${version} QUIET CONFIG HINTS /usr/lib/llvm-${SSPUR_LLVM_VERSION})
  endif()
endforeach()
if(NOT LLVM_FOUND)
  message(FATAL_ERROR "LLVM ${SSPUR_LLVM_VERSION} was not found: install llvm-${SSPUR_LLVM_VERSION}-dev "
                      "or choose another with -DSSPUR_LLVM_VERSION=N")
endif()
if(LLVM_VERSION_MAJOR LESS 15)
  message(FATAL_ERROR "LLVM ${LLVM_VERSION} is too old: sspur needs 15 or newer")
endif()

# Up to LLVM 19 SPIR-V comes from the translator, a library of the same major
# version with a C++ interface only; newer ones have a back end of their own.
set(SSPUR_TRANSLATOR OFF)
set(headers ${LLVM_INCLUDE_DIRS}/llvm/Config/llvm-config.h)
if(LLVM_VERSION_MAJOR LESS 20)
  sspur_find_again(SSPUR_SPIRV_LIBRARY "")
  sspur_find_again(SSPUR_SPIRV_INCLUDE LLVMSPIRVLib/LLVMSPIRVLib.h)
  find_library(SSPUR_SPIRV_LIBRARY
    NAMES libLLVMSPIRVLib.so.${LLVM_VERSION_MAJOR} libLLVMSPIRVLib.so.${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}
    HINTS ${LLVM_LIBRARY_DIRS})
  find_path(SSPUR_SPIRV_INCLUDE LLVMSPIRVLib/LLVMSPIRVLib.h HINTS ${LLVM_INCLUDE_DIRS})
  if(SSPUR_SPIRV_LIBRARY AND SSPUR_SPIRV_INCLUDE)
    set(SSPUR_TRANSLATOR ON)
    file(GLOB translator_headers ${SSPUR_SPIRV_INCLUDE}/LLVMSPIRVLib/*)
    list(APPEND headers ${translator_headers})
  elseif(NOT "SPIRV" IN_LIST LLVM_TARGETS_TO_BUILD)
    message(FATAL_ERROR "the SPIR-V translator for LLVM ${LLVM_VERSION_MAJOR} was not found: "
                        "install libllvmspirvlib-${LLVM_VERSION_MAJOR}-dev")
  endif()
endif()

if(SSPUR_TRANSLATOR)
  enable_language(CXX)
  file(GLOB shim_source CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/targets/spirv/translator_shim.cpp)
  list(APPEND compiler_sources ${shim_source})
endif()

add_library(sspur_compiler MODULE ${compiler_sources})
target_include_directories(sspur_compiler SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_link_libraries(sspur_compiler PRIVATE sspur_ir sspur_base LLVM)
if(SSPUR_TRANSLATOR)
  target_include_directories(sspur_compiler SYSTEM PRIVATE ${SSPUR_SPIRV_INCLUDE})
  target_link_libraries(sspur_compiler PRIVATE ${SSPUR_SPIRV_LIBRARY})
  target_compile_options(sspur_compiler PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>)
else()
  target_compile_definitions(sspur_compiler PRIVATE SSPUR_SPIRV_BACKEND)
endif()
target_link_options(sspur_compiler PRIVATE
  LINKER:--version-script=${CMAKE_SOURCE_DIR}/cmake/compiler.map LINKER:--as-needed)
if(NOT SSPUR_SANITIZE)
  target_link_options(sspur_compiler PRIVATE LINKER:-z,defs)
endif()
set_target_properties(sspur_compiler PROPERTIES LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/compiler.map)
sspur_built_with(sspur_compiler ${headers} ${spirv_headers})
install(TARGETS sspur_compiler LIBRARY DESTINATION lib/sspur)
