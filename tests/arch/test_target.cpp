// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>

#include "arch/target.hpp"
#include "base/error.hpp"

namespace swz {
namespace {

TEST_CASE("names and aliases are unique and find their row") {
  std::set<std::string_view> seen;
  for (const Target& row : targets()) {
    CAPTURE(row.name);
    CHECK(seen.insert(row.name).second);
    CHECK(find_target(row.name) == &row);
    for (const std::string_view alias : row.aliases) {
      if (alias.empty()) continue;
      CHECK_MESSAGE(seen.insert(alias).second, alias);
      CHECK(find_target(alias) == &row);
    }
    CHECK((!row.has_absolute_lbo || row.descriptor == SmemDescriptorKind::tcgen05));
    CHECK_FALSE(row.source.where.empty());
  }
}

TEST_CASE("spellings of a target") {
  for (const char* name : {"sm_90a", "SM_90a", "sm90a", "90a", "compute_90a", "sm_90", "90", "hopper", "Hopper"}) {
    CAPTURE(name);
    REQUIRE(find_target(name) != nullptr);
    CHECK(find_target(name)->name == "sm_90a");
  }
  for (const char* name : {"9.0a", "9.0", "cc9.0", "H100", "NVIDIA H100 80GB HBM3", "H100-SXM5", "gh200", "h20"}) {
    CAPTURE(name);
    REQUIRE(find_target(name) != nullptr);
    CHECK(find_target(name)->name == "sm_90a");
  }
  CHECK(find_target("10.3a")->name == "sm_103a");
  CHECK(find_target("GB300")->name == "sm_103a");
  CHECK(find_target("NVIDIA GB200")->name == "sm_100a");
  CHECK(find_target("NVIDIA GeForce RTX 5090")->name == "sm_120a");
  CHECK(find_target("sm_100f")->name == "sm_100f");
  for (const char* name : {"", "sm_", "sm_9", "a", "sm_90b", "sm", "blackwell", ".0", "9..0", "rtx", "nvidia "})
    CHECK(find_target(name) == nullptr);
  CHECK(find_target(std::string(100000, '9')) == nullptr);
  CHECK(default_target().name == "sm_90a");
}

TEST_CASE("a family of several targets is not one of them") {
  try {
    require_target("Blackwell");
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.message() == "'Blackwell' is several targets");
    CHECK(e.hint == "name one: sm_100a (B200), sm_103a (B300), sm_110a (Thor), sm_120a (RTX 50) and sm_121a (GB10)");
  }
}

// Shared memory: ptxas 13.0.88 refuses a larger .shared array (0x38c00, 0x18c00); older ones from the guide.
TEST_CASE("descriptor and shared memory of the targets") {
  struct Expected {
    const char* name;
    const char* descriptor;
    std::int64_t smem;
  };
  const Expected expected[] = {{"sm_75", "none", 65536},
                               {"sm_80", "none", 166912},
                               {"sm_89", "none", 101376},
                               {"sm_90a", "wgmma-smem", 0x38c00},
                               {"sm_100a", "tcgen05-smem", 0x38c00},
                               {"sm_100f", "tcgen05-smem", 0x38c00},
                               {"sm_103a", "tcgen05-smem", 0x38c00},
                               {"sm_103f", "tcgen05-smem", 0x38c00},
                               {"sm_110a", "tcgen05-smem", 0x38c00},
                               {"sm_110f", "tcgen05-smem", 0x38c00},
                               {"sm_120a", "none", 0x18c00},
                               {"sm_121a", "none", 0x18c00}};
  CHECK(std::size(expected) == targets().size());
  for (const Expected& e : expected) {
    CAPTURE(e.name);
    const Target& row = require_target(e.name);
    CHECK(row.name == e.name);
    CHECK(to_string(row.descriptor) == e.descriptor);
    CHECK(row.max_smem_per_cta == Bytes{e.smem});
    CHECK(row.has_absolute_lbo == (row.name == "sm_103a"));
  }
  CHECK(require_target("sm_90a").smem_window() == Bytes{233472});  // 228 KiB
}

TEST_CASE("an unknown target names itself, the nearest one and the list") {
  try {
    require_target("sm_91a");
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.message() == "'sm_91a' is not a known target");
    CHECK(e.hint ==
          "did you mean 'sm_90a'? targets: sm_75, sm_80, sm_89, sm_90a, sm_100a, sm_100f, sm_103a, sm_103f, sm_110a, "
          "sm_110f, sm_120a and sm_121a");
  }
}

}  // namespace
}  // namespace swz
