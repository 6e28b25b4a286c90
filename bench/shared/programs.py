"""Programs of others, as Debian has them: each function writes the input into the working folder and
returns the command line."""

import gzip
import shutil
from pathlib import Path

EXAMPLES = Path("/usr/share/lammps/examples")
HPCC_INPUT = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
ABINIT_DATA = Path("/usr/share/abinit/psp")
CP2K_DATA = Path("/usr/share/cp2k")
SILICON = Path("/usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF.gz")


def lammps(example, steps):
    for file in (EXAMPLES / example).iterdir():
        shutil.copy(file, ".")
    lines = Path(f"in.{example}").read_text().splitlines()
    Path("input").write_text("\n".join(f"run {steps}" if line.startswith("run") else line
                                       for line in lines) + "\n")
    return ["lmp", "-in", "input", "-log", "none"]


def hpcc(size, ranks):
    lines = HPCC_INPUT.read_text().splitlines()
    lines[5], lines[10], lines[11] = f"{size} Ns", "2 Ps", f"{ranks // 2} Qs"
    Path("hpccinf.txt").write_text("\n".join(lines) + "\n")
    return ["hpcc"]


def silicon(steps, cutoff, pools):
    Path("Si.UPF").write_bytes(gzip.decompress(SILICON.read_bytes()))
    Path("input").write_text(f"""&control
 calculation='md', nstep={steps}, prefix='si', pseudo_dir='.', outdir='out', disk_io='none'
/
&system
 ibrav=2, celldm(1)=10.2, nat=2, ntyp=1, ecutwfc={cutoff}, nosym=.true.
/
&electrons
/
&ions
/
ATOMIC_SPECIES
 Si 28.086 Si.UPF
ATOMIC_POSITIONS alat
 Si 0 0 0
 Si .26 .25 .25
K_POINTS automatic
 2 2 2 1 1 1
""")
    return ["pw.x", "-nk", pools, "-in", "input"]


def silicon_of_abinit(steps, cutoff):
    """Molecular dynamics of silicon on 32 k-points, which are shared out among the ranks."""
    Path("input.abi").write_text(f"""ecut {cutoff}
toldfe 1.0d-8
nstep 30
ionmov 1
ntime {steps}
dtion 100
vis 0
ngkpt 4 4 2
shiftk 0.5 0.5 0.5
kptopt 3
nsym 1
acell 3*10.2
rprim 0 .5 .5  .5 0 .5  .5 .5 0
ntypat 1
znucl 14
natom 2
typat 1 1
xred 0 0 0  .26 .25 .25
prtwf 0
prtden 0
prteig 0
prtgsr 0
pp_dirpath "{ABINIT_DATA}"
pseudos "14si.pspnc"
""")
    return ["abinit", "input.abi"]


def water(steps, cutoff):
    """Molecular dynamics of two water molecules, by density functionals; one thread a rank."""
    Path("input").write_text(f"""&GLOBAL
 PROJECT water
 RUN_TYPE MD
 PRINT_LEVEL LOW
&END GLOBAL
&MOTION
 &MD
  ENSEMBLE NVE
  STEPS {steps}
  TIMESTEP 0.5
  TEMPERATURE 300
 &END MD
&END MOTION
&FORCE_EVAL
 METHOD QS
 &DFT
  BASIS_SET_FILE_NAME {CP2K_DATA}/BASIS_SET
  POTENTIAL_FILE_NAME {CP2K_DATA}/GTH_POTENTIALS
  &MGRID
   CUTOFF {cutoff}
  &END MGRID
  &SCF
   SCF_GUESS ATOMIC
   MAX_SCF 20
   EPS_SCF 1.0E-6
   &OT
   &END OT
  &END SCF
  &XC
   &XC_FUNCTIONAL PADE
   &END XC_FUNCTIONAL
  &END XC
 &END DFT
 &SUBSYS
  &CELL
   ABC 6.0 6.0 6.0
  &END CELL
  &COORD
   O 0.00 0.00 0.00
   H 0.76 0.59 0.00
   H -0.76 0.59 0.00
   O 0.00 2.90 0.10
   H 0.50 3.50 0.70
   H -0.60 3.40 -0.50
  &END COORD
  &KIND H
   BASIS_SET DZVP-GTH-PADE
   POTENTIAL GTH-PADE-q1
  &END KIND
  &KIND O
   BASIS_SET DZVP-GTH-PADE
   POTENTIAL GTH-PADE-q6
  &END KIND
 &END SUBSYS
&END FORCE_EVAL
""")
    return ["cp2k.popt", "-i", "input"]


WRITERS = {"lammps": lammps, "hpcc": hpcc, "silicon": silicon, "abinit": silicon_of_abinit, "water": water}
