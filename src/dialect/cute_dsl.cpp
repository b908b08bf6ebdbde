// CuTe DSL (Python): the calls that make a layout, as a kernel has them, and what it prints of one.
//
//   cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, cute.make_layout((64, 64), stride=(64, 1)))
//   S<3,3,3> o 0 o (64,64):(64,1)               the same layout as it prints
//   cute.make_layout(((8, 4),), stride=((1, 16),))   one dimension of two strides: (8, 4) alone would be two
//
// The notation is CuTe's (src/expr reads it); the unit is that of the layout, elements. The calls are written.
// Invariant (tested): what is written reads back as the same function. Source: CUTLASS 4.2,
// python/CuTeDSL/cutlass/cute/core.py.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dialect/all.hpp"

namespace swz {
namespace {

bool recognises_cute_dsl(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return false;
  text.remove_prefix(first);
  return text.starts_with("S<") || text.starts_with("cute.") || text.starts_with("tensor<ptr<");
}

Reading read_cute_dsl(std::string_view text, const Given& given) { return cute_dialect().read(text, given); }

std::string python_tuple(const IntTuple& t) {
  if (!t.is_tuple()) return std::to_string(t.value());
  std::vector<std::string> items;
  for (const IntTuple& child : t.children()) items.push_back(python_tuple(child));
  return fmt::format("({}{})", fmt::join(items, ", "), items.size() == 1 ? "," : "");
}

std::string python_call(const Layout& l) {
  return fmt::format("cute.make_layout({}, stride={})", python_tuple(l.shape()), python_tuple(l.stride()));
}

std::string python_call(const ComposedLayout& l) {
  if (l.is_layout()) return python_call(l.layout());
  const Swizzle& sw = l.element_swizzle();
  return fmt::format("cute.make_composed_layout(cute.make_swizzle({}, {}, {}), {}, {})", sw.bits(), sw.base(),
                     sw.shift(), l.offset(), python_call(l.layout()));
}

Written write_cute_dsl(const LayoutForm& form) {
  if (const auto* registers = std::get_if<RegisterForm>(&form)) return {python_call(registers->layout)};
  if (const auto* tensor = std::get_if<TensorForm>(&form)) return {python_call(tensor->layout)};
  const auto& shared = std::get<SharedForm>(form);
  if (std::string why = why_not_composed(shared); !why.empty()) return refused(std::move(why));
  return {python_call(*as_composed(shared))};
}

}  // namespace

Dialect cute_dsl_dialect() {
  return {
      .name = "cute_dsl",
      .title = "CuTe DSL (Python)",
      .unit = "elements",
      .needs = "",
      .example =
          "cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, "
          "cute.make_layout((64, 64), stride=(64, 1)))",
      .rules =
          R"(The calls of Python, and CuTe's notation as it prints, where a swizzle is `S<B,M,S>`. Its unit is that of the layout:
`cute.make_composed_layout(cute.make_swizzle(3,4,3), 0, cute.make_layout((64,64), stride=(64,1)))` of f16 is not the 128B
mode, `cute.make_swizzle(3,3,3)` is. Only on a pointer to shared memory, `smem_ptr`, the numbers count bytes.

The atoms of `cute.nvgpu` (`SmemLayoutAtomKind.K_SW128`) are the named atoms `K_SW128<bf16>` of `swz layout`.)",
      .source = "CUTLASS 4.2.0, python/CuTeDSL/cutlass/cute/core.py (read)",
      .recognises = recognises_cute_dsl,
      .read = read_cute_dsl,
      .write = write_cute_dsl};
}

}  // namespace swz
