// SPDX-License-Identifier: Apache-2.0
// CUDA source of descriptors: the sources of many tiles and layouts in one program, compiled and run by the host
// compiler; every word must be the one that the descriptor has.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/text.hpp"
#include "compile_and_run.hpp"
#include "descriptor/layout_descriptor.hpp"
#include "expr/evaluate.hpp"
#include "source/source.hpp"

namespace swz {
namespace {

// A program that checks every function it holds, each in a namespace of its own.
struct Program {
  std::string text = "#define __device__\n#include <cstdint>\n#include <cstdio>\nstatic int wrong = 0;\n";
  std::string calls;
  int functions = 0;
  long words = 0;

  void add(const TileDescriptors& d, std::int64_t base, const std::string& operand) {
    const std::string name = fmt::format("tile_{}", functions++);
    text += fmt::format("namespace {} {{\n{}}}\n", name, cuda_source(d, {"descriptor", "swz desc …", operand}));
    for (const MmaStep& step : d.steps) {
      calls += fmt::format(
          "  if ({0}::descriptor({1}u, {2}u, {3}u) != {4}ull) ++wrong, std::printf(\"{0} m {2} k {3}\\n\");\n", name,
          base, step.m_block, step.k_step, hex64(step.descriptor.word()));
      ++words;
    }
    // It is a constant expression too.
    calls += fmt::format("  static_assert({}::descriptor({}u, 0u, 0u) == {}ull, \"\");\n", name, base,
                         hex64(d.steps.front().descriptor.word()));
  }

  std::string whole() const { return text + "int main() {\n" + calls + "  return wrong != 0;\n}\n"; }
};

struct Spread {
  const char *arch, *dtype;
  Major major;
  const char* mode;
  std::int64_t mn, k;
  std::vector<std::int64_t> blocks;
};

TEST_CASE("the sources compile without a warning and make every word") {
  Program program;
  const Spread spread[] = {
      {"sm_90a", "f16", Major::K, "none", 128, 64, {64, 8}},
      {"sm_90a", "f16", Major::K, "32B", 128, 64, {64, 128}},
      {"sm_90a", "bf16", Major::K, "64B", 128, 128, {64}},
      {"sm_90a", "f16", Major::K, "128B", 192, 256, {64, 24}},
      {"sm_90a", "f16", Major::MN, "none", 24, 64, {24, 8}},
      {"sm_90a", "f16", Major::MN, "32B", 128, 64, {64, 8}},
      {"sm_90a", "f16", Major::MN, "64B", 256, 64, {16, 64}},
      {"sm_90a", "f16", Major::MN, "128B", 256, 96, {16, 32, 256}},
      {"sm_90a", "e4m3", Major::K, "128B", 64, 256, {64}},
      {"sm_90a", "tf32", Major::K, "64B", 64, 64, {64}},
      {"sm_90a", "b1", Major::K, "128B", 64, 2048, {64}},
      {"sm_100a", "bf16", Major::K, "128B", 128, 128, {64, 128}},
      {"sm_100a", "e2m1", Major::K, "128B", 128, 512, {128}},
      {"sm_100a", "e4m3", Major::MN, "64B", 128, 128, {32, 128}},
      {"sm_100a", "tf32", Major::MN, "128B_32B", 128, 32, {128, 8}},
  };
  for (const Spread& s : spread)
    for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first})
      for (const std::int64_t rows : s.blocks)
        for (const std::int64_t base : {std::int64_t{0}, std::int64_t{0x6400}}) {
          const SmemTile tile({.dtype = s.dtype,
                               .major = s.major,
                               .mn = s.mn,
                               .k = s.k,
                               .swizzle = s.mode,
                               .order = order,
                               .base = Bytes{base}});
          program.add(tile_descriptors(tile, require_target(s.arch), {rows, dense_mma_k(tile.element_bits())}), base,
                      to_string(tile.extents()));
        }
  // Layouts whose blocks follow no single stride: an offset, three levels, blocks in a falling order.
  for (const char* text : {"Sw<3,3,3> o 4096 o (64,64):(64,1)", "((8,2,2,3),(8,8)):((8,64,4096,256),(1,512))",
                           "((8,2,2,2),(8,2,2,2)):((8,2048,128,1024),(1,64,8192,32768))"}) {
    const LayoutDescriptors answer =
        layout_descriptors({parse_layout(text), &require_target("sm_90a"), &require_dtype("f16"), Packing::packed,
                            Major::K, TileExtents{8, 16}});
    INFO(text << ": " << answer.reason);
    REQUIRE(answer.descriptors);
    program.add(*answer.descriptors, 0, text);
  }
  {
    LayoutOperand falling{parse_layout("((8,2),(8,4)):((8,-256),(1,64))"),
                          &require_target("sm_90a"),
                          &require_dtype("f16"),
                          Packing::packed,
                          Major::K,
                          TileExtents{8, 16},
                          Bytes{0x400}};
    program.add(layout_descriptors(falling).descriptors.value(), 0x400, "falling");
  }
  MESSAGE(program.functions, " functions, ", program.words, " words");
  CHECK(program.functions > 80);

  check_program({{"words.cpp", program.whole()}}, "-std=c++14 -O0 -Wall -Wextra -Wconversion -Wshadow -Werror");
}

TEST_CASE("the source of a tile, whole") {
  const SmemTile tile({.dtype = "bf16", .mn = 128, .k = 128, .swizzle = "128B"});
  const TileDescriptors words = tile_descriptors(tile, require_target("sm_100a"), {64, 16});
  CHECK(cuda_source(words, {"a_descriptor", "swz desc --tile 128x128", "bf16 128x128"}) ==
        R"(// tcgen05-smem on sm_100a: bf16 128x128
// swz desc --tile 128x128
//
// smem_address: of the tile, __cvta_generic_to_shared(tile); a multiple of 1024 B
// m_block: 0 ... 1, blocks of 64 rows of M or N
// k_step: 0 ... 7, steps of 16 along K
#ifdef __CUDACC_RTC__
#include <cuda/std/cstdint>
#else
#include <cstdint>
#endif

__device__ constexpr uint64_t a_descriptor(
    uint32_t smem_address, uint32_t m_block, uint32_t k_step) {
  constexpr uint32_t chunk = 16;  // B, the unit of addresses and strides in the word
  // not used by a swizzled K-major operand; 16 B (field 1) as CuTe writes it
  constexpr uint32_t leading_byte_offset = 16;  // B
  // from one group of 8 rows to the next: an atom is 8 x 128 B = 1024 B, and the next one along MN follows it (mn-first)
  constexpr uint32_t stride_byte_offset = 1024;  // B
  constexpr uint32_t version = 1;  // the constant of this descriptor
  constexpr uint32_t swizzle = 2;  // the code of mode 128B
  constexpr int start_address_bit = 0;
  constexpr int leading_byte_offset_bit = 16;
  constexpr int stride_byte_offset_bit = 32;
  constexpr int version_bit = 46;
  constexpr int swizzle_bit = 61;
  constexpr uint64_t fields = uint64_t{leading_byte_offset / chunk} << leading_byte_offset_bit |
                              uint64_t{stride_byte_offset / chunk} << stride_byte_offset_bit |
                              uint64_t{version} << version_bit |
                              uint64_t{swizzle} << swizzle_bit;

  constexpr uint32_t m_block_stride = 8192;  // B
  constexpr uint32_t k_step_stride = 32;  // B
  constexpr uint32_t k_steps_per_atom = 4;
  constexpr uint32_t k_atom_stride = 16384;  // B
  const uint32_t byte_offset = m_block * m_block_stride + k_step / k_steps_per_atom * k_atom_stride + k_step % k_steps_per_atom * k_step_stride;
  return fields | uint64_t{(smem_address + byte_offset) / chunk} << start_address_bit;
}
)");
}

}  // namespace
}  // namespace swz
