#pragma once

namespace tutti {

/// Open MPI's parameter, as an environment variable, for the method by which a rank watches its
/// connections: one of libevent's, such as poll and epoll.
inline constexpr const char* watching_parameter = "OMPI_MCA_opal_event_include";

}  // namespace tutti
