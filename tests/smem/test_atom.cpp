// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "layout/analysis.hpp"
#include "smem/tile.hpp"

using namespace swz;

TEST_SUITE("smem") {
  TEST_CASE("atoms: extents in elements as the vendor's table has them") {
    // canonical layouts table: bits of the element, then the contiguous extent for none, 32B, 64B, 128B.
    struct Row {
      const char* dtype;
      std::int64_t width[4];
    };
    for (const Row& row : {Row{"e2m1", {32, 64, 128, 256}}, Row{"e4m3", {16, 32, 64, 128}}, Row{"f16", {8, 16, 32, 64}},
                           Row{"tf32", {4, 8, 16, 32}}}) {
      const DType& dtype = require_dtype(row.dtype);
      const char* names[] = {"INTER", "SW32", "SW64", "SW128"};
      for (int i = 0; i < 4; ++i) {
        const auto atoms = named_atoms();
        const NamedAtom* k = find_atom(atoms, std::string("K_") + names[i]);
        const NamedAtom* mn = find_atom(atoms, std::string("MN_") + names[i]);
        REQUIRE(k != nullptr);
        REQUIRE(mn != nullptr);
        const ComposedLayout ka = atom(k->major, *k->mode, dtype);
        const ComposedLayout ma = atom(mn->major, *mn->mode, dtype);
        CHECK(product(mode(ka.layout().shape(), 0)) == 8);
        CHECK(product(mode(ka.layout().shape(), 1)) == row.width[i]);
        CHECK(product(mode(ma.layout().shape(), 0)) == row.width[i]);
        CHECK(product(mode(ma.layout().shape(), 1)) == 8);
      }
    }
  }

  TEST_CASE("atoms: every one is a permutation of its bytes, and the swizzle keeps each line") {
    for (const NamedAtom& a : named_atoms())
      for (const DType& dtype : dtypes()) {
        if (a.name == "K_SW128_32B") continue;
        INFO(a.name << "<" << dtype.name << ">");
        const ComposedLayout l = atom(a.major, *a.mode, dtype);
        CHECK(analyse(l).bijective);
        CHECK(l.size() * dtype.memory_bits == a.mode->atom().count * 8);
        // The element and its swizzled place lie in the same 128-byte line.
        for (std::int64_t i = 0; i < l.size(); ++i)
          REQUIRE(l(i) * dtype.memory_bits / 1024 == l.layout()(i) * dtype.memory_bits / 1024);
      }
  }

  TEST_CASE("atoms: names") {
    const auto atoms = named_atoms();
    CHECK(atoms.size() == 10);  // the eight canonical ones, MN_SW128_32B, and the one that is refused
    CHECK(find_atom(atoms, "MN_SW128_32B")->mode->name == "128B_32B");
    CHECK(find_atom(atoms, "UMMA::Layout_K_SW32_Atom")->name == "K_SW32");
    CHECK(find_atom(atoms, "K_SW256") == nullptr);
    CHECK(find_atom(atoms, "") == nullptr);
    CHECK_THROWS_WITH_AS(atom(Major::K, require_swizzle_mode("128B_32B"), require_dtype("tf32")),
                         "a K-major atom of mode 128B_32B is not defined", Error);
  }
}
