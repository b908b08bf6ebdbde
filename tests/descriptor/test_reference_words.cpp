// SPDX-License-Identifier: Apache-2.0
// Every descriptor word that reference document 004 prints, with the fields it prints beside it: CUTLASS's wgmma
// descriptors of a 128 x 64 f16 operand at 0x400, K-major (first 32 rows) and MN-major, one word an MMA.
#include <doctest/doctest.h>

#include "base/text.hpp"
#include "descriptor/smem_descriptor.hpp"

namespace swz {
namespace {

struct Printed {
  std::uint64_t word;
  std::uint64_t start_addr, leading_off, stride_off, base_offset, layout_type;
  const char* name;
};

// clang-format off
constexpr Printed printed[] = {
    {0x0000000800800040, 0x0040, 128, 8, 0, 0, "INTERLEAVE"},
    {0x0000000800800080, 0x0080, 128, 8, 0, 0, "INTERLEAVE"},
    {0x0000000800800140, 0x0140, 128, 8, 0, 0, "INTERLEAVE"},
    {0x0000000800800180, 0x0180, 128, 8, 0, 0, "INTERLEAVE"},
    {0x0000000800800240, 0x0240, 128, 8, 0, 0, "INTERLEAVE"},
    {0x0000000800800280, 0x0280, 128, 8, 0, 0, "INTERLEAVE"},
    {0x0000000800800340, 0x0340, 128, 8, 0, 0, "INTERLEAVE"},
    {0x0000000800800380, 0x0380, 128, 8, 0, 0, "INTERLEAVE"},
    {0xc000001000010040, 0x0040, 1, 16, 0, 3, "B32"},
    {0xc0000010000100c0, 0x00c0, 1, 16, 0, 3, "B32"},
    {0xc000001000010140, 0x0140, 1, 16, 0, 3, "B32"},
    {0xc0000010000101c0, 0x01c0, 1, 16, 0, 3, "B32"},
    {0xc000001000010240, 0x0240, 1, 16, 0, 3, "B32"},
    {0xc0000010000102c0, 0x02c0, 1, 16, 0, 3, "B32"},
    {0xc000001000010340, 0x0340, 1, 16, 0, 3, "B32"},
    {0xc0000010000103c0, 0x03c0, 1, 16, 0, 3, "B32"},
    {0x8000002000010040, 0x0040, 1, 32, 0, 2, "B64"},
    {0x8000002000010140, 0x0140, 1, 32, 0, 2, "B64"},
    {0x8000002000010042, 0x0042, 1, 32, 0, 2, "B64"},
    {0x8000002000010142, 0x0142, 1, 32, 0, 2, "B64"},
    {0x8000002000010240, 0x0240, 1, 32, 0, 2, "B64"},
    {0x8000002000010340, 0x0340, 1, 32, 0, 2, "B64"},
    {0x8000002000010242, 0x0242, 1, 32, 0, 2, "B64"},
    {0x8000002000010342, 0x0342, 1, 32, 0, 2, "B64"},
    {0x4000004000010040, 0x0040, 1, 64, 0, 1, "B128"},
    {0x4000004000010240, 0x0240, 1, 64, 0, 1, "B128"},
    {0x4000004000010042, 0x0042, 1, 64, 0, 1, "B128"},
    {0x4000004000010242, 0x0242, 1, 64, 0, 1, "B128"},
    {0x4000004000010044, 0x0044, 1, 64, 0, 1, "B128"},
    {0x4000004000010244, 0x0244, 1, 64, 0, 1, "B128"},
    {0x4000004000010046, 0x0046, 1, 64, 0, 1, "B128"},
    {0x4000004000010246, 0x0246, 1, 64, 0, 1, "B128"},
    {0x0000000800800040, 0x0040, 128, 8, 0, 0, "INTERLEAVE"},
    {0x0000000800800080, 0x0080, 128, 8, 0, 0, "INTERLEAVE"},
    {0x0000000800800140, 0x0140, 128, 8, 0, 0, "INTERLEAVE"},
    {0x0000000800800180, 0x0180, 128, 8, 0, 0, "INTERLEAVE"},
    {0x0000000800800240, 0x0240, 128, 8, 0, 0, "INTERLEAVE"},
    {0x0000000800800280, 0x0280, 128, 8, 0, 0, "INTERLEAVE"},
    {0x0000000800800340, 0x0340, 128, 8, 0, 0, "INTERLEAVE"},
    {0x0000000800800380, 0x0380, 128, 8, 0, 0, "INTERLEAVE"},
    {0xc000008000100040, 0x0040, 16, 128, 0, 3, "B32"},
    {0xc000008000100080, 0x0080, 16, 128, 0, 3, "B32"},
    {0xc000008000100140, 0x0140, 16, 128, 0, 3, "B32"},
    {0xc000008000100180, 0x0180, 16, 128, 0, 3, "B32"},
    {0xc000008000100240, 0x0240, 16, 128, 0, 3, "B32"},
    {0xc000008000100280, 0x0280, 16, 128, 0, 3, "B32"},
    {0xc000008000100340, 0x0340, 16, 128, 0, 3, "B32"},
    {0xc000008000100380, 0x0380, 16, 128, 0, 3, "B32"},
    {0x8000008000200040, 0x0040, 32, 128, 0, 2, "B64"},
    {0x8000008000200080, 0x0080, 32, 128, 0, 2, "B64"},
    {0x8000008000200140, 0x0140, 32, 128, 0, 2, "B64"},
    {0x8000008000200180, 0x0180, 32, 128, 0, 2, "B64"},
    {0x8000008000200240, 0x0240, 32, 128, 0, 2, "B64"},
    {0x8000008000200280, 0x0280, 32, 128, 0, 2, "B64"},
    {0x8000008000200340, 0x0340, 32, 128, 0, 2, "B64"},
    {0x8000008000200380, 0x0380, 32, 128, 0, 2, "B64"},
    {0x4000008000000040, 0x0040, 0, 128, 0, 1, "B128"},
    {0x4000008000000080, 0x0080, 0, 128, 0, 1, "B128"},
    {0x4000008000000140, 0x0140, 0, 128, 0, 1, "B128"},
    {0x4000008000000180, 0x0180, 0, 128, 0, 1, "B128"},
    {0x4000008000000240, 0x0240, 0, 128, 0, 1, "B128"},
    {0x4000008000000280, 0x0280, 0, 128, 0, 1, "B128"},
    {0x4000008000000340, 0x0340, 0, 128, 0, 1, "B128"},
    {0x4000008000000380, 0x0380, 0, 128, 0, 1, "B128"},
};
// clang-format on

TEST_CASE("each word of the reference decodes to the fields printed beside it, and has no lint") {
  REQUIRE(std::size(printed) == 64);
  for (const Printed& row : printed) {
    CAPTURE(hex64(row.word));
    const SmemDecoding decoding = decode_smem(row.word);
    REQUIRE(decoding.readings.size() == 1);
    const SmemDescriptor& d = decoding.readings[0].descriptor;
    CHECK(d.kind() == SmemDescriptorKind::wgmma);
    CHECK(d.target().name == "sm_90a");
    CHECK(d.raw(FieldId::start_address) == row.start_addr);
    CHECK(d.raw(FieldId::leading_byte_offset) == row.leading_off);
    CHECK(d.raw(FieldId::stride_byte_offset) == row.stride_off);
    CHECK(d.raw(FieldId::base_offset) == row.base_offset);
    CHECK(d.raw(FieldId::swizzle) == row.layout_type);
    REQUIRE(d.swizzle() != nullptr);
    CHECK(d.swizzle()->cutlass_sm90 == row.name);
    CHECK(d.start_address() == Bytes{static_cast<std::int64_t>(row.start_addr) * 16});
    CHECK(d.stride_byte_offset() == Bytes{static_cast<std::int64_t>(row.stride_off) * 16});
    CHECK_FALSE(has_lints(decoding.readings[0].findings));
  }
}

TEST_CASE("the same operands as tcgen05 words: bit 46 set, the physical swizzle bits unchanged") {
  for (const Printed& row : printed) {
    CAPTURE(hex64(row.word));
    const SmemDecoding decoding = decode_smem(row.word | (1ULL << 46));
    REQUIRE(decoding.readings.size() == 1);
    const SmemDescriptor& d = decoding.readings[0].descriptor;
    CHECK(d.kind() == SmemDescriptorKind::tcgen05);
    CHECK(d.raw(FieldId::swizzle) == 2 * row.layout_type);
    CHECK(d.swizzle()->cutlass_sm90 == row.name);
    CHECK_FALSE(has_lints(decoding.readings[0].findings));
  }
}

}  // namespace
}  // namespace swz
