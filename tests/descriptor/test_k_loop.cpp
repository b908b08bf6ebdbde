// SPDX-License-Identifier: Apache-2.0
// K loops: the words of every legal tile are right, planted mistakes are named, nothing is claimed of right words.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "arch/mistake.hpp"
#include "base/text.hpp"
#include "descriptor/k_loop.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "smem/mma_operand.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

using Words = std::vector<SmemDescriptor>;

// One operand of each descriptor format, element size, major, mode and order.
template <class Visit>
void for_each_kind_of_operand(Visit visit) {
  std::set<std::tuple<SmemDescriptorKind, int, Major, std::string_view>> seen;
  for (const Target& target : targets())
    for (const DType& dtype : dtypes())
      for (const Packing packing : {Packing::packed, Packing::slots})
        for (const Major major : {Major::K, Major::MN})
          for (const SwizzleMode& mode : swizzle_modes()) {
            if (packing == Packing::slots && dtype.container_bits == 0) continue;
            if (!is_legal({&target, &dtype, packing, major, &mode})) continue;
            if (!seen.insert({target.descriptor, element_bits(dtype, packing), major, mode.name}).second) continue;
            for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first})
              visit(target, SmemTileValues{dtype.name, packing, major, 0, 0, mode.name, order, {}});
          }
}

// All tiles of up to 256 x 256 that an MMA reads to the end, at this base.
template <class Visit>
void for_each_tile(Bytes base, Visit visit) {
  Sweep every{64, 5};
  for_each_kind_of_operand([&](const Target& target, SmemTileValues values) {
    const DType& dtype = require_dtype(values.dtype->name);
    const TileExtents atom =
        atom_extents(values.major, require_swizzle_mode(values.swizzle->name), dtype, values.packing);
    const int bits = element_bits(dtype, values.packing);
    values.base = base;
    for (values.mn = atom.mn; values.mn <= 256; values.mn += atom.mn)
      for (values.k = atom.k; values.k <= std::max<std::int64_t>(256, 2 * atom.k); values.k += atom.k)
        if (values.k % dense_mma_k(bits) == 0 && values.mn * values.k * bits / 8 + base.count <= 232448 &&
            every.takes())
          visit(target, SmemTile(values));
  });
}

// The words of each block of rows, and what is known of the operand.
struct Block {
  Words words;
  LoopOperand known;
  const SmemTile* tile;
};

template <class Visit>
void for_each_block(const SmemTile& tile, const Target& target, Visit visit) {
  const TileDescriptors all = tile_descriptors(tile, target, OperandRole::a);
  if (all.k_steps < 2) return;
  std::vector<Block> blocks(static_cast<std::size_t>(all.m_blocks));
  for (const MmaStep& step : all.steps) blocks[static_cast<std::size_t>(step.m_block)].words.push_back(step.descriptor);
  for (Block& block : blocks) {
    block.known = {tile.major(), tile.element_bits(), all.mma.mn, 32, tile.k_atom_stride(), all.k_steps, 0};
    block.tile = &tile;
    visit(block);
  }
}

std::string words_text(const Words& words) {
  std::string out;
  for (const SmemDescriptor& word : words) out += " " + hex64(word.word());
  return out;
}

std::string rules(const KLoop& loop) {
  std::string out;
  for (const Explanation& mistake : loop.mistakes) out += fmt::format("{}{}", out.empty() ? "" : " ", mistake.rule);
  return out;
}

bool has_major(const KLoop& loop, Major major) {
  return std::ranges::any_of(loop.readings, [&](const LoopReading& r) { return r.major == major && r.k_bytes == 32; });
}

TEST_CASE("the words of every legal tile are a right k loop, with any knowledge") {
  long loops = 0;
  for (const std::int64_t base : {0x400, 0x0, 0x10, 0x420, 0x680, 0x7f0})
    for_each_tile(Bytes{base}, [&](const Target& target, const SmemTile& tile) {
      if (base != 0x400 && (tile.extents().mn > 64 || tile.extents().k > 128)) return;
      for_each_block(tile, target, [&](const Block& block) {
        INFO(to_string(tile.major()), " ", tile.swizzle().name, " ", to_string(tile.order()), " ",
             to_string(tile.extents()), " ", tile.element_bits(), " bits", words_text(block.words));
        for (const LoopOperand& known :
             {LoopOperand{}, LoopOperand{tile.major(), tile.element_bits(), block.known.rows, 32, {}, 0},
              block.known}) {
          const KLoop loop = k_loop(block.words, known);
          REQUIRE(has_major(loop, tile.major()));
          // At 0x420 the tile begins inside a line: without that knowledge a mistake is reported as well.
          REQUIRE((loop.mistakes.empty() || loop.readings.front().is_off_pattern));
          REQUIRE_FALSE(loop.is_wrong());
          REQUIRE(loop.readings.front().blocks == 1);
          REQUIRE(loop.readings.front().is_in_order());
        }
        REQUIRE(k_loop(block.words, block.known).mistakes.empty());
        const LoopReading reading = k_loop(block.words, block.known).readings.front();
        REQUIRE((reading.next_atom.count == 0 || reading.next_atom == tile.k_atom_stride()));
        ++loops;
      });
    });
  CHECK(loops > at_least(10000, 64, 5));
}

TEST_CASE("all words of desc, block by block or step by step, and backwards") {
  long tiles = 0;
  for_each_tile(Bytes{0x400}, [&](const Target& target, const SmemTile& tile) {
    const TileDescriptors all = tile_descriptors(tile, target, OperandRole::a);
    if (all.k_steps < 2 || all.m_blocks < 2 || tile.extents().k > 128 || tile.extents().mn % 64 != 0) return;
    Words words;
    for (const MmaStep& step : all.steps) words.push_back(step.descriptor);
    INFO(to_string(tile.major()), " ", tile.swizzle().name, words_text(words));
    const KLoop loop =
        k_loop(words, {tile.major(), tile.element_bits(), all.mma.mn, 32, tile.k_atom_stride(), all.k_steps, 0});
    REQUIRE(loop.is_right());
    REQUIRE(loop.mistakes.empty());
    REQUIRE(loop.readings.front().blocks == static_cast<std::size_t>(all.m_blocks));
    ++tiles;
    // Without knowledge nothing wrong is said of them either.
    const KLoop bare = k_loop(words);
    CAPTURE(rules(bare));
    REQUIRE_FALSE(bare.is_wrong());
    for_each_block(tile, target, [&](const Block& block) {
      const Words backwards(block.words.rbegin(), block.words.rend());
      const KLoop reversed = k_loop(backwards, block.known);
      REQUIRE(has_major(reversed, tile.major()));
      REQUIRE(reversed.readings.front().is_reversed());
    });
  });
  CHECK(tiles > at_least(300, 64, 5));
}

// ---- planted mistakes: how a kernel computes the start field of step i, given the bytes from the first step

struct Planted {
  std::string_view rule;
  // The start field; -1: this mistake does not exist for the tile.
  std::int64_t (*field)(const Block& block, std::int64_t first, std::int64_t bytes, std::int64_t step);
};

std::int64_t stride_field(const Block& b, bool is_other) {
  const SmemDescriptor& d = b.words.front();
  const bool is_leading = (b.tile->swizzle().bits == 0) != is_other;
  return (is_leading ? d.leading_byte_offset() : d.stride_byte_offset()).in_chunks();
}
std::int64_t groups(const Block& b) {
  if (b.tile->major() == Major::K) return 2;
  return dense_mma_k(b.tile->element_bits()) / b.tile->swizzle().lines;
}
bool has_lines(const Block& b) { return b.tile->major() == Major::K && b.tile->swizzle().bits > 0; }

constexpr Planted planted[] = {
    {"advance-constant", [](const Block&, std::int64_t first, std::int64_t, std::int64_t) { return first; }},
    {"advance-in-elements",
     [](const Block& b, std::int64_t first, std::int64_t bytes, std::int64_t) {
       if (b.tile->element_bits() == 8) return std::int64_t{-1};
       return (first * 16 + bytes * 8 / b.tile->element_bits()) >> 4;
     }},
    {"advance-elements-unshifted",
     [](const Block& b, std::int64_t first, std::int64_t bytes, std::int64_t) {
       if (b.tile->element_bits() == 8) return std::int64_t{-1};
       return first + bytes * 8 / b.tile->element_bits();
     }},
    {"advance-unshifted",
     [](const Block&, std::int64_t first, std::int64_t bytes, std::int64_t) { return first + bytes; }},
    {"advance-shifted-twice",
     [](const Block&, std::int64_t first, std::int64_t bytes, std::int64_t) { return first + (bytes >> 8); }},
    {"advance-past-atom",
     [](const Block& b, std::int64_t first, std::int64_t, std::int64_t step) {
       return b.tile->major() == Major::K ? first + 2 * step : std::int64_t{-1};
     }},
    {"advance-of-other-major",
     [](const Block& b, std::int64_t first, std::int64_t, std::int64_t step) {
       if (b.tile->major() == Major::MN) return first + 2 * step;
       if (!has_lines(b)) return std::int64_t{-1};
       return first + dense_mma_k(b.tile->element_bits()) / 8 * step * stride_field(b, false);
     }},
    {"advance-strides-exchanged",
     [](const Block& b, std::int64_t first, std::int64_t, std::int64_t step) {
       return has_lines(b) ? std::int64_t{-1} : first + groups(b) * step * stride_field(b, true);
     }},
    {"advance-packed",
     [](const Block& b, std::int64_t first, std::int64_t, std::int64_t step) {
       return has_lines(b) ? std::int64_t{-1} : first + groups(b) * step * b.tile->swizzle().atom().in_chunks();
     }},
    {"advance-step-count",
     [](const Block& b, std::int64_t first, std::int64_t, std::int64_t step) {
       return has_lines(b) ? std::int64_t{-1} : first + step * stride_field(b, false);
     }},
    {"advance-by-rows",
     [](const Block& b, std::int64_t first, std::int64_t, std::int64_t step) {
       return b.tile->major() == Major::K ? first + step * stride_field(b, b.tile->swizzle().bits == 0)
                                          : std::int64_t{-1};
     }},
    {"advance-wrapped",  // a tile that lies 2 KiB before the end of what the field can express
     [](const Block&, std::int64_t, std::int64_t bytes, std::int64_t) { return (0x3f800 + bytes) >> 4; }},
};

Words plant(const Block& block, const Planted& mistake) {
  Words words;
  const std::int64_t first = block.words.front().start_address().count;
  for (std::size_t i = 0; i < block.words.size(); ++i) {
    const SmemDescriptor& right = block.words[i];
    const std::int64_t field =
        mistake.field(block, first / 16, right.start_address().count - first, static_cast<std::int64_t>(i));
    if (field < 0) return {};
    words.push_back(SmemDescriptor(
        with_field(right.word(), right.format(), FieldId::start_address, static_cast<std::uint64_t>(field) & 0x3fff),
        right.target()));
  }
  return words;
}

// Whether the words read what the right ones read, from any start.
bool is_same_loop(const Words& a, const Words& b) {
  for (std::size_t i = 1; i < a.size(); ++i)
    if (a[i].start_address().count - a[0].start_address().count !=
        b[i].start_address().count - b[0].start_address().count)
      return false;
  return true;
}

// The right word where the words first go elsewhere.
std::uint64_t first_wrong(const Words& words, const Words& right) {
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i].word() != right[i].word()) return right[i].word();
  return 0;
}

TEST_CASE("each planted mistake is named; where it changes nothing, nothing is claimed") {
  std::map<std::string_view, long> named, unknown;
  for_each_tile(Bytes{0x400}, [&](const Target& target, const SmemTile& tile) {
    const auto [mn, k] = tile.extents();
    if ((mn > 32 && mn % 64 != 0) || (k > 4 * tile.atom().k && k != 256)) return;
    for_each_block(tile, target, [&](const Block& block) {
      if (block.words.front().word() != tile_descriptors(tile, target, OperandRole::a).steps[0].descriptor.word())
        return;
      for (const Planted& mistake : planted) {
        const Words words = plant(block, mistake);
        if (words.empty()) continue;
        const bool is_constant = std::ranges::all_of(
            words, [&](const SmemDescriptor& word) { return word.start_address() == words[0].start_address(); });
        if (is_constant && mistake.rule != "advance-constant") continue;  // a stride of 0
        const KLoop loop = k_loop(words, block.known);
        INFO(mistake.rule, ": ", to_string(tile.major()), " ", tile.swizzle().name, " ", to_string(tile.order()), " ",
             to_string(tile.extents()), " ", tile.element_bits(), " bits", words_text(words), " -> ", rules(loop));
        if (is_same_loop(words, block.words)) {
          REQUIRE(loop.is_right());
          REQUIRE(loop.mistakes.empty());
          continue;
        }
        REQUIRE_FALSE(loop.is_right());
        const auto found = std::ranges::find(loop.mistakes, mistake.rule, &Explanation::rule);
        REQUIRE(found != loop.mistakes.end());
        REQUIRE_FALSE(found->hint.empty());
        if (mistake.rule != "advance-wrapped" && found->word)
          REQUIRE(hex64(*found->word) == hex64(first_wrong(words, block.words)));
        ++named[mistake.rule];
        REQUIRE(std::ranges::count(mistakes(), mistake.rule, &MistakeRow::name) == 1);
        // Without knowledge: named as well, or the words have another meaning that is said.
        if (tile.element_bits() == 1) continue;  // b1 is not guessed
        const KLoop bare = k_loop(words);
        const bool is_named = std::ranges::find(bare.mistakes, mistake.rule, &Explanation::rule) != bare.mistakes.end();
        REQUIRE((is_named || bare.is_right() || !bare.other_rows.empty() || words.size() == 2 ||
                 tile.swizzle().name == "32B"));
        unknown[mistake.rule] += is_named;
      }
    });
  });
  for (const Planted& mistake : planted) {
    MESSAGE(mistake.rule, ": named ", named[mistake.rule], ", without knowledge ", unknown[mistake.rule]);
    if (!is_sanitized) CHECK(named[mistake.rule] > at_least(100, 64, 5));  // of a sample, each mistake is not named
  }
}

std::string told(const Words& words, const LoopOperand& known = {}) {
  const KLoop loop = k_loop(words, known);
  std::string out;
  for (const LoopReading& reading : loop.readings) out += reading.text + "\n";
  for (const Explanation& mistake : loop.mistakes)
    out += fmt::format("{}: {} | {}\n", mistake.rule, mistake.message, mistake.hint);
  return out + (loop.other_rows.empty() ? "" : loop.other_rows + "\n");
}

Words wgmma(std::uint64_t rest, std::initializer_list<std::uint64_t> starts) {
  Words words;
  for (const std::uint64_t start : starts) words.push_back(SmemDescriptor(rest | start, require_target("sm_90a")));
  return words;
}

TEST_CASE("whole texts") {
  constexpr std::uint64_t k_128b = 0x4000004000010000, k_64b = 0x8000002000010000, mn_128b = 0x4000008000400000;
  const LoopOperand f16_k{Major::K, 16, 64, 32, {}, 0, {}}, f16_mn{Major::MN, 16, 64, 32, {}, 0, {}};
  CHECK(told(wgmma(k_128b, {0x40, 0x42, 0x44, 0x46}), f16_k) ==
        "K-major: 32 B a step (field +2) inside the 128 B line\n");
  // Eight steps of 64 rows: the next k atom lies 8192 B further.
  CHECK(told(wgmma(k_128b, {0x40, 0x42, 0x44, 0x46, 0x240, 0x242}), f16_k) ==
        "K-major: 32 B a step (field +2) inside the 128 B line; atoms along K are 8192 B apart: right for at most 64 "
        "rows\n");
  const std::string far =
      " | the right advance, K-major: 32 B a step (field +2) inside the 128 B line, 4 steps, then the next k atom, "
      "rows / 8 x "
      "SBO further when the atoms are stacked mn-first";
  const std::string right = far + "; word 2 is then 0x4000004000010042\n";
  CHECK(told(wgmma(k_128b, {0x40, 0x50, 0x60, 0x70}), f16_k) ==
        "advance-elements-unshifted: +256 B a step (field +16): 16 elements of 16 bits a step were added to the "
        "field, "
        "which counts 16 bytes" +
            right);
  CHECK(told(wgmma(k_128b, {0x40, 0x60, 0x80, 0xa0}), f16_k) ==
        "advance-unshifted: +512 B a step (field +32): bytes were added to the field without >> 4" + right);
  CHECK(told(wgmma(k_128b, {0x40, 0x41, 0x42, 0x43}), f16_k) ==
        "advance-in-elements: +16 B a step (field +1): 16 elements of 16 bits a step were taken for bytes" + right);
  CHECK(told(wgmma(k_128b, {0x40, 0x40, 0x40}), f16_k) ==
        "advance-constant: all 3 words are the same: the start address does not advance" + right +
            "advance-shifted-twice: +0 B a step (field +0): bytes were shifted by 4 twice" + right);
  CHECK(told(wgmma(k_128b, {0x40, 0x42, 0x44, 0x46, 0x48}), f16_k) ==
        "advance-past-atom: +32 B a step (field +2) leaves the 128 B line of the atom: word 5 reads other rows of the "
        "same k" +
            far + "\n");
  CHECK(told(wgmma(k_128b, {0x40, 0x42, 0x44, 0x46, 0x80}), f16_k) ==
        "advance-overlaps: +32, +32, +32, +928 B: the next k atom is 1024 B further, and 64 rows of this one reach "
        "8192 "
        "B" +
            far + "\n");
  CHECK(told(wgmma(k_64b, {0x40, 0x42, 0x44})) ==
        "advance-past-atom: +32 B a step (field +2) leaves the 64 B line of the atom: word 3 reads other rows of the "
        "same k | the right advance, K-major: 32 B a step (field +2) inside the 64 B line, 2 steps, then the next k "
        "atom, rows "
        "/ 8 x "
        "SBO further when the atoms are stacked mn-first\n"
        "advance-of-other-major: +32 B a step (field +2): right K-major, inside a line; this operand is MN-major | "
        "the right advance, "
        "MN-major, 16-bit elements: 2 x SBO = 1024 B a step (field +64); word 2 is then 0x8000002000010080\n");
  CHECK(told(wgmma(mn_128b, {0x40, 0x140, 0x240})) ==
        "MN-major, 16-bit elements: 2 x SBO = 4096 B a step (field +256)\n");
  const std::string right_mn =
      " | the right advance, MN-major, 16-bit elements: 2 x SBO = 4096 B a step (field +256); word 2 is then "
      "0x4000008000400140\n";
  CHECK(told(wgmma(mn_128b, {0x40, 0xc0, 0x140}), f16_mn) ==
        "advance-in-elements: +2048 B a step (field +128): 16 elements of 16 bits a step were taken for bytes" +
            right_mn + "advance-strides-exchanged: +2048 B a step (field +128): 2 x LBO; along K SBO is stepped over" +
            right_mn +
            "advance-packed: +2048 B a step (field +128): 2 x the atom of 1024 B; atoms along K are SBO = 2048 B "
            "apart" +
            right_mn +
            "advance-step-count: +2048 B a step (field +128): 1 x SBO; a step of 16 elements of 16 bits takes 2" +
            right_mn);
  CHECK(told(wgmma(mn_128b, {0x40, 0x42, 0x44}), f16_mn) ==
        "advance-of-other-major: +32 B a step (field +2): right K-major, inside a line; this operand is MN-major" +
            right_mn);
  CHECK(told(wgmma(mn_128b, {0x40, 0x57}), f16_mn) == "advance: +368 B a step (field +23)" + right_mn);
  CHECK(told(wgmma(k_128b, {0x40, 0x240}), f16_k) ==
        "advance-by-rows: +8192 B a step (field +512): 8 x SBO, the same k of rows 64 further" + right);
  CHECK(told(wgmma(k_128b, {0x40, 0x240})) ==
        "advance-by-rows: +8192 B a step (field +512): 8 x SBO, the same k of rows 64 further" + right +
            "K-major: the same k of other rows, 64 further each\n");
  CHECK(told(wgmma(k_128b, {0x3ffc, 0x3ffe, 0}), f16_k)
            .starts_with("advance-wrapped: +32, -262112 B: a start address "
                         "reached 0x40000, and its field of 14 bits went on "
                         "from 0 | the right advance, K-major"));
  CHECK(told(wgmma(k_128b, {0x40, 0x44, 0x240})) ==
        "B of a sparse MMA, K-major: 64 B a step (field +4) inside the 128 B line; atoms along K are 8192 B apart: "
        "right "
        "for at most 64 rows\n"
        "advance-skips: +64, +8128 B: 32 B of K are read, then some are left out" +
            right);
}

TEST_CASE("two operands in turn, and words that have nothing in common") {
  constexpr std::uint64_t k_128b = 0x4000004000010000;
  const KLoop loop = k_loop(wgmma(k_128b, {0x40, 0x1040, 0x42, 0x1042, 0x44, 0x1044}));
  CHECK(loop.is_right());
  CHECK(loop.readings.front().blocks == 2);
  const KLoop none = k_loop(wgmma(k_128b, {0x40, 0x1040, 0x7e}));
  CHECK(rules(none) == "advance");
  CHECK(none.other_rows == "words of other rows, tiles or operands");
  CHECK_FALSE(none.is_wrong());

  Words stride = wgmma(k_128b, {0x40});
  stride.push_back(wgmma(k_128b + (2ULL << 32), {0x40}).front());
  CHECK(told(stride) ==
        "advance-other-field: word 2 differs from the first in stride_byte_offset: 1024 B and 1056 B | a k step "
        "changes only the start address, bits 0-13\n");

  Words mixed = wgmma(k_128b, {0x40, 0x42});
  for (const SmemDescriptor& word : wgmma(0x8000002000010000, {0x1040, 0x1042})) mixed.push_back(word);
  mixed.push_back(SmemDescriptor(0x4000404000010040, require_target("sm_100a")));
  mixed.push_back(wgmma(k_128b, {0x44}).front());
  mixed.push_back(SmemDescriptor(0x6000404000010040, require_target("sm_100a")));  // an illegal mode
  const auto loops = find_loops(mixed, true);
  REQUIRE(loops.size() == 2);
  CHECK(loops[0].words == std::vector<std::size_t>{0, 1, 5});
  CHECK(loops[0].loop.is_right());
  CHECK(loops[1].words == std::vector<std::size_t>{2, 3});

  // A tile that begins at 0x460, or a step too far: both are said.
  const KLoop either = k_loop(wgmma(k_128b, {0x46, 0x48}));
  CHECK(either.is_right());
  CHECK(either.mistakes.front().rule == "advance-past-atom");
  CHECK_FALSE(either.is_wrong());

  // Four words; three of them are a loop.
  const auto runs = find_loops(wgmma(k_128b, {0x40, 0x50, 0x60, 0x1041}), true);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].words == std::vector<std::size_t>{0, 1, 2});
  CHECK(runs[0].loop.mistakes[0].rule == "advance-elements-unshifted");
}

}  // namespace
}  // namespace swz
