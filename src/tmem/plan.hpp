// SPDX-License-Identifier: Apache-2.0
// Plan of tensor memory: the columns that the accumulators, A, the scale factors and the metadata of a kernel need, the
// allocation that contains them, and the nearest plan that fits.
//
//   mxf8f6f4, M 128, N 256, K 128, 2 accumulators
//     D    2 x 256            columns   0-511
//     SFA  4 x ceil(4 / 4)    columns 512-515
//     SFB  8 x ceil(4 / 4)    columns 516-523      524 of 512 columns: it does not fit
//     nearest: N 248          2 x 248 + 4 + 8 = 508 columns, an allocation of 512
//   mxf4nvf4, vec 16, K 128 an MMA (sm_107), 4 of them: SFA 4 x 32 / 4 columns; in 128 lanes 1 x 32 / 4
//
// A need belongs to one object: its columns per stage, the distance between two stages, and the number of which its
// first column must be a multiple. A plan places the needs one after another, or uses the regions that a kernel has.
// Stages of a half-used data path (F and C: 16 of 32 lanes) may share columns, two by two (CuTe: Interleaved).
//
// Invariants (tested over every kind, M and N and many stages): planned regions do not share a cell and begin where
// their object may; the allocation is the smallest power of two in 32..512 that contains them (with
// alloc.exclusive the smallest multiple of 32, up to 576 on sm_107); an alternative fits,
// and no nearer value of its option does. Source: PTX ISA 9.1, 9.7.16.7.1, and 9.4, 9.7.18.7 (allocation);
// accumulator.hpp,
// operand_a.hpp, scale_factor.hpp, metadata.hpp. Scales and metadata begin at multiples of 4 columns, as in CUTLASS;
// others ran multiples of 2 (open: scale-columns). Not measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/mma_choice.hpp"
#include "arch/tensor_memory.hpp"
#include "tmem/scale_factor.hpp"

namespace swz {

enum class TmemObject { d, a, sfa, sfb, metadata };
constexpr std::string_view to_string(TmemObject object) {
  return name_in({"D", "A", "SFA", "SFB", "metadata"}, object);
}

// What a kernel keeps in tensor memory. The k of a tile counts logical elements.
struct TmemRequest {
  const Target* target = &sm_100a();  // has tensor memory
  bool exclusive = false;             // tcgen05.alloc.exclusive: the CTA's only allocation, of any multiple of 32
  MmaKind kind = MmaKind::f16;
  DataPathQuery shape;
  int n = 256, k = 0;
  std::string_view dtype = "f16";        // element type of A
  int stages = 1;                        // number of accumulators
  std::optional<bool> interleaved = {};  // for a half-used data path; nothing: as CuTe does
  bool a_in_tmem = false;
  int a_stages = 1;
  const ScaleKind* scales = nullptr;  // for block-scaled kinds
  bool sfa_in_128_lanes = false;      // of sm_107: each row's factors in a lane of their own
  int scale_stages = 1, metadata_stages = 1;
  int ctas_per_sm = 1;
  std::optional<int> allocated = {};  // columns that the kernel allocates; nothing: the fewest for the plan
};

// The k of one MMA, and the number of MMAs in a tile.
int mma_k(const TmemRequest& request);
int mmas(const TmemRequest& request);
bool is_interleaved(const TmemRequest& request);
MmaChoice choice_of(const TmemRequest& request);
// Throws Error for a shape that tcgen05.mma does not have, and for a k that is not a whole number of MMAs.
void require_shape(const TmemRequest& request);

struct TmemNeed {
  TmemObject object = TmemObject::d;
  int stages = 1;
  int columns = 0;           // per stage
  int pitch = 0;             // columns from one stage to the next
  int alignment = 1;         // the first column is a multiple of it
  int lanes = tmem_quarter;  // lanes that it takes of each quarter
  int side_by_side = 1;      // stages in the same columns, 16 lanes apart

  int total() const { return (stages - 1) / side_by_side * pitch + columns; }
};
std::vector<TmemNeed> tmem_needs(const TmemRequest& request);
// How the columns of one stage are computed: "N / 2", "4 for every 4 of 16 factors".
std::string formula_of(const TmemRequest& request, TmemObject object);

// A region that a kernel has: "D0=0+256", "SFA=256+16", "P0=64+64", "D1=0+64@16" (lanes from 16 of each quarter on).
struct GivenRegion {
  std::string name;
  int first = 0, count = 0, lane = 0;
};

struct TmemRegion {
  std::string name;
  std::optional<TmemObject> object = {};  // nothing if the kernel chose the name
  int stages = 1, columns = 0;            // columns per stage
  int first = 0, count = 0;               // columns of all stages together
  int lane = 0, lanes = tmem_quarter;     // in each quarter
  std::string formula = {};

  int end() const { return first + count; }
  std::int64_t bytes() const { return std::int64_t{count} * lanes * (tmem_lanes / tmem_quarter) * 4; }
};
bool share_cells(const TmemRegion& a, const TmemRegion& b);

struct TmemPlan {
  std::vector<TmemRegion> regions;
  int columns = 0;                // one past the last region
  std::optional<int> allocation;  // nothing if there are not enough columns
  bool fits = false;              // in its allocation, and as many times in one SM as the kernel requires
};
TmemPlan plan_tmem(const TmemRequest& request);
// The plan with given regions. Throws Error for a name that is given twice, a stage that does not exist, and lanes
// that the data path does not have.
TmemPlan plan_tmem(const TmemRequest& request, const std::vector<GivenRegion>& given);

// The columns that one allocation can have: 512, or all of the target.
int most_columns(const TmemRequest& request);
// The smallest allocation that is not below `columns`: a power of two in 32..512; with alloc.exclusive a multiple of 32.
std::optional<int> least_allocation(const TmemRequest& request, int columns);

// One option with another value. For --a-in, 1 is tmem; for --stacking, 1 is interleaved.
struct TmemChange {
  std::string_view option;
  int from = 0, to = 0;
};
struct TmemAlternative {
  std::vector<TmemChange> changes;
  TmemPlan plan;
};
// For a plan that does not fit: for each option its nearest value that makes it fit; if no single option does, the
// values of each pair of options that keep most columns. The alternative that keeps most columns comes first.
std::vector<TmemAlternative> nearest_plans(const TmemRequest& request);

}  // namespace swz
