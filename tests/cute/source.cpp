// SPDX-License-Identifier: Apache-2.0
#include "source.hpp"

#include <fmt/format.h>

namespace swz::source {
namespace {

// `open` is the name of a variadic template: Shape or Stride.
std::string type(const IntTuple& t, const char* open) {
  if (t.is_int()) return fmt::format("Int<{}>", t.value());
  std::string text;
  for (const IntTuple& child : t.children()) text += (text.empty() ? "" : ",") + type(child, open);
  return fmt::format("{}<{}>", open, text);
}

}  // namespace

std::string number(std::int64_t n) { return fmt::format("Int<{}>{{}}", n); }

std::string tuple(const IntTuple& t) { return type(t, "Shape") + "{}"; }

std::string coordinate(const IntTuple& t) {
  if (t.is_underscore()) return "_";
  if (t.is_int()) return number(t.value());
  std::vector<std::string> children;
  for (const IntTuple& child : t.children()) children.push_back(coordinate(child));
  return call("make_coord", children);
}

std::string layout(const Layout& l) {
  return fmt::format("Layout<{},{}>{{}}", type(l.shape(), "Shape"), type(l.stride(), "Stride"));
}

std::string layout(const ComposedLayout& l) {
  if (l.is_layout()) return layout(l.layout());
  const Swizzle& s = l.swizzle();
  const std::string middle =
      l.has_pointer() ? fmt::format("smem_ptr_flag_bits<{}>{{}}", l.element_bits()) : number(l.offset());
  return fmt::format("make_composed_layout(Swizzle<{},{},{}>{{}},{},{})", s.bits(), s.base(), s.shift(), middle,
                     layout(l.layout()));
}

std::string tiler(const Tiler& t) {
  if (t.is_underscore()) return "_";
  if (t.is_layout()) return layout(t.layout());
  std::vector<std::string> modes;
  for (const Tiler& child : t.modes()) modes.push_back(tiler(child));
  return call("make_tile", modes);
}

std::string call(const std::string& function, const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& a : arguments) text += (text.empty() ? "" : ",") + a;
  return fmt::format("{}({})", function, text);
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

}  // namespace swz::source
