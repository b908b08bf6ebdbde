// SPDX-License-Identifier: Apache-2.0
// SmemDescriptor: the 64-bit SMEM descriptor as fields, and the format of a word for which none is given.
//
//   decode_smem(0x4000004000010042)     one reading: wgmma, start 1056 B, LBO 16 B, SBO 1024 B, mode 128B
//   decode_smem(0x2000004000010040)     two: wgmma has no bit 61, and for tcgen05 bit 46 is missing
//   decode_smem(0x4000404000015000)     two: bit 14 must be 0 on sm_100a; on sm_107a the start is 0x50000
//
// Invariant (tested on random words): encoding the values of a word gives the word, if its reserved bits are 0, its
// version is right and its swizzle code is legal. Source: arch/descriptor_format.hpp.
//
// Lints: what is likely wrong with a word, and what is worth knowing about it.
//
//   lint(0x4000000400010040 on sm_90a)   stride-overlap: SBO 64 B, less than the atom of 1024 B
//   lint(0x4000004000010042 on sm_90a)   no lint; a note that the start is a K-advance of 32 B
//   lint(0x4000040000010040 on sm_90a)   no lint; a note that SBO is 16 atoms: a tile with 2048 B of K stacked
//                                        k-first, or a forgotten >> 4
//
// The word does not contain the major, the shape or the element type, so a rule applies only if the word is wrong in
// every reading that programs use. No word of tile_descriptors has a lint if its tile begins where the pattern does
// (tested).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arch/descriptor_format.hpp"
#include "arch/swizzle_mode.hpp"
#include "descriptor/descriptor_word.hpp"

namespace swz {

struct SmemDescriptorValues {
  Bytes start_address;
  Bytes leading_byte_offset;
  Bytes stride_byte_offset;
  int base_offset = 0;  // in lines of 128 bytes
  SwizzleModeRow swizzle = "none";
  bool absolute_lbo = false;
  Bytes b_segment = {};  // of sm_107: 0 or 24
};

class SmemDescriptor : public DescriptorWord {
 public:
  // Throws Error if the target reads no 64-bit descriptor.
  SmemDescriptor(std::uint64_t word, const Target& target);

  // The word of these values. Throws Error for an address or stride that is not a multiple of 16 or does not fit
  // into its field, a base offset outside 0..7, and a mode that the target does not have.
  static SmemDescriptor encode(const SmemDescriptorValues& values, const Target& target);

  SmemDescriptorKind kind() const { return target().descriptor; }
  Bytes start_address() const { return Bytes{value(FieldId::start_address)}; }
  Bytes leading_byte_offset() const { return Bytes{value(FieldId::leading_byte_offset)}; }
  Bytes stride_byte_offset() const { return Bytes{value(FieldId::stride_byte_offset)}; }
  int base_offset() const { return static_cast<int>(raw(FieldId::base_offset)); }
  bool absolute_lbo() const { return flag(FieldId::lbo_mode); }
  // The swizzle mode; null if the code is illegal.
  const SwizzleMode* swizzle() const { return swizzle_mode_of_code(kind(), raw(FieldId::swizzle)); }
};

// A field of its format.
DecodedField decoded_field(const SmemDescriptor& descriptor, const FieldRow& row);

using SmemReading = WordReading<SmemDescriptor>;
using SmemDecoding = WordDecoding<SmemDescriptor>;

// With a target: the reading of that target. Without: both formats are tried (tcgen05 on sm_100a, or on sm_103a if that
// breaks fewer rules). If only one fits, it is the reading; otherwise both are. A bit that both keep 0 does not count.
// A word of tcgen05 that breaks no rule on sm_107a only is read for it too.
SmemDecoding decode_smem(std::uint64_t word, const Target* target = nullptr);

std::span<const DescriptorRule<SmemDescriptor>> smem_rules();
std::vector<Finding> lint(const SmemDescriptor& descriptor);

}  // namespace swz
