// swz diff A B: are two layouts the same function?
#include "operand_request.hpp"
#include "view/layout.hpp"

namespace swz {
namespace {

struct Request {
  LayoutText a, b;
};

Options options_of(Request& r) {
  return {argument("A", r.a, "a layout, or an expression over layouts").required(),
          argument("B", r.b, "the layout to compare it with").required()};
}

Answer answer(const Request& r, const Context&) {
  const LayoutDifference d = difference(r.a.layout, r.b.layout);
  return {view_difference(r.a.layout, r.b.layout, d), d.same ? 0 : 1};
}

}  // namespace

Command diff_command() {
  return {.name = "diff",
          .summary = "whether two layouts are the same function; exit 1 when not",
          .details = R"(Compares two layouts coordinate by coordinate and shows the first one where
they differ, with both values. Layouts that are equal after a change of units
(bytes and elements) are recognised.)",
          .examples = {{"swz diff '(8,8):(8,1)' '64:1'", "the first coordinate where they differ"}},
          .prepare = [] { return prepare(options_of, answer); }};
}

}  // namespace swz
