// Sparse MMAs: which k of B each stored element of the compressed operand A multiplies.
//
//   metadata          16- and 8-bit types, two of four k stored     tf32, one of two
//   0x44444444        k % 4 in {0, 1}                               even k
//   0xeeeeeeee        k % 4 in {2, 3}                               odd k
//
//   f16, 0xeeeeeeee: stored element 5, of the third group of four, is k 4 * 2 + 2 + 1 = 11.
//
// With the two words every k of B is met once, whatever thread the metadata is taken from.
// Source: PTX ISA 9.1, 9.7.15.6.1; measured on H200.
#pragma once

#include <array>
#include <cstdint>

namespace swz {

inline constexpr std::array<std::uint32_t, 2> metadata_words{0x44444444, 0xeeeeeeee};

// Where a k is stored: under which of the two words, and as which element of its row.
struct StoredAt {
  int word = 0;
  std::int64_t element = 0;
};

constexpr int stored_in_a_row(int element_bits) { return element_bits == 32 ? 1 : 2; }

constexpr std::int64_t kept_k(int element_bits, StoredAt at) {
  const int run = stored_in_a_row(element_bits);
  return at.element / run * 2 * run + at.word * run + at.element % run;
}

constexpr StoredAt stored_at(int element_bits, std::int64_t k) {
  const int run = stored_in_a_row(element_bits);
  return {static_cast<int>(k / run % 2), k / (2 * run) * run + k % run};
}

}  // namespace swz
