#pragma once

#include "choose/evidence/knowledge.hpp"

namespace tutti::inline choose {

/// What a table's measurements say, as seen on that day. Tables do not tell neighbours apart: calls
/// between these are left out, both ways. So are measurements that are unstable, and those of
/// groups of ranks beside each other.
Knowledge knowledge_of(const Table& table, Day day);

/// The decisions that follow from what is known at a place, and the evidence: a plan where it
/// surely gains.
Table table_of(const Knowledge& knowledge, const Fingerprint& place);

}  // namespace tutti::inline choose
