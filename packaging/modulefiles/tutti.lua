-- For Lmod. It finds Tutti by its own place, PREFIX/share/tutti/modulefiles/tutti.lua: copy it only with the next line changed
-- to the prefix.
local prefix = pathJoin(myFileName():match("(.*)/"), "..", "..", "..")
whatis("Tutti: tuned collective operations for unmodified MPI programs")
help("tutti run -- mpirun -n 4 ./program   (tutti --help says more)")
conflict("tutti")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("PKG_CONFIG_PATH", pathJoin(prefix, "lib/pkgconfig"))
prepend_path("CMAKE_PREFIX_PATH", prefix)
