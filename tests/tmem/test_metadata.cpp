// SPDX-License-Identifier: Apache-2.0
// Metadata of sparse MMAs: their formulas and examples, one to one; nibbles.
#include <doctest/doctest.h>

#include <set>
#include <tuple>

#include "arch/tensor_memory.hpp"
#include "base/error.hpp"
#include "tmem/metadata.hpp"

using namespace swz;

TEST_CASE("worked examples of metadata") {
  const SparseForm &f16 = require_sparse_form(MmaKind::f16), &f8 = require_sparse_form(MmaKind::f8f6f4);
  const auto told = [](const MetadataPlace& p) {
    return std::make_tuple(p.lane, p.column, p.first_bit, p.address_column, p.selector);
  };
  CHECK(told(metadata_place(f16, 13, 20, 2)) == std::make_tuple(13, 2, 20, 2, 0));
  CHECK(told(metadata_place(f16, 13, 20, 3)) == std::make_tuple(13, 3, 20, 2, 1));
  CHECK(told(metadata_place(f8, 70, 36, 1)) == std::make_tuple(70, 3, 4, 2, 0));
  // GMEM image of CUTLASS: (m 127, k 255) is the last bit of the tile; its TMEM word is the last of lane 127.
  const MetadataPlace last = metadata_place(f16, 127, 255 % 32, 255 / 32);
  CHECK(last.lane == 127);
  CHECK(last.first_bit + 3 == 31);
}

TEST_CASE("every kind: as the table has it, one to one, a nibble stays in its word") {
  for (const MmaKind kind : {MmaKind::tf32, MmaKind::f16, MmaKind::i8, MmaKind::f8f6f4, MmaKind::mxf8f6f4,
                             MmaKind::mxf4, MmaKind::mxf4nvf4}) {
    const SparseForm& form = require_sparse_form(kind);
    CHECK(form.k == row_of(kind).k_sparse);
    std::set<std::tuple<int, int, int>> taken;
    int faults = 0;
    for (int mma = 0; mma < 4; ++mma)
      for (int m = 0; m < 128; ++m)
        for (int k = 0; k < form.k; k += form.chunk) {
          const MetadataPlace p = metadata_place(form, m, k, mma);
          int lane = m, column = 2 * mma + k / (form.k / 2), bit = k % 32;
          if (kind == MmaKind::tf32)
            lane = m % 8 + 8 * (k / 8) + 16 * (m / 16), column = mma, bit = 16 * (m / 8 % 2) + 2 * (k % 8);
          if (kind == MmaKind::f16)
            lane = m % 8 + 8 * (k / 16) + 16 * (m / 16), column = mma, bit = 16 * (m / 8 % 2) + k % 16;
          if (kind == MmaKind::mxf4 || kind == MmaKind::mxf4nvf4) bit = k % 64 / 2;
          faults += p.lane != lane || p.column != column || p.first_bit != bit;
          faults += p.first_bit % 4 != 0 || p.first_bit > 28;
          faults += p.address_column + (form.halves ? p.selector : k / (form.k / 2)) != p.column;
          faults += !taken.insert({p.lane, p.column, p.first_bit}).second;
        }
    INFO(row_of(kind).name);
    CHECK(faults == 0);
  }
}

TEST_CASE("fp4 of version 1: two entries of 2 bits for 4 values, entry e at column e / 16, bits 2 (e % 16)") {
  const SparseForm& form = require_sparse_form(MmaKind::mxf4nvf4, 1);
  const MetadataPlace example = metadata_place(form, 5, 36, 0);  // entries 18 and 19
  CHECK(example.lane == 5);
  CHECK(example.column == 1);
  CHECK(example.first_bit == 4);
  int faults = 0;
  for (int mma = 0; mma < 3; ++mma)
    for (int row = 0; row < 128; ++row)
      for (int k = 0; k < 128; k += 4) {
        const MetadataPlace p = metadata_place(form, row, k, mma);
        const int entry = k / 4 * 2;
        faults += p.lane != row || p.column != 4 * mma + entry / 16 || p.first_bit != 2 * (entry % 16);
        faults += p.address_column != 4 * mma || p.selector != 0;
        for (int bit = 0; bit < 4; ++bit)
          faults += metadata_chunk(form, p.lane, p.column, p.first_bit + bit) != MetadataChunk{row, k, mma};
      }
  CHECK(faults == 0);
  CHECK(kept_by(form, 0b1001)->count == 2);
  CHECK(require_sparse_form(MmaKind::mxf4).columns == 2);
  CHECK_THROWS_WITH(require_sparse_form(MmaKind::f16, 1), "the metadata of kind f16 have no version 1");
}

TEST_CASE("every bit of every lane and column has its chunk; the image in global memory is that of the lanes") {
  for (const MmaKind kind : {MmaKind::tf32, MmaKind::f16, MmaKind::i8, MmaKind::mxf4}) {
    const SparseForm& form = require_sparse_form(kind);
    INFO(row_of(kind).name);
    int faults = 0;
    std::set<std::int64_t> taken;
    for (int mma = 0; mma < 8; ++mma)
      for (int row = 0; row < 384; ++row)
        for (int k = 0; k < form.k; k += form.chunk) {
          const MetadataPlace p = metadata_place(form, row % 128, k, mma);
          for (int bit = p.first_bit; bit < p.first_bit + 4; ++bit)
            faults += metadata_chunk(form, p.lane, p.column, bit) != MetadataChunk{row % 128, k, mma};
          const std::int64_t image = metadata_gmem(form, 384, row, k, mma).count;
          faults += !taken.insert(image).second;
          // 2048-byte atoms, three along M; 16 bytes for each lane, four columns.
          faults += image / 16384 != row / 128 + 3 * (p.column / 4);
          faults += image % 16384 != 128 * p.lane + 32 * (p.column % 4) + p.first_bit;
        }
    CHECK(faults == 0);
    CHECK(static_cast<int>(taken.size()) == 8 * 384 * form.k / form.chunk);
  }
  CHECK(metadata_gmem(require_sparse_form(MmaKind::f16), 128, 127, 28, 7) == Bits{32764});
}

TEST_CASE("registers of wgmma.sp: as a table has them, one to one") {
  for (const MmaKind kind : {MmaKind::tf32, MmaKind::f16, MmaKind::f8f6f4, MmaKind::mxf4}) {
    const SparseForm& form = require_sparse_form(kind);
    INFO(row_of(kind).name);
    int faults = 0;
    for (const int selector : {0, 1}) {
      if (selector == 1 && !form.halves) continue;
      std::set<std::pair<int, int>> taken;
      for (int row = 0; row < 64; ++row)
        for (int k = 0; k < form.k; k += form.chunk) {
          const MetadataRegister r = metadata_register(form, row, k, selector);
          faults += !taken.insert({r.thread, r.first_bit}).second;
          const int w = r.thread / 32, t = r.thread % 32, g = t / 4, v = r.first_bit;
          int told_row = 16 * w + g + 8 * (v >= 16), told_k = 16 * (t & 1) + v % 16;
          if (kind == MmaKind::tf32) told_k = 8 * (t & 1) + v % 16 / 2;
          if (kind == MmaKind::f8f6f4) told_row = 16 * w + g + 8 * (t & 1), told_k = 32 * ((t >> 1) & 1) + v;
          if (kind == MmaKind::mxf4) told_row = 16 * w + g + 8 * (t & 1), told_k = 64 * ((t >> 1) & 1) + 2 * v;
          faults += told_row != row || told_k != k;
          if (form.halves) faults += t % 4 / 2 != selector;
        }
      CHECK(static_cast<int>(taken.size()) == 64 * form.k / form.chunk);
    }
    CHECK(faults == 0);
  }
}

TEST_CASE("metadata as a layout: the nibbles of metadata_place") {
  for (const MmaKind kind : {MmaKind::tf32, MmaKind::f16, MmaKind::f8f6f4, MmaKind::mxf4}) {
    const SparseForm& form = require_sparse_form(kind);
    const Layout layout = metadata_layout(form, 4);
    const int chunks = form.k / form.chunk;
    REQUIRE(layout.size() == 128 * chunks * 4);
    int faults = 0;
    for (int mma = 0, i = 0; mma < 4; ++mma)
      for (int chunk = 0; chunk < chunks; ++chunk)
        for (int m = 0; m < 128; ++m, ++i) {
          const MetadataPlace p = metadata_place(form, m, chunk * form.chunk, mma);
          faults += layout(i) != tmem_address(p.lane, p.column) * std::int64_t{8} + p.first_bit / 4;
        }
    INFO(row_of(kind).name);
    CHECK(faults == 0);
  }
}

TEST_CASE("nibbles") {
  const SparseForm &tf32 = require_sparse_form(MmaKind::tf32), &f16 = require_sparse_form(MmaKind::f16),
                   &fp4 = require_sparse_form(MmaKind::mxf4);
  int valid = 0;
  for (unsigned nibble = 0; nibble < 16; ++nibble) {
    CHECK(kept_by(f16, nibble).has_value() == kept_by(fp4, nibble).has_value());
    valid += kept_by(f16, nibble).has_value();
    CHECK(kept_by(tf32, nibble).has_value() == (nibble == 0b0100 || nibble == 0b1110));
  }
  CHECK(valid == 6);
  CHECK(kept_by(f16, 0b1001)->elements == std::array{1, 2, 0, 0});
  CHECK(kept_by(fp4, 0b1110)->elements == std::array{4, 5, 6, 7});
  CHECK(kept_by(tf32, 0b1110)->elements[0] == 1);
  CHECK_FALSE(kept_by(f16, 0b0000));
  CHECK_FALSE(kept_by(f16, 0b0110));  // PTX lists it for tcgen05: errata P10
}
