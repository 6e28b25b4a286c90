#pragma once

#include <cstdint>

namespace tutti::run {

/// An argument of a function of MPI, a pointer or an integer, as the register that carries it.
/// Libraries differ in how wide their handles are: in a program that runs on another MPI than ours,
/// arguments have to go on bit by bit.
class Word {
 public:
  template <typename T>
  operator T*() const {
    return reinterpret_cast<T*>(bits_);
  }
  operator int() const { return static_cast<int>(bits_); }
  operator long() const { return static_cast<long>(bits_); }
  operator long long() const { return static_cast<long long>(bits_); }

 private:
  std::uintptr_t bits_;
};
static_assert(sizeof(Word) == sizeof(void*));

/// Calls a function with the arguments that came in. What it returns is an int unless said
/// otherwise.
template <typename Result = int, typename Function, typename... Words>
Result pass_on(Function* function, Words... words) {
  return reinterpret_cast<Result (*)(Words...)>(reinterpret_cast<void*>(function))(words...);
}

}  // namespace tutti::run

/// The arguments of a function that is passed on are called a, b, c and so on: with their type, or
/// where it is empty without.
#define TUTTI_ARGUMENTS_0(type)
#define TUTTI_ARGUMENTS_1(type) type a
#define TUTTI_ARGUMENTS_2(type) TUTTI_ARGUMENTS_1(type), type b
#define TUTTI_ARGUMENTS_3(type) TUTTI_ARGUMENTS_2(type), type c
#define TUTTI_ARGUMENTS_4(type) TUTTI_ARGUMENTS_3(type), type d
#define TUTTI_ARGUMENTS_5(type) TUTTI_ARGUMENTS_4(type), type e
#define TUTTI_ARGUMENTS_6(type) TUTTI_ARGUMENTS_5(type), type f
#define TUTTI_ARGUMENTS_7(type) TUTTI_ARGUMENTS_6(type), type g
#define TUTTI_ARGUMENTS_8(type) TUTTI_ARGUMENTS_7(type), type h
#define TUTTI_ARGUMENTS_9(type) TUTTI_ARGUMENTS_8(type), type i
#define TUTTI_ARGUMENTS_10(type) TUTTI_ARGUMENTS_9(type), type j
#define TUTTI_ARGUMENTS_11(type) TUTTI_ARGUMENTS_10(type), type k
#define TUTTI_ARGUMENTS_12(type) TUTTI_ARGUMENTS_11(type), type l
#define TUTTI_ARGUMENTS_13(type) TUTTI_ARGUMENTS_12(type), type m
