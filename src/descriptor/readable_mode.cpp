// SPDX-License-Identifier: Apache-2.0
#include "descriptor/readable_mode.hpp"

#include <fmt/format.h>

#include <array>

namespace swz {
namespace {

// One way to read an array as (MN,K).
struct Orientation {
  ComposedLayout operand;
  Major major;
  bool is_transposed;
};

Layout transposed(const Layout& layout) { return make_layout(std::array{mode(layout, 1), mode(layout, 0)}); }

// The orientations whose contiguous elements follow each other: all modes keep the elements of a chunk together.
std::vector<Orientation> orientations(const ComposedLayout& layout, const DType& dtype) {
  std::vector<Orientation> found;
  const std::int64_t most = require_target("sm_90a").max_smem_per_cta.count * 8 / dtype.memory_bits;
  if (rank(layout.layout()) != 2 || layout.size() > most || layout.offset() != 0) return found;
  const Layout rows = mode(layout.layout(), 0), columns = mode(layout.layout(), 1);
  for (const bool is_transposed : {false, true})
    for (const Major major : {Major::K, Major::MN}) {
      const Layout& contiguous = (major == Major::K) != is_transposed ? columns : rows;
      if (contiguous.size() < 2 || contiguous(1) != 1) continue;
      found.push_back({is_transposed ? layout.with(transposed(layout.layout())) : layout, major, is_transposed});
    }
  return found;
}

// The mode, with sm_90a tried first. None if no MMA reads it.
std::optional<ReadableMode> mode_of(const Orientation& o, const DType& dtype) {
  std::optional<ReadableMode> found;
  for (const char* name : {"sm_90a", "sm_100a"}) {
    const Target& target = require_target(name);
    LayoutWords words = words_as_it_lies(
        {.layout = o.operand, .target = &target, .dtype = &dtype, .major = o.major, .role = OperandRole::b});
    if (!words.descriptors) continue;
    if (found) found->tcgen05 = std::move(words.descriptors);
    else found = ReadableMode{words.mode, &target, o.major, o.is_transposed, std::move(*words.descriptors)};
  }
  return found;
}

// How often the array is repeated to have the rows or K that one MMA reads: 1 if it is enough, 0 if it does not divide
// them.
std::int64_t repeats(std::int64_t extent, std::int64_t least) {
  if (extent >= least) return 1;
  return least % extent == 0 ? least / extent : 0;
}

// The array repeated along both dimensions, along MN first or along K first.
ComposedLayout repeated(const ComposedLayout& atom, std::int64_t mn, std::int64_t k, bool is_mn_first) {
  const Layout& l = atom.layout();
  const std::int64_t span = cosize(l);
  const auto along = [](const Layout& dimension, std::int64_t count, std::int64_t stride) {
    std::vector<FlatMode> leaves(dimension.modes().begin(), dimension.modes().end());
    leaves.push_back({count, stride});
    return Layout(coalesce_modes(leaves));
  };
  return atom.with(make_layout(std::array{along(mode(l, 0), mn, is_mn_first ? span : span * k),
                                          along(mode(l, 1), k, is_mn_first ? span * mn : span)}));
}

}  // namespace

const DType* readable_dtype(int element_bits) {
  switch (element_bits) {
    case 4: return &require_dtype("e2m1");
    case 8: return &require_dtype("e4m3");
    case 16: return &require_dtype("bf16");
    case 32: return &require_dtype("tf32");
    default: return nullptr;
  }
}

std::vector<ReadableMode> readable_modes(const ComposedLayout& layout, const DType& dtype) {
  std::vector<ReadableMode> found;
  for (const Orientation& o : orientations(layout, dtype))
    if (auto mode = mode_of(o, dtype)) found.push_back(std::move(*mode));
  return found;
}

std::vector<ReadableMode> modes_of_atom(const ComposedLayout& layout, const DType& dtype) {
  constexpr std::int64_t smallest_atom_bits = 8 * 128;  // of a core matrix
  std::vector<ReadableMode> found;
  if (layout.size() * dtype.memory_bits < smallest_atom_bits) return found;
  const std::int64_t least_k = dense_mma_k(dtype.memory_bits);
  for (const Orientation& o : orientations(layout, dtype)) {
    const std::int64_t mn = mode(o.operand.layout(), 0).size(), k = mode(o.operand.layout(), 1).size();
    const std::int64_t more_mn = repeats(mn, mma_mn_step), more_k = repeats(k, least_k);
    if (more_mn == 0 || more_k == 0 || more_mn * more_k == 1) continue;
    for (const bool is_mn_first : {true, false}) {
      auto mode = mode_of({repeated(o.operand, more_mn, more_k, is_mn_first), o.major, o.is_transposed}, dtype);
      if (!mode) continue;
      if (more_k > 1) mode->lacks = fmt::format("K {} of {}", k, least_k);
      if (more_mn > 1) mode->lacks += fmt::format("{}MN {} of {}", mode->lacks.empty() ? "" : ", ", mn, mma_mn_step);
      found.push_back(std::move(*mode));
      break;
    }
  }
  return found;
}

}  // namespace swz
