// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>
#include <tuple>

#include "arch/instruction.hpp"
#include "base/error.hpp"

namespace swz {
namespace {

TEST_CASE("kinds are in the order of their enum and find themselves by name") {
  for (const MmaKindRow& row : mma_kinds()) {
    CHECK(&row_of(row.kind) == &row);
    CHECK(&require_mma_kind(row.name) == &row);
    CHECK(&require_mma_kind("kind::" + std::string(row.name)) == &row);
    CHECK(row.k_sparse == 2 * row.k_dense);
  }
  try {
    require_mma_kind("f8f6");
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.message() == "'f8f6' is not a kind of tcgen05.mma");
    CHECK(e.hint == "did you mean 'f8f6f4'? kinds: tf32, f16, f8f6f4, i8, ti16, mxf8f6f4, mxf4 and mxf4nvf4");
  }
}

TEST_CASE("type codes: no code twice in a kind and role, every name an element type, every kind has types") {
  std::set<std::tuple<MmaKind, TypeRole, int>> seen;
  std::set<MmaKind> with_inputs;
  for (const TypeCode& row : type_codes()) {
    CHECK(find_dtype(row.dtype) != nullptr);
    for (const MmaKindRow& kind : mma_kinds()) {
      if (!contains(row.kinds, kind.kind)) continue;
      CHECK(seen.insert({kind.kind, row.role, row.code}).second);
      if (row.role == TypeRole::a_b) with_inputs.insert(kind.kind);
    }
  }
  CHECK(with_inputs.size() == mma_kinds().size());
  for (const MmaKindRow& kind : mma_kinds()) {
    CHECK(legal_type_codes(kind.kind, TypeRole::d).empty() == kind.block_scaled);
    CHECK(legal_type_codes(kind.kind, TypeRole::scale).empty() != kind.block_scaled);
  }
}

// PTX ISA 9.1, tables 42 to 44.
TEST_CASE("type codes of the documents") {
  using enum MmaKind;
  CHECK(legal_type_codes(tf32, TypeRole::a_b) == "2 tf32");
  CHECK(legal_type_codes(f16, TypeRole::a_b) == "0 f16 and 1 bf16");
  CHECK(legal_type_codes(f8f6f4, TypeRole::a_b) == "0 e4m3, 1 e5m2, 3 e2m3, 4 e3m2 and 5 e2m1");
  CHECK(legal_type_codes(mxf8f6f4, TypeRole::a_b) == "0 e4m3, 1 e5m2, 3 e2m3, 4 e3m2 and 5 e2m1");
  CHECK(legal_type_codes(i8, TypeRole::a_b) == "0 u8 and 1 s8");
  CHECK(legal_type_codes(mxf4, TypeRole::a_b) == "1 e2m1");
  CHECK(legal_type_codes(mxf4nvf4, TypeRole::a_b) == "1 e2m1");
  CHECK(legal_type_codes(tf32, TypeRole::d) == "1 f32");
  CHECK(legal_type_codes(f16, TypeRole::d) == "0 f16 and 1 f32");
  CHECK(legal_type_codes(f8f6f4, TypeRole::d) == "0 f16 and 1 f32");
  CHECK(legal_type_codes(i8, TypeRole::d) == "2 s32");
  CHECK(legal_type_codes(mxf8f6f4, TypeRole::scale) == "1 ue8m0");
  CHECK(legal_type_codes(mxf4, TypeRole::scale) == "1 ue8m0");
  CHECK(legal_type_codes(mxf4nvf4, TypeRole::scale) == "0 ue4m3, 1 ue8m0 and 2 ue5m3");
  CHECK(legal_type_codes(ti16, TypeRole::a_b) == "3 s1z4m11");
}

// All N of one kind, M and sparsity that any form takes, written as PTX table 39 does.
std::string groups(MmaKind kind, int m, int n, bool sparse = false, bool k96 = false, bool transposed = false) {
  return fitting_groups({kind, m, n, sparse, k96 ? KSize::k96 : KSize::usual, transposed});
}

TEST_CASE("shapes of table 39") {
  using enum MmaKind;
  for (const MmaKind kind : {tf32, f16, f8f6f4}) {
    for (int n = 0; n <= 264; ++n) {
      CAPTURE(n);
      const bool step8 = n >= 8 && n <= 256 && n % 8 == 0, step16 = n >= 16 && n <= 256 && n % 16 == 0;
      const bool ws = n == 64 || n == 128 || n == 256;
      std::string m64 = step8 ? "cta_group::1" : "", m256 = step16 ? "cta_group::2" : "";
      CHECK(groups(kind, 64, n) == (ws ? "cta_group::1 and .ws" : m64));
      CHECK(groups(kind, 32, n) == (ws ? ".ws" : ""));
      CHECK(groups(kind, 256, n) == m256);
      CHECK(groups(kind, 96, n).empty());
      CHECK(groups(kind, 0, n).empty());
    }
    CHECK(groups(kind, 128, 256) == "cta_group::1, cta_group::2 and .ws");
    CHECK(groups(kind, 128, 24) == "cta_group::1");
    CHECK(groups(kind, 32, 256, true).empty());
    CHECK(groups(kind, 32, 128, true) == ".ws");
  }
  for (const int n : {8, 16, 24, 32, 48, 64, 240, 256}) CHECK_FALSE(groups(i8, 64, n).empty());
  for (const int n : {0, 4, 12, 36, 40, 56, 72, 248, 264}) CHECK(groups(i8, 64, n).empty());
  CHECK(groups(i8, 256, 32) == "cta_group::2");
  CHECK(groups(i8, 256, 48).empty());
  CHECK(groups(mxf8f6f4, 64, 128).empty());
  CHECK(groups(mxf8f6f4, 128, 8) == "cta_group::1");
  CHECK(groups(mxf8f6f4, 128, 16) == "cta_group::1 and cta_group::2");
  CHECK(groups(mxf8f6f4, 128, 16, true) == "cta_group::1");
  CHECK(groups(mxf8f6f4, 256, 16, true) == "cta_group::2");
  CHECK(groups(mxf4, 256, 256, false, true) == "cta_group::2");
  CHECK(groups(mxf4, 128, 256, false, true) == "cta_group::1");
  CHECK(groups(mxf4, 128, 256, true, true) == "cta_group::1");  // K 192, sm_107
  CHECK(groups(mxf8f6f4, 256, 256, false, true).empty());
}

// As the tables print them: kinds, group, sparsity, M, N. K 96 is of PTX and of CUTLASS's SM103 atoms,
// what sm_107 adds of PTX 9.4, table 48.
TEST_CASE("rows of table 39, and the K of each kind") {
  const std::string_view plain = "tf32 f16 f8f6f4", scaled = "mxf8f6f4 mxf4 mxf4nvf4", fp4 = "mxf4 mxf4nvf4";
  const std::string every = std::string(plain) + " i8";
  struct Row {
    std::string_view kinds, group, m, n;
    KSize k = KSize::usual;
    bool is_of_107 = false;
  };
  const Row rows[] = {
      {plain, "cta_group::1", "64, 128", "8..256 step 8"},
      {plain, "cta_group::2", "128, 256", "16..256 step 16"},
      {"i8", "cta_group::1", "64, 128", "8..32 step 8, 48..256 step 16"},
      {"i8", "cta_group::2", "128, 256", "32..256 step 32"},
      {every, ".ws", "32, 64, 128", "64..128 step 64, 256"},
      {every, ".ws", "32, 64, 128", "64..128 step 64"},
      {scaled, "cta_group::1", "128", "8..256 step 8"},
      {scaled, "cta_group::2", "128, 256", "16..256 step 16"},
      {scaled, "cta_group::2", "256", "16..256 step 16"},
      {fp4, "cta_group::1", "128", "16..256 step 16", KSize::k96},
      {fp4, "cta_group::2", "256", "16..256 step 16", KSize::k96},
      {fp4, "cta_group::1", "128", "8..256 step 8", KSize::k96, true},
      {fp4, "cta_group::2", "256", "16..256 step 16", KSize::k96, true},
      {fp4, "cta_group::1", "128", "16..256 step 16", KSize::twice, true},
      {fp4, "cta_group::2", "256", "16..256 step 16", KSize::twice, true},
      {"f8f6f4", "cta_group::1", "128", "16..256 step 16", KSize::twice, true},
      {"f8f6f4", "cta_group::2", "256", "16..256 step 16", KSize::twice, true},
      {"f8f6f4", ".ws", "32, 64, 128", "64..128 step 64, 256", KSize::twice, true},
      {"mxf8f6f4", "cta_group::1", "128", "8..256 step 8", KSize::twice, true},
      {"mxf8f6f4", "cta_group::2", "256", "16..256 step 16", KSize::twice, true},
      {"ti16", "cta_group::1", "64", "8..256 step 8", KSize::usual, true},
      {"ti16", "cta_group::1", "128", "16..256 step 16", KSize::usual, true},
      {"ti16", "cta_group::2", "128, 256", "32..256 step 32", KSize::usual, true},
      {"ti16", ".ws", "32, 64, 128", "64..128 step 64, 256", KSize::usual, true},
      {"ti16", ".ws", "32, 64, 128", "64..128 step 64", KSize::usual, true},
  };
  REQUIRE(mma_shapes().size() == std::size(rows));
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const MmaShape& shape = mma_shapes()[i];
    std::string kinds;
    for (const MmaKindRow& kind : mma_kinds())
      if (contains(shape.kinds, kind.kind)) kinds += (kinds.empty() ? "" : " ") + std::string(kind.name);
    CAPTURE(i);
    CHECK(kinds == rows[i].kinds);
    CHECK(shape.group == rows[i].group);
    CHECK(to_string(shape.m) == rows[i].m);
    CHECK(to_string(shape.n) == rows[i].n);
    CHECK(shape.k == rows[i].k);
    CHECK(runs_on(shape.on, sm_100a()) == (shape.k == KSize::usual && !rows[i].is_of_107));
    CHECK(runs_on(shape.on, require_target("sm_107f")) == (shape.k == KSize::usual || rows[i].is_of_107));
  }
  // 32 B of K; of the 4-bit kinds, which take packed elements, too.
  using enum MmaKind;
  CHECK(row_of(tf32).k_dense == 8);
  CHECK(row_of(f16).k_dense == 16);
  for (const MmaKind kind : {f8f6f4, i8, mxf8f6f4}) CHECK(row_of(kind).k_dense == 32);
  for (const MmaKind kind : {mxf4, mxf4nvf4}) CHECK(row_of(kind).k_dense == 64);
}

TEST_CASE("table 52: 8-bit N-major B takes N in steps of 16, or 32 with two CTAs") {
  using enum MmaKind;
  CHECK(groups(f8f6f4, 128, 24, false, false, true).empty());
  CHECK(groups(f8f6f4, 128, 48, false, false, true) == "cta_group::1");
  CHECK(groups(f8f6f4, 128, 96, false, false, true) == "cta_group::1 and cta_group::2");
  CHECK(groups(f8f6f4, 64, 64, false, false, true) == "cta_group::1 and .ws");
}

TEST_CASE("ranges and extents as text") {
  CHECK(to_string(std::array<Range, 2>{{{8, 32, 8}, {48, 256, 16}}}) == "8..32 step 8, 48..256 step 16");
  CHECK(to_string(std::array<Range, 2>{{{64, 128, 64}, {256, 256, 1}}}) == "64..128 step 64, 256");
  CHECK(to_string(std::array<int, 3>{64, 128}) == "64, 128");
}

TEST_CASE("targets of a kind: i8 is missing on some (ptxas)") {
  CHECK(runs_on(row_of(MmaKind::i8), require_target("sm_100a")));
  CHECK(runs_on(row_of(MmaKind::i8), require_target("sm_110a")));
  for (const char* name : {"sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f", "sm_110f", "sm_90a", "sm_120a"})
    CHECK_FALSE(runs_on(row_of(MmaKind::i8), require_target(name)));
  CHECK(runs_on(row_of(MmaKind::f16), require_target("sm_103f")));
  CHECK_FALSE(runs_on(row_of(MmaKind::f16), require_target("sm_90a")));
}

}  // namespace
}  // namespace swz
