// swz place: where every chunk of an operand lies, as a picture and as numbers.
#include "view/place.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/limits.hpp"
#include "command.hpp"
#include "placed.hpp"
#include "view/highlight.hpp"

namespace swz {
namespace {

using Label = PlaceOptions::Label;
using Color = PlaceOptions::Color;
using Names = std::vector<std::string>;

struct Request {
  OperandOptions operand;
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

PlaceReport report_of(const CLI::App& app, Request& request, const Common& common) {
  PlaceReport report;
  report.operands.push_back(placed_operand(app, request.operand, common));
  if (const auto& tile = report.operands.front().tile; tile && !common.arch.empty())
    report.unreadable = refusal(operand_choice(*tile, require_target(common.arch)));
  report.dtype = &require_dtype(request.operand.tile.dtype);
  require_within(limits::compared_variants, static_cast<std::int64_t>(request.beside.size()));
  for (const std::string& text : request.beside)
    report.operands.push_back(placed_beside(text, report.operands.front(), request.operand.tile));
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
  add_operand_options(app, request->operand);
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
