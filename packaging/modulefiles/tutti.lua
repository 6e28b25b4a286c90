-- For Lmod. It finds Tutti by its own place, PREFIX/share/tutti/modulefiles/tutti.lua, also where a
-- link in a folder of MODULEPATH leads there, which Lmod follows by the one name or the other: copy
-- it only with the line of `prefix` changed to the prefix.
local follow_links = realpath or abspath or function(file) return file end
local prefix = pathJoin(follow_links(myFileName()):match("(.*)/"), "..", "..", "..")
whatis("Tutti: tuned collective operations for unmodified MPI programs")
help("tutti run -- mpirun -n 4 ./program   (tutti --help says more)")
conflict("tutti")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
for _, folder in ipairs({"lib/pkgconfig", "lib64/pkgconfig"}) do
  if isDir(pathJoin(prefix, folder)) then prepend_path("PKG_CONFIG_PATH", pathJoin(prefix, folder)) end
end
prepend_path("CMAKE_PREFIX_PATH", prefix)
