#pragma once

#include "choose/evidence/rules.hpp"

namespace tutti::inline choose {

/// How long a program has to run until its share has paid for the `missing` part of a cost, in
/// seconds: shorter programs pay nothing.
double seconds_to_run(const LearningRules& rules, double missing);

/// How long the calls of a class have to have taken before it is worth finding out what to try in
/// them, which takes `opening`, in seconds: what is found serves as long again, if programs go on
/// as they began. Where `spare` is less than that, their own small share has to pay for it.
double least_class_s(const LearningRules& rules, double opening, double spare);

/// How many calls it is until something has taken `lacking` seconds more, where `calls` of them took
/// `passed`; at least a part of those, so that ranks ask each other seldom, and at most twice as many, for
/// what follows may take longer.
int calls_to_wait(double lacking, double passed, int calls);

}  // namespace tutti::inline choose
