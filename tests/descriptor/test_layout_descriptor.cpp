// SPDX-License-Identifier: Apache-2.0
// Layout to descriptor: the reference values, the reasons, the round trip of every kind of tile, and random layouts
// against a search over every mode, LBO and SBO.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/layout_descriptor.hpp"
#include "descriptor/operand_map.hpp"
#include "expr/evaluate.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

LayoutOperand operand(const std::string& layout, const std::string& dtype, Major major,
                      const std::string& arch = "sm_90a") {
  return {parse_layout(layout), &require_target(arch), &require_dtype(dtype), Packing::packed, major};
}

std::string first_word(const TileDescriptors& d) { return hex64(d.steps.front().descriptor.word()); }

const ModeAnswer& under(const LayoutDescriptors& answer, std::string_view mode) {
  for (const ModeAnswer& a : answer.modes)
    if (a.mode->name == mode) return a;
  throw Error("no such mode in the answer");
}

TEST_CASE("(16,64):(1,16) MN-major: none as given, 32B has SBO 256 and the word at 0") {
  const LayoutDescriptors answer = layout_descriptors(operand("(16,64):(1,16)", "f16", Major::MN));
  CHECK_FALSE(answer.descriptors);
  CHECK(answer.mode == nullptr);
  CHECK(answer.reason == "steps of k are 32 B apart; mode none needs 16 B");
  const ModeAnswer& sw32 = under(answer, "32B");
  REQUIRE(sw32.descriptors);
  CHECK(sw32.descriptors->stride.value == Bytes{256});
  CHECK(first_word(*sw32.descriptors) == "0xc000001000000000");
  CHECK(to_string(sw32.layout) == "Sw<1,4,3> o smem_ptr[16b](unset) o (16,64):(1,16)");
  CHECK(under(answer, "64B").reason == "steps of k are 32 B apart; mode 64B needs 64 B");
  CHECK(under(answer, "128B").reason == "steps of k are 32 B apart; mode 128B needs 128 B");
  REQUIRE(answer.nearest);
  CHECK(answer.nearest->tile.swizzle().name == "32B");
  CHECK(answer.nearest->agreeing == 16 * 64);
  // The layout under 32B has the word as given.
  LayoutOperand swizzled = operand(to_string(sw32.layout), "f16", Major::MN);
  CHECK(first_word(layout_descriptors(swizzled).descriptors.value()) == "0xc000001000000000");
}

TEST_CASE("(24,64):(1,24) MN-major: illegal in every mode; the nearest has LBO 384 and SBO 128") {
  const LayoutDescriptors answer = layout_descriptors(operand("(24,64):(1,24)", "f16", Major::MN));
  CHECK_FALSE(answer.descriptors);
  REQUIRE(answer.modes.size() == 4);
  for (const ModeAnswer& mode : answer.modes) CHECK_FALSE(mode.descriptors);
  CHECK(answer.reason == "steps of k are 48 B apart; mode none needs 16 B");
  REQUIRE(answer.nearest);
  CHECK(answer.nearest->descriptors.leading.value == Bytes{384});
  CHECK(answer.nearest->descriptors.stride.value == Bytes{128});
}

TEST_CASE("(64,128):(128,1) K-major f16: none, rows 256 B apart") {
  const LayoutDescriptors answer = layout_descriptors(operand("(64,128):(128,1)", "f16", Major::K));
  CHECK_FALSE(answer.descriptors);
  CHECK(answer.reason == "rows are 256 B apart; mode none needs 16 B");
  for (const ModeAnswer& mode : answer.modes) CHECK(mode.reason.starts_with("rows are 256 B apart; mode "));
}

std::string reason(const std::string& layout, const std::string& dtype, Major major,
                   const std::string& arch = "sm_90a") {
  const LayoutDescriptors answer = layout_descriptors(operand(layout, dtype, major, arch));
  return answer.descriptors ? "mode " + std::string(answer.mode->name) : answer.reason;
}

TEST_CASE("reasons, in the words of the atom") {
  CHECK(reason("(64,128):(128,1)", "f16", Major::MN) ==
        "neighbours along MN are 256 B apart; MN-major needs 2 B (the layout is K-major)");
  CHECK(reason("((8,8),(8,8)):((8,64),(1,512))", "f16", Major::K) == "mode none");
  CHECK(reason("((8,8),(4,2,8)):((8,64),(1,8,512))", "f16", Major::K) ==
        "element 4 along K lies 16 B after the first; 16 contiguous bytes need 8 B");
  CHECK(reason("Sw<3,4,3> o smem_ptr[16b](unset) o (64,(8,8)):(64,(1,512))", "f16", Major::K) ==
        "16-byte chunk 1 of K lies 1024 B after chunk 0; mode 128B needs 16 B");
  CHECK(reason("(((4,2),8),(8,8)):(((8,40),64),(1,512))", "f16", Major::K) ==
        "row 4 lies 80 B after row 0; mode none needs 64 B");
  CHECK(reason("((8,4,2),(8,8)):((8,64,512),(1,1024))", "f16", Major::K) ==
        "with LBO 2048 B and SBO 128 B the MMA at m 0, k 0 reads element (32,0) from byte 512; the layout puts it at "
        "1024 B");
  CHECK(reason("((8,8),(8,8)):((8,68),(1,1024))", "f16", Major::K) ==
        "SBO would be 136 B; a descriptor holds multiples of 16 B from 0 to 262128 (from one group of 8 rows to the "
        "next: element (8,0) lies 136 B after element (0,0))");
  CHECK(reason("((8,8),(16,2)):((16,128),(1,1028))", "f16", Major::K) == "rows are 32 B apart; mode none needs 16 B");
  CHECK(reason("((8,8),(8,2,2)):((8,64),(1,512,2052))", "f16", Major::K) ==
        "the MMA that begins at element (0,16) starts at byte 4104, which is not a multiple of 16");
  CHECK(reason("(20,64):(64,1)", "f16", Major::K) ==
        "MN 20 is not a multiple of 8, the smallest block of rows an MMA reads");
  CHECK(reason("(16,24):(24,1)", "f16", Major::K) ==
        "K 24 is not a multiple of 16: a dense MMA of f16 reads 32 B of every row");
  CHECK(reason("(64,64):(64,100000)", "f16", Major::MN) ==
        "element (0,2) lies 200000 elements from the base 0x0, outside of the 233472 B of shared memory");
  CHECK(reason("(8,16):(-8,1)", "f16", Major::K) ==
        "element (1,0) lies -8 elements from the base 0x0, outside of the 233472 B of shared memory");
  CHECK(reason("(64,64):(1,64)", "e4m3", Major::MN) ==
        "wgmma cannot read e4m3 MN-major: it transposes 16-bit types only");
  CHECK(layout_descriptors(operand("(64,64):(1,64)", "e4m3", Major::MN)).hint ==
        "nearest legal choice: K-major e4m3 with mode none on sm_90a");
  CHECK(reason("Sw<2,5,2> o smem_ptr[32b](unset) o (32,8):(1,32)", "tf32", Major::MN) ==
        "sm_90a has no swizzle mode 128B_32B");
  CHECK(reason("Sw<2,5,2> o smem_ptr[32b](unset) o (32,8):(1,32)", "tf32", Major::MN, "sm_100a") == "mode 128B_32B");
}

TEST_CASE("a swizzle of no hardware mode, and the two forms mistaken for each other") {
  CHECK(reason("Sw<3,3,3> o 0 o (64,64):(64,1)", "f16", Major::K) == "mode 128B");
  CHECK(reason("Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)", "f16", Major::K) == "mode 128B");
  CHECK(reason("Sw<3,4,3> o 0 o (64,128):(128,1)", "e4m3", Major::K) == "mode 128B");
  CHECK(reason("Sw<3,5,3> o 0 o (64,256):(256,1)", "e2m1", Major::K, "sm_100a") == "mode 128B");
  CHECK(reason("Sw<3,4,3> o 0 o (64,64):(64,1)", "f16", Major::K) ==
        "Sw<3,4,3> on elements is Sw<3,5,3> on bytes, the swizzle of no hardware mode; it is the byte form of mode "
        "128B, which elements of 16 bits write Sw<3,3,3>");
  CHECK(reason("Sw<3,3,3> o smem_ptr[16b](unset) o (64,64):(64,1)", "f16", Major::K) ==
        "Sw<3,3,3> on bytes is the swizzle of no hardware mode; it is the element form of mode 128B, which smem_ptr "
        "writes Sw<3,4,3>");
  CHECK(reason("Sw<2,3,4> o smem_ptr[16b](unset) o (64,64):(64,1)", "f16", Major::K) ==
        "Sw<2,3,4> on bytes is the swizzle of no hardware mode");
  // Only bit 7 of these addresses is ever set: the two swizzles are one function.
  CHECK(reason("Sw<3,4,3> o smem_ptr[16b](unset) o (8,16):(16,1)", "f16", Major::K) == "mode 32B");
  CHECK(reason("Sw<1,4,3> o smem_ptr[16b](unset) o (8,16):(16,1)", "f16", Major::K) == "mode 32B");
}

std::string refused(const LayoutOperand& o) {
  try {
    layout_descriptors(o);
  } catch (const Error& error) {
    return error.message() + " | " + error.hint;
  }
  return "accepted";
}

TEST_CASE("what cannot be asked") {
  CHECK(refused(operand("(64,64):(64,1)", "f16", Major::K, "sm_80")) ==
        "sm_80 has neither wgmma nor tcgen05 | wgmma: sm_90a; tcgen05: sm_100a, sm_100f, sm_103a, sm_103f, sm_107a, "
        "sm_107f, sm_110a and sm_110f");
  CHECK(refused(operand("(64,64,3):(64,1,4096)", "f16", Major::K)) ==
        "an operand has two modes, (MN,K); the layout has 3 | group the modes that belong together, or take one "
        "stage: (LAYOUT)(_,_,0)");
  CHECK(refused(operand("64:1", "f16", Major::K)) ==
        "an operand has two modes, (MN,K); the layout has 1 | for example (64,16):(16,1)");
  CHECK(refused(operand("Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)", "e4m3", Major::K)) ==
        "the layout is one of 16-bit elements (smem_ptr[16b]), e4m3 has 8 bits | take the type that the layout was "
        "made for");
  CHECK(refused(operand("(1024,1024):(1,1024)", "f16", Major::K)) ==
        "the layout has 1048576 elements of 16 bits; a CTA has at most 232448 B (227 KiB) of shared memory | at most "
        "116224 elements");
  CHECK(refused(operand("(4611686018427387904,1):(0,0)", "b1", Major::K)).starts_with("the layout has 46116860"));
  LayoutOperand o = operand("(64,64):(64,1)", "f16", Major::K);
  o.mma = TileExtents{48, 16};
  CHECK(refused(o) == "blocks of 48 rows do not divide MN 64 of the layout | nearest: 64x16");
  o.mma = TileExtents{64, 8};
  CHECK(refused(o) ==
        "no dense MMA of f16 has K 8: it reads 32 B of every row, K 16 | nearest: 64x16; sparse operands and K 96 "
        "are not covered");
  o.mma.reset();
  o.base = Bytes{8};
  CHECK(refused(o) == "the base address 0x8 is not a multiple of 16 B | descriptors count 16-byte chunks");
}

TEST_CASE("the base is a multiple of the pattern; an offset inside the layout moves the words") {
  LayoutOperand o = operand("Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)", "f16", Major::K);
  o.base = Bytes{0x200};
  CHECK(layout_descriptors(o).reason ==
        "the base 0x200 is not a multiple of 1024 B, after which the pattern of mode 128B repeats");
  o.base = Bytes{0x400};
  CHECK(first_word(layout_descriptors(o).descriptors.value()) == "0x4000004000010040");
  // The second stage of a ring of tiles.
  o.layout = parse_layout("Sw<3,3,3> o 4096 o (64,64):(64,1)");
  const LayoutDescriptors second = layout_descriptors(o);
  REQUIRE(second.descriptors);
  CHECK(second.descriptors->steps[0].byte_offset == Bytes{8192});
  CHECK(first_word(*second.descriptors) == "0x4000004000010240");
}

// ---- round trip

TEST_CASE("the layout of a tile has the words of the tile: every kind of legal operand") {
  long tiles = 0;
  for (const char* arch : {"sm_90a", "sm_100a"}) {
    const Target& target = require_target(arch);
    for (const DType& dtype : dtypes())
      for (const Packing packing : {Packing::packed, Packing::slots}) {
        if (packing == Packing::slots && dtype.container_bits == 0) continue;
        const std::int64_t bits = element_bits(dtype, packing);
        for (const Major major : {Major::K, Major::MN})
          for (const SwizzleMode& mode : swizzle_modes()) {
            if (!is_legal({&target, &dtype, packing, major, &mode})) continue;
            const TileExtents atom = atom_extents(major, mode, dtype, packing);
            const std::int64_t k_unit = std::max(atom.k, dense_mma_k(static_cast<int>(bits)));
            for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first})
              for (const TileExtents n : {TileExtents{1, 1}, {2, 2}, {3, 1}, {1, 3}, {8, 2}}) {
                if (n.mn * atom.mn * n.k * k_unit * bits / 8 > 128 * 1024) continue;
                const SmemTile tile(
                    {dtype.name, packing, major, n.mn * atom.mn, n.k * k_unit, mode.name, order, Bytes{0x400}});
                const TileDescriptors wanted = tile_descriptors(tile, target, OperandRole::a);
                const LayoutDescriptors answer =
                    layout_descriptors({tile.layout(), &target, &dtype, packing, major, std::nullopt, tile.base()});
                INFO(arch << " " << dtype.name << " " << to_string(major) << " " << mode.name << " "
                          << to_string(tile.extents()) << " " << answer.reason);
                REQUIRE(answer.descriptors);
                CHECK(answer.mode == &mode);
                CHECK(answer.descriptors->mma == wanted.mma);
                REQUIRE(answer.descriptors->steps.size() == wanted.steps.size());
                bool same = true;
                for (std::size_t i = 0; i < wanted.steps.size(); ++i) {
                  const MmaStep &a = answer.descriptors->steps[i], &b = wanted.steps[i];
                  same &= a.descriptor.word() == b.descriptor.word() && a.byte_offset == b.byte_offset &&
                          a.advance == b.advance && a.is_next_atom == b.is_next_atom && a.m_block == b.m_block;
                }
                CHECK(same);
                ++tiles;
              }
          }
      }
  }
  CHECK(tiles > 1000);
}

// ---- random layouts against a search

// One LBO and one SBO, any start for each MMA: is there a word of any mode that reads the layout?
constexpr std::int64_t most_stride = 512;

SmemDescriptor word(const SwizzleMode& mode, const Target& target, std::int64_t start, std::int64_t lbo,
                    std::int64_t sbo) {
  return SmemDescriptor::encode({.start_address = Bytes{start},
                                 .leading_byte_offset = Bytes{lbo},
                                 .stride_byte_offset = Bytes{sbo},
                                 .swizzle = mode.name},
                                target);
}

std::vector<std::int64_t> starts_of(const SwizzleMode& mode, const LayoutOperand& o, std::int64_t byte) {
  std::vector<std::int64_t> starts;
  for (std::int64_t start = 0; start <= 8192; start += 16) {
    const SmemDescriptor d = word(mode, *o.target, start, 0, 0);
    if (operand_map(d, {1, 1}, o.dtype->memory_bits, o.major).byte(0, 0) == byte) starts.push_back(start);
  }
  return starts;
}

bool reads(const LayoutOperand& o, const SwizzleMode& mode, std::int64_t start, std::int64_t lbo, std::int64_t sbo,
           TileCoordinate first) {
  const int bits = o.dtype->memory_bits;
  const SmemDescriptor d = word(mode, *o.target, start, lbo, sbo);
  const OperandMap map = operand_map(d, *o.mma, bits, o.major);
  const std::int64_t rows = product(swz::mode(o.layout.layout().shape(), 0));
  for (std::int64_t k = 0; k < o.mma->k; ++k)
    for (std::int64_t r = 0; r < o.mma->mn; ++r)
      if (map.byte(r, k) * 8 != o.layout(first.row + r + (first.k + k) * rows) * bits) return false;
  return true;
}

bool exists(const LayoutOperand& o, TileExtents extents) {
  for (const SwizzleMode& mode : swizzle_modes()) {
    if (!is_legal({o.target, o.dtype, Packing::packed, o.major, &mode})) continue;
    std::vector<std::pair<TileCoordinate, std::int64_t>> steps;  // with their starts
    bool has_starts = true;
    for (std::int64_t k = 0; k < extents.k; k += o.mma->k)
      for (std::int64_t row = 0; row < extents.mn; row += o.mma->mn) {
        const std::int64_t bits = o.layout(row + k * extents.mn) * o.dtype->memory_bits;
        const std::vector<std::int64_t> starts = starts_of(mode, o, bits / 8);
        has_starts &= starts.size() == 1;
        if (!starts.empty()) steps.push_back({{row, k}, starts[0]});
      }
    if (!has_starts) continue;
    const bool uses_lbo = !(o.major == Major::K && mode.bits > 0);
    for (std::int64_t lbo = 0; lbo <= (uses_lbo ? most_stride : 0); lbo += 16)
      for (std::int64_t sbo = 0; sbo <= most_stride; sbo += 16) {
        bool all = true;
        for (const auto& [first, start] : steps) all = all && reads(o, mode, start, lbo, sbo, first);
        if (all) return true;
      }
  }
  return false;
}

struct RandomLayouts {
  std::mt19937 random{20250607};

  std::int64_t one_of(std::initializer_list<std::int64_t> values) {
    return *(values.begin() +
             std::uniform_int_distribution<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(values.size()) - 1)(random));
  }

  // Lines and chunks of an atom at distances that are often right; every stride stays within most_stride.
  LayoutOperand next() {
    struct Type {
      const char *dtype, *arch;
      Major major;
    };
    static constexpr Type types[] = {{"f16", "sm_90a", Major::K},
                                     {"f16", "sm_90a", Major::MN},
                                     {"e4m3", "sm_100a", Major::K},
                                     {"e4m3", "sm_100a", Major::MN},
                                     {"tf32", "sm_100a", Major::MN}};
    const Type& type = types[one_of({0, 1, 2, 3, 4})];
    const DType& dtype = require_dtype(type.dtype);
    const std::int64_t chunk_elements = 128 / dtype.memory_bits;
    const auto in_elements = [&](std::int64_t bytes) { return bytes * 8 / dtype.memory_bits; };

    const std::int64_t span = one_of({16, 32, 64, 128});
    const std::int64_t pitch = one_of({0, 1, 2, 3}) == 0 ? one_of({16, 32, 48, 64, 128}) : span;
    const std::int64_t next_chunk =
        in_elements(one_of({0, 1, 2, 3}) == 0 || span == 16 ? one_of({16, 32, 128, 256}) : 16);
    const std::int64_t group = in_elements(one_of({128, 256, 272, 384, 512}));
    const std::int64_t far = in_elements(one_of({256, 512, 1024}));
    // (elements of a chunk, chunks, more chunks) and (lines, groups of lines)
    const bool is_k = type.major == Major::K;
    const std::int64_t lines = type.dtype == std::string("tf32") ? 4 : 8;
    const std::int64_t chunks = is_k ? 2 : one_of({1, 2, 4, 8});
    const std::int64_t groups = is_k ? one_of({1, 2}) : dense_mma_k(dtype.memory_bits) / lines;
    const std::int64_t more = is_k ? one_of({1, 2}) : 1;
    const Layout along(std::vector<IntTuple>{chunk_elements, chunks, more}, std::vector<IntTuple>{1, next_chunk, far});
    const Layout across(std::vector<IntTuple>{lines, groups}, std::vector<IntTuple>{in_elements(pitch), group});
    const Layout modes[] = {is_k ? across : along, is_k ? along : across};
    const Layout layout = make_layout(modes);

    ComposedLayout composed = layout;
    const std::int64_t kind = one_of({0, 1, 1, 1, 2, 3});
    const int matching = span == 16 ? 0 : span == 32 ? 1 : span == 64 ? 2 : 3;
    if (kind == 1) {
      const bool is_chunk_32 = lines == 4;
      const Swizzle byte = is_chunk_32 ? Swizzle(2, 5, 2) : Swizzle(matching, 4, 3);
      composed = ComposedLayout::smem_ptr(byte, dtype.memory_bits, layout);
    }
    if (kind == 2)
      composed =
          ComposedLayout::smem_ptr(Swizzle(static_cast<int>(one_of({1, 2, 3})), 4, 3), dtype.memory_bits, layout);
    if (kind == 3) composed = ComposedLayout(Swizzle(2, 3, 3), 0, layout);
    const TileExtents extents{modes[0].size(), modes[1].size()};
    const std::int64_t rows = extents.mn % 16 == 0 && one_of({0, 1}) == 0 ? extents.mn / 2 : extents.mn;
    return {composed,   &require_target(type.arch),
            &dtype,     Packing::packed,
            type.major, TileExtents{rows % 8 == 0 ? rows : extents.mn, dense_mma_k(dtype.memory_bits)}};
  }
};

TEST_CASE("random layouts: an answer is given exactly when a search over modes, LBO and SBO finds one") {
  RandomLayouts layouts;
  int with = 0, without = 0, blocks = 0;
  const int count = is_sanitized ? 60 : 600;
  while (with + without < count) {
    const LayoutOperand o = layouts.next();
    const TileExtents extents{product(swz::mode(o.layout.layout().shape(), 0)),
                              product(swz::mode(o.layout.layout().shape(), 1))};
    if (extents.mn % 8 != 0) continue;
    INFO(to_string(o.layout) << " " << o.dtype->name << " " << to_string(o.major) << " MMA " << to_string(*o.mma));
    const LayoutDescriptors answer = layout_descriptors(o);
    INFO(answer.reason);
    CHECK(answer.descriptors.has_value() == exists(o, extents));
    CHECK(answer.reason.empty() == answer.descriptors.has_value());
    (answer.descriptors ? with : without) += 1;
    if (answer.descriptors) {
      blocks += answer.descriptors->steps.size() > 1 ? 1 : 0;
      const std::int64_t lbo = answer.descriptors->leading.value.count, sbo = answer.descriptors->stride.value.count;
      bool reads_all = true;
      for (const MmaStep& step : answer.descriptors->steps)
        reads_all &= reads(o, *answer.mode, step.descriptor.start_address().count, lbo, sbo,
                           {step.m_block * o.mma->mn, step.k_step * o.mma->k});
      CHECK(reads_all);
    }
  }
  MESSAGE(with, " layouts with words (", blocks, " of several MMAs), ", without, " without");
  CHECK(with > at_least(100, 10));
  CHECK(without > at_least(100, 10));
  CHECK(blocks > at_least(30, 10));
}

TEST_CASE("no canonical tile agrees with a layout in more elements than the nearest one") {
  for (const char* text : {"(64,128):(128,1)", "(16,64):(64,1)", "((8,2),(8,8)):((8,100),(1,512))", "(64,64):(1,64)",
                           "(40,64):(64,1)", "(64,64):(0,0)"}) {
    for (const Major major : {Major::K, Major::MN}) {
      const LayoutOperand o = operand(text, "bf16", major);
      const LayoutDescriptors answer = layout_descriptors(o);
      INFO(text << " " << to_string(major));
      REQUIRE(answer.nearest);
      const auto agreeing = [&](const SmemTile& tile) {
        std::int64_t n = 0;
        for (std::int64_t k = 0; k < answer.extents.k; ++k)
          for (std::int64_t row = 0; row < answer.extents.mn; ++row)
            n += tile.linear_offset(row, k).count == 2 * o.layout.layout()(row + k * answer.extents.mn) ? 1 : 0;
        return n;
      };
      CHECK(answer.nearest->agreeing == agreeing(answer.nearest->tile));
      for (const char* mode : {"128B", "64B", "32B", "none"})
        for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first}) {
          const TileExtents atom = atom_extents(major, require_swizzle_mode(mode), *o.dtype, Packing::packed);
          if (answer.extents.mn % atom.mn != 0 || answer.extents.k % atom.k != 0) continue;
          const SmemTile tile({.dtype = "bf16",
                               .major = major,
                               .mn = answer.extents.mn,
                               .k = answer.extents.k,
                               .swizzle = mode,
                               .order = order});
          CHECK(agreeing(tile) <= answer.nearest->agreeing);
          if (agreeing(tile) == answer.nearest->agreeing)
            CHECK(tile.swizzle().span <= answer.nearest->tile.swizzle().span);
        }
    }
  }
}

}  // namespace
}  // namespace swz
