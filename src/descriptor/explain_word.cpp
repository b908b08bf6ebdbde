// SPDX-License-Identifier: Apache-2.0
// The mistakes of a word: how it differs from one that reads the block.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "arch/mistake.hpp"
#include "base/text.hpp"
#include "descriptor/explain.hpp"

namespace swz {

namespace {

// ---- right words

constexpr int base_offsets = 8;

// Whether the field can express it.
bool is_encodable(std::int64_t bytes, FieldId field, const SmemDescriptor& like) {
  const FieldRow& row = *like.format().find(field);
  return bytes >= 0 && bytes % row.scale == 0 && static_cast<std::uint64_t>(bytes / row.scale) <= row.bits.max();
}

// The first element past the piece from which a stride field steps; (0, 0) for a field that is never used.
struct Steps {
  TileCoordinate leading, stride;
};

Steps steps_of(int element_bits, Major major, const SwizzleMode& mode) {
  const bool is_plain = mode.bits == 0;
  const std::int64_t line = mode.span.count * 8 / element_bits;
  if (major == Major::K) return {{0, line}, {mode.lines, 0}};
  if (is_plain) return {{0, mode.lines}, {line, 0}};
  return {{line, 0}, {0, mode.lines}};
}

bool is_inside(TileCoordinate step, TileExtents extents) {
  return step != TileCoordinate{} && step.row < extents.mn && step.k < extents.k;
}

std::optional<RightWord> solve(const OperandMap& wanted, const SwizzleMode& mode, int base_offset,
                               const SmemDescriptor& like) {
  const auto linear = [&](TileCoordinate at) { return mode.byte(wanted.byte(at.row, at.k), base_offset); };
  const Steps step = steps_of(wanted.element_bits, wanted.major, mode);
  const AppliedStrides applied = applied_strides(wanted.extents, wanted.element_bits, wanted.major, mode);
  const std::int64_t start = linear({});
  const std::int64_t lbo = applied.leading ? linear(step.leading) - start : like.leading_byte_offset().count;
  const std::int64_t sbo = applied.stride ? linear(step.stride) - start : like.stride_byte_offset().count;
  for (const auto& [field, bytes] : {std::pair{FieldId::start_address, start},
                                     {FieldId::leading_byte_offset, lbo},
                                     {FieldId::stride_byte_offset, sbo}})
    if (!is_encodable(bytes, field, like)) return std::nullopt;
  const SmemDescriptor word = SmemDescriptor::encode({.start_address = Bytes{start},
                                                      .leading_byte_offset = Bytes{lbo},
                                                      .stride_byte_offset = Bytes{sbo},
                                                      .base_offset = base_offset,
                                                      .swizzle = mode},
                                                     like.target());
  if (!reads(word, wanted)) return std::nullopt;
  return RightWord{word, applied};
}

// All words that read an operand from given places, over all modes of the target and all base offsets that have an
// effect; those of `like` first.
//
//   the block (0, 16) of f16 128x64 K-major, 128B, at 0x400; MMA 64x16; K-major on sm_90a
//     undone by mode 128B, base offset 0, the places step 1024 B from row 0 to row 8:   start 1056, SBO 1024
//     by mode 64B: rows 128 B apart, but one of its lines has 64 B                      no word
//
// A word is solved, not searched: undo the XOR of a mode and base offset, read start, LBO and SBO from the elements at
// which an operand first steps over them, and accept the word if it reads every element correctly. Invariant (tested):
// the word of a tile's block is found, and every word that is found reads the block.
std::vector<RightWord> right_words(const OperandMap& wanted, const SmemDescriptor& like) {
  std::vector<const SwizzleMode*> modes{like.swizzle()};
  for (const SwizzleMode& mode : swizzle_modes())
    if (&mode != like.swizzle()) modes.push_back(&mode);

  std::vector<RightWord> words;
  for (const SwizzleMode* mode : modes) {
    if (!mode->code(like.kind()) || (wanted.major == Major::K && mode->family == SwizzleFamily::chunk_32)) continue;
    for (int i = 0; i < (mode->bits == 0 ? 1 : base_offsets); ++i) {
      const int base_offset = i == 0 ? like.base_offset() : i <= like.base_offset() ? i - 1 : i;
      if (const auto word = solve(wanted, *mode, base_offset, like)) words.push_back(*word);
    }
  }
  return words;
}

// ---- their differences from the given word

using enum FieldId;

// The differences between the given word and a right one, except in strides that have no effect.
struct WordDifference {
  const SmemDescriptor& word;
  const RightWord& right;
  int element_bits;

  bool in(FieldId field) const {
    const bool is_read = field == leading_byte_offset  ? right.applied.leading
                         : field == stride_byte_offset ? right.applied.stride
                                                       : true;
    return is_read && word.raw(field) != right.descriptor.raw(field);
  }
  std::ptrdiff_t count() const {
    return std::ranges::count_if(
        std::array{start_address, leading_byte_offset, stride_byte_offset, base_offset, swizzle},
        [&](FieldId field) { return in(field); });
  }
  bool only_in(FieldId field) const { return in(field) && count() == 1; }
};

constexpr struct {
  FieldId id;
  std::string_view name;
} byte_fields[] = {{start_address, "the start address"}, {leading_byte_offset, "LBO"}, {stride_byte_offset, "SBO"}};

// Whether each byte quantity that differs is what `write` makes of the right bytes.
template <class Write>
bool are_written(const WordDifference& d, Write&& write) {
  if (d.in(base_offset) || d.in(swizzle) || d.count() == 0) return false;
  return std::ranges::all_of(byte_fields, [&](const auto& field) {
    const std::uint64_t most = d.word.format().find(field.id)->bits.max();
    const auto right = static_cast<std::uint64_t>(d.right.descriptor.value(field.id));
    return !d.in(field.id) || d.word.raw(field.id) == (write(right) & most);
  });
}

std::uint64_t elements(const WordDifference& d, std::uint64_t bytes) {
  return bytes * 8 / static_cast<std::uint64_t>(d.element_bits);
}

// "SBO is 16384 B instead of 1024 B"
std::string fields_text(const WordDifference& d) {
  std::vector<std::string> fields;
  for (const auto& field : byte_fields)
    if (d.in(field.id))
      fields.push_back(fmt::format("{} is {} B instead of {} B", field.name, d.word.value(field.id),
                                   d.right.descriptor.value(field.id)));
  return join_and(fields);
}

// "SBO field 64"
std::string field_text(std::string_view name, const WordDifference& d, FieldId field) {
  return fmt::format("{} field {}", name, d.right.descriptor.raw(field));
}

// Text if the code is the right mode's number in another enum; otherwise empty.
std::string other_numbering(const SmemDescriptor& word, const SwizzleMode& right) {
  const std::uint64_t code = word.raw(swizzle);
  for (const auto& [other, where] : {std::pair{right.tma_code, "TMA enum"},
                                     {right.wgmma_code, "wgmma descriptor"},
                                     {right.tcgen05_code, "tcgen05 descriptor"}})
    if (other && static_cast<std::uint64_t>(*other) == code)
      return fmt::format("; {} is its number in the {}", code, where);
  return "";
}

struct WordMistake {
  std::string_view name;
  // Reported only if no other mistake leads to the same right word.
  bool is_general = false;
  bool (*explains)(const WordDifference&);
  Advice (*tell)(const WordDifference&);
};

using D = WordDifference;

// clang-format off
constexpr WordMistake word_mistakes[] = {
    {mistake::strides_exchanged, false,
     [](const D& d) {
       const SmemDescriptor& right = d.right.descriptor;
       return !d.in(start_address) && !d.in(base_offset) && !d.in(swizzle) && d.count() > 0 &&
              (!d.right.applied.leading || d.word.stride_byte_offset() == right.leading_byte_offset()) &&
              (!d.right.applied.stride || d.word.leading_byte_offset() == right.stride_byte_offset());
     },
     [](const D& d) { return Advice{"LBO and SBO are swapped: " + fields_text(d), "exchange them"}; }},
    {"fields-in-bytes", false,
     [](const D& d) { return are_written(d, [](std::uint64_t bytes) { return bytes; }); },
     [](const D& d) { return Advice{"bytes were written without >> 4: " + fields_text(d),
                                    "the fields count 16 bytes: store bytes >> 4"}; }},
    {"fields-shifted-twice", false,
     [](const D& d) { return are_written(d, [](std::uint64_t bytes) { return bytes >> 8; }); },
     [](const D& d) { return Advice{"a count of 16 bytes was shifted by 4 once more: " + fields_text(d),
                                    "shift bytes once"}; }},
    {"strides-in-elements", false,
     [](const D& d) {
       if (d.element_bits == 8 || d.in(start_address)) return false;
       return are_written(d, [&](std::uint64_t bytes) { return elements(d, bytes) >> 4; }) ||
              are_written(d, [&](std::uint64_t bytes) { return elements(d, bytes); });
     },
     [](const D& d) { return Advice{"strides were counted in elements: " + fields_text(d),
                                    fmt::format("the fields count 16 bytes: store elements * {} / 8 >> 4",
                                                d.element_bits)}; }},
    {"base-offset", false,
     [](const D& d) { return d.only_in(base_offset); },
     [](const D& d) { return Advice{fmt::format("the base offset is {}; the pattern of these bytes needs {}",
                                                d.word.base_offset(), d.right.descriptor.base_offset()),
                                    "swz phase shows which base offset a tile needs; 0 if TMA wrote it"}; }},
    {mistake::other_mode, false,
     [](const D& d) { return d.only_in(swizzle); },
     [](const D& d) {
       const SwizzleMode& right = *d.right.descriptor.swizzle();
       const SwizzleMode& own = *d.word.swizzle();
       const std::string own_text = own.bits == 0 ? "no swizzle" : fmt::format("mode {}", own.name);
       return Advice{fmt::format("the word has {}; these bytes have mode {}{}", own_text, right.name,
                                 other_numbering(d.word, right)),
                     fmt::format("swizzle code {}", d.right.descriptor.raw(swizzle))};
     }},
    {"start-address", true,
     [](const D& d) { return d.only_in(start_address); },
     [](const D& d) {
       const std::int64_t is = d.word.start_address().count, should = d.right.descriptor.start_address().count;
       return Advice{fmt::format("the start address {:#x} is {} B {}: the block begins at {:#x}", is,
                                 std::abs(is - should), is > should ? "too high" : "too low", should),
                     fmt::format("start address field {:#x}", d.right.descriptor.raw(start_address))};
     }},
    {"lbo", true,
     [](const D& d) { return d.only_in(leading_byte_offset); },
     [](const D& d) { return Advice{fields_text(d), field_text("LBO", d, leading_byte_offset)}; }},
    {"sbo", true,
     [](const D& d) { return d.only_in(stride_byte_offset); },
     [](const D& d) { return Advice{fields_text(d), field_text("SBO", d, stride_byte_offset)}; }},
};
// clang-format on

}  // namespace

AppliedStrides applied_strides(TileExtents extents, int element_bits, Major major, const SwizzleMode& mode) {
  const Steps step = steps_of(element_bits, major, mode);
  return {is_inside(step.leading, extents), is_inside(step.stride, extents)};
}

bool reads(const SmemDescriptor& word, const OperandMap& wanted) {
  return operand_map(word, wanted.extents, wanted.element_bits, wanted.major) == wanted;
}

void explain_word(const ExplainCase& c, Comparison& out) {
  const std::vector<RightWord> rights = right_words(c.wanted, c.word);
  const auto difference = [&](const RightWord& right) { return WordDifference{c.word, right, c.wanted.element_bits}; };
  std::vector<bool> is_explained(rights.size(), false);
  for (const WordMistake& mistake : word_mistakes) {
    for (std::size_t i = 0; i < rights.size(); ++i) {
      if (!mistake.explains(difference(rights[i])) || (mistake.is_general && is_explained[i])) continue;
      is_explained[i] = true;
      const Advice advice = mistake.tell(difference(rights[i]));
      // Several base offsets may be right; they are one explanation.
      auto& all = out.explanations;
      if (mistake.name == "base-offset" && !all.empty() && all.back().rule == mistake.name)
        all.back().message += fmt::format(" or {}", rights[i].descriptor.base_offset());
      else all.push_back({lint(mistake.name, advice.message, advice.hint), rights[i].descriptor.word()});
    }
  }
  const auto nearest =
      std::ranges::min_element(rights, {}, [&](const RightWord& right) { return difference(right).count(); });
  if (nearest != rights.end()) out.right = *nearest;
}

std::vector<std::string_view> word_mistake_names() {
  std::vector<std::string_view> names;
  for (const WordMistake& mistake : word_mistakes) names.push_back(mistake.name);
  return names;
}

}  // namespace swz
