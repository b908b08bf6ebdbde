// SPDX-License-Identifier: Apache-2.0
// A program for gdb: an array that a kernel could have in shared memory, and the words about it. All of it is initialised,
// so that gdb reads it from the file and nothing has to run.
#include <array>
#include <cstdint>

// CuTe's descriptors are classes of 8 bytes.
struct Descriptor {
  std::uint64_t desc_;
};
struct alignas(64) TensorMap {
  std::uint64_t opaque[16];
};

// 64x64 of bf16, K-major; element i of the row-major order is i.
constexpr std::array<std::uint16_t, 64 * 64> tile_in(bool is_swizzled) {
  std::array<std::uint16_t, 64 * 64> all{};
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned k = 0; k < 64; ++k) {
      const unsigned byte = row * 128 + (k * 2 ^ (is_swizzled ? (row & 7) << 4 : 0));
      all[byte / 2] = static_cast<std::uint16_t>(row * 64 + k);
    }
  return all;
}

constinit std::array<std::uint16_t, 64 * 64> tile = tile_in(true), linear = tile_in(false);
Descriptor descriptor{0x4000004000010040};
std::uint64_t word = 0x4000004000010040;
std::uint32_t idesc = 0x08200490, low = 0x00010040, high = 0x40000040;
// What cuTensorMapEncodeTiled wrote for an array of 512x256 bf16 with the box {64, 64} in mode 128B.
TensorMap tensor_map{{0, 0x0000002000006510, 0, 0, 0x000001ff000000ff, 0, 0x3f00000000000000, 0x3f, 0x2000, 0x400}};
float scalar = 1;
std::uint8_t large[2 << 20] = {1};  // gdb shows the arguments of a template as the compiler wrote them

int main() {
  return static_cast<int>(tile[1] + linear[1] + descriptor.desc_ + word + idesc + low + high + large[0] +
                          tensor_map.opaque[0] + (scalar > 0 ? 1 : 0));
}
