// SPDX-License-Identifier: Apache-2.0
// Which tcgen05.mma there is: PTX ISA 9.1, tables 39, 52, 56 and 57, written here as conditions, against refusal_of for
// every kind, group, .ws, sparsity and K; whole messages.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "arch/mma_choice.hpp"
#include "arch/tensor_memory.hpp"
#include "base/error.hpp"

namespace swz {
namespace {

using enum MmaKind;

bool in_steps(int n, int first, int last, int step) { return n >= first && n <= last && n % step == 0; }

// Table 39; K 96 as CUTLASS's SM103 atoms have it; table 52 for an N-major B of 8 bits; table 48 of PTX 9.4 for sm_107.
bool is_legal(MmaKind kind, const MmaChoice& c) {
  const bool fp4 = kind == mxf4 || kind == mxf4nvf4, scaled = fp4 || kind == mxf8f6f4;
  const bool is_ws = (c.m == 32 || c.m == 64 || c.m == 128) && (c.n == 64 || c.n == 128 || (c.n == 256 && !c.sparse));
  if (c.ws && (c.cta_group == 2 || scaled)) return false;
  if (c.transposed_8bit_b && (kind == f8f6f4 || kind == i8 || kind == mxf8f6f4) &&
      c.n % (c.cta_group == 2 ? 32 : 16) != 0)
    return false;
  if (c.k == KSize::k96 || c.k == KSize::twice) {
    const bool has = c.k == KSize::k96 ? fp4 : kind == mxf8f6f4 || (!c.sparse && (fp4 || kind == f8f6f4));
    if (c.ws) return has && is_ws;
    const bool by_8 = c.cta_group == 1 && (c.k == KSize::k96 ? c.sparse : kind == mxf8f6f4);
    return has && c.m == 128 * c.cta_group && (by_8 ? in_steps(c.n, 8, 256, 8) : in_steps(c.n, 16, 256, 16));
  }
  if (kind == ti16 && c.cta_group == 2) return (c.m == 128 || c.m == 256) && in_steps(c.n, 32, 256, 32);
  if (kind == ti16 && !c.ws && c.m == 128) return in_steps(c.n, 16, 256, 16);
  if (scaled && c.cta_group == 1) return c.m == 128 && in_steps(c.n, 8, 256, 8);
  if (scaled) return (c.m == 256 || (c.m == 128 && !c.sparse)) && in_steps(c.n, 16, 256, 16);
  if (c.ws) return is_ws;
  if (c.cta_group == 2) return (c.m == 128 || c.m == 256) && in_steps(c.n, 16, 256, kind == i8 ? 32 : 16);
  if (c.m != 64 && c.m != 128) return false;
  return kind == i8 ? in_steps(c.n, 8, 32, 8) || in_steps(c.n, 48, 256, 16) : in_steps(c.n, 8, 256, 8);
}

// The numbers after "nearest: " in a hint.
std::vector<int> nearest_in(const std::string& hint) {
  const std::string mark = "nearest: ";
  std::istringstream words(hint.substr(hint.find(mark) + mark.size()));
  std::vector<int> numbers;
  for (std::string word; words >> word;) {
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) numbers.push_back(std::stoi(word));
    if (word.ends_with(';') || (word != "and" && numbers.size() > 1)) break;
  }
  return numbers;
}

template <class Ask>
void for_every_form(Ask ask) {
  for (const int m : {1, 16, 32, 63, 64, 96, 128, 192, 256})
    for (int flags = 0; flags < 48; ++flags)
      ask(MmaChoice{.m = m,
                    .cta_group = 1 + (flags & 1),
                    .ws = (flags & 2) != 0,
                    .sparse = (flags & 4) != 0,
                    .k = static_cast<KSize>(flags / 16),
                    .transposed_8bit_b = (flags & 8) != 0});
}

TEST_CASE("every kind, M, N, group, .ws, sparsity and K: refused exactly where PTX's tables do") {
  int legal = 0, refused = 0;
  for (const MmaKindRow& kind : mma_kinds())
    for_every_form([&](MmaChoice choice) {
      choice.kinds = kind_set({kind.kind});
      for (const int n : {1,  7,   8,   12,  16,  24,  32,  40,  48,  56,  64,  72,  80,
                          96, 100, 104, 128, 136, 160, 192, 200, 224, 240, 248, 256, 257}) {
        choice.n = n;
        const bool expected = is_legal(kind.kind, choice);
        ++(expected ? legal : refused);
        if (refusal_of(choice).has_value() != expected) continue;
        CAPTURE(kind.name);
        CAPTURE(choice.m);
        CAPTURE(n);
        CAPTURE(choice.cta_group);
        CAPTURE(choice.ws);
        CAPTURE(choice.sparse);
        CAPTURE(static_cast<int>(choice.k));
        CHECK(refusal_of(choice).has_value() != expected);
      }
    });
  CHECK(legal == 2184);
  CHECK(refused == 8 * 9 * 48 * 26 - 2184);
}

TEST_CASE("a set of kinds: legal when one of them takes it, and then D has a data path") {
  for_every_form([&](MmaChoice choice) {
    choice.transposed_8bit_b = false;
    for (const int n : {8, 40, 64, 96, 256}) {
      choice.n = n;
      bool any = false, plain = false;
      for (const MmaKindRow& kind : mma_kinds()) {
        any = any || is_legal(kind.kind, choice);
        plain = plain || (is_legal(kind.kind, choice) && !kind.block_scaled);
      }
      CHECK(refusal_of(choice).has_value() != any);
      choice.kinds = plain_kinds;
      CHECK(refusal_of(choice).has_value() != plain);
      choice.kinds = every_kind;
      if (any) CHECK(find_data_path({choice.m, choice.cta_group, choice.ws, choice.sparse}) != nullptr);
    }
  });
}

TEST_CASE("the nearest M and N that a refusal names are legal, and none is nearer") {
  for (const MmaKindRow& kind : mma_kinds())
    for_every_form([&](MmaChoice choice) {
      choice.kinds = kind_set({kind.kind});
      for (const int n : {0, 1, 12, 40, 100, 250}) {
        choice.n = n;
        const auto refusal = refusal_of(choice);
        if (!refusal || (refusal->rule != "m" && refusal->rule != "n")) continue;
        const bool is_m = refusal->rule == "m";
        const auto fits = [&](int value) {
          MmaChoice other = choice;
          (is_m ? other.m : other.n) = value;
          if (!is_m) return is_legal(kind.kind, other);
          for (int columns = 8; columns <= 256; columns += 8) {
            other.n = columns;
            if (is_legal(kind.kind, other)) return true;
          }
          return false;
        };
        const int wanted = is_m ? choice.m : choice.n;
        std::vector<int> expected;
        for (int apart = 1; expected.empty() && apart < 300; ++apart)
          for (const int value : {wanted - apart, wanted + apart})
            if (fits(value)) expected.push_back(value);
        const std::string hint = refusal->advice.hint;
        CAPTURE(hint);
        CHECK(nearest_in(hint) == expected);
      }
    });
}

std::string refused(const MmaChoice& choice) {
  try {
    require_mma(choice);
  } catch (const Error& e) {
    return e.message() + "\n" + e.hint;
  }
  return "legal";
}

TEST_CASE("what a refusal says: the rule, and the nearest legal choice") {
  CHECK(refused({.kinds = kind_set({f16}), .n = 100}) ==
        "tcgen05.mma has no N 100 with M 128, cta_group::1, kind f16\n"
        "N is 8..256 step 8; nearest: 96 and 104");
  CHECK(refused({.kinds = kind_set({i8}), .n = 40}) ==
        "tcgen05.mma has no N 40 with M 128, cta_group::1, kind i8\n"
        "N is 8..32 step 8, 48..256 step 16; nearest: 32 and 48");
  CHECK(refused({.n = 40, .cta_group = 2}) ==
        "tcgen05.mma has no N 40 with M 128, cta_group::2\n"
        "N is 16..256 step 16; nearest: 32 and 48; N 40 exists with cta_group::1");
  CHECK(refused({.m = 64, .n = 96, .ws = true}) ==
        "tcgen05.mma has no N 96 with M 64, cta_group::1, .ws\n"
        "N is 64, 128 and 256; nearest: 64 and 128; N 96 exists with cta_group::1");
  CHECK(refused({.m = 64, .cta_group = 2, .sparse = true}) ==
        "tcgen05.mma has no M 64 with cta_group::2, sparse\n"
        "M is 128 and 256; nearest: 128; M 64 exists with cta_group::1 and .ws");
  CHECK(refused({.kinds = kind_set({mxf4}), .m = 128, .cta_group = 2, .sparse = true}) ==
        "tcgen05.mma has no M 128 with cta_group::2, sparse, kind mxf4\n"
        "M is 256; nearest: 256; M 128 exists with cta_group::1 and a dense A");
  CHECK(refused({.kinds = kind_set({mxf8f6f4}), .m = 64, .n = 64}) ==
        "tcgen05.mma has no M 64 with cta_group::1, kind mxf8f6f4\nM is 128; nearest: 128");
  CHECK(refused({.kinds = kind_set({mxf4nvf4}), .ws = true}) ==
        ".ws does not exist with block scaling, kind mxf4nvf4\n"
        ".ws is for kinds tf32, f16, f8f6f4, i8 and ti16; without it M is 128");
  CHECK(refused({.cta_group = 2, .ws = true}) == ".ws does not exist with cta_group::2\nleave one of them out");
  const Target *sm_103a = &require_target("sm_103a"), *sm_107f = &require_target("sm_107f");
  CHECK(refused({.kinds = kind_set({mxf4}), .n = 256, .sparse = true, .k = KSize::k96, .target = sm_103a}) ==
        "K 192 does not exist on sm_103a\nsm_107a and sm_107f have it");
  CHECK(refused({.kinds = kind_set({mxf4}), .n = 256, .sparse = true, .k = KSize::k96, .target = sm_107f}) == "legal");
  CHECK(refused({.kinds = kind_set({mxf4}), .n = 256, .k = KSize::k96, .target = sm_107f}) ==
        "K 96 does not exist on sm_107f\nsm_103a and sm_107a have it");
  CHECK(refused({.kinds = kind_set({mxf4}), .n = 256, .sparse = true, .k = KSize::twice}) ==
        "K twice that of the kind does not exist with a sparse A\nit is dense; the sparse K is that of the kind");
  CHECK(refused({.kinds = kind_set({mxf8f6f4}), .k = KSize::k96}) ==
        "K 96 does not exist with kind mxf8f6f4\nkinds mxf4 and mxf4nvf4 have it, on sm_103a and sm_107a");
  CHECK(refused({.kinds = kind_set({f8f6f4}), .n = 24, .transposed_8bit_b = true}) ==
        "tcgen05.mma has no N 24 with M 128, cta_group::1, kind f8f6f4, B N-major\n"
        "N is 16..256 step 16; nearest: 16 and 32");
  CHECK(refused({.kinds = kind_set({mxf4}), .vec = 16}) ==
        "kind mxf4 has no scale vectors of 16 elements\n--vec is 32");
  CHECK(refused({.kinds = kind_set({tf32}), .vec = 32}) ==
        "kind tf32 has no scale factors\nkinds mxf8f6f4, mxf4 and mxf4nvf4 have them");
  CHECK(refused({.kinds = kind_set({mxf4nvf4}), .n = 256, .vec = 16}) == "legal");
}

TEST_CASE("the type of D names the kinds") {
  CHECK(kinds_with_d(require_dtype("s32")) == kind_set({i8, ti16}));
  CHECK(kinds_with_d(require_dtype("f16")) == kind_set({f16, f8f6f4}));
  CHECK(kinds_with_d(require_dtype("f32")) == (every_kind & ~kind_set({i8, ti16})));
  CHECK_THROWS_WITH(kinds_with_d(require_dtype("bf16")), "tcgen05.mma has no D of bf16");
}

TEST_CASE("the nearest shape of a word: legal in some form, of the flags of the word") {
  for (const MmaKindRow& kind : mma_kinds())
    for (const bool sparse : {false, true})
      for (const int m : {16, 64, 112, 256, 496})
        for (const int n : {0, 40, 256, 504}) {
          const MmaShapeQuery query{kind.kind, m, n, sparse};
          const auto near = nearest_shape(query);
          REQUIRE(near);
          CHECK_FALSE(fitting_groups({kind.kind, near->m, near->n, sparse}).empty());
          if (!fitting_groups(query).empty()) CHECK((near->m == m && near->n == n));
        }
  CHECK_FALSE(nearest_shape({f16, 128, 64, false, KSize::k96}));
}

}  // namespace
}  // namespace swz
