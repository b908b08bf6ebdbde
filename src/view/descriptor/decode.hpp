// SPDX-License-Identifier: Apache-2.0
// View of decoded words: what `swz decode` answers.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "descriptor/instruction_descriptor.hpp"
#include "descriptor/k_loop.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "descriptor/word_text.hpp"
#include "view/document/document.hpp"

namespace swz {

struct DecodedWord {
  std::variant<SmemDecoding, InstructionDecoding> decoding;
  std::vector<Finding> remarks;             // on how the word was given
  std::string read_as = {};                 // shown before the fields; empty if the word was read as given
  std::optional<OperandRole> operand = {};  // as its name indicates
};

struct DecodedWords {
  std::vector<DecodedWord> words;
  std::optional<WordLog> log;  // where they were found
  bool is_one_word = false;    // the words are one, on two targets
};

// JSON of a word with one reading: read_as (if the text has two readings), word, kind, arch, fields [{name, bits, raw,
// value, unit, meaning}], notes, lints; SMEM descriptors also have majors [{major, leading_byte_offset, leading,
// stride_byte_offset, stride}] (what each stride is and steps over; null: not used); instruction descriptors also have
// kind_qualifier and summary.
//
// JSON of a word with several readings: word, why, readings (an array of the above).
//
// JSON of several words, or of a log: differences [{from, to, field, a, b, matters, why}] of each word against the
// first, loops (those that may be k loops), words (an array of the above), and log (docs/json.md).
Document view_decoded(const DecodedWords& decoded);

// A word of which only the bits of `known` are known, the others being 0: its fields; a field with an unknown bit shows
// "?". Such a word has no lints of its own; findings: what is known to be wrong with it. title: of the word in a picture.
Document view_partly_known(const SmemDescriptor& word, std::uint64_t known, const std::string& title,
                           const std::vector<Finding>& findings = {});

// Whether a word has lints in every reading, or words are a k loop with a mistake.
bool has_lints(const DecodedWords& decoded);

}  // namespace swz
