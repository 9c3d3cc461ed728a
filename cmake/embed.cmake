# Cone sources that are built in: a C file of their bytes, made again when one changes.
function(sspur_embed_cone target)
  set(arrays)
  set(rows)
  foreach(name ${ARGN})
    set(path ${CMAKE_SOURCE_DIR}/frontend/cone/${name}.cone)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} hex HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    string(APPEND arrays "static const unsigned char ${name}_bytes[] = {${bytes}0};\n")
    string(APPEND rows "    {\"${name}\", \"${name}.cone\", ${name}_bytes, sizeof ${name}_bytes - 1},\n")
  endforeach()
  set(file ${CMAKE_BINARY_DIR}/cone_builtins.c)
  file(GENERATE OUTPUT ${file} CONTENT "#include \"frontend/cone/cone_core.h\"

${arrays}
const struct cone_builtin cone_builtins[] = {
${rows}    {0},
};
")
  target_sources(${target} PRIVATE ${file})
endfunction()
