// swz layout EXPR..., swz diff A B: what a layout is, and its table; whether two are the same function.
#include "view/layout.hpp"

#include "base/error.hpp"
#include "command.hpp"
#include "expr/evaluate.hpp"
#include "operand_request.hpp"
#include "point_request.hpp"

namespace swz {

void read_value(const std::string& text, Evaluation& to) { to = evaluate(text); }

namespace {

struct Request {
  std::vector<Evaluation> expressions;
  LayoutViewOptions options;
  std::string highlight;  // what may be named depends on the layout
  bool functions = false;
};

Options options_of(Request& r) {
  return Options{argument("EXPR", r.expressions, "layouts, or expressions over them").repeated(limits::expressions),
                 flag("--map", r.options.map, "list every index, coordinate and offset"),
                 flag("--table", r.options.whole_table, "draw the whole table, however large"),
                 flag("--nested", r.options.nested, "headings for each level of nested modes"),
                 option("--highlight", "WHAT", r.highlight,
                        "mark cells: 'rows 0-7; columns 0', 'offsets 0-63' or 'coordinates 5' (by index)"),
                 number("--limit", "N", r.options.map_limit, 1, limits::most_coordinates.most,
                        "maximum number of coordinates to list or draw")
                     .by_default(fmt::format("{}", limits::listed_coordinates.most)),
                 flag("--functions", r.functions, "list the functions an expression can use")} +
         point_options(r.options.query, "COORDINATE");
}

Answer answer(const Request& r, const Context&) {
  if (r.expressions.empty() && !r.functions)
    throw usage_error("no expression", "for example swz layout '(8,64):(64,1)'");
  if (r.functions)
    return {Document().add(table_of<Function>("functions", "", functions(),
                                              {{"name", "", &Function::name},
                                               {"signature", "function", &Function::signature},
                                               {"summary", "result", &Function::summary}}))};
  LayoutViewOptions options = r.options;
  if (!r.highlight.empty()) {
    const auto* l = std::get_if<ComposedLayout>(&r.expressions.front().value);
    if (l == nullptr || r.expressions.size() > 1) throw usage_error("--highlight needs one layout", "leave it out");
    options.highlight = parse_highlight(r.highlight, highlight_kinds(*l));
  }
  if (r.expressions.size() == 1) return {view_layout(r.expressions[0], options)};
  return {view_layouts(r.expressions, options)};
}

// --- diff

struct DiffRequest {
  LayoutText a, b;
};

Options diff_options(DiffRequest& r) {
  return {argument("A", r.a, "a layout, or an expression over layouts").required(),
          argument("B", r.b, "the layout to compare it with").required()};
}

Answer diff_answer(const DiffRequest& r, const Context&) {
  const LayoutDifference d = difference(r.a.layout, r.b.layout);
  return {view_difference(r.a.layout, r.b.layout, d), d.same ? 0 : 1};
}

}  // namespace

Commands layout_commands() {
  return {
      {.name = "layout",
       .summary = "the value, the properties and the table of a layout expression",
       .details = R"(Evaluates a layout in CuTe's notation, or an expression over layouts with
CuTe's function names, and shows size, cosize, whether it is injective,
bijective and contiguous, and its table. Rows of the table are mode 0, columns
all other modes; heavier lines stand between the outer modes of a nested shape.

Several expressions are compared.)",
       .examples = {{"swz layout '(8,64):(64,1)'", "a row-major tile"},
                    {"swz layout 'Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)'", "the same tile, swizzled"},
                    {"swz layout '((4,8),(2,2)):((32,1),(16,8))' --nested", "each level of its modes"},
                    {"swz layout '((4,8),(2,2)):((32,1),(16,8))' --at '((1,2),3)'", "one coordinate"},
                    {"swz layout 'complement(4:2, 24)' -f json", "one value for a program"}},
       .prepare = [] { return prepare(options_of, answer); }},
      {.name = "diff",
       .summary = "whether two layouts are the same function; exit 1 when not",
       .details = R"(Compares two layouts coordinate by coordinate and shows the first one where
they differ, with both values. Layouts that are equal after a change of units
(bytes and elements) are recognised.)",
       .examples = {{"swz diff '(8,8):(8,1)' '64:1'", "the first coordinate where they differ"}},
       .prepare = [] { return prepare(diff_options, diff_answer); }}};
}

}  // namespace swz
