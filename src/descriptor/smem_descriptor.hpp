// The 64-bit SMEM descriptor: word <-> fields, and which format a bare word has.
//
//   decode_smem(0x4000004000010042)     one reading: wgmma, start 1056 B, LBO 16 B, SBO 1024 B, mode 128B
//   decode_smem(0x2000004000010040)     two: bit 61 is no bit of wgmma, and for tcgen05 bit 46 is missing
//
// Invariant: encode(values(d)) == d.word() for every word whose reserved bits are 0, whose version is right and
// whose swizzle code is legal (tested on random words). Source: arch/descriptor_format.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/descriptor_format.hpp"
#include "arch/swizzle_mode.hpp"
#include "base/finding.hpp"
#include "base/units.hpp"
#include "descriptor/descriptor_word.hpp"

namespace swz {

struct SmemDescriptorValues {
  Bytes start_address;
  Bytes leading_byte_offset;
  Bytes stride_byte_offset;
  int base_offset = 0;  // lines of 128 bytes
  std::string_view swizzle = "none";
  bool absolute_lbo = false;
};

class SmemDescriptor : public DescriptorWord {
 public:
  // Throws Error when the target reads no 64-bit descriptor.
  SmemDescriptor(std::uint64_t word, const Target& target);

  // The word of these values. Throws Error for an address or stride that is not a multiple of 16 or needs more
  // than 18 bits, a base offset outside 0..7, and a mode the target does not have.
  static SmemDescriptor encode(const SmemDescriptorValues& values, const Target& target);

  SmemDescriptorKind kind() const { return target().descriptor; }
  Bytes start_address() const { return Bytes{value(FieldId::start_address)}; }
  Bytes leading_byte_offset() const { return Bytes{value(FieldId::leading_byte_offset)}; }
  Bytes stride_byte_offset() const { return Bytes{value(FieldId::stride_byte_offset)}; }
  int base_offset() const { return static_cast<int>(raw(FieldId::base_offset)); }
  bool absolute_lbo() const { return flag(FieldId::lbo_mode); }
  // Null: the code is illegal.
  const SwizzleMode* swizzle() const { return swizzle_mode_of_code(kind(), raw(FieldId::swizzle)); }

  // None when the swizzle code is illegal.
  std::optional<SmemDescriptorValues> values() const;
};

// In the order of their bits.
std::vector<DecodedField> decoded_fields(const SmemDescriptor& descriptor);

struct SmemReading {
  SmemDescriptor descriptor;
  std::vector<Finding> findings;
};

// One reading, or several when no format fits the word.
struct SmemDecoding {
  std::uint64_t word = 0;
  std::vector<SmemReading> readings;
  std::string why;  // how the format was chosen; empty when a target was given
};

// With a target: that target's reading. Without: both formats are tried (tcgen05 on sm_100a, on sm_103a if that
// breaks fewer rules); if one alone fits, it is the reading, else both are. A bit that both keep 0 does not count.
SmemDecoding decode_smem(std::uint64_t word, const Target* target = nullptr);

}  // namespace swz
