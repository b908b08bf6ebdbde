// SPDX-License-Identifier: Apache-2.0
// What the commands of tensor memory share: two numbers, and a point in tensor memory.
//
//   --at 100,200      --cell 8,94,2      lane 8, column 94, byte (or bit) 2
#pragma once

#include "option.hpp"
#include "scale/scale_layout.hpp"
#include "view/tmem/tmem.hpp"

namespace swz {

struct TwoNumbers {
  std::int64_t first = 0, second = 0;
  Coordinate coordinate() const { return {static_cast<int>(first), static_cast<int>(second)}; }
};
void read_value(const std::string& text, TwoNumbers& to);

void read_value(const std::string& text, TmemPoint& to);

// --at for scale factors: row and k of an element. For factors of 16 elements --at 200,96 is --row 200 --kb 6.
inline Option factor_option(std::optional<TwoNumbers>& at) {
  return option("--at", "ROW,K", at, "where the factor of this element lies; k from the tile's first")
      .excluding({"--row", "--kb"});
}
// --k96, --k128 and --sparse: which of its K a block-scaled MMA has.
struct ScaledK {
  bool k96 = false, k128 = false, sparse = false;

  KSize size() const { return k96 ? KSize::k96 : k128 ? KSize::twice : KSize::usual; }
  // The targets of an MMA of the kind, and its name: "tcgen05.mma.sp kind::mxf4 with K 192".
  Availability availability(const MmaKindRow& kind) const;
  std::string name(const MmaKindRow& kind) const;
  // The target of --arch if it has the MMA, otherwise the first that has.
  const Target& target(const MmaKindRow& kind, const Target* asked) const;
};
Options scaled_k_options(ScaledK& k);

inline Option sfa_layout_option(bool& in_128_lanes) {
  return one_of<bool>("--sfa-layout", "LAYOUT", in_128_lanes, {{"32-lane", false}, {"128-lane", true}},
                      "lanes of the factors of A: each row in 4 of the 128, or in one (sm_107)")
      .by_default("32-lane");
}

// A layout of scale factors, also by the name that a project gives it.
inline Option scale_layout_option(std::string name, const ScaleLayoutRow*& to, std::string help) {
  return option(std::move(name), "LAYOUT", to, std::move(help),
                [](const std::string& text) { return &require_scale_layout(text); })
      .offering(names_of(scale_layouts()))
      .listing_by("swz sf list");
}

// The request with --row and --kb, if it has --at.
template <class Request>
Request with_factor(Request r) {
  if (!r.at) return r;
  r.row = r.at->first;
  r.kb = r.at->second / ((r.vec == 0 ? 32 : r.vec) * (r.scaled.sparse ? 2 : 1));
  return r;
}

// The first kind that accepts the type as A and B. Throws Error if none does.
const MmaKindRow& first_kind(const DType& dtype);
// The first type of the kind in this role.
std::string_view first_type(MmaKind kind, TypeRole role);

// Elements of K that share a scale factor: as given by --vec, or (0) as is usual for the kind; 0: the kind has none, or there
// is no kind. Throws Error for another number, and for a vector of a kind without scale factors.
int scale_vec(const MmaKindRow* kind, int given);

// --m, --cta-group, --ws and --sparse.
Options data_path_options(DataPathQuery& query);

}  // namespace swz
