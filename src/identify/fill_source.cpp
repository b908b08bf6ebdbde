// SPDX-License-Identifier: Apache-2.0
#include "identify/fill_source.hpp"

#include <fmt/format.h>

namespace swz {

std::string fill_source(const ElementType& type, TileExtents extents) {
  const int bits = type.value_bits(), passes = code_passes(type, extents);
  return fmt::format(
      R"(// {dtype} {tile}: swz_passes codes of {bits} bits distinguish all elements.
//
// For each pass: write swz_code(row, k, pass) as the bits of element (row, k) into the tensor, or into the registers,
// that your code copies to shared memory; run that code; then swz_dump the shared memory after the dump of the pass
// before. The file that swz_write makes of it is read by
//
//   swz identify dump.bin --dtype {dtype} --tile {tile} --expect codes
//
// Elements narrower than a byte: their bits in sequence, the first in the low bits.

constexpr int swz_passes = {passes};

__host__ __device__ inline unsigned long long swz_code(long long row, long long k, int pass) {{
  const unsigned long long element = static_cast<unsigned long long>(row * {k} + k);
  const int shift = pass * {bits};
  return shift >= 64 ? 0 : element >> shift & {mask:#x}ull;
}}

// By all threads of the block, after the barrier that follows the copy. `smem` is a multiple of 1,024 B, and the first byte that
// is dumped; `out` has swz_passes * bytes.
__device__ inline void swz_dump(const void* smem, unsigned bytes, int pass, unsigned char* out) {{
  const unsigned char* from = static_cast<const unsigned char*>(smem);
  for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x)
    out[static_cast<unsigned long long>(pass) * bytes + i] = from[i];
}}

#ifndef __CUDACC_RTC__
#include <cstdio>
#include <vector>

// On the host: from device memory into a file.
inline bool swz_write(const unsigned char* device, unsigned bytes, const char* path) {{
  std::vector<unsigned char> all(static_cast<std::size_t>(swz_passes) * bytes);
  if (cudaMemcpy(all.data(), device, all.size(), cudaMemcpyDeviceToHost) != cudaSuccess) return false;
  std::FILE* file = std::fopen(path, "wb");
  if (file == nullptr) return false;
  const bool is_whole = std::fwrite(all.data(), 1, all.size(), file) == all.size();
  return std::fclose(file) == 0 && is_whole;
}}
#endif
)",
      fmt::arg("dtype", type.dtype->name), fmt::arg("tile", to_string(extents)),
      fmt::arg("passes", passes == 1 ? "1" : fmt::format("{}", passes)), fmt::arg("bits", bits),
      fmt::arg("k", extents.k), fmt::arg("mask", bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1));
}

}  // namespace swz
