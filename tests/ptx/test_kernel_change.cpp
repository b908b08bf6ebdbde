// SPDX-License-Identifier: Apache-2.0
// kernel_change: each access in one pair, a build against itself, exchanged builds, and what is worse.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "ptx/kernel_change.hpp"

namespace swz {
namespace {

struct Build {
  PtxModule module;
  std::vector<KernelReport> reports;

  KernelBuild of(std::size_t kernel = 0) const { return {.module = &module, .report = &reports[kernel]}; }
};

Build build_of_text(std::string text) {
  Build build{.module = read_ptx(std::move(text)), .reports = {}};
  build.reports = kernel_reports(build.module, {});
  return build;
}

Build build_of_file(const std::string& name) {
  std::ifstream file(SWZ_SOURCE_DIR "/tests/ptx/mistakes/" + name, std::ios::binary);
  return build_of_text(std::string(std::istreambuf_iterator<char>(file), {}));
}

// One store of each lane at `stride` bytes for each instruction.
Build build_of_stores(const std::vector<std::pair<std::string, int>>& stores) {
  std::string text =
      ".version 8.5\n.target sm_90a\n.address_size 64\n.shared .align 16 .b8 s[16384];\n"
      ".visible .entry k() .reqntid 32 {\n.reg .b32 %r<200>;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\n";
  int next = 3;
  for (const auto& [opcode, stride] : stores) {
    const std::string a = "%r" + std::to_string(next++);
    text += "mad.lo.s32 " + a + ", %r1, " + std::to_string(stride) + ", %r2;\n" + opcode + " [" + a + "], " +
            (opcode.find("v4") != opcode.npos ? "{%r1,%r1,%r1,%r1}" : "%r1") + ";\n";
  }
  return build_of_text(text + "ret;\n}\n");
}

void check_pairs(const KernelChange& change, const Build& before, const Build& after) {
  std::multiset<const SmemSite*> old, now;
  for (const AccessPair& pair : change.accesses) {
    if (pair.before != nullptr) old.insert(pair.before);
    if (pair.after != nullptr) now.insert(pair.after);
    CHECK((pair.before != nullptr || pair.after != nullptr));
  }
  std::multiset<const SmemSite*> all_old, all_new;
  for (const SmemSite& site : before.reports[0].smem) all_old.insert(&site);
  for (const SmemSite& site : after.reports[0].smem) all_new.insert(&site);
  CHECK(old == all_old);
  CHECK(now == all_new);
}

std::ptrdiff_t count(const KernelChange& change, AccessChange kind) {
  return std::ranges::count(change.accesses, kind, &AccessPair::change);
}

TEST_CASE("kernel_change: a build against itself has only equals; each access is in one pair") {
  for (const char* name : {"unpadded_transposition.ptx", "unpadded_transposition_right.ptx", "swapped_strides.ptx",
                           "wrong_mode.ptx", "wrong_transpose.ptx"}) {
    INFO(name);
    const Build build = build_of_file(name);
    const KernelChange change = kernel_change(build.of(), build.of());
    check_pairs(change, build, build);
    CHECK(change.is_none());
    for (const AccessPair& pair : change.accesses) CHECK(pair.before == pair.after);
  }
}

TEST_CASE("kernel_change: exchanged builds exchange better and worse") {
  const Build wrong = build_of_file("unpadded_transposition.ptx"),
              right = build_of_file("unpadded_transposition_right.ptx");
  const KernelChange mended = kernel_change(wrong.of(), right.of()), broken = kernel_change(right.of(), wrong.of());
  check_pairs(mended, wrong, right);
  check_pairs(broken, right, wrong);
  CHECK(count(mended, AccessChange::better) == 4);
  CHECK(count(broken, AccessChange::worse) == 4);
  CHECK(mended.worse.empty());
  REQUIRE(broken.worse.size() == 1);
  CHECK(broken.worse[0].rule == "more-conflicts");
  CHECK(broken.worse[0].message ==
        "line 78: ld.shared.b32 takes 32 wavefronts where 1 would do, before 1 where 1 would do; 3 more are "
        "worse");
  CHECK(mended.before.wavefronts == broken.after.wavefronts);
  CHECK(mended.before.conflicts == 4);
  CHECK(mended.after.conflicts == 0);
}

TEST_CASE("kernel_change: reordered accesses are the same, wider ones are not worse, new ones are if they conflict") {
  const Build some = build_of_stores({{"st.shared.b32", 4}, {"st.shared.b32", 8}, {"st.shared.v4.b32", 16}});
  const Build reordered = build_of_stores({{"st.shared.v4.b32", 16}, {"st.shared.b32", 8}, {"st.shared.b32", 4}});
  const KernelChange same = kernel_change(some.of(), reordered.of());
  check_pairs(same, some, reordered);
  CHECK(same.before.wavefronts == same.after.wavefronts);
  CHECK(same.before.conflicts == 1);

  const Build narrow = build_of_stores({{"st.shared.b32", 4}}), wide = build_of_stores({{"st.shared.v4.b32", 16}});
  const KernelChange wider = kernel_change(narrow.of(), wide.of());
  CHECK(wider.after.wavefronts > wider.before.wavefronts);
  CHECK(wider.worse.empty());

  const Build more = build_of_stores({{"st.shared.b32", 4}, {"st.shared.b32", 128}});
  const KernelChange added = kernel_change(narrow.of(), more.of());
  CHECK(count(added, AccessChange::worse) == 1);
  REQUIRE(added.worse.size() == 1);
  CHECK(added.worse[0].message.find("before it was not there") != std::string::npos);
  const Build harmless = build_of_stores({{"st.shared.b32", 4}, {"st.shared.b32", 4}});
  CHECK(kernel_change(narrow.of(), harmless.of()).worse.empty());
  CHECK(count(kernel_change(more.of(), narrow.of()), AccessChange::better) == 1);
}

TEST_CASE("kernel_change: a rule that is newly broken, more stack and more spills are worse; more registers are not") {
  const Build wrong = build_of_file("swapped_strides.ptx"), right = build_of_file("swapped_strides_right.ptx");
  std::set<std::string> messages;
  for (const Finding& one : kernel_change(right.of(), wrong.of()).worse) {
    CHECK(one.rule == "new-finding");
    messages.insert(one.message.substr(0, one.message.find(':')));
  }
  CHECK(messages == std::set<std::string>{"repeated-reads", "stride-overlap"});
  CHECK(kernel_change(wrong.of(), right.of()).worse.empty());

  const KernelResources few{.registers = 32, .stack = 0}, many{.registers = 64, .stack = 0},
      stack{.registers = 32, .stack = 8};
  const auto with = [&](const KernelResources& resources, std::int64_t spills) {
    KernelBuild build = right.of();
    build.resources = &resources;
    build.spills = spills;
    return build;
  };
  CHECK(kernel_change(with(few, 0), with(many, 0)).worse.empty());
  CHECK(kernel_change(with(few, 0), with(stack, 0)).worse.at(0).rule == "more-stack");
  CHECK(kernel_change(with(few, 1), with(few, 2)).worse.at(0).rule == "more-spills");
  CHECK(kernel_change(with(few, 2), with(few, 1)).worse.empty());
  CHECK(kernel_change(right.of(), with(stack, 9)).worse.empty());
}

}  // namespace
}  // namespace swz
