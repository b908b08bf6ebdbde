// SPDX-License-Identifier: Apache-2.0
// The numbers of a text, each with its name and the bracket around it.
//
//   "$1 = {desc_ = 0x42, reg32_ = {66, 0}, bitfield = {base_offset_ = 0 '\000'}}"
//     0x42  name desc_, bound          66  no name, group reg32_, index 0
//     0     group reg32_, index 1      0   name base_offset_, bound; '\000' is not a number
//   "  stride_off :  0x0040 (64)"      0x0040 name stride_off; 64 repeats it
//   "layout_type_ = UMMA::SWIZZLE_128B"  a symbol in place of a number
//   "UMOV UR4, 0x10042 ;"              name UR4, the first register of the line
//
// A number is hexadecimal with 0x. It is binary with 0b, or if it has more than 20 digits in the form in which
// debuggers pad them (32 or 64 digits, or any count without a leading 0). It is hexadecimal without 0x if it has
// exactly 16 digits (no decimal number of 16 digits is a sane descriptor), and otherwise decimal. Eight digits of a
// register or of a half ("R4=00010042", "hi: c0000040") are hexadecimal if they begin with 0 or contain a letter. More
// than 16 hexadecimal or 64 binary digits are not a word, even if the first ones are 0: they are a wider register. A
// number of at most 57 bits that precedes a colon at the beginning of a line, follows a cast to a pointer or an @, or
// precedes <symbol> is an address. $3, %r1, #0 and 1.5 are not numbers, and neither is an index in brackets
// ("desc[0]").
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
  std::string_view text = {};  // as in the text, with its sign
  std::size_t line = 1;
  std::string_view name = {}, qualifier = {};  // "hi" in "hi = 5", "desc" and "hi" in "desc.hi: 5"
  bool is_bound = false;                       // to its name, by = or :
  bool is_first = false;                       // in its line, not counting addresses
  bool repeats = false;                        // repeats the number before it in another base
  std::string_view symbol = {};                // a name in place of a number
  std::string_view scope = {};                 // "CFormat" of the symbol CFormat::F32
  bool restates = false;                       // repeats the symbol before it, as 1 in "F32 = 1"
  std::string_view changed = {};               // "~0x42": with the operator that changes it; empty if there is none
  std::string_view unit = {};                  // "bytes" of "1056 bytes"
  std::string_view tag = {};                   // "t0" of "t0 lo = 5": the word before its name
  std::string_view address = {};               // why it is an address; empty if it is not
  std::string_view group = {};                 // the name of the innermost bracket
  int group_id = 0, outer_id = 0;              // of the innermost and the outermost bracket; 0 for none
  int index = 0;                               // among the numbers of the innermost bracket
};

// The operand that the names of a number give: A for desc_a, a_desc0, descA and sA, B for smem_desc_b. None if they
// give none, or both.
std::optional<OperandRole> operand_named_by(const TextNumber& number);

// Reads a text line by line. Brackets may be open at the end of a line.
class NumberScanner {
 public:
  using Visit = std::function<void(const TextNumber&)>;
  void take(std::string_view line, std::size_t line_number, const Visit& visit);
  // The first run that begins with a digit, has the length of half a word, and cannot be read; empty if there is none.
  std::string_view first_unread() const { return first_unread_; }
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
  std::string_view first_unread_ = {};
};

// All numbers of a text.
std::vector<TextNumber> numbers_of(std::string_view text);
// The first run of the text that looks like a word and cannot be read: "0x42000042h"; empty if there is none.
std::string_view unread_number(std::string_view text);

// The number of digits after 0x or 0b, leading zeros included, if it exceeds that of 64 bits; otherwise 0.
std::ptrdiff_t too_many_digits(std::string_view run);

// Removes the first line with its end, and returns it.
std::string_view take_line(std::string_view& text);

// "R4" is 4 and "UR13" is 13; below 0 for a name that is not a register.
int register_number(std::string_view name);

// "lo", "desc_lo", "desc.low", "descLo"; "hi", …
bool names_low_half(std::string_view name);
bool names_high_half(std::string_view name);
// Whether it is the name of a register or of a half.
bool names_part(std::string_view name);

// A number as a part of a word with this many bits, also signed: -1 is 0xffffffff in 32 bits. None if it is wider.
std::optional<std::uint64_t> part_of_word(const TextNumber& number, int bits);

}  // namespace swz
