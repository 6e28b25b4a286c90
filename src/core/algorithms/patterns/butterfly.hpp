#pragma once

#include "core/algorithms/patterns/exchanges.hpp"

namespace tutti::inline core {

/// A butterfly on 2^q members: in each step all of them exchange in pairs. Step 0 is between the
/// nearest. After the steps q − 1, …, k members fall into sets of 2^(q−k) that have exchanged among
/// themselves only.
using Butterfly = int (*)(int members, int member, int step);

/// Partners whose numbers differ in one binary digit.
int digit_partner(int members, int member, int step);

inline constexpr std::string_view bine_source =
    "De Sensi and others, Bine Trees: Enhancing Collective Operations by Optimizing Communication Locality, "
    "2025";

/// Partners ρ_k = (1 − (−2)^(k+1)) / 3 apart around the circle, 1, −1, 3, −5, …: even members that
/// way, odd ones the other: two thirds as far as digits reach.
int bine_partner(int members, int member, int step);

/// All that a block of `member` can get to in the steps from `first` down to `last`, in ascending
/// order, itself among them. From step q − 1 on they are also those whose blocks can get to it.
std::vector<int> exchanged(int members, int member, int first, int last, Butterfly partner);

/// The allgather of any number of members in ⌈log2 p⌉ rounds by a butterfly from step q − 1 to step
/// 0, so that the largest exchanges are between the nearest. The butterfly is that of the next
/// power of two without the members that are not there; who lacks a partner gets what that one
/// would have from another member that has the same.
Exchanges by_butterfly(int members, int member, Butterfly partner);

}  // namespace tutti::inline core
