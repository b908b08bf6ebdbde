// Values: the text of an option, read once into the type that the command computes with.
//
//   TileExtents tile;      read_value("[128, 64]", tile)             {128, 64}
//   const DType* dtype;    read_value("torch.bfloat16", dtype)       the row bf16
//   const SwizzleMode* m;  read_value("Swizzle<3,4,3>", m)           the row 128B
//
// A text that cannot be read throws Error of kind usage or input, with a hint that shows a text that can; who reads
// an option puts its name before the message. A type of one command has its read_value beside it, found by the
// type's namespace.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/mma_form.hpp"
#include "arch/mma_kind.hpp"
#include "arch/swizzle_mode.hpp"
#include "arch/target.hpp"
#include "base/error.hpp"
#include "descriptor/word_text.hpp"
#include "smem/mma_operand.hpp"
#include "smem/tile.hpp"

namespace swz {

using Words = std::vector<std::string>;

// A word of shared memory's address space, at most 32 bits: what __cvta_generic_to_shared returns.
struct SmemAddress {
  Bytes bytes;
};

// What one MMA reads: a whole instruction, "m64n256k16", or the rows and K of the operand itself, "64x16".
struct MmaShapeText {
  std::string text;
  std::optional<MmaExtents> instruction;
  TileExtents operand;  // when not a whole instruction
};
// A whole instruction must be one that reads such operands. Throws Error with the nearest.
MmaOperand operand_of(const MmaShapeText& shape, OperandRole role, const OperandChoice& choice);

// Words of one argument or several, as people paste them (descriptor/word_text.hpp).
struct WordList {
  std::vector<WordText> words;
};

inline void read_value(const std::string& text, std::string& to) { to = text; }
void read_value(const std::string& text, const Target*& to);
void read_value(const std::string& text, const DType*& to);
void read_value(const std::string& text, const SwizzleMode*& to);
void read_value(const std::string& text, Major& to);  // k, mn, m, n, in any case; also K-major and MN-major
void read_value(const std::string& text, SmemAddress& to);
void read_value(const std::string& text, WordText& to);  // one word
void read_value(const std::string& text, WordList& to);  // appends
void read_value(const std::string& text, std::uint64_t& to);
void read_value(const std::string& text, TileExtents& to);  // "128x64", "(128,64)", "[128, 64]" or "128,64"
void read_value(const std::string& text, MmaExtents& to);   // "m64n256k16", "64x256x16", "(64,256,16)"
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

// Which of the words the text is, in any case. Throws Error with the nearest.
std::size_t index_of_word(const std::string& text, const Words& words, std::string_view option);

// Throws Error naming both bounds.
std::int64_t read_number(const std::string& text, std::int64_t lowest, std::int64_t highest);

// The pieces between any of `separators`, without blanks around them; empty ones are left out.
Words pieces_of(const std::string& text, const char* separators);

}  // namespace swz
