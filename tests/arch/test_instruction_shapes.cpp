// SPDX-License-Identifier: Apache-2.0
// Shapes of tcgen05.mma: PTX ISA 9.1, table 39 and table 52, written here as conditions and held against the rows for
// every M and N; kinds and their flags: tables 42 to 44 and 51.
#include <doctest/doctest.h>

#include <string>

#include "arch/instruction.hpp"

namespace swz {
namespace {

using enum MmaKind;

bool in_steps(int n, int first, int last, int step) { return n >= first && n <= last && (n - first) % step == 0; }

// K twice that of the kind is of sm_107, as is kind ti16 (PTX ISA 9.4, table 48).
std::string expected_groups(MmaKind kind, int m, int n, bool sparse, KSize k, bool transposed) {
  const bool is_fp4 = kind == mxf4 || kind == mxf4nvf4, is_scaled = is_fp4 || kind == mxf8f6f4;
  bool one = false, two = false, ws = false;
  const bool is_ws = (m == 32 || m == 64 || m == 128) && (n == 64 || n == 128 || (n == 256 && !sparse));
  if (k == KSize::k96) {
    one = is_fp4 && m == 128 && (sparse ? in_steps(n, 8, 256, 8) : in_steps(n, 16, 256, 16));
    two = is_fp4 && m == 256 && in_steps(n, 16, 256, 16);
  } else if (k == KSize::twice) {
    const bool has = kind == mxf8f6f4 || ((is_fp4 || kind == f8f6f4) && !sparse);
    one = has && m == 128 && in_steps(n, kind == mxf8f6f4 ? 8 : 16, 256, kind == mxf8f6f4 ? 8 : 16);
    two = has && m == 256 && in_steps(n, 16, 256, 16);
    ws = has && !is_scaled && is_ws;
  } else if (kind == ti16) {
    one = m == 64 ? in_steps(n, 8, 256, 8) : m == 128 && in_steps(n, 16, 256, 16);
    two = (m == 128 || m == 256) && in_steps(n, 32, 256, 32);
    ws = is_ws;
  } else if (is_scaled) {
    one = m == 128 && in_steps(n, 8, 256, 8);
    two = (m == 256 || (m == 128 && !sparse)) && in_steps(n, 16, 256, 16);
  } else {
    const bool n_of_one = kind == i8 ? in_steps(n, 8, 32, 8) || in_steps(n, 48, 256, 16) : in_steps(n, 8, 256, 8);
    one = (m == 64 || m == 128) && n_of_one;
    two = (m == 128 || m == 256) && (kind == i8 ? in_steps(n, 32, 256, 32) : in_steps(n, 16, 256, 16));
    ws = is_ws;
  }
  if (transposed) {
    one = one && n % 16 == 0;
    ws = ws && n % 16 == 0;
    two = two && n % 32 == 0;
  }
  std::string text;
  const int count = one + two + ws;
  int left = count;
  for (const auto& [has, name] : {std::pair{one, "cta_group::1"}, {two, "cta_group::2"}, {ws, ".ws"}}) {
    if (!has) continue;
    text += name;
    --left;
    if (left > 0) text += left == 1 ? " and " : ", ";
  }
  return text;
}

TEST_CASE("table 39 for every kind, M and N, dense and sparse, each K, and N-major 8-bit B") {
  for (const MmaKindRow& kind : mma_kinds())
    for (const int m : {0, 1, 8, 16, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 255, 256, 257})
      for (int n = 0; n <= 290; ++n)
        for (int flags = 0; flags < 12; ++flags) {
          const bool sparse = (flags & 1) != 0, transposed = (flags & 2) != 0;
          const KSize k = static_cast<KSize>(flags / 4);
          // What has no shape without the flag has none with it.
          if (transposed && n % 8 != 0) continue;
          const std::string found = fitting_groups({kind.kind, m, n, sparse, k, transposed});
          if (found == expected_groups(kind.kind, m, n, sparse, k, transposed)) continue;
          CAPTURE(kind.name);
          CAPTURE(m);
          CAPTURE(n);
          CAPTURE(flags);
          CHECK(found == expected_groups(kind.kind, m, n, sparse, k, transposed));
        }
}

// PTX ISA 9.1, table 39, and 9.4, table 48: the K of each kind, and where they are.
TEST_CASE("K of each kind and size, and its targets") {
  const auto all = [](MmaKind kind) {
    std::string text;
    for (const bool sparse : {false, true})
      for (const KSize size : {KSize::usual, KSize::k96, KSize::twice})
        text += std::to_string(k_of(kind, size, sparse)) + " ";
    return text;
  };
  CHECK(all(tf32) == "8 0 0 16 0 0 ");
  CHECK(all(f16) == "16 0 0 32 0 0 ");
  CHECK(all(f8f6f4) == "32 0 64 64 0 0 ");
  CHECK(all(i8) == "32 0 0 64 0 0 ");
  CHECK(all(ti16) == "16 0 0 32 0 0 ");
  CHECK(all(mxf8f6f4) == "32 0 64 64 0 128 ");
  CHECK(all(mxf4) == "64 96 128 128 192 0 ");
  CHECK(all(mxf4nvf4) == "64 96 128 128 192 0 ");
  CHECK(to_string(availability_of(mxf4, KSize::k96, false)) == "sm_103a and sm_107a");
  CHECK(to_string(availability_of(mxf4, KSize::k96, true)) == "sm_107a and sm_107f");
  CHECK(to_string(availability_of(mxf4, KSize::twice, false)) == "sm_107a and sm_107f");
  CHECK(to_string(availability_of(mxf4, KSize::twice, true)).empty());
  const MmaShapeQuery k96{.kind = mxf4, .m = 256, .n = 256, .k = KSize::k96};
  for (const Target& target : targets())
    CHECK(fits_on(target, k96) == (target.name == "sm_103a" || target.name == "sm_107a"));
}

TEST_CASE("kinds: K, flags and targets of every row") {
  struct Row {
    MmaKind kind;
    int k;
    bool scaled, selects, saturates, negates, transposes, has_8bit_slots;
  };
  const Row rows[] = {
      {tf32, 8, false, true, false, true, true, false},    {f16, 16, false, true, false, true, true, false},
      {f8f6f4, 32, false, false, false, true, true, true}, {i8, 32, false, false, true, false, true, true},
      {ti16, 16, false, true, false, true, false, false},  {mxf8f6f4, 32, true, false, false, true, true, true},
      {mxf4, 64, true, false, false, true, false, false},  {mxf4nvf4, 64, true, false, false, true, false, false}};
  REQUIRE(mma_kinds().size() == std::size(rows));
  for (const Row& e : rows) {
    const MmaKindRow& row = row_of(e.kind);
    CAPTURE(row.name);
    CHECK(row.k_dense == e.k);
    CHECK(row.k_sparse == 2 * e.k);
    CHECK(row.block_scaled == e.scaled);
    CHECK(row.may_select == e.selects);
    CHECK(row.may_saturate == e.saturates);
    CHECK(row.may_negate == e.negates);
    CHECK(row.may_transpose == e.transposes);
    CHECK(row.has_8bit_slots == e.has_8bit_slots);
    for (const Target& target : targets()) {
      const bool is_tcgen05 = target.name.starts_with("sm_10") || target.name.starts_with("sm_11");
      const bool has_i8 = target.name == "sm_100a" || target.name == "sm_110a";
      const bool is_107 = target.name.starts_with("sm_107");
      CHECK(runs_on(row, target) == (is_tcgen05 && (e.kind != i8 || has_i8) && (e.kind != ti16 || is_107)));
    }
  }
}

// PTX ISA 9.1, tables 42 to 44, and for sm_107 9.4, tables 51 and 53: the entry of each code, 0 to 8; the other codes are reserved.
TEST_CASE("type codes, code by code") {
  const auto types = [](MmaKind kind, TypeRole role) {
    std::string text;
    for (std::uint64_t code = 0; code <= 8; ++code) {
      const TypeCode* found = find_type_code(kind, role, code);
      text += found == nullptr ? "-" : std::string(found->dtype);
      if (code < 8) text += " ";
    }
    return text;
  };
  for (const MmaKindRow& kind : mma_kinds()) {
    CAPTURE(kind.name);
    std::string a_b, d = "- - - - - - - - -", scale = d;
    switch (kind.kind) {
      case tf32: a_b = "- - tf32 - - - - - -", d = "- f32 - - - - - - -"; break;
      case f16: a_b = "f16 bf16 - - - - - - -", d = "f16 f32 - - - - - - -"; break;
      case f8f6f4: a_b = "e4m3 e5m2 - e2m3 e3m2 e2m1 - - -", d = "f16 f32 - - - - - - -"; break;
      case i8: a_b = "u8 s8 - - - - - - -", d = "- - s32 - - - - - -"; break;
      case ti16: a_b = "- - - s1z4m11 - - - - -", d = "- - s32 - - - - - -"; break;
      case mxf8f6f4: a_b = "e4m3 e5m2 - e2m3 e3m2 e2m1 - - -", scale = "- ue8m0 - - - - - - -"; break;
      case mxf4: a_b = "- e2m1 - - - - - - -", scale = "- ue8m0 - - - - - - -"; break;
      case mxf4nvf4: a_b = "- e2m1 - - - - - - -", scale = "ue4m3 ue8m0 ue5m3 - - - - - -"; break;
    }
    CHECK(types(kind.kind, TypeRole::a_b) == a_b);
    CHECK(types(kind.kind, TypeRole::d) == d);
    CHECK(types(kind.kind, TypeRole::scale) == scale);
    CHECK(find_type_code(kind.kind, TypeRole::a_b, 1ULL << 32) == nullptr);
  }
}

TEST_CASE("extents as text: an unused range or extent is left out, one value has no range") {
  CHECK(to_string(std::array<Range, 2>{{{1, 4, 1}, {0, 0, 1}}}) == "1..4 step 1");
  CHECK(to_string(std::array<Range, 2>{{{8, 8, 1}, {}}}) == "8");
  CHECK(to_string(std::array<Range, 2>{{{1, 1, 1}, {2, 2, 1}}}) == "1, 2");
  CHECK(to_string(std::array<int, 3>{1, 0, 0}) == "1");
  CHECK(to_string(std::array<int, 3>{32, 64, 128}) == "32, 64, 128");
  CHECK(to_string(std::array<int, 3>{}).empty());
  const Range steps{8, 24, 8};
  for (int n = -8; n <= 32; ++n) CHECK(steps.contains(n) == (n == 8 || n == 16 || n == 24));
  CHECK_FALSE(Range{0, 8, 0}.contains(0));
  CHECK(Range{0, 8, 1}.contains(0));
}

TEST_CASE("forms: M and N up to 256, K of the kind, 96 or twice it") {
  const auto count = [](std::int64_t m, std::int64_t n, std::int64_t k, const char* dtype) {
    return mma_forms({m, n, k}, require_dtype(dtype)).size();
  };
  CHECK(count(256, 256, 16, "f16") == 1);  // cta_group::2
  CHECK(count(257, 256, 16, "f16") == 0);
  CHECK(count(256, 257, 16, "f16") == 0);
  CHECK(count(64, 256, 16, "f16") == 2);  // wgmma as well
  CHECK(count(64, 264, 16, "f16") == 0);
  CHECK(count(128, 256, 96, "e2m1") == 2);  // mxf4 and mxf4nvf4
  CHECK(count(128, 256, 95, "e2m1") == 0);
  CHECK(count(128, 256, 97, "e2m1") == 0);
  CHECK(count(128, 256, 64, "e2m1") == 3);   // and mxf8f6f4 on sm_107
  CHECK(count(256, 256, 128, "e2m1") == 2);  // mxf4 and mxf4nvf4 on sm_107
  CHECK(count(128, 256, 64, "e4m3") == 2);   // f8f6f4 and mxf8f6f4 on sm_107
  CHECK(count(64, 256, 64, "e4m3") == 1);    // .ws
  CHECK(count(128, 64, 16, "s1z4m11") == 1);
  CHECK(count(128, 256, 32, "e2m1") == 2);  // f8f6f4 and mxf8f6f4
  CHECK(count(128, 256, 96, "f16") == 0);
  // 2^32 + 128 is not taken for 128.
  CHECK(count((std::int64_t{1} << 32) + 128, 128, 16, "f16") == 0);
  CHECK(count(64, (std::int64_t{1} << 32) + 8, 16, "f16") == 0);
}

TEST_CASE("distance of shapes: the product of the ratios, the same in both directions") {
  CHECK(distance({64, 64, 16}, {64, 64, 16}) == 1.0);
  CHECK(distance({64, 64, 16}, {128, 64, 16}) == 2.0);
  CHECK(distance({128, 64, 16}, {64, 64, 16}) == 2.0);
  CHECK(distance({64, 32, 16}, {128, 8, 64}) == 32.0);
  CHECK(to_string(MmaExtents{1, 2, 3}) == "m1n2k3");
  const auto nearest = [](const MmaExtents& wanted, const char* dtype, const char* target) {
    return to_string(nearest_mma(wanted, require_dtype(dtype), require_target(target)).value());
  };
  CHECK(nearest({1000, 1000, 1000}, "f16", "sm_100a") == "m256n256k16");
  CHECK(nearest({1, 1, 1}, "f16", "sm_100a") == "m8n8k4");
  CHECK(nearest({1, 1, 1}, "bf16", "sm_100a") == "m16n8k8");
  CHECK(nearest({1, 1, 1}, "tf32", "sm_80") == "m16n8k4");
  CHECK(nearest({16, 8, 256}, "b1", "sm_80") == "m16n8k256");
  CHECK(nearest({128, 128, 96}, "e2m1", "sm_103a") == "m128n128k96");
  CHECK(nearest({128, 128, 96}, "e2m1", "sm_100a") == "m128n128k64");
  CHECK(nearest({32, 64, 16}, "f16", "sm_100a") == "m32n64k16");
}

}  // namespace
}  // namespace swz
