// SPDX-License-Identifier: Apache-2.0
#include "option.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>

#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

// "m64n256k16" has the numbers 64, 256, 16 and the letters "mnk"; "[128, 64]" has 128, 64 and ",".
struct Numbers {
  static constexpr std::int64_t many = 1'000'000'000'000'000'000;  // or more

  std::vector<std::int64_t> values;
  std::string letters;  // the rest, in lower case, without blanks and brackets

  bool are_extents(std::size_t count, const Limit& limit = limits::tile_extent) const {
    if (values.size() != count) return false;
    for (const std::int64_t n : values) {
      if (n == many)
        throw usage_error(fmt::format("{} has at most {} {}", limit.what, limit.most, limit.unit),
                          std::string(limit.way_out));
      require_within(limit, n);
    }
    return std::all_of(values.begin(), values.end(), [](std::int64_t n) { return n >= 1; });
  }
  bool are_separated_by(std::initializer_list<std::string_view> forms) const {
    return std::find(forms.begin(), forms.end(), letters) != forms.end();
  }
};

// The numbers of Shape<_64,_128> of CuTe, or of torch.Size([64, 128]).
Numbers numbers_in(std::string_view text) {
  Numbers out;
  for (const std::string_view name : {"cute::", "torch.Size", "Shape<", "make_shape"})
    if (text.starts_with(name)) text.remove_prefix(name.size());
  if (text.ends_with('>')) text.remove_suffix(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i])) {
      if (std::string_view(" ()[]{}_*").find(text[i]) == std::string_view::npos)
        out.letters += lower_case(text.substr(i, 1));
      if (text[i] == '*') out.letters += 'x';
      continue;
    }
    std::int64_t n = 0;
    for (; i < text.size() && is_digit(text[i]); ++i)
      n = n >= Numbers::many / 10 ? Numbers::many : n * 10 + (text[i] - '0');
    out.values.push_back(n);
    --i;
  }
  return out;
}

std::optional<MmaExtents> instruction_in(std::string_view text) {
  const Numbers n = numbers_in(text);
  if (!n.are_extents(3) || !n.are_separated_by({"xx", ",,", "mnk"})) return std::nullopt;
  return MmaExtents{n.values[0], n.values[1], n.values[2]};
}

// Longer lists of names that have aliases are in `swz arch` or in JSON.
constexpr std::size_t widest_value = 24, widest_list = 90;

std::string joined(const Words& words, const char* separator) { return fmt::to_string(fmt::join(words, separator)); }

bool is_value_list(const Option& option) {
  return !option.is_argument() && !option.choices.empty() && joined(option.choices, "|").size() <= widest_value;
}

}  // namespace

void read_value(const std::string& text, const Target*& to) { to = &require_target(text); }

void read_value(const std::string& text, const DType*& to) { to = &require_dtype(text); }

void read_value(const std::string& text, const SwizzleMode*& to) { to = &require_swizzle_mode(text); }

void read_value(const std::string& text, Major& to) {
  std::string name = lower_case(text);
  if (name.ends_with("-major")) name.resize(name.size() - 6);
  if (name != "k" && name != "mn" && name != "m" && name != "n")
    throw usage_error(fmt::format("unknown major {}", swz::quoted(text)),
                      "k: the elements along K are contiguous; mn: those along M or N");
  to = name == "k" ? Major::K : Major::MN;
}

void read_value(const std::string& text, std::uint64_t& to) {
  to = parse_unsigned(text, 64, {"write a number, for example 1024 or 0x400", "it has at most 64 bits"});
}

void read_value(const std::string& text, Bytes& to) {
  const char* why = "shared-memory addresses have 32 bits: what __cvta_generic_to_shared returns";
  const std::uint64_t address = parse_unsigned(text, 64, {"write an address in bytes, for example 0x400 or 1024", why});
  if (address > (std::uint64_t{1} << 32))
    throw usage_error(fmt::format("{} is not a shared-memory address", text), why);
  to = Bytes{static_cast<std::int64_t>(address)};
}

namespace {

// The commands that map and measure words read those of shared memory; swz decode reads both.
std::vector<WordText> smem_words(const std::string& text) {
  std::vector<WordText> words = read_words(text);
  if (std::ranges::any_of(words, &WordText::is_idesc))
    throw usage_error(fmt::format("{} is an instruction descriptor", swz::quoted(text)),
                      "swz decode shows what it holds");
  return words;
}

}  // namespace

void read_value(const std::string& text, WordText& to) {
  std::vector<WordText> words = smem_words(text);
  if (words.size() != 1)
    throw usage_error(fmt::format("{} holds {} words", swz::quoted(text), words.size()), "give one of them");
  to = std::move(words.front());
}

void read_value(const std::string& text, std::vector<WordText>& to) {
  std::ranges::move(smem_words(text), std::back_inserter(to));
}

void read_value(const std::string& text, DrawnRange& to) {
  constexpr std::int64_t most = limits::drawn_cells.most;
  const Error wrong = usage_error(fmt::format("cannot read {} as a range of a picture", swz::quoted(text)),
                                  "--rows and --cols select the part of a picture that is drawn: the first, a colon, "
                                  "and one past the last: 0:16, 8: or :16; other options select what is asked");
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw wrong;
  const auto number = [&](const std::string& digits, std::int64_t otherwise) {
    if (digits.find_first_not_of("0123456789") != std::string::npos || digits.size() > 8) throw wrong;
    return digits.empty() ? otherwise : std::min<std::int64_t>(std::stoll(digits), most);
  };
  to = {number(text.substr(0, colon), 0), number(text.substr(colon + 1), most)};
  if (to.begin >= to.end) throw wrong;
}

void read_value(const std::string& text, Pixels& to) {
  struct Unit {
    std::string_view name;
    double pixels;
  };
  constexpr Unit units[] = {{"px", 1},         {"pt", 96 / 72.27}, {"bp", 96 / 72.0},
                            {"mm", 96 / 25.4}, {"cm", 96 / 2.54},  {"in", 96}};
  constexpr double least = 4, most = 20000;
  // strtod, because from_chars of a double would make the program load libm.
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const double length = std::strtod(text.substr(0, digits).c_str(), nullptr);
  const std::string unit = lower_case(text.substr(digits));
  const auto* const row = std::ranges::find(units, unit.empty() ? "px" : unit, &Unit::name);
  const bool is_length = row != std::end(units) && std::ranges::count(text, '.') <= 1;
  if (is_length) to = {length * row->pixels};
  if (!is_length || !(to.count >= least && to.count <= most))
    throw usage_error(fmt::format("cannot read {} as a length of a picture", swz::quoted(text)),
                      "a number of mm, cm, in, pt or px from 4px to 20000px: 86mm");
}

namespace {

TileExtents two_extents(const std::string& text, std::string_view what, const Limit& limit) {
  const Numbers n = numbers_in(text);
  if (!n.are_extents(2, limit) || !n.are_separated_by({"x", ","}))
    throw usage_error(fmt::format("cannot read {} as {}", swz::quoted(text), what),
                      "two extents in elements, rows of M or N first, then K: 128x64");
  return {n.values[0], n.values[1]};
}

}  // namespace

void read_value(const std::string& text, TileExtents& to) { to = two_extents(text, "a tile", limits::tile_extent); }

void read_value(const std::string& text, OperandExtents& to) {
  to = {two_extents(text, "rows and K", limits::operand_extent)};
}

void read_value(const std::string& text, MmaExtents& to) {
  const std::optional<MmaExtents> whole = instruction_in(text);
  if (!whole)
    throw usage_error(fmt::format("cannot read {} as M, N and K", swz::quoted(text)),
                      "three extents in elements: m64n256k16 or 64x256x16");
  to = *whole;
}

void read_value(const std::string& text, MmaShapeText& to) {
  const Numbers n = numbers_in(text);
  to = {text, instruction_in(text), {}};
  if (to.instruction) return;
  if ((to.named = read_instruction(text))) {
    to.instruction = to.named->shape;
    if (to.instruction) return;
    throw usage_error(fmt::format("{} is not an MMA", swz::quoted(to.named->written)),
                      "for example m64n256k16, or SM90_64x256x16_F32BF16BF16_SS");
  }
  if (!n.are_extents(2) || !n.are_separated_by({"x", ",", "mk", "nk"}))
    throw usage_error(fmt::format("cannot read {} as an MMA shape", swz::quoted(text)),
                      "m64n256k16, or the rows and K of the operand itself: 64x16");
  to.operand = {n.values[0], n.values[1]};
}

std::size_t index_of_word(const std::string& text, const Words& words, std::string_view option) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const std::string& word) { return lower_case(word) == lower_case(text); });
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::string guess = did_you_mean(text, words);
  throw usage_error(fmt::format("unknown value {} for {}", swz::quoted(text), option),
                    guess.empty() ? fmt::format("it takes {}", join_and(words)) : guess);
}

std::int64_t read_number(const std::string& text, std::int64_t lowest, std::int64_t highest) {
  const std::string range = fmt::format("it takes a whole number from {} to {}", lowest, highest);
  const bool is_negative = text.starts_with('-');
  const std::uint64_t n = parse_unsigned(is_negative ? text.substr(1) : text, 64, {range, range});
  const std::uint64_t bound = static_cast<std::uint64_t>(is_negative ? -lowest : highest);
  const bool is_inside =
      n <= bound && (is_negative ? lowest < 0 : lowest < 0 || n >= static_cast<std::uint64_t>(lowest));
  if (!is_inside) throw usage_error(fmt::format("{} is out of range", text), range);
  return is_negative ? -static_cast<std::int64_t>(n) : static_cast<std::int64_t>(n);
}

Words pieces_of(const std::string& text, const char* separators) {
  Words out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    std::string piece = text.substr(at, end - at);
    piece.erase(0, piece.find_first_not_of(" \t"));
    piece.erase(piece.find_last_not_of(" \t") + 1);
    if (!piece.empty()) out.push_back(std::move(piece));
    at = end + 1;
  }
  return out;
}

Words entries_of(const std::string& text, const char* separators) {
  Words out = pieces_of(text, separators);
  if (out.empty()) return out;  // "," is an empty list
  bool is_empty = true;         // the entry so far
  for (const char c : text) {
    const bool ends_entry = c == ',' || c == ';';
    if (ends_entry && is_empty)
      throw usage_error(fmt::format("an entry of {} is empty", swz::quoted(text)),
                        "give each entry a number; what follows an empty one would move to its place");
    if (ends_entry || std::string_view(" \t\n([{").find(c) == std::string_view::npos) is_empty = ends_entry;
  }
  return out;
}

// --- rows

std::string Option::name() const {
  const std::size_t space = names.rfind(' ');
  return space == std::string::npos ? names : names.substr(space + 1);
}

bool Option::is_called(const std::string& word) const {
  return word == names || word == name() || names.starts_with(word + ",");
}

Options operator+(Options first, Options second) {
  first.insert(first.end(), std::make_move_iterator(second.begin()), std::make_move_iterator(second.end()));
  return first;
}

const Option* find_option(const Options& options, const std::string& name) {
  const auto found = std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.is_called(name); });
  return found == options.end() ? nullptr : &*found;
}

std::string value_text(const Option& option) {
  return is_value_list(option) ? joined(option.choices, "|") : option.value;
}

std::string head_of(const Option& option) {
  if (option.is_argument() || option.is_flag()) return option.names;
  const std::string value = value_text(option);
  return fmt::format("{} {}", option.names, option.may_omit_value ? "[" + value + "]" : value);
}

std::string help_of(const Option& option) {
  std::string text = option.help;
  const std::string list = joined(option.choices, ", ");
  if (!option.listed_by.empty()) text += fmt::format(": one of '{}'", option.listed_by);
  else if (!list.empty() && !is_value_list(option) && (!option.is_open || list.size() <= widest_list))
    text += ": " + list;
  const std::string& initial = option.initial_note.empty() ? option.initial : option.initial_note;
  if (!initial.empty()) text += fmt::format(" (default: {})", initial);
  return text;
}

std::string usage_of(const Options& options, std::string_view command_name) {
  std::string out = fmt::format("swz {} [options]", command_name);
  for (const Option& o : options)
    if (o.is_argument()) {
      const std::string name = o.names + (o.repeats ? "..." : "");
      out += o.is_required ? " " + name : " [" + name + "]";
    }
  return out;
}

}  // namespace swz
