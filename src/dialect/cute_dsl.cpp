// CuTe DSL (Python): what it prints, S<3,3,3> o 0 o (64,64):(64,1), and the calls that make it.
//
//   cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, cute.make_layout((64, 64), stride=(64, 1)))
//
// The notation is CuTe's (src/expr reads it); the unit is that of the layout, elements. Source: CUTLASS 4.2,
// python/CuTeDSL/cutlass/cute/core.py.
#include <fmt/format.h>

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

Written write_cute_dsl(const LayoutForm& form) {
  Written written = cute_dialect().write(form);
  // It names the swizzle S, where C++ prints Sw.
  if (written.text.starts_with("Sw<")) written.text.erase(1, 1);
  return written;
}

}  // namespace

Dialect cute_dsl_dialect() {
  return {.name = "cute_dsl",
          .title = "CuTe DSL (Python)",
          .unit = "elements",
          .needs = "",
          .example = "S<3,3,3> o 0 o (64,64):(64,1)",
          .rules = R"(CuTe's notation; a swizzle prints as `S<B,M,S>`. Its unit is that of the layout:
`cute.make_composed_layout(cute.make_swizzle(3,4,3), 0, cute.make_layout((64,64), stride=(64,1)))` of f16 is not the 128B
mode, `cute.make_swizzle(3,3,3)` is. Only on a pointer to shared memory, `smem_ptr`, the numbers count bytes.

The atoms of `cute.nvgpu` (`SmemLayoutAtomKind.K_SW128`) are the named atoms `K_SW128<bf16>` of `swz layout`.)",
          .source = "CUTLASS 4.2.0, python/CuTeDSL/cutlass/cute/core.py (read)",
          .recognises = recognises_cute_dsl,
          .read = read_cute_dsl,
          .write = write_cute_dsl};
}

}  // namespace swz
