// SPDX-License-Identifier: Apache-2.0
// Options: the rows in which a command declares the options and arguments of its command line.
//
//   struct Request { Tile tile; std::vector<std::string> words; bool slots = false; };
//
//   Options options_of(Request& r) {
//     return {argument("WORD", r.words, "words to read").required().repeated(limits::words),
//             option("--tile", "MNxK", r.tile, "extents in elements").excluding({"--layout"}),
//             one_of("--as", r.as, {{"smem", As::smem}, {"idesc", As::idesc}}, "which word").by_default("smem"),
//             flag("--slots", r.slots, "4- and 6-bit types in 8-bit slots")};
//   }
//
// A row is bound to a member of the Request. Parsing, help, the man page, completions, `swz help -f json` and the
// schema of requests all come from these rows. They are made only when the command is run or its help is asked for. A
// default is written as a user would write it, and read in the same way.
//
// read_value turns the text of an option into the type that the command computes with, once:
//
//   TileExtents tile;      read_value("[128, 64]", tile)             {128, 64}
//   const DType* dtype;    read_value("torch.bfloat16", dtype)       the row bf16
//   const SwizzleMode* m;  read_value("Swizzle<3,4,3>", m)           the row 128B
//
// A text that cannot be read throws Error of kind usage or input, with a hint that shows a text that can be read; the
// option's name is put before the message. A type that only one command has gets its read_value next to it, which is
// found by the type's namespace.
//
// With this header every command has errors, limits and fmt.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/instruction.hpp"
#include "arch/swizzle_mode.hpp"
#include "arch/target.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "descriptor/word_text.hpp"
#include "fragment/instruction_text.hpp"
#include "render/picture.hpp"
#include "smem/mma_operand.hpp"
#include "smem/tile.hpp"

namespace swz {

using Words = std::vector<std::string>;

// What one MMA reads: a whole instruction, "m64n256k16" or a name of PTX, CUTLASS or SASS, or the rows and K of the
// operand itself, "64x16".
struct MmaShapeText {
  std::string text;
  std::optional<MmaExtents> instruction;
  TileExtents operand;                        // if it is not a whole instruction
  std::optional<InstructionText> named = {};  // if the text is its name
};

// A whole operand in global memory, "1048577x4096", which may be larger than any tile.
struct OperandExtents : TileExtents {};

inline void read_value(const std::string& text, std::string& to) { to = text; }
void read_value(const std::string& text, const Target*& to);
void read_value(const std::string& text, const DType*& to);
void read_value(const std::string& text, const SwizzleMode*& to);
void read_value(const std::string& text, Major& to);     // k, mn, m, n, in any case; also K-major and MN-major
void read_value(const std::string& text, Bytes& to);     // of shared memory's address space, at most 32 bits
void read_value(const std::string& text, WordText& to);  // one word
void read_value(const std::string& text, std::vector<WordText>& to);  // one word or several; appends
void read_value(const std::string& text, std::uint64_t& to);
void read_value(const std::string& text, DrawnRange& to);   // "0:16", "8:", ":16": rows or columns of a picture
void read_value(const std::string& text, Pixels& to);       // "86mm", "3.4in", "8pt", "900px" or "900"
void read_value(const std::string& text, TileExtents& to);  // "128x64", "(128,64)", "[128, 64]" or "128,64"
void read_value(const std::string& text, OperandExtents& to);
void read_value(const std::string& text, MmaExtents& to);  // "m64n256k16", "64x256x16", "(64,256,16)"
void read_value(const std::string& text, MmaShapeText& to);

template <class T>
void read_value(const std::string& text, std::optional<T>& to) {
  T value{};
  read_value(text, value);
  to = std::move(value);
}
template <class T>
void read_value(const std::string& text, std::vector<T>& to) {
  T value{};
  read_value(text, value);
  to.push_back(std::move(value));
}

// The index of the word that the text is, in any case. Throws Error with the nearest word.
std::size_t index_of_word(const std::string& text, const Words& words, std::string_view option);

// The number. Throws Error naming both bounds.
std::int64_t read_number(const std::string& text, std::int64_t lowest, std::int64_t highest);

// The pieces between any of `separators`, without blanks around them; empty ones are left out.
Words pieces_of(const std::string& text, const char* separators);
// The same for a list in which each place has its meaning. Throws Error if there is nothing before a comma.
Words entries_of(const std::string& text, const char* separators);

// --- rows

struct Option {
  std::string names;                            // "-f, --format", "--tile"; for an argument "WORD"
  std::string value;                            // placeholder of the value in help: "MNxK"; empty for a flag
  std::string help;                             // one line, lower case
  std::function<void(const std::string&)> set;  // throws Error for a text that cannot be read
  Words choices = {};                           // the words that it accepts, or the names that are offered (is_open)
  bool is_open = false;                         // it accepts more than the choices: aliases, numbers
  std::string listed_by = {};                   // the command that lists the choices, if help does not
  std::string initial = {};                     // the default, read by `set`
  std::string initial_note = {};                // the default in words, if it is not one value
  std::string unit = {};                        // of a number: "bytes"
  Words excludes = {}, needs = {};              // names of other options
  std::string excludes_hint = {};
  bool is_required = false;
  const Limit* repeats = nullptr;  // how often it may be given; null: once
  bool may_omit_value = false;     // the value is then "-", standard input
  bool is_file = false;
  bool is_hidden = false;  // accepted, but shown nowhere
  bool* given = nullptr;   // set to true if the words have it

  Option&& by_default(std::string text) && { return initial = std::move(text), std::move(*this); }
  Option&& by_default_note(std::string text) && { return initial_note = std::move(text), std::move(*this); }
  Option&& in(std::string what) && { return unit = std::move(what), std::move(*this); }
  Option&& taking(Words words) && { return choices = std::move(words), std::move(*this); }
  Option&& offering(Words words) && { return choices = std::move(words), is_open = true, std::move(*this); }
  Option&& listing_by(std::string command) && { return listed_by = std::move(command), std::move(*this); }
  Option&& excluding(Words others, std::string hint = "leave one of them out") && {
    return excludes = std::move(others), excludes_hint = std::move(hint), std::move(*this);
  }
  Option&& needing(Words others) && { return needs = std::move(others), std::move(*this); }
  Option&& required() && { return is_required = true, std::move(*this); }
  Option&& repeated(const Limit& most) && { return repeats = &most, std::move(*this); }
  Option&& or_standard_input() && { return may_omit_value = true, std::move(*this); }
  Option&& file() && { return is_file = true, std::move(*this); }
  Option&& hidden() && { return is_hidden = true, std::move(*this); }
  Option&& noting(bool& was_given) && { return given = &was_given, std::move(*this); }

  bool is_argument() const { return names.front() != '-'; }
  bool is_flag() const { return value.empty(); }
  std::string name() const;  // the longest: "--format", "WORD"
  bool is_called(const std::string& word) const;
};
using Options = std::vector<Option>;

template <class T>
Option option(std::string names, std::string value, T& to, std::string help) {
  return {std::move(names), std::move(value), std::move(help),
          [&to](const std::string& text) { read_value(text, to); }};
}

// Read by a function instead: option("--planted", "NAME", r.planted, "…", require_hypothesis).
template <class T, class Read>
Option option(std::string names, std::string value, T& to, std::string help, Read read) {
  return {std::move(names), std::move(value), std::move(help),
          [&to, read](const std::string& text) { to = read(text); }};
}

template <class T>
Option argument(std::string name, T& to, std::string help) {
  return option(name, name, to, std::move(help));
}

template <class T>
Option flag(std::string names, T& to, std::string help, T value = T(true)) {
  return {std::move(names), "", std::move(help), [&to, value](const std::string&) { to = value; }};
}

// One of a few words, in any case. If they are few enough, help shows them in place of the value.
template <class T, class Member>
Option one_of(std::string names, std::string value, Member& to, std::vector<std::pair<std::string, T>> words,
              std::string help) {
  Words choices;
  for (const auto& [word, meaning] : words) choices.push_back(word);
  Option row{std::move(names), std::move(value), std::move(help), {}, std::move(choices)};
  row.set = [&to, words = std::move(words), choices = row.choices, name = row.name()](const std::string& text) {
    to = words[index_of_word(text, choices, name)].second;
  };
  return row;
}

// A whole number from lowest to highest.
template <class T>
Option number(std::string names, std::string value, T& to, std::int64_t lowest, std::int64_t highest,
              std::string help) {
  return {std::move(names), std::move(value), std::move(help),
          [&to, lowest, highest](const std::string& text) { to = static_cast<T>(read_number(text, lowest, highest)); }};
}

// Joins rows that several commands share.
Options operator+(Options first, Options second);

const Option* find_option(const Options& options, const std::string& name);

// "text|json|svg" or the value's name; empty for a flag.
std::string value_text(const Option& option);
// "-f, --format text|json", "--paste [FILE]", "WORD"
std::string head_of(const Option& option);
// The help with the words that it accepts and the default.
std::string help_of(const Option& option);
// "swz decode [options] WORD..."
std::string usage_of(const Options& options, std::string_view command_name);

}  // namespace swz
