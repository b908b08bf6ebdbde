// SPDX-License-Identifier: Apache-2.0
// swz layout EXPR..., swz diff A B: what a layout is, and its table; whether two are the same function.
#include "view/layout/layout.hpp"

#include "base/error.hpp"
#include "command.hpp"
#include "diff_forms.hpp"
#include "expr/evaluate.hpp"
#include "files.hpp"
#include "highlight.hpp"
#include "point_request.hpp"
#include "view/identify/fit.hpp"
#include "view/layout/layout_steps.hpp"

namespace swz {
namespace {

struct Request {
  Words expressions;  // read when --from, --shape and --dtype are known
  GivenRequest given;
  LayoutViewOptions options;
  std::string highlight;  // what may be named depends on the layout
  bool functions = false;
  bool explain = false;
  std::string fitted;  // a file of offsets
};

Options options_of(Request& r) {
  return Options{argument("EXPR", r.expressions, "layouts in any notation of swz translate, or expressions over CuTe's")
                     .repeated(limits::expressions),
                 flag("--map", r.options.map, "list every index, coordinate and offset"),
                 flag("--table", r.options.whole_table, "draw the whole table, however large"),
                 flag("--nested", r.options.nested, "headings for each level of nested modes"),
                 option("--highlight", "WHAT", r.highlight,
                        "mark cells: 'rows 0-7; columns 0', 'offsets 0-63' or 'coordinates 5' (by index)"),
                 number("--limit", "N", r.options.map_limit, 1, limits::most_coordinates.most,
                        "maximum number of coordinates to list or draw")
                     .by_default(fmt::format("{}", limits::listed_coordinates.most)),
                 flag("--explain", r.explain, "show the computation step by step"),
                 option("--fit", "FILE", r.fitted,
                        "the simplest layout of these offsets: a JSON array, a .npy file of integers, one offset per "
                        "line, or lines 'row col offset'; - is standard input")
                     .file(),
                 flag("--functions", r.functions, "list the functions an expression can use")} +
         point_options(r.options.query, "COORDINATE") + given_options(r.given);
}

Answer explained(const Request& r) {
  if (r.expressions.size() != 1 || !r.highlight.empty() || !r.options.query.empty())
    throw usage_error("--explain takes one expression and neither --highlight nor --at", "leave the others out");
  const DialectText of = dialect_text(r.expressions[0], r.given.from);
  const SteppedEvaluation e =
      of.is_cute() ? evaluate_in_steps(of.text) : SteppedEvaluation{{}, evaluate_given(r.expressions[0], r.given)};
  return {view_explanation(e, r.options), e.refusal ? 1 : 0};
}

Answer fitted(const Request& r, const Context& context) {
  if (!r.expressions.empty() || r.explain || r.options.map || !r.options.query.empty())
    throw usage_error("--fit finds the layout from the offsets",
                      "give no expression, --explain, --map or --at; then run swz layout on the result");
  const std::string text =
      read_text(r.fitted, context,
                {limits::offset_bytes.most, "a file of offsets", "--fit names a file of offsets, - is standard input"});
  const std::span bytes(reinterpret_cast<const std::byte*>(text.data()), text.size());
  const KnownOffsets known = is_npy(bytes) ? known_offsets_of(read_npy(bytes)) : read_known_offsets(text);
  const Fit fit = fit_layout(known);
  LayoutViewOptions options = r.options;
  if (!r.highlight.empty() && fit.layout)
    options.highlight = parse_highlight(r.highlight, highlight_kinds(*fit.layout));
  return {view_fit(known, fit, options), fit.is_exact ? 0 : 1};
}

// The call that made the value: logical_divide of 'logical_divide(24:3, 4:2)'; none of a layout as it was given.
std::optional<RecordedCall> last_operation(const Request& r, const Evaluation& e) {
  const DialectText of = dialect_text(r.expressions[0], r.given.from);
  if (!of.is_cute()) return {};
  std::vector<RecordedCall> calls;
  evaluate(of.text, &calls);
  if (calls.empty() || !calls.back().result || to_string(*calls.back().result) != to_string(e.value)) return {};
  return std::move(calls.back());
}

Answer answer(const Request& r, const Context& context) {
  if (!r.fitted.empty()) return fitted(r, context);
  if (r.expressions.empty() && !r.functions)
    throw usage_error("no expression", "for example swz layout '(8,64):(64,1)'");
  if (r.functions)
    return {Document().add(table_of<Function>("functions", "", functions(),
                                              {{"name", "", &Function::name},
                                               {"signature", "function", &Function::signature},
                                               {"summary", "result", &Function::summary}}))};
  if (r.explain) return explained(r);
  std::vector<Evaluation> expressions;
  for (const std::string& text : r.expressions) expressions.push_back(evaluate_given(text, r.given));
  LayoutViewOptions options = r.options;
  if (!r.highlight.empty()) {
    const auto* l = std::get_if<ComposedLayout>(&expressions.front().value);
    if (l == nullptr || expressions.size() > 1) throw usage_error("--highlight needs one layout", "leave it out");
    options.highlight = parse_highlight(r.highlight, highlight_kinds(*l));
  }
  if (expressions.size() == 1) {
    options.operation = last_operation(r, expressions[0]);
    return {view_layout(expressions[0], options)};
  }
  return {view_layouts(expressions, options)};
}

// --- diff

struct DiffRequest {
  std::string a, b;
  GivenRequest given;
};

Options diff_options(DiffRequest& r) {
  return Options{
             argument("A", r.a, "a layout in any notation of swz translate, or an expression over CuTe's").required(),
             argument("B", r.b, "the layout to compare it with, in the same or another notation").required()} +
         given_options(r.given);
}

Answer diff_answer(const DiffRequest& r, const Context&) {
  const DialectText a = dialect_text(r.a, r.given.from), b = dialect_text(r.b, r.given.from);
  if (!a.is_cute() || !b.is_cute()) return diff_forms(a, b, r.given.given());
  const ComposedLayout of_a = parse_layout(a.text), of_b = parse_layout(b.text);
  const LayoutDifference d = difference(of_a, of_b);
  return {view_difference(of_a, of_b, d, {a.text, b.text}), d.same ? 0 : 1};
}

}  // namespace

Commands layout_commands() {
  return {{.name = "layout",
           .summary = "the value, the properties and the table of a layout expression",
           .details = R"(Evaluates a layout in CuTe's notation, or an expression over layouts with
CuTe's function names, and shows size, cosize, whether it is injective,
bijective and contiguous, and its table. Rows of the table are mode 0, columns
all other modes; heavier lines separate the outer modes of a nested shape.

Several expressions are compared. --explain shows each operation step by step,
the innermost first: the rule, the layout after it, and where one is refused.

--fit goes the other way: from offsets to the simplest layout that has them,
with a swizzle if one is needed, as bases over GF(2), or with exceptions; exit 1
when no layout has them all. For offsets at only some coordinates it shows the
simplest layouts, and which coordinate would decide between them.

A layout in the notation of another project (swz translate --list) is read as
well; --shape and --dtype give what its text does not. A layout of registers is
read as the layout from (thread, value) to the column-major index.)",
           .examples = {{"swz layout '(8,64):(64,1)'", "a row-major tile"},
                        {"swz layout 'Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)'", "the same tile, swizzled"},
                        {"swz layout '((4,8),(2,2)):((32,1),(16,8))' --nested", "each level of its modes"},
                        {"swz layout '((4,8),(2,2)):((32,1),(16,8))' --at '((1,2),3)'", "one coordinate"},
                        {"swz layout 'logical_divide(24:3, 4:2)' --explain", "the computation, step by step"},
                        {"printf '%s\\n' '0 0 0' '1 0 64' '0 1 1' '9 63 639' | swz layout --fit -",
                         "rows, columns and offsets to a layout"},
                        {"swz layout 'complement(4:2, 24)' -f json", "one value for a program"}},
           .next = {{"How is it written elsewhere?", "translate {EXPR} {--shape,--dtype}"},
                    {"Where does each element lie in shared memory?", "place --layout {EXPR} {--shape,--dtype}"},
                    {"Are there bank conflicts?", "banks --layout {EXPR} {--shape,--dtype} --access ldmatrix.x4"},
                    {"Which words does an MMA need?", "desc --from {EXPR} {--shape,--dtype}"}},
           .prepare = [] { return prepare(options_of, answer); }},
          {.name = "diff",
           .summary = "whether two layouts are the same function; exit 1 when not",
           .details = R"(Compares two layouts coordinate by coordinate and shows the first one where
they differ, with both values. Layouts that are equal after a change of units
(bytes and elements) are recognised.

Layouts in other notations (swz translate --list) are compared as functions of
the array: its element (row, col) and the two offsets, or (thread, value) and
the two elements. A shape or type that one text does not give is taken from the
other. 'triton: TEXT' names the notation of one side, --from that of both.)",
           .examples = {{"swz diff '(8,8):(8,1)' '64:1'", "the first coordinate where they differ"},
                        {"swz diff '#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>' "
                         "'Sw<2,3,3> o 0 o (128,32):(32,1)'",
                         "is a Triton layout the CuTe one?"}},
           .next = {{"What is A?", "layout {A} {--shape,--dtype}"},
                    {"What is A?", "translate {A} {--shape,--dtype}"},
                    {"What is A?", "translate {A} --shape {shape.0}x{shape.1} --dtype {dtype}"},
                    {"What is B?", "layout {B} {--shape,--dtype}"}},
           .prepare = [] { return prepare(diff_options, diff_answer); }}};
}

}  // namespace swz
