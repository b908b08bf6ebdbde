// SPDX-License-Identifier: Apache-2.0
// swz story: the way of one operand tile from global memory to the result of its MMAs.
#include "story/story.hpp"

#include "base/text.hpp"
#include "kernel_files.hpp"
#include "line.hpp"
#include "operand_request.hpp"
#include "point_request.hpp"
#include "ptx/mma_tile.hpp"
#include "sass/lift.hpp"
#include "sass/sass_text.hpp"
#include "view/story/story.hpp"
#include "words.hpp"

namespace swz {

// The words of a loop in order; two may be the same.
struct StoryWords {
  std::vector<WordText> list;
};

void read_value(const std::string& text, StoryWords& to) {
  for (const std::string& piece : entries_of(text, ", \t\n")) {
    WordText word;
    read_value(piece, word);
    to.list.push_back(std::move(word));
  }
}

namespace {

struct Request {
  TileRequest tile;
  OperandRole operand = OperandRole::a;
  std::optional<MmaShapeText> mma;
  std::optional<OperandExtents> tensor;  // none: the tile
  TileCoordinate start;
  std::optional<Bytes> stride;  // none: without a gap
  PointQuery query;
  // What the kernel does, if it is not what the tile needs.
  std::optional<TileExtents> box;
  std::optional<Bytes> expect;
  std::string read_as;  // tile options in one text
  StoryWords words;
  std::optional<std::uint64_t> instruction;
  // Or the tile that an MMA of a compiled kernel reads.
  std::string kernel, entry;
  std::uint32_t line = 0;
};

Options kernel_options(Request& r) {
  return {option("--box", "MNxK", r.box, "the box of the kernel's copies, one after another, instead of the best")
              .in("elements"),
          option("--expect", "BYTES", r.expect, "the bytes that the kernel's barrier expects").in("bytes"),
          option("--read-as", "TILE", r.read_as, "tile options for which the reader was made: '--swizzle 64B'"),
          option("--words", "WORD,...", r.words, "descriptors of the kernel: the first, or one for each k step"),
          option("--idesc", "WORD", r.instruction, "the kernel's instruction descriptor (tcgen05)")};
}

Options compiled_options(Request& r) {
  return {
      option("--kernel", "FILE", r.kernel, "take the tile from an MMA of a kernel: PTX, SASS, a cubin")
          .file()
          .excluding({"--tile", "--mma", "--words", "--read-as", "--dtype", "--major", "--slots", "--kind", "--swizzle",
                      "--order", "--base", "--idesc", "--tensor", "--start", "--stride", "--box", "--expect"},
                     "the kernel gives its tile and words; describe its copies beside --tile"),
      number("--line", "LINE", r.line, 1, 0xffffffff, "the line of the MMA, as swz kernel shows it")
          .needing({"--kernel"}),
      option("--entry", "NAME", r.entry, "one kernel of several").needing({"--kernel"})};
}

Options options_of(Request& r) {
  return tile_options(r.tile) + pair_options(r.tile) +
         Options{mma_option(r.mma).by_default_note("as many rows as divide the tile, 128 on the other side"),
                 role_option(r.operand, "which operand of the MMA the tile is").by_default("a"),
                 option("--tensor", "MNxK", r.tensor, "extents of the operand in global memory")
                     .in("elements")
                     .by_default_note("the tile's"),
                 option("--start", "ROW,K", r.start, "where the tile begins in the operand")
                     .in("elements")
                     .by_default("0,0"),
                 option("--stride", "BYTES", r.stride, "bytes from one line of the operand to the next")
                     .in("bytes")
                     .by_default_note("no gap")} +
         kernel_options(r) + compiled_options(r) + point_options(r.query, "ROW,K");
}

GmemOperand operand_of(const Request& r, const SmemTile& tile, const Target& target) {
  const TileRequest& asked = r.tile;
  GmemOperand from = packed_operand(tile, target, r.tensor ? *r.tensor : *asked.extents);
  from.tile_at = {r.start.row, r.start.k};
  if (asked.cta_group == 2) from.tile_at.mn += PairHalf{asked.cta, asked.extents->mn}.first_row();
  if (r.stride) from.line_stride = *r.stride;
  const TileExtents end{from.tile_at.mn + tile.extents().mn, from.tile_at.k + tile.extents().k};
  if (end.mn > from.extents.mn || end.k > from.extents.k)
    throw usage_error(fmt::format("a tile of {} at ({}, {}) is not inside of the operand of {}",
                                  to_string(tile.extents()), from.tile_at.mn, from.tile_at.k, to_string(from.extents)),
                      "--tensor takes the extents of the operand, --start a place in it; swz tma place shows the edge");
  return from;
}

StoryMma mma_of(const Request& r, const SmemTile& tile, const Target& target) {
  if (!r.mma) return story_mma(tile, target, r.operand, r.tile.mma());
  if (!r.mma->instruction)
    throw usage_error(fmt::format("{} is not a whole instruction", swz::quoted(r.mma->text)),
                      "M, N and K: m128n256k16");
  return {*r.mma->instruction, r.operand};
}

// The element that is asked for; if none is, the first that is wrong or one that tells something.
TileCoordinate followed(const Request& r, const Story& story) {
  const PointQuery& query = r.query;
  if (query.empty()) {
    for (const StoryBreak& found : story.breaks)
      if (found.first) return *found.first;
    return telling_element(story);
  }
  if (query.coordinates.size() + query.bytes.size() > 1)
    throw usage_error("a story follows one element", "give one place to --at or --at-byte");
  if (!query.bytes.empty()) {
    const auto found = story.copies.at_place(Bits{query.bytes.front().count * 8});
    if (!found)
      throw usage_error(fmt::format("no element of the tile begins at byte {:#x}", query.bytes.front().count),
                        "--at ROW,K names it by its place in the tile");
    return *found;
  }
  const std::vector<IntTuple>& at = query.coordinates.front().children();
  if (at.size() != 2 || !at[0].is_int() || !at[1].is_int())
    throw usage_error("an element of a tile is a row and a k", "--at 37,20");
  return {at[0].value(), at[1].value()};
}

std::uint32_t instruction_of(std::uint64_t word) {
  if (word >> 32 != 0)
    throw usage_error(fmt::format("{:#x} has more than 32 bits", word), "an instruction descriptor has 32");
  return static_cast<std::uint32_t>(word);
}

// The one kernel of the file that is meant.
KernelText read_kernel(const Request& r, const Context& context) {
  const KernelFiles files({r.kernel}, context);
  KernelQuestion question{.entry = r.entry};
  KernelText text{.name = r.kernel};
  if (files.are_texts()) {
    std::string content = files.text(0);
    text.module = is_sass(content) ? lift_sass(read_sass(std::move(content))) : read_ptx(std::move(content));
    text.kernels = kernel_reports(text.module, question);
  } else {
    const KernelCatalog catalog = files.catalog({.entry = r.entry, .target = context.arch});
    if (catalog.kernels().size() != 1)
      throw usage_error(fmt::format("{} has {} kernels that are meant", r.kernel, catalog.kernels().size()),
                        "name one with --entry and --arch; swz kernel lists them");
    const FoundKernel& kernel = catalog.kernels().front();
    text = kernel.ptx ? files.read(catalog, kernel, question) : files.read_code(catalog, kernel, question, Nvdisasm());
  }
  if (text.kernels.size() != 1)
    throw usage_error(fmt::format("{} has {} kernels", r.kernel, text.kernels.size()), "name one with --entry");
  return text;
}

Answer answer_of_kernel(const Request& r, const Context& context) {
  if (r.line == 0) throw usage_error("no line given", "--line names the MMA; swz kernel FILE lists them");
  const KernelText text = read_kernel(r, context);
  const MmaTile found = mma_tile(text.kernels.front(), r.line, r.operand);
  StoryAsk ask{.tile = found.tile,
               .target = found.target,
               .role = found.role,
               .mma = found.mma,
               .from = packed_operand(found.tile, *found.target, found.tile.extents())};
  ask.words = found.words;
  StoryAnswer out{story_of(std::move(ask)), {}};
  out.followed = followed(r, out.story);
  const int exit_code = out.story.breaks.empty() ? 0 : 1;
  const Finding from =
      note("compiled-kernel",
           fmt::format("tile and words are those of line {} of {}; the tile begins at {}, here at 0", r.line,
                       text.kernels.front().name, found.start.empty() ? "a constant" : found.start),
           "the kernel's text has no tensor map: the copies are those that such a tile needs");
  return {with_notes(view_story(out), {from}), exit_code};
}

Answer answer(const Request& asked, const Context& context) {
  if (!asked.kernel.empty()) return answer_of_kernel(asked, context);
  Request r = asked;
  std::vector<Finding> said;
  take_named(r.mma, r.operand, r.tile, said);
  const Target& target = target_of(r.tile, context);
  const SmemTile tile = tile_of(r.tile, target);
  const StoryMma mma = mma_of(r, tile, target);
  StoryAsk ask{.tile = tile,
               .target = &target,
               .role = mma.role,
               .filter = r.tile.mma(),
               .cta = r.tile.cta,
               .mma = mma.extents,
               .from = operand_of(r, tile, target)};
  ask.box = r.box;
  ask.expect = r.expect;
  if (!r.read_as.empty()) ask.read_as = other_tile(r.tile, words_of_line(r.read_as), target, "--read-as", "story");
  for (const WordText& word : r.words.list) ask.words.push_back(word.word);
  if (r.instruction) ask.instruction = instruction_of(*r.instruction);
  StoryAnswer out{story_of(std::move(ask)), {}};
  out.followed = followed(r, out.story);
  const int exit_code = out.story.breaks.empty() ? 0 : 1;
  return {with_form(with_notes(view_story(out), said), r.tile, *r.tile.dtype, context, true), exit_code};
}

}  // namespace

Commands story_commands() {
  return {
      {.name = "story",
       .summary = "the way of a tile from global memory to the result; exit 1 when it breaks",
       .details = R"(Follows one operand tile through every stage of a kernel: the tensor in global
memory, the TMA boxes (or cp.async), shared memory with its swizzle, the
descriptor of each MMA (or ldmatrix), the MMAs, and where their result lies:
tensor memory on sm_100, registers on the others. The picture has one hue for
each k step through all stages; one element is followed (--at; without it one of
a k step and a row that are not the first), and with a block-scaled --kind its
scale factor, too.

It checks that each stage reads what the one before it writes. What a kernel
does differently is given with --box, --expect, --read-as, --words and --idesc:
a break is then named, with the number of elements that are wrong.

--kernel and --line take the tile and the words from an MMA of a compiled
kernel, as far as they are known.)",
       .examples =
           {{"swz story --arch sm_100a --dtype bf16 --tile 128x128 --tensor 8192x4096 --mma m128n256k16 --at 37,84",
             "TMA, tcgen05, tensor memory"},
            {"swz story --arch sm_90a --dtype bf16 --tile 128x64 --mma m64n128k16", "wgmma, registers"},
            {"swz story --arch sm_80 --dtype f16 --tile 64x64", "cp.async, ldmatrix, mma.sync"},
            {"swz story --dtype bf16 --tile 64x64 --read-as '--swizzle 64B'", "a reader of another mode"},
            {"swz story --arch sm_100a --kind mxf4nvf4 --dtype e2m1 --tile 128x256 --at 37,84", "with scale factors"},
            {"swz story --kernel kernel.ptx --line 220", "the tile that a compiled MMA reads"}},
       .next = {{"Which TMA boxes fill the tile?", "tma plan {!--kernel} {?copies.expect_bytes} {operand}"},
                {"Which words does the MMA need?", "desc {!--kernel} {operand} {--mma,--operand}"},
                {"Where does each chunk lie?", "place {!--kernel} {operand} {--at}"},
                {"Are there bank conflicts?", "banks {!--kernel} {operand} --access ldmatrix.x4"}},
       .prepare = [] { return prepare(options_of, answer); }}};
}

}  // namespace swz
