// What a program sets the MPI library's own switches to stays so, whatever plans tell the library
// for their calls.
//
// Usage: users_switch VARIABLE: the control variable that chooses the algorithm of broadcasts.

#include <string>
#include <string_view>

#include "all_right.hpp"

namespace {

// A control variable of the MPI library's that is an integer.
class Variable {
 public:
  explicit Variable(std::string_view wanted) {
    int provided = 0, variables = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_cvar_get_num(&variables);
    for (int number = 0; number < variables; ++number)
      if (name_of(number) == wanted) {
        int count = 0;
        require(MPI_T_cvar_handle_alloc(number, nullptr, &handle_, &count) == MPI_SUCCESS && count == 1,
                "the variable is no integer");
        return;
      }
    require(false, "the library has no such variable");
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    MPI_T_cvar_handle_free(&handle_);
    MPI_T_finalize();
  }

  int value() const {
    int value = -1;
    MPI_T_cvar_read(handle_, &value);
    return value;
  }
  void set(int value) {
    require(MPI_T_cvar_write(handle_, &value) == MPI_SUCCESS, "the variable can't be set");
  }

 private:
  static std::string name_of(int number) {
    char name[256] = "", description[4096];
    int name_length = sizeof name, description_length = sizeof description, verbosity, binding, scope;
    MPI_Datatype type;
    MPI_T_enum values;
    MPI_T_cvar_get_info(number, name, &name_length, &verbosity, &type, &values, description,
                        &description_length, &binding, &scope);
    return name;
  }

  MPI_T_cvar_handle handle_ = nullptr;
};

// On a communicator of their own, for some libraries look at the variable when they make one.
void broadcasts() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < 3; ++i) {
    int word = rank == 0 ? i : -1;
    MPI_Bcast(&word, 1, MPI_INT, 0, comm);
    require(word == i, "a broadcast is wrong");
  }
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  return all_right("users_switch", argc, argv, [&] {
    require(argc > 1, "no variable is named");
    broadcasts();
    Variable variable(argv[1]);
    const int before = variable.value();
    broadcasts();
    require(variable.value() == before, "calls by plans leave the variable changed");
    variable.set(before + 1);
    broadcasts();
    require(variable.value() == before + 1, "calls by plans undo what the program has set");
  });
}
