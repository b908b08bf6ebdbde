// SPDX-License-Identifier: Apache-2.0
// Layouts of scale factors: equal to formulas that are written without digits, one to one, with their inverse, their
// layout of the algebra and their formula; the worked examples; which names are the same function.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/random.hpp"
#include "layout/algebra.hpp"
#include "scale/formulas.hpp"
#include "scale/scale_tensor.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

ScaleExtents taken_by(const ScaleFormula& f, Random& random) {
  ScaleExtents e{1 + random.below(300), 1 + random.below(40), 1 + random.below(3)};
  e.rows = up(e.rows, f.rows_of);
  e.factors = up(e.factors, f.factors_of);
  if (f.most_rows != 0) e.rows = std::min(e.rows, f.most_rows);
  return e;
}

// Cases in which a layout is not the formula, not one to one, or not undone by its inverse.
int faults_of(const ScaleLayout& layout, const ScaleFormula& f) {
  const ScaleExtents& e = layout.extents();
  int faults = layout.size().count != f.bytes(e.rows, e.factors, e.batches);
  std::set<std::int64_t> taken;
  for (ScaleCoordinate at; at.batch < e.batches; ++at.batch)
    for (at.row = 0; at.row < e.rows; ++at.row)
      for (at.kb = 0; at.kb < e.factors; ++at.kb) {
        const Bytes offset = layout.offset(at);
        faults += offset.count != f.offset(e.rows, e.factors, at.batch, at.row, at.kb, e.batches);
        faults += !taken.insert(offset.count).second;
        faults += offset.count + layout.row().bytes > layout.size().count;
        for (std::int64_t byte = 0; byte < layout.row().bytes; ++byte) faults += layout.at({offset.count + byte}) != at;
      }
  return faults;
}

// Bytes whose factor is not there, or which no factor takes without saying so.
int faults_of_bytes(const ScaleLayout& layout) {
  int faults = 0;
  std::int64_t found = 0;
  for (Bytes offset; offset < layout.size(); ++offset.count) {
    const auto at = layout.at(offset);
    if (!at) continue;
    const std::int64_t inside = offset.count - layout.offset(*at).count;
    faults += inside < 0 || inside >= layout.row().bytes;
    found += !layout.is_padding(*at);
  }
  const ScaleExtents& e = layout.extents();
  return faults + (found != e.batches * e.rows * e.factors * layout.row().bytes);
}

}  // namespace

TEST_CASE("every layout is its project's formula, one to one, with its inverse, for 200 shapes") {
  const std::vector<ScaleFormula> formulas = scale_formulas();
  REQUIRE(formulas.size() == scale_layouts().size());
  Random random(30);
  for (const ScaleFormula& f : formulas) {
    CAPTURE(f.name);
    int faults = 0;
    for (long round = 0; round < rounds_of(200, 10, 4); ++round) {
      const ScaleLayout layout(f.name, taken_by(f, random));
      faults += faults_of(layout, f) + faults_of_bytes(layout);
    }
    CHECK(faults == 0);
  }
}

TEST_CASE("every layout as a layout of the algebra has the bytes of offset, with the padding") {
  Random random(31);
  for (const ScaleFormula& f : scale_formulas())
    for (int round = 0; round < 5; ++round) {
      const ScaleLayout scales(f.name, taken_by(f, random));
      const Layout layout = scales.layout();
      const std::int64_t rows = product(mode(layout.shape(), 0)), factors = product(mode(layout.shape(), 1));
      REQUIRE(rows == scales.padded().rows);
      REQUIRE(factors == scales.padded().factors);
      int faults = 0;
      for (std::int64_t i = 0; i < layout.size(); ++i)
        faults += layout(i) != scales.offset({i % rows, i / rows % factors, i / rows / factors}).count;
      INFO(f.name, " ", to_string(layout));
      CHECK(faults == 0);
    }
}

TEST_CASE("the worked examples") {
  const auto offset = [](const char* name, ScaleExtents e, ScaleCoordinate at) {
    return ScaleLayout(name, e).offset(at).count;
  };
  CHECK(offset("128x4", {128, 8}, {5, 2}) == 82);
  CHECK(offset("128x4", {128, 8}, {5, 5}) == 593);
  CHECK(offset("128x4", {256, 64}, {200, 62}) == 16010);
  CHECK(offset("8x4", {256, 64}, {200, 62}) == 13282);
  const std::map<std::string, std::pair<std::int64_t, std::int64_t>> of_200x22 = {
      {"linear", {819, 4400}},         {"128x4", {597, 6144}},
      {"128x4_k8", {597, 6144}},       {"8x4", {821, 4800}},
      {"8x16", {1109, 6400}},          {"deepgemm_packed", {949, 4800}},
      {"mn_major_f32", {4148, 17600}}, {"hopper_mx_4", {1558, 5632}},
      {"hopper_mx_8", {1558, 5632}}};
  for (const auto& row : of_200x22) {
    CAPTURE(row.first);
    const ScaleLayout layout(row.first, {200, 22});
    CHECK(layout.offset({37, 5}).count == row.second.first);
    CHECK(layout.size().count == row.second.second);
  }
  CHECK(offset("128x4", {200, 22, 3}, {199, 21, 2}) == 18041);
  CHECK(offset("8x4", {200, 22, 3}, {199, 21, 2}) == 14397);
  CHECK(offset("128x4_k8", {200, 20, 3}, {199, 19, 2}) == 17531);
  CHECK(offset("128x4", {200, 20, 3}, {199, 19, 2}) == 14971);
  CHECK(offset("deepgemm_packed", {201, 22, 3}, {200, 21, 2}) == 14673);
  CHECK(offset("deepgemm_utccp", {256, 24}, {37, 5}) == 1109);
  CHECK(offset("deepgemm_utccp", {256, 24}, {200, 21}) == 5769);
  CHECK(offset("64x4", {256, 24}, {37, 5}) == 345);
  CHECK(offset("64x4", {256, 24}, {200, 21}) == 6017);
  CHECK(offset("64x1_fold8_bf16", {256, 4}, {37, 2}) == 344);
  CHECK(offset("kv_v_4x4", {64, 8}, {37, 5}) == 309);
  // Page 16, head_dim 128: head 1 of 4 of page 2, which begins at byte 2 * 16 * 4 * 8.
  CHECK(1024 + offset("kv_v_4x4_nhd", {16, 8, 4}, {5, 7, 1}) == 1261);
  CHECK(1024 + offset("kv_v_4x4", {16, 8, 4}, {5, 7, 1}) == 1213);
  CHECK(offset("te_rowwise", {200, 22}, {37, 5}) == 24 * 37 + 5);
  CHECK(offset("te_columnwise", {200, 22}, {37, 5}) == 256 * 5 + 37);
  CHECK(offset("hopper_mx_8", {256, 22}, {70, 5}) == 2970);
  CHECK(offset("hopper_mx_4", {256, 22}, {70, 5}) == 186);
  CHECK(offset("b_m64_collective", {256, 8}, {200, 1}) == 649);
  CHECK(offset("b_m64_collective", {192, 8}, {100, 5}) == 1601);
  CHECK(offset("tilelang_chunk_kmajor", {256, 8}, {200, 5}) == 1305);
  CHECK(offset("tilelang_chunk_kmajor", {128, 8}, {37, 5}) == 597);
  CHECK(offset("marlin_group", {256, 8}, {37, 5}) == 1324);
  CHECK(offset("marlin_group", {256, 8}, {200, 3}) == 961);
  CHECK(offset("marlin_group_fp4", {256, 8}, {37, 5}) == 1324);
  CHECK(offset("marlin_group_fp4", {256, 8}, {200, 3}) == 962);
  CHECK(offset("mn_major_tma_f32", {201, 3}, {37, 2}) == 1780);
  CHECK(offset("k_pad4_f32", {4, 7}, {2, 5}) == 84);
  CHECK(offset("ggml_nvfp4", {64, 24}, {37, 5}) == 8029);
  CHECK(offset("ggml_mxfp4", {64, 22}, {37, 5}) == 13923);
  CHECK(offset("cdna4_mx_scale", {64, 8}, {37, 5}) == 342);
}

TEST_CASE("the formula of a layout is its order in words") {
  CHECK(ScaleLayout("128x4", {256, 64}).formula() ==
        "kb % 4 + 4 * (row / 32 % 4) + 16 * (row % 32) + 512 * (kb / 4) + 8192 * (row / 128)");
  CHECK(ScaleLayout("deepgemm_packed", {201, 22}).formula() == "kb % 4 + 4 * row + 816 * (kb / 4)");
  CHECK(symbolic_formula(require_scale_layout("k_pad4_f32")) == "4 * kb + 16 * ceil(C / 4) * row");
  CHECK(symbolic_formula(require_scale_layout("128x4_k8")) ==
        "kb % 4 + 4 * (row / 32 % 4) + 16 * (row % 32) + 512 * (kb / 4) + 1024 * ceil(C / 8) * (row / 128)");
  CHECK(ScaleLayout("linear", {8, 6, 2}).formula() == "kb + 6 * row + 48 * batch");
  CHECK(require_scale_layout("128x4").order() == "k1 r32 r1 k4 r128");
  CHECK(require_scale_layout("b_m64_collective").order() == "k1 r32 r1 rR/2 k4");
  CHECK(require_scale_layout("kv_v_4x4_nhd").order() == "r1 k1 b1 kC/4 r4");
  CHECK(symbolic_formula(require_scale_layout("kv_v_4x4_nhd")) ==
        "row % 4 + 4 * (kb % (C / 4)) + 4 * (C / 4) * batch + 4 * (C / 4) * B * (kb / (C / 4)) + 16 * (C / 4) * B * "
        "(row / 4)");
  CHECK(symbolic_formula(require_scale_layout("128x4")) ==
        "kb % 4 + 4 * (row / 32 % 4) + 16 * (row % 32) + 512 * (kb / 4) + 512 * ceil(C / 4) * (row / 128)");
  CHECK(symbolic_formula(require_scale_layout("linear")) == "kb + C * row");
  CHECK(symbolic_formula(require_scale_layout("b_m64_collective")) ==
        "kb % 4 + 4 * (row / 32 % (R / 64)) + 16 * (row % 32) + 512 * (row / (R / 2)) + 1024 * (kb / 4)");
}

// ((B,M,K) … of scale_layouts.md, section 3.
TEST_CASE("which names are the same function, and when") {
  const auto same = [](const char* a, const char* b, ScaleExtents e) {
    return difference_of(ScaleTensor(require_scale_layout(a), e), ScaleTensor(require_scale_layout(b), e)).different ==
           0;
  };
  CHECK(same("128x4_k8", "128x4", {300, 24, 2}));
  CHECK(same("128x4_k8", "128x4", {100, 4, 1}));
  CHECK_FALSE(same("128x4_k8", "128x4", {100, 4, 2}));
  CHECK_FALSE(same("128x4_k8", "128x4", {300, 20}));
  CHECK(same("deepgemm_utccp", "128x4", {128, 24, 3}));
  CHECK(same("deepgemm_utccp", "128x4", {512, 4, 3}));
  CHECK_FALSE(same("deepgemm_utccp", "128x4", {256, 8}));
  CHECK(same("deepgemm_packed", "linear", {8, 4, 2}));
  CHECK(same("8x4", "linear", {16, 4, 2}));
  CHECK_FALSE(same("8x4", "linear", {16, 8}));
  CHECK(same("tilelang_chunk_kmajor", "deepgemm_utccp", {128, 16}));
  CHECK(same("b_m64_collective", "deepgemm_utccp", {256, 16}));
  CHECK(same("kv_v_4x4_nhd", "kv_v_4x4", {16, 8}));
  CHECK_FALSE(same("kv_v_4x4_nhd", "kv_v_4x4", {16, 8, 2}));
  CHECK(same("te_rowwise", "linear", {128, 8, 2}));
  CHECK(same("mn_major_tma_f32", "mn_major_f32", {8, 5, 2}));
  CHECK_FALSE(same("mn_major_tma_f32", "mn_major_f32", {9, 5}));
  CHECK(same("k_pad4_f32", "linear_f32", {9, 8}));
  CHECK_FALSE(same("64x4", "128x4", {128, 8}));
  // Single entries agree: rows below 16 with kb below 4.
  const ScaleLayout folded("64x4", {256, 8}), tiles("128x4", {256, 8});
  CHECK(folded.offset({5, 3}) == tiles.offset({5, 3}));
  CHECK(folded.offset({17, 3}) != tiles.offset({17, 3}));
}

TEST_CASE("a layout is found by the name that a project gives it") {
  std::set<std::string_view> seen;
  for (const ScaleLayoutRow& row : scale_layouts()) {
    CHECK(seen.insert(row.name).second);
    CHECK(&require_scale_layout(row.name) == &row);
  }
  for (const ScaleLayoutName& name : scale_layout_names()) {
    CHECK(seen.insert(name.name).second);
    CHECK(require_scale_layout(name.name).name == name.layout);
  }
  CHECK(require_scale_layout("TO_BLOCKED").name == "128x4");
  CHECK_THROWS_WITH(require_scale_layout("129x4"), "'129x4' is not a known layout of scale factors");
}

TEST_CASE("a shape that a layout does not take is refused with the nearest that it takes") {
  CHECK_THROWS_WITH(ScaleLayout("deepgemm_utccp", {200, 8}),
                    "layout deepgemm_utccp has whole groups of 128 rows, not 200");
  CHECK_THROWS_WITH(ScaleLayout("64x4", {64, 6}), "layout 64x4 has whole groups of 4 factors of K, not 6");
  CHECK_THROWS_WITH(ScaleLayout("b_m64_collective", {320, 4}), "layout b_m64_collective has at most 256 rows, not 320");
  try {
    ScaleLayout("marlin_group", {65, 4});
    FAIL("not refused");
  } catch (const Error& error) {
    CHECK(error.hint == "take 128, with padding of your own (vLLM marlin_utils.py, marlin_utils_fp4.py)");
  }
}
