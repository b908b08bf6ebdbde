// SPDX-License-Identifier: Apache-2.0
// Observation: what a probe observed, one number per element, and its comparison with what a model predicts.
//
//   wgmma, ldmatrix, TMA: the place from which the element came (in bits or bytes; the plan decides)
//   wavefronts:           one number, the count
//   tensor maps:          accepted or not, then the 16 words
//
// A recording keeps the digest of most observations: a model that predicts something else has another digest.
//
// Hypotheses are models other than that of swz, each one mistake away from it. They have two uses. If an observation
// differs, the hypothesis that explains every element is named. And a probe that cannot fail proves nothing: run with a
// hypothesis in place of the model (`swz verify --planted NAME`), the suite must report mismatches.
//
// Invariant (tested): each hypothesis is caught, by simulation and on a GPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace swz {

// The value of an element that shows no place.
inline constexpr std::int64_t unreadable = -1;

using Observation = std::vector<std::int64_t>;
using Observations = std::vector<Observation>;

// FNV-1a over the values, 64 bits.
std::uint64_t digest(const Observation& observation);

struct Mismatch {
  std::int64_t differing = 0, of = 0;
  std::int64_t first = 0;  // index of the first difference
  std::int64_t expected = 0, observed = 0;

  bool is_same() const { return differing == 0; }
};
// Observations of different length differ from the end of the shorter one on.
Mismatch compare(const Observation& expected, const Observation& observed);

enum class Hypothesis {
  none,  // swz's own model
  strides_swapped,
  base_offset_added,
  mask_off_by_one,
  relative_xor,
  wrong_fragment,
  wrong_identity,
  // For tensor maps and loads.
  documented_rules,
  rows_packed,
  // For wavefronts.
  no_pairing,
  stores_pair,
  pairs_at_any_distance,
  pairs_by_group,
  idle_lanes_disagree,
  groups_of_32,
  no_broadcast,
  // For layouts.
  one_stride_off,
  wrong_swizzle,
  // For tensor memory: ld, st, cp, shift.
  lanes_off_by_16,
  packed_halves_exchanged,
  pack_ignored,
  split_in_registers,
  lane_bits_obeyed,
  upper_cleared,
  multicast_exchanged,
  copied_from_issuer,
  nibbles_exchanged,
  container_elsewhere,
  shift_of_one_quarter,
  shift_upwards,
  shift_across_quarters,
  shift_of_aligned_columns,
  padding_counted,
  outside_not_counted,
  // For tensor memory: what tcgen05.mma reads and writes.
  halves_exchanged,
  quarters_of_n,
  b_in_each_cta,
  k_halves_exchanged,
  one_copy,
  a_in_lanes_0_63,
  pair_halves,
  k_major_alone,
  sf_id_off_by_one,
  scale_b_warpx4,
  scale_b_rounded_halves,
  scale_a_by_pair_row,
  scale_columns_by_4,
  scale_columns_by_2,
  k96_even_ids,
  metadata_in_lanes_0_63,
  metadata_from_top,
  selector_of_four,
  metadata_columns_by_4,
  metadata_columns_by_2,
  a_n_step_16,
  scale_b_by_32_rows,
  scale_words_whole,
  // For padded elements, again.
  ptx_swizzles,
  // For tcgen05.ld.red.
  reduced_over_both_halves,
  // For im2col, interleave and reductions.
  offset_off_by_one,
  offsets_turn,
  turns_to_start,
  slices_of_elements,
  rows_at_span,
  read_linear,
  rows_end_at_element,
  // For clusters.
  rank_y_first,
  mapa_keeps_rank,
  issuer_receives,
  other_operand_mask,
  slices_by_rows,
  own_slice_counted,
};

struct HypothesisRow {
  Hypothesis hypothesis;
  std::string_view name;
  std::string_view what;  // "LBO and SBO are swapped"
};

// All hypotheses except none.
std::span<const HypothesisRow> hypotheses();
const HypothesisRow& row_of(Hypothesis hypothesis);
// Throws Error with the nearest name and the list.
Hypothesis require_hypothesis(std::string_view name);

}  // namespace swz
