// SPDX-License-Identifier: Apache-2.0
#include "probe/observation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "arch/mistake.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

std::uint64_t digest(const Observation& observation) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::int64_t value : observation) {
    for (int byte = 0; byte < 8; ++byte) {
      hash ^= (static_cast<std::uint64_t>(value) >> (8 * byte)) & 0xff;
      hash *= 0x100000001b3;
    }
  }
  return hash;
}

Mismatch compare(const Observation& expected, const Observation& observed) {
  const auto value_at = [](const Observation& values, std::size_t i) {
    return i < values.size() ? std::optional(values[i]) : std::nullopt;
  };
  const std::size_t longest = std::max(expected.size(), observed.size());
  Mismatch out;
  out.of = static_cast<std::int64_t>(longest);
  for (std::size_t i = 0; i < longest; ++i) {
    const auto one = value_at(expected, i), other = value_at(observed, i);
    if (one == other || out.differing++ != 0) continue;
    out.first = static_cast<std::int64_t>(i);
    out.expected = one.value_or(-1);
    out.observed = other.value_or(-1);
  }
  return out;
}

namespace {

using enum Hypothesis;

// In the order of the enum.
constexpr HypothesisRow hypothesis_rows[] = {
    {none, "none", "the model of swz"},
    {strides_swapped, mistake::strides_exchanged, "LBO and SBO are swapped"},
    {base_offset_added, "base-offset-added", "the base offset is added instead of subtracted"},
    {mask_off_by_one, "mask-off-by-one", "the swizzle mask is one too small"},
    {relative_xor, mistake::relative_swizzle, "the XOR counts lines from the start address, not from address 0"},
    {wrong_fragment, "wrong-fragment", "two steps of the fragment are exchanged"},
    {wrong_identity, "wrong-identity", "one element of the identity operand is wrong"},
    {documented_rules, "documented-rules", "the driver refuses what cuda.h says it refuses, no more and no less"},
    {rows_packed, "rows-packed", "rows of a box lie without gaps"},
    {no_pairing, "no-pairing", "lanes never pair"},
    {stores_pair, "stores-pair", "stores of 8 and 16 bytes pair as loads do"},
    {pairs_at_any_distance, "pairs-at-any-distance", "lanes pair at the distances 4, 8 and 16 too"},
    {pairs_by_group, "pairs-by-group", "two groups pair without regard to the others of the warp"},
    {idle_lanes_disagree, "idle-lanes-disagree", "no lanes pair when one has an inactive partner"},
    {groups_of_32, "groups-of-32", "the whole warp is one group whatever the width"},
    {no_broadcast, "no-broadcast", "lanes that touch the same word collide"},
    {one_stride_off, "one-stride-off", "the largest stride of the layout is one too small"},
    {wrong_swizzle, "wrong-swizzle",
     "the layout's swizzle has one bit less; a layout without one is swizzled by Sw<1,4,3>"},
    {lanes_off_by_16, "lanes-off-by-16", "the two groups of 16 lanes in each quarter of tensor memory are exchanged"},
    {packed_halves_exchanged, "packed-halves-exchanged",
     "bits 0-15 of a packed register are those of the second column"},
    {pack_ignored, "pack-ignored", "pack::16b and unpack::16b move whole columns"},
    {split_in_registers, "split-in-registers",
     "the split offset of 16x32bx2 counts registers, when packed two columns"},
    {lane_bits_obeyed, "lane-bits-obeyed", "tcgen05.ld and st take the warp's bits of the lane from the address"},
    {upper_cleared, "upper-cleared", "tcgen05.st.unpack::16b clears bits 16-31 of the columns"},
    {multicast_exchanged, "multicast-exchanged", "warpx2::02_13 and warpx2::01_23 are exchanged"},
    {copied_from_issuer, "copied-from-issuer", "tcgen05.cp of a pair copies the issuing CTA's memory to both"},
    {nibbles_exchanged, "nibbles-exchanged", "the first of two 4-bit elements is the upper half of its byte"},
    {container_elsewhere, "container-elsewhere", "6 bits lie in bits 6-1 of their byte, 4 bits in bits 3-0"},
    {shift_of_one_quarter, "shift-of-one-quarter", "tcgen05.shift moves the 32 lanes of its address alone"},
    {shift_upwards, "shift-upwards", "tcgen05.shift moves lane i to lane i + 1"},
    {shift_across_quarters, "shift-across-quarters", "tcgen05.shift moves lane 32 to lane 31, too"},
    {shift_of_aligned_columns, "shift-of-aligned-columns",
     "tcgen05.shift takes the column of its address as a multiple of 8"},
    {padding_counted, "padding-counted", "the mbarrier counts padded elements with their padding"},
    {outside_not_counted, "outside-not-counted",
     "the mbarrier does not count the part of a box that is outside the tensor"},
    {halves_exchanged, "halves-exchanged", "the parts of N, below each other in the lanes, are in reverse order"},
    {quarters_of_n, "quarters-of-n", "where the lanes hold two halves of N, they hold its quarters in turn"},
    {b_in_each_cta, "b-in-each-cta", "each CTA of a pair reads all of B from its own shared memory"},
    {k_halves_exchanged, "k-halves-exchanged", "the two halves of K are exchanged in tensor memory"},
    {one_copy, "one-copy", "the lanes of the first part of N hold A, or its metadata, for all parts"},
    {a_in_lanes_0_63, "a-in-lanes-0-63", "64 rows of A in tensor memory lie in lanes 0-63, not where D does"},
    {pair_halves, "pair-halves", "D of sparse M 128 with two CTAs lies as that of dense: layout B instead of C"},
    {k_major_alone, "k-major-alone", "elements of 4 and 6 bits are read K-major, whatever the transpose bit says"},
    {sf_id_off_by_one, "sf-id-off-by-one", "the scale factors begin one byte further than sf_id says"},
    {scale_b_warpx4, "scale-b-warpx4", "SFB of M 128 with two CTAs lies as that of one: four copies of all N"},
    {scale_b_rounded_halves, "scale-b-rounded-halves",
     "SFB of M 128 with two CTAs is cut at half of N rounded up to 128, not at N/2"},
    {scale_a_by_pair_row, "scale-a-by-pair-row",
     "SFA of M 128 with two CTAs: row m of both CTAs is in column m / 32, not row m % 64"},
    {scale_columns_by_4, "scale-columns-by-4", "the column of scale factors is rounded down to a multiple of 4"},
    {scale_columns_by_2, "scale-columns-by-2", "the column of scale factors is rounded down to a multiple of 2"},
    {k96_even_ids, "k96-even-ids", "sf_id of K 96 is 0 or 2: an odd one is rounded down"},
    {metadata_in_lanes_0_63, "metadata-in-lanes-0-63", "metadata of 64 rows lies in lanes 0-63, not where D does"},
    {metadata_from_top, "metadata-from-top", "the nibbles of a word of metadata count from its top"},
    {selector_of_four, "selector-of-four", "sparsity selectors 2 and 3 name the third and fourth column"},
    {metadata_columns_by_4, "metadata-columns-by-4", "the column of metadata is rounded down to a multiple of 4"},
    {metadata_columns_by_2, "metadata-columns-by-2", "the column of metadata is rounded down to a multiple of 2"},
    {a_n_step_16, "a-n-step-16", "with A in tensor memory, N is rounded down to a multiple of 16, with two CTAs of 32"},
    {scale_b_by_32_rows, "scale-b-by-32-rows",
     "a NaN among the 32 rows of SFB that share a column reaches D, though its row is not below N"},
    {scale_words_whole, "scale-words-whole",
     "a NaN in a byte of a word of scale factors reaches D, though another byte is read"},
    {ptx_swizzles, "ptx-swizzles", "the driver takes 128B_ATOM_64B for padded elements of 4 bits, too"},
    {reduced_over_both_halves, "reduced-over-both-halves",
     "tcgen05.ld.red.16x32bx2 gives the least or largest of both halves of a lane to both of its threads"},
    {offset_off_by_one, "offset-off-by-one",
     "the first offset of an im2col load is one larger, or one smaller than 2^n"},
    {offsets_turn, "offsets-turn", "the offsets of an im2col load move its start, and with it where the walk turns"},
    {turns_to_start, "turns-to-start", "the walk of an im2col load turns to its start instead of to the lower corner"},
    {slices_of_elements, "slices-of-elements", "dimension 0 of an interleaved box counts elements instead of slices"},
    {rows_at_span, "rows-at-span", "rows of an interleaved box are as far apart as the span of the swizzle"},
    {read_linear, "read-linear", "a store or a reduction reads shared memory without the swizzle"},
    {rows_end_at_element, "rows-end-at-element",
     "a store or a reduction ends a row with the last element of the tensor"},
    {rank_y_first, "rank-y-first", "the rank of a CTA counts y before x"},
    {mapa_keeps_rank, "mapa-keeps-rank", "mapa ORs the bits of the rank into those of the address"},
    {issuer_receives, "issuer-receives", "the CTA that issues a multicast load receives it, named or not"},
    {other_operand_mask, "other-operand-mask", "slices have the multicast mask of the other operand"},
    {slices_by_rows, "slices-by-rows", "the offset of a slice counts rows instead of bytes"},
    {own_slice_counted, "own-slice-counted", "a barrier counts only the bytes that its own CTA loads"},
};

}  // namespace

std::span<const HypothesisRow> hypotheses() { return std::span(hypothesis_rows).subspan(1); }

const HypothesisRow& row_of(Hypothesis hypothesis) { return hypothesis_rows[static_cast<std::size_t>(hypothesis)]; }

Hypothesis require_hypothesis(std::string_view name) {
  std::vector<std::string> names;
  for (const HypothesisRow& row : hypotheses()) {
    if (row.name == name) return row.hypothesis;
    names.emplace_back(row.name);
  }
  throw Error(fmt::format("unknown hypothesis {}", quoted(name)),
              did_you_mean(name, names, fmt::format("known: {}", fmt::join(names, ", "))));
}

}  // namespace swz
