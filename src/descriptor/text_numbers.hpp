// SPDX-License-Identifier: Apache-2.0
// The numbers of a text, each with its name and the bracket around it.
//
//   "$1 = {desc_ = 0x42, reg32_ = {66, 0}, bitfield = {base_offset_ = 0 '\000'}}"
//     0x42  name desc_, bound          66  no name, group reg32_, index 0
//     0     group reg32_, index 1      0   name base_offset_, bound; '\000' is no number
//   "  stride_off :  0x0040 (64)"      0x0040 name stride_off; 64 repeats it
//   "layout_type_ = UMMA::SWIZZLE_128B"  a symbol in place of a number
//   "UMOV UR4, 0x10042 ;"              name UR4, the first register of the line
//
// A number is hexadecimal with 0x, binary with 0b or when it has more than 20 digits as a debugger pads them (32 or 64
// digits, or none of them a leading 0), hexadecimal without 0x when it has exactly 16 digits (no decimal number of 16
// digits is a sane descriptor), otherwise decimal. Eight digits of a register or of a
// half ("R4=00010042", "hi: c0000040") are hexadecimal where they begin with 0 or have a letter. More than 16 hexadecimal or 64 binary digits are not a word, even
// when the first ones are 0: they are a wider register. A number of at most 57 bits that precedes a colon at the
// beginning of a line, follows a cast to a pointer or an @, or precedes <symbol> is an address. $3, %r1, #0 and 1.5
// are no numbers, nor is an index in brackets ("desc[0]").
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "descriptor/word_text.hpp"

namespace swz {

struct TextNumber {
  std::uint64_t value = 0;
  Spelling spelling = Spelling::number;
  std::string_view text = {};  // as it stands there, with its sign
  std::size_t line = 1;
  std::string_view name = {}, qualifier = {};  // "hi" of "hi = 5", "desc" and "hi" of "desc.hi: 5"
  bool is_bound = false;                       // to its name, by = or :
  bool is_first = false;                       // of its line, but for addresses
  bool repeats = false;                        // the number before, in another base
  std::string_view symbol = {};                // a name that stands in place of a number
  std::string_view scope = {};                 // "CFormat" of the symbol CFormat::F32
  bool restates = false;                       // the symbol before it, as 1 of "F32 = 1"
  std::string_view address = {};               // why it is one; empty: it is none
  std::string_view group = {};                 // the name of the innermost bracket
  int group_id = 0, outer_id = 0;              // of the innermost and the outermost bracket; 0: none
  int index = 0;                               // among the numbers of the innermost bracket
};

// "a" of desc_a, a_desc0, descA and sA, "b" of smem_desc_b: the operand that the names of a number say. None: they say none,
// or both.
std::optional<OperandRole> operand_named_by(const TextNumber& number);

// Reads a text line by line; brackets may be open at the end of a line.
class NumberScanner {
 public:
  using Visit = std::function<void(const TextNumber&)>;
  void take(std::string_view line, std::size_t line_number, const Visit& visit);
  bool is_inside_bracket() const { return !open_.empty(); }
  void close_brackets() { open_.clear(); }

 private:
  struct Bracket {
    int id = 0;
    std::string_view name = {};
    char closes = '}';
    int members = 0;
  };
  struct Line;
  std::vector<Bracket> open_ = {};
  int brackets_ = 0;
};

// All of them.
std::vector<TextNumber> numbers_of(std::string_view text);

// The number of digits after 0x or 0b, leading zeros included, where it exceeds that of 64 bits; otherwise 0.
std::ptrdiff_t too_many_digits(std::string_view run);

// Takes the first line away, with its end.
std::string_view take_line(std::string_view& text);

// "R4" is 4 and "UR13" is 13; below 0: it is no register.
int register_number(std::string_view name);

// "lo", "desc_lo", "desc.low", "descLo"; "hi", …
bool names_low_half(std::string_view name);
bool names_high_half(std::string_view name);
// A register, or a half.
bool names_part(std::string_view name);

// A number as a part of so many bits of a word, also signed: -1 is 0xffffffff of 32. None: it is wider.
std::optional<std::uint64_t> part_of_word(const TextNumber& number, int bits);

}  // namespace swz
