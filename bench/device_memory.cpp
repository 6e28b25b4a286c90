// The memory of a real device under the names by which tests/mpi/device.cpp knows that of a
// stand-in.

#include "device_memory.hpp"

extern "C" {

void* stand_in_allocate(std::size_t bytes) {
  return DeviceMemory::find()->allocate(bytes);
}
void stand_in_free(void* address) {
  DeviceMemory::find()->release(address);
}
void stand_in_copy(void* into, const void* from, std::size_t bytes) {
  DeviceMemory::find()->copy(into, from, bytes);
}
}
