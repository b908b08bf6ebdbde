// SPDX-License-Identifier: Apache-2.0
// Words field by field: the word of given fields, and the differences between two words.
//
// From fields to a word, as people write them. This is the inverse of `swz decode`.
//
//   encode_smem({{start_address, "0x420"}, {leading_byte_offset, "16"}, {stride_byte_offset, "1024"},
//                {swizzle, "128B"}}, sm_90a)                      0x4000004000010042
//   {stride_byte_offset, "1000"}    Error: stride_byte_offset 1000 B is not a multiple of 16 B
//                                   hint: 0 to 262128 B in steps of 16 B; nearest: 992 or 1008
//
// Numbers have the units of decode: bytes, elements, lines, columns. A name is found by decoding: the codes of a field
// are those for which decoded_fields gives a name. A field that is not given has its usual number, mostly 0; an
// essential field (type, mode, M, N) must be given unless it has a single code. Invariants (tested, for every format,
// kind and target): encoding the decoded fields of a word without reserved bits gives the word; every value that is
// suggested as nearest is accepted. Whether the word makes sense is left to lint().
//
// Two words side by side: which fields differ, and whether the hardware then reads other bytes.
//
//   compare(0x4000004000010040, 0x4000004000000042)   (wgmma, mode 128B)
//     start_address        1024 -> 1056   yes      +32 B: a K-advance inside the 128 B line
//     leading_byte_offset  16 -> 0        depends  ignored K-major; MN-major it steps over blocks of 128 B
//
// Invariant (tested): compare(a, a) is empty; the fields of compare(a, b) and compare(b, a) are the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "descriptor/instruction_descriptor.hpp"
#include "descriptor/smem_descriptor.hpp"

namespace swz {

struct FieldSetting {
  FieldId id;
  std::string text;                       // a number or a name
  std::optional<std::uint64_t> raw = {};  // used instead of the text, for a code without a name
};

// The word of the settings. If a field is set twice, the last setting counts. Throws Error for a field that the format
// does not have, a value that does not fit, and essential fields that are missing.
SmemDescriptor encode_smem(const std::vector<FieldSetting>& settings, const Target& target);
InstructionDescriptor encode_idesc(const std::vector<FieldSetting>& settings, MmaKind kind, const Target& target);

// Whether a difference changes the behaviour of the instruction.
enum class Matters {
  yes,
  depends,  // on facts that the word does not contain: major, shape
  no,
  unknown,  // not documented and not measured
};

constexpr std::string_view to_string(Matters matters) {
  constexpr std::string_view names[] = {"yes", "depends", "no", "unknown"};
  return names[static_cast<std::size_t>(matters)];
}

struct Difference {
  std::string field;  // a field's name, "reserved", "format", or "target"
  std::string a, b;   // the values as text, with units
  Matters matters = Matters::yes;
  std::string why;
};

std::vector<Difference> compare(const SmemDescriptor& a, const SmemDescriptor& b);
std::vector<Difference> compare(const InstructionDescriptor& a, const InstructionDescriptor& b);

}  // namespace swz
