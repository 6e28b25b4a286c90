#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace tutti::run {

/// What the dynamic linker knows of a loaded object: its file, its name as a library, and the names
/// of those it needs.
struct LoadedObject {
  std::string file, name;
  std::vector<std::string> needs;
};

/// All objects of this process, in the order in which they were loaded.
std::vector<LoadedObject> loaded_objects();

/// Names of the shared libraries in this process, without their folders.
std::vector<std::string> loaded_files();

/// A handle, as dlsym takes it, of the first of these libraries that is loaded already; null if
/// none is. Nothing is loaded, and what was found stays loaded.
void* loaded_library(std::initializer_list<const char*> names);

}  // namespace tutti::run
