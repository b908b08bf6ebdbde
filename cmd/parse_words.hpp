// Splits the words of a command line into options with their values, and arguments. Nothing is read into a type
// here.
//
//   split_words({"--tile=8x64", "0x42", "-f", "json"}, rows)
//     values {--tile "8x64", -f "json"}, arguments {"0x42"}
//
// Behind "--" every word is an argument; so are "-" and what begins with "-" and a digit. An option whose value may
// be left out gets "-".
#pragma once

#include <span>

#include "option.hpp"

namespace swz {

struct SplitWords {
  struct Value {
    std::size_t option = 0;  // index of the row
    std::string text;        // empty for a flag
  };
  std::vector<Value> values;  // row by row; of one row in the order of the words
  Words arguments;
  Words unknown;            // words that look like an option and are none of the rows
  std::string lacks_value;  // an option at the end without its value; empty: none
};

SplitWords split_words(std::span<const std::string> words, const Options& options);

// How many words at the beginning are options of these rows with their values.
std::size_t count_leading_options(std::span<const std::string> words, const Options& options);

// "-x" and "--x", but not "-", "--" and "-5".
bool looks_like_option(std::string_view word);

}  // namespace swz
