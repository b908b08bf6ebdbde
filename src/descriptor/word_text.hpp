// SPDX-License-Identifier: Apache-2.0
// Words in a text: an argument as somebody pasted it, or the whole log of a debugger.
//
//   read_words("$3 = -4611685743548137472")                   one word, 0xc000008000100000
//   read_words("0x7ffe0a00: 0x4000004000010040 0x4000004000010042")      two; the address is none of them
//   read_words("{lo = 65602, hi = 1073741888}")               one, of two halves: 0x4000004000010042
//   find_words(log)                                           each different word, with its first line
//
// What is a number, and which is an address: text_numbers.hpp. Words by names: named_words.hpp.
//
// A single number is the word. Of several, those are words that the text names or that a format takes, and those of a
// memory dump; a text of which neither is known is refused. What of an argument was not used is said.
// In a log a number counts only if a format takes it: the bits that the format fixes are right, start and strides lie
// inside shared memory, and either there is a swizzle or the word has no lint.
// Invariants (tested): every spelling of a word reads as the word; find_words finds a word in any of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/descriptor_format.hpp"
#include "arch/instruction.hpp"
#include "smem/mma_operand.hpp"

namespace swz {

// One number as base/number.hpp reads it, with blanks around it: "0x4000'0040'0001'0042ull", "4611686293305360450".
// Anything else, and more bits than asked for, throws Error with the offending word.
std::uint64_t parse_word64(std::string_view text);
std::uint32_t parse_word32(std::string_view text);

enum class Spelling { number, bare_hex, negative, halves, fields };

struct WordText {
  std::uint64_t word = 0;
  Spelling spelling = Spelling::number;
  std::string text;      // as it stands there
  std::size_t line = 1;  // the first one that holds it
  std::size_t count = 1;
  const DescriptorFormat* format = nullptr;  // that of its fields, where the text has them by name
  bool is_idesc = false;                     // the names say so
  bool is_whole = false;                     // its name says that it is no half
  std::string how = {};                      // how its names were read
  std::string unused = {};                   // what of the same text no word holds
  std::optional<OperandRole> operand = {};   // "desc_a", "descB": its name says whose it is
};

// How it was read, where that is not plain: "16 digits without 0x are read as hexadecimal". Otherwise empty.
std::string read_as(const WordText& word);

// Which words a text is searched for.
struct WordFormat {
  const Target* target = nullptr;    // null: any
  bool is_idesc = false;             // 32-bit instruction descriptors
  bool is_smem = false;              // words of operands alone
  const MmaKindRow* kind = nullptr;  // of these; null: any
};

// The words of an argument, in order. Throws Error when there is none, or the text contradicts itself.
std::vector<WordText> read_words(std::string_view text);

// Two neighbours of at most 32 bits are the halves of one word, low half first or last, where that word has no lint;
// of eight hexadecimal digits each, also where it has a swizzle and SBO is not 0. (A descriptor of at most 32 bits has
// SBO 0.) Other words stay as they are.
std::vector<WordText> join_halves(std::vector<WordText> words);

// Whether a number of at most 32 bits is an instruction descriptor by every rule of its format, of some kind.
bool is_idesc_word(std::uint64_t word, const WordFormat& format);

// The words of a list: one in each line that is neither empty nor a comment after #. None: it is not such a list.
std::optional<std::vector<WordText>> word_list(std::string_view text);

// A number that is left out: an address, or what a word is computed of.
struct Address {
  std::size_t line = 1;
  std::string text, why;
  bool is_address = true;
};

struct WordLog {
  std::size_t lines = 0;
  std::vector<WordText> words;     // different ones, in the order in which they come
  std::vector<Address> addresses;  // different ones that were left out, at most limits::words
  std::size_t others = 0;          // numbers of more than 32 bits that no format takes
};

// Throws Error when there are more different words than limits::words.
WordLog find_words(std::string_view text, const WordFormat& format = {});

}  // namespace swz
