#include "fragment/find.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fragment/find_mma.hpp"
#include "fragment/law.hpp"

namespace swz {

namespace {

using enum InstructionFamily;

constexpr InstructionFamily families[] = {ldmatrix, stmatrix, movmatrix, mma, wgmma};

std::vector<std::string> split(std::string_view name) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (c == '.') parts.emplace_back();
    else parts.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return parts;
}

// The parts that tell one matrix instruction from another, in any order.
std::vector<std::string> telling_parts(std::string_view name) {
  constexpr std::array<std::string_view, 7> silent = {"sync", "aligned", "shared", "shared::cta",
                                                      "m8n8", "b16",     "b8"};
  std::vector<std::string> parts = split(name);
  std::erase_if(parts, [&](const std::string& part) { return std::ranges::find(silent, part) != silent.end(); });
  std::ranges::sort(parts);
  return parts;
}

struct MatrixVariant {
  const MatrixInstruction* row = nullptr;
  int number = 1;
  bool transposed = false;
  std::string name() const { return matrix_name(*row, number, transposed); }
};

std::vector<MatrixVariant> matrix_variants(InstructionFamily family) {
  std::vector<MatrixVariant> variants;
  for (const MatrixInstruction& row : matrix_instructions()) {
    if (row.family != family) continue;
    for (const int number : row.numbers) {
      if (number == 0) continue;
      if (row.transpose != Transpose::yes) variants.push_back({&row, number, false});
      if (row.transpose != Transpose::no) variants.push_back({&row, number, true});
    }
  }
  return variants;
}

Operand matrix_operand(InstructionFamily family, const std::optional<Operand>& wanted) {
  if (family == movmatrix) {
    if (!wanted || *wanted == Operand::d || *wanted == Operand::a) return wanted.value_or(Operand::d);
    throw Error(fmt::format("movmatrix has no operand {}", to_string(*wanted)),
                "it has a, what a thread gives, and d, what it gets");
  }
  if (!wanted || *wanted == Operand::memory) return Operand::memory;
  throw Error(fmt::format("{} has no operand {}", to_string(family), to_string(*wanted)),
              "its one fragment is what it moves between registers and memory; name no operand");
}

[[noreturn]] void throw_unknown(std::string_view name, InstructionFamily family) {
  const std::vector<std::string> names = fragment_names(family);
  throw Error(fmt::format("{} is not a form of {}", quoted(name), to_string(family)),
              did_you_mean(name, names, "forms: " + join_and(names)));
}

Fragment find_matrix(InstructionFamily family, const FragmentRequest& request) {
  const std::vector<std::string> wanted = telling_parts(request.name);
  for (const MatrixVariant& variant : matrix_variants(family)) {
    if (telling_parts(variant.name()) != wanted) continue;
    if (!request.dtype.empty() || !request.accumulator.empty())
      throw Error(fmt::format("{} takes no element type", variant.name()),
                  fmt::format("it moves {} whatever they mean", variant.row->type));
    return matrix_fragment(*variant.row, variant.number, variant.transposed,
                           matrix_operand(family, request.operand));
  }
  throw_unknown(request.name, family);
}

[[noreturn]] void throw_unknown_family(std::string_view name) {
  std::vector<std::string> all, known;
  for (const InstructionFamily family : families) {
    known.emplace_back(to_string(family));
    for (std::string& candidate : fragment_names(family)) all.push_back(std::move(candidate));
  }
  const std::vector<std::string>& meant = nearest(name, all) ? all : known;
  throw Error(fmt::format("{} is not an instruction with a register fragment", quoted(name)),
              did_you_mean(
                  name, meant,
                  fmt::format("instructions: {}; for example ldmatrix.x4.trans or mma.m16n8k16", join_and(known))));
}

}  // namespace

Fragment find_fragment(const FragmentRequest& request) {
  constexpr std::size_t longest_name = 256;  // no instruction of PTX comes near it
  if (request.name.size() > longest_name) throw_unknown_family(request.name);
  const std::vector<std::string> parts = split(request.name);
  for (const InstructionFamily family : families) {
    if (parts[0] != to_string(family)) continue;
    if (family == mma || family == wgmma) return find_mma(family, parts, request);
    return find_matrix(family, request);
  }
  throw_unknown_family(request.name);
}

std::vector<Fragment> find_fragments(const FragmentRequest& request) {
  using enum Operand;
  const std::string family = split(request.name)[0];
  std::vector<Operand> all;
  if (family == to_string(mma)) all = {a, b, c, d};
  if (family == to_string(wgmma) || family == to_string(movmatrix)) all = {a, d};
  if (request.operand || all.empty()) return {find_fragment(request)};
  std::vector<Fragment> fragments;
  for (const Operand operand : all) {
    FragmentRequest one = request;
    one.operand = operand;
    fragments.push_back(find_fragment(one));
  }
  return fragments;
}

Operand require_operand(std::string_view name) {
  for (const Operand operand : {Operand::a, Operand::b, Operand::c, Operand::d}) {
    const std::string_view known = to_string(operand);
    if (name.size() == 1 && (name[0] == known[0] || name[0] == known[0] - 'a' + 'A')) return operand;
  }
  throw Error(fmt::format("{} is not an operand", quoted(name)), "operands: a, b, c and d");
}

std::vector<std::string> fragment_names(InstructionFamily family) {
  std::vector<std::string> names;
  for (const MatrixVariant& variant : matrix_variants(family)) names.push_back(variant.name());
  for (const MmaInstruction& row : mma_instructions()) {
    if (row.family != family) continue;
    std::string name = family == wgmma ? fmt::format("wgmma.m{}nNk{}", row.m, row.k) : shape_name(row, 8);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace swz
