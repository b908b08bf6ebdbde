// SPDX-License-Identifier: Apache-2.0
// A in tensor memory and narrow elements: worked examples, one to one.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <tuple>

#include "arch/narrow.hpp"
#include "base/error.hpp"
#include "tmem/operand_a.hpp"

using namespace swz;

TEST_CASE("the worked examples: A") {
  const TmemElement e = operand_a_place(require_data_path({128, 1}), container_of(MmaKind::f16, "f16"), 40, 11, 128);
  CHECK(e.cta == 0);
  CHECK(e.lanes == std::vector<int>{40});
  CHECK(e.column == 133);
  CHECK(e.first_bit == 16);
  CHECK(e.bits == 16);
  CHECK(operand_a_place(require_data_path({128, 2}), {16, 0, 16}, 70, 0, 0).lanes == std::vector<int>{6, 70});
  CHECK(operand_a_place(require_data_path({64, 1}), {16, 0, 16}, 37, 0, 0).lanes == std::vector<int>{69});
  CHECK(operand_a_place(require_data_path({32, 1, true}), {16, 0, 16}, 7, 0, 0).lanes ==
        std::vector<int>{7, 39, 71, 103});
  CHECK_THROWS_WITH(operand_a_place(require_data_path({128, 2, false, true}), {}, 0, 0, 0),
                    "no source says where A of a sparse MMA of M 128 with cta_group::2 lies in tensor memory");
  CHECK_THROWS_WITH(container_of(MmaKind::f16, "e4m3"), "kind f16 does not take e4m3");
}

TEST_CASE("A: eight columns for each MMA, one to one") {
  for (const MmaKindRow& kind : mma_kinds())
    for (const TypeCode& code : type_codes()) {
      if (code.role != TypeRole::a_b || !contains(code.kinds, kind.kind)) continue;
      const Container c = container_of(kind.kind, code.dtype);
      INFO(kind.name, " ", code.dtype);
      CHECK(kind.k_dense * c.bits == 8 * 32);
      CHECK(c.first_bit + c.value_bits <= c.bits);
      std::set<std::tuple<int, std::int64_t, int>> taken;
      int faults = 0;
      for (int row = 0; row < 128; ++row)
        for (int k = 0; k < 4 * kind.k_dense; ++k) {
          const TmemElement e = operand_a_place(require_data_path({128, 1}), c, row, k, 0);
          faults += e.column >= 32 || e.first_bit + e.bits > 32;
          faults += !taken.insert({e.lanes[0], e.column, e.first_bit}).second;
        }
      CHECK(faults == 0);
    }
}

TEST_CASE("A as a layout: the containers of operand_a_place, copies too") {
  int paths = 0;
  for (const DataPath& path : data_paths())
    for (const int bits : {4, 8, 16, 32}) {
      const Container c{bits, 0, bits};
      if (path.name == "C") {
        CHECK_THROWS_AS(operand_a_layout(path, c, 64), Error);
        continue;
      }
      const std::int64_t k_extent = 512 / bits, per_column = 32 / bits;
      const Layout layout = operand_a_layout(path, c, k_extent);
      CHECK(layout.size() == path.rows() * k_extent * path.parts);
      int faults = 0;
      for (std::int64_t i = 0; i < layout.size(); ++i) {
        const int row = static_cast<int>(i % path.rows());
        const std::int64_t k = i / path.rows() % k_extent, copy = i / path.rows() / k_extent;
        const TmemElement e = operand_a_place(path, c, row, k, 0);
        const int lane = e.lanes[static_cast<std::size_t>(copy)];
        faults += layout(i) != tmem_address(lane, static_cast<int>(e.column)) * per_column + e.first_bit / bits;
      }
      INFO(path.name, " ", bits);
      CHECK(faults == 0);
      ++paths;
    }
  CHECK(paths == 24);
}

TEST_CASE("the worked examples: narrow elements") {
  const NarrowForm& fp4 = require_narrow_form(MmaKind::mxf8f6f4, "e2m1");
  CHECK(fp4.gmem(37) == Bits{18 * 8 + 4});
  CHECK(fp4.smem(37) == Bits{34 * 8 + 4});
  CHECK(fp4.tmem(37) == Bits{37 * 8 + 2});
  CHECK(fp4.transaction_bytes() == Bytes{64});
  const NarrowForm& fp6 = require_narrow_form(MmaKind::mxf8f6f4, "e3m2");
  CHECK(fp6.gmem(37) == Bits{222});
  CHECK(fp6.smem(37) == Bits{35 * 8 + 6});
  CHECK(fp6.transaction_bytes() == Bytes{96});
  CHECK(require_narrow_form(MmaKind::mxf4, "e2m1").smem(37) == Bits{18 * 8 + 4});
  CHECK_THROWS_WITH(require_narrow_form(MmaKind::mxf4, "e3m2"), "kind mxf4 does not take e3m2");
  CHECK_THROWS_WITH(require_narrow_form(MmaKind::f16, "f16"), "kind f16 has no narrow elements");
}

TEST_CASE("A: every copy of every element is found again, and no other bit has one") {
  for (const DataPath& path : data_paths()) {
    if (path.name == "C") continue;
    for (const auto& type : {std::pair{MmaKind::tf32, "tf32"},
                             {MmaKind::f16, "bf16"},
                             {MmaKind::i8, "s8"},
                             {MmaKind::f8f6f4, "e2m1"},
                             {MmaKind::f8f6f4, "e3m2"},
                             {MmaKind::mxf4, "e2m1"}}) {
      const Container c = container_of(type.first, type.second);
      INFO(path.name, " ", type.second);
      std::int64_t told = 0, found = 0, faults = 0;
      for (int row = 0; row < path.m; ++row)
        for (int k = 0; k < 256 / c.bits; ++k) {
          const TmemElement e = operand_a_place(path, c, row, k, 24);
          for (const int lane : e.lanes)
            for (int bit = e.first_bit; bit < e.first_bit + e.bits; ++bit, ++told)
              faults += operand_a_element(path, c, e.cta, lane, e.column, bit, 24) != OperandAElement{row, k};
        }
      for (int cta = -1; cta < 3; ++cta)
        for (int lane = 0; lane < 128; ++lane)
          for (int column = 20; column < 32; ++column)
            for (int bit = 0; bit < 32; ++bit)
              found += operand_a_element(path, c, cta, lane, column, bit, 24).has_value();
      CHECK(faults == 0);
      CHECK(found == told);
    }
  }
}

TEST_CASE("narrow elements: every bit of every memory has its element or is a gap") {
  for (const NarrowForm& form : narrow_forms())
    for (const NarrowMemory memory : {NarrowMemory::gmem, NarrowMemory::smem, NarrowMemory::tmem}) {
      std::map<std::int64_t, std::int64_t> element_of_bit;
      for (std::int64_t i = 0; i < 64; ++i)
        for (int bit = 0; bit < form.bits; ++bit)
          CHECK(element_of_bit.emplace(bit_in(form, memory, i).count + bit, i).second);
      int faults = 0;
      for (const int count : {8, 32})
        for (std::int64_t first = 0; first + count <= bit_in(form, memory, 48).count; first += count) {
          std::set<std::int64_t> wanted;
          for (std::int64_t bit = first; bit < first + count; ++bit)
            if (const auto at = element_of_bit.find(bit); at != element_of_bit.end()) wanted.insert(at->second);
          const std::vector<std::int64_t> told = elements_in(form, memory, {first}, count);
          faults += std::set(told.begin(), told.end()) != wanted || told.size() != wanted.size();
        }
      INFO(form.tensor_map_type, " ", static_cast<int>(memory));
      CHECK(faults == 0);
    }
}

TEST_CASE("narrow elements in registers of mma.sync: e2m1 in bits 5-2 of its byte, 6-bit types in bits 5-0") {
  CHECK(require_narrow_form(MmaKind::f8f6f4, "e2m1").in_register(37) == Bits{10});
  CHECK(require_narrow_form(MmaKind::f8f6f4, "e2m3").in_register(37) == Bits{8});
  CHECK(require_narrow_form(MmaKind::mxf4, "e2m1").in_register(37) == Bits{20});
}
