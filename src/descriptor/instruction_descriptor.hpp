// The 32-bit instruction descriptor of tcgen05.mma: word <-> fields, and which kinds can read a word.
//
//   decode_idesc(0x08400490)   one reading: kind::f16, bf16 x bf16 -> f32, M 128, N 256, both K-major
//   decode_idesc(0x08400010)   two: f16 x f16 under kind::f16, e4m3 x e4m3 under kind::f8f6f4
//
// Invariant: encode(values(d)) == d.word() for every word that breaks no rule of its format (tested).
// Source: arch/descriptor_format.hpp, arch/mma_kind.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "arch/descriptor_format.hpp"
#include "arch/mma_kind.hpp"
#include "descriptor/descriptor_word.hpp"
#include "descriptor/rule.hpp"

namespace swz {

struct InstructionDescriptorValues {
  MmaKind kind = MmaKind::f16;
  std::string_view a_type = "f16", b_type = "f16";  // element types by their canonical names
  std::string_view d_type = "f32";                  // block-scaled kinds: always f32
  std::string_view scale_type = {};                 // block-scaled kinds only
  int m = 128, n = 128;
  bool transpose_a = false, transpose_b = false;  // MN-major
  bool negate_a = false, negate_b = false;
  bool sparse = false;
  bool saturate = false;      // kind i8
  bool k96 = false;           // kinds mxf4 and mxf4nvf4 on sm_103a
  int sparsity_selector = 0;  // kinds tf32 and f16
  int max_shift = 0;          // columns: 0, 8, 16 or 32; .ws only
  int scale_a_id = 0, scale_b_id = 0;
};

class InstructionDescriptor : public DescriptorWord {
 public:
  // Throws Error when the target has no tcgen05.mma.
  InstructionDescriptor(std::uint32_t word, MmaKind kind, const Target& target);

  // The word of these values. Throws Error for a value that has no place in the word; whether the instruction is
  // legal is for lint() to say.
  static InstructionDescriptor encode(const InstructionDescriptorValues& values, const Target& target);

  MmaKind kind() const { return kind_; }
  const MmaKindRow& kind_row() const { return row_of(kind_); }
  int m() const { return static_cast<int>(value(FieldId::m)); }
  int n() const { return static_cast<int>(value(FieldId::n)); }
  int max_shift() const;
  // Null: the code is illegal, or the kind has no such field.
  const TypeCode* type(FieldId field) const;
  MmaShapeQuery shape() const;
  // Elements of K that one instruction reads.
  int k() const;

  // A field whose code is illegal gives an empty type.
  InstructionDescriptorValues values() const;

 private:
  MmaKind kind_;
};

// In the order of their bits.
std::vector<DecodedField> decoded_fields(const InstructionDescriptor& descriptor);

// "bf16 x bf16 -> f32, M 128, N 256, K 16"
std::string summary(const InstructionDescriptor& descriptor);

struct InstructionReading {
  InstructionDescriptor descriptor;
  std::vector<Finding> findings;
};

struct InstructionDecoding {
  std::uint32_t word = 0;
  std::vector<InstructionReading> readings;
  std::string why;  // how the kinds were chosen; empty when a kind was given
};

// With a kind: its reading. Without: the kinds whose format rules the word breaks least, all of them.
// Without a target: sm_100a, or sm_103a where that breaks fewer rules.
InstructionDecoding decode_idesc(std::uint32_t word, const MmaKindRow* kind = nullptr,
                                 const Target* target = nullptr);

std::span<const DescriptorRule<InstructionDescriptor>> instruction_rules();
std::vector<Finding> lint(const InstructionDescriptor& descriptor);

}  // namespace swz
