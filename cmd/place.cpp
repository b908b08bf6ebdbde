// swz place: where every chunk of an operand lies, as a picture and as numbers.
#include "view/place.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "expr/evaluate.hpp"
#include "tile_options.hpp"
#include "view/highlight.hpp"

namespace swz {
namespace {

using Label = PlaceOptions::Label;
using Color = PlaceOptions::Color;
using Names = std::vector<std::string>;

struct Request {
  TileOptions tile;
  std::string layout;
  std::string cells = "chunk", label, color = "subtile", panels;
  std::string highlight;
  Names beside;
};

// In the order of the enumerations.
const Names label_names{"chunk", "bank", "byte", "coordinate", "offset", "atom"};
const Names color_names{"chunk", "bank", "column", "subtile"};

// The options are checked by CLI11, so that the name is one of the list.
template <class Enum>
Enum named(const Names& names, const std::string& name) {
  return static_cast<Enum>(std::find(names.begin(), names.end(), name) - names.begin());
}

PlacedOperand placed(SmemTile tile) {
  return {fmt::format("mode {}", tile.swizzle().name), tile.layout(), tile.base(), Placement(tile), tile};
}

// What --highlight names, whether or not the operand has it: a selection is held against each placement later.
Selection selection_of(const std::string& text) {
  constexpr std::int64_t any = std::int64_t{1} << 32;
  Selection selection;
  const std::vector<HighlightKind> kinds{{"rows", any}, {"ks", any}, {"chunks", any}, {"lanes", any}};
  const Highlight highlight = parse_highlight(text, kinds);
  for (const Highlight::Range& range : highlight.ranges()) {
    std::vector<IndexRange>& list = range.plural == "rows"     ? selection.rows
                                    : range.plural == "ks"     ? selection.ks
                                    : range.plural == "chunks" ? selection.chunks
                                                               : selection.lanes;
    list.push_back({range.first, range.last});
  }
  return selection;
}

// The layout without a swizzle in which line follows line.
Layout linear(const Placement& first) {
  const TileExtents e = first.extents();
  const bool k_major = first.major() == Major::K;
  return {std::vector<IntTuple>{e.mn, e.k},
          std::vector<IntTuple>{k_major ? e.k : 1, k_major ? std::int64_t{1} : e.mn}};
}

PlacedOperand placed_layout(const std::string& name, const ComposedLayout& layout, int element_bits, Bytes base,
                            std::optional<Major> major) {
  return {name, layout, base, Placement(layout, element_bits, base, major)};
}

// A single word that is no mode; one with more to it may be a layout.
[[noreturn]] void throw_unknown_mode(const std::string& text) {
  Names names;
  for (const SwizzleMode& mode : swizzle_modes()) names.emplace_back(mode.name);
  const std::string modes = join_and(names);
  names.emplace_back("linear");
  const std::string guess = did_you_mean(text, names);
  throw Error(fmt::format("{} is neither a swizzle mode nor 'linear' nor a layout", swz::quoted(text)),
              fmt::format("{}{}swizzle modes: {}", guess, guess.empty() ? "" : " ", modes), {}, ErrorKind::usage);
}

// A swizzle mode, "linear", or a layout, with the extents and the base of the first operand.
PlacedOperand placed_beside(const std::string& text, const PlacedOperand& first, const TileOptions& options) {
  const Placement& p = first.placement;
  if (text == "linear") return placed_layout("linear", linear(p), p.element_bits(), first.base, p.major());
  if (const SwizzleMode* mode = find_swizzle_mode(text)) {
    return placed(SmemTile({.dtype = options.dtype,
                            .packing = options.slots ? Packing::slots : Packing::packed,
                            .major = p.major(),
                            .mn = p.extents().mn,
                            .k = p.extents().k,
                            .swizzle = mode->name,
                            .order = require_stacking_order(options.order),
                            .base = first.base}));
  }
  if (text.find_first_of("(<:") == std::string::npos) throw_unknown_mode(text);
  PlacedOperand other = placed_layout(text, parse_layout(text), p.element_bits(), first.base, p.major());
  if (other.placement.extents() != p.extents())
    throw Error(fmt::format("{} has {} elements, what it stands beside has {}", text,
                            to_string(other.placement.extents()), to_string(p.extents())),
                "operands that are compared have the same extents");
  return other;
}

void refuse_both(const CLI::App& app) {
  for (const char* option : {"--tile", "--swizzle", "--order"})
    if (app.count(option) != 0)
      throw Error(fmt::format("{} says what --layout says already", option), "leave one of them out", {},
                  ErrorKind::usage);
}

PlaceReport report_of(const CLI::App& app, Request& request, const Common& common) {
  PlaceReport report;
  if (request.layout.empty()) {
    const Target& target = target_of(common);
    const SmemTile tile = tile_of(request.tile, target);
    report.operands.push_back(placed(tile));
    if (!common.arch.empty()) report.unreadable = refusal(operand_choice(tile, target));
  } else {
    refuse_both(app);
    const ComposedLayout layout = parse_layout(request.layout);
    if (layout.has_pointer() && app.count("--dtype") == 0)
      request.tile.dtype = fmt::format("u{}", layout.element_bits());
    const int bits =
        element_bits(require_dtype(request.tile.dtype), request.tile.slots ? Packing::slots : Packing::packed);
    std::optional<Major> major;
    if (app.count("--major") != 0) major = parse_major(request.tile.major);
    report.operands.push_back(placed_layout(request.layout, layout, bits, parse_base(request.tile.base), major));
  }
  report.dtype = &require_dtype(request.tile.dtype);
  for (const std::string& text : request.beside)
    report.operands.push_back(placed_beside(text, report.operands.front(), request.tile));
  if (!request.highlight.empty()) report.selection = selection_of(request.highlight);
  return report;
}

PlaceOptions options_of(const CLI::App& app, const Request& request, const Common& common,
                        const PlaceReport& report) {
  const bool has_chunks = report.operands.front().placement.has_chunks();
  PlaceOptions options;
  options.elements = request.cells == "element" || (!has_chunks && app.count("--cells") == 0);
  options.color = named<Color>(color_names, request.color);
  if (!has_chunks && app.count("--color-by") == 0) options.color = Color::bank;
  if (!request.label.empty()) options.label = named<Label>(label_names, request.label);
  else options.label = has_chunks ? Label::number : Label::coordinate;
  // In shared memory the bank is the column: its numbers are worth drawing over rows and k only.
  const std::string panels = !request.panels.empty()        ? request.panels
                             : options.label == Label::bank ? "logical"
                                                            : "both";
  options.logical = panels != "smem";
  options.smem = panels != "logical";
  options.pictures = common.format != "json";
  options.tips = options.pictures && common.format != "text";
  return options;
}

}  // namespace

Action define_place(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  add_tile_options(app, request->tile);
  app.add_option("--layout", request->layout, "any layout of rank 2 instead of a tile")->type_name("LAYOUT");
  app.add_option("--cells", request->cells, "what a cell is (default: chunk, 16 bytes)")
      ->check(CLI::IsMember(Names{"chunk", "element"}));
  app.add_option("--label", request->label, "what a cell says (default: chunk, its number in GMEM order)")
      ->check(CLI::IsMember(label_names));
  app.add_option("--color-by", request->color, "what a colour means (default: subtile, 8 lines x 16 bytes)")
      ->check(CLI::IsMember(color_names));
  app.add_option("--panels", request->panels, "what is drawn (default: both; logical for --label bank)")
      ->check(CLI::IsMember(Names{"both", "logical", "smem"}));
  app.add_option("--highlight", request->highlight, "'rows 0-7; ks 0-7', 'chunks 0,2,4', 'lanes 0-7' of ldmatrix")
      ->type_name("WHAT");
  app.add_option("--beside", request->beside, "also in this mode or layout, or 'linear'; can be repeated")
      ->type_name("MODE|LAYOUT")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return [request, &common, &app] {
    const PlaceReport report = report_of(app, *request, common);
    return Outcome{view_place(report, options_of(app, *request, common, report))};
  };
}

}  // namespace swz
