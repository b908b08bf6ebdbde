// SPDX-License-Identifier: Apache-2.0
#include "sass/sass_line.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

// The class of a register and its number: "UR" and 4 of "UR4". RZ, URZ, PT and UPT have the number -1.
struct RegisterName {
  std::string_view kind;
  int number = 0;
};
std::optional<RegisterName> register_name(std::string_view text) {
  for (const std::string_view kind : {"UR", "UP", "R", "P"}) {
    if (!text.starts_with(kind)) continue;
    const std::string_view digits = text.substr(kind.size());
    if (digits == (kind.ends_with('R') ? "Z" : "T")) return RegisterName{kind, -1};
    const auto number = find_digits(digits, 10);
    if (!number || *number > 255) return std::nullopt;
    return RegisterName{kind, static_cast<int>(*number)};
  }
  return std::nullopt;
}

// "R5.reuse" is R5. A half or a byte of a register is not the register.
std::string_view without_reuse(std::string_view text) {
  constexpr std::string_view reuse = ".reuse";
  return text.ends_with(reuse) ? text.substr(0, text.size() - reuse.size()) : text;
}

std::string_view without_signs(std::string_view text) {
  while (!text.empty() && (text[0] == '-' || text[0] == '~' || text[0] == '!' || text[0] == '|')) text.remove_prefix(1);
  return text.substr(0, text.find('|'));
}

struct Constant {
  int bank = 0;
  std::int64_t offset = 0;
};
// c[0x0][0x210]
std::optional<Constant> constant_place(std::string_view text) {
  if (!text.starts_with("c[")) return std::nullopt;
  const std::size_t end = text.find("][");
  if (end == text.npos || !text.ends_with(']')) return std::nullopt;
  const auto bank = find_unsigned(text.substr(2, end - 2));
  const auto offset = find_unsigned(text.substr(end + 2, text.size() - end - 3));
  if (!bank || !offset || *bank > 31 || *offset > 0xffff) return std::nullopt;
  return Constant{static_cast<int>(*bank), static_cast<std::int64_t>(*offset)};
}

std::optional<std::int64_t> signed_number(std::string_view text) {
  const bool minus = text.starts_with('-');
  const auto value = find_unsigned(minus ? text.substr(1) : text);
  if (!value || *value > 0xffffffff) return std::nullopt;
  return minus ? -static_cast<std::int64_t>(*value) : static_cast<std::int64_t>(*value);
}

}  // namespace

std::optional<std::int64_t> local_place(std::string_view address) {
  if (address == "[R1]") return 0;
  if (!address.starts_with("[R1+") || !address.ends_with(']')) return std::nullopt;
  const auto place = signed_number(address.substr(4, address.size() - 5));
  return place && *place >= 0 && *place < (1 << 18) ? place : std::nullopt;
}

SassLine::SassLine(const SassInstruction& instruction, std::span<const std::string_view> operands,
                   const SassKernelContext& kernel)
    : instruction_(instruction), operands_(operands), kernel_(kernel) {
  std::string_view rest = instruction.opcode;
  while (true) {
    const std::size_t dot = rest.find('.');
    modifiers_.push_back(rest.substr(0, dot));
    if (dot == rest.npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (instruction_.guard.empty()) return;
  const bool is_negated = instruction_.guard.starts_with('!');
  const std::string_view bare = instruction_.guard.substr(is_negated ? 1 : 0);
  guard_ = fmt::format("@{} ", instruction_.guard);
  // Some statement may write the guard before another one reads it.
  if (name() != "R2P" && std::ranges::find(operands_, bare) == operands_.end()) return;
  guard_ = fmt::format("@{}guard ", is_negated ? "!" : "");
  before_ = fmt::format("mov.pred guard, {}; ", bare);
}

bool SassLine::has(std::string_view modifier) const {
  return std::ranges::find(modifiers(), modifier) != modifiers().end();
}

void SassLine::allow(std::initializer_list<std::string_view> allowed) {
  for (const std::string_view modifier : modifiers())
    if (std::ranges::find(allowed, modifier) == allowed.end()) fail();
}

bool SassLine::is_predicate(std::string_view operand) {
  const auto name = register_name(without_signs(operand));
  return name && name->kind.ends_with('P');
}

// ---- operands

std::string SassLine::constant(std::string_view operand, int add) {
  const auto place = constant_place(operand);
  if (!place) {
    fail();
    return "0";
  }
  const std::int64_t offset = place->offset + 4 * add;
  for (const int half : {0, 1})
    if (kernel_.bank.is_parameter_address(place->bank, offset - 4 * half)) {
      const std::string pair = new_pair(), low = new_word(), high = new_word();
      compute("mov.b64 {}, {}", pair, kernel_.bank.first_parameter());
      compute("mov.b64 {{{}, {}}}, {}", low, high, pair);
      return half == 0 ? low : high;
    }
  const ConstantBank::Read read = kernel_.bank.read(place->bank, offset);
  return word("{} {}", read.opcode, read.operand);
}

std::string SassLine::plain_source(std::string_view operand) {
  operand = without_reuse(operand);
  if (const auto name = register_name(operand)) {
    if (name->kind.ends_with('P')) fail();
    return name->number < 0 ? "0" : std::string(operand);
  }
  if (operand.starts_with("c[")) return constant(operand, 0);
  // `(name), 32@lo((name)): an address that only the linker knows, the same in every thread.
  if (operand.starts_with("`(") || operand.find("@lo(") != operand.npos || operand.find("@hi(") != operand.npos) {
    const std::string address = new_word();
    compute("sass_pure.address {{{}}}", address);
    return address;
  }
  if (const auto value = signed_number(operand)) return fmt::format("{}", *value);
  fail();
  return "0";
}

std::string SassLine::source(std::size_t place) {
  const std::string_view text = operand(place);
  if (const auto value = number(place)) return fmt::format("{}", *value);
  if (text.starts_with('-')) return word("neg.s32 {}", plain_source(text.substr(1)));
  if (text.starts_with('~')) return word("not.b32 {}", plain_source(text.substr(1)));
  return plain_source(text);
}

std::string SassLine::inverted_source(std::size_t place) {
  const std::string_view text = operand(place);
  if (!number(place) && (text.starts_with('-') || text.starts_with('~')))
    return word("not.b32 {}", plain_source(text.substr(1)));
  return source(place);
}

std::string SassLine::pair_at(std::string_view first, int add) {
  const auto name = register_name(without_reuse(first));
  if (!name || name->kind.ends_with('P')) {
    fail();
    return "0";
  }
  if (name->number < 0) return "0";
  const std::string pair = new_pair();
  compute("mov.b64 {}, {{{}{}, {}{}}}", pair, name->kind, name->number + add, name->kind, name->number + add + 1);
  return pair;
}

std::string SassLine::source_pair(std::size_t place) {
  std::string_view text = without_reuse(operand(place));
  if (text.ends_with(".64")) text.remove_suffix(3);
  if (text.starts_with("c[")) {
    const std::string low = constant(text, 0), high = constant(text, 1), pair = new_pair();
    compute("mov.b64 {}, {{{}, {}}}", pair, low, high);
    return pair;
  }
  if (const auto value = number(place)) return fmt::format("{}", *value);
  return pair_at(text, 0);
}

std::string SassLine::predicate(std::size_t place) {
  std::string_view text = operand(place);
  const bool negated = text.starts_with('!');
  if (negated) text.remove_prefix(1);
  const auto name = register_name(text);
  if (!name || !name->kind.ends_with('P')) {
    fail();
    return "yes";
  }
  return (negated ? "!" : "") + (name->number < 0 ? std::string("yes") : std::string(text));
}

std::optional<std::int64_t> SassLine::number(std::size_t place) const { return signed_number(operand(place)); }

bool SassLine::is_zero(std::size_t place) const {
  const std::string_view text = without_reuse(without_signs(operand(place)));
  return text == "RZ" || text == "URZ" || (number(place) && *number(place) == 0);
}

// [R3+UR4+0x10], [R0.X4+0x250], [R2.64+-0x8]; the terms are added, the last one is a constant.
std::string SassLine::address(std::size_t place, int bits) {
  std::string_view text = operand(place);
  if (const std::size_t at = text.find('['); text.starts_with("desc[")) text = text.substr(text.find(']') + 1);
  else if (at != 0) fail();
  if (!text.starts_with('[') || !text.ends_with(']')) {
    fail();
    return "0";
  }
  text = text.substr(1, text.size() - 2);
  std::string sum;
  std::int64_t constant = 0;
  for (std::string_view term : split(text, '+')) {
    term = without_reuse(trimmed(term));
    if (const auto value = signed_number(term)) {
      constant += *value;
      continue;
    }
    const std::size_t dot = std::min(term.find('.'), term.size());
    const std::string_view suffix = term.substr(dot);
    const auto name = register_name(term.substr(0, dot));
    if (!name || name->kind.ends_with('P')) {
      fail();
      return "0";
    }
    if (name->number < 0) continue;
    std::string part(term.substr(0, dot));
    if (suffix == ".64" || (bits == 64 && suffix.empty())) part = bits == 64 ? pair_at(part, 0) : (fail(), part);
    else if (suffix == ".X4" || suffix == ".X8" || suffix == ".X16")
      part = word("mul.lo.u32 {}, {}", part, suffix.substr(2));
    else if (suffix == ".U32" && bits == 64) {
      const std::string wide = new_pair();
      compute("cvt.u64.u32 {}, {}", wide, part);
      part = wide;
    } else if (!suffix.empty() && suffix != ".U32") fail();
    if (sum.empty()) sum = part;
    else if (bits == 64) {
      const std::string whole = new_pair();
      compute("add.u64 {}, {}, {}", whole, sum, part);
      sum = whole;
    } else {
      sum = word("add.u32 {}, {}", sum, part);
    }
  }
  if (sum.empty()) return fmt::format("{}", constant);
  return constant == 0 ? sum : fmt::format("{}{:+}", sum, constant);
}

std::string SassLine::register_after(std::string_view first, int add) {
  const auto name = register_name(without_reuse(first));
  if (!name || name->kind.ends_with('P')) {
    fail();
    return "_";
  }
  return name->number < 0 ? "_" : fmt::format("{}{}", name->kind, name->number + add);
}

std::string SassLine::registers(std::size_t place, int count) {
  const auto name = register_name(without_reuse(operand(place)));
  if (!name || name->kind.ends_with('P') || count < 1) {
    fail();
    return "_";
  }
  std::string text = count == 1 ? "" : "{";
  for (int i = 0; i < count; ++i)
    text += fmt::format(
        "{}{}", i == 0 ? "" : ", ",
        name->number < 0 || name->number + i > 254 ? "_" : fmt::format("{}{}", name->kind, name->number + i));
  return text + (count == 1 ? "" : "}");
}

// ---- results

std::string SassLine::result(std::size_t place) { return registers(place, 1); }

std::string SassLine::result_predicate(std::size_t place) {
  const auto name = register_name(operand(place));
  if (!name || !name->kind.ends_with('P')) {
    fail();
    return "_";
  }
  return name->number < 0 ? "_" : std::string(operand(place));
}

std::vector<std::string> SassLine::written(int count) const {
  std::vector<std::string> names;
  std::size_t wide = 0;  // the place of the first register: a predicate or a sink may come before it
  for (std::size_t place = 0; place < operands_.size(); ++place) {
    const auto name = register_name(without_reuse(operands_[place]));
    if (!name) continue;
    const bool is_predicate = name->kind.ends_with('P');
    if (is_predicate && name->number >= 0) names.emplace_back(operands_[place]);
    if (!is_predicate && place <= wide && name->number >= 0)
      for (int i = 0; i < count && name->number + i < 255; ++i)
        names.push_back(fmt::format("{}{}", name->kind, name->number + i));
    if (wide == place && (is_predicate || name->number < 0)) ++wide;
  }
  return names;
}

// "mov.b32 t0, 0; @P0 shl.b32 t0, R6, 2; ": the first statement, so that no result of an earlier instruction is left.
void SassLine::add_computation(const std::string& statement) {
  if (guards_all_ && !guard_.empty()) {
    const std::size_t first = statement.find(' ') + 1;
    const std::size_t end = statement[first] == '{' ? statement.find('}') : statement.find(',');
    for (std::string_view to : split(std::string_view(statement).substr(first, end - first), ',')) {
      to = trimmed(to);
      if (to.starts_with('{')) to.remove_prefix(1);
      if (to.starts_with("tp")) text_ += fmt::format("mov.pred {}, yes; ", to);
      else text_ += fmt::format("mov.b{} {}, 0; ", to.starts_with('q') ? 64 : 32, to);
    }
    text_ += guard_;
  }
  text_ += statement + "; ";
}

namespace {

// "R4", "R5" of "|R4|.reuse" if it is wide; every register and predicate that the operand names.
void add_named(std::string_view operand, bool is_wide, std::vector<std::string>& names) {
  for (std::size_t i = 0; i < operand.size(); ++i) {
    if (std::isalnum(static_cast<unsigned char>(operand[i])) == 0) continue;
    std::size_t end = i;
    while (end < operand.size() && std::isalnum(static_cast<unsigned char>(operand[end])) != 0) ++end;
    const auto name = register_name(operand.substr(i, end - i));
    i = end;
    if (!name || name->number < 0) continue;
    const int words = is_wide && name->kind.ends_with('R') ? 2 : 1;
    for (int k = 0; k < words; ++k) names.push_back(fmt::format("{}{}", name->kind, name->number + k));
  }
}

}  // namespace

// [P,] D [, P [, P]], sources. Of an instruction without registers its first two predicates are results, of a vote a
// register and a predicate or one of them.
SassLine::Parted SassLine::parted(int count) const {
  const bool is_float_pair = name() == "FADD2" || name() == "FFMA2" || name() == "FMUL2";
  const bool has_pairs = has("F64") || has("S64") || has("U64") || has("64") || has("WIDE") || has("HI");
  const bool is_wide = name().starts_with('D') || is_float_pair || (has_pairs && name() != "SHF");
  Parted parts;
  std::size_t place = 0;
  const auto take_predicates = [&](std::size_t most) {
    for (std::size_t i = 0; i < most && is_predicate(operand(place)) && !operand(place).starts_with('!'); ++i, ++place)
      if (register_name(operand(place))->number >= 0) parts.results.emplace_back(operand(place));
  };
  const bool is_vote = name() == "VOTE" || name() == "VOTEU", has_mask = is_vote && !is_predicate(operand(0));
  if (!has_mask) take_predicates(count == 0 ? 2 : 1);
  if (count > 0 && (!is_vote || has_mask)) {
    const auto name = register_name(without_reuse(operand(place)));
    for (int i = 0; name && name->number >= 0 && i < count; ++i)
      parts.results.push_back(fmt::format("{}{}", name->kind, name->number + i));
    ++place;
    take_predicates(is_vote ? 1 : 2);
  }
  for (; place < operands_.size(); ++place) add_named(operands_[place], is_wide, parts.sources);
  return parts;
}

void SassLine::pure(int count) {
  const Parted parts = parted(count);
  if (parts.results.empty()) return;
  const std::string opcode = "sass_pure." + lower_case(instruction_.opcode);
  // A statement has up to three operands: what it makes of them is one operand of the next.
  std::vector<std::string> sources = parts.sources;
  while (sources.size() > 3) {
    const std::string joined = new_word();
    compute("{} {}, {}, {}, {}", opcode, joined, sources[0], sources[1], sources[2]);
    sources.erase(sources.begin(), sources.begin() + 3);
    sources.insert(sources.begin(), joined);
  }
  act("{} {{{}}}{}{}", opcode, fmt::join(parts.results, ", "), sources.empty() ? "" : ", ", fmt::join(sources, ", "));
}

void SassLine::unknown(const std::vector<std::string>& names) {
  if (names.empty()) return;
  const bool is_uniform = std::ranges::all_of(names, [](const std::string& name) { return name.starts_with('U'); });
  act("{}.{} {{{}}}", is_uniform ? "sass_uniform" : "sass_unknown", lower_case(instruction_.opcode),
      fmt::join(names, ", "));
}

}  // namespace swz
