// View of decoded words: what `swz decode` says.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "descriptor/instruction_descriptor.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "view/document.hpp"

namespace swz {

struct DecodedWord {
  std::variant<SmemDecoding, InstructionDecoding> decoding;
  std::vector<Note> remarks;  // on how the word was given
};

// One word with one reading, JSON: word, kind, arch, kind_qualifier (instruction descriptors), fields [{name, bits,
// raw, value, unit, meaning}], majors (SMEM descriptors) or summary, notes, lints.
// One word with several readings, JSON: word, why, readings (an array of the above).
// Several words, JSON: words (an array of the above), differences [{from, to, field, a, b, matters, why}] of each
// word against the first.
Document view_decoded(const std::vector<DecodedWord>& words);

// Whether a word has lints in every reading.
bool has_lints(const std::vector<DecodedWord>& words);

}  // namespace swz
