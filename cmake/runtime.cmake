# libsspur_runtime for programs that have kernels and not the compiler: a shared and a static library that define
# sspur_* alone, the header, a pkg-config file and a CMake package.
target_compile_definitions(sspur_runtime PRIVATE SSPUR_VERSION="${PROJECT_VERSION}")
set(runtime_folder ${CMAKE_BINARY_DIR}/runtime)
set(runtime_archives $<TARGET_FILE:sspur_runtime> $<TARGET_FILE:sspur_ir> $<TARGET_FILE:sspur_base>)

# One object of all, whose hidden symbols become local: the archive clashes with no name of the program.
set(runtime_object ${runtime_folder}/sspur_runtime.o)
set(runtime_static ${runtime_folder}/libsspur_runtime.a)
add_custom_command(OUTPUT ${runtime_static}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${runtime_folder}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${runtime_static}
  COMMAND ${CMAKE_LINKER} -r -o ${runtime_object} --whole-archive ${runtime_archives}
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${runtime_object}
  COMMAND ${CMAKE_AR} qcs ${runtime_static} ${runtime_object}
  DEPENDS sspur_runtime sspur_ir sspur_base
  VERBATIM)
add_custom_target(sspur_runtime_static ALL DEPENDS ${runtime_static})

file(CONFIGURE OUTPUT ${runtime_folder}/empty.c CONTENT "/* The library is its archives. */\n")
add_library(sspur_runtime_shared SHARED ${runtime_folder}/empty.c)
set_target_properties(sspur_runtime_shared PROPERTIES
  OUTPUT_NAME sspur_runtime
  LIBRARY_OUTPUT_DIRECTORY ${runtime_folder}
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(sspur_runtime_shared PRIVATE
  -Wl,--whole-archive sspur_runtime -Wl,--no-whole-archive sspur_ir sspur_base ${CMAKE_DL_LIBS})

configure_file(cmake/sspur.pc.in ${runtime_folder}/sspur.pc @ONLY)
configure_file(cmake/sspur-config.cmake.in ${runtime_folder}/sspur-config.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${runtime_folder}/sspur-config-version.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS sspur_runtime_shared LIBRARY DESTINATION lib)
install(FILES ${runtime_static} DESTINATION lib)
install(FILES runtime/sspur.h DESTINATION include)
install(FILES ${runtime_folder}/sspur.pc DESTINATION lib/pkgconfig)
install(FILES ${runtime_folder}/sspur-config.cmake ${runtime_folder}/sspur-config-version.cmake
  DESTINATION lib/cmake/sspur)
