// Fragments of tcgen05.ld and tcgen05.st: which register of which thread holds which cell of tensor memory.
//
//   tcgen05.ld.16x256b.x4    thread 13, register 11: lane 11, column 19
//   tcgen05.ld.32x32b.x8.pack::16b
//                            thread 5, register 3: bits 0-15 are those of lane 5, column 6, bits 16-31 of column 7
//
// Rows are lanes of the window, columns its columns of 32 bits, both from the address of the access. .pack::16b of ld and
// .unpack::16b of st put bits 0-15 of two neighbouring columns into one register: twice the columns, values of 16 bits.
//
// 16x32bx2 reads two runs of columns: threads 0-15 from the address on, threads 16-31 `split_offset` columns further
// (immHalfSplitoff). CuTe takes N columns, 2 N when packed.
//
// Invariants (tested for all 148 forms): the map is one to one onto the window, and is that of CuTe's traits.
// Source: arch/tensor_memory.hpp.
#pragma once

#include "arch/tensor_memory.hpp"
#include "fragment/fragment.hpp"

namespace swz {

struct TmemForm {
  const TmemShape* shape = nullptr;
  int number = 1;  // N of .xN
  bool stores = false;
  bool packs = false;
  std::optional<int> split_offset = {};  // of 16x32bx2; none: as CuTe takes it

  int registers() const { return number * shape->registers; }
  int columns() const { return number * shape->columns * (packs ? 2 : 1); }  // of the window
  bool has_split() const { return shape->name == "16x32bx2"; }
  std::string name() const;  // "tcgen05.ld.16x256b.x4", "tcgen05.st.32x32b.x8.unpack::16b"
};

// All of ld, then all of st.
std::vector<TmemForm> tmem_forms();
Fragment tmem_fragment(const TmemForm& form);
// "tcgen05.ld.16x256b.x4", with sync, aligned and b32 or without. Throws Error with the nearest and the list.
TmemForm find_tmem_form(std::string_view name);

}  // namespace swz
