// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>
#include <set>
#include <string>

#include "descriptor/fields.hpp"

namespace swz {
namespace {

SmemDescriptor smem(std::uint64_t word, const char* target = "sm_90a") {
  return SmemDescriptor(word, require_target(target));
}
InstructionDescriptor idesc(std::uint32_t word, MmaKind kind) {
  return InstructionDescriptor(word, kind, require_target("sm_100a"));
}

// "field: a -> b, matters, why", one per line
template <class Descriptor>
std::string told(const Descriptor& a, const Descriptor& b) {
  std::string out;
  for (const Difference& d : compare(a, b)) {
    if (!out.empty()) out += '\n';
    out += d.field + ": " + d.a + " -> " + d.b + ", " + std::string(to_string(d.matters)) + ", " + d.why;
  }
  return out;
}

TEST_CASE("the same word does not differ") {
  CHECK(told(smem(0x4000004000010042), smem(0x4000004000010042)).empty());
  CHECK(told(idesc(0x08400490, MmaKind::f16), idesc(0x08400490, MmaKind::f16)).empty());
}

TEST_CASE("start addresses are explained by the strides of the word") {
  CHECK(told(smem(0x4000004000010040), smem(0x4000004000010042)) ==
        "start_address: 1024 B -> 1056 B, yes, +32 B: a K-advance inside the 128 B line (K-major)");
  CHECK(told(smem(0x4000004000010042), smem(0x4000004000010040)) ==
        "start_address: 1056 B -> 1024 B, yes, -32 B: a K-advance inside the 128 B line (K-major)");
  // The second 64 rows of K-major SW128 are 512 fields away, 8 groups of 8 rows
  CHECK(told(smem(0x4000004000010040), smem(0x4000004000010240)) ==
        "start_address: 1024 B -> 9216 B, yes, +8192 B: 8 x SBO (1024)");
  // mode none: the next 16 k lie two LBO away
  CHECK(told(smem(0x0000000800800040), smem(0x0000000800800140)) ==
        "start_address: 1024 B -> 5120 B, yes, +4096 B: 32 x SBO (128); 2 x LBO (2048)");
  CHECK(told(smem(0x4000008000010040), smem(0x4000008000010080)) ==
        "start_address: 1024 B -> 2048 B, yes, +1024 B: 1 x atom (1024)");
}

TEST_CASE("what matters, what does not, and what depends") {
  CHECK(told(smem(0x4000004000010040), smem(0x4000004000000040)) ==
        "leading_byte_offset: 16 B -> 0 B, depends, ignored when K-major; when MN-major used beyond one block of 128 "
        "B");
  CHECK(told(smem(0x0000000800800040), smem(0x0000000800400040)) ==
        "leading_byte_offset: 2048 B -> 1024 B, yes, LBO is used");
  CHECK(told(smem(0x4000004000010040), smem(0x4000008000010040)) ==
        "stride_byte_offset: 1024 B -> 2048 B, depends, used unless the operand is a single group (8 rows K-major)");
  CHECK(told(smem(0x0000000800800040), smem(0x0006000800800040)) ==
        "base_offset: 0 lines -> 3 lines, no, mode none has no pattern to move");
  CHECK(told(smem(0x8000002000010040), smem(0x8008002000010040)) ==
        "base_offset: 0 lines -> 4 lines, no, mode 64B repeats after 4 lines");
  CHECK(told(smem(0x8000002000010040), smem(0x8002002000010040)) ==
        "base_offset: 0 lines -> 1 lines, yes, moves the pattern by lines of 128 B");
  CHECK(told(smem(0x4000004000010040), smem(0x8000004000010040)) ==
        "swizzle: 128B -> 64B, yes, the same element lies on other bytes");
  CHECK(told(smem(0x4000004000010040, "sm_100a"), smem(0x4000404000010040, "sm_100a")) ==
        "version: 0 -> 1, unknown, tcgen05 wants 0b001; nothing else is documented");
  CHECK(told(smem(0x4000004000010040), smem(0x4000004000014040)) ==
        "reserved: none set -> bits 14, no, bits that must be 0; the H200 ignores them");
  CHECK(told(smem(0x4000404000010040, "sm_100a"), smem(0x4000404000014040, "sm_100a")) ==
        "reserved: none set -> bits 14, unknown, bits that must be 0");
}

TEST_CASE("a word and its translation for the other architecture describe the same operand") {
  CHECK(told(smem(0x4000004000010040), smem(0x4000404000010040, "sm_100a")) ==
        "format: wgmma-smem -> tcgen05-smem, yes, words of different instructions\n"
        "version: - -> 1, yes, a field of one format only\n"
        "lbo_mode: - -> relative, yes, a field of one format only");
}

TEST_CASE("instruction descriptors") {
  CHECK(told(idesc(0x08400490, MmaKind::f16), idesc(0x08200490, MmaKind::f16)) ==
        "n: 256 -> 128, yes, another instruction");
  CHECK(told(idesc(0x08400490, MmaKind::f16), idesc(0x08400491, MmaKind::f16)) ==
        "sparsity_selector: 0 -> 1, no, read for sparse A only");
  CHECK(told(idesc(0x08400010, MmaKind::f16), idesc(0x08400010, MmaKind::f8f6f4)) ==
        "format: f16 -> f8f6f4, yes, words of different instructions\n"
        "a_type: f16 -> e4m3, yes, another instruction\n"
        "b_type: f16 -> e4m3, yes, another instruction");
}

TEST_CASE("comparison is symmetric in its fields, and empty only for equal words") {
  const auto seed = std::random_device{}();
  MESSAGE("seed ", seed);
  std::mt19937_64 random{seed};
  const auto fields = [](const SmemDescriptor& a, const SmemDescriptor& b) {
    std::set<std::string> names;
    for (const Difference& d : compare(a, b)) names.insert(d.field);
    return names;
  };
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t a = random(), b = a ^ (1ULL << (random() % 64));
    for (const char* target : {"sm_90a", "sm_100a"}) {
      REQUIRE(compare(smem(a, target), smem(a, target)).empty());
      REQUIRE(fields(smem(a, target), smem(b, target)).size() == 1);
      REQUIRE(fields(smem(a, target), smem(b, target)) == fields(smem(b, target), smem(a, target)));
    }
  }
}

}  // namespace
}  // namespace swz
