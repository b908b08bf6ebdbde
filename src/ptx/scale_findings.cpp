// SPDX-License-Identifier: Apache-2.0
// Block-scaled mma.sync: ids that select no scale factor, and scale registers in which the selected bytes are empty.
// ptxas sees only ids that are written as constants.
#include <array>

#include "base/text.hpp"
#include "fragment/block_scaled.hpp"
#include "ptx/kernel_parts.hpp"

namespace swz {
namespace {

std::optional<int> small(std::optional<std::uint64_t> number) {
  constexpr std::uint64_t most = 0xffff;  // the ids are .u16
  return number ? std::optional(static_cast<int>(*number & most)) : std::nullopt;
}

// The scale factors of one operand: d, a, b, c, {e, selector,} {scales, {byte-id, thread-id}} of A, then of B.
class ScaleReader {
 public:
  ScaleReader(const PtxValues& values, const PtxInstruction& instruction, const BlockScaledMma& form)
      : v_(values), operands_(values.module().operands_of(instruction)), instruction_(instruction), form_(form) {}

  std::vector<Finding> findings() {
    const std::size_t first = form_.is_sparse ? 6 : 4;
    if (operands_.size() != first + 4) return {};
    read(first, ScaleOperand::a);
    read(first + 2, ScaleOperand::b);
    return std::move(found_);
  }

 private:
  // The values of {x, y}, or of x without braces.
  std::vector<ValueId> values_at(std::size_t place) const {
    const PtxOperand& operand = operands_[place];
    if (operand.kind != PtxOperandKind::list) return {v_.of_operand(instruction_, place)};
    std::vector<ValueId> values;
    for (std::uint32_t i = 0; i < operand.parts; ++i) values.push_back(v_.of_operand(operand.part + i));
    return values;
  }

  void add(std::string_view rule, std::string_view name, Advice advice) {
    found_.push_back(
        lint(rule, "scale factors of " + std::string(name) + ": " + advice.message, std::move(advice.hint)));
  }

  void read(std::size_t place, ScaleOperand operand) {
    const std::vector<ValueId> scales = values_at(place), ids = values_at(place + 1);
    if (scales.size() != 1 || ids.size() != 2) return;
    const std::string_view name = operand == ScaleOperand::a ? "A" : "B";
    const auto byte = small(v_.number_of(ids[0])), thread = small(v_.number_of(ids[1]));
    if (thread)
      if (auto broken = broken_rule({0, *thread}, form_.scale_vec, operand)) add("scale-thread-id", name, *broken);
    if (!byte) return;
    if (auto broken = broken_rule({*byte, 0}, form_.scale_vec, operand)) add("scale-byte-id", name, *broken);
    else check_bytes(scales[0], *byte, name);
  }

  // A register with fewer than four scale factors has zeros beside them: a byte-id that reads those reads none of them.
  // A register that is zero everywhere is meant to be.
  void check_bytes(ValueId scales, int byte, std::string_view name) {
    if (scales == no_value) return;
    const std::uint64_t zeros = v_.known(scales).zeros & 0xffffffff;
    const std::uint64_t read = ((std::uint64_t{1} << 8 * form_.scale_vec) - 1) << 8 * byte;
    if ((zeros & read) != read || zeros == 0xffffffff) return;
    const std::string bytes = form_.scale_vec == 1 ? "byte " + std::to_string(byte) + " is"
                                                   : "bytes " + std::to_string(byte) + " to " +
                                                         std::to_string(byte + form_.scale_vec - 1) + " are";
    int filled = 0;
    while ((zeros >> 8 * filled & 0xff) == 0xff) ++filled;
    add("scale-byte-empty", name,
        {bytes + " always 0 in the register, and byte-id " + std::to_string(byte) + " reads no other",
         "the register has scale factors from byte " + std::to_string(filled) + " on; byte-id " +
             std::to_string(filled / form_.scale_vec * form_.scale_vec) + " reads them"});
  }

  const PtxValues& v_;
  std::span<const PtxOperand> operands_;
  const PtxInstruction& instruction_;
  const BlockScaledMma& form_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> scale_findings(const PtxValues& values, const PtxInstruction& instruction, const NameParts& said) {
  if (!said.has_block_scale) return {};
  for (const BlockScaledMma& form : block_scaled_mmas())
    if (row_of(form.kind).name == said.kind && form.is_sparse == said.is_sparse &&
        (said.scale_vec == 0 ? form.is_default : form.scale_vec == said.scale_vec))
      return ScaleReader(values, instruction, form).findings();
  return {};
}

}  // namespace swz
