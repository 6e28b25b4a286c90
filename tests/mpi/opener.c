/* Runs the main function of a module, which is opened as Python opens its extensions: for itself alone. */

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  int (*program)(int, char**) = module ? (int (*)(int, char**))dlsym(module, "main") : NULL;
  if (!program) {
    fprintf(stderr, "opener: %s\n", argc > 1 ? dlerror() : "name a module");
    return 1;
  }
  return program(argc - 1, argv + 1);
}
