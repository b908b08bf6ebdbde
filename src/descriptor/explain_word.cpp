// The mistakes of a word: in which way it differs from one that reads the block.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "descriptor/explain_case.hpp"

namespace swz {

namespace {

// What distinguishes the given word from a right one, don't-care strides aside.
struct WordDifference {
  const SmemDescriptor& word;
  const RightWord& right;
  int element_bits;

  bool start() const { return word.start_address() != right.descriptor.start_address(); }
  bool leading() const {
    return right.applied.leading && word.leading_byte_offset() != right.descriptor.leading_byte_offset();
  }
  bool stride() const {
    return right.applied.stride && word.stride_byte_offset() != right.descriptor.stride_byte_offset();
  }
  bool base_offset() const { return word.base_offset() != right.descriptor.base_offset(); }
  bool mode() const { return word.swizzle() != right.descriptor.swizzle(); }
  int count() const { return start() + leading() + stride() + base_offset() + mode(); }
};

// Whether each byte quantity that differs holds what `write` makes of the right bytes.
template <class Write>
bool are_written(const WordDifference& d, Write&& write) {
  if (d.base_offset() || d.mode() || d.count() == 0) return false;
  const auto is_written = [&](bool differs, FieldId id) {
    if (!differs) return true;
    const std::uint64_t mask = d.word.format().find(id)->bits.max();
    return d.word.raw(id) == (write(static_cast<std::uint64_t>(d.right.descriptor.value(id))) & mask);
  };
  return is_written(d.start(), FieldId::start_address) && is_written(d.leading(), FieldId::leading_byte_offset) &&
         is_written(d.stride(), FieldId::stride_byte_offset);
}

std::uint64_t elements(const WordDifference& d, std::uint64_t bytes) {
  return bytes * 8 / static_cast<std::uint64_t>(d.element_bits);
}

// "SBO 16384 B instead of 1024 B"
std::string fields_text(const WordDifference& d) {
  std::vector<std::string> fields;
  const auto add = [&](bool differs, std::string_view name, Bytes is, Bytes should) {
    if (differs) fields.push_back(fmt::format("{} is {} B instead of {} B", name, is.count, should.count));
  };
  const SmemDescriptor& right = d.right.descriptor;
  add(d.start(), "the start address", d.word.start_address(), right.start_address());
  add(d.leading(), "LBO", d.word.leading_byte_offset(), right.leading_byte_offset());
  add(d.stride(), "SBO", d.word.stride_byte_offset(), right.stride_byte_offset());
  return join_and(fields);
}

// A number that stands for the right mode somewhere else, or nothing.
std::string other_numbering(const SmemDescriptor& word, const SwizzleMode& right) {
  const std::uint64_t code = word.raw(FieldId::swizzle);
  const auto is_code = [&](std::optional<int> other) {
    return other && static_cast<std::uint64_t>(*other) == code;
  };
  if (is_code(right.tma_code)) return fmt::format("; {} is its number in the TMA enum", code);
  if (is_code(right.wgmma_code)) return fmt::format("; {} is its number in the wgmma descriptor", code);
  if (is_code(right.tcgen05_code)) return fmt::format("; {} is its number in the tcgen05 descriptor", code);
  return "";
}

struct WordMistake {
  std::string_view name, what;
  // Reported only when no other mistake leads to the same right word.
  bool is_general = false;
  bool (*explains)(const WordDifference&);
  Advice (*tell)(const WordDifference&);
};

using D = WordDifference;

// clang-format off
constexpr WordMistake word_mistakes[] = {
    {"lbo-sbo-swapped", "LBO and SBO are in each other's place", false,
     [](const D& d) {
       const SmemDescriptor& right = d.right.descriptor;
       return !d.start() && !d.base_offset() && !d.mode() && d.count() > 0 &&
              (!d.right.applied.leading || d.word.stride_byte_offset() == right.leading_byte_offset()) &&
              (!d.right.applied.stride || d.word.leading_byte_offset() == right.stride_byte_offset());
     },
     [](const D& d) { return Advice{"LBO and SBO are swapped: " + fields_text(d), "exchange them"}; }},
    {"fields-in-bytes", "addresses or strides are bytes, without >> 4", false,
     [](const D& d) { return are_written(d, [](std::uint64_t bytes) { return bytes; }); },
     [](const D& d) { return Advice{"bytes were written without >> 4: " + fields_text(d),
                                    "the fields count 16 bytes: store bytes >> 4"}; }},
    {"fields-shifted-twice", "addresses or strides were divided by 16 twice", false,
     [](const D& d) { return are_written(d, [](std::uint64_t bytes) { return bytes >> 8; }); },
     [](const D& d) { return Advice{"a count of 16 bytes was shifted by 4 once more: " + fields_text(d),
                                    "shift bytes once"}; }},
    {"strides-in-elements", "strides count elements instead of bytes", false,
     [](const D& d) {
       if (d.element_bits == 8 || d.start()) return false;
       return are_written(d, [&](std::uint64_t bytes) { return elements(d, bytes) >> 4; }) ||
              are_written(d, [&](std::uint64_t bytes) { return elements(d, bytes); });
     },
     [](const D& d) { return Advice{"strides were counted in elements: " + fields_text(d),
                                    fmt::format("the fields count 16 bytes: store elements * {} / 8 >> 4",
                                                d.element_bits)}; }},
    {"base-offset", "another base offset is right", false,
     [](const D& d) { return d.base_offset() && d.count() == 1; },
     [](const D& d) { return Advice{fmt::format("the base offset is {}; the pattern of these bytes needs {}",
                                                d.word.base_offset(), d.right.descriptor.base_offset()),
                                    "swz phase says which base offset a tile needs; 0 when TMA wrote it"}; }},
    {"swizzle-mode", "another swizzle mode is right", false,
     [](const D& d) { return d.mode() && d.count() == 1; },
     [](const D& d) {
       const SwizzleMode& right = *d.right.descriptor.swizzle();
       const std::string numbering = other_numbering(d.word, right);
       if (d.word.swizzle()->bits == 0)
         return Advice{fmt::format("the word has no swizzle; these bytes have mode {}{}", right.name, numbering),
                       fmt::format("swizzle code {}", d.right.descriptor.raw(FieldId::swizzle))};
       return Advice{fmt::format("the word has mode {}; these bytes have mode {}{}", d.word.swizzle()->name, right.name,
                                 numbering),
                     fmt::format("swizzle code {}", d.right.descriptor.raw(FieldId::swizzle))};
     }},
    {"start-address", "the start address is off", true,
     [](const D& d) { return d.start() && d.count() == 1; },
     [](const D& d) {
       const std::int64_t is = d.word.start_address().count, should = d.right.descriptor.start_address().count;
       return Advice{fmt::format("the start address {:#x} is {} B {}: the block begins at {:#x}", is,
                                 std::abs(is - should), is > should ? "too high" : "too low", should),
                     fmt::format("start address field {:#x}", d.right.descriptor.raw(FieldId::start_address))};
     }},
    {"lbo", "another LBO is right", true,
     [](const D& d) { return d.leading() && d.count() == 1; },
     [](const D& d) { return Advice{fields_text(d), fmt::format("LBO field {}", d.right.descriptor.raw(
                                                                FieldId::leading_byte_offset))}; }},
    {"sbo", "another SBO is right", true,
     [](const D& d) { return d.stride() && d.count() == 1; },
     [](const D& d) { return Advice{fields_text(d), fmt::format("SBO field {}", d.right.descriptor.raw(
                                                                FieldId::stride_byte_offset))}; }},
};
// clang-format on

// Several base offsets may be right: they are one explanation.
void append(std::vector<Explanation>& out, Explanation next, const RightWord& right) {
  const bool is_more = next.rule == "base-offset" && !out.empty() && out.back().rule == next.rule;
  if (is_more) out.back().message += fmt::format(" or {}", right.descriptor.base_offset());
  else out.push_back(std::move(next));
}

}  // namespace

std::vector<Explanation> mistakes_of_word(const ExplainCase& c) {
  std::vector<Explanation> out;
  std::vector<bool> is_explained(c.rights.size(), false);
  for (const WordMistake& mistake : word_mistakes) {
    for (std::size_t i = 0; i < c.rights.size(); ++i) {
      const WordDifference difference{c.word, c.rights[i], c.wanted.element_bits};
      if (!mistake.explains(difference) || (mistake.is_general && is_explained[i])) continue;
      is_explained[i] = true;
      const Advice advice = mistake.tell(difference);
      append(out, {lint(mistake.name, advice.message, advice.hint), c.rights[i].descriptor.word()}, c.rights[i]);
    }
  }
  return out;
}

void append_word_mistakes(std::vector<MistakeSummary>& out) {
  for (const WordMistake& mistake : word_mistakes) out.push_back({mistake.name, mistake.what});
}

std::optional<RightWord> nearest_right_word(const ExplainCase& c) {
  const auto count = [&](const RightWord& right) {
    return WordDifference{c.word, right, c.wanted.element_bits}.count();
  };
  const auto nearest = std::ranges::min_element(c.rights, {}, count);
  if (nearest == c.rights.end()) return std::nullopt;
  return *nearest;
}

}  // namespace swz
