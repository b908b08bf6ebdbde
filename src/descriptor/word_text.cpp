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
#include "descriptor/instruction_descriptor.hpp"
#include "descriptor/smem_descriptor.hpp"

namespace swz {

namespace {

constexpr std::string_view blanks = " \t\r\n";

bool is_narrow(std::uint64_t value) { return value >> 32 == 0; }

std::string_view trim_right(std::string_view text) { return text.substr(0, text.find_last_not_of(blanks) + 1); }

// The number of digits after 0x or 0b, leading zeros included, where it exceeds that of 64 bits; otherwise 0.
std::ptrdiff_t too_many_digits(std::string_view run) {
  const bool is_hexadecimal = run.starts_with("0x") || run.starts_with("0X");
  if (!is_hexadecimal && !run.starts_with("0b") && !run.starts_with("0B")) return 0;
  const std::ptrdiff_t digits = std::ranges::count_if(run.substr(2), is_hex);
  return digits > (is_hexadecimal ? 16 : 64) ? digits : 0;
}

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

// A number of a line, and the text around it.
struct Number : WordText {
  std::string_view name = {};     // "hi" of "hi = 5"; empty when another number stands between
  std::string_view address = {};  // why it is one; empty: it is none
};

// A run of letters and digits as a number, without its sign.
std::optional<std::uint64_t> value_of(std::string_view run, Spelling& spelling) {
  constexpr std::size_t longest_decimal = 20, bare_hex_digits = 16;
  spelling = Spelling::number;
  if (run.size() == bare_hex_digits && std::ranges::all_of(run, is_hex) && !run.starts_with("0b")) {
    spelling = Spelling::bare_hex;
    return find_digits(run, 16);
  }
  const bool is_padded = run.size() == 32 || run.size() == 64;
  if (run.size() > longest_decimal && (is_padded || run.front() != '0'))
    if (const auto binary = find_digits(run, 2)) return binary;
  return too_many_digits(run) ? std::nullopt : find_unsigned(run);
}

// Where the run of letters, digits and separators that begins at `at` ends.
std::size_t end_of_run(std::string_view line, std::size_t at) {
  std::size_t end = at;
  const auto is_separator = [&] { return line[end] == '\'' && end > at && is_digit(line[at]); };
  while (end < line.size() &&
         (is_word(line[end]) || (is_separator() && end + 1 < line.size() && is_hex(line[end + 1]))))
    ++end;
  return end;
}

// Why the number between `before` and `after` is an address; empty: it is none.
std::string_view reason_of_address(const Number& number, std::string_view before, std::string_view after,
                                   bool is_first) {
  constexpr int widest_address = 57;
  if (number.word >> widest_address != 0) return "";
  const std::string_view left = trim_right(before);
  const std::string_view right = trimmed(after);
  if (left.ends_with("*)")) return "a pointer";
  if (left.ends_with('@')) return "it follows an @";
  if (right.starts_with('<') && !right.starts_with("<repeats")) return "a symbol follows";
  if (is_first && number.text.starts_with("0x") && right.starts_with(':')) return "a colon follows it";
  if (right.starts_with("in ") && left.starts_with('#')) return "of a stack frame";
  return "";
}

// Calls visit(number, is_first) for every number of a line.
template <class Visit>
void for_each_number(std::string_view line, std::size_t line_number, Visit&& visit) {
  bool is_first = true;
  std::string_view name;
  for (std::size_t at = 0, end = 0; at < line.size(); at = end) {
    end = at + 1;
    if (!is_word(line[at])) continue;
    end = end_of_run(line, at);
    const std::string_view run = line.substr(at, end - at);
    const char before = at > 0 ? line[at - 1] : ' ';
    // $3 counts what gdb printed, %r1 is a register, #0 a frame; 1.5 is not an integer.
    const bool is_label = std::string_view("$%#.").find(before) != std::string_view::npos ||
                          (end + 1 < line.size() && line[end] == '.' && is_digit(line[end + 1]));
    if (is_label) continue;
    Number number;
    const auto value = value_of(run, number.spelling);
    if (!value) {
      name = run;
      continue;
    }
    const bool is_decimal = number.spelling == Spelling::number && std::ranges::all_of(run, is_digit);
    const bool is_negative = is_decimal && before == '-' && (at < 2 || !is_word(line[at - 2]));
    const std::size_t begin = at - (is_negative ? 1 : 0);
    constexpr std::uint64_t lowest = std::uint64_t{1} << 63;
    number.word = is_negative ? 0 - *value : *value;
    if (is_negative) number.spelling = Spelling::negative;
    number.text = line.substr(begin, end - begin);
    number.line = line_number;
    number.name = std::exchange(name, {});
    number.address = reason_of_address(number, line.substr(0, begin), line.substr(end), is_first);
    if (!is_negative || *value <= lowest) visit(number, is_first);
    is_first = false;
  }
}

WordText plain_word(std::string_view text) { return {parse_word64(text), Spelling::number, std::string(text)}; }

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

bool is_idesc_word(std::uint64_t word, const WordFormat& format) {
  if (!is_narrow(word)) return false;
  const Target& target = format.target ? *format.target : require_target("sm_103a");
  return std::ranges::any_of(mma_kinds(), [&](const MmaKindRow& row) {
    if (format.kind && format.kind != &row) return false;
    const InstructionDescriptor d(static_cast<std::uint32_t>(word), row.kind, target);
    return d.reserved_set() == 0 && d.m() > 0 && d.n() > 0 && count(lint(d), Severity::format) == 0;
  });
}

bool has_no_lints(std::uint64_t word, const Target* target) {
  return is_smem_word(word, target) &&
         std::ranges::any_of(decode_smem(word, target).readings,
                             [](const SmemReading& reading) { return !has_lints(reading.findings); });
}

// The word of two halves. Names decide which one is low; otherwise what the word says.
std::optional<std::uint64_t> join(const Number& first, const Number& second, const Target* target = nullptr) {
  if (!is_narrow(first.word) || !is_narrow(second.word)) return std::nullopt;
  if (!first.address.empty() || !second.address.empty()) return std::nullopt;
  const auto is_named = [](const Number& n, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, n.name) != names.end();
  };
  const auto is_low = [&](const Number& n) { return is_named(n, {"lo", "low", "LO", "x"}); };
  const auto is_high = [&](const Number& n) { return is_named(n, {"hi", "high", "HI", "y"}); };
  const std::uint64_t upwards = first.word | second.word << 32, downwards = second.word | first.word << 32;
  if (is_low(first) && is_high(second)) return upwards;
  if (is_high(first) && is_low(second)) return downwards;
  if (!second.name.empty()) return std::nullopt;
  // Without names small numbers are coordinates and counts, and 32-bit numbers may be data.
  const auto is_whole = [](const Number& n) { return n.text.starts_with("0x") && n.text.size() == 10; };
  const bool are_whole = is_whole(first) && is_whole(second);
  for (const std::uint64_t word : {upwards, downwards}) {
    const bool is_swizzled = word >> 61 != 0,
               has_stride = wgmma_smem_format.read(word, FieldId::stride_byte_offset) > 0;
    if (are_whole && is_swizzled && has_stride && is_smem_word(word, target)) return word;
    if ((are_whole || is_swizzled) && has_no_lints(word, target)) return word;
  }
  return std::nullopt;
}

// "R4" and "R5": one 64-bit register.
bool is_register_pair(std::string_view first, std::string_view second) {
  const auto number = [](std::string_view name) -> std::optional<std::uint64_t> {
    return name.starts_with('R') ? find_digits(name.substr(1), 10) : std::nullopt;
  };
  const auto low = number(first), high = number(second);
  return low && high && *low % 2 == 0 && *high == *low + 1;
}

// Takes the first line away, with its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// What a log gives, collected line by line.
struct Collector {
  WordFormat format;
  WordLog log = {};
  std::optional<Number> first_before = {};  // the first number of the line before
  std::unordered_map<std::uint64_t, std::size_t> places = {};
  std::unordered_set<std::uint64_t> addresses = {};

  void take(std::string_view line) {
    ++log.lines;
    std::optional<Number> before;  // of this line, and not yet taken
    const std::optional<Number> register_before = std::exchange(first_before, std::nullopt);
    for_each_number(line, log.lines, [&](const Number& number, bool is_first) {
      if (is_first) {
        if (register_before && is_register_pair(register_before->name, number.name)) {
          Number high = number;
          high.name = {};
          if (take_halves(*register_before, high)) return;
        }
        first_before = number;
      }
      if (before && take_halves(*before, number)) return before.reset();
      if (before) take(*before);
      before = number;
    });
    if (before) take(*before);
  }

  bool counts(std::uint64_t word) const {
    if (places.contains(word)) return true;
    return format.is_idesc ? is_idesc_word(word, format) : is_smem_word(word, format.target);
  }

  bool take_halves(const Number& first, const Number& second) {
    if (format.is_idesc) return false;
    const auto word = join(first, second, format.target);
    if (!word || !counts(*word)) return false;
    append({*word, Spelling::halves, fmt::format("{} {}", first.text, second.text), log.lines});
    return true;
  }

  void take(const Number& number) {
    if (!number.address.empty()) {
      if (std::ssize(log.addresses) < limits::words.most && addresses.insert(number.word).second)
        log.addresses.push_back({number.line, number.text, std::string(number.address)});
    } else if (counts(number.word)) {
      append(number);
    } else if (!is_narrow(number.word)) {
      ++log.others;
    }
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

// One number and nothing else.
std::optional<WordText> single_word(std::string_view text, std::size_t line) {
  text = trimmed(text);
  std::optional<WordText> word;
  for_each_number(text, line, [&](const Number& number, bool) {
    if (number.text == text) word = number;
  });
  return word;
}

}  // namespace

std::uint64_t parse_word64(std::string_view text) { return parse_word(text, 64); }
std::uint32_t parse_word32(std::string_view text) { return static_cast<std::uint32_t>(parse_word(text, 32)); }

std::string read_as(const WordText& word) {
  switch (word.spelling) {
    case Spelling::number: return "";
    case Spelling::negative: return "a negative number is read as the 64 bits of a signed integer";
    case Spelling::halves: return fmt::format("{} are read as the two 32-bit halves of one word", word.text);
    case Spelling::bare_hex: break;
  }
  const auto decimal = find_unsigned(word.text);
  return "16 digits without 0x are read as hexadecimal" +
         (decimal ? fmt::format("; as a decimal number they would be {}", hex64(*decimal)) : std::string());
}

namespace {

// mov.b64 %rd1, {%r1, %r2};
bool moves_registers(std::string_view text) {
  const std::size_t comma = text.find(',');
  return text.starts_with("mov") && comma != std::string_view::npos &&
         text.find_first_of("%{", comma) != std::string_view::npos;
}

}  // namespace

std::vector<WordText> read_words(std::string_view text) {
  const std::string_view bare = trimmed(text);
  if (moves_registers(bare))
    throw Error(fmt::format("{} moves registers: it holds no word", quoted(bare)),
                "give what the registers hold: two 32-bit halves, low half first");
  if (const auto word = single_word(bare, 1)) return {*word};
  // Anything else has to be of a form that says where the number stands.
  const std::size_t marker = bare.find_last_of("=:");
  if (marker == std::string_view::npos && !bare.starts_with("mov")) return {plain_word(text)};
  WordLog log = find_words(bare);
  if (!log.words.empty() && log.others == 0) return std::move(log.words);
  std::vector<WordText> words;
  for_each_number(bare.substr(marker == std::string_view::npos ? 0 : marker + 1), 1,
                  [&](const Number& number, bool) {
                    if (number.address.empty()) words.push_back(number);
                  });
  if (words.empty()) return {plain_word(text)};
  return join_halves(std::move(words));
}

std::vector<WordText> join_halves(std::vector<WordText> words) {
  std::vector<WordText> joined;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = i + 1 < words.size() ? join({words[i]}, {words[i + 1]}) : std::nullopt;
    if (!word) {
      joined.push_back(std::move(words[i]));
      continue;
    }
    joined.push_back({*word, Spelling::halves, words[i].text + " " + words[i + 1].text, words[i].line});
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
  Collector collector{format};
  while (!text.empty()) collector.take(take_line(text));
  return std::move(collector.log);
}

}  // namespace swz
