// swz layout EXPR...: what a layout is, and its table.
#include "view/layout.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/error.hpp"
#include "command.hpp"
#include "expr/functions.hpp"

namespace swz {
namespace {

Document functions_document() {
  Document d;
  Table table{"functions", "", {{"name", ""}, {"signature", "function"}, {"summary", "result"}}, {}};
  for (const Function& f : functions())
    table.rows.push_back({{std::string(f.name)}, {std::string(f.signature)}, {std::string(f.summary)}});
  return d.add(std::move(table));
}

}  // namespace

Action define_layout(CLI::App& app, const Common& common) {
  struct Request {
    std::vector<std::string> expressions;
    LayoutViewOptions options;
    bool functions = false;
  };
  auto request = std::make_shared<Request>();
  app.add_option("EXPR", request->expressions, "layouts, or expressions over them");
  app.add_flag("--map", request->options.map, "list every index, coordinate and offset");
  app.add_flag("--table", request->options.whole_table, "draw the whole table, however large");
  app.add_option("--limit", request->options.map_limit, "most coordinates to list or draw")
      ->check(CLI::Range(std::int64_t{1}, limits::most_coordinates.most));
  app.add_flag("--functions", request->functions, "list the functions an expression can use");
  return [request, &common] {
    request->options.pictures = common.format != "json";
    // A picture of a corner would not say that it is one.
    if (common.format != "json" && common.format != "text") {
      request->options.whole_table = true;
      request->options.map_limit = std::min(request->options.map_limit, limits::drawn_cells.most);
    }
    if (request->functions) return Outcome{functions_document()};
    if (request->expressions.empty())
      throw Error("no expression", "for example swz layout '(8,64):(64,1)'", {}, ErrorKind::usage);
    require_within(limits::expressions, static_cast<std::int64_t>(request->expressions.size()));
    std::vector<Evaluation> evaluations;
    for (const std::string& text : request->expressions) evaluations.push_back(evaluate(text));
    return Outcome{evaluations.size() == 1 ? view_layout(evaluations[0], request->options)
                                           : view_layouts(evaluations, request->options)};
  };
}

}  // namespace swz
