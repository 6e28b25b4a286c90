# Lists the algorithm families for the registry: every file src/algorithms/NAME.cpp but registry.cpp, and
# src/synthesis/computed.cpp, defines a function `tutti::Family tutti::families::NAME()`. So a new algorithm is one new file and no other change.

function(tutti_list_families OUTPUT)
  set(declarations "")
  set(entries "")
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME_WE)
    string(APPEND declarations "Family ${name}();\n")
    string(APPEND entries "    families::${name},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
"// Written by the build from the list of files in src/algorithms.
#include <span>
#include \"algorithms/algorithm.hpp\"
namespace tutti {
namespace families {
${declarations}}
std::span<Family (*const)()> declared_families();
std::span<Family (*const)()> declared_families() {
  static constexpr Family (*all[])() = {
${entries}  };
  return all;
}
}
" @ONLY)
endfunction()
