// SPDX-License-Identifier: Apache-2.0
// Words: the text of a line becomes words, and words become options with their values, and arguments. Nothing is
// read into a type here.
//
//   words_of_line("swz layout '(8,64):(64,1)' # rows")  == {"layout", "(8,64):(64,1)"}
//   words_of_line("[\"decode\", \"0x42\"]")               == {"decode", "0x42"}
//   split_words({"--tile=8x64", "0x42", "-f", "json"}, rows)
//     values {--tile "8x64", -f "json"}, arguments {"0x42"}
//
// As in a POSIX shell: '…' is verbatim, "…" keeps all but \" \\ \$ \` , a backslash outside quotes takes the next
// byte as it is, # at the beginning of a word starts a comment. Nothing is expanded. A leading word "swz" is
// dropped, and a carriage return at the end of the line.
//
// After "--" every word is an argument; so are "-" and a word that begins with "-" and a digit. An option whose
// value may be left out gets "-".
#pragma once

#include <span>

#include "base/json.hpp"
#include "option.hpp"

namespace swz {

// Of a line of a batch: shell words or a JSON array of strings. Throws Error with a span in the line.
Words words_of_line(std::string_view line);
// Of that array itself.
Words words_of_list(const Json& list);

struct SplitWords {
  struct Value {
    std::size_t option = 0;  // index of the row
    std::string text;        // empty for a flag
  };
  std::vector<Value> values;  // row by row; of one row in the order of the words
  Words arguments;
  Words unknown;            // words that look like an option but are not one of the rows
  std::string lacks_value;  // an option at the end without its value; empty: none
};

SplitWords split_words(std::span<const std::string> words, const Options& options);

// How many words the option at their beginning takes with its value; 0 if no row has its name.
std::size_t width_of_option(std::span<const std::string> words, const Options& options);

// How many words at the beginning are options of these rows with their values.
std::size_t count_leading_options(std::span<const std::string> words, const Options& options);

// "-x" and "--x", but not "-", "--" and "-5".
bool looks_like_option(std::string_view word);

}  // namespace swz
