// SPDX-License-Identifier: Apache-2.0
// Words in a text: an argument as someone pasted it, or the whole log of a debugger.
//
//   read_words("$3 = -4611685743548137472")                   one word, 0xc000008000100000
//   read_words("0x7ffe0a00: 0x4000004000010040 0x4000004000010042")      two words; the address is not one of them
//   read_words("{lo = 65602, hi = 1073741888}")               one, from two halves: 0x4000004000010042
//   find_words(log)                                           each different word, with its first line
//
// text_numbers.hpp decides what is a number, and which numbers are addresses; named_words.hpp reads words by names.
//
// A single number is the word. Of several numbers, the words are those that the text names or that a format accepts,
// and those of a memory dump; a text with neither is refused. The answer lists what was not used. In a log a number
// counts only if a format accepts it: the bits that the format fixes are right, start and strides are inside shared
// memory, and either there is a swizzle or the word has no lint. Invariants (tested): every spelling of a word is read
// as the word; find_words finds a word in any of them.
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

// Reads one number as base/number.hpp does, with blanks around it: "0x4000'0040'0001'0042ull", "4611686293305360450".
// Throws Error with the offending word for anything else, and for too many bits.
std::uint64_t parse_word64(std::string_view text);
std::uint32_t parse_word32(std::string_view text);

enum class Spelling { number, bare_hex, negative, halves, fields };

struct WordText {
  std::uint64_t word = 0;
  Spelling spelling = Spelling::number;
  std::string text;      // as in the text
  std::size_t line = 1;  // the first line that has it
  std::size_t count = 1;
  const DescriptorFormat* format = nullptr;  // format of its fields, if the text gives them by name
  bool is_idesc = false;                     // whether its names mark an instruction descriptor
  bool is_whole = false;                     // whether its name marks it as a whole word, not a half
  std::string how = {};                      // how its names were read
  std::string unused = {};                   // the parts of the same text that no word uses
  std::optional<OperandRole> operand = {};   // "desc_a", "descB": the operand in its name
};

// How it was read, if that is not obvious: "16 digits without 0x are read as hexadecimal". Otherwise empty.
std::string read_as(const WordText& word);

// Which words to look for in a text.
struct WordFormat {
  const Target* target = nullptr;    // null for any
  bool is_idesc = false;             // looks for 32-bit instruction descriptors
  bool is_smem = false;              // only words of operands
  const MmaKindRow* kind = nullptr;  // kind of the instruction descriptors; null for any
};

// The words of an argument, in order. Throws Error if there is none, or the text contradicts itself.
std::vector<WordText> read_words(std::string_view text);

// Joins two neighbours of at most 32 bits into one word, low half first or last, if that word has no lint; if both have
// eight hexadecimal digits, also if it has a swizzle and SBO is not 0. (A descriptor of at most 32 bits has SBO 0.)
// Other words are unchanged.
std::vector<WordText> join_halves(std::vector<WordText> words);

// Whether a number of at most 32 bits is an instruction descriptor by every rule of its format, for some kind.
bool is_idesc_word(std::uint64_t word, const WordFormat& format);

// The words of a list: one per line that is neither empty nor a comment after #. None if it is not such a list.
std::optional<std::vector<WordText>> word_list(std::string_view text);

// A number that is omitted: an address, or an operand from which a word is computed.
struct Address {
  std::size_t line = 1;
  std::string text, why;
  bool is_address = true;
};

struct WordLog {
  std::size_t lines = 0;
  std::vector<WordText> words;     // different words, in the order of the text
  std::vector<Address> addresses;  // different numbers that were omitted, at most limits::words
  std::size_t others = 0;          // numbers of more than 32 bits that no format accepts
};

// The words of a log. Throws Error if there are more different words than limits::words.
WordLog find_words(std::string_view text, const WordFormat& format = {});

}  // namespace swz
