// swz diff A B: are two layouts the same function?
#include <memory>

#include "command.hpp"
#include "view/layout.hpp"

namespace swz {

Action define_diff(CLI::App& app, const Common&) {
  struct Request {
    std::string a, b;
  };
  auto request = std::make_shared<Request>();
  app.add_option("A", request->a, "a layout, or an expression over layouts")->required();
  app.add_option("B", request->b, "another one")->required();
  return [request] {
    const ComposedLayout a = parse_layout(request->a);
    const ComposedLayout b = parse_layout(request->b);
    const LayoutDifference d = difference(a, b);
    return Outcome{view_difference(a, b, d), d.same ? 0 : 1};
  };
}

}  // namespace swz
