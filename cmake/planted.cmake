# Builds of developers in which SSPUR_PLANT=NAME in the environment turns a fault on (docs/trust.md, Planted faults):
# utils/dev/plant_faults writes the files with faults into the build folder, where they are compiled in place of the tree's.
option(SSPUR_PLANTED_FAULTS "For developers: SSPUR_PLANT=NAME in the environment turns a fault on (docs/trust.md)" OFF)
set(planted_files)
if(SSPUR_PLANTED_FAULTS)
  set(planted_script ${CMAKE_SOURCE_DIR}/utils/dev/plant_faults)
  execute_process(COMMAND ${planted_script} ${CMAKE_SOURCE_DIR} --out ${CMAKE_BINARY_DIR}/planted
    OUTPUT_VARIABLE planted_files OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE planted_status)
  if(planted_status)
    message(FATAL_ERROR "the faults could not be planted, see above")
  endif()
  string(REPLACE "\n" ";" planted_files "${planted_files}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${planted_script} ${planted_files})
endif()

# Replaces those sources of a list that have a fault.
function(sspur_plant list)
  set(sources ${${list}})
  foreach(path ${planted_files})
    list(FIND sources ${CMAKE_SOURCE_DIR}/${path} at)
    if(NOT at EQUAL -1)
      list(REMOVE_AT sources ${at})
      list(APPEND sources ${CMAKE_BINARY_DIR}/planted/${path})
      set_source_files_properties(${CMAKE_BINARY_DIR}/planted/${path} PROPERTIES
        COMPILE_OPTIONS -I${CMAKE_BINARY_DIR}/planted)
    endif()
  endforeach()
  set(${list} ${sources} PARENT_SCOPE)
endfunction()
