// SPDX-License-Identifier: Apache-2.0
// swz place: where every chunk of an operand is, as a picture and as numbers.
#include "view/tile/place.hpp"

#include "highlight.hpp"
#include "operand_request.hpp"
#include "point_request.hpp"
#include "view/document/figure.hpp"

namespace swz {

// What --highlight names, whether or not the operand has it: view_place compares it with each placement.
void read_value(const std::string& text, Selection& to) {
  constexpr std::int64_t any = std::int64_t{1} << 32;
  const struct {
    std::string_view plural;
    std::vector<IndexRange>& ranges;
  } lists[] = {{"rows", to.rows},   {"ks", to.ks},       {"chunks", to.chunks}, {"lanes", to.lanes},
               {"bytes", to.bytes}, {"banks", to.banks}, {"lines", to.lines}};
  std::vector<HighlightKind> kinds;
  for (const auto& list : lists) kinds.push_back({list.plural, any});
  const Highlight highlight = parse_highlight(text, kinds);
  for (const Highlight::Range& range : highlight.ranges())
    for (const auto& list : lists)
      if (list.plural == range.plural) list.ranges.push_back({range.first, range.last});
}

namespace {

using Label = PlaceOptions::Label;
using Color = PlaceOptions::Color;
enum class Panels { both, logical, smem };

struct Request {
  OperandRequest operand;
  std::optional<bool> elements;
  std::optional<Label> label;
  std::optional<Color> color;
  std::optional<Panels> panels;
  Selection highlight;
  PointQuery query;
  Words beside;  // named by the first operand
};

Options options_of(Request& r) {
  return operand_options(r.operand) + point_options(r.query, "ROW,K") +
         Options{one_of<bool>("--cells", "CELL", r.elements, {{"chunk", false}, {"element", true}}, "what a cell is")
                     .by_default_note("chunk, 16 bytes"),
                 one_of<Label>("--label", "WHAT", r.label,
                               {{"chunk", Label::number},
                                {"bank", Label::bank},
                                {"byte", Label::byte},
                                {"coordinate", Label::coordinate},
                                {"offset", Label::offset},
                                {"atom", Label::atom}},
                               "the label of a cell")
                     .by_default_note("chunk, its number in GMEM order"),
                 one_of<Color>("--color-by", "WHAT", r.color,
                               {{"chunk", Color::position},
                                {"bank", Color::bank},
                                {"column", Color::column},
                                {"subtile", Color::subtile}},
                               "meaning of the colours")
                     .by_default_note("subtile, 8 lines x 16 bytes"),
                 one_of<Panels>("--panels", "PANELS", r.panels,
                                {{"both", Panels::both}, {"logical", Panels::logical}, {"smem", Panels::smem}},
                                "which panels are drawn")
                     .by_default_note("both; logical for --label bank"),
                 option("--highlight", "WHAT", r.highlight,
                        "mark cells: 'rows 0-7; ks 0-7', 'chunks 0,2,4', 'lanes 0-7' (of ldmatrix), 'banks 0-3' (also "
                        "bytes, lines)"),
                 option("--beside", "MODE|LAYOUT", r.beside,
                        "also draw it in this mode or layout, or 'linear'; can be repeated")
                     .repeated(limits::compared_variants)};
}

PlaceReport report_of(const Request& r, const Context& context) {
  PlaceReport report;
  report.operands.push_back(placed_operand(r.operand, target_of(r.operand.tile, context)));
  if (const auto& tile = report.operands.front().tile; tile && context.arch != nullptr)
    report.unreadable = refusal(operand_choice(*tile, *context.arch, r.operand.tile.mma()));
  report.dtype = &dtype_of(r.operand);
  for (const std::string& text : r.beside)
    report.operands.push_back(placed_beside(text, report.operands.front(), r.operand));
  report.selection = r.highlight;
  report.query = r.query;
  return report;
}

PlaceOptions drawing_of(const Request& r, bool has_chunks) {
  PlaceOptions options;
  options.elements = r.elements.value_or(!has_chunks);
  options.color = r.color.value_or(has_chunks ? Color::subtile : Color::bank);
  options.label = r.label.value_or(has_chunks ? Label::number : Label::coordinate);
  // In shared memory the bank is the column, so that bank numbers are useful only over rows and k.
  const Panels panels = r.panels.value_or(options.label == Label::bank ? Panels::logical : Panels::both);
  options.logical = panels != Panels::smem;
  options.smem = panels != Panels::logical;
  return options;
}

Answer answer(const Request& asked, const Context& context) {
  const Request r = with_layout(asked, &Request::operand);
  const PlaceReport report = report_of(r, context);
  return {with_form(view_place(report, drawing_of(r, report.operands.front().placement.has_chunks())), r.operand,
                    *report.dtype, context)};
}

}  // namespace

Commands place_commands() {
  return {
      {.name = "place",
       .summary = "where every chunk of a tile or layout lies in shared memory, as a picture",
       .details = R"(Draws an operand by row and k, next to the lines of shared memory by bank, with
the same numbers and colours. A chunk is 16 bytes; chunks are numbered in GMEM
order: row by row when K-major, k by k when MN-major.

--beside adds the same operand in another mode, in another layout, or 'linear'
(line after line without a swizzle). --highlight marks rows and ks (their
rectangle), chunks, or what lanes of ldmatrix read; it counts the wavefronts and
crosses out chunks that share banks with another of their eight lanes.
Rectangles are read 8 lines x 16 bytes at a time, chunks eight at a time in the
order given, and lane j reads line j % 16 in chunk column j / 16. bytes, banks
and lines mark places of shared memory, which no instruction reads together.

4- and 6-bit elements with gaps (--kind f8f6f4 or mxf8f6f4) lie at the front of
every 16 bytes; a cell of --cells element is then a byte of shared memory, and
what holds no element is marked as a gap.

A descriptor need not exist: any tile of whole atoms and any layout of rank 2
that fits in shared memory can be placed.)",
       .examples = {{"swz place --dtype bf16 --tile 8x64 --major k --swizzle 128B", "one atom"},
                    {"swz place --dtype bf16 --tile 8x16 --swizzle 32B --beside linear --highlight 'ks 0-7'",
                     "what a swizzle is for: the wavefronts of one ldmatrix"},
                    {"swz place --layout '(64,64):(64,1)' --dtype bf16 --cells element --label bank --color-by bank",
                     "the bank of every element"},
                    {"swz place --dtype bf16 --tile 128x64 --swizzle 128B --at 37,20", "where one element lies"},
                    {"swz place --kind mxf8f6f4 --dtype e2m1 --tile 8x128 --at 0,37", "an fp4 element beside gaps"}},
       .next = {{"Are there bank conflicts?", "banks {operand} --access ldmatrix.x4"},
                {"Which words does an MMA need?", "desc {!--layout} {operand}"},
                {"Which words does an MMA need?", "desc --from {=--layout} {--shape,--dtype}"},
                {"Which TMA boxes fill it?", "tma plan {operand}"},
                {"How does the tile get to its MMA?", "story {!--layout} {operand} {--at}"}},
       .prepare = [] { return prepare(options_of, answer); }}};
}

}  // namespace swz
