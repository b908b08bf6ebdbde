#include "descriptor/word.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

constexpr const char* forms = "write a number, for example 0x4000004000010042, 0b1010 or 4611686293305360450";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::uint64_t parse(std::string_view text, int bits) {
  const std::string_view word = trimmed(text);
  if (word.empty()) throw Error("a descriptor word is empty", forms);
  if (word.front() == '-' || word.front() == '+')
    throw Error(fmt::format("{} has a sign, but a descriptor word is a pattern of bits", quoted(word)), forms);
  const char* too_wide =
      bits == 64 ? "a shared-memory descriptor has 64 bits, at most 16 hexadecimal digits"
                 : "an instruction descriptor has 32 bits; CUTLASS's idescE holds it in the upper half of 64 bits";
  return parse_unsigned(word, bits, {forms, too_wide});
}

}  // namespace

std::uint64_t parse_word64(std::string_view text) { return parse(text, 64); }

std::uint32_t parse_word32(std::string_view text) { return static_cast<std::uint32_t>(parse(text, 32)); }

}  // namespace swz
