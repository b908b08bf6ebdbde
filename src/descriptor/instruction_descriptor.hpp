// SPDX-License-Identifier: Apache-2.0
// InstructionDescriptor: the 32-bit instruction descriptor of tcgen05.mma, and which kinds can read a word.
//
//   decode_idesc(0x08400490)   one reading: kind::f16, bf16 x bf16 -> f32, M 128, N 256, both K-major
//   decode_idesc(0x08400010)   two: f16 x f16 under kind::f16, e4m3 x e4m3 under kind::f8f6f4
//   decode_idesc(0x28200010)   one: e4m3 x e4m3 under kind::f8f6f4 with K 64, on sm_107a; before it, bit 29 must be 0
//
// fields.hpp makes a word from its fields.
// Source: arch/descriptor_format.hpp, arch/instruction.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/descriptor_format.hpp"
#include "arch/instruction.hpp"
#include "descriptor/descriptor_word.hpp"

namespace swz {

class InstructionDescriptor : public DescriptorWord {
 public:
  // Throws Error if the target has no tcgen05.mma.
  InstructionDescriptor(std::uint32_t word, MmaKind kind, const Target& target);

  MmaKind kind() const { return kind_; }
  const MmaKindRow& kind_row() const { return row_of(kind_); }
  int m() const { return static_cast<int>(value(FieldId::m)); }
  int n() const { return static_cast<int>(value(FieldId::n)); }
  int max_shift() const;
  // The type of a code; null if the code is illegal or the kind has no such field.
  const TypeCode* type(FieldId field) const;
  MmaShapeQuery shape() const;
  // Which K the word chooses; nothing if no K has the code.
  std::optional<KSize> k_size() const;
  // The elements of K that one instruction reads; 0 if the kind has no such K.
  int k() const;

 private:
  MmaKind kind_;
};

// A field of its format.
DecodedField decoded_field(const InstructionDescriptor& descriptor, const FieldRow& row);

// "bf16 x bf16 -> f32, M 128, N 256, K 16"
std::string summary(const InstructionDescriptor& descriptor);

using InstructionReading = WordReading<InstructionDescriptor>;
using InstructionDecoding = WordDecoding<InstructionDescriptor>;

// With a kind: the reading of this kind. Without: the readings of the kinds whose format rules the word breaks least.
// Without a target it is sm_100a, or sm_103a if the word breaks fewer rules there, or sm_107a if it breaks none there
// only, or if no other target has the kind.
InstructionDecoding decode_idesc(std::uint32_t word, const MmaKindRow* kind = nullptr, const Target* target = nullptr);

// Throws Error if a scale id, or the type of the factors, does not fit vectors of `vec` elements.
void require_scale_ids(const InstructionDescriptor& descriptor, int vec);

std::span<const DescriptorRule<InstructionDescriptor>> instruction_rules();
std::vector<Finding> lint(const InstructionDescriptor& descriptor);

}  // namespace swz
