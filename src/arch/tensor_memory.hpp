// Tensor memory (TMEM): its size, and where tcgen05.mma puts the accumulator D.
//
// A CTA has 128 lanes x 512 columns of 32 bits. An address is (lane << 16) | column.
//
//   lane 69, column 37    0x00450025
//
// D lies in one of seven data paths, by M, cta_group, .ws and whether A is sparse. r is the row inside the CTA,
// N all columns of the MMA:
//
//   A 256 x N, two CTAs     B 128 x N, two CTAs         F 64 x N
//   lane r, column n        lane r      n < N/2         lane 32 * (r / 16) + r % 16, column n
//                           lane r + 64 otherwise,
//                           column n % (N/2)
//
//   B, M 128, N 256: D[100][200] is row 36 of CTA 1 (128 / 2 rows each), in the second half of N:
//   lane 36 + 64 = 100, column 200 - 128 = 72
//
// A row says it in two numbers: into how many parts N is cut, which lie below each other in the lanes, and whether the
// rows are scattered, 16 in each quarter of 32 lanes.
//
// Invariants (tested): a query that tcgen05.mma has fits one row; rows * parts is 128, or 64 where rows are scattered.
// Source: PTX ISA 9.1, 9.7.16.10.5; CUTLASS 4.7 tmem_frg, whose answers the formulas equal. Not measured: no Blackwell
// was at hand.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "arch/instruction.hpp"
#include "base/finding.hpp"

namespace swz {

inline constexpr int tmem_lanes = 128, tmem_columns = 512;
inline constexpr int tmem_quarter = 32;  // lanes that one warp of a warpgroup reaches

constexpr std::uint32_t tmem_address(int lane, int column) {
  return static_cast<std::uint32_t>(lane) << 16 | static_cast<std::uint32_t>(column);
}

enum class WarpSpecialized { no, yes, either };

struct DataPath {
  std::string_view name;  // "A" to "G"
  int m = 0;
  int cta_group = 1;
  WarpSpecialized ws = WarpSpecialized::no;
  Sparsity sparsity = Sparsity::either;
  int parts = 1;              // of N, below each other in the lanes
  bool is_scattered = false;  // 16 rows in each quarter of the lanes
  Source source;

  constexpr int rows() const { return m / cta_group; }  // of each CTA
};

std::span<const DataPath> data_paths();

struct DataPathQuery {
  int m = 128;
  int cta_group = 1;
  bool ws = false;
  bool sparse = false;
};
// Null: tcgen05.mma has no such M.
const DataPath* find_data_path(const DataPathQuery& query);
// As find_data_path; throws Error that names the M that there are.
const DataPath& require_data_path(const DataPathQuery& query);

}  // namespace swz
