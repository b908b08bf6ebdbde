// SPDX-License-Identifier: Apache-2.0
// swz desc: the descriptor words of a tile, one per MMA; those of a layout, or the reason why it has none.
#include "view/descriptor/desc.hpp"

#include <algorithm>

#include "highlight.hpp"
#include "operand_request.hpp"
#include "source/source.hpp"

namespace swz {
namespace {

struct Request {
  TileRequest tile;
  std::optional<LayoutText> from;
  std::optional<ShapeText> shape;   // of the array of `from`, if its text does not give it
  std::optional<MmaShapeText> mma;  // none: default_mma of the operand
  OperandRole operand = OperandRole::a;
  bool emits = false;
  std::string highlight;  // what may be named depends on the operand
};

Options options_of(Request& r) {
  return tile_options(r.tile) + pair_options(r.tile) +
         Options{layout_option("--from", r.from, "a layout (MN,K) in any notation of swz translate, instead of --tile"),
                 shape_option(r.shape, "--from"),
                 mma_option(r.mma).by_default_note("M 64, 128 for tcgen05; N up to 256"),
                 role_option(r.operand, "which operand of the MMA the tile is").by_default("a"),
                 option("--highlight", "WHAT", r.highlight,
                        "mark chunks: 'rows 0-7; ks 0-15', 'chunks 0,2' or 'bytes 0x400-0x47f'"),
                 one_of<bool>("--emit", "LANGUAGE", r.emits, {{"cuda", true}},
                              "print a device function that computes the words")};
}

// "f16_128x64_k_major_128B_descriptor"
std::string function_name(const DType& dtype, TileExtents extents, Major major, const SwizzleMode& mode) {
  return fmt::format("{}_{}_{}_major_{}_descriptor", dtype.name, to_string(extents), major_word(major), mode.name);
}

// The command line of the source, with every option, so that no default of another version changes it.
std::string command_line(const Request& r, const Target& target, const std::string& operand, TileExtents mma) {
  return fmt::format("swz desc --arch {} --dtype {}{} --major {} {} --mma {} --emit cuda", target.name,
                     r.tile.dtype->name, r.tile.packing() == Packing::slots ? " --slots" : "", major_word(r.tile.major),
                     operand, to_string(mma));
}

bool has_second_chunks(const TileDescriptors& words) {
  return std::ranges::any_of(words.steps, [](const MmaStep& step) { return step.second_chunk.has_value(); });
}

Answer of_tile(const Request& r, const Target& target, const std::vector<Finding>& said) {
  // This comes before the extents, so that no hint leads to a tile that cannot be read.
  if (r.tile.swizzle != nullptr)
    require_legal({&target, r.tile.dtype, r.tile.packing(), r.tile.major, r.tile.swizzle, r.tile.mma()});
  const SmemTile tile = tile_of(r.tile, target);
  DescViewOptions options;
  options.notes = said;
  const TileDescriptors words =
      r.mma
          ? tile_descriptors(tile, target,
                             mma_extents(*r.mma, r.operand, operand_choice(tile, target, r.tile.mma()), options.notes))
          : tile_descriptors(tile, target, r.operand, r.tile.mma());
  options.highlight = parse_highlight(r.highlight, desc_highlight_kinds(operand_shape(tile), target));
  if (r.emits && has_second_chunks(words))
    throw usage_error("--emit does not cover K 96: its words hold absolute addresses", "the words: swz desc -f json");
  if (r.emits) {
    const std::string operand = fmt::format("--tile {} --swizzle {} --order {}", to_string(tile.extents()),
                                            tile.swizzle().name, to_string(tile.order()));
    options.source = cuda_source(words, {function_name(tile.dtype(), tile.extents(), tile.major(), tile.swizzle()),
                                         command_line(r, target, operand, words.mma), describe_operand(tile)});
  }
  return {view_tile_descriptors(tile, words, options)};
}

// Words that are not valid for every stage are not reported.
void refuse_stages(LayoutDescriptors& found, const LayoutText& from) {
  found.reason = stage_reason(*from.staged, *found.mode, from.stage_bits);
  if (found.reason.empty()) return;
  found.descriptors.reset();
  found.mode = nullptr;
}

Document with_stage_words(Document d, const LayoutDescriptors& found, const LayoutText& from) {
  if (!found.descriptors) return with_stages(std::move(d), from);
  return add_stage_words(std::move(d), *found.descriptors, *from.staged, from.stage_bits);
}

Answer of_layout(const Request& r, const Target& target, const std::vector<Finding>& said) {
  LayoutOperand operand{.layout = r.from->layout,
                        .target = &target,
                        .dtype = r.tile.dtype,
                        .packing = r.tile.packing(),
                        .major = r.tile.major,
                        .base = r.tile.base,
                        .role = r.operand};
  DescViewOptions options;
  options.notes = said;
  // If nothing is legal, that is the reason.
  const OperandChoice choice = readable_choice(operand);
  if (is_legal(choice) && r.mma) operand.mma = mma_extents(*r.mma, r.operand, choice, options.notes);
  LayoutDescriptors found = layout_descriptors(operand);
  if (found.descriptors && r.from->staged) refuse_stages(found, *r.from);
  if (found.descriptors && r.emits)
    options.source = cuda_source(
        *found.descriptors,
        {function_name(*operand.dtype, found.extents, operand.major, *found.mode),
         command_line(r, target, fmt::format("--from '{}'", to_string(operand.layout)), found.descriptors->mma),
         fmt::format("{}, mode {}", describe_operand(operand), found.mode->name)});
  if (found.descriptors)
    options.highlight = parse_highlight(r.highlight, desc_highlight_kinds(operand_shape(operand, found), target));
  Document document = view_layout_descriptors(operand, found, options);
  if (r.from->staged) document = with_stage_words(std::move(document), found, *r.from);
  return {std::move(document), found.descriptors ? 0 : 1};
}

Answer answer(const Request& asked, const Context& context) {
  Request r = asked;
  std::vector<Finding> said;
  take_named(r.mma, r.operand, r.tile, said);
  read_layout_of(r.from, r.tile, r.shape);
  if (!r.from && !r.tile.extents)
    throw usage_error("no operand given", "a tile: --tile 128x64; or a layout: --from '(16,64):(1,16)'");
  const Target& target = target_of(r.tile, context);
  Answer answer = r.from ? of_layout(r, target, said) : of_tile(r, target, said);
  answer.document = with_form(std::move(answer.document), r.tile, *r.tile.dtype, context);
  if (r.from) answer.document = with_notes(std::move(answer.document), r.from->notes);
  return answer;
}

}  // namespace

Commands desc_commands() {
  return {{.name = "desc",
           .summary = "the descriptors of a tile, or of a layout; exit 1 when there are none",
           .details = R"(Computes the 64-bit shared-memory descriptors (wgmma, tcgen05) through which
MMAs read an operand tile: LBO and SBO with their derivation, and one word for
each MMA. A tile is cut along K into the K steps of one MMA, and along M or N
into blocks of its rows.

--from takes a layout in any notation that swz translate reads, instead of a
tile. Its swizzle selects the mode; a layout without a swizzle has mode none. If
no word reads the layout, swz shows the reason, what each mode would require,
and the nearest tile that has words; the exit code is then 1.

--kind names the kind of tcgen05.mma: it reads fp4 and fp6 either packed or with
a gap after every 16 elements. With --cta-group 2, --tile is the operand of both
CTAs of a pair, and the words are those of the half that each CTA holds.

--emit cuda prints a device function that computes the words from the address of
the tile.)",
           .examples = {{"swz desc --dtype f16 --tile 128x64 --major k --swizzle 128B --base 0x400",
                         "one word for each MMA"},
                        {"swz desc --arch sm_100a --dtype bf16 --tile 256x64 --mma m128n256k16 --operand b",
                         "B of an instruction"},
                        {"swz desc --arch sm_103a --kind mxf4nvf4 --dtype e2m1 --tile 128x768 --mma m128n256k96",
                         "packed fp4, 48 B of K per MMA"},
                        {"swz desc --kind mxf8f6f4 --dtype e3m2 --tile 256x128 --cta-group 2 --operand b",
                         "fp6 with gaps, columns of B that one CTA holds"},
                        {"swz desc --dtype f16 --major mn --from '(16,64):(1,16)'", "why a layout has no descriptor"},
                        {"swz desc --dtype f16 --tile 128x64 --emit cuda", "the words as a device function"}},
           .next = {{"Which bytes does the first word read?",
                     "map {descriptors.0.word} --arch {arch} --dtype {dtype} --mma {mma.0}x{mma.1} {--major,--slots}"},
                    {"Which TMA boxes fill the tile?", "tma plan {!--from} {operand}"},
                    {"How does the tile get to its MMA?", "story {!--from} {operand} {--mma,--operand}"},
                    {"How does the tile get to its MMA?", "story {!--from} {operand} {--operand}"},
                    {"Are there bank conflicts?", "banks {!--from} {operand} --access ldmatrix.x4"},
                    {"How are the words written in CUDA?", "desc {operand} {--from,--mma,--operand} --emit cuda"}},
           .prepare = [] { return prepare(options_of, answer); }}};
}

}  // namespace swz
