# What the build finds on the machine. A build folder may be older than a package: what it found is looked for again when
# it is gone, and what was compiled with it is compiled again when its content changed. (A file of a package has the date
# of the package, which may be before that of the build: dates do not tell.)

# Forgets cached results of find_path and find_library whose file is gone. Arguments: VARIABLE FILE, the file below what
# the variable names; "" for itself.
function(sspur_find_again variable file)
  if(${variable} AND NOT EXISTS "${${variable}}/${file}" AND NOT (file STREQUAL "" AND EXISTS "${${variable}}"))
    message(STATUS "${${variable}} has gone: looking again (${variable})")
    unset(${variable} CACHE)
    unset(${variable} PARENT_SCOPE)
  endif()
endfunction()

# Sources of the target are compiled again when one of the files has other bytes than the last time.
function(sspur_built_with target)
  set(hashes)
  foreach(path ${ARGN})
    file(SHA256 ${path} hash)
    string(APPEND hashes "${hash}  ${path}\n")
  endforeach()
  set(record ${CMAKE_BINARY_DIR}/${target}.built-with)
  file(CONFIGURE OUTPUT ${record} CONTENT "${hashes}" @ONLY) # writes only what changed
  get_target_property(sources ${target} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${record})
endfunction()
