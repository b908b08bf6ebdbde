// swz layout EXPR...: what a layout is, and its table.
#include "view/layout.hpp"

#include "base/error.hpp"
#include "command.hpp"
#include "expr/evaluate.hpp"

namespace swz {

void read_value(const std::string& text, Evaluation& to) { to = evaluate(text); }

namespace {

struct Request {
  std::vector<Evaluation> expressions;
  LayoutViewOptions options;
  bool functions = false;
};

Options options_of(Request& r) {
  return {argument("EXPR", r.expressions, "layouts, or expressions over them").repeated(limits::expressions),
          flag("--map", r.options.map, "list every index, coordinate and offset"),
          flag("--table", r.options.whole_table, "draw the whole table, however large"),
          number("--limit", "N", r.options.map_limit, 1, limits::most_coordinates.most,
                 "maximum number of coordinates to list or draw")
              .by_default(fmt::format("{}", limits::listed_coordinates.most)),
          flag("--functions", r.functions, "list the functions an expression can use")};
}

void validate(const Request& r) {
  if (r.expressions.empty() && !r.functions)
    throw usage_error("no expression", "for example swz layout '(8,64):(64,1)'");
}

Document functions_document() {
  Document d;
  Table table{"functions", "", {{"name", ""}, {"signature", "function"}, {"summary", "result"}}, {}};
  for (const Function& f : functions())
    table.rows.push_back({{std::string(f.name())}, {std::string(f.signature)}, {std::string(f.summary)}});
  return d.add(std::move(table));
}

Answer answer(const Request& r, const Context&) {
  if (r.functions) return {functions_document()};
  if (r.expressions.size() == 1) return {view_layout(r.expressions[0], r.options)};
  return {view_layouts(r.expressions, r.options)};
}

}  // namespace

Command layout_command() {
  return {.name = "layout",
          .summary = "the value, the properties and the table of a layout expression",
          .details = R"(Evaluates a layout in CuTe's notation, or an expression over layouts with
CuTe's function names, and shows size, cosize, whether it is injective,
bijective and contiguous, and its table.

Several expressions are compared side by side.)",
          .examples = {{"swz layout '(8,64):(64,1)'", "a row-major tile"},
                       {"swz layout 'Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)'", "the same tile, swizzled"},
                       {"swz layout 'complement(4:2, 24)' -f json", "one value for a program"}},
          .prepare = [] { return prepare(options_of, answer, validate); }};
}

}  // namespace swz
