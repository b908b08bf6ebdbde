// SPDX-License-Identifier: Apache-2.0
#include "descriptor/word_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "descriptor/computed_word.hpp"
#include "descriptor/instruction_descriptor.hpp"
#include "descriptor/named_words.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "descriptor/text_numbers.hpp"

namespace swz {

namespace {

bool is_narrow(std::uint64_t value) { return value >> 32 == 0; }

std::uint64_t parse_word(std::string_view text, int bits) {
  constexpr const char* forms = "write a number, for example 0x4000004000010042, 0b1010 or 4611686293305360450";
  const std::string_view word = trimmed(text);
  if (word.empty()) throw Error("a descriptor word is empty", forms);
  if (word.front() == '-' || word.front() == '+')
    throw Error(fmt::format("{} has a sign, but a descriptor word is a pattern of bits", quoted(word)), forms);
  const char* too_wide =
      bits == 64 ? "a shared-memory descriptor has 64 bits, at most 16 hexadecimal digits"
                 : "an instruction descriptor has 32 bits; CUTLASS's idescE holds it in the upper half of 64 bits";
  const std::uint64_t value = parse_unsigned(word, bits, {forms, too_wide});
  if (const std::ptrdiff_t digits = too_many_digits(word))
    throw Error(fmt::format("{} has {} digits, more than a word of 64 bits", quoted(word), digits), too_wide);
  return value;
}

bool is_taken_by(std::uint64_t word, const Target& target) {
  const SmemDescriptor d(word, target);
  const Bytes window = target.smem_window();
  if (d.reserved_set() != 0 || d.swizzle() == nullptr || (d.has(FieldId::version) && d.raw(FieldId::version) != 1))
    return false;
  if (d.start_address() >= window || d.stride_byte_offset() >= window || d.leading_byte_offset() >= window)
    return false;
  if (d.start_address().count + d.stride_byte_offset().count + d.leading_byte_offset().count == 0) return false;
  return d.swizzle()->bits > 0 || !has_lints(lint(d));
}

bool is_smem_word(std::uint64_t word, const Target* target) {
  if (is_narrow(word)) return false;
  if (target) return is_taken_by(word, *target);
  return is_taken_by(word, default_target()) || is_taken_by(word, require_target("sm_103a"));
}

bool has_no_lints(std::uint64_t word, const Target* target) {
  return is_smem_word(word, target) &&
         std::ranges::any_of(decode_smem(word, target).readings,
                             [](const SmemReading& reading) { return !has_lints(reading.findings); });
}

bool is_wide_hex(std::string_view text, std::size_t digits) {
  return text.starts_with("0x") && text.size() == digits + 2;
}

// Also for a signed number of 32 bits.
std::optional<std::uint64_t> half_of(const WordText& word) {
  return part_of_word({.value = word.word, .spelling = word.spelling}, 32);
}

// The word of two halves without names. Small numbers are usually coordinates and counts, and 32-bit numbers may be
// data.
std::optional<std::uint64_t> join(const WordText& first, const WordText& second, const Target* target = nullptr) {
  const auto one = half_of(first), other = half_of(second);
  if (first.is_whole || second.is_whole || !one || !other) return std::nullopt;
  if (is_wide_hex(first.text, 16) || is_wide_hex(second.text, 16)) return std::nullopt;
  const std::uint64_t upwards = *one | *other << 32, downwards = *other | *one << 32;
  const bool are_whole = is_wide_hex(first.text, 8) && is_wide_hex(second.text, 8);
  for (const std::uint64_t word : {upwards, downwards}) {
    const bool is_swizzled = word >> 61 != 0,
               has_stride = wgmma_smem_format.read(word, FieldId::stride_byte_offset) > 0;
    if (are_whole && is_swizzled && has_stride && is_smem_word(word, target)) return word;
    if ((are_whole || is_swizzled) && has_no_lints(word, target)) return word;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> join(const TextNumber& first, const TextNumber& second, const Target* target) {
  if (!first.address.empty() || !second.address.empty() || !second.name.empty()) return std::nullopt;
  return join(word_of(first), word_of(second), target);
}

// "R4" and "R5": one 64-bit register.
bool is_register_pair(std::string_view first, std::string_view second) {
  const int low = register_number(first);
  return low >= 0 && low % 2 == 0 && register_number(second) == low + 1 && first.front() == second.front();
}

// Collects the words of a log line by line; the lines of one bracket together.
struct Collector {
  WordFormat format;
  std::string_view text = {};  // the whole log
  WordLog log = {};
  NumberScanner scanner = {};
  std::vector<TextNumber> numbers = {};         // since the last bracket closed
  std::optional<TextNumber> first_before = {};  // the first number of the line before
  bool waits_for_half = false;                  // the last of the numbers is half a word
  std::unordered_map<std::uint64_t, std::size_t> places = {};
  std::unordered_set<std::uint64_t> addresses = {};

  void take(std::string_view line) {
    constexpr std::size_t longest = 256;  // numbers of one bracket
    scanner.take(line, ++log.lines, [&](const TextNumber& n) { numbers.push_back(n); });
    if (scanner.is_inside_bracket() && numbers.size() < longest) return;
    scanner.close_brackets();
    if (waits_for_half && ends_in_half()) end_before(log.lines);
    waits_for_half = ends_in_half();
    if (!waits_for_half) end();
  }

  // Ends with the numbers of the lines above, which do not have the other half.
  void end_before(std::size_t line) {
    const auto first = std::ranges::find_if(numbers, [&](const TextNumber& n) { return n.line >= line; });
    std::vector<TextNumber> later(first, numbers.end());
    numbers.erase(first, numbers.end());
    end();
    numbers = std::move(later);
  }

  // "lo = 0x10042" at the end of a line: the next line may have the other half.
  bool ends_in_half() const {
    const auto last = std::find_if(numbers.rbegin(), numbers.rend(), [](const TextNumber& n) { return !n.repeats; });
    if (last == numbers.rend() || !last->is_bound || register_number(last->name) >= 0 || !names_part(last->name))
      return false;
    const bool is_low = names_low_half(last->name);
    return std::ranges::none_of(numbers, [&](const TextNumber& n) {
      return n.is_bound && (is_low ? names_high_half(n.name) : names_low_half(n.name));
    });
  }

  void end() {
    const NamedWords named = find_named_words(numbers);
    std::vector<TextNumber> others;
    std::vector<bool> is_behind;  // whether the number before this one is also of no word
    bool is_apart = true;
    auto next = named.words.begin();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (; next != named.words.end() && next->first == i; ++next) take(*next);
      if (named.is_used[i]) is_apart = true;
      if (named.is_used[i] || numbers[i].repeats || !numbers[i].symbol.empty()) continue;
      others.push_back(numbers[i]);
      is_behind.push_back(!std::exchange(is_apart, false));
    }
    take_unnamed(others, is_behind);
    numbers.clear();
  }

  void take(const NamedWord& named) {
    // A named instruction descriptor counts next to the words of operands, unless only those are wanted.
    const bool is_idesc = named.is_idesc && named.word != 0 && !format.is_smem &&
                          (named.spelling == Spelling::fields || format.is_idesc || has_idesc(format.target));
    const bool is_sure = named.spelling == Spelling::fields && named.is_idesc == format.is_idesc;
    if (named.problem || !(is_sure || is_idesc || counts(named.word))) return;
    const TextNumber& number = numbers[named.first];
    const bool is_one = named.text == number.text;
    if (const auto computed = is_one ? computation_with(text, number) : std::string_view(); !computed.empty())
      return leave_out(number, fmt::format("an operand of {}", quoted(computed)), false);
    append(word_of(named, number));
  }

  static bool has_idesc(const Target* target) {
    return target == nullptr || target->descriptor == SmemDescriptorKind::tcgen05;
  }

  void take_unnamed(const std::vector<TextNumber>& others, const std::vector<bool>& is_behind) {
    std::optional<TextNumber> before;  // in this line, not yet taken
    const std::optional<TextNumber> register_before = std::exchange(first_before, std::nullopt);
    for (std::size_t i = 0; i < others.size(); ++i) {
      const TextNumber& n = others[i];
      if (n.is_first) {
        const bool is_pair = register_before && is_register_pair(register_before->name, n.name);
        TextNumber high = n;
        high.name = {};
        if (is_pair && take_halves(*register_before, high)) continue;
        first_before = n;
      }
      if (before && before->line == n.line && is_behind[i] && take_halves(*before, n)) {
        before.reset();
        continue;
      }
      if (before) take(*before);
      before = n;
    }
    if (before) take(*before);
  }

  bool counts(std::uint64_t word) const {
    if (places.contains(word)) return true;
    return format.is_idesc ? is_idesc_word(word, format) : is_smem_word(word, format.target);
  }

  bool take_halves(const TextNumber& first, const TextNumber& second) {
    if (format.is_idesc) return false;
    const auto word = join(first, second, format.target);
    if (!word || !counts(*word)) return false;
    WordText joined = word_of(first);
    joined.word = *word;
    joined.spelling = Spelling::halves;
    joined.text += fmt::format(" {}", second.text);
    append(std::move(joined));
    return true;
  }

  void take(const TextNumber& number) {
    if (!number.address.empty()) {
      leave_out(number, std::string(number.address), true);
    } else if (counts(number.value)) {
      const std::string_view computed = computation_with(text, number);
      if (computed.empty()) append(word_of(number));
      else leave_out(number, fmt::format("an operand of {}", quoted(computed)), false);
    } else if (!is_narrow(number.value)) {
      ++log.others;
    }
  }

  void leave_out(const TextNumber& number, std::string why, bool is_address) {
    if (std::ssize(log.addresses) < limits::words.most && addresses.insert(number.value).second)
      log.addresses.push_back({number.line, std::string(number.text), std::move(why), is_address});
  }

  void append(WordText word) {
    const auto [entry, is_new] = places.try_emplace(word.word, log.words.size());
    if (!is_new) {
      ++log.words[entry->second].count;
      return;
    }
    require_within(limits::words, std::ssize(log.words) + 1);
    log.words.push_back(std::move(word));
  }
};

// The word of a text that is one number and nothing else.
std::optional<WordText> single_word(std::string_view text, std::size_t line) {
  text = trimmed(text);
  for (TextNumber n : numbers_of(text))
    if (n.text == text) {
      n.line = line;
      return word_of(n);
    }
  return std::nullopt;
}

}  // namespace

WordText word_of(const TextNumber& n) {
  WordText word{n.value, n.spelling, std::string(n.text), n.line};
  word.operand = operand_named_by(n);
  return word;
}

WordText word_of(const NamedWord& named, const TextNumber& first) {
  WordText word{named.word, named.spelling, named.text, first.line, 1, named.format, named.is_idesc, true, named.how};
  word.operand = operand_named_by(first);
  return word;
}

std::uint64_t parse_word64(std::string_view text) { return parse_word(text, 64); }
std::uint32_t parse_word32(std::string_view text) { return static_cast<std::uint32_t>(parse_word(text, 32)); }

bool is_idesc_word(std::uint64_t word, const WordFormat& format) {
  if (!is_narrow(word)) return false;
  const Target& target = format.target ? *format.target : require_target("sm_103a");
  return std::ranges::any_of(mma_kinds(), [&](const MmaKindRow& row) {
    if (format.kind && format.kind != &row) return false;
    const InstructionDescriptor d(static_cast<std::uint32_t>(word), row.kind, target);
    return d.reserved_set() == 0 && d.m() > 0 && d.n() > 0 && count(lint(d), Severity::format) == 0;
  });
}

std::string read_as(const WordText& word) {
  const auto how = [&]() -> std::string {
    if (!word.how.empty()) return word.how;
    switch (word.spelling) {
      case Spelling::number:
      case Spelling::fields: return "";
      case Spelling::negative: return "a negative number is read as the 64 bits of a signed integer";
      case Spelling::halves: return fmt::format("{} are read as the two 32-bit halves of one word", word.text);
      case Spelling::bare_hex: break;
    }
    if (word.text.size() == 8) return "8 digits without 0x are read as hexadecimal";
    const auto decimal = find_unsigned(word.text);
    return "16 digits without 0x are read as hexadecimal" +
           (decimal ? fmt::format("; as a decimal number they would be {}", hex64(*decimal)) : std::string());
  };
  const std::string said = how();
  if (word.unused.empty()) return said;
  return fmt::format("{}not used: {}", said.empty() ? fmt::format("{} is the word; ", word.text) : said + "; ",
                     word.unused);
}

std::vector<WordText> join_halves(std::vector<WordText> words) {
  std::vector<WordText> joined;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = i + 1 < words.size() ? join(words[i], words[i + 1]) : std::nullopt;
    if (!word) {
      joined.push_back(std::move(words[i]));
      continue;
    }
    joined.push_back({*word, Spelling::halves, words[i].text + " " + words[i + 1].text, words[i].line});
    joined.back().unused = words[i].unused;
    ++i;
  }
  return joined;
}

std::optional<std::vector<WordText>> word_list(std::string_view text) {
  std::vector<WordText> words;
  std::size_t line = 0;
  while (!text.empty()) {
    const std::string_view whole = take_line(text);
    ++line;
    const std::string_view bare = std::string_view(whole).substr(0, whole.find('#'));
    if (trimmed(bare).empty()) continue;
    const auto word = single_word(bare, line);
    if (!word) return std::nullopt;
    words.push_back(*word);
  }
  if (words.empty()) return std::nullopt;
  return words;
}

WordLog find_words(std::string_view text, const WordFormat& format) {
  Collector collector{format, text};
  while (!text.empty()) collector.take(take_line(text));
  collector.end();
  return std::move(collector.log);
}

}  // namespace swz
