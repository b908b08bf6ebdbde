// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
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
    const bool is_tcgen05 = row.descriptor == SmemDescriptorKind::tcgen05;
    CHECK((!row.has_absolute_lbo || is_tcgen05));
    CHECK((!row.has_107_fields || is_tcgen05));
    CHECK((row.tmem_columns > 0) == is_tcgen05);
    CHECK(row.smem_window() == row.smem_per_sm);
    CHECK(row.carve_outs.back() * 1024 == row.smem_per_sm.count);
    CHECK(std::ranges::is_sorted(row.carve_outs));
    CHECK(row.static_smem <= row.max_smem_per_cta);
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

// Shared memory on request, from the CUDA Programming Guide and cuda_occupancy.h of CUDA 13.5; tests/arch/ptxas_legal.py
// asks ptxas about declared arrays.
TEST_CASE("descriptor and shared memory of the targets") {
  struct Expected {
    const char* name;
    const char* descriptor;
    std::int64_t smem;
  };
  const Expected expected[] = {{"sm_75", "none", 65536},
                               {"sm_80", "none", 166912},
                               {"sm_86", "none", 101376},
                               {"sm_87", "none", 166912},
                               {"sm_88", "none", 101376},
                               {"sm_89", "none", 101376},
                               {"sm_90a", "wgmma-smem", 0x38c00},
                               {"sm_100a", "tcgen05-smem", 0x38c00},
                               {"sm_100f", "tcgen05-smem", 0x38c00},
                               {"sm_103a", "tcgen05-smem", 0x38c00},
                               {"sm_103f", "tcgen05-smem", 0x38c00},
                               {"sm_107a", "tcgen05-smem", 0x51c00},
                               {"sm_107f", "tcgen05-smem", 0x51c00},
                               {"sm_110a", "tcgen05-smem", 0x38c00},
                               {"sm_110f", "tcgen05-smem", 0x38c00},
                               {"sm_120a", "none", 0x18c00},
                               {"sm_120f", "none", 0x18c00},
                               {"sm_121a", "none", 0x18c00},
                               {"sm_121f", "none", 0x18c00}};
  CHECK(std::size(expected) == targets().size());
  for (const Expected& e : expected) {
    CAPTURE(e.name);
    const Target& row = require_target(e.name);
    CHECK(row.name == e.name);
    CHECK(to_string(row.descriptor) == e.descriptor);
    CHECK(row.max_smem_per_cta == Bytes{e.smem});
    CHECK(row.has_absolute_lbo == (row.name == "sm_103a" || row.name == "sm_107a"));
  }
  CHECK(require_target("sm_90a").smem_window() == Bytes{233472});  // 228 KiB
}

// Of a CTA with 48 KiB: what it requests and 1 KiB, rounded up. CTAs of an SM: compute capabilities of the guide, and
// for 10.7 cuda_occupancy.h.
TEST_CASE("CTAs and arrays of an SM") {
  struct Expected {
    const char* name;
    std::int64_t static_kib;
    int ctas, of_48_kib;
  };
  for (const Expected& e : {Expected{"sm_75", 48, 16, 1},
                            {"sm_80", 48, 32, 3},
                            {"sm_86", 48, 16, 2},
                            {"sm_87", 48, 16, 3},
                            {"sm_89", 48, 24, 2},
                            {"sm_90a", 227, 32, 4},
                            {"sm_100f", 48, 32, 4},
                            {"sm_107a", 227, 16, 6},
                            {"sm_110a", 227, 24, 4},
                            {"sm_120a", 99, 24, 2}}) {
    CAPTURE(e.name);
    const Target& row = require_target(e.name);
    CHECK(row.static_smem == Bytes{e.static_kib * 1024});
    CHECK(row.max_ctas == e.ctas);
    const std::int64_t each = 48 * 1024 + row.reserved_smem.count, step = row.smem_granularity.count;
    CHECK(row.smem_per_sm.count / ((each + step - 1) / step * step) == e.of_48_kib);
  }
  CHECK(require_target("sm_100a").tmem_columns == 512);
  CHECK(require_target("sm_107f").tmem_columns == 576);
  CHECK(require_target("Rubin").name == "sm_107a");
  CHECK(require_target("10.7").name == "sm_107a");
  CHECK(require_target("RTX 3090").name == "sm_86");
}

TEST_CASE("an unknown target names itself, the nearest one and the list") {
  try {
    require_target("sm_91a");
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.message() == "'sm_91a' is not a known target");
    CHECK(
        e.hint ==
        "did you mean 'sm_90a'? targets: sm_75, sm_80, sm_86, sm_87, sm_88, sm_89, sm_90a, sm_100a, sm_100f, sm_103a, "
        "sm_103f, sm_107a, sm_107f, sm_110a, sm_110f, sm_120a, sm_120f, sm_121a and sm_121f");
  }
}

}  // namespace
}  // namespace swz
