// SPDX-License-Identifier: Apache-2.0
// Tensor memory (TMEM): its size, and where tcgen05.mma puts the accumulator D.
//
// A CTA has 128 lanes x 512 columns of 32 bits (sm_107: 576). An address is (lane << 16) | column.
//
//   lane 69, column 37    0x00450025
//
// D is in one of seven data paths, which depends on M, cta_group, .ws and whether A is sparse. r is the row inside the
// CTA, N is all columns of the MMA:
//
//   A 256 x N, two CTAs     B 128 x N, two CTAs         F 64 x N
//   lane r, column n        lane r      n < N/2         lane 32 * (r / 16) + r % 16, column n
//                           lane r + 64 otherwise,
//                           column n % (N/2)
//
//   B, M 128, N 256: D[100][200] is row 36 of CTA 1 (128 / 2 rows each), in the second half of N:
//   lane 36 + 64 = 100, column 200 - 128 = 72
//
// A row of the table gives this in two numbers: the number of parts into which N is cut, which are below each other in
// the lanes, and whether the rows are scattered, 16 in each quarter of 32 lanes.
//
// tcgen05.ld and tcgen05.st move a window of it: 16 or 32 lanes of the warp's quarter, and N times the columns of the
// shape (fragment/tmem_access.hpp tells which register holds which cell). tcgen05.cp fills it from shared memory: row r
// of the source goes to lane r % run + stride * (r / run), and to as many more lanes as its multicast requires:
//
//   64x128b.warpx2::01_23    row 40: lane 40 % 32 + 64 * 1 = 72, and 32 lanes further, 104
//
// Invariants (tested): a query that tcgen05.mma accepts fits one row; rows * parts is 128, or 64 if rows are scattered.
// Source: PTX ISA 9.1, 9.7.16.8 to 9.7.16.10; CUTLASS 4.7, whose answers the formulas equal. If others ran it on a
// B200, the row names their test. Not measured: no Blackwell GPU was available.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "arch/instruction.hpp"
#include "base/finding.hpp"

namespace swz {

inline constexpr int tmem_lanes = 128, tmem_columns = 512;
// Those of sm_107, of which tcgen05.alloc.exclusive can have all and tcgen05.alloc at most 512.
inline constexpr int most_tmem_columns = 576;
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
  int parts = 1;              // parts of N, below each other in the lanes
  bool is_scattered = false;  // 16 rows in each quarter of the lanes
  Source source;              // of D
  Source a_source;            // of A in tensor memory; `where` is empty if there is none

  constexpr int rows() const { return m / cta_group; }  // rows of each CTA
};

std::span<const DataPath> data_paths();

struct DataPathQuery {
  int m = 128;
  int cta_group = 1;
  bool ws = false;
  bool sparse = false;
};
// The data path of an MMA, or null if tcgen05.mma has no such M.
const DataPath* find_data_path(const DataPathQuery& query);
// As find_data_path, but throws the Error of arch/mma_choice.hpp.
const DataPath& require_data_path(const DataPathQuery& query);

// For D of f16: the whole cell is written, with zeros in bits 16-31; as an addend only bits 0-15 are read.
inline constexpr Source cell_of_16_bits{
    "TIRx-harness test_tcgen05_mma_forms (0x00006408), and its comment: a B200 leaves 0x00004c40 over 0xbeef3c00",
    Evidence::reported};

// ---- tcgen05.ld, tcgen05.st

// The shape for .x1: registers of each thread, columns of the window. 16x32bx2 has two runs of columns, one for each
// half of the warp.
struct TmemShape {
  std::string_view name;  // "16x256b"
  int lanes = 32;
  int registers = 1, columns = 1;
  int most = 128;        // the largest N of .xN
  bool reduces = false;  // whether tcgen05.ld.red accepts it
  Source source;
};
std::span<const TmemShape> tmem_shapes();

// tcgen05.ld.red: the smallest N, the targets and the source.
inline constexpr int least_reduced = 2;
inline constexpr Availability reducing_targets{0, {"sm_103a", "sm_103f", "sm_107a", "sm_107f", "sm_110a", "sm_110f"}};
inline constexpr Source reduced{"PTX ISA 9.1, 9.7.16.8.3"};

// ---- tcgen05.cp

struct TmemCopy {
  std::string_view name;       // "64x128b"
  std::string_view multicast;  // "warpx2::01_23"; empty for none
  int rows = 128, bits = 128;  // rows of the source, bits of each
  int run = 128, stride = 0;   // rows in neighbouring lanes, lanes from one run to the next
  int times = 1, apart = 0;    // copies, lanes between them
  Source source;

  constexpr int columns() const { return bits / 32; }
  constexpr int lane(int row, int time = 0) const { return row % run + stride * (row / run) + apart * time; }
  // The row that goes to a lane, or -1 for none.
  constexpr int row(int of_lane) const {
    for (int r = 0; r < rows; ++r)
      for (int time = 0; time < times; ++time)
        if (lane(r, time) == of_lane) return r;
    return -1;
  }
};
std::span<const TmemCopy> tmem_copies();
// "64x128b.warpx2::01_23"
std::string full_name(const TmemCopy& copy);
// The copy with this name. Throws Error with the nearest name and the list; for a shape that needs a multicast the
// error names it.
const TmemCopy& require_tmem_copy(std::string_view name);

}  // namespace swz
