// SPDX-License-Identifier: Apache-2.0
// Probe of tcgen05.mma and tensor memory: which cell has an element of D, and from which cells does the MMA read an
// element of A, a scale factor and a nibble of metadata? It covers every form: .ws, .sp, block-scaled, A in tensor
// memory, two CTAs.
//
//   tcgen05.mma.ws kind::f16 m64n128, D    A[m][0] is a code of m, B[n][0] one of n, all others are 0: each cell of D
//                                          shows its row and column and, with two CTAs, the CTA of each operand
//                                          D[63][64] is seen in lane 127, column 0
//   scale factors of A                     A has one k that is not 0, B and its scale factors are 1: D[m][n] is the
//                                          scale factor, and each byte of tensor memory is another power of two
//   metadata                               A is 1 and 2 in each chunk, B is the identity: D[m] shows which two of a
//                                          chunk are kept, and each nibble keeps others
//
// A number that is larger than one code is sent in digits, one launch (a pass) per digit (position_code.hpp). The open
// questions of arch/open_question.hpp that an MMA can answer are hypotheses of this probe.
//
// Values of an observation, by what is probed:
//   d          for each cell of each CTA, lane by lane: (row of A) * rows of B + row of B, both counted over the CTAs;
//              or untouched_cell
//   a          for each copy, row and k: the container of tensor memory (ProbedRegion::number)
//   container  for each of 256 patterns of a byte: the f32 that A then is
//   mn_major   for each row and k: the byte of the room of A in shared memory at which its 8-bit slot begins
//   scale_a    for each selected k, row and half of N: the byte of tensor memory
//   scale_b    for each selected k, 32nd row and column: the byte
//   metadata   for each copy, row and chunk: the nibble
//
// A of a sparse MMA has only its stored k. Scale factors may be probed with NaN in every byte that the MMA should not
// read (has_nan): one that it does read makes D unreadable.
//
// Quarters of the lanes with the same scale factors are not distinguished. For all but d, the place of D must be
// known: it is the data path of arch/tensor_memory.hpp, and for the disputed one, C, the one that D shows.
//
// Not run here: there was no Blackwell GPU. It is compiled for its targets and confirmed by simulation.
// Source: PTX ISA 9.1, 9.7.16.10; for the places src/tmem.
#pragma once

#include "probe/operand_probe.hpp"
#include "tmem/accumulator.hpp"
#include "tmem/metadata.hpp"
#include "tmem/scale_factor.hpp"

namespace swz {

// A and B have one type.
struct TmemMmaInstruction {
  MmaKind kind = MmaKind::f16;
  int m = 128, n = 128;
  std::string dtype = "f16", d_type = "f32";
  int cta_group = 1;
  bool ws = false, sparse = false, k96 = false;
  int vec = 0;                  // for a block-scaled kind
  std::string scale_type = "";  // for a block-scaled kind

  bool operator==(const TmemMmaInstruction&) const = default;

  const MmaKindRow& kind_row() const { return row_of(kind); }
  KSize k_size() const { return k96 ? KSize::k96 : KSize::usual; }
  int k() const { return k96 ? 96 : sparse ? kind_row().k_sparse : kind_row().k_dense; }
  int stored_k() const { return sparse ? k() / 2 : k(); }  // of A
  const DataPath& path() const { return require_data_path({m, cta_group, ws, sparse}); }
  Packing packing() const;
};

enum class TmemMmaAsk { d, a, container, mn_major, scale_a, scale_b, metadata };
constexpr std::string_view to_string(TmemMmaAsk ask) {
  return name_in({"d", "a", "container", "mn-major", "scale-a", "scale-b", "metadata"}, ask);
}

struct TmemMmaPlan {
  TmemMmaAsk ask = TmemMmaAsk::d;
  TmemMmaInstruction instruction;
  int id = 0;            // sf_id of the operand that is probed, or the sparsity selector
  int column = 0;        // of the address of scale factors or metadata, counted from a multiple of 8
  bool has_nan = false;  // scale factors that the MMA should not read are 0xFF

  bool operator==(const TmemMmaPlan&) const = default;

  bool is_scale() const { return ask == TmemMmaAsk::scale_a || ask == TmemMmaAsk::scale_b; }
  bool has_a_in_tmem() const { return ask == TmemMmaAsk::a || ask == TmemMmaAsk::container; }
  // An N that is certain only for A in shared memory.
  bool has_small_n_step() const { return has_a_in_tmem() && instruction.n % (16 * instruction.cta_group) != 0; }
  // Whether no document allows the plan, or one forbids it, so that the hardware may refuse it with an error. Such a
  // plan is run last, in its own kernel.
  bool is_risky() const;
};

inline constexpr std::int64_t untouched_cell = -2;

// Every plan of a target, bounded.
std::vector<TmemMmaPlan> tmem_mma_plans(const Target& target);

// ---- what is observed, in numbers

// The part of tensor memory that is probed, in units: containers, bytes or nibbles.
struct ProbedRegion {
  int first_column = 0, columns = 0;
  int unit_bits = 8;

  int units() const { return 32 / unit_bits; }  // units per cell
  std::int64_t size(int ctas) const { return std::int64_t{ctas} * tmem_lanes * columns * units(); }
  std::int64_t number(TmemCell cell, int unit) const {
    return ((std::int64_t{cell.cta} * tmem_lanes + cell.lane) * columns + cell.column) * units() + unit;
  }
};
ProbedRegion region_of(const TmemMmaPlan& plan);
// The k of A that a launch of a scale probe leaves nonzero: the first and the last of each factor.
std::vector<int> selected_k(const TmemMmaPlan& plan);

// ---- a probe

std::string to_string(const TmemMmaInstruction& instruction);
Kernel kernel_of(const TmemMmaPlan& plan);
// Requires that all plans have one kernel.
Launch launch_of(std::span<const TmemMmaPlan> plans, Hypothesis hypothesis = Hypothesis::none);
Observations decode(std::span<const TmemMmaPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const TmemMmaPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const TmemMmaPlan& plan);
std::string element_name(const TmemMmaPlan& plan, std::int64_t index);
std::string value_name(const TmemMmaPlan& plan, std::int64_t value);
Json to_json(const TmemMmaPlan& plan);
TmemMmaPlan tmem_mma_plan(const Json& json);

}  // namespace swz
