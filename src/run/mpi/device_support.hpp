#pragma once

namespace tutti::run {

/// Whose memory lies on a device.
enum class DeviceKind { cuda, rocm };

/// Whether the program's MPI library says that messages may begin and end in such memory: by
/// MPIX_Query_cuda_support and MPIX_Query_rocm_support (Open MPI), MPIX_GPU_query_support (MPICH),
/// or the value that communicators have for the info key mpi_memory_alloc_kinds. It is never
/// guessed. MPI has to be running.
/// Sources: Open MPI, mpi-ext; MPICH, mpi_proto; MPI Forum, MPI 4.1, section 12.4.3, and its side
/// document on memory allocation kinds.
bool mpi_takes_memory_of(DeviceKind kind);

}  // namespace tutti::run
