// SPDX-License-Identifier: Apache-2.0
// NamedRecord: what a text gives about one word, and the word composed of it. It is a part of named_words.hpp.
//
//   fields start_address_ 66, leading_byte_offset_ 1, stride_byte_offset_ 64, base_offset_ 0, layout_type_ 1
//   low 65602, high 1073741888            both give 0x4000004000010042, and agree
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "descriptor/named_words.hpp"

namespace swz {

inline bool is_idesc_field(FieldId id) { return id >= FieldId::sparsity_selector; }

struct NamedSetting {
  const FieldNameRow* row;
  std::uint64_t value = 0;
  std::string_view symbol = {}, scope = {};  // used instead of the value
  std::size_t number = 0;
};

// Members are indices into the numbers of the text.
struct NamedRecord {
  std::optional<std::size_t> whole = {}, low = {}, high = {};
  std::vector<std::size_t> reg32 = {}, reg16 = {}, members = {};
  std::vector<NamedSetting> fields = {};
  int outer = 0;

  bool has(FieldId id) const {
    return std::ranges::any_of(fields, [&](const NamedSetting& s) { return s.row->id == id; });
  }
  bool has_words() const { return whole || low || high || !reg32.empty() || !reg16.empty(); }
  bool is_idesc() const { return !fields.empty() && is_idesc_field(fields.front().row->id); }
  // Whether there is a name that only fields have, or two names that fields may have.
  bool names_fields() const {
    const auto is_sure = [](const NamedSetting& s) { return s.row->unit == FieldNameRow::Unit::raw; };
    const auto is_stride = [](const NamedSetting& s) { return s.row->unit == FieldNameRow::Unit::undecided; };
    return std::ranges::any_of(fields, is_sure) || std::ranges::count_if(fields, is_stride) > 1;
  }
  const DescriptorFormat& format() const {
    if (is_idesc()) {
      const bool is_scaled =
          has(FieldId::scale_type) || has(FieldId::scale_a_id) || has(FieldId::scale_b_id) || has(FieldId::k_size);
      return is_scaled ? mxf4_idesc_format : plain_idesc_format;
    }
    // In MLIR, nvvm has operands with these names only for words of tcgen05.
    const auto is_mlir = [](const NamedSetting& s) {
      return s.row->project == "MLIR" && s.row->unit == FieldNameRow::Unit::raw;
    };
    const bool is_tcgen05 = has(FieldId::version) || has(FieldId::lbo_mode) || std::ranges::any_of(fields, is_mlir);
    return is_tcgen05 ? tcgen05_smem_format : wgmma_smem_format;
  }
};

// The word, or the problem with it. The record must have a member.
NamedWord compose(const NamedRecord& record, std::span<const TextNumber> numbers);

// Whether a word with this name is an instruction descriptor: idesc, instr_desc, ….
bool names_idesc(std::string_view name);

// "sbo = 64"
std::string text_of(const TextNumber& number);

}  // namespace swz
