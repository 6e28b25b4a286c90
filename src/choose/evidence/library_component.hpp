#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.hpp"
#include "core/schedule/collective.hpp"

namespace tutti::inline choose {

/// A part of Open MPI that carries out collective operations (a component of its framework coll).
/// On each communicator the one with the highest priority that serves there is asked first.
struct LibraryComponent {
  std::string name;                         ///< "tuned", "han"
  int priority = 0;                         ///< as it is set, usually from 0 to 100
  std::vector<Collective> operations = {};  ///< that it serves; none: it does not say
  friend bool operator==(const LibraryComponent&, const LibraryComponent&) = default;

  /// Whether it serves such calls between ranks on so many hosts, as far as is known of it.
  bool serves(Collective collective, int hosts) const;
};

/// The component whose algorithms have switches and rules.
inline constexpr std::string_view tuned_component = "tuned";
/// The variable of the environment by which Open MPI is told, before MPI begins, that switches will
/// tell it which algorithms that component is to use.
inline constexpr const char* listens_parameter = "OMPI_MCA_coll_tuned_use_dynamic_rules";
/// The component that combines others within hosts and between them.
inline constexpr std::string_view han_component = "han";

/// What MPI's tool interface says of an MPI library: names of control variables, and the values of
/// integer ones.
struct LibraryVariables {
  std::vector<std::string> names;
  std::function<std::optional<int>(const std::string& name)> value;
};

/// The components by which Open MPI serves blocking calls between several ranks, the one with the
/// switches and those above it, by falling priority; none with other libraries.
std::vector<LibraryComponent> library_components(const LibraryVariables& variables);

/// The component that serves such calls natively, of some in the order of their priorities; null
/// where none is known to.
const LibraryComponent* serving(const std::vector<LibraryComponent>& components, Collective collective,
                                int hosts);

/// What stands above the component with the algorithms between so many hosts: "coll/han (priority
/// 35) before coll/tuned (30)"; empty where nothing does.
std::string above_text(const std::vector<LibraryComponent>& components, int hosts);

/// Components as a list in a file, and back.
/// @{
Json to_json(const std::vector<LibraryComponent>& components);
std::vector<LibraryComponent> components_from_json(const Json& list);
/// @}

}  // namespace tutti::inline choose
