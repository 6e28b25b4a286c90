#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tutti::tools {

/// What programs are started by, and which of Tutti's files serve them.
struct Mpi {
  std::string name;     ///< the launcher's: openmpi, mpich, smpi; abi where that makes no difference
  std::string library;  ///< what those files carry in their names: the launcher's, or abi
  bool simulated() const { return name == "smpi"; }
};

/// The MPIs that there are files for, beside this executable.
std::vector<std::string> built_mpis();

/// The file of the MPI library that Tutti's own programs for an MPI are linked with.
Result<std::string> library_of(const std::string& mpi);

/// What the user starts MPI programs with: "mpirun -n 4", "srun …", "smpirun -np 96 -platform …";
/// or a program itself, which then is one rank.
class Launcher {
 public:
  /// Recognises the MPI behind a launcher by its name, by what it says of its version, or by the
  /// program that it starts; behind Slurm's also by the mpirun in PATH. `mpi` overrides that where
  /// it is not empty.
  static Result<Launcher> recognise(std::vector<std::string> command, const std::string& mpi);

  const Mpi& mpi() const { return mpi_; }

  /// Whether there is no launcher: the command begins with a program of MPI's.
  bool is_program() const { return is_program_; }

  /// The program that the command starts, as it names it; "" where none is to be found.
  std::string program() const { return program_at_ < command_.size() ? command_[program_at_] : ""; }

  /// What a user has to know where nothing is known of how the command hands variables on to ranks;
  /// "" where that is known.
  std::string doubt() const;

  /// The library and version behind it as fingerprints name them, or "" if it does not say.
  std::string mpi_version() const;

  /// The command that starts the measuring program.
  std::vector<std::string> worker_command() const;

  /// The command that starts a program of the launcher's MPI with its arguments, wherever the
  /// launcher takes one (`mpirun -n 1 : -n 3`); in a simulation with what such programs need; in
  /// the place of a program that is started without a launcher.
  std::vector<std::string> command_of(const std::vector<std::string>& program) const;

  /// The program that makes random calls and compares their results; "" if it is not beside the
  /// command.
  std::string checker() const;

  /// The program that looks at where it runs (examining/); "" if it is not beside the command.
  std::string examiner() const;

  /// The command with those variables set in the processes of the program that it starts, and no
  /// further ones: launchers that are known to have a way to do that are told so, across hosts.
  /// What has to be set in the launcher's own environment is put into `environment`: all, where
  /// nothing else is known of it.
  std::vector<std::string> command_with(const std::map<std::string, std::string>& variables,
                                        std::map<std::string, std::string>& environment) const;

  /// A command that begins with the launcher's, with those variables set as by command_with.
  std::vector<std::string> with_variables(std::vector<std::string> command,
                                          const std::map<std::string, std::string>& variables,
                                          std::map<std::string, std::string>& environment) const;

  /// Lines for a shell, after which the launcher hands those variables on to what it starts,
  /// whatever stands behind its name. Fails where a value can't be handed on so.
  Result<std::vector<std::string>> shell_lines(const std::map<std::string, std::string>& variables) const;

  /// The library to preload into programs, or that which counts the functions of MPI besides; ""
  /// where they have to be linked with Tutti's objects (SMPI).
  std::string preload(bool counts = false) const;

 private:
  // The program through which the launcher can be told to start all others; "" where it can't.
  std::string start() const;

  // Whether ranks have all that is in the command's own environment, as far as is known.
  bool hands_environment_on() const;

  std::vector<std::string> command_;
  Mpi mpi_;
  std::string speaks_;  // the MPI whose launcher's options it has, whatever it starts; "" if none is known
  bool is_program_ = false;
  std::size_t program_at_ = 0;  // as of position_of_program
};

}  // namespace tutti::tools
