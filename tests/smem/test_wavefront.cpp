// SPDX-License-Identifier: Apache-2.0
// Wavefronts: the rule against a simulation of the passes, pairing, the reference values, faults.
#include <doctest/doctest.h>

#include <bit>
#include <map>
#include <random>
#include <set>

#include "base/error.hpp"
#include "smem/access.hpp"
#include "smem/counted_by_hand.hpp"

using namespace swz;

namespace {

using Random = std::mt19937;

std::uint32_t draw(Random& random) { return static_cast<std::uint32_t>(random()); }

std::uint32_t below(Random& random, std::uint32_t n) { return draw(random) % n; }

// Addresses in all the ways kernels have them, whole and masked. window: how many accesses wide the addresses are.
AccessPattern random_pattern(Random& random, const AccessInstruction& instruction) {
  AccessPattern p{&instruction, 0xffffffff, {}};
  const auto bytes = static_cast<std::uint32_t>(instruction.bytes);
  const std::uint32_t places = 233472 / bytes;
  const std::uint32_t kind = below(random, 7);
  const std::uint32_t stride = below(random, 2) == 0 ? 1U << below(random, 8) : below(random, 200);
  const std::uint32_t base = below(random, places - 32 * 200), narrow = 1 + below(random, 96);
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    std::uint32_t place = 0;
    switch (kind) {
      case 0: place = below(random, places); break;                         // anywhere
      case 1: place = base + below(random, narrow); break;                  // many on the same words
      case 2: place = base + lane * stride; break;                          // strided
      case 3: place = base + (lane >> 1) * stride; break;                   // pairs l^1
      case 4: place = base + (lane & 1) + (lane >> 2) * 2 * stride; break;  // pairs l^2
      case 5: place = base + lane % 8 * stride + lane / 8; break;           // rows of a matrix
      default: place = base + (lane * 7 % 32 ^ lane / 4) * (stride % 5); break;
    }
    p.address[lane] = place * bytes;
  }
  switch (below(random, 6)) {
    case 0: p.active = draw(random); break;
    case 1: p.active = draw(random) & draw(random) & draw(random); break;
    case 2: p.active = 0x55555555U << below(random, 2); break;
    case 3: p.active = 0xffffffffU >> below(random, 32); break;
    default: break;
  }
  // Almost a pattern that pairs: one lane elsewhere.
  if (below(random, 4) == 0) p.address[below(random, 32)] = below(random, places) * bytes;
  return p;
}

AccessPattern strided(const char* name, std::uint32_t stride, std::uint32_t active = 0xffffffff) {
  AccessPattern p{&require_access(name), active, {}};
  for (std::uint32_t lane = 0; lane < 32; ++lane) p.address[lane] = lane * stride;
  return p;
}

AccessPattern pairs(const char* name, std::uint32_t distance, std::uint32_t active = 0xffffffff) {
  AccessPattern p{&require_access(name), active, {}};
  const auto bytes = static_cast<std::uint32_t>(p.instruction->bytes);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    p.address[lane] = (distance == 1 ? lane / 2 : lane / 4 * 2 + lane % 2) * bytes;
  return p;
}

void check_report(const AccessPattern& p) {
  const WavefrontReport report = wavefront_report(p, default_target());
  int wavefronts = 0, ideal = 0;
  std::uint32_t seen = 0, colliding = 0;
  for (const WavefrontGroup& group : report.groups) {
    wavefronts += group.passes;
    ideal += group.ideal;
    CHECK((seen & group.active) == 0);
    seen |= group.active;
    int words = 0, most = 0;
    for (const BankUse& bank : group.banks) {
      words += static_cast<int>(bank.words.size());
      most = std::max(most, static_cast<int>(bank.words.size()));
      std::set<std::uint32_t> distinct;
      for (const WordUse& word : bank.words) {
        CHECK(word.word % 32 == static_cast<std::uint32_t>(bank.bank));
        CHECK((word.lanes & ~group.active) == 0);
        distinct.insert(word.word);
      }
      CHECK(distinct.size() == bank.words.size());
    }
    CHECK(words == group.words);
    const int each = p.instruction->lane_passes;
    if (each == 0) CHECK(most == group.passes);
    for (const LaneUse& a : group.lanes) {
      CHECK(a.pass < group.passes);
      if (a.collides_with != 0) colliding |= 1U << a.lane;
      for (const LaneUse& b : group.lanes) {
        const bool same_bank = a.bank == b.bank, same_words = a.address.count / 4 == b.address.count / 4;
        CHECK((a.collides_with >> b.lane & 1) == (same_bank && !same_words ? 1 : 0));
        if (same_bank) CHECK((a.pass == b.pass) == (each == 0 ? same_words : a.lane == b.lane));
      }
    }
  }
  CHECK(seen == p.lanes());
  CHECK(std::max(wavefronts, 1) == report.count.wavefronts);
  CHECK(std::max(ideal, 1) == report.count.ideal);
  CHECK(colliding == report.count.colliding);
  CHECK(report.pairing.empty() == (report.count.pairs == 0));
}

std::string fault_of(const AccessInstruction& instruction, const std::vector<std::int64_t>& addresses,
                     std::uint32_t active = 0) {
  const std::uint32_t all =
      static_cast<std::uint32_t>((std::uint64_t{1} << std::min<std::size_t>(addresses.size(), 32)) - 1);
  try {
    access_pattern(instruction, addresses, active == 0 ? all : active, default_target());
  } catch (const Error& error) {
    return error.message();
  }
  return "no fault";
}

}  // namespace

TEST_SUITE("smem") {
  // Accesses of a kernel that are a constant apart are counted once because of this.
  TEST_CASE("addresses that all move by a multiple of the width take the same wavefronts") {
    Random random(20261128);
    for (const AccessInstruction& instruction : access_instructions())
      for (int n = 0; n < 400; ++n) {
        const AccessPattern pattern = random_pattern(random, instruction);
        AccessPattern moved = pattern;
        const std::uint32_t width =
            instruction.op == AccessOp::cp_async ? 128 : static_cast<std::uint32_t>(std::max(instruction.bytes, 4));
        const std::uint32_t by = below(random, 1000) * width;
        for (std::uint32_t& address : moved.address) address += by;
        const WavefrontCount before = count_wavefronts(pattern), after = count_wavefronts(moved);
        INFO(instruction.name, " by ", by);
        CHECK(after.wavefronts == before.wavefronts);
        CHECK(after.ideal == before.ideal);
      }
  }

  TEST_CASE("wavefronts: the passes, simulated, of 380,000 patterns over all instructions") {
    Random random(20260801);
    int checked = 0, wrong = 0, paired = 0, excess = 0, empty = 0;
    for (int round = 0; round < 10000; ++round)
      for (const AccessInstruction& instruction : access_instructions()) {
        const AccessPattern p = random_pattern(random, instruction);
        const WavefrontCount count = count_wavefronts(p);
        const HandCount hand = counted_by_hand(p);
        ++checked;
        if (count.wavefronts != hand.wavefronts || count.ideal != hand.ideal) ++wrong;
        if (count.wavefronts < count.ideal) ++wrong;
        if (instruction.lane_passes == 0 && (count.colliding == 0) != (count.ways() <= 1)) ++wrong;
        paired += count.pairs != 0 ? 1 : 0;
        excess += count.excess() > 0 ? 1 : 0;
        empty += p.lanes() == 0 ? 1 : 0;
      }
    CHECK(wrong == 0);
    CHECK(checked >= 380000);
    // The draw holds what it is meant to hold.
    CHECK(paired > 5000);
    CHECK(excess > 75000);
    CHECK(empty > 100);
  }

  TEST_CASE("wavefronts: lanes of one word of an atomic wait; combined they are one lane of each word of a group") {
    Random random(20261125);
    int waiting = 0;
    for (int round = 0; round < 4000; ++round)
      for (const AccessInstruction& instruction : access_instructions()) {
        const AccessPattern p = random_pattern(random, instruction);
        const WavefrontCount count = count_wavefronts(p);
        if (instruction.lane_passes == 0) {
          REQUIRE(count.sharing == 0);
          continue;
        }
        AccessPattern one = p;
        int most = 0;
        for (int group = 0; group < warp_lanes; group += instruction.group_lanes) {
          std::map<std::uint32_t, int> lanes;
          for (int lane = group; lane < group + instruction.group_lanes; ++lane) {
            if ((p.lanes() >> lane & 1) == 0) continue;
            const int before = lanes[p.address[static_cast<std::size_t>(lane)]]++;
            if (before > 0) one.active &= ~(std::uint32_t{1} << lane);
            most = std::max(most, before + 1);
          }
        }
        REQUIRE(count.sharing == most);
        REQUIRE(count.combined == count_wavefronts(one).wavefronts);
        waiting += most > 1 ? 1 : 0;
      }
    CHECK(waiting > 1000);
  }

  TEST_CASE("access: matrices by their names in SASS are those of PTX") {
    for (const auto& [sass, ptx] : {std::pair{"LDSM.16.M88", "ldmatrix.x1"},
                                    {"LDSM.16.M88.4", "ldmatrix.x4"},
                                    {"LDSM.16.MT88.4", "ldmatrix.x4.trans"},
                                    {"STSM.16.M88.4", "stmatrix.x4"},
                                    {"ldsm.16.mt88.2", "ldmatrix.x2.trans"}}) {
      const std::string written = sass;
      CAPTURE(written);
      REQUIRE(find_access(sass) != nullptr);
      CHECK(find_access(sass)->name == ptx);
    }
    for (const auto& [name, meant] : {std::pair{"ld.shared.v4", "ld.shared.b128"},
                                      {"st.shared.v2", "st.shared.b64"},
                                      {"ld.shared.v2", "ld.shared.b64"},
                                      {"st.shared.v4", "st.shared.b128"}}) {
      const std::string written = name;
      CAPTURE(written);
      try {
        require_access(name);
        FAIL_CHECK("no error");
      } catch (const Error& error) {
        CHECK(error.hint == std::string("did you mean '") + meant + "'? that is its form for 32 bits");
      }
    }
  }

  TEST_CASE("wavefronts: fewer lanes never take more") {
    Random random(29);
    int fewer = 0;
    for (const AccessInstruction& instruction : access_instructions())
      for (int i = 0; i < 4000; ++i) {
        AccessPattern all = random_pattern(random, instruction);
        all.active = 0xffffffff;
        AccessPattern some = all;
        some.active = i % 3 == 0   ? draw(random)
                      : i % 3 == 1 ? draw(random) & draw(random)
                                   : ~(1U << below(random, 32));  // one is missing
        const int most = count_wavefronts(all).wavefronts, seen = count_wavefronts(some).wavefronts;
        INFO(instruction.name);
        INFO(some.active);
        CHECK(seen <= most);
        fewer += seen < most;
      }
    CHECK(fewer > 10000);
  }

  TEST_CASE("wavefronts: the report tells what the count says") {
    Random random(7);
    for (int round = 0; round < 4; ++round)
      for (const AccessInstruction& instruction : access_instructions())
        check_report(random_pattern(random, instruction));
  }

  TEST_CASE("wavefronts: 32 lanes down a column of f32") {
    for (const auto& [pitch, wanted] : {std::pair{32U, 32}, {64U, 32}, {16U, 16}, {33U, 1}}) {
      const WavefrontCount count = count_wavefronts(strided("ld.shared.b32", pitch * 4));
      CHECK(count.wavefronts == wanted);
      CHECK(count.ideal == 1);
    }
    const WavefrontCount wide = count_wavefronts(strided("ld.shared.b128", 16));
    CHECK(wide.wavefronts == 4);
    CHECK(wide.ideal == 4);
    CHECK(wide.excess() == 0);
  }

  TEST_CASE("wavefronts: eight rows of 16 bytes at a pitch") {
    for (const auto& [pitch, ways] : {std::pair{16U, 1}, {32U, 2}, {64U, 4}, {128U, 8}, {144U, 1}, {48U, 1}}) {
      CHECK(count_wavefronts(strided("ldmatrix.x1", pitch)).wavefronts == ways);
      CHECK(count_wavefronts(strided("stmatrix.x1", pitch)).wavefronts == ways);
      CHECK(count_wavefronts(strided("ldmatrix.x4.trans", pitch)).ways() == ways);
    }
  }

  TEST_CASE("wavefronts: the same word is no conflict; parts of a word are not either") {
    CHECK(count_wavefronts(strided("ld.shared.b32", 0)).wavefronts == 1);
    CHECK(count_wavefronts(strided("st.shared.b128", 0)).wavefronts == 4);
    CHECK(count_wavefronts(strided("ld.shared.b8", 1)).wavefronts == 1);
    CHECK(count_wavefronts(strided("ld.shared.b8", 1)).ideal == 1);
    CHECK(count_wavefronts(strided("st.shared.b16", 128)).wavefronts == 32);
  }

  TEST_CASE("wavefronts: pairing is for loads, for the whole warp, with one distance") {
    for (const std::uint32_t distance : {1U, 2U}) {
      CHECK(count_wavefronts(pairs("ld.shared.b64", distance)).wavefronts == 1);
      CHECK(count_wavefronts(pairs("ld.shared.b128", distance)).wavefronts == 2);
      CHECK(count_wavefronts(pairs("ld.shared.b64", distance)).pairs == static_cast<int>(distance));
      CHECK(count_wavefronts(pairs("st.shared.b64", distance)).wavefronts == 2);
      CHECK(count_wavefronts(pairs("st.shared.b128", distance)).wavefronts == 4);
      CHECK(count_wavefronts(pairs("ldmatrix.x4", distance)).wavefronts == 4);
      CHECK(count_wavefronts(pairs("ld.shared.b32", distance)).pairs == 0);
    }
    // Half of the warp with each distance: no pairing.
    AccessPattern mixed = pairs("ld.shared.b128", 1);
    for (std::uint32_t lane = 16; lane < 32; ++lane) mixed.address[lane] = pairs("ld.shared.b128", 2).address[lane];
    CHECK(count_wavefronts(mixed).pairs == 0);
    CHECK(count_wavefronts(mixed).wavefronts == 4);
    // One lane that differs, unless it or its partner is inactive.
    AccessPattern one = pairs("ld.shared.b128", 1);
    one.address[5] += 16;
    CHECK(count_wavefronts(one).wavefronts == 4);
    one.active = ~(1U << 4);
    CHECK(count_wavefronts(one).wavefronts == 2);
    one.active = ~(1U << 5);
    CHECK(count_wavefronts(one).wavefronts == 2);
    // All partners inactive: 16 lanes of 8 bytes that are 16 bytes apart fall into 16 columns of 8 bytes, twice.
    const WavefrontCount alone = count_wavefronts(strided("ld.shared.b64", 8, 0x55555555));
    CHECK(alone.pairs == 1);
    CHECK(alone.groups == 1);
    CHECK(alone.wavefronts == 2);
    CHECK(wavefront_report(pairs("ld.shared.b128", 2), default_target()).pairing ==
          "lanes l and l^2 give the same address whenever both are active, so two groups of 8 lanes are served as "
          "one "
          "of 16");
  }

  TEST_CASE("wavefronts: no active lane, and lanes whose addresses are ignored") {
    for (const AccessInstruction& instruction : access_instructions()) {
      const WavefrontCount none = count_wavefronts({&instruction, 0, {}});
      CHECK(none.wavefronts == 1);
      CHECK(none.ideal == 1);
      CHECK(none.pairs == 0);
    }
    AccessPattern x1 = strided("ldmatrix.x1", 16);
    for (std::uint32_t lane = 8; lane < 32; ++lane) x1.address[lane] = 1;
    CHECK(count_wavefronts(x1).wavefronts == 1);
    CHECK_NOTHROW(require_no_fault(x1, default_target()));
  }

  TEST_CASE("access: names, the table's invariants, evidence by target") {
    std::set<std::string_view> names;
    for (const AccessInstruction& i : access_instructions()) {
      CHECK(names.insert(i.name).second);
      CHECK(find_access(i.name) == &i);
    }
    const auto name_of = [](const char* text) { return find_access(text) == nullptr ? "" : find_access(text)->name; };
    CHECK(name_of("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16") == "ldmatrix.x4.trans");
    CHECK(name_of("stmatrix.sync.aligned.m8n8.x2.shared::cta.b16") == "stmatrix.x2");
    CHECK(name_of("ld.shared.v4.f32") == "ld.shared.b128");
    CHECK(name_of("ld.shared.v2.u16") == "ld.shared.b32");
    CHECK(name_of("st.volatile.shared.f64") == "st.shared.b64");
    CHECK(name_of("LDS.128") == "ld.shared.b128");
    CHECK(name_of("sts") == "st.shared.b32");
    CHECK(name_of("cp.async.cg.shared.global.16") == "cp.async.16");
    for (const char* wrong : {"", "ld", "ld.shared.b24", "ld.shared.v8.f32", "ldmatrix", "ldmatrix.x3",
                              "st.shared.b256", "ld.global.b32x", "LDS.96"})
      CHECK(name_of(wrong) == "");
    const Target &hopper = require_target("sm_90a"), &ampere = require_target("sm_80");
    CHECK(wavefront_source(require_access("ldmatrix.x4"), hopper).evidence == Evidence::measured);
    CHECK(wavefront_source(require_access("ldmatrix.x4"), ampere).evidence == Evidence::claimed);
    CHECK(wavefront_source(require_access("ld.shared.b32"), ampere).evidence == Evidence::documented);
    CHECK(wavefront_source(require_access("cp.async.16"), hopper).evidence == Evidence::claimed);
  }

  TEST_CASE("access: what faults on hardware is refused") {
    const AccessInstruction &b128 = require_access("ld.shared.b128"), &b32 = require_access("ld.shared.b32");
    CHECK(fault_of(b128, {0, 16, 40}) ==
          "lane 2: address 0x28 is not a multiple of 16: ld.shared.b128 faults (misaligned address)");
    CHECK(fault_of(b32, {0, 233468}) == "no fault");
    CHECK(fault_of(b32, {0, 233472}) ==
          "lane 1: address 0x39000 lies beyond shared memory, which ends at 0x39000 on sm_90a");
    CHECK(fault_of(b128, {233456}) == "no fault");
    CHECK(fault_of(b32, std::vector<std::int64_t>(33, 0)) == "33 addresses are given; a warp has 32 lanes");
    CHECK(fault_of(b32, {0, 4}, 0x5) == "lane 2 is active and has no address; 2 are given");
    CHECK(fault_of(b32, {0, 3}, 0x1) == "no fault");
    CHECK(fault_of(b32, {INT64_MAX}).find("is not a shared-memory address") != std::string::npos);
    CHECK(fault_of(b32, {-4}).find("is not a shared-memory address") != std::string::npos);
  }
}
