// SPDX-License-Identifier: Apache-2.0
// The tile that an MMA of a kernel reads, of Triton's kernels and of the same kernels with a fault.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "ptx/mma_tile.hpp"

namespace swz {
namespace {

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(SWZ_SOURCE_DIR) + "/tests/data/ptx/" + name);
  std::stringstream text;
  text << file.rdbuf();
  REQUIRE(!text.str().empty());
  return text.str();
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  std::size_t found = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
    ++found;
  }
  REQUIRE(found > 0);
  return text;
}

Story story_of_line(const std::string& text, std::uint32_t line, OperandRole role = OperandRole::a) {
  const PtxModule module = read_ptx(text);
  const std::vector<KernelReport> kernels = kernel_reports(module, {});
  const MmaTile found = mma_tile(kernels.front(), line, role);
  StoryAsk ask{.tile = found.tile, .target = found.target, .role = found.role, .mma = found.mma};
  ask.from = packed_operand(found.tile, *found.target, found.tile.extents());
  ask.words = found.words;
  return story_of(std::move(ask));
}

TEST_CASE("two k steps of Triton's wgmma are one tile, for both operands and from either line") {
  const std::string text = text_of("matmul_bf16_small_sm90.ptx");
  for (const OperandRole role : {OperandRole::a, OperandRole::b})
    for (const std::uint32_t line : {220U, 231U}) {
      const Story story = story_of_line(text, line, role);
      CHECK(story.breaks.empty());
      CHECK(story.tile().extents() == TileExtents{64, 32});
      CHECK(story.tile().swizzle().name == "64B");
      CHECK(story.words.k_steps == 2);
      CHECK(hex64(story.word(0, 1)->word()) == "0x8000002000000002");
    }
}

TEST_CASE("a kernel that adds elements to the field, and one with another SBO, break between shared memory and MMA") {
  const std::string text = text_of("matmul_bf16_small_sm90.ptx");
  const Story advance = story_of_line(changed(text, "add.s32 \t%r56, %r54, 2;", "add.s32 \t%r56, %r54, 16;"), 220);
  REQUIRE(!advance.breaks.empty());
  CHECK(advance.breaks.front().link == StoryLink::shared_to_mma);
  CHECK(advance.breaks.front().rule.starts_with("advance"));
  // SBO 1024 B: 0x8000004000000000.
  const Story sbo = story_of_line(changed(text, "-9223371899415822336", "-9223371761976868864"), 220);
  REQUIRE(!sbo.breaks.empty());
  CHECK(sbo.breaks.front().link == StoryLink::shared_to_mma);
}

TEST_CASE("a tcgen05.mma") {
  const Story story = story_of_line(text_of("matmul_desc_f16_k16_sm100.ptx"), 215);
  CHECK(story.breaks.empty());
  CHECK(story.tile().extents() == TileExtents{64, 16});
  CHECK(story.tensor_memory.has_value());
}

TEST_CASE("a line without an MMA names those that have one") {
  const PtxModule module = read_ptx(text_of("matmul_desc_f16_k16_sm100.ptx"));
  const std::vector<KernelReport> kernels = kernel_reports(module, {});
  try {
    mma_tile(kernels.front(), 3, OperandRole::a);
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.message() == "line 3 has no MMA");
    CHECK(e.hint == "MMAs are in lines 215, 390");
  }
}

}  // namespace
}  // namespace swz
