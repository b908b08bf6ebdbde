// SPDX-License-Identifier: Apache-2.0
// The named atoms against CUTLASS's Layout_*_Atom<T>.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "atoms.hpp"
#include "expr/evaluate.hpp"

namespace swz {

TEST_CASE("the named atoms are CUTLASS's") {
  const std::vector<CuteAtom> atoms = cute_atoms();
  CHECK(atoms.size() == 48);
  for (const CuteAtom& a : atoms) {
    const ComposedLayout l = parse_layout(fmt::format("{}<{}>", a.name, a.type));
    CAPTURE(a.name);
    CAPTURE(a.type);
    CHECK(to_string(l) == a.answer.form);
    REQUIRE(static_cast<std::size_t>(l.size()) == a.answer.values.size());
    for (std::int64_t i = 0; i < l.size(); ++i) REQUIRE(l(i) == a.answer.values[static_cast<std::size_t>(i)]);
  }
}

}  // namespace swz
