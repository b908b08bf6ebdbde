// SPDX-License-Identifier: Apache-2.0
// RegisterMap: how a tile is stored in the registers of threads: value v of thread t is the element at
// thread_at[t] + value_at[v].
//
//   A of mma.m16n8k16, bf16: 32 threads, 8 values       thread 5, value 3: (1, 2) + (8, 1) = (9, 3), register 1 bits 16-31
//   64x64 f32 in 128 threads x 32 registers             D of wgmma.m64n64k16; the same map is D of mma.m16n8k16
//                                                       4 times over threads (rows), 8 times over values (columns)
//   tcgen05.ld.32x32b.x64 of D, M 64, cta_group::1      threads 16-31 of each warp have nothing of D
//
// fragment_maps lists the maps of every fragment of src/fragment that fills the threads and registers, once or
// repeated over the tile. Its copies are over the threads along rows, along columns, or are the same (warps that share
// an operand); then over the values along rows and columns. B is K x N, as in `swz frag`, or N x K, as in CuTe.
//
// tensor_memory_maps lists the maps of the accumulators and of A in tensor memory, as each tcgen05.ld gives them to
// the 128 threads of a warpgroup; 256 threads are those of both CTAs of a pair.
//
// Of a block-scaled mma.sync also the scale factors, SFA and SFB, for each byte-id and thread-id: one register of a warp,
// of which some threads and bytes are not read. A, B and D of a sparse MMA are those of dense ones and are listed only if
// the tile is meant to be one.
//
//   SFA of mma.m16n8k64 mxf4nvf4 4X, ids {0, 1}: tile 16 x 4 in threads 4 (m % 8) + 2 + m / 8
//
// Maps that are the same function are merged, with all names. The fewest copies come first.
//
// Invariants (tested): every fragment is in the list of its own tile; `swz frag` accepts every name, and its fragment
// is the map's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fragment/fragment.hpp"
#include "tmem/accumulator.hpp"

namespace swz {

// The request for maps.
struct RegisterTile {
  int bits = 16;  // bits of an element
  std::string_view dtype;
  int rows = 0, columns = 0;
  int threads = 0, registers = 0;
  std::string_view meant = {};  // name of the wanted fragment: A of wgmma is the same for each N
};

struct RegisterName {
  std::string name;     // "mma.m16n8k16", "tcgen05.ld.32x32b.x64"
  std::string operand;  // "a"; empty if the instruction has one fragment
  std::string command;  // "swz frag mma.m16n8k16 --operand a --dtype bf16"
  std::string title;    // "A of mma.m16n8k16"
};

struct RegisterMap {
  std::vector<std::optional<Coordinate>> thread_at;  // none if the thread has nothing of the tile
  std::vector<Coordinate> value_at;
  int slot_bits = 16;                    // bits in registers from one value to the next
  int first_bit = 0;                     // of the first value: scale factors begin at the byte of their byte-id
  bool slides = false;                   // may begin at a later register, as in a dump of columns
  int copies = 1;                        // number of copies of the fragment
  Layout layout;                         // CuTe's TV layout; for D in tensor memory (row of the CTA, n) -> address
  std::string layout_says;               // "(thread, value) -> row + 16 * column"
  std::vector<RegisterName> names;       // the names with the fewest copies
  std::vector<RegisterName> more_names;  // the names with more copies

  int values() const { return static_cast<int>(value_at.size()); }
  int registers() const { return (first_bit + values() * slot_bits + 31) / 32; }
  std::int64_t elements() const;  // number of elements that the threads have
  Coordinate at(int thread, int value) const {
    return {thread_at[static_cast<std::size_t>(thread)]->row + value_at[static_cast<std::size_t>(value)].row,
            thread_at[static_cast<std::size_t>(thread)]->column + value_at[static_cast<std::size_t>(value)].column};
  }
};

std::vector<RegisterMap> fragment_maps(const RegisterTile& tile);
// The same for tiles whose rows and columns were exchanged.
std::vector<RegisterMap> transposed_fragment_maps(const RegisterTile& tile);
std::vector<RegisterMap> tensor_memory_maps(const RegisterTile& tile);

// ---- internal to register_map.cpp and tensor_memory_maps.cpp

// Joins maps that are the same function, the fewest copies first.
std::vector<RegisterMap> merged(std::vector<RegisterMap> maps);

}  // namespace swz
