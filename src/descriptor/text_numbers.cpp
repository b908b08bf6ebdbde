// SPDX-License-Identifier: Apache-2.0
#include "descriptor/text_numbers.hpp"

#include <algorithm>
#include <optional>

#include "base/number.hpp"
#include "base/text.hpp"
#include "descriptor/computed_word.hpp"
#include "descriptor/named_words.hpp"

namespace swz {

std::ptrdiff_t too_many_digits(std::string_view run) {
  const bool is_hexadecimal = run.starts_with("0x") || run.starts_with("0X");
  if (!is_hexadecimal && !run.starts_with("0b") && !run.starts_with("0B")) return 0;
  const std::ptrdiff_t digits = std::ranges::count_if(run.substr(2), is_hex);
  return digits > (is_hexadecimal ? 16 : 64) ? digits : 0;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

namespace {

std::string_view trim_right(std::string_view text) { return text.substr(0, text.find_last_not_of(" \t\r\n") + 1); }

// A run of letters and digits as a number without its sign.
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

// The end of the run of letters, digits and separators that begins at `at`. Verilog's 64'h42 is one run, not 64.
std::size_t end_of_run(std::string_view line, std::size_t at) {
  std::size_t end = at;
  const auto is_separator = [&] { return line[end] == '\'' && end > at && is_digit(line[at]); };
  while (end < line.size() &&
         (is_word(line[end]) || (is_separator() && end + 1 < line.size() && is_word(line[end + 1]))))
    ++end;
  return end;
}

// Why the number between `before` and `after` is an address; empty if it is not.
std::string_view reason_of_address(const TextNumber& number, std::string_view before, std::string_view after) {
  constexpr int widest_address = 57;
  if (number.value >> widest_address != 0) return "";
  const std::string_view left = trim_right(before);
  const std::string_view right = trimmed(after);
  if (left.ends_with("*)")) return "a pointer";
  if (left.ends_with('@')) return "it follows an @";
  if (right.starts_with('<') && !right.starts_with("<repeats")) return "a symbol follows";
  // but 0x0045:0x0025 is one thing in two parts
  const bool is_pair = right.size() > 1 && is_word(right[1]);
  if (number.is_first && number.text.starts_with("0x") && right.starts_with(':') && !is_pair)
    return "a colon follows it";
  if (right.starts_with("in ") && left.starts_with('#')) return "of a stack frame";
  return "";
}

// The unit that follows a number, unless it is the name of the next one.
std::string_view unit_of(std::string_view after) {
  after = trimmed(after);
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(after, is_word) - after.begin());
  const std::string_view unit = after.substr(0, end), behind = trimmed(after.substr(end));
  if (behind.starts_with('=') || behind.starts_with(':')) return {};
  for (const std::string_view known : {"bytes", "byte", "B", "KB", "KiB"})
    if (unit == known) return unit;
  return {};
}

bool names_field(std::string_view name) {
  return std::ranges::find(field_names(), name, &FieldNameRow::name) != field_names().end();
}

// Whether the text in parentheses is a cast, as in "(uint64_t) 0x42".
bool is_cast(std::string_view inside) {
  const auto may_stand = [](char c) {
    return is_word(c) || std::string_view(" *&:<>").find(c) != std::string_view::npos;
  };
  return !inside.empty() && is_letter(inside.front()) && std::ranges::all_of(inside, may_stand);
}

}  // namespace

int register_number(std::string_view name) {
  if (name.starts_with('U')) name.remove_prefix(1);
  if (!name.starts_with('R')) return -1;
  const auto number = find_digits(name.substr(1), 10);
  return number && *number < 256 ? static_cast<int>(*number) : -1;
}

// "lo", "desc_lo", "desc.low", "descLo"
static bool names_half(std::string_view name, std::string_view short_name, std::string_view long_name) {
  std::string lower = lower_case(name);
  while (lower.ends_with('_')) lower.pop_back();
  if (lower.ends_with("32")) lower.resize(lower.size() - 2);
  const auto ends = [&](std::string_view half) {
    if (!lower.ends_with(half)) return false;
    const std::size_t at = lower.size() - half.size();
    return at == 0 || lower[at - 1] == '_' || (name[at] >= 'A' && name[at] <= 'Z');
  };
  return ends(short_name) || ends(long_name);
}

bool names_low_half(std::string_view name) { return names_half(name, "lo", "low"); }
bool names_high_half(std::string_view name) { return names_half(name, "hi", "high"); }
bool names_part(std::string_view name) {
  return register_number(name) >= 0 || names_low_half(name) || names_high_half(name);
}

std::optional<std::uint64_t> part_of_word(const TextNumber& number, int bits) {
  const std::uint64_t all = (std::uint64_t{1} << bits) - 1;
  if (number.value <= all) return number.value;
  const bool fits = number.spelling == Spelling::negative && (number.value | all >> 1) == ~std::uint64_t{0};
  return fits ? std::optional(number.value & all) : std::nullopt;
}

// What is known at one place of a line.
struct NumberScanner::Line {
  NumberScanner& scanner;
  std::string_view line;
  std::size_t number;
  const Visit& visit;
  std::string_view name = {}, qualifier = {}, tag = {};
  bool is_bound = false, is_first = true;
  std::string_view mnemonic = {}, first_register = {}, scope = {};
  std::string_view symbol_of = {};      // the field whose value was just given by a name
  std::optional<TextNumber> last = {};  // the last number, while only blanks and a parenthesis have followed it

  char at_or_blank(std::size_t at) const { return at < line.size() ? line[at] : ' '; }

  void forget_name() {
    name = qualifier = tag = {};
    is_bound = false;
    last.reset();
  }

  void emit(TextNumber n) {
    n.line = number;
    n.name = name;
    n.qualifier = qualifier;
    n.tag = tag;
    n.is_bound = is_bound;
    if (!scanner.open_.empty()) {
      Bracket& inner = scanner.open_.back();
      n.group = inner.name;
      n.group_id = inner.id;
      n.outer_id = scanner.open_.front().id;
      n.index = n.repeats || !n.symbol.empty() ? inner.members : inner.members++;
    }
    if (n.name.empty() && n.group.empty() && n.symbol.empty() && is_first && !is_computed()) n.name = first_register;
    if (n.repeats) n.name = last->name;
    visit(n);
    if (n.symbol.empty() && n.address.empty()) is_first = false;
    if (!n.repeats) last = n;
    name = qualifier = tag = {};
    is_bound = false;
  }

  // ULOP3.LUT UR4, UR4, 0x3fff, URZ: the number is not the value of the register.
  bool is_computed() const {
    const auto is_capital = [](char c) { return is_digit(c) || (c >= 'A' && c <= 'Z'); };
    return mnemonic != first_register && std::ranges::all_of(mnemonic, is_capital) &&
           line.find("MOV") == std::string_view::npos;
  }

  // Reads a run that is not a number: the value of the name before it, the meaning of a number, or the name of what
  // follows.
  void take_name(std::string_view run, std::size_t at) {
    const char before = at > 0 ? line[at - 1] : ' ';
    if (last && before == '(') {
      const auto number_before = last;
      emit({.repeats = true, .symbol = run});
      last = number_before;
      return;
    }
    const bool is_scoped = at > 0 && (before == '.' || before == ':') && !scope.empty();
    const std::string_view of = is_scoped ? scope : std::string_view();
    const std::string_view field = is_bound ? name : std::string_view();
    if (is_bound && !name.empty()) emit({.symbol = run, .scope = of});
    symbol_of = names_field(field) ? field : std::string_view();
    qualifier = before == '.' && !of.empty() ? of : before == '.' || before == '>' ? name : std::string_view();
    tag = before == ' ' ? name : std::string_view();
    name = run;
    is_bound = false;
    last.reset();
    if (mnemonic.empty()) mnemonic = run;
    if (first_register.empty() && register_number(run) >= 0) first_register = run;
  }

  // Whether the next number repeats the symbol: nothing but one mark is between them.
  static bool follows_symbol(std::string_view before) {
    before = trim_right(before);
    if (before.empty() || std::string_view("=(:").find(before.back()) == std::string_view::npos) return false;
    before = trim_right(before.substr(0, before.size() - 1));
    return !before.empty() && is_word(before.back());
  }

  static bool is_eight(std::string_view run) { return run.size() == 8 && std::ranges::all_of(run, is_hex); }

  // "desc: 00010042 40000040": two runs of eight digits, at least one of which is not a decimal number.
  bool is_half_of_pair(std::string_view run, std::size_t end) const {
    if (!is_eight(run)) return false;
    if (last && last->spelling == Spelling::bare_hex && is_eight(last->text) && name.empty()) return true;
    if (!is_bound || end + 1 >= line.size() || line[end] != ' ') return false;
    const std::string_view next = line.substr(end + 1, end_of_run(line, end + 1) - end - 1);
    const auto is_padded = [](std::string_view digits) {
      return digits.front() == '0' || !std::ranges::all_of(digits, is_digit);
    };
    return is_eight(next) && (is_padded(run) || is_padded(next));
  }

  // "00010042" and "c0000040" at the place of half a word, as %08x prints it.
  bool is_padded_half(std::string_view run) const {
    return run.size() == 8 && std::ranges::all_of(run, is_hex) && std::ranges::any_of(run, is_digit) &&
           (run.front() == '0' || !std::ranges::all_of(run, is_digit)) &&
           (register_number(name) >= 0 || (is_bound && names_part(name)));
  }

  // Whether the dash before a run is its sign: -66, -0x42 as Python's hex() prints it. "descriptor-0x40" has none.
  bool has_sign(std::string_view run, std::size_t at, Spelling spelling) const {
    if (at == 0 || line[at - 1] != '-') return false;
    const char before = at > 1 ? line[at - 2] : ' ';
    if (is_word(before)) return false;
    if (run.starts_with("0x") || run.starts_with("0X")) return before != ')' && before != ']';
    const bool is_decimal = std::ranges::all_of(run, is_digit);
    return is_decimal && (spelling == Spelling::number || (run.size() == 16 && run.front() != '0'));
  }

  std::size_t take_run(std::size_t at) {
    const std::size_t end = end_of_run(line, at);
    const std::string_view run = line.substr(at, end - at);
    const char before = at > 0 ? line[at - 1] : ' ';
    const bool has_fraction = at_or_blank(end) == '.' && is_digit(at_or_blank(end + 1));
    if (std::string_view("$%#").find(before) != std::string_view::npos) return end;
    if (is_digit(run.front()) && (before == '.' || has_fraction)) return end;
    TextNumber n;
    auto value = value_of(run, n.spelling);
    if (is_padded_half(run) || is_half_of_pair(run, end)) {
      n.spelling = Spelling::bare_hex;
      value = find_digits(run, 16);
    }
    if (!value) {
      // CFormat::F32; or CFormat.F32 at the place of a value
      const bool is_scope = line.substr(end).starts_with("::"),
                 is_dotted = is_bound && at_or_blank(end) == '.' && is_letter(at_or_blank(end + 1));
      if (is_scope || is_dotted) {
        scope = run;
        return end + (is_scope ? 2 : 1);
      }
      constexpr std::ptrdiff_t digits_of_half = 8;
      if (scanner.first_unread_.empty() && is_digit(run.front()) &&
          std::ranges::count_if(run, is_hex) >= digits_of_half)
        scanner.first_unread_ = run;
      take_name(run, at);
      scope = {};
      return end;
    }
    n.restates = !symbol_of.empty() && follows_symbol(line.substr(0, at));  // F32 = 1, F32 (1), <CFormat.F32: 1>
    if (n.restates) {
      name = symbol_of;
      is_bound = true;
    }
    symbol_of = {};
    const bool is_negative = has_sign(run, at, n.spelling);
    if (is_negative && n.spelling == Spelling::bare_hex) value = find_digits(run, 10);  // %lld; no %llx has a sign
    constexpr std::uint64_t lowest = std::uint64_t{1} << 63;
    if (is_negative && *value > lowest) return end;
    const std::size_t begin = at - (is_negative ? 1 : 0);
    n.value = is_negative ? 0 - *value : *value;
    if (is_negative) n.spelling = Spelling::negative;
    n.text = line.substr(begin, end - begin);
    n.changed = changed_number(line, begin, end);
    n.unit = unit_of(line.substr(end));
    n.is_first = is_first;
    n.address = reason_of_address(n, line.substr(0, begin), line.substr(end));
    n.repeats = last && n.value == last->value && name.empty() && last->address.empty();
    emit(n);
    return end;
  }

  // Where a mark is that ends a cast, an index, a symbol, a letter or a comment; npos if none is near. A symbol of
  // CUTLASS has some 2,000 letters. The bound keeps a line of opening brackets from being searched to its end for each.
  std::size_t end_of_aside(std::string_view mark, std::size_t from) const {
    constexpr std::size_t longest = 4096;
    if (from >= line.size()) return std::string_view::npos;
    const std::size_t found = line.substr(from, longest).find(mark);
    return found == std::string_view::npos ? found : from + found;
  }

  // Reads a bracket that opens at `at`; returns the place to continue.
  std::size_t open(std::size_t at) {
    const char c = line[at];
    const std::size_t close = end_of_aside(c == '[' ? "]" : ")", at);
    const std::string_view inside =
        close == std::string_view::npos ? std::string_view() : line.substr(at + 1, close - at - 1);
    const bool follows_word = at > 0 && is_word(line[at - 1]);
    if (c == '[' && !inside.empty() && std::ranges::all_of(inside, is_word) &&
        (follows_word || trimmed(line.substr(close + 1)).starts_with('=')))
      return close + 1;  // it is an index
    if (c == '(' && !last && !follows_word && is_cast(inside)) {
      // (cute::UMMA::CFormat::F32) with nothing after it is a value, as is (F32 = 1)
      const std::string_view behind = trimmed(line.substr(close + 1));
      const bool is_value =
          is_bound && (behind.empty() || std::string_view(",;)}").find(behind[0]) != std::string_view::npos);
      return is_value ? at + 1 : close + 1;
    }
    if (c == '(' && is_bound && !follows_word && names_field(name) && is_letter(inside.empty() ? ' ' : inside[0]))
      return at + 1;
    if (c == '(' && !symbol_of.empty() && !inside.empty() && is_digit(inside[0])) return at + 1;  // F32 (1)
    const auto number_before = last;
    std::string_view of = is_bound || follows_word ? name : std::string_view();
    if (c == '{' && of.empty() && mnemonic == "mov") of = mnemonic;
    scanner.open_.push_back({++scanner.brackets_, of, c == '{' ? '}' : c == '[' ? ']' : ')'});
    forget_name();
    if (c == '(') last = number_before;
    return at + 1;
  }

  std::size_t take_mark(std::size_t at) {
    const char c = line[at];
    switch (c) {
      case ' ':
      case '\t':
      case '"': return at + 1;
      case '=': is_bound = !name.empty(); break;
      case ':':
        if (at_or_blank(at + 1) == ':') return at + 2;
        is_bound = !name.empty();
        break;
      case '{':
      case '(':
      case '[': return open(at);
      case '}':
      case ')':
      case ']':
        if (!scanner.open_.empty() && scanner.open_.back().closes == c) scanner.open_.pop_back();
        forget_name();
        return at + 1;
      case ',':
      case ';':
      case '|': forget_name(); return at + 1;
      case '<': {
        const std::size_t close = end_of_aside(">", at);
        if (last && close != std::string_view::npos) return close + 1;
        break;
      }
      case '\'': {  // gdb: 1 '\001'
        const std::size_t close = end_of_aside("'", at + 2);
        if (last && line[at - 1] == ' ' && close != std::string_view::npos && close - at <= 6) return close + 1;
        return at + 1;
      }
      case '/': {
        const std::size_t close = end_of_aside("*/", at);
        const auto is_address = [](char d) { return is_hex(d) || d == ' ' || d == 'x'; };
        if (at_or_blank(at + 1) == '*' && close != std::string_view::npos &&
            std::ranges::all_of(line.substr(at + 2, close - at - 2), is_address))
          return close + 2;
        break;
      }
      default: break;
    }
    last.reset();
    return at + 1;
  }
};

void NumberScanner::take(std::string_view line, std::size_t line_number, const Visit& visit) {
  Line here{*this, line, line_number, visit};
  for (std::size_t at = 0; at < line.size();) at = is_word(line[at]) ? here.take_run(at) : here.take_mark(at);
  constexpr std::size_t deepest = 64;  // in a text that opens brackets and does not close them
  if (open_.size() > deepest) open_.clear();
}

std::optional<OperandRole> operand_named_by(const TextNumber& number) {
  const auto goes_on = [](char c) { return is_digit(c) || (is_letter(c) && c >= 'a'); };
  bool is_a = false, is_b = false;
  for (const std::string_view name : {number.qualifier, number.name, number.group})
    for (std::size_t at = 0, end = 0; at < name.size(); at = end) {
      end = at + 1;
      if (!is_letter(name[at])) continue;
      while (end < name.size() && goes_on(name[end])) ++end;  // "s" and "A" of sA
      std::string_view part = name.substr(at, end - at);
      while (is_digit(part.back())) part.remove_suffix(1);
      is_a = is_a || part == "a" || part == "A";
      is_b = is_b || part == "b" || part == "B";
    }
  if (is_a == is_b) return std::nullopt;
  return is_a ? OperandRole::a : OperandRole::b;
}

std::string_view unread_number(std::string_view text) {
  NumberScanner scanner;
  while (!text.empty()) scanner.take(take_line(text), 1, [](const TextNumber&) {});
  return scanner.first_unread();
}

std::vector<TextNumber> numbers_of(std::string_view text) {
  std::vector<TextNumber> numbers;
  NumberScanner scanner;
  std::size_t line = 0;
  while (!text.empty()) scanner.take(take_line(text), ++line, [&](const TextNumber& n) { numbers.push_back(n); });
  return numbers;
}

}  // namespace swz
