// SPDX-License-Identifier: Apache-2.0
// read_words of word_text.hpp: finds the words among the numbers of an argument.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "descriptor/computed_word.hpp"
#include "descriptor/named_words.hpp"
#include "descriptor/text_numbers.hpp"
#include "descriptor/word_text.hpp"

namespace swz {

namespace {

// Whether the text is mov.b64 %rd1, {%r1, %r2};
bool moves_registers(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (!text.starts_with("mov") || comma == std::string_view::npos) return false;
  const std::string_view source = text.substr(comma);
  return source.find('%') != std::string_view::npos ||
         (source.find('{') == std::string_view::npos && numbers_of(source).empty());
}

// The number that a mov of 32 bits puts into a register of PTX; empty if there is none.
std::string_view immediate_of(std::string_view register_name, std::string_view text) {
  for (std::size_t at = text.find(register_name); at != std::string_view::npos; at = text.find(register_name, at + 1)) {
    const std::string_view rest = trimmed(text.substr(at + register_name.size()));
    if (!rest.starts_with(',') || !trimmed(text.substr(0, at)).ends_with("32")) continue;
    const std::string_view value = trimmed(rest.substr(1, std::min(rest.find_first_of(";\n"), rest.size()) - 1));
    const std::vector<TextNumber> numbers = numbers_of(value);
    if (numbers.size() == 1 && numbers[0].text == value) return value;
  }
  return {};
}

// mov.b32 %r1, 65602; mov.b32 %r2, 1073741888; mov.b64 %rd1, {%r1, %r2};   gives the last mov with numbers, if the
// text has no other numbers.
std::optional<std::string> with_immediates(std::string_view text) {
  const std::size_t move = text.find("mov.b64"), open = text.find('{', std::min(move, text.size()));
  const std::size_t comma = text.find(',', std::min(open, text.size())),
                    close = text.find('}', std::min(comma, text.size()));
  if (move == std::string_view::npos || close == std::string_view::npos || numbers_of(text).size() != 2)
    return std::nullopt;
  const std::string_view low = trimmed(text.substr(open + 1, comma - open - 1)),
                         high = trimmed(text.substr(comma + 1, close - comma - 1));
  if (!low.starts_with('%') || !high.starts_with('%')) return std::nullopt;
  const std::string_view low_value = immediate_of(low, text), high_value = immediate_of(high, text);
  if (low_value.empty() || high_value.empty()) return std::nullopt;
  return fmt::format("mov.b64 %rd1, {{{}, {}}};", low_value, high_value);
}

bool is_narrow(const TextNumber& n) { return n.value >> 32 == 0; }

bool has_digits(const TextNumber& n, std::size_t digits) {
  return n.text.starts_with("0x") && n.text.size() == digits + 2;
}

std::string place_of(const TextNumber& n) {
  const std::string_view name = n.name.empty() ? n.group : n.name;
  const std::string text =
      name.empty() ? std::string(n.text) : fmt::format("{}{}{}", name, n.is_bound ? " = " : " ", n.text);
  return n.address.empty() ? text : fmt::format("{} (an address: {})", text, n.address);
}

std::string list_of(const std::vector<TextNumber>& numbers) {
  constexpr std::size_t most = 8;
  std::vector<std::string> texts;
  for (const TextNumber& n : numbers)
    if (texts.size() < most) texts.push_back(place_of(n));
  if (numbers.size() > most) texts.push_back(fmt::format("{} more numbers", numbers.size() - most));
  return join_and(texts);
}

constexpr const char* name_hint =
    "give only the word, or the word with its name: desc = 0x4000004000010042, {lo = 66, hi = 64}, "
    "{start_address_ = 66, …}";

bool says_descriptor(std::string_view name) { return lower_case(name).find("desc") != std::string::npos; }

// Whether a run in place of a number is written as a word: "0001", "0x42000042h", but not the extents 128x64.
bool is_unread_word(std::string_view run) {
  constexpr std::ptrdiff_t digits_of_half = 8;
  return !run.empty() && is_digit(run[0]) && (run[0] == '0' || std::ranges::count_if(run, is_hex) >= digits_of_half);
}

// Throws what is wrong with a run at the place of a word.
[[noreturn]] void refuse_unread(std::string_view run) {
  try {
    parse_word64(run);
  } catch (const Error& e) {
    throw Error(e.message(), "write the word in one piece, with 0x before a hexadecimal number: 0x4000004000010042");
  }
  throw Error(fmt::format("'{}' cannot be read as a word", run), name_hint);
}

// "desc = %rd5" with no number: the name to which the text binds something, if it is that of a descriptor.
std::string_view bound_descriptor(std::string_view text) {
  for (std::size_t at = text.find_first_of("=:"); at != std::string_view::npos; at = text.find_first_of("=:", at + 1)) {
    std::string_view left = trimmed(text.substr(0, at));
    if (left.ends_with(']')) left = trimmed(left.substr(0, std::min(left.rfind('['), left.size())));
    std::size_t begin = left.size();
    while (begin > 0 && is_word(left[begin - 1])) --begin;
    if (says_descriptor(left.substr(begin))) return left.substr(begin);
  }
  return {};
}

[[noreturn]] void refuse_expression(std::string_view expression) {
  throw Error(fmt::format("'{}' is an expression, and a word is a number", expression),
              "let cuda-gdb's p/x or Python's hex() compute it; swz encode smem makes a word of bytes");
}

// The reading of one argument.
class Argument {
 public:
  explicit Argument(std::string_view text) : text_(text), numbers_(numbers_of(text)) {
    const NamedWords named = find_named_words(numbers_);
    for (const NamedWord& word : named.words) {
      if (word.problem) throw *word.problem;
      found_.push_back({word.first, word_of(word, numbers_[word.first])});
    }
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      if (!named.is_used[i] && !numbers_[i].repeats && numbers_[i].symbol.empty()) rest_.push_back(i);
  }

  // The words; empty if the text gives none.
  std::vector<WordText> words() {
    for (const TextNumber& n : numbers_)
      if (n.is_bound && says_descriptor(n.name) && is_unread_word(n.symbol)) refuse_unread(n.symbol);
    const bool is_named = !found_.empty();
    if (is_named || !take_dump()) {
      take_legal();
      if (found_.empty()) take_only_number();
      if (found_.empty()) take_wide();
    }
    if (found_.empty()) {
      for (const std::size_t i : rest_)
        if (const auto of = computation_with(text_, at(i)); !of.empty()) refuse_expression(of);
      if (!rest_.empty() && (rest_.size() > 1 || numbers_[rest_[0]].is_bound)) refuse();
      return {};
    }
    std::ranges::stable_sort(found_, {}, &Found::number);
    for (const Found& found : found_)
      if (const auto of = computation_with(text_, at(found.number)); !of.empty()) refuse_expression(of);
    std::vector<WordText> words;
    for (Found& found : found_) words.push_back(std::move(found.word));
    words.front().unused = list_of(remaining());
    return words;
  }

 private:
  struct Found {
    std::size_t number;
    WordText word;
  };

  const TextNumber& at(std::size_t i) const { return numbers_[i]; }

  std::vector<TextNumber> remaining() const {
    std::vector<TextNumber> out;
    for (const std::size_t i : rest_) out.push_back(at(i));
    return out;
  }

  void append(std::size_t i, std::optional<std::size_t> high = {}) {
    WordText word = word_of(at(i));
    if (high) {
      word.word |= at(*high).value << 32;
      word.spelling = Spelling::halves;
      word.text += fmt::format(" {}", at(*high).text);
    }
    found_.push_back({i, std::move(word)});
    std::erase_if(rest_, [&](std::size_t j) { return j == i || (high && j == *high); });
  }

  // The numbers that are not addresses.
  std::vector<std::size_t> candidates() const {
    std::vector<std::size_t> out;
    for (const std::size_t i : rest_)
      if (at(i).address.empty()) out.push_back(i);
    return out;
  }

  // Reads x/2gx and x/2wx: an address with a colon, then numbers of 8 or 4 bytes.
  bool take_dump() {
    if (rest_.empty() || at(rest_[0]).address.empty() || text_.find(':') == std::string_view::npos) return false;
    const std::vector<std::size_t> units = candidates();
    const auto have = [&](std::size_t digits) {
      return !units.empty() && std::ranges::all_of(units, [&](std::size_t i) { return has_digits(at(i), digits); });
    };
    const auto is_idesc = [&](std::size_t i) { return is_idesc_word(at(i).value, {}); };
    if (have(16) || (have(8) && std::ranges::all_of(units, is_idesc))) {
      for (const std::size_t i : units) append(i);
    } else if (have(8)) {
      if (units.size() % 2 != 0)
        throw Error(fmt::format("a dump of {} has an odd number of 32-bit units", plural(std::ssize(units), "unit")),
                    "a descriptor is two of them, the low half first; x/2gx prints whole words");
      for (std::size_t i = 0; i < units.size(); i += 2) append(units[i], units[i + 1]);
    }
    return !found_.empty();
  }

  // Takes the numbers that a format accepts, also as two halves.
  void take_legal() {
    const WordLog log = find_words(text_);
    const std::vector<std::size_t> all = candidates();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const TextNumber& n = at(all[i]);
      const auto is_word = [&](const std::string& text) {
        return std::ranges::any_of(log.words, [&](const WordText& w) { return w.text == text; });
      };
      if (!is_narrow(n) && std::ranges::any_of(log.words, [&](const WordText& w) { return w.word == n.value; }))
        append(all[i]);
      else if (i + 1 < all.size() && is_narrow(n) && is_word(fmt::format("{} {}", n.text, at(all[i + 1]).text)))
        append_joined(all[i], all[i + 1], log), ++i;
    }
  }

  void append_joined(std::size_t i, std::size_t j, const WordLog& log) {
    const std::string text = fmt::format("{} {}", at(i).text, at(j).text);
    found_.push_back({i, *std::ranges::find(log.words, text, &WordText::text)});
    std::erase_if(rest_, [&](std::size_t k) { return k == i || k == j; });
  }

  // "4000:0040:0001:0042" is written in groups of digits, "12:30" is a time.
  bool begins_groups(const TextNumber& n) const {
    const std::string_view behind =
        text_.substr(static_cast<std::size_t>(n.text.data() - text_.data()) + n.text.size());
    return behind.size() > 1 && behind[0] == ':' && is_hex(behind[1]);
  }

  // Takes the only number of a text: "$3 = 66", "mov.u64 %rd1, 66;"; but in "hello 5" its meaning is not known.
  void take_only_number() {
    const std::vector<std::size_t> all = candidates();
    if (all.size() == 1 && begins_groups(at(all[0]))) return;
    const bool says_value = text_.find_first_of("=:") != std::string_view::npos || text_.starts_with("mov");
    if (all.size() != 1 || (!says_value && is_narrow(at(all[0])))) return;
    require_word(at(all[0]));
    append(all[0]);
  }

  // Throws Error if the only number that can be read is not the word that the text is about.
  void require_word(const TextNumber& n) const {
    for (const std::string_view name : {n.name, n.qualifier, n.group})
      if (says_descriptor(name)) return;
    if (const std::string_view run = unread_number(text_); !run.empty()) refuse_unread(run);
    if (!n.is_bound || n.name.empty()) return;
    if (const std::string_view desc = bound_descriptor(text_); !desc.empty())
      throw Error(fmt::format("{} holds {}, and no number for '{}'", quoted(text_), place_of(n), desc), name_hint);
    for (const std::string_view other : {"error", "errno", "status"})
      if (lower_case(n.name).find(other) != std::string::npos)
        throw Error(fmt::format("{} holds {}, which is not a descriptor", quoted(text_), place_of(n)), name_hint);
  }

  // Takes all numbers if they are all of 64 bits.
  void take_wide() {
    const std::vector<std::size_t> all = candidates();
    const auto is_wide = [&](std::size_t i) {
      return !is_narrow(at(i)) || has_digits(at(i), 16) || at(i).spelling == Spelling::bare_hex;
    };
    if (!all.empty() && std::ranges::all_of(all, is_wide))
      for (const std::size_t i : all) append(i);
  }

  [[noreturn]] void refuse() const {
    const auto holds = [&](std::string_view part) { return text_.find(part) != std::string_view::npos; };
    const bool is_map =
        holds("globalDim") || holds("gmem_dims") || holds("TMA") || holds("CU_TENSOR_MAP") || holds("TensorMap");
    throw Error(
        fmt::format("{} holds {}, and nothing shows which of them is the word", quoted(text_), list_of(remaining())),
        is_map ? "swz tma check --paste reads the arguments of a tensor map" : name_hint);
  }

  std::string_view text_;
  std::vector<TextNumber> numbers_;
  std::vector<std::size_t> rest_ = {};  // numbers that no word uses yet
  std::vector<Found> found_ = {};
};

}  // namespace

namespace {

std::vector<WordText> words_of(std::string_view text) {
  const std::string_view bare = trimmed(text);
  if (const auto move = with_immediates(bare)) return Argument(*move).words();
  if (moves_registers(bare))
    throw Error(fmt::format("{} moves registers: it holds no word", quoted(bare)),
                "give what the registers hold: two 32-bit halves, low half first");
  if (const std::string_view shift = shift_in(bare); !shift.empty()) refuse_expression(shift);
  const std::vector<TextNumber> numbers = numbers_of(bare);
  if (numbers.size() == 1 && numbers[0].text == bare) return {word_of(numbers[0])};
  if (std::vector<WordText> words = Argument(bare).words(); !words.empty()) return words;
  const bool has_number = std::ranges::any_of(numbers, [](const TextNumber& n) { return n.symbol.empty(); });
  if (!has_number && bare.find_first_of(" =:\n") != std::string_view::npos)
    throw Error(fmt::format("{} holds no number", quoted(bare)),
                "give the word, for example 0x4000004000010042, or the print that has it");
  return {{parse_word64(text), Spelling::number, std::string(text)}};  // its error gives the reason
}

}  // namespace

std::vector<WordText> read_words(std::string_view text) {
  if (!is_machine_code(text)) return words_of(text);
  try {
    return words_of(text);
  } catch (const Error&) {
    refuse_machine_code();
  }
}

}  // namespace swz
