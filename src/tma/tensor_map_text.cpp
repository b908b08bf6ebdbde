// SPDX-License-Identifier: Apache-2.0
// A tensor map as text: digits of memory, a debugger's dump, and lists of numbers. Declared in tensor_map.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "tma/im2col_bits.hpp"
#include "tma/tensor_map.hpp"

namespace swz {

namespace {

constexpr std::size_t map_bytes = 128;
constexpr std::string_view opaque = "opaque";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

EncodedTensorMap map_of(const std::vector<std::uint8_t>& bytes) {
  return from_bytes(std::span<const std::uint8_t, map_bytes>(bytes.data(), map_bytes));
}

// Whether the driver wrote these words: the bytes of a box and its pattern do not agree by chance.
bool is_whole(const EncodedTensorMap& map) {
  const auto has_no_problem = [](const auto& decoded) { return decoded.map && decoded.problems.empty(); };
  return is_im2col(map) ? has_no_problem(decode_im2col(map)) : has_no_problem(decode(map));
}

// ---- lists of numbers: {opaque = {…}}, tensor_map[16] = {…}, [140737488355328, …], opaque[0] = 0x…

// Reads "0x42", "66", "66ull", "-1", "'0x42'".
std::optional<std::uint64_t> number_of(std::string_view text) {
  if (text.size() > 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  const bool is_negative = text.starts_with('-');
  const auto value = find_unsigned(is_negative ? text.substr(1) : text);
  if (!value || (is_negative && *value >> 63 != 0)) return std::nullopt;
  return is_negative ? 0 - *value : *value;
}

struct NumberList {
  std::string_view name;  // before the bracket, or before one around it
  std::vector<std::uint64_t> numbers = {};
  bool is_cut = false;  // gdb's "..."
  bool is_open = true;  // its bracket is not closed
};

// The name "tensor_map" in "uint64_t tensor_map[16] = " and in "tensor_map ="; empty if there is none.
std::string_view name_at_end(std::string_view text) {
  text = trimmed(text);
  while (text.ends_with('=') || text.ends_with(':')) text = trimmed(text.substr(0, text.size() - 1));
  if (text.ends_with('"') || text.ends_with('\'')) text.remove_suffix(1);
  while (text.ends_with(']') && text.rfind('[') != std::string_view::npos)
    text = trimmed(text.substr(0, text.rfind('[')));
  std::size_t begin = text.size();
  while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  return text.substr(begin);
}

bool names_map(std::string_view name) {
  const std::string lower = lower_case(name);
  constexpr std::string_view parts[] = {opaque, "tensor_map", "tensormap", "tmap", "tma"};
  return std::ranges::any_of(parts, [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

// Collects every bracket that contains numbers and nothing else.
class ListReader {
 public:
  explicit ListReader(std::string_view text) : text_(text) {}

  std::vector<NumberList> lists() {
    for (std::size_t at = 0; at < text_.size();) at = take(at);
    end_loose();
    for (Open& open : open_)
      if (is_kept(open)) found_.push_back(std::move(open.list));
    return std::move(found_);
  }

 private:
  // `least` is more than the dimensions of a tensor: box, strides and corners are not a tensor map.
  static constexpr std::size_t least = 6, most = 128;
  struct Open {
    NumberList list;
    char closes;
    bool is_list = true;
  };

  bool is_kept(const Open& open) const {
    const NumberList& list = open.list;
    const bool is_opaque = open.closes == '}' && list.name.ends_with(opaque) && !list.numbers.empty();
    return open.is_list && (list.numbers.size() >= least || list.is_cut || is_opaque);
  }

  // Ends numbers outside of any bracket: only their words decide whether they are a tensor map.
  void end_loose() {
    if (loose_.size() >= 16 && loose_.size() <= most)
      found_.push_back({.name = {}, .numbers = std::move(loose_), .is_open = false});
    loose_.clear();
  }

  std::size_t take(std::size_t at) {
    const char c = text_[at];
    if (is_blank(c) || c == ',') return at + 1;
    if (c == '{' || c == '[' || c == '(') return open(at);
    if (c == '}' || c == ']' || c == ')') return close(at);
    if (open_.empty()) {
      const std::size_t end = std::max(std::min(text_.find_first_of(" \t\r\n,;{}()[]", at), text_.size()), at + 1);
      const auto number = number_of(text_.substr(at, end - at));
      if (!number) end_loose();
      else if (loose_.size() <= most) loose_.push_back(*number);
      return end;
    }
    if (text_.substr(at).starts_with("...")) {
      open_.back().list.is_cut = true;
      return at + 3;
    }
    if (text_.substr(at).starts_with("//")) return std::min(text_.find('\n', at), text_.size());
    if (c == '<') return repeat(at);
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n,;{}()[]<.", at), text_.size());
    const auto number = number_of(text_.substr(at, end - at));
    if (number && open_.back().list.numbers.size() <= most) open_.back().list.numbers.push_back(*number);
    else open_.back().is_list = false;
    return std::max(end, at + 1);
  }

  std::size_t open(std::size_t at) {
    end_loose();
    constexpr std::size_t longest_name = 64, deepest = 64;
    const std::string_view behind = text_.substr(at, longest_name);
    if (const std::size_t end = behind.find("] ="); text_[at] == '[' && !open_.empty() && end != behind.npos)
      if (find_unsigned(behind.substr(1, end - 1))) return at + end + 3;  // {[0] = 0x42, …}
    std::string_view before = text_.substr(at - std::min(at, longest_name), std::min(at, longest_name));
    before.remove_prefix(before.find_last_of("\n,;{}()") + 1);
    std::string_view name = name_at_end(before);
    if (!open_.empty()) {
      open_.back().is_list = false;
      if (!names_map(name) && !open_.back().list.name.empty()) name = open_.back().list.name;
    }
    if (open_.size() > deepest) open_.clear();
    open_.push_back({{name}, text_[at] == '{' ? '}' : text_[at] == '[' ? ']' : ')'});
    return at + 1;
  }

  std::size_t close(std::size_t at) {
    if (open_.empty() || open_.back().closes != text_[at]) return at + 1;
    Open& last = open_.back();
    last.list.is_open = false;
    if (is_kept(last)) found_.push_back(std::move(last.list));
    open_.pop_back();
    return at + 1;
  }

  // Reads "0 <repeats 6 times>".
  std::size_t repeat(std::size_t at) {
    constexpr std::string_view word = "<repeats ";
    std::vector<std::uint64_t>& numbers = open_.back().list.numbers;
    constexpr std::size_t longest = 40;
    const std::size_t length = text_.substr(at, longest).find('>');
    const std::size_t close = at + length;
    if (!text_.substr(at).starts_with(word) || length == std::string_view::npos || numbers.empty()) {
      open_.back().is_list = false;
      return at + 1;
    }
    const std::string_view times = text_.substr(at + word.size(), close - at - word.size());
    const std::uint64_t count = find_digits(times.substr(0, times.find(' ')), 10).value_or(0);
    const std::size_t more = std::min<std::uint64_t>(count, most + 1) - (count > 0 ? 1 : 0);
    numbers.insert(numbers.end(), more, numbers.back());
    return close + 1;
  }

  std::string_view text_;
  std::vector<Open> open_ = {};
  std::vector<std::uint64_t> loose_ = {};
  std::vector<NumberList> found_ = {};
};

// Reads "opaque[0] = 0x42" to "opaque[15] = 0", one number per line. A dump of shared memory may have the same form.
NumberList indexed_list(std::string_view text) {
  NumberList list{.name = {}};
  list.is_open = false;
  while (!text.empty() && list.numbers.size() <= map_bytes) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size()));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t open = line.find('['), close = line.find(']', std::min(open, line.size()));
    const std::size_t is = line.find_first_of("=:", std::min(close, line.size()));
    if (close == std::string_view::npos || is == std::string_view::npos) continue;
    const auto index = find_unsigned(trimmed(line.substr(open + 1, close - open - 1)));
    std::string_view value = trimmed(line.substr(is + 1));
    value = value.substr(0, value.find_first_of(" \t,;"));
    const auto number = number_of(value);
    const std::string_view name = name_at_end(line.substr(0, open));
    if (!number || index != list.numbers.size() || (!list.numbers.empty() && name != list.name)) continue;
    list.name = name;
    list.numbers.push_back(*number);
  }
  return list;
}

// Reads 16 numbers of 8 bytes, 32 of 4, 64 of 2 or 128 of 1. None if they are not 128 bytes.
std::optional<EncodedTensorMap> map_of(const NumberList& list) {
  const std::size_t count = list.numbers.size();
  if (list.is_cut || list.is_open || count < 16 || map_bytes % count != 0) return std::nullopt;
  const std::size_t size = map_bytes / count;
  std::vector<std::uint8_t> bytes;
  for (const std::uint64_t number : list.numbers) {
    const int bits = static_cast<int>(size * 8);
    const bool is_signed = bits < 64 && number >> (bits - 1) == ~std::uint64_t{0} >> (bits - 1);
    if (bits < 64 && number >> bits != 0 && !is_signed) return std::nullopt;
    for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
  }
  return map_of(bytes);
}

// The lists that are a tensor map, by their name or by their words.
std::vector<NumberList> map_lists(std::string_view text) {
  std::vector<NumberList> lists = ListReader(text).lists();
  const auto is_other = [](const NumberList& list) {
    const auto map = map_of(list);
    return !names_map(list.name) && !(map && is_whole(*map));
  };
  std::erase_if(lists, is_other);
  if (!lists.empty()) return lists;
  if (NumberList list = indexed_list(text); !list.numbers.empty() && !is_other(list)) lists.push_back(std::move(list));
  return lists;
}

EncodedTensorMap map_of_lists(const std::vector<NumberList>& lists) {
  constexpr const char* forms = "16 numbers, as p map of gdb prints them: {opaque = {1, 2, 0 <repeats 14 times>}}";
  if (lists.size() > 1) throw Error("the text holds more than one tensor map", "give one of them");
  const NumberList& list = lists[0];
  const std::string of = list.name.empty() ? "the list" : fmt::format("the list after '{}'", list.name);
  if (list.is_cut) throw Error("gdb cut the list of the tensor map", "set print elements 0, then print it again");
  if (list.is_open) throw Error(fmt::format("{} is not closed", of), forms);
  if (list.numbers.size() > map_bytes) throw Error(fmt::format("{} does not hold 16 numbers", of), forms);
  if (const auto map = map_of(list)) return *map;
  throw Error(fmt::format("{} holds {} numbers, not 16", of, list.numbers.size()), forms);
}

// ---- digits and dumps

// The contents of a dump, in order.
struct Dump {
  std::vector<std::uint8_t> bytes = {};
  std::vector<std::size_t> digits = {};  // of each number
  bool has_prefix = true;                // whether each has 0x

  // The number of digits, if all numbers have the same number; otherwise 0.
  std::size_t width() const {
    const bool are_same = std::ranges::all_of(digits, [&](std::size_t n) { return n == digits[0]; });
    return digits.empty() || !are_same ? 0 : digits[0];
  }
};

// Appends the bytes of one number in memory order.
void append(Dump& dump, std::string_view token) {
  const bool is_word = token.starts_with("0x") || token.starts_with("0X");
  const std::string_view digits = is_word ? token.substr(2) : token;
  std::vector<std::uint8_t> own;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto byte = find_digits(digits.substr(i, 2), 16);
    if (!byte)
      throw Error(fmt::format("{} is not a hexadecimal number", quoted(token)),
                  "256 digits, or the lines of x/16gx, x/32wx or x/128bx as cuda-gdb prints them");
    if (i + 1 == digits.size())
      throw Error(fmt::format("{} has an odd number of digits", quoted(token)), "two digits are one byte");
    own.push_back(static_cast<std::uint8_t>(*byte));
  }
  if (is_word) std::reverse(own.begin(), own.end());
  dump.bytes.insert(dump.bytes.end(), own.begin(), own.end());
  dump.digits.push_back(digits.size());
  dump.has_prefix = dump.has_prefix && is_word;
}

// Whether the line is what someone typed into the debugger.
bool is_prompt(std::string_view line) {
  return trimmed(line).starts_with("(cuda-gdb)") || trimmed(line).starts_with("(gdb)");
}

Dump dump_of(std::string_view text) {
  constexpr std::size_t most_bytes = 4096;
  Dump dump;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_prompt(line)) continue;
    line.remove_prefix(line.rfind(':') + 1);  // an address or a symbol
    while (!line.empty() && dump.bytes.size() <= most_bytes) {
      const std::size_t length = std::min(line.find_first_of(" \t\r\n,;{}()[]|"), line.size());
      if (length > 0) append(dump, line.substr(0, length));
      line.remove_prefix(std::min(length + 1, line.size()));
    }
  }
  return dump;
}

// The words of printf("%016llx") and "%08x": the same digits, with the highest byte of each word first.
Dump as_words(const Dump& dump) {
  Dump out = dump;
  const auto size = static_cast<std::ptrdiff_t>(dump.width() / 2);
  for (auto at = out.bytes.begin(); at != out.bytes.end(); at += size) std::reverse(at, at + size);
  return out;
}

std::string unit_of(std::size_t digits) {
  return digits == 16 ? "words of 64 bits" : digits == 8 ? "words of 32 bits" : "bytes";
}

[[noreturn]] void refuse_size(const Dump& dump) {
  const std::size_t count = dump.bytes.size(), width = dump.width();
  const bool are_words = dump.has_prefix && (width == 16 || width == 8);
  std::string size = are_words           ? fmt::format("{} {}, {} bytes", dump.digits.size(), unit_of(width), count)
                     : count > map_bytes ? "more than 128 bytes"
                                         : fmt::format("{} bytes", count);
  std::string hint = "256 hexadecimal digits, or x/16gx of its address in cuda-gdb";
  if (are_words && count > map_bytes) {
    const std::size_t step = width / 2;
    for (std::size_t first = 0; first + map_bytes <= count; first += step) {
      const std::vector<std::uint8_t> part(dump.bytes.begin() + static_cast<std::ptrdiff_t>(first),
                                           dump.bytes.begin() + static_cast<std::ptrdiff_t>(first + map_bytes));
      if (!is_whole(map_of(part))) continue;
      hint = fmt::format("words {} to {} are a whole tensor map: give only those", first / step + 1,
                         (first + map_bytes) / step);
      break;
    }
  }
  throw Error(fmt::format("{}; a tensor map has 128", size), hint);
}

}  // namespace

// More than 40 hexadecimal digits in numbers, and few other words. A run of letters only is a word of a language.
bool looks_like_tensor_map(std::string_view text) {
  constexpr std::size_t longest_descriptor = 40, longest_word = 16, numbers_for_a_word = 4;
  std::size_t digits = 0, numbers = 0, words = 0;
  while (!text.empty()) {
    const std::string_view whole = text.substr(0, std::min(text.find('\n'), text.size()));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    if (is_prompt(whole)) continue;
    const std::string_view line = whole.substr(whole.rfind(':') + 1);
    for (std::size_t at = 0; at < line.size();) {
      std::size_t end = at;
      while (end < line.size() && is_word(line[end])) ++end;
      std::string_view run = line.substr(at, end - at);
      at = end + 1;
      if (run.empty()) continue;
      const bool has_prefix = run.starts_with("0x") || run.starts_with("0X");
      if (has_prefix) run.remove_prefix(2);
      const bool is_number = std::ranges::all_of(run, is_hex) &&
                             (has_prefix || run.size() > longest_word || std::ranges::any_of(run, is_digit));
      (is_number ? numbers : words) += 1;
      if (is_number) digits += run.size();
    }
  }
  return digits > longest_descriptor && words * numbers_for_a_word <= numbers;
}

bool holds_tensor_map(std::string_view text) {
  // Checked first for most texts: throwing and catching an error takes longer than decoding a word.
  if (!names_tensor_map(text) && map_lists(text).empty() && !looks_like_tensor_map(text)) return false;
  try {
    parse_tensor_map(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool names_tensor_map(std::string_view text) {
  const std::size_t at = text.find(opaque);
  if (at != std::string_view::npos && text.find('{', at) != std::string_view::npos) return true;
  return std::ranges::any_of(map_lists(text), [](const NumberList& list) { return names_map(list.name); });
}

bool is_for_tensor_map(std::string_view text) { return names_tensor_map(text) || holds_tensor_map(text); }

EncodedTensorMap parse_tensor_map(std::string_view text) {
  if (const std::vector<NumberList> lists = map_lists(text); !lists.empty()) return map_of_lists(lists);
  if (names_tensor_map(text))
    throw Error("the list after 'opaque' does not hold 16 numbers",
                "16 numbers, as p map of gdb prints them: {opaque = {1, 2, 0 <repeats 14 times>}}");
  const Dump dump = dump_of(text);
  if (dump.bytes.size() != map_bytes) refuse_size(dump);
  const EncodedTensorMap map = map_of(dump.bytes);
  const std::size_t width = dump.width();
  if (dump.has_prefix || is_whole(map) || (width != 16 && width != 8)) return map;
  const EncodedTensorMap words = map_of(as_words(dump).bytes);
  return is_whole(words) ? words : map;
}

}  // namespace swz
