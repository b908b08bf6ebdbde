// SPDX-License-Identifier: Apache-2.0
#include "identify/dump_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "arch/target.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "identify/logical_tile.hpp"
#include "identify/npy.hpp"
#include "identify/number_format.hpp"

namespace swz {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_separator(char c) { return is_blank(c) || std::string_view(",;[]()").find(c) != std::string_view::npos; }
bool is_printable(char c) { return is_blank(c) || (c >= ' ' && c <= '~'); }

// The words of a text with their places, without the separators.
struct Word {
  std::string_view text;
  std::size_t at = 0;
  Span span() const { return {at, at + text.size()}; }
};

std::optional<Word> next_word(std::string_view text, std::size_t& at) {
  while (at < text.size() && is_separator(text[at])) ++at;
  if (at == text.size()) return std::nullopt;
  const std::size_t begin = at;
  while (at < text.size() && !is_separator(text[at]) && text[at] != '{' && text[at] != '}') ++at;
  if (at == begin) ++at;  // it is a brace
  return Word{text.substr(begin, at - begin), begin};
}

bool is_hex_number(std::string_view word) {
  return word.starts_with("0x") && word.size() > 2 && std::ranges::all_of(word.substr(2), is_hex);
}

class Reader {
 public:
  Reader(std::string_view text, const NumberType& numbers) : text_(text), numbers_(numbers) {}

  [[noreturn]] void fail(const std::string& message, const std::string& hint, Span place) const {
    // Only the line is shown, because a dump is long.
    const LineOfText line = line_at(text_, place.begin);
    throw Error(message, hint, {place.begin - line.begin, place.end - line.begin}).in_text(line.text.substr(0, 120));
  }

  void put(std::uint64_t value, int bits, std::int64_t times, const Word& word) {
    const std::int64_t most = limits::shared_dump.most * 8;
    if (times > most || bit_ + times * bits > most)
      fail(fmt::format("the text describes more than {} B", limits::shared_dump.most),
           std::string(limits::shared_dump.way_out), word.span());
    out_.bytes.resize(static_cast<std::size_t>((bit_ + times * bits + 7) / 8));
    for (; times > 0; --times, bit_ += bits) put_bits(out_.bytes, bit_, bits, value);
  }

  // Reads a number of `bits`; a negative one as its two's complement.
  std::uint64_t number(const Word& word, int bits) const {
    const bool is_negative = word.text.starts_with('-');
    const auto magnitude = find_unsigned(word.text.substr(is_negative ? 1 : 0));
    // find_unsigned refuses a leading 0, which occurs in dumps.
    if (!magnitude && !(word.text.find_first_not_of('0') == std::string_view::npos && !word.text.empty()))
      fail(fmt::format("{} is not a number", quoted(word.text)),
           "bytes or elements as decimal or 0x numbers, or values of --dtype as %f prints them", word.span());
    const std::uint64_t value = magnitude.value_or(0);
    const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    if (is_negative ? value > mask / 2 + 1 : value > mask)
      fail(fmt::format("{} does not fit in the {} bits of one element", word.text, bits),
           "another --dtype; or the width of what was printed: --number-bits", word.span());
    return is_negative ? (~value + 1) & mask : value;
  }

  // Reads a number whose text does not show its width.
  std::uint64_t plain_number(const Word& word) {
    out_.has_plain_numbers = true;
    if (numbers_.value_of == nullptr) return number(word, numbers_.bits);
    const auto value = find_decimal(word.text);
    const auto bits = value ? number_bits(*numbers_.value_of, *value) : std::nullopt;
    if (!bits)
      fail(fmt::format("{} is not a value of {}", quoted(word.text), numbers_.value_of->name),
           "decimal numbers, as %f and %g print them; or the bits as whole numbers", word.span());
    out_.meaning = NumberMeaning::values;
    return *bits;
  }

  // Reads lines of x/: an address, optionally <symbol>, a colon, and words of equal width.
  void read_examined() {
    std::optional<std::uint64_t> first, next;
    std::size_t line_begin = 0;
    while (line_begin < text_.size()) {
      const std::size_t line_end = std::min(text_.find('\n', line_begin), text_.size());
      const std::string_view line = text_.substr(line_begin, line_end - line_begin);
      std::size_t at = line_begin;
      line_begin = line_end + 1;
      if (trimmed(line).empty()) continue;
      const std::size_t colon = line.find(":");
      const auto address = find_unsigned(trimmed(line.substr(0, std::min(line.find_first_of(" <:\t"), line.size()))));
      if (colon == std::string_view::npos || !address)
        fail("a line of x/ begins with an address and a colon", "give only what x/64xb printed",
             {at, at + line.size()});
      if (next && *address != *next)
        fail(fmt::format("the line at {:#x} does not follow the one before, which ends at {:#x}", *address, *next),
             "a dump has no gaps", {at, at + line.size()});
      if (!first) first = address;
      at += colon + 1;
      std::uint64_t size = 0;
      while (const auto word = next_word(text_.substr(0, line_end), at)) {
        if (!is_hex_number(word->text) || word->text.size() % 2 != 0 || word->text.size() > 18)
          fail(fmt::format("{} is not a word in hexadecimal", quoted(word->text)), "x/64xb, x/32xh, x/32xw or x/16xg",
               word->span());
        const int bits = static_cast<int>(word->text.size() - 2) * 4;
        put(number(*word, bits), bits, 1, *word);
        size += static_cast<std::uint64_t>(bits / 8);
      }
      next = *address + size;
    }
    // A host address gives no information about shared memory.
    if (first && static_cast<std::int64_t>(*first) >= 0 &&
        static_cast<std::int64_t>(*first) < require_target("sm_107a").smem_window().count)
      out_.address = Bytes{static_cast<std::int64_t>(*first)};
  }

  // Reads print array: {1, 2 <repeats 7 times>}, with nested braces in order.
  void read_printed() {
    std::size_t at = text_.find('{');
    std::optional<std::pair<std::uint64_t, Word>> last;
    while (const auto word = next_word(text_, at)) {
      if (word->text == "{" || word->text == "}") continue;
      if (word->text.ends_with("..."))
        fail("gdb left elements out", "'set print elements 0' before print", word->span());
      if (word->text == "<repeats") {
        const auto count = next_word(text_, at);
        const auto times = count ? find_digits(count->text, 10) : std::nullopt;
        const auto end = next_word(text_, at);
        if (!last || !times || *times == 0 || !end || !end->text.starts_with("times>"))
          fail("cannot read how often it repeats", "'<repeats 7 times>' after a number", word->span());
        put(last->first, numbers_.bits, static_cast<std::int64_t>(std::min<std::uint64_t>(*times, 1U << 30)) - 1,
            *count);
        last.reset();
        continue;
      }
      last = {plain_number(*word), *word};
      put(last->first, numbers_.bits, 1, *word);
    }
  }

  void read_numbers() {
    // If 0x words have the same number of digits, some with leading zeros, they are as wide as they are written.
    std::size_t at = 0, width = 0;
    bool has_one_width = true, has_leading_zero = false;
    while (const auto word = next_word(text_, at)) {
      if (width == 0) width = word->text.size();
      has_one_width = has_one_width && is_hex_number(word->text) && word->text.size() == width;
      has_leading_zero = has_leading_zero || (word->text.starts_with("0x0") && word->text.size() > 3);
    }
    const bool is_written_out = has_one_width && has_leading_zero && width % 2 == 0 && width <= 18;
    const int bits = is_written_out ? static_cast<int>(width - 2) * 4 : numbers_.bits;
    at = 0;
    while (const auto word = next_word(text_, at))
      put(is_written_out ? number(*word, bits) : plain_number(*word), bits, 1, *word);
  }

  void read_hex() {
    std::size_t at = 0;
    while (const auto word = next_word(text_, at)) {
      if (!std::ranges::all_of(word->text, is_hex) || word->text.size() % 2 != 0)
        fail(fmt::format("{} is not bytes in hexadecimal", quoted(word->text)), "two digits per byte: 00 01 02ff",
             word->span());
      for (std::size_t i = 0; i < word->text.size(); i += 2)
        put(*find_digits(word->text.substr(i, 2), 16), 8, 1, *word);
    }
  }

  DumpText take(DumpForm form) {
    out_.form = form;
    return std::move(out_);
  }

 private:
  std::string_view text_;
  NumberType numbers_;
  DumpText out_;
  std::int64_t bit_ = 0;
};

// The form of digits without 0x. None if they could be decimal or hexadecimal.
std::optional<DumpForm> form_of_digits(std::string_view text) {
  bool is_hex_surely = false, is_decimal_surely = false;
  std::size_t at = 0;
  while (const auto word = next_word(text, at)) {
    const std::string_view w = word->text;
    if (w.size() % 2 != 0 || !std::ranges::all_of(w, is_hex)) is_decimal_surely = true;
    else if (std::ranges::any_of(w, is_letter) || (w.size() > 1 && w.front() == '0') || w.size() > 20)
      is_hex_surely = true;
    if (is_hex_surely || is_decimal_surely) break;
  }
  if (is_hex_surely) return DumpForm::hex;
  return is_decimal_surely ? std::optional(DumpForm::numbers) : std::nullopt;
}

}  // namespace

std::string_view to_string(DumpForm form) {
  constexpr std::array names{"bytes", "npy", "gdb", "hex", "numbers"};
  return names[static_cast<std::size_t>(form)];
}

std::optional<double> find_decimal(std::string_view word) {
  const std::string_view digits = word.substr(!word.empty() && (word[0] == '-' || word[0] == '+') ? 1 : 0);
  const bool is_named = digits == "inf" || digits == "nan";
  const bool has_digits = std::ranges::all_of(
      digits, [](char c) { return is_digit(c) || std::string_view(".eE+-").find(c) != std::string_view::npos; });
  if (digits.empty() || !(is_named || (has_digits && (is_digit(digits[0]) || digits[0] == '.')))) return std::nullopt;
  const std::string text(word);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() + text.size() ? std::optional(value) : std::nullopt;
}

bool refuses_a_fraction(const Error& error) {
  if (error.span.empty() || error.span.end > error.text.size()) return false;
  const std::string_view word =
      std::string_view(error.text).substr(error.span.begin, error.span.end - error.span.begin);
  return find_decimal(word) && word.find_first_not_of("-0123456789") != std::string_view::npos;
}

DumpText read_dump(std::span<const std::byte> input, const NumberType& numbers, std::optional<DumpForm> form) {
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  const bool is_stated = form.has_value();
  if (!form && !std::ranges::all_of(text, is_printable)) form = DumpForm::bytes;
  if (form == DumpForm::npy || (form == DumpForm::bytes && !is_stated && is_npy(input))) {
    const NpyArray array = read_npy(input);
    if (array.is_big_endian && array.item_bytes > 1)
      throw Error(fmt::format("the dump holds {}, big-endian elements", array.descr),
                  "save the bytes: array.view('u1')");
    return {DumpForm::npy, NumberMeaning::bits, false, {array.data.begin(), array.data.end()}, {}};
  }
  if (form == DumpForm::bytes) return {DumpForm::bytes, NumberMeaning::bits, false, {input.begin(), input.end()}, {}};
  if (trimmed(text).empty()) throw Error("the dump is empty", "write the bytes of the tile, or of all shared memory");
  const std::string_view line = text.substr(0, text.find('\n'));
  const bool is_print = text.find('{') != std::string_view::npos;
  const bool is_gdb = is_print || (trimmed(line).starts_with("0x") && line.find(':') != std::string_view::npos);
  if (!form) form = is_gdb ? DumpForm::gdb : form_of_digits(text);
  if (!form)
    throw Error("these digits can be decimal numbers or hexadecimal bytes", "choose with --as numbers or --as hex");
  Reader reader(text, numbers);
  if (*form == DumpForm::gdb && is_print) reader.read_printed();
  else if (*form == DumpForm::gdb) reader.read_examined();
  else if (*form == DumpForm::hex) reader.read_hex();
  else reader.read_numbers();
  return reader.take(*form);
}

std::vector<DumpText> read_dump_meanings(std::span<const std::byte> input, int number_bits, const DType& type,
                                         std::optional<DumpForm> form) {
  std::vector<DumpText> all;
  std::optional<Error> refused;
  try {
    all.push_back(read_dump(input, number_bits, form));
    // Values of integers are their bits.
    if (!all[0].has_plain_numbers || find_float_format(type.name) == nullptr) return all;
  } catch (const Error& error) {
    refused = error;
  }
  try {
    DumpText values = read_dump(input, {number_bits, &type}, form);
    if (values.has_plain_numbers) all.push_back(std::move(values));
  } catch (const Error& error) {
    if (refused && refuses_a_fraction(*refused)) refused = error;
  }
  if (all.empty()) throw *refused;
  return all;
}

}  // namespace swz
