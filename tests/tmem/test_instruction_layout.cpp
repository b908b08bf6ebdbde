// SPDX-License-Identifier: Apache-2.0
// tcgen05.ld, st and cp as layouts: every thread and value, every row, word and copy.
#include <doctest/doctest.h>

#include "fragment/tmem_access.hpp"
#include "tmem/instruction_layout.hpp"

using namespace swz;

TEST_CASE("ld and st: the addresses of every form are those of its fragment") {
  int forms = 0;
  for (const TmemForm& form : tmem_forms()) {
    const Fragment f = tmem_fragment(form);
    const Layout layout = access_layout(f);
    REQUIRE(layout.size() == f.threads() * f.values());
    int faults = 0;
    for (int i = 0; i < layout.size(); ++i) {
      const Coordinate at = f.at(i % 32, i / 32);
      faults += layout(i) != tmem_address(at.row, at.column);
    }
    INFO(form.name());
    CHECK(faults == 0);
    ++forms;
  }
  CHECK(forms == 148);
}

TEST_CASE("cp: the addresses of every row, word and copy") {
  for (const TmemCopy& copy : tmem_copies()) {
    const Layout layout = copy_layout(copy);
    REQUIRE(layout.size() == copy.rows * copy.columns() * copy.times);
    int faults = 0;
    for (int time = 0, i = 0; time < copy.times; ++time)
      for (int word = 0; word < copy.columns(); ++word)
        for (int row = 0; row < copy.rows; ++row, ++i) faults += layout(i) != tmem_address(copy.lane(row, time), word);
    INFO(full_name(copy));
    CHECK(faults == 0);
  }
}
