// SPDX-License-Identifier: Apache-2.0
// Prints what tests/install/find_package.cmake expects, through only the installed headers.
#include <cstdio>
#include <swz/base/version.hpp>
#include <swz/expr/evaluate.hpp>

int main() {
  const swz::ComposedLayout layout = swz::parse_layout("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)");
  std::printf("swz %s: size %lld, offset of element 1 is %lld\n", swz::program_version,
              static_cast<long long>(layout.size()), static_cast<long long>(layout(1)));
}
