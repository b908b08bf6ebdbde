#include "expr/value.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {
namespace {

[[noreturn]] void expected(const char* wanted, const Value& v, const char* hint) {
  throw Error(fmt::format("expected {}, got {}", wanted, describe(v)), hint);
}

}  // namespace

std::string to_string(const Value& v) {
  return std::visit([](const auto& x) { return to_string(x); }, v);
}

std::string describe(const Value& v) {
  if (const auto* t = std::get_if<IntTuple>(&v))
    return (t->is_int() ? "the number " : "the tuple ") + to_string(*t);
  if (const auto* l = std::get_if<ComposedLayout>(&v))
    return (l->is_layout() ? "the layout " : "the swizzled layout ") + to_string(*l);
  if (std::holds_alternative<Swizzle>(v)) return "the swizzle " + to_string(v);
  return "the tiler " + to_string(v);
}

std::int64_t as_int(const Value& v) {
  if (const auto* t = std::get_if<IntTuple>(&v))
    if (const IntTuple inner = unwrap(*t); inner.is_int()) return inner.value();
  expected("a number", v, "for example 24");
}

IntTuple as_tuple(const Value& v) {
  if (const auto* t = std::get_if<IntTuple>(&v); t && !has_underscore(*t)) return *t;
  expected("a number or a tuple of numbers", v, "for example 24 or (8,(2,4))");
}

ComposedLayout as_composed(const Value& v) {
  if (const auto* l = std::get_if<ComposedLayout>(&v)) return *l;
  if (const auto* t = std::get_if<IntTuple>(&v); t && !has_underscore(*t)) return Layout(*t);
  expected("a layout", v, "for example (8,64):(64,1)");
}

Layout as_layout(const Value& v) {
  const ComposedLayout l = as_composed(v);
  if (!l.is_layout()) expected("a layout without a swizzle", v, "take its layout alone: layout_b(L)");
  return l.layout();
}

Tiler as_tiler(const Value& v) {
  if (const auto* t = std::get_if<Tiler>(&v)) return *t;
  if (const auto* shape = std::get_if<IntTuple>(&v)) return Tiler::from_shape(*shape);
  return as_layout(v);
}

}  // namespace swz
