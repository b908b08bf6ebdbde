// SPDX-License-Identifier: Apache-2.0
// CuTe's own run-time layout on the host, the baseline for tables: Sw<3,3,3> o ((8,16),(64,1)):((64,512),(1,0))
// with every extent and stride a run-time integer.
#include <cstdint>
#include <cute/layout.hpp>
#include <cute/swizzle_layout.hpp>

namespace {

auto run_time_layout() {
  using namespace cute;
  // Read through volatile, so that nothing is known when compiling.
  volatile int extents[4] = {8, 16, 64, 1};
  volatile int strides[4] = {64, 512, 1, 0};
  const Layout plain = make_layout(
      make_shape(make_shape(int(extents[0]), int(extents[1])), make_shape(int(extents[2]), int(extents[3]))),
      make_stride(make_stride(int(strides[0]), int(strides[1])), make_stride(int(strides[2]), int(strides[3]))));
  return composition(Swizzle<3, 3, 3>{}, plain);
}

}  // namespace

void cute_table_by_index(std::int64_t* out) {
  const auto layout = run_time_layout();
  const int size = cute::size(layout);
  for (int i = 0; i < size; ++i) out[i] = layout(i);
}

void cute_table_by_coordinate(std::int64_t* out) {
  const auto layout = run_time_layout();
  const int rows = cute::size<0>(layout);
  const int columns = cute::size<1>(layout);
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r) out[c * rows + r] = layout(r, c);
}
