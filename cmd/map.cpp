// SPDX-License-Identifier: Apache-2.0
// swz map WORD...: the bytes that an MMA reads of one operand, and whether a tile put its elements there; for several
// words, whether they are its k loop.
#include "view/map/map.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "descriptor/k_loop.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "highlight.hpp"
#include "line.hpp"
#include "operand_request.hpp"
#include "point_request.hpp"
#include "smem/mma_operand.hpp"
#include "view/dialect/operand_verdict.hpp"
#include "words.hpp"

namespace swz {

// What --against names: tile options in one quoted argument, or a layout.
struct StoredText {
  std::optional<Words> tile_options;
  std::optional<LayoutText> layout;
};

void read_value(const std::string& text, StoredText& to) {
  const auto first = text.find_first_not_of(" \t");
  if (first != std::string::npos && text[first] == '-') to.tile_options = words_of_line(text);
  else read_value(text, to.layout);
}

namespace {

struct Request {
  std::vector<WordText> words;
  std::optional<MmaShapeText> mma;
  std::optional<OperandRole> operand;
  std::optional<Bytes> start;
  std::optional<StoredText> against;
  std::optional<ShapeText> shape;  // of the array of a layout in `against`, if its text does not give it
  std::optional<TileCoordinate> block;
  PointQuery query;
  std::string highlight;  // what may be named depends on the operand
  TileRequest tile;       // dtype, major, slots and base; those of --against begin with them
  bool has_base = false;
};

Options word_options(Request& r) {
  return {argument("WORD", r.words, "descriptor word as printed; several words: the steps of a k loop")
              .required()
              .repeated(limits::mapped_words),
          mma_option(r.mma).by_default_note("64 rows, on tcgen05 128"),
          role_option(r.operand, "which operand of the MMA: a has M rows, b has N"),
          dtype_option(r.tile.dtype).by_default("f16").noting(r.tile.has_dtype),
          major_option(r.tile.major).noting(r.tile.has_major),
          slots_option(r.tile.stated),
          option("--start", "ADDRESS", r.start, "start address to use instead of the one in the word").in("bytes"),
          option("--against", "TILE|LAYOUT", r.against,
                 "compare with a tile (its options as one quoted argument) or a layout"),
          shape_option(r.shape, "--against"),
          base_option(r.tile.base, "shared-memory address of --against").noting(r.has_base),
          option("--block", "ROW,K", r.block, "first row and k of the block of --against")
              .needing({"--against"})
              .by_default_note("where the word points"),
          option("--highlight", "WHAT", r.highlight,
                 "mark what the picture shows: 'rows 0-7; ks 0-7', 'chunks 0,2' or 'bytes 0x400-0x40f'")};
}

Options options_of(Request& r) { return word_options(r) + point_options(r.query, "ROW,K"); }

// The word, in the format of --arch or, without it, of the target that it fits; all words have the same format.
SmemDescriptor descriptor_of(std::uint64_t word, const Request& r, const Context& context, const Target*& target,
                             std::vector<Finding>& remarks) {
  const SmemDecoding decoding = decode_smem(word, target);
  const SmemDescriptor& descriptor = decoding.readings.front().descriptor;
  if (target == nullptr && context.arch == nullptr)
    remarks.push_back(note("reading", fmt::format("read for {}: {}", descriptor.target().name, decoding.why),
                           "--arch chooses the format"));
  target = &descriptor.target();
  if (!r.start) return descriptor;
  const FieldRow& row = *descriptor.format().find(FieldId::start_address);
  return SmemDescriptor(row.bits.write(word, raw_of(row, r.start->count)), *target);
}

// "smem_ptr[16b](0x400) o …" gives the address of the array, and so does a generic address, whose window of shared
// memory is aligned to more than its size.
void take_pointer(Request& r) {
  constexpr std::int64_t offset_in_window = 0xffffff, beyond = 1 << 19;  // what a descriptor can name
  const std::int64_t base = r.against->layout->smem_address & offset_in_window;
  if (r.has_base || base == 0 || base >= beyond) return;
  r.tile.base.count = base;
  r.against->layout->notes.push_back(note("pointer",
                                          fmt::format("the array lies at {:#x}, the address of its pointer", base),
                                          "--base gives another place"));
}

// Takes the stage into which the first word points: then the word is compared with that stage.
void take_stage(Request& r, Bytes start) {
  LayoutText& layout = *r.against->layout;
  if (!layout.staged || layout.staged->is_one_buffer()) return;
  const std::int64_t bytes = stage_bytes(*layout.staged, layout.stage_bits);
  for (std::size_t i = 1; i < layout.staged->starts.size(); ++i) {
    const std::int64_t bits = layout.staged->starts[i] * layout.stage_bits, first = r.tile.base.count + bits / 8;
    if (start.count < first || start.count >= first + bytes) continue;
    for (Finding& said : layout.notes)
      if (said.rule == "stages") said = stages_note(*layout.staged, layout.stage_bits, i);
    if (layout.staged->starts[i] % layout.layout.plain().swizzle().period() == 0) r.tile.base.count = first;
    else layout.layout = layout_of_stage(*layout.staged, i);
    return;
  }
}

StoredOperand stored_operand(const Request& r, int element_bits, const Target& target) {
  if (r.against->layout) return swz::stored_operand(r.against->layout->layout, element_bits, r.tile.base);
  return swz::stored_operand(other_tile(r.tile, *r.against->tile_options, target, "--against", "map"));
}

// --mma, or M of an MMA that one CTA runs: 64 rows, on tcgen05 128; fewer if what it is compared with has fewer.
TileExtents extents_of(const Request& r, const OperandChoice& choice, const std::optional<StoredOperand>& stored,
                       std::vector<Finding>& remarks) {
  TileExtents extents{mma_rows(OperandRole::a, choice).front(), dense_mma_k(r.tile.bits())};
  if (stored) extents.mn = std::min(extents.mn, stored->extents.mn);
  if (r.mma) extents = mma_extents(*r.mma, r.operand.value_or(OperandRole::a), choice, remarks);
  require_operand_rows(extents, r.tile.bits());
  return extents;
}

// What is known of the operand whose k steps the words should be.
LoopOperand loop_operand(const MapAnswer& step) {
  const OperandMap& map = step.report.map;
  LoopOperand known{map.major, map.element_bits, map.extents.mn, map.extents.k * map.element_bits / 8, {}, 0, {}};
  if (!step.stored || !step.stored->tile) return known;
  known.next_atom = step.stored->tile->k_atom_stride();
  known.k_steps = step.stored->extents.k / map.extents.k;
  known.first_k = step.comparison->block.k * map.element_bits / 8;
  return known;
}

Answer answer(const Request& asked, const Context& context) {
  Request r = asked;
  std::vector<Finding> said;
  take_named(r.mma, r.operand, r.tile, said);
  if (r.against) read_layout_of(r.against->layout, r.tile, r.shape);
  const std::vector<WordText> words = join_halves(r.words);
  require_within(limits::mapped_words, std::ssize(words));
  const char* of_one = r.start ? "--start" : !r.query.empty() ? "--at" : !r.highlight.empty() ? "--highlight" : nullptr;
  if (of_one != nullptr && words.size() > 1)
    throw usage_error(fmt::format("{} works with one word only", of_one), "leave it out, or give one word");
  const Target* target = context.arch;
  MapLoopAnswer all;
  std::optional<TileCoordinate> block = r.block;
  for (const WordText& text : words) {
    std::vector<Finding> remarks = said;
    const SmemDescriptor word = descriptor_of(text.word, r, context, target, remarks);
    if (r.against && r.against->layout && all.steps.empty()) {
      take_pointer(r);
      take_stage(r, word.start_address());
      const std::vector<Finding>& notes = r.against->layout->notes;
      remarks.insert(remarks.begin() + std::ssize(said), notes.begin(), notes.end());
    }
    const OperandChoice choice{target, r.tile.dtype, r.tile.packing(), r.tile.major, &require_swizzle(word)};
    require_legal(choice);
    std::optional<StoredOperand> stored;
    if (r.against) stored = stored_operand(r, r.tile.bits(), *target);
    const TileExtents extents = extents_of(r, choice, stored, remarks);
    const OperandMap map = operand_map(word, extents, r.tile.bits(), r.tile.major);
    const OperandReport report = operand_report(word, map);
    MapAnswer step{report,
                   r.tile.dtype,
                   r.operand,
                   std::move(remarks),
                   std::move(stored),
                   {},
                   r.query,
                   parse_highlight(r.highlight, highlight_kinds(report)),
                   read_as(text)};
    if (step.stored) {
      step.comparison = compare(word, map, *step.stored, block);
      block = TileCoordinate{step.comparison->block.row, step.comparison->block.k + extents.k};
    }
    all.steps.push_back(std::move(step));
  }
  const int exit_code =
      std::ranges::any_of(all.steps, [](const MapAnswer& step) { return is_elsewhere(step); }) ? 1 : 0;
  const auto with_its_stages = [&](Document d) {
    return r.against && r.against->layout ? with_stages(std::move(d), *r.against->layout) : d;
  };
  if (words.size() == 1) return {with_its_stages(view_map(all.steps[0])), exit_code, has_lints(all.steps[0])};

  std::vector<SmemDescriptor> descriptors;
  for (const MapAnswer& step : all.steps) descriptors.push_back(step.report.word);
  all.loop = k_loop(descriptors, loop_operand(all.steps[0]));
  return {with_its_stages(view_map_loop(all)), exit_code, has_lints(all)};
}

}  // namespace

Commands map_commands() {
  return {
      {.name = "map",
       .summary = "the bytes an MMA reads through a descriptor; exit 1 when a tile lies elsewhere",
       .details = R"(Shows the address, the line and the bank of every 16-byte chunk of one operand
of an MMA, read through a 64-bit shared-memory descriptor. Bytes that are read
twice and addresses beyond shared memory are lints.

--against compares these bytes with the bytes where a tile or a layout puts the
elements. It shows the first element that differs, how many differ, and which
single mistake explains all of them (LBO and SBO swapped, bytes without >> 4,
another mode, base offset, major, stacking order, block, a swizzle in the wrong
unit, ...). A tile is written as one quoted argument that holds its options, a
layout in CuTe's notation; --dtype, --major, --slots and --base also apply to
it.

Several words are taken as the k steps of one operand. The answer says whether
their advance is right for this type and major, or which mistake explains it and
which advance is right. With --against each word is compared with its own block.
Their picture shows which of the MMAs reads each chunk; each MMA is a step of
it, for --animate and the slider of -f html.)",
       .examples = {{"swz map 0x4000004000010042 --arch sm_90a --mma m64n16k16 --operand a",
                     "the bytes of A, K-major f16"},
                    {"swz map 0x4000004000010042 --against '--tile 128x64 --swizzle 128B --base 0x400'",
                     "are these the bytes of a k step of that tile?"},
                    {"swz map 0x4000004000010040 0x4000004000010050 --dtype bf16", "a k loop that advances wrongly"},
                    {"swz map 0x4000004000010040 0x4000004000010042 0x4000004000010044 0x4000004000010046 --dtype bf16",
                     "one that advances rightly"},
                    {"swz map 0x4000004000000040 --against 'Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)' --mma "
                     "8x16 --base 0x400",
                     "the same for a layout"}},
       .next = {{"How does such a tile get there?",
                 "story --arch {arch} --dtype {dtype} --tile {rows}x64 --swizzle {swizzle}"},
                {"How does such a tile get there?",
                 "story --arch {arch} --dtype {dtype} --tile {rows}x32 --swizzle {swizzle}"},
                {"How does such a tile get there?",
                 "story --arch {arch} --dtype {dtype} --tile {rows}x128 --swizzle {swizzle}"},
                {"How does such a tile get there?",
                 "story --arch {arch} --dtype {dtype} --tile {rows}x16 --swizzle {swizzle}"},
                {"Which words does a whole tile need?",
                 "desc --arch {arch} --dtype {dtype} --tile {rows}x64 --swizzle {swizzle} --base {start_address}"},
                {"Which words does a whole tile need?",
                 "desc --arch {arch} --dtype {dtype} --tile {rows}x32 --swizzle {swizzle} --base {start_address}"},
                {"Which words does a whole tile need?",
                 "desc --arch {arch} --dtype {dtype} --tile {rows}x128 --swizzle {swizzle} --base {start_address}"},
                {"Which words does a whole tile need?",
                 "desc --arch {arch} --dtype {dtype} --tile {rows}x16 --swizzle {swizzle} --base {start_address}"},
                {"Do these words read a whole tile?",
                 "story {?loop} --arch {arch} --dtype {dtype} --tile {rows}x64 --base {steps.0.start_address} "
                 "--words={WORD}"},
                {"Do these words read a whole tile?",
                 "story {?loop} --arch {arch} --dtype {dtype} --tile {rows}x32 --base {steps.0.start_address} "
                 "--words={WORD}"},
                {"Do these words read a whole tile?",
                 "story {?loop} --arch {arch} --dtype {dtype} --tile {rows}x128 --base {steps.0.start_address} "
                 "--words={WORD}"},
                {"Do these words read a whole tile?",
                 "story {?loop} --arch {arch} --dtype {dtype} --tile {rows}x256 --base {steps.0.start_address} "
                 "--words={WORD}"},
                {"Does the pattern begin where the tile does?",
                 "phase --arch {arch} --swizzle {swizzle} --base {start_address}"},
                {"What do the fields say?", "decode {WORD}"}},
       .prepare = [] { return prepare(options_of, answer); }}};
}

}  // namespace swz
