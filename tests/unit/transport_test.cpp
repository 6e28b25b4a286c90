// What carries messages, and where a process runs, as the system's files say.

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "choose/evidence/local_place.hpp"
#include "choose/evidence/transport.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

using Environment = std::map<std::string, std::string>;

Transport seen(std::string library, std::vector<std::string> files, std::vector<std::string> variables = {},
               const Environment& environment = {}) {
  return transport_of({.library = std::move(library),
                       .loaded_files = std::move(files),
                       .control_variables = [variables] { return variables; },
                       .environment =
                           [&environment](const char* name) {
                             const auto set = environment.find(name);
                             return set == environment.end() ? nullptr : set->second.c_str();
                           }});
}

const std::string open_mpi_4 = "Open MPI v4.1.4, package: Debian OpenMPI",
                  open_mpi_5 = "Open MPI v5.0.7, package: Debian OpenMPI";

TEST(Transport, OfOpenMpiIsThatOfItsLoadedComponents) {
  const std::vector<std::string> files{"libc.so.6",       "mca_btl_tcp.so", "mca_btl_vader.so",
                                       "mca_btl_self.so", "mca_btl_sm.so",  "mca_pml_ob1.so"};
  EXPECT_EQ(seen(open_mpi_4, files).within, "ob1 (vader)");
  EXPECT_EQ(seen(open_mpi_4, files).between, "ob1 (tcp)");
  const auto tcp = seen(open_mpi_4, {"mca_btl_tcp.so", "mca_btl_self.so", "mca_pml_ob1.so"});
  EXPECT_EQ(tcp.within, "ob1 (tcp)");
  EXPECT_EQ(tcp.between, "ob1 (tcp)");
  EXPECT_EQ(seen(open_mpi_4, {"mca_pml_ucx.so", "mca_btl_tcp.so", "mca_pml_monitoring.so"}).between, "ucx");
  EXPECT_EQ(seen(open_mpi_4, {"mca_pml_cm.so", "mca_mtl_psm2.so"}).within, "cm (psm2)");
}

TEST(Transport, IsThatOfVariablesWhereComponentsAreNoFiles) {
  const std::vector<std::string> variables{"pml",
                                           "pml_base_verbose",
                                           "pml_ob1_priority",
                                           "pml_ucx_verbose",
                                           "btl_self_exclusivity",
                                           "btl_sm_exclusivity",
                                           "btl_vader_exclusivity",
                                           "btl_tcp_exclusivity",
                                           "btl_ofi_verbose",
                                           "mtl_ofi_priority"};
  const auto found = seen(open_mpi_5, {"libucp.so.0", "libfabric.so.1"}, variables);
  EXPECT_EQ(found.within, "ob1 (sm)");
  EXPECT_EQ(found.between, "ob1 (tcp)");
  EXPECT_EQ(seen(open_mpi_5, {}, {"pml_cm_priority", "mtl_ofi_priority"}).between, "cm (ofi)");
}

TEST(Transport, NamesWhatUsersChose) {
  const Environment tcp_only{{"UCX_TLS", "tcp"}, {"UCX_NET_DEVICES", "mlx5_0:1"}, {"FI_PROVIDER", "tcp"}};
  const auto ucx = seen(open_mpi_4, {"mca_pml_ucx.so"}, {}, tcp_only);
  EXPECT_EQ(ucx.within, "ucx (UCX_TLS=tcp)");
  EXPECT_EQ(ucx.between, "ucx (UCX_TLS=tcp; UCX_NET_DEVICES=mlx5_0:1)");
  EXPECT_EQ(seen(open_mpi_4, {"mca_pml_cm.so", "mca_mtl_ofi.so"}, {}, tcp_only).within,
            "cm (ofi; FI_PROVIDER=tcp)");
  const Environment interface {
    { "OMPI_MCA_btl_tcp_if_include", "ib0" }
  };
  const auto ob1 = seen(open_mpi_4, {"mca_pml_ob1.so", "mca_btl_tcp.so", "mca_btl_vader.so"}, {}, interface);
  EXPECT_EQ(ob1.within, "ob1 (vader)");
  EXPECT_EQ(ob1.between, "ob1 (tcp; OMPI_MCA_btl_tcp_if_include=ib0)");
}

TEST(Transport, OfMpichIsItsDevice) {
  const std::string mpich = "MPICH Version:\t4.0.2\nMPICH Device:\tch4:ofi\nMPICH configure: …";
  EXPECT_EQ(seen(mpich, {}).between, "ch4:ofi");
  EXPECT_EQ(seen(mpich, {}, {}, {{"FI_PROVIDER", "verbs"}}).between, "ch4:ofi (FI_PROVIDER=verbs)");
  EXPECT_EQ(seen("MVAPICH Version:\t3.0\nMVAPICH Device:\tch4:ucx\n", {}).within, "ch4:ucx");
  EXPECT_EQ(
      seen("Intel(R) MPI Library 2021.11", {"libfabric.so.1"}, {}, {{"I_MPI_FABRICS", "shm:ofi"}}).within,
      "ofi (I_MPI_FABRICS=shm:ofi)");
  EXPECT_EQ(seen("An MPI 1.0", {"libc.so.6"}).within, "");
}

// A made-up tree of the system's files.
class Place {
 public:
  Place()
      : root_(fs::temp_directory_path() /
              ("tutti-place-" + std::to_string(++count_) + "-" + std::to_string(getpid()))) {
    fs::create_directories(root_);
  }
  ~Place() { fs::remove_all(root_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  void has(const std::string& path, const std::string& text) const {
    const fs::path file = root_ / "sys" / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  void has_port(const std::string& device, const std::string& layer, const std::string& state,
                const std::string& rate) const {
    const std::string port = "class/infiniband/" + device + "/ports/1/";
    has(port + "link_layer", layer);
    has(port + "state", state);
    has(port + "rate", rate);
  }
  void has_interface(const std::string& name, const std::string& speed,
                     const std::string& state = "up") const {
    has("class/net/" + name + "/speed", speed);
    has("class/net/" + name + "/operstate", state);
    has("class/net/" + name + "/device/vendor", "0x8086");
  }
  std::string fabric() const { return local_fabric(root_.string()); }
  std::string binding(const std::vector<int>& processors) const {
    return local_binding(processors, root_.string());
  }
  std::optional<int> socket(const std::vector<int>& processors) const {
    return place(processors, HostPart::socket);
  }
  std::optional<int> place(const std::vector<int>& processors, HostPart part) const {
    return local_places(processors, root_.string())[part];
  }

 private:
  static inline int count_ = 0;
  fs::path root_;
};

TEST(Fabric, IsTheFastestNetworkThatIsUp) {
  const Place place;
  EXPECT_EQ(place.fabric(), "");
  place.has("class/net/lo/operstate", "unknown");
  EXPECT_EQ(place.fabric(), "");
  place.has("class/net/veth0/operstate", "up");
  EXPECT_EQ(place.fabric(), "virtual Ethernet");
  place.has_interface("eth0", "-1");
  EXPECT_EQ(place.fabric(), "Ethernet");
  place.has_interface("eth1", "10000");
  place.has_interface("eth2", "100000", "down");
  EXPECT_EQ(place.fabric(), "Ethernet 10 Gb/s");
  place.has_port("mlx5_0", "InfiniBand", "1: DOWN", "400 Gb/sec (4X NDR)");
  EXPECT_EQ(place.fabric(), "Ethernet 10 Gb/s");
  place.has_port("mlx5_1", "Ethernet", "4: ACTIVE", "25 Gb/sec (1X EDR)");
  EXPECT_EQ(place.fabric(), "RoCE 25 Gb/s");
  place.has_port("mlx5_2", "InfiniBand", "4: ACTIVE", "100 Gb/sec (4X EDR)");
  EXPECT_EQ(place.fabric(), "InfiniBand 100 Gb/s");
}

TEST(Fabric, NamesOtherKinds) {
  const Place omni, efa, slingshot, radio;
  omni.has_port("hfi1_0", "InfiniBand", "4: ACTIVE", "100 Gb/sec (4X EDR)");
  EXPECT_EQ(omni.fabric(), "Omni-Path 100 Gb/s");
  efa.has_port("efa_0", "Unspecified", "4: ACTIVE", "100 Gb/sec");
  EXPECT_EQ(efa.fabric(), "EFA 100 Gb/s");
  slingshot.has("class/cxi/cxi0/uevent", "");
  EXPECT_EQ(slingshot.fabric(), "Slingshot");
  radio.has_interface("wlan0", "1000");
  radio.has("class/net/wlan0/wireless/status", "");
  EXPECT_EQ(radio.fabric(), "");
}

TEST(Binding, IsWhatAProcessMayRunOn) {
  const Place place;  // two packages of two cores with two threads each
  EXPECT_EQ(place.binding({0}), "");
  place.has("devices/system/cpu/online", "0-7");
  place.has("devices/system/cpu/cpu2/topology/thread_siblings_list", "2,6");
  place.has("devices/system/cpu/cpu2/topology/core_siblings_list", "2-3,6-7");
  EXPECT_EQ(place.binding({0, 1, 2, 3, 4, 5, 6, 7}), "nothing");
  EXPECT_EQ(place.binding({2}), "core");
  EXPECT_EQ(place.binding({2, 6}), "core");
  EXPECT_EQ(place.binding({2, 3, 6, 7}), "package");
  EXPECT_EQ(place.binding({2, 3}), "2 processors");
  EXPECT_EQ(place.binding({}), "");
}

TEST(Socket, IsKnownWhereAProcessIsBoundToOne) {
  const Place place;  // two packages of two cores with two threads each
  EXPECT_EQ(place.socket({0}), std::nullopt);
  place.has("devices/system/cpu/cpu0/topology/core_siblings_list", "0-1,4-5");
  place.has("devices/system/cpu/cpu2/topology/core_siblings_list", "2-3,6-7");
  place.has("devices/system/cpu/cpu3/topology/core_siblings_list", "2-3,6-7");
  EXPECT_EQ(place.socket({0}), 0);
  EXPECT_EQ(place.socket({2}), 2);
  EXPECT_EQ(place.socket({3, 7}), 2);
  EXPECT_EQ(place.socket({0, 1, 4, 5}), 0);
  EXPECT_EQ(place.socket({0, 1, 2, 3, 4, 5, 6, 7}), std::nullopt) << "it is bound to nothing";
  EXPECT_EQ(place.socket({0, 2}), std::nullopt);
  EXPECT_EQ(place.socket({}), std::nullopt);
}

// Two NUMA domains, of which the second has two caches of two cores with two threads each, and one
// of memory alone.
TEST(PartsOfAHost, AreKnownWhereAProcessIsBoundToOne) {
  const Place place;
  EXPECT_EQ(place.place({0}, HostPart::numa), std::nullopt);
  EXPECT_EQ(place.place({0}, HostPart::cache), std::nullopt);
  place.has("devices/system/node/has_cpu", "0-1");
  place.has("devices/system/node/node0/cpulist", "0-3,8-11");
  place.has("devices/system/node/node1/cpulist", "4-7,12-15");
  place.has("devices/system/node/node2/cpulist", "");
  for (int processor = 0; processor < 16; ++processor) {
    const std::string cpu = "devices/system/cpu/cpu" + std::to_string(processor) + "/";
    const int core = processor % 8, cache = core / 2 * 2;
    const std::string threads = std::to_string(core) + "," + std::to_string(core + 8);
    place.has(cpu + "topology/thread_siblings_list", threads);
    place.has(cpu + "cache/index0/level", "1");
    place.has(cpu + "cache/index0/shared_cpu_list", threads);
    place.has(cpu + "cache/index1/level", "3");
    place.has(cpu + "cache/index1/shared_cpu_list", std::to_string(cache) + "-" + std::to_string(cache + 1) +
                                                        "," + std::to_string(cache + 8) + "-" +
                                                        std::to_string(cache + 9));
    place.has(cpu + "cache/index2/level", "2");
    place.has(cpu + "cache/index2/shared_cpu_list", threads);
  }
  EXPECT_EQ(place.place({6, 14}, HostPart::numa), 4);
  EXPECT_EQ(place.place({6, 14}, HostPart::cache), 6);
  EXPECT_EQ(place.place({2, 3, 10}, HostPart::cache), 2);
  EXPECT_EQ(place.place({2, 3, 4}, HostPart::numa), std::nullopt);
  EXPECT_EQ(place.place({0, 1, 2}, HostPart::numa), 0);
  EXPECT_EQ(place.place({0, 1, 2}, HostPart::cache), std::nullopt);
  EXPECT_EQ(place.place({6}, HostPart::socket), std::nullopt) << "nothing says which";
  for (const char* processor : {"5", "13"})
    place.has(std::string("devices/system/cpu/cpu") + processor + "/cache/index1/shared_cpu_list", "5,13");
  EXPECT_EQ(place.place({5}, HostPart::cache), std::nullopt) << "one core has it for itself";
}

}  // namespace
}  // namespace tutti
