// SPDX-License-Identifier: Apache-2.0
// Block-scaled and sparse fragments against CuTe's traits, coordinate by coordinate.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "fragment/fragment.hpp"
#include "scaled_fragments.hpp"

namespace swz {
namespace {

Operand operand_of(const std::string& name) {
  for (const Operand operand : {Operand::a, Operand::b, Operand::d, Operand::sfa, Operand::sfb, Operand::e})
    if (to_string(operand) == name) return operand;
  FAIL("no operand " << name);
  return Operand::memory;
}

Fragment fragment_of(const CuteScaledFragment& c) {
  return find_fragment({.name = c.name, .dtype = c.dtype, .operand = operand_of(c.operand), .scale_type = c.scale});
}

// Of the values of swz, the one that is CuTe's value `value` of `of`, which counts each k.
int differences(const Fragment& f, const CuteScaledFragment& c) {
  const int of = static_cast<int>(c.indices.size()) / c.threads, each = of / f.values();
  const bool is_scale = c.operand == "sfa" || c.operand == "sfb";
  const int lines = is_k_by_n(f.operand) ? f.columns : f.rows;
  int different = 0;
  for (int value = 0; value < of; ++value)
    for (int thread = 0; thread < c.threads; ++thread) {
      const int index = c.indices[static_cast<std::size_t>(thread + value * c.threads)];
      const int line = index % lines, k = index / lines;
      const Coordinate at = f.at(thread, is_scale ? value / c.vector : value / each);
      const bool same_line = (is_k_by_n(f.operand) ? at.column : at.row) == line;
      const int along = is_k_by_n(f.operand) ? at.row : at.column;
      const Fragment::KRange of_kept = f.k_of(at);
      const bool same_k = is_scale     ? along == k / c.vector
                          : f.kept > 0 ? of_kept.first <= k && k < of_kept.first + of_kept.count
                                       : along == k;
      different += !same_line || !same_k;
    }
  return different;
}

}  // namespace

TEST_CASE("block-scaled and sparse fragments are CuTe's TV layouts") {
  std::map<std::string, int> same;
  int coordinates = 0;
  for (const CuteScaledFragment& c : cute_scaled_fragments()) {
    CAPTURE(c.name);
    CAPTURE(c.dtype);
    CAPTURE(c.operand);
    const Fragment f = fragment_of(c);
    CHECK(f.threads() == c.threads);
    CHECK(static_cast<int>(c.indices.size()) % (c.threads * f.values()) == 0);
    CHECK(differences(f, c) == 0);
    if (f.block > 0) CHECK(f.block == c.vector);
    ++same[c.operand];
    coordinates += static_cast<int>(c.indices.size());
  }
  for (const auto& [operand, count] : same) MESSAGE(operand << ": " << count << " fragments");
  MESSAGE(coordinates << " coordinates");
  // 25 pairs of types in three atoms, four fp4 forms dense and sparse, 7 of wgmma.sp
  CHECK(same ==
        std::map<std::string, int>{
            {"a", 75 + 8 + 7}, {"b", 75 + 8}, {"d", 75 + 8 + 7}, {"sfa", 50 + 8}, {"sfb", 50 + 8}, {"e", 50 + 4 + 7}});
}

}  // namespace swz
