// SPDX-License-Identifier: Apache-2.0
#include "fragment/instruction_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fragment/tmem_access.hpp"

namespace swz {

namespace {

// The longest instruction, a wgmma of N 256 with its registers, has about 1,500 characters.
constexpr std::size_t longest_text = std::size_t{1} << 14;

bool is_name_part(char c) { return is_word(c) || c == '.' || c == ':'; }

// Removes the dots and colons around a token; they belong to the surrounding text.
std::string_view without_edges(std::string_view token) {
  const std::size_t first = token.find_first_not_of(".:");
  if (first == std::string_view::npos) return {};
  return token.substr(first, token.find_last_not_of(".:") + 1 - first);
}

// The shape in "m16n8k16"; nullopt if it is not written like a shape. No instruction has an extent of more than four
// digits.
std::optional<MmaExtents> shape_in(std::string_view text) {
  MmaExtents shape;
  for (const auto& [letter, extent] : {std::pair{'m', &shape.m}, {'n', &shape.n}, {'k', &shape.k}}) {
    if (text.empty() || text.front() != letter) return std::nullopt;
    text.remove_prefix(1);
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits])) {
      if (digits == 4) return std::nullopt;
      *extent = *extent * 10 + (text[digits++] - '0');
    }
    if (*extent == 0) return std::nullopt;
    text.remove_prefix(digits);
  }
  return text.empty() ? std::optional(shape) : std::nullopt;
}

// The operands between commas. Brackets and braces stay whole.
std::vector<std::string_view> operands_of(std::string_view behind) {
  std::vector<std::string_view> operands;
  behind = behind.substr(0, behind.find(';'));
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= behind.size(); ++i) {
    const char c = i < behind.size() ? behind[i] : ',';
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != ',' || (depth > 0 && i < behind.size())) continue;
    std::string_view operand = behind.substr(begin, i - begin);
    constexpr std::string_view blanks = " \t\r\n\"\\";
    operand.remove_prefix(std::min(operand.find_first_not_of(blanks), operand.size()));
    operand = operand.substr(0, operand.find_last_not_of(blanks) + 1);
    operands.push_back(operand);
    begin = i + 1;
  }
  return operands;
}

// The operands of wgmma: D, A, B, scale-d, imm-scale-a, imm-scale-b[, imm-trans-a], imm-trans-b. Only 16-bit types have
// the last two; A in registers has no imm-trans-a.
void read_wgmma_operands(InstructionText& said, std::string_view behind) {
  const std::vector<std::string_view> operands = operands_of(behind);
  if (operands.size() < 3 || !operands[0].starts_with('{')) return;
  const bool in_registers = operands[1].starts_with('{');
  said.a_place = in_registers ? OperandPlace::registers : OperandPlace::shared_memory;
  const auto major_at = [&](std::size_t i) -> std::optional<Major> {
    if (i >= operands.size() || (operands[i] != "0" && operands[i] != "1")) return std::nullopt;
    return operands[i] == "0" ? Major::K : Major::MN;
  };
  if (said.a != "f16" && said.a != "bf16") return;
  if (!in_registers) said.a_major = major_at(6);
  said.b_major = major_at(in_registers ? 6 : 7);
}

std::optional<int> small_number(std::string_view text) {
  if (text.empty() || text.size() > 2 || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  int number = 0;
  for (const char digit : text) number = number * 10 + (digit - '0');
  return number;
}

// "{2, 1}"
std::optional<ScaleIds> ids_in(std::string_view operand) {
  if (!operand.starts_with('{') || !operand.ends_with('}')) return std::nullopt;
  const std::vector<std::string_view> ids = operands_of(operand.substr(1, operand.size() - 2));
  if (ids.size() != 2) return std::nullopt;
  const auto byte = small_number(ids[0]), thread = small_number(ids[1]);
  return byte && thread ? std::optional(ScaleIds{*byte, *thread}) : std::nullopt;
}

// d, a, b, c, {e, selector,} {scales of A, ids, scales of B, ids}
ScaleOperands read_scale_operands(const NameParts& named, std::string_view behind) {
  const std::vector<std::string_view> operands = operands_of(behind);
  const std::size_t scales = named.is_sparse ? 6 : 4;
  ScaleOperands read;
  if (named.is_sparse && operands.size() >= 6) read.selector = small_number(operands[5]);
  if (operands.size() != scales + 4) return read;
  read.sfa_ids = ids_in(operands[scales + 1]);
  read.sfb_ids = ids_in(operands[scales + 3]);
  return read;
}

bool is_ptx_name(std::string_view name) {
  constexpr std::array<std::string_view, 7> families = {"mma.",       "wgmma.",     "ldmatrix.", "stmatrix.",
                                                        "movmatrix.", "tcgen05.ld", "tcgen05.st"};
  constexpr std::array<std::string_view, 3> others = {"wgmma.fence", "wgmma.commit_group", "wgmma.wait_group"};
  const auto begins = [&](std::string_view family) { return name.starts_with(family); };
  return std::ranges::any_of(families, begins) && std::ranges::none_of(others, begins);
}

std::optional<InstructionText> read_ptx_name(std::string_view token, std::string_view behind) {
  const std::string name = lower_case(token);
  if (name == "tcgen05.mma" || name.starts_with("tcgen05.mma."))
    throw Error(fmt::format("{} names neither M nor N: they are in its instruction descriptor", quoted(token)),
                "swz decode --as idesc --kind f16 WORD reads them; as shape of an MMA give m128n256k16");
  if (!is_ptx_name(name)) return std::nullopt;
  InstructionText said{std::string(token), "PTX", std::string(token)};
  const std::vector<std::string> parts = split(name, '.');
  if (parts[0] != "mma" && parts[0] != "wgmma") return said;
  const NameParts named = read_parts(parts);
  said.shape = named.shape;
  if (named.types.size() >= 3) {
    said.d = named.types[0];
    said.a = named.types[1];
    said.b = named.types[2];
  }
  if (parts[0] == "wgmma") read_wgmma_operands(said, behind);
  else said.a_place = OperandPlace::registers;
  if (parts[0] == "mma") said.scales = read_scale_operands(named, behind);
  return said;
}

}  // namespace

std::string InstructionText::reading() const { return dialect == "PTX" ? "" : fmt::format("{} is {}", written, name); }

namespace {

// What only block-scaled and sparse MMAs have; false if the part is not of them.
bool read_scaled_part(const std::string& part, NameParts& said) {
  constexpr std::string_view kind = "kind::", vec = "scale_vec::";
  if (part == "block_scale") said.has_block_scale = true;
  else if (part.starts_with(kind)) said.kind = part.substr(kind.size());
  else if (part.size() == vec.size() + 2 && part.starts_with(vec) && is_digit(part[vec.size()]) && part.back() == 'x')
    said.scale_vec = part[vec.size()] - '0';
  else if (part == "ue8m0" || part == "ue4m3") said.scale_type = part;
  else if (part == "sp") said.is_sparse = true;
  else if (part == "sp::ordered_metadata") said.is_sparse = said.is_ordered = true;
  else return false;
  return true;
}

}  // namespace

NameParts read_parts(const std::vector<std::string>& parts) {
  constexpr std::array<std::string_view, 7> silent = {"sync", "aligned", "mma_async", "satfinite",
                                                      "xor",  "and",     "popc"};
  NameParts said;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (std::ranges::find(silent, part) != silent.end() || read_scaled_part(part, said)) continue;
    if (!said.shape && (said.shape = shape_in(part))) continue;
    if (part == "row" || part == "col") said.orders.push_back(part == "row" ? OperandOrder::row : OperandOrder::col);
    else if (const DType* dtype = find_dtype(part)) said.types.emplace_back(dtype->name);
    else if (said.unknown.empty()) said.unknown = part;
  }
  return said;
}

std::string NamedMma::ptx() const {
  if (row->family == InstructionFamily::wgmma) return fmt::format("{}.{}.{}.{}", shape_name(*row, n), d, a, b);
  return fmt::format("{}.row.col.{}.{}.{}.{}", shape_name(*row, n), d, a, b, d);
}

namespace {

// B may be of another row of the shape if both are floats in 8-bit containers: e4m3 x e2m1.
bool may_mix(const MmaInstruction& a, const MmaInstruction& b) {
  const auto is_small_float = [](const MmaInstruction& row) {
    return row.family == InstructionFamily::mma && row.bits == 8 && row.k == 32 &&
           require_dtype(row.types[0]).is_floating;
  };
  return &a == &b || (is_small_float(a) && is_small_float(b));
}

}  // namespace

std::vector<NamedMma> named_mmas() {
  std::vector<NamedMma> found;
  for (const MmaInstruction& row : mma_instructions())
    for (const MmaInstruction& other : mma_instructions()) {
      if (!may_mix(row, other)) continue;
      for (int n = 8; n <= 256; n += 8)
        for (const std::string_view d : row.accumulators)
          for (const std::string_view a : row.types)
            for (const std::string_view b : other.types)
              if (row.takes(n) && !d.empty() && !a.empty() && !b.empty()) found.push_back({&row, n, d, a, b});
    }
  return found;
}

InstructionText text_of(const NamedMma& choice, std::string_view written, std::string_view dialect) {
  InstructionText said{std::string(written), dialect, choice.ptx()};
  said.shape = MmaExtents{choice.row->m, choice.n, choice.row->k};
  said.d = choice.d;
  said.a = choice.a;
  said.b = choice.b;
  if (choice.row->family == InstructionFamily::mma) said.a_place = OperandPlace::registers;
  return said;
}

void throw_unlisted(std::string_view written, std::string_view looked_up, std::string_view prefix,
                    const std::vector<std::string>& all) {
  constexpr std::size_t most_candidates = 12;
  std::vector<std::string> candidates;
  for (const std::string& name : all)
    if (name.starts_with(looked_up)) candidates.push_back(fmt::format("{}{}", prefix, name));
  if (candidates.empty()) {
    const auto guess = nearest(looked_up, all);
    throw Error(fmt::format("{} is not an instruction that swz has", quoted(written)),
                fmt::format("{}swz frag --list shows those that have a register fragment",
                            guess ? fmt::format("did you mean '{}{}'? ", prefix, *guess) : ""));
  }
  const std::size_t count = candidates.size();
  candidates.resize(std::min(count, most_candidates));
  const std::string list = count > most_candidates
                               ? fmt::format("{} and {} others", fmt::join(candidates, ", "), count - most_candidates)
                               : join_and(candidates);
  throw Error(fmt::format("{} does not fully name an instruction", quoted(written)),
              count == 1 ? "write it in full: " + list : "name one of " + list);
}

std::optional<InstructionText> read_instruction(std::string_view text) {
  if (text.size() > longest_text) return std::nullopt;
  std::optional<InstructionText> found;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    end = at + 1;
    if (!is_name_part(text[at])) continue;
    while (end < text.size() && is_name_part(text[end])) ++end;
    const std::string_view token = without_edges(text.substr(at, end - at));
    const std::string_view behind = text.substr(end);
    std::optional<InstructionText> said = read_ptx_name(token, behind);
    if (!said) said = read_cutlass_name(token, behind);
    if (!said) said = read_sass_name(token);
    if (!said) continue;
    if (found && found->name != said->name)
      throw Error(
          fmt::format("the text names two instructions, {} and {}", quoted(found->written), quoted(said->written)),
          "give one of them");
    if (!found) found = std::move(said);
  }
  return found;
}

}  // namespace swz
