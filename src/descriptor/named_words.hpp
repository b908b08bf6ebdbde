// SPDX-License-Identifier: Apache-2.0
// Named words: words that a text gives by names: a whole word, its halves, or the fields of a struct.
//
//   {lo = 66, hi = 64}                                     0x0000004000000042
//   reg32_ = {524354, 64}                                  0x0000004000080042
//   {start_address_ = 66, leading_byte_offset_ = 1, stride_byte_offset_ = 64, base_offset_ = 0, layout_type_ = 1}
//                                                          0x4000004000010042, a word of wgmma
//   the same with version_, lbo_mode_ and layout_type_ = 2, or the names of nvvm.tcgen05.mma_smem_desc: a tcgen05 word
//   {a_format_ = 1, b_format_ = 1, c_format_ = 1, n_dim_ = 32, m_dim_ = 8, …}   0x08400490, an instruction descriptor
//
// The names are rows of a table: those of CUTLASS's unions, of CuTe's print, of Triton, MLIR, TileLang and
// TensorRT-LLM. A value is the number in the field. If a project uses one name both for bytes and for the field
// ("sbo"), the name by itself makes no word, but is compared with one that is there.
//
// Invariants (tested): each spelling of a word is read as the word; a text with a missing field, a changed name or a
// number that is too large is refused, or the answer names what is missing; if a text gives a word in two ways, both
// must agree.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/descriptor_format.hpp"
#include "base/error.hpp"
#include "descriptor/text_numbers.hpp"

namespace swz {

// One name of a field, as a project writes it.
struct FieldNameRow {
  std::string_view name, project;
  FieldId id;
  // raw: the number in the field. common: the same, but other things have this name too, so by itself it means nothing.
  // undecided: common, and it may count bytes.
  enum class Unit { raw, common, undecided } unit = Unit::raw;
  BitField block_scaled = {};  // the bits in an instruction descriptor of a block-scaled kind, if they differ
};
std::span<const FieldNameRow> field_names();
// The codes of an enumerator in a field, as CUTLASS names them: K of a_major_, F32 of c_format_. E2M1 of a_format_ has
// two: 5, and 1 as MXF4Format.
std::vector<std::uint64_t> codes_of(const FieldNameRow& row, std::string_view enumerator, std::string_view scope);
// The bits of the field in a format. Both block-scaled formats have the bits of CUTLASS's single struct.
std::optional<BitField> bits_of(const FieldNameRow& row, const DescriptorFormat& format);

struct NamedWord {
  std::uint64_t word = 0;
  Spelling spelling = Spelling::number;
  const DescriptorFormat* format = nullptr;  // format of the fields; null if the names do not decide it
  bool is_idesc = false;
  std::size_t first = 0;              // the number with which it begins
  std::string text, how;              // its text; how it was read, empty if plainly
  std::optional<Error> problem = {};  // why it is not a word
};

struct NamedWords {
  std::vector<NamedWord> words;  // in order
  std::vector<bool> is_used;     // one flag per number
};
NamedWords find_named_words(std::span<const TextNumber> numbers);

// As a word of the text: a number, and a record whose first number is `first`.
WordText word_of(const TextNumber& number);
WordText word_of(const NamedWord& named, const TextNumber& first);

}  // namespace swz
