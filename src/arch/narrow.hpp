// SPDX-License-Identifier: Apache-2.0
// Narrow elements of tcgen05: where an element of 4, 6 or 8 bits is on its way from global memory to tensor memory.
//
//   e2m1 under mxf8f6f4, element 37      global memory    bits 4 * 37, byte 18 bits 7-4
//                                        shared memory    16 elements in 16 bytes: byte 32 + 2, bits 7-4
//                                        tensor memory    one per byte, bits 5-2: column 9, bits 10-13
//                                        a register       of mma.sync: bits 10-13 (ldmatrix puts them in bits 3-0)
//   e2m1 under mxf4, element 37          byte 18 everywhere; tensor memory column 4, bits 20-23
//
// Kinds f8f6f4 and mxf8f6f4 read units of 16 elements in 16 bytes, whatever their width: 8 or 12 bytes, then a gap that
// TMA leaves unchanged. The mbarrier counts the bytes of global memory, without the gaps.
//
// Source: PTX ISA 9.1, 5.5.1.1 and 9.7.16.10.4; the bits in tensor memory as TIRx's test read them back from a B200
// after tcgen05.cp. A comment in NVIDIA's CuTe-DSL example puts 6 bits in bits 6-1 (other_first_bit); its data are all
// ones, so they do not decide. Not measured.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "arch/instruction.hpp"
#include "base/units.hpp"

namespace swz {

struct NarrowForm {
  unsigned kinds = 0;  // kind_set
  std::array<std::string_view, 2> dtypes;
  int bits = 0;           // bits of an element
  bool has_gaps = false;  // in shared memory: 16 elements begin each 16 bytes
  int tmem_bits = 0;      // bits of an element's container in tensor memory
  int tmem_first_bit = 0;
  int register_first_bit = 0;        // in its container, as wide as in tensor memory, in a register of mma.sync
  std::string_view tensor_map_type;  // after CU_TENSOR_MAP_DATA_TYPE_
  std::string_view ptx;              // its name in tcgen05.cp and cp.async.bulk.tensor; empty if they have none
  Source source;

  int gap_bytes() const { return has_gaps ? 16 - 2 * bits : 0; }  // after each 16 elements

  // The first bit of element `index` along the contiguous dimension.
  constexpr Bits gmem(std::int64_t index) const { return {index * bits}; }
  constexpr Bits smem(std::int64_t index) const {
    return {has_gaps ? index / 16 * 128 + index % 16 * bits : index * bits};
  }
  constexpr Bits tmem(std::int64_t index) const { return {index * tmem_bits + tmem_first_bit}; }
  // The first bit in the 32-bit register of mma.sync that holds the element; a fragment counts elements along K.
  constexpr Bits in_register(std::int64_t index) const { return {index * tmem_bits % 32 + register_first_bit}; }
  // The bytes that an mbarrier counts for 128 elements.
  constexpr Bytes transaction_bytes() const { return {bits * 16}; }
};

std::span<const NarrowForm> narrow_forms();

// Where an element of so many bits would begin in its byte of tensor memory if the strongest source were wrong: 6 bits
// in bits 6-1 (CuTe-DSL's comment), 4 bits in bits 3-0, as ldmatrix puts them. The probes distinguish the two.
constexpr int other_first_bit(int bits) { return bits == 6 ? 1 : 0; }

enum class NarrowMemory { gmem, smem, tmem };
// The first bit of element `index` in one of the memories.
constexpr Bits bit_in(const NarrowForm& form, NarrowMemory memory, std::int64_t index) {
  return memory == NarrowMemory::gmem   ? form.gmem(index)
         : memory == NarrowMemory::smem ? form.smem(index)
                                        : form.tmem(index);
}
// The elements that have a bit among `count` bits, at most 32, from `first` on; none if it is a gap.
std::vector<std::int64_t> elements_in(const NarrowForm& form, NarrowMemory memory, Bits first, int count);

// The form of a type of fewer than 8 bits in shared memory, with or without gaps. Null if the type does not have this
// form or has 8 bits.
const NarrowForm* find_narrow_form(std::string_view dtype, bool has_gaps);
// The first form with this data type of a tensor map, "16U4_ALIGN16B". Null for one of 8 bits or more.
const NarrowForm* find_narrow_form_of_map(std::string_view tensor_map_type);
// The form of a type under a kind. Throws Error with the types that the kind accepts.
const NarrowForm& require_narrow_form(MmaKind kind, std::string_view dtype);

}  // namespace swz
