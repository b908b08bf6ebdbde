// SPDX-License-Identifier: Apache-2.0
// Fragments of tcgen05.ld and tcgen05.st: which register of which thread holds which cell of tensor memory.
//
//   tcgen05.ld.16x256b.x4    thread 13, register 11: lane 11, column 19
//   tcgen05.ld.32x32b.x8.pack::16b
//                            thread 5, register 3: bits 0-15 are those of lane 5, column 6, bits 16-31 of column 7
//
// Rows are lanes of the window and columns are its columns of 32 bits, both counted from the address of the access.
// .pack::16b of ld and .unpack::16b of st put bits 0-15 of two neighbouring columns into one register: there are twice
// as many columns, with values of 16 bits.
//
// 16x32bx2 reads two runs of columns: threads 0-15 read from the address on, threads 16-31 read `split_offset` columns
// further (immHalfSplitoff). CuTe uses N columns, or 2 N when packed. ptxas accepts any number; here both runs must be
// within the 512 columns from the address on.
//
// .red of ld gives each thread one more register: the smallest or largest of its registers.
//
//   tcgen05.ld.red.32x32b.x4.max.abs.f32    thread 5: registers 0-3 are lane 5, columns 0-3; one more register has the
//                                           largest |x| of the four
//
// Invariants (tested for all 148 forms): the map is one to one onto the window, and equals that of CuTe's traits.
// Source: arch/tensor_memory.hpp; for .red PTX ISA 9.1, 9.7.16.8.3.
#pragma once

#include "arch/tensor_memory.hpp"
#include "fragment/fragment.hpp"

namespace swz {

// The operation of tcgen05.ld.red.
struct TmemReduction {
  bool is_max = false, takes_abs = false, keeps_nan = false;
  std::string type = "f32";  // f32, u32, s32

  std::string name() const;  // "max.abs.nan.f32"
};

struct TmemForm {
  const TmemShape* shape = nullptr;
  int number = 1;  // N of .xN
  bool stores = false;
  bool packs = false;
  std::optional<int> split_offset = {};  // for 16x32bx2; none for CuTe's choice
  std::optional<TmemReduction> reduction = {};

  int registers() const { return number * shape->registers; }
  int columns() const { return number * shape->columns * (packs ? 2 : 1); }  // columns of the window
  bool has_split() const { return shape->name == "16x32bx2"; }
  int split() const { return split_offset.value_or(columns() / 2); }
  const Availability& availability() const { return reduction ? reducing_targets : available::tensor_memory; }
  std::string name() const;  // "tcgen05.ld.16x256b.x4", "tcgen05.st.32x32b.x8.unpack::16b"
};

// All forms of ld, then all of st, without .red.
std::vector<TmemForm> tmem_forms();
std::vector<std::string> tmem_form_names();
// The fragment of a form. Throws Error for a split offset that the shape does not have, or that leaves the tensor
// memory.
Fragment tmem_fragment(const TmemForm& form);
// The form of "tcgen05.ld.16x256b.x4", with or without sync, aligned and b32, in any case. Throws Error with the
// nearest name and the list.
TmemForm find_tmem_form(std::string_view name);

}  // namespace swz
