# Spack's recipe, for a repository of one's own: REPO/packages/tutti/package.py
import os

from spack.package import *


class Tutti(CMakePackage):
    """Tuned collective operations for unmodified MPI programs."""

    license("BSD-3-Clause")
    version("main", branch="main")

    variant("simgrid", default=False, description="Simulated programs")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("help2man", type="build")
    depends_on("mpi")
    depends_on("simgrid+smpi", when="+simgrid")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("fmt", type="build")
    depends_on("eigen", type="build")
    depends_on("tl-expected", type="build")

    conflicts("%gcc@:11", msg="C++20 is needed")

    # Reports are drawn with d3.min.js of version 5, for which there is no package: the environment
    # says where it lies.
    def setup_build_environment(self, env):
        if "TUTTI_CHARTS" not in os.environ:
            raise InstallError("set TUTTI_CHARTS to a d3.min.js of version 5")

    def cmake_args(self):
        return [
            self.define("CMAKE_INSTALL_LIBDIR", "lib"),
            self.define("TUTTI_TESTS", False),
            self.define("TUTTI_BENCHMARKS", False),
            self.define("TUTTI_CHARTS", os.environ["TUTTI_CHARTS"]),
            self.define("TUTTI_openmpi_CXX" if self.spec.satisfies("^[virtuals=mpi] openmpi") else "TUTTI_mpich_CXX",
                        self.spec["mpi"].mpicxx),
        ]
