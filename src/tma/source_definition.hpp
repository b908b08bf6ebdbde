// SPDX-License-Identifier: Apache-2.0
// Definitions in C source code: the one value that a name has at the end of the text.
//
//   #define K 64
//   int n = 2 * K;                  SourceDefinitions(text).find("n").value == "2 * K"
//   cuuint64_t dims[2] = {n, 128};  find("dims").value == "{n, 128}";  find("K").is_macro
//
// swz does not run the code. So a name with two definitions of different values, one that changes in another way
// ("n *= 2", "dims[0] = 1", "swap(dims[0], dims[1])"), and one that is only defined under a condition or in a block that
// has ended are Errors. What other functions declare does not count if the end of the text is inside of a function.
//
//   "int n = 4096; n = 64;"   n has more than one value: '4096' in line 1 and '64' in line 1
//
// Invariant (fuzzed): an Error or a definition, whatever the text contains.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace swz {

// The text with blanks for comments, for what is in string literals, and for what "#if 0" leaves out.
std::string code_alone(std::string_view text);

// The place at which the bracket that opens at `open` closes; npos if it does not.
std::size_t closing_of(std::string_view text, std::size_t open);

// The pieces between commas that are in no bracket. A comma at the end is allowed.
std::vector<std::string_view> pieces_at_commas(std::string_view text);

struct SourceDefinition {
  std::string_view value;  // "{4096, 128}" or "4096 * 2"; empty if there is none
  bool is_macro = false;   // the value is text: "2048+2048", twice that is 2048+2048*2
};

class SourceDefinitions {
 public:
  explicit SourceDefinitions(std::string_view code);

  SourceDefinition find(std::string_view name) const;

 private:
  enum class Block { open, ended, other_function };
  struct Use {
    std::size_t begin = 0, end = 0;  // of the name
    std::size_t next = 0;            // what follows the name and its subscripts
    bool has_subscript = false;
  };

  void mark_blocks();
  Use use_at(std::size_t at, std::size_t length) const;
  bool is_of_other(std::size_t at) const;
  std::string_view head_of(std::size_t at) const;
  std::string_view function_around(std::size_t at) const;
  std::string_view value_of(const Use& use) const;
  bool is_changed(const Use& use, bool is_array) const;
  bool is_passed_to_change(const Use& use, bool is_array) const;
  bool holds_at_end(std::size_t at) const;

  std::string_view code_;
  std::vector<Block> blocks_;  // for each place
};

}  // namespace swz
