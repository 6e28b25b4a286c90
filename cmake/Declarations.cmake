# Lists what files of a folder declare, each one thing named after the file: NAME.cpp defines a
# function `TYPE tutti::WING::SPACE::NAME()`. So a new algorithm, composition or verb is one new
# file and no other change.
#
#   tutti_list_declarations(OUTPUT HEADER WING TYPE SPACE FILES...)
#
# writes a source with `std::span<TYPE (*const)()> tutti::WING::declared_SPACE()`. TYPE is one of
# WING, declared in HEADER; before a namespace that is inline WING says so.

function(tutti_list_declarations OUTPUT HEADER WING TYPE SPACE)
  set(declarations "")
  set(entries "")
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME_WE)
    string(APPEND declarations "${TYPE} ${name}();\n")
    string(APPEND entries "    ${SPACE}::${name},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
"// Written by the build from a list of files.
#include <span>
#include \"${HEADER}\"
namespace tutti::${WING} {
namespace ${SPACE} {
${declarations}}
std::span<${TYPE} (*const)()> declared_${SPACE}();
std::span<${TYPE} (*const)()> declared_${SPACE}() {
  static constexpr ${TYPE} (*all[])() = {
${entries}  };
  return all;
}
}
" @ONLY)
endfunction()
