#pragma once

#include <memory>

#include "structure.hpp"

namespace tutti::ort {

// Structures by their handles. A number is never given twice, so a handle that was finalized, or
// never initialized, is found out.

/// The structure's handle.
ORT_Structure enlist(std::unique_ptr<Structure> structure);

/// Null if there is none.
Structure* find(ORT_Structure handle);

/// Gives up the structure; null if there is none.
std::unique_ptr<Structure> discharge(ORT_Structure handle);

}  // namespace tutti::ort
