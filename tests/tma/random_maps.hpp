// SPDX-License-Identifier: Apache-2.0
// Random arguments of cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide: mostly legal,
// with values at each bound and just beyond it.
#pragma once

#include <initializer_list>
#include <random>

#include "tma/tensor_map.hpp"

namespace swz {

class RandomMaps {
 public:
  explicit RandomMaps(unsigned seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  bool once_in(std::uint64_t n) { return below(n) == 0; }

  // Arguments that are each within their own bound on sm_90; together they may still break the inner width, the width
  // of the swizzle or the bytes of the box.
  TensorMap plausible() {
    TensorMap map;
    map.data_type = TensorMapDataType{static_cast<int>(below(13))};
    map.interleave = TensorMapInterleave{once_in(4) ? static_cast<int>(below(3)) : 0};
    map.rank =
        map.interleave == TensorMapInterleave::none ? 1 + static_cast<int>(below(5)) : 3 + static_cast<int>(below(3));
    map.swizzle = TensorMapSwizzle{static_cast<int>(below(4))};
    map.l2_promotion = TensorMapL2Promotion{static_cast<int>(below(4))};
    map.oob_fill = TensorMapOobFill{static_cast<int>(below(2))};
    map.global_address = once_in(16) ? 0 : (random_() & ((1ULL << 57) - 1)) / 32 * 32;
    for (int i = 0; i < map.rank; ++i) {
      const auto d = static_cast<std::size_t>(i);
      map.dims[d] = once_in(8) ? 1ULL << 32 : 1 + random_() % (1ULL << (1 + below(32)));
      map.box[d] = i == 0 ? 8 * (1 + below(once_in(4) ? 32 : 8)) : 1 + below(once_in(4) ? 256 : 24);
      map.element_strides[d] = once_in(3) ? 1 + below(8) : 1;
      if (i + 1 < map.rank) map.strides[d] = once_in(8) ? (1ULL << 40) - 32 : (random_() % (1ULL << 40)) / 32 * 32;
    }
    return map;
  }

  // A plausible map, with up to two arguments moved to or beyond their bound.
  TensorMap any() {
    TensorMap map = plausible();
    for (std::uint64_t changes = below(3); changes > 0; --changes) disturb(map);
    return map;
  }

 private:
  template <std::size_t n>
  std::uint64_t pick(const std::uint64_t (&values)[n]) {
    return values[below(n)];
  }

  void disturb(TensorMap& map) {
    const auto d = static_cast<std::size_t>(below(5));
    switch (below(12)) {
      case 0: map.dims[d] = pick({0, 1, 1ULL << 32, (1ULL << 32) + 1, 128, 129, 130, ~0ULL}); break;
      case 1: map.strides[d % 4] = pick({0, 2, 8, 16, 32, 48, (1ULL << 40) - 16, 1ULL << 40, ~0ULL - 15}); break;
      case 2: map.box[d] = pick({0, 1, 2, 16, 255, 256, 257, 1ULL << 32, ~0ULL}); break;
      case 3: map.box[0] = pick({1, 4, 8, 12, 16, 24, 32, 36, 64, 128, 256}); break;
      case 4: map.element_strides[d] = pick({0, 1, 8, 9, 1ULL << 32}); break;
      case 5: map.global_address = pick({0, 8, 16, 32, 48, (1ULL << 57) - 16, 0x7f0000000010}); break;
      case 6: map.rank = static_cast<int>(pick({0, 1, 2, 3, 5, 6, 7})); break;
      case 7: map.data_type = TensorMapDataType{static_cast<int>(pick({0, 12, 13, 14, 15, 16, 99}))}; break;
      case 8: map.interleave = TensorMapInterleave{static_cast<int>(pick({0, 1, 2, 3}))}; break;
      case 9: map.swizzle = TensorMapSwizzle{static_cast<int>(pick({0, 1, 2, 3, 4, 5, 6, 7, 96}))}; break;
      case 10: map.l2_promotion = TensorMapL2Promotion{static_cast<int>(pick({0, 3, 4}))}; break;
      default: map.oob_fill = TensorMapOobFill{static_cast<int>(pick({0, 1, 2}))}; break;
    }
  }

  std::mt19937_64 random_;
};

class RandomIm2colMaps {
 public:
  explicit RandomIm2colMaps(unsigned seed) : maps_(seed) {}

  Im2colMap any() {
    Im2colMap m;
    m.tensor = maps_.any();
    if (!maps_.once_in(8)) m.tensor.rank = 3 + static_cast<int>(maps_.below(3));
    fill_dimensions(m.tensor);
    if (maps_.once_in(3)) m.wide = maps_.once_in(2) ? Im2colWideMode::w : Im2colWideMode::w128;
    if (maps_.once_in(3)) m.tensor.data_type = TensorMapDataType{13 + static_cast<int>(maps_.below(3))};
    if (maps_.once_in(2)) m.tensor.oob_fill = TensorMapOobFill::zero;
    if (m.wide && !maps_.once_in(8)) m.tensor.swizzle = TensorMapSwizzle{2 + static_cast<int>(maps_.below(3))};
    if (m.tensor.interleave == TensorMapInterleave::bytes_32 && maps_.once_in(2))
      m.tensor.swizzle = TensorMapSwizzle::b32;
    m.channels_per_pixel =
        is_padded(m.tensor.data_type) && !maps_.once_in(8) ? 128 : pick({0, 8, 16, 32, 33, 64, 127, 256, 257, ~0ULL});
    m.pixels_per_column = maps_.once_in(8) ? pick({0, 1025, 1ULL << 32, ~0ULL}) : 1 + maps_.below(1024);
    const std::int64_t edge = m.tensor.rank == 3 || m.wide ? 32768 : m.tensor.rank == 4 ? 128 : 16;
    for (std::size_t i = 0; i < 3; ++i) {
      m.lower_corner[i] = offset(edge);
      m.upper_corner[i] = offset(edge);
    }
    return m;
  }
  bool once_in(std::uint64_t n) { return maps_.once_in(n); }

 private:
  static bool is_padded(TensorMapDataType type) {
    return type == TensorMapDataType::u4_align16 || type == TensorMapDataType::u6_align16;
  }
  std::uint64_t pick(std::initializer_list<std::uint64_t> values) {
    return maps_.once_in(2) ? 16 : *(values.begin() + static_cast<std::ptrdiff_t>(maps_.below(values.size())));
  }
  std::int64_t offset(std::int64_t edge) {
    switch (maps_.below(12)) {
      case 0: return edge;
      case 1: return -edge - 1;
      case 2: return edge - 1;
      case 3: return -edge;
      case 4: return static_cast<std::int64_t>(1ULL << 63);
      case 5: return INT64_MAX;
      default: return static_cast<std::int64_t>(maps_.below(8)) - 4;
    }
  }
  // Fills the dimensions beyond the rank with which the map was drawn.
  void fill_dimensions(TensorMap& t) {
    for (std::size_t d = 0; d < 5; ++d) {
      if (t.dims[d] == 0 && !maps_.once_in(64)) t.dims[d] = 1 + maps_.below(maps_.once_in(2) ? 40 : 100000);
      if (t.element_strides[d] == 0 && !maps_.once_in(16)) t.element_strides[d] = 1;
    }
    if (maps_.once_in(2)) t.dims[0] = t.dims[0] / 128 * 128 + 128;
  }

  RandomMaps maps_;
};

}  // namespace swz
