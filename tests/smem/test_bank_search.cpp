// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "smem/bank_search.hpp"

namespace swz {
namespace {

using Random = std::mt19937_64;

// Instructions of 4-byte loads, each by a few lanes, below `bytes`.
std::vector<Walk> random_walks(Random& random, std::uint32_t bytes, std::uint64_t most_lanes) {
  Walk walk;
  for (std::uint64_t n = 1 + random() % 3; n > 0; --n) {
    WalkStep step;
    step.pattern.instruction = &require_access("ld.shared.b32");
    const std::uint64_t lanes = 1 + random() % most_lanes;
    step.pattern.active = static_cast<std::uint32_t>((std::uint64_t{1} << lanes) - 1);
    for (std::uint32_t& address : step.pattern.address)
      address = static_cast<std::uint32_t>(random() % bytes) & ~std::uint32_t{3};
    step.count = count_wavefronts(step.pattern);
    walk.steps.push_back(step);
  }
  return {walk};
}

// The excess of all steps with mapped addresses, by the counter that knows nothing of groups.
std::int64_t excess(const std::vector<Walk>& walks, const LinearMap& map) {
  std::int64_t sum = 0;
  for (const Walk& walk : walks)
    for (const WalkStep& step : walk.steps) {
      AccessPattern pattern = step.pattern;
      for (std::uint32_t& address : pattern.address) address = static_cast<std::uint32_t>(map(address));
      sum += count_wavefronts(pattern).excess();
    }
  return sum;
}

// All maps of the form of the search, on two line bits.
template <class F>
void for_each_map(int log2_piece, int address_bits, const F& f) {
  const std::uint64_t values = std::uint64_t{1} << (7 - log2_piece);
  for (std::uint64_t a = 0; a < values; ++a)
    for (std::uint64_t b = 0; b < values; ++b) {
      std::vector<std::uint64_t> columns = LinearMap::identity(address_bits).columns();
      columns[7] ^= a << log2_piece;
      columns[8] ^= b << log2_piece;
      f(LinearMap(columns));
    }
}

TEST_CASE("the search agrees with trying every map of its form: found where there is one, and only there") {
  Random random(1);
  int found = 0, none = 0;
  for (int n = 0; n < 400; ++n) {
    const std::vector<Walk> walks = random_walks(random, 512, 16);
    const ConflictGroups groups = conflict_groups(walks);
    if (groups.word_bits != 7) continue;
    for (int piece = 4; piece <= 6; ++piece) {
      bool exists = false;
      for_each_map(piece, 9, [&](const LinearMap& map) { exists = exists || excess(walks, map) == 0; });
      const BankSearch search = search_bank_map(groups, piece);
      CHECK(search.is_complete);
      CHECK(search.map.has_value() == exists);
      (exists ? found : none) += 1;
      if (!search.map) continue;
      CHECK(is_conflict_free(groups, *search.map));
      const LinearMap map = address_map(*search.map);
      CHECK(rank(map) == map.bits());
      CHECK(excess(walks, map) == 0);
      for (std::uint64_t byte = 0; byte < 512; ++byte)
        CHECK(map(byte) % (std::uint64_t{1} << piece) == byte % (std::uint64_t{1} << piece));
    }
  }
  CHECK(found > 100);
  CHECK(none > 100);
}

TEST_CASE("'none of any linear map' is true of all linear maps to the two upper bank bits") {
  Random random(2);
  int proofs = 0;
  for (int n = 0; n < 300; ++n) {
    const std::vector<Walk> walks = random_walks(random, 512, 20);
    const ConflictGroups groups = conflict_groups(walks);
    const BankSearch search = search_bank_map(groups, 5);
    if (groups.word_bits != 7 || !search.is_every_linear_map) continue;
    ++proofs;
    // Word bits 3 to 6 to two bits; the three below stay.
    for (std::uint32_t choice = 0; choice < 256; ++choice) {
      std::vector<std::uint64_t> columns{1, 2, 4, 0, 0, 0, 0};
      for (std::size_t i = 0; i < 4; ++i) columns[3 + i] = (choice >> (2 * i) & 3) << 3;
      CHECK(!is_conflict_free(groups, LinearMap(columns)));
    }
  }
  CHECK(proofs > 20);
}

TEST_CASE("groups: wavefronts and conflicts are those of the counter, for swizzles and accesses of every kind") {
  const Placement placement(Layout(std::vector<IntTuple>{64, 64}, std::vector<IntTuple>{64, 1}), 16);
  for (const char* name : {"ldmatrix.x4", "ldmatrix.x2", "st.shared.b128 rows", "ld.shared.b64 columns",
                           "ld.shared.b32 columns", "ld.shared.b16 columns", "st.shared.b16 rows"}) {
    CAPTURE(std::string(name));
    const std::vector<Walk> walks{walk(placement, parse_accesses(name).front())};
    const ConflictGroups groups = conflict_groups(walks);
    for (const Swizzle& s : {Swizzle(), Swizzle(1, 4, 3), Swizzle(3, 4, 3), Swizzle(2, 5, 4), Swizzle(3, 4, 5)}) {
      const LinearMap map = bank_map(s, groups.word_bits);
      const std::int64_t over = excess(walks, LinearMap::of(s, groups.word_bits + 2));
      CHECK(wavefronts(groups, map) - groups.ideal == over);
      CHECK(is_conflict_free(groups, map) == (over == 0));
    }
  }
}

TEST_CASE("the bound holds for random permutations of pieces, linear or not") {
  Random random(3);
  for (int n = 0; n < 200; ++n) {
    const std::vector<Walk> walks = random_walks(random, 2048, 32);
    const ConflictGroups groups = conflict_groups(walks);
    const int piece = 2 + static_cast<int>(random() % 5);
    const CountingBound bound = counting_bound(groups, piece);
    std::vector<std::uint32_t> order(2048U >> piece);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    std::shuffle(order.begin(), order.end(), random);
    std::int64_t count = 0;
    for (const WalkStep& step : walks.front().steps) {
      AccessPattern pattern = step.pattern;
      for (std::uint32_t& a : pattern.address) a = order[a >> piece] << piece | (a & ((1U << piece) - 1));
      count += count_wavefronts(pattern).wavefronts;
    }
    CHECK(count >= bound.wavefronts);
    CHECK(wavefronts(groups, improved(groups, bank_map(Swizzle(), groups.word_bits), piece)) >= bound.wavefronts);
  }
}

TEST_CASE("the bound counts, group by group, words at one place of their pieces: these share 128 B / piece banks") {
  Random random(4);
  for (int n = 0; n < 100; ++n) {
    const ConflictGroups groups = conflict_groups(random_walks(random, 2048, 32));
    for (int piece = 2; piece <= 6; ++piece) {
      const std::uint32_t bytes = 1U << piece;
      const std::int64_t banks = 128 / bytes;
      std::int64_t sum = 0, worst = 0, most_words = 0;
      for (const ConflictGroup& group : groups.groups) {
        std::map<std::uint32_t, std::int64_t> at;
        for (const std::uint32_t word : group.words) ++at[word * 4 % bytes];
        std::int64_t most = 0;
        for (const auto& place : at) most = std::max(most, place.second);
        const std::int64_t needed = most / banks + (most % banks != 0 ? 1 : 0);
        sum += group.times * needed;
        if (needed > worst) most_words = most;
        worst = std::max(worst, needed);
      }
      const CountingBound bound = counting_bound(groups, piece);
      CHECK(bound.banks == banks);
      CHECK(bound.wavefronts == sum);
      CHECK(bound.words == most_words);
    }
  }
}

TEST_CASE("a column of 32 words with 16-byte pieces: eight banks for 32 words") {
  const Placement placement(Layout(std::vector<IntTuple>{32, 32}, std::vector<IntTuple>{32, 1}), 32);
  const std::vector<Walk> walks{walk(placement, parse_accesses("ld.shared.b32 columns").front())};
  const ConflictGroups groups = conflict_groups(walks);
  CHECK(groups.groups.size() == 1);
  CHECK(groups.groups[0].times == 32);
  CHECK(groups.differences.size() == 31);
  const CountingBound bound = counting_bound(groups, 4);
  CHECK(bound.words == 32);
  CHECK(bound.banks == 8);
  CHECK(bound.wavefronts == 128);
  CHECK(counting_bound(groups, 2).wavefronts == 32);
  CHECK(!search_bank_map(groups, 4).map);
  const BankSearch words = search_bank_map(groups, 2);
  REQUIRE(words.map.has_value());
  CHECK(is_conflict_free(groups, *words.map));
}

}  // namespace
}  // namespace swz
