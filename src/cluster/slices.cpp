// SPDX-License-Identifier: Apache-2.0
#include "cluster/slices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace swz {

namespace {

constexpr Source cute{"CuTe, make_tma_copy_desc", Evidence::header};
constexpr Source address_rule{"PTX ISA 9.3, 5.5: the shared memory address of a tensor copy"};

// "1, 2 and 4": the numbers of CTAs that can share the tile.
std::string sharers_text(const TilePlan& whole) {
  std::vector<std::string> words{"1"};
  for (const int legal : legal_sharers(whole, 16)) words.push_back(std::to_string(legal));
  return words.size() == 1 ? "no CTAs can share it" : fmt::format("{} CTAs can share it", join_and(words));
}

Finding refusal(std::string_view rule, std::string message, const TilePlan& whole, const Source& source) {
  return lint(rule, std::move(message), sharers_text(whole) + "; another mode or major has other boxes",
              to_string(source));
}

// Divides the box of the map; false if a dimension and the rest of the CTAs do not divide each other.
bool divide_box(TensorMap& map, int sharers) {
  auto rest = static_cast<std::uint64_t>(sharers);
  for (int d = map.dim_count() - 1; d >= 0 && rest > 1; --d) {
    std::uint64_t& box = map.box[static_cast<std::size_t>(d)];
    if (box % rest == 0) {
      box /= rest;
      rest = 1;
    } else if (rest % box == 0) {
      rest /= box;
      box = 1;
    } else {
      return false;
    }
  }
  return rest == 1;
}

std::string box_text(const TensorMap& map) {
  return fmt::format("({})", fmt::join(map.box.begin(), map.box.begin() + map.dim_count(), ", "));
}

Bytes copied_bytes(const TensorMap& map) {
  const BoxPlacement placement(map, Bytes{0});
  return placement.allocate();
}

// The division and why it is not legal, without the text of the way out.
struct Division {
  TensorMap map;
  Bytes whole, slice;
  bool is_divided = false;
};

Division division_of(const TilePlan& whole, int sharers) {
  Division out{whole.map, copied_bytes(whole.map), {}, false};
  out.is_divided = divide_box(out.map, sharers);
  if (out.is_divided) out.slice = Bytes{out.whole.count / sharers};
  return out;
}

bool is_legal(const Division& d) { return d.is_divided && d.slice.is_multiple_of(tma_smem_alignment); }

}  // namespace

std::vector<TileCopy> SlicedPlan::copies_of(int index) const {
  std::vector<TileCopy> copies = whole.copies;
  for (TileCopy& copy : copies) {
    copy.smem_offset.count += index * slice().count;
    // The number of the slice's first element in the whole box, dimension by dimension. The divided box begins there.
    auto number = static_cast<std::uint64_t>(index);
    std::uint64_t elements = 1;
    for (int d = 0; d < map.dim_count(); ++d) elements *= map.box[static_cast<std::size_t>(d)];
    number *= elements;
    for (std::size_t d = 0; d < static_cast<std::size_t>(map.dim_count()); ++d) {
      copy.coordinate[d] += static_cast<std::int64_t>(number % whole.map.box[d]);
      number /= whole.map.box[d];
    }
  }
  return copies;
}

std::vector<int> legal_sharers(const TilePlan& whole, int most) {
  std::vector<int> legal;
  for (int sharers = 2; sharers <= most; ++sharers)
    if (is_legal(division_of(whole, sharers))) legal.push_back(sharers);
  return legal;
}

std::variant<SlicedPlan, Finding> slice_plan(const TilePlan& whole, int sharers) {
  const Division d = division_of(whole, sharers);
  if (!d.is_divided)
    return refusal(
        "slice-division",
        fmt::format("{} CTAs cannot divide a box of {}: neither divides the other", sharers, box_text(whole.map)),
        whole, cute);
  if (!d.slice.is_multiple_of(tma_smem_alignment))
    return refusal("slice-128",
                   fmt::format("{} CTAs would load {} B each of a box of {} B: a slice begins at a multiple of 128 B",
                               sharers, d.slice.count, d.whole.count),
                   whole, address_rule);
  const Bytes pattern = std::max(tma_smem_alignment, find_row(whole.map.swizzle)->pattern());
  return SlicedPlan{whole, sharers, d.whole, d.map, pattern};
}

}  // namespace swz
