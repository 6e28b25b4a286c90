#pragma once

namespace tutti::interpose {

/// Around the MPI library's initialization: lets the launcher know, before, that this rank has
/// Tutti, and asks it, after, which ranks have not. Where the launcher speaks PMI-1 as Hydra does,
/// which starts MPICH's ranks; of PMIx the MPI library itself gives the occasion.
/// @{
void announce_presence();
void ask_for_presence();
/// @}

}  // namespace tutti::interpose
