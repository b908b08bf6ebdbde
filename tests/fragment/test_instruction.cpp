// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "arch/dtype.hpp"
#include "arch/instruction.hpp"

namespace swz {
namespace {

TEST_CASE("no shape and type twice, every type an element type, bits as in memory or in the container") {
  std::set<std::string> seen;
  for (const MmaInstruction& row : mma_instructions()) {
    for (const std::string_view type : row.types) {
      if (type.empty()) continue;
      const DType* dtype = find_dtype(type);
      REQUIRE(dtype != nullptr);
      CAPTURE(type);
      CHECK(dtype->name == type);
      const bool in_container = row.k == 32 && row.bits == 8 && dtype->container_bits == 8;
      CHECK(row.bits == (in_container ? dtype->container_bits : dtype->memory_bits));
      for (int n = 1; n <= 256; ++n)
        if (row.takes(n))
          CHECK(seen.insert(std::to_string(row.m) + " " + std::to_string(n) + " " + std::to_string(row.k) + " " +
                            std::string(type) + std::string(to_string(row.family)))
                    .second);
    }
    for (const std::string_view type : row.accumulators) CHECK((type.empty() || find_dtype(type)->name == type));
    CHECK_FALSE(row.takes(0));
    CHECK_FALSE(row.source.where.empty());
  }
  for (const MatrixInstruction& row : matrix_instructions()) CHECK_FALSE(row.source.where.empty());
}

// PTX ISA 9.1, 9.7.15.2 and errata P15.
TEST_CASE("N of wgmma: steps of 8; integer types and b1 skip every other one above 32") {
  for (const MmaInstruction& row : mma_instructions()) {
    if (row.family != InstructionFamily::wgmma) continue;
    const bool is_integer = takes_type(row, "s8") || takes_type(row, "b1");
    for (int n = -8; n <= 300; ++n) {
      const bool step8 = n >= 8 && n <= 256 && n % 8 == 0;
      CAPTURE(n);
      CHECK(row.takes(n) == (is_integer ? step8 && (n == 8 || n == 24 || n % 16 == 0) : step8));
    }
  }
}

std::string where(std::string_view name, std::string_view type) {
  std::string found;
  for (const MmaInstruction& row : mma_instructions()) {
    const std::string shape = std::string(to_string(row.family)) + ".m" + std::to_string(row.m) + "n" +
                              std::to_string(row.n[0].first) + "k" + std::to_string(row.k);
    if (shape == name && takes_type(row, type)) found += to_string(row.availability);
  }
  return found;
}

TEST_CASE("where instructions exist") {
  CHECK(where("mma.m8n8k4", "f16") == "sm_70 and later");
  CHECK(where("mma.m8n8k4", "f64") == "sm_80 and later");
  CHECK(where("mma.m16n8k8", "f16") == "sm_75 and later");
  CHECK(where("mma.m16n8k8", "bf16") == "sm_80 and later");
  CHECK(where("mma.m16n8k16", "e4m3") == "sm_89 and later");
  CHECK(where("mma.m16n8k16", "f64") == "sm_90 and later");
  CHECK(where("mma.m16n8k32", "e2m3") == "sm_120a, sm_120f, sm_121a and sm_121f");
  CHECK(where("mma.m16n8k64", "e2m1") == "sm_120a, sm_120f, sm_121a and sm_121f");
  CHECK(where("mma.m16n8k64", "u4") == "sm_80 and later");
  CHECK(where("wgmma.m64n8k16", "bf16") == "sm_90a");

  const auto runs = [](const Availability& availability, const char* target) {
    return runs_on(availability, require_target(target));
  };
  CHECK(runs({80, {}}, "sm_80"));
  CHECK(runs({80, {}}, "sm_100f"));
  CHECK_FALSE(runs({80, {}}, "sm_75"));
  CHECK(runs({0, {"sm_90a"}}, "sm_90a"));
  CHECK_FALSE(runs({0, {"sm_90a"}}, "sm_100a"));
  for (const MatrixInstruction& row : matrix_instructions()) {
    CAPTURE(row.shape);
    const bool is_b16 = row.shape == "m8n8";
    const bool is_store = row.family == InstructionFamily::stmatrix;
    CHECK(runs_on(row.availability, require_target("sm_75")) == (is_b16 && !is_store));
    CHECK(runs_on(row.availability, require_target("sm_90a")) == is_b16);
    for (const char* name : {"sm_100a", "sm_100f", "sm_103a", "sm_110a", "sm_120a", "sm_121a"})
      CHECK(runs_on(row.availability, require_target(name)));
  }
}

}  // namespace
}  // namespace swz
