// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include "expr/evaluate.hpp"
#include "smem/swizzle_find.hpp"

namespace swz {
namespace {

FindRequest request(const char* layout, int bits, const std::vector<const char*>& accesses) {
  FindRequest r{parse_layout(layout).layout(), bits, {}, {}};
  for (const char* access : accesses)
    for (const Access& a : parse_accesses(access)) r.accesses.push_back(a);
  return r;
}

std::int64_t excess_of(const std::vector<Walk>& walks, const Swizzle& s) {
  std::int64_t sum = 0;
  for (const Walk& walk : walks)
    for (const WalkStep& step : walk.steps) {
      AccessPattern pattern = step.pattern;
      for (std::uint32_t& address : pattern.address) address = static_cast<std::uint32_t>(s(address));
      sum += count_wavefronts(pattern).excess();
    }
  return sum;
}

// Every swizzle within 20 bits of address in the stated order, counted access by access.
std::optional<Swizzle> by_enumeration(const FindRequest& r) {
  const Placement placement(r.layout, r.element_bits);
  std::vector<Walk> walks;
  int least = 2;
  for (const Access& access : r.accesses) {
    walks.push_back(walk(placement, access));
    while (1 << least < walks.back().access.instruction->bytes) ++least;
  }
  if (excess_of(walks, Swizzle()) == 0) return Swizzle();
  for (int bits = 1; bits <= 7; ++bits)
    for (int base = 9; base >= least; --base)
      for (int shift = -9; shift <= 12; ++shift) {
        if (std::abs(shift) < bits || (shift < 0 && base + shift < 0)) continue;
        const Swizzle s(bits, shift < 0 ? base + shift : base, shift);
        // Bits that a negative shift reads below a piece tear the piece apart.
        if (shift < 0 && s.base() < least) continue;
        if (excess_of(walks, s) == 0) return s;
      }
  return std::nullopt;
}

TEST_CASE("the swizzle is the first of all, by enumeration with the counter: operands and accesses") {
  struct Case {
    const char* layout;
    int bits;
    std::vector<const char*> accesses;
  };
  const std::vector<Case> cases{
      {"(128,8):(1,128)", 16, {"ldmatrix.x4.trans"}},
      {"(64,64):(64,1)", 16, {"ldmatrix.x4", "st.shared.b128 rows"}},
      {"(64,32):(32,1)", 16, {"ldmatrix.x4"}},
      {"(64,16):(16,1)", 16, {"ldmatrix.x4"}},
      {"(64,8):(8,1)", 16, {"ldmatrix.x4"}},
      {"(32,32):(32,1)", 32, {"st.shared.b32 rows", "ld.shared.b32 columns"}},
      {"(32,32):(32,1)", 32, {"st.shared.b128 rows", "ld.shared.b32 columns"}},
      {"(32,48):(48,1)", 16, {"ldmatrix.x4", "st.shared.b128 rows"}},
      {"(16,128):(128,1)", 16, {"ldmatrix.x4"}},
      {"(32,32):(33,1)", 32, {"st.shared.b32 rows", "ld.shared.b32 columns"}},
      {"(32,64):(64,1)", 16, {"ld.shared.b16 columns"}},
      {"(32,64):(64,1)", 8, {"ld.shared.b32 columns"}},
      {"(32,32):(32,1)", 32, {"st.shared.b64 rows", "ld.shared.b64 columns"}},
      {"(16,(8,4)):(8,(1,128))", 16, {"ldmatrix.x4"}},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.layout));
    const FindRequest r = request(c.layout, c.bits, c.accesses);
    const SwizzleFind f = find_swizzle(r);
    // The same instructions, as raw addresses.
    std::vector<AccessPattern> patterns;
    for (const Walk& walk : f.walks)
      for (const WalkStep& step : walk.steps) patterns.push_back(step.pattern);
    CHECK(find_swizzle(patterns) == f.swizzle);
    CHECK(f.swizzle == by_enumeration(r));
    CHECK(f.is_found() == (f.total().excess() == 0));
    if (f.swizzle) CHECK(excess_of(f.walks, *f.swizzle) == 0);
    CHECK(rank(f.map) == f.map.bits());
    CHECK(f.total().wavefronts >= f.bound.wavefronts);
    CHECK(f.total().wavefronts <= f.total_plain().wavefronts);
    CHECK(f.collision.has_value() == !f.is_found());
  }
}

TEST_CASE("known answers") {
  const auto found = [](const char* layout, int bits, const std::vector<const char*>& accesses) {
    return find_swizzle(request(layout, bits, accesses)).swizzle;
  };
  CHECK(found("(128,8):(1,128)", 16, {"ldmatrix.x4.trans"}) == Swizzle(3, 4, 4));
  CHECK(in_units(Swizzle(3, 4, 4), 1) == Swizzle(3, 3, 4));
  CHECK(found("(64,64):(64,1)", 16, {"ldmatrix.x4"}) == Swizzle(3, 4, 3));
  CHECK(found("(64,32):(32,1)", 16, {"ldmatrix.x4"}) == Swizzle(2, 4, 3));
  CHECK(found("(64,16):(16,1)", 16, {"ldmatrix.x4"}) == Swizzle(1, 4, 3));
  CHECK(found("(32,32):(32,1)", 32, {"transpose"}) == Swizzle(5, 2, 5));
}

TEST_CASE("no map keeps 16 bytes whole for rows of 16 and columns of 4 bytes: the proof, the best, the witness") {
  const SwizzleFind f = find_swizzle(request("(32,32):(32,1)", 32, {"st.shared.b128 rows", "ld.shared.b32 columns"}));
  CHECK(!f.is_found());
  CHECK(f.bound.wavefronts == 32 + 32 * 4);
  CHECK(f.total().wavefronts == f.bound.wavefronts);
  CHECK(f.is_best());
  REQUIRE(f.collision.has_value());
  const LaneCollision& c = *f.collision;
  const AccessPattern& p = f.walks[c.walk].steps[c.step].pattern;
  CHECK(p.address[static_cast<std::size_t>(c.first)] <= c.first_word.count);
  CHECK(p.address[static_cast<std::size_t>(c.second)] <= c.second_word.count);
  const auto vector = static_cast<std::uint64_t>(c.kernel_vector().count);
  CHECK(vector != 0);
  CHECK((f.map(vector) >> 2) % 32 == 0);
  CHECK(!f.padding);
}

TEST_CASE("padding: the smallest by the counter; none where there are no lines") {
  const SwizzleFind transpose = find_swizzle(request("(32,32):(32,1)", 32, {"transpose"}));
  REQUIRE(transpose.padding.has_value());
  CHECK(transpose.padding->bytes == Bytes{4});
  CHECK(transpose.padding->line == Bytes{128});
  CHECK(transpose.padding->cost == Bytes{128});
  const SwizzleFind tile = find_swizzle(request("(64,64):(64,1)", 16, {"ldmatrix.x4"}));
  REQUIRE(tile.padding.has_value());
  CHECK(tile.padding->bytes == Bytes{16});
  CHECK(tile.padding->cost == Bytes{1024});
  const SwizzleFind mn = find_swizzle(request("(128,8):(1,128)", 16, {"ldmatrix.x4.trans"}));
  REQUIRE(mn.padding.has_value());
  CHECK(mn.padding->cost == Bytes{128});
  const SwizzleFind stacked = find_swizzle(request("(16,(8,4)):(64,(1,8))", 16, {"ldmatrix.x4"}));
  CHECK(stacked.total_plain().excess() > 0);
  CHECK(!stacked.has_plain_lines);
  CHECK(!stacked.padding);
}

TEST_CASE("a linear map where no swizzle suffices: rows whose numbers lie in two places of the address") {
  // Rows 0-3 at a pitch of 128 B, rows 4-7 2 KiB later: three row bits that are no run of address bits.
  const FindRequest r = request("((4,2),64):((64,1024),1)", 16, {"ldmatrix.x4"});
  const SwizzleFind f = find_swizzle(r);
  CHECK(by_enumeration(r) == std::nullopt);
  CHECK(!f.swizzle);
  CHECK(f.is_found());
  CHECK(!as_swizzle(f.map));
  REQUIRE(f.searches.size() == 1);
  CHECK(f.searches[0].log2_piece == 4);
  for (std::uint64_t byte = 0; byte < 4096; ++byte) CHECK(f.map(byte) % 16 == byte % 16);
}

TEST_CASE("candidates: the order, each once, all within the address") {
  const std::vector<Swizzle> all = swizzle_candidates(4, 12);
  CHECK(all.front().is_identity());
  CHECK(all[1] == Swizzle(1, 6, 1));
  CHECK(all.back() == Swizzle(3, 4, 7));
  for (std::size_t i = 2; i < all.size(); ++i) {
    const Swizzle &a = all[i - 1], &b = all[i];
    const bool ordered =
        a.bits() < b.bits() ||
        (a.bits() == b.bits() && (a.base() > b.base() || (a.base() == b.base() && a.shift() < b.shift())));
    CHECK(ordered);
  }
}

TEST_CASE("candidates: every swizzle that moves whole pieces within a line by bits of the address") {
  for (int piece = 2; piece <= 5; ++piece)
    for (int address_bits = 8; address_bits <= 14; ++address_bits) {
      const std::vector<Swizzle> all = swizzle_candidates(piece, address_bits);
      std::size_t count = 1;  // the identity
      // Written are bits M to M + B - 1 of the 7 that pick a byte of a line; read are S bits higher ones.
      for (int b = 1; b < 8; ++b)
        for (int m = piece; m + b <= 7; ++m)
          for (int s = b; m + s < address_bits; ++s) {
            ++count;
            CHECK(std::ranges::count(all, Swizzle(b, m, s)) == 1);
          }
      CHECK(all.size() == count);
    }
}

}  // namespace
}  // namespace swz
