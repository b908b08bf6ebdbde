// SPDX-License-Identifier: Apache-2.0
// tcgen05.ld and st: worked examples, one to one, the inverse formulas, names.
#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"
#include "fragment/tmem_access.hpp"

using namespace swz;

namespace {

struct Register {
  int thread, index;
};
// The register that holds (lane, column), written once more from the table of inverses; without packing.
Register by_table(const TmemForm& form, int l, int c) {
  const std::string_view shape = form.shape->name;
  if (shape == "32x32b") return {l, c};
  if (shape == "16x64b") return {4 * (l % 8) + 2 * (c & 1) + l / 8, c / 2};
  if (shape == "16x128b") return {4 * (l % 8) + c % 4, 2 * (c / 4) + l / 8};
  if (shape == "16x256b") return {4 * (l % 8) + c % 8 / 2, 4 * (c / 8) + 2 * (l / 8) + c % 2};
  return {l + 16 * (c / form.number), c % form.number};
}

}  // namespace

TEST_CASE("every form: one to one onto its window, the inverse is that of the table") {
  int forms = 0;
  for (const TmemForm& form : tmem_forms()) {
    const Fragment f = tmem_fragment(form);
    INFO(f.name);
    CHECK(f.threads() == 32);
    CHECK(f.registers() == form.registers());
    CHECK(f.registers() <= 128);
    CHECK(f.rows * f.columns == f.threads() * f.values());
    const FragmentInverse holder_of(f);
    std::set<std::pair<int, int>> taken;
    int faults = 0;
    for (int thread = 0; thread < 32; ++thread)
      for (int value = 0; value < f.values(); ++value) {
        const Coordinate at = f.at(thread, value);
        faults += !taken.insert({at.row, at.column}).second || at.row >= f.rows || at.column >= f.columns;
        faults += holder_of(at) != Holder{thread, value};
        const int column = form.packs ? at.column / 2 : at.column;
        const Register r = by_table(form, at.row, column);
        faults += r.thread != thread || r.index != f.slot(value).index;
        faults += f.slot(value).first_bit != (form.packs ? 16 * (at.column % 2) : 0);
      }
    CHECK(faults == 0);
    CHECK(find_tmem_form(f.name).name() == f.name);
    ++forms;
  }
  CHECK(forms == 148);
}

TEST_CASE("worked examples of tcgen05.ld and st") {
  const auto at = [](const char* name, int thread, int value) {
    return tmem_fragment(find_tmem_form(name)).at(thread, value);
  };
  CHECK(at("tcgen05.ld.16x256b.x4", 13, 11) == Coordinate{11, 19});
  CHECK(at("tcgen05.ld.16x64b.x8", 6, 5) == Coordinate{1, 11});
  CHECK(at("tcgen05.ld.32x32b.x8.pack::16b", 5, 6) == Coordinate{5, 6});
  CHECK(at("tcgen05.ld.32x32b.x8.pack::16b", 5, 7) == Coordinate{5, 7});
  CHECK(at("tcgen05.st.16x128b.x1.unpack::16b", 9, 2) == Coordinate{10, 2});
  CHECK(at("tcgen05.st.16x128b.x1.unpack::16b", 9, 3) == Coordinate{10, 3});
  TmemForm split = find_tmem_form("tcgen05.ld.sync.aligned.16x32bx2.x4.b32");
  CHECK(tmem_fragment(split).at(20, 1) == Coordinate{4, 5});
  split.split_offset = 100;
  CHECK(tmem_fragment(split).at(20, 1) == Coordinate{4, 101});
}

TEST_CASE("names that do not exist") {
  CHECK_THROWS_WITH(find_tmem_form("tcgen05.ld.16x256b.x64"), "'tcgen05.ld.16x256b.x64': 16x256b has no .x64");
  CHECK_THROWS_AS(find_tmem_form("tcgen05.ld.32x32b.x8.unpack::16b"), Error);
}
