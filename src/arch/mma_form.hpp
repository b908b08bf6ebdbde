// Which instruction multiplies an M x N x K shape of a type, and on which targets: mma.sync, wgmma and tcgen05.mma
// in one answer. Dense shapes; sparse ones have twice the K.
//
//   mma_forms({128, 256, 16}, f16)   tcgen05.mma kind::f16 (cta_group::1, cta_group::2 and .ws) on sm_100a, ...
//   mma_forms({64, 256, 16}, f16)    wgmma on sm_90a; tcgen05.mma kind::f16 (cta_group::1 and .ws)
//   nearest_mma({128, 256, 16}, f16, sm_90a) == {64, 256, 16}
//
// Source: the tables of arch/instruction and arch/mma_shape, which name theirs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/target.hpp"

namespace swz {

struct MmaExtents {
  std::int64_t m = 0, n = 0, k = 0;
  bool operator==(const MmaExtents&) const = default;
};

std::string to_string(const MmaExtents& extents);  // "m64n256k16"

// How far apart two shapes are: the product of the ratios of m, n and k, larger over smaller. k8 is as far from k16 as
// k32 is.
double distance(const MmaExtents& a, const MmaExtents& b);

struct MmaForm {
  std::string instruction;  // "mma.sync", "wgmma", "tcgen05.mma kind::f16"
  std::string groups;       // of tcgen05.mma: "cta_group::1 and .ws"
  std::vector<const Target*> targets;
  Source source;

  bool runs_on(const Target& target) const;
};

// Empty: no target has it. A form that runs nowhere swz knows is left out.
std::vector<MmaForm> mma_forms(const MmaExtents& extents, const DType& dtype);

// The nearest shape that the target has for the type, the smallest of equals; nullopt: it has none.
std::optional<MmaExtents> nearest_mma(const MmaExtents& wanted, const DType& dtype, const Target& target);

}  // namespace swz
