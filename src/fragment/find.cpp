// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "arch/instruction.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "fragment/block_scaled.hpp"
#include "fragment/fragment.hpp"
#include "fragment/instruction_text.hpp"
#include "fragment/sparse.hpp"
#include "fragment/tmem_access.hpp"

namespace swz {

namespace {

using enum InstructionFamily;

constexpr InstructionFamily families[] = {ldmatrix, stmatrix, movmatrix, mma, wgmma};

// The parts that distinguish a matrix instruction, in any order.
std::vector<std::string> telling_parts(std::string_view name) {
  constexpr std::array<std::string_view, 7> silent = {"sync", "aligned", "shared", "shared::cta", "m8n8", "b16", "b8"};
  std::vector<std::string> parts = split(lower_case(name), '.');
  std::erase_if(parts, [&](const std::string& part) { return std::ranges::find(silent, part) != silent.end(); });
  std::ranges::sort(parts);
  return parts;
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
  for (const MatrixForm& form : matrix_forms()) {
    if (form.row->family != family || telling_parts(form.name()) != wanted) continue;
    if (!request.dtype.empty() || !request.accumulator.empty())
      throw Error(fmt::format("{} takes no element type", form.name()),
                  fmt::format("it moves {} of any type", form.row->type));
    return matrix_fragment(*form.row, form.number, form.transposed, matrix_operand(family, request.operand));
  }
  throw_unknown(request.name, family);
}

[[noreturn]] void throw_unknown_family(std::string_view name) {
  std::vector<std::string> all, known;
  for (const InstructionFamily family : families) {
    known.emplace_back(to_string(family));
    for (std::string& candidate : fragment_names(family)) all.push_back(std::move(candidate));
  }
  known.emplace_back("tcgen05.ld");
  known.emplace_back("tcgen05.st");
  for (std::string& candidate : tmem_form_names()) all.push_back(std::move(candidate));
  const std::vector<std::string>& meant = nearest(name, all) ? all : known;
  throw Error(
      fmt::format("{} is not an instruction with a register fragment", quoted(name)),
      did_you_mean(name, meant,
                   fmt::format("instructions: {}; for example ldmatrix.x4.trans or mma.m16n8k16", join_and(known))));
}

std::string shape_list(InstructionFamily family) {
  std::string list = fmt::format("shapes: {}", join_and(fragment_names(family)));
  if (family != InstructionFamily::wgmma) return list;
  std::vector<std::string> ranges;
  for (const MmaInstruction& row : mma_instructions()) {
    std::string range = to_string(row.n);
    if (row.family == family && std::ranges::find(ranges, range) == ranges.end()) ranges.push_back(std::move(range));
  }
  return fmt::format("{}; N {} (s8, u8 and b1: {})", list, ranges.front(), ranges.back());
}

// The nearest shape, the first of several; empty if the family does not accept the type.
std::string nearest_shape(InstructionFamily family, const MmaExtents& wanted, std::string_view dtype) {
  std::optional<MmaExtents> best;
  for (const MmaInstruction& row : mma_instructions()) {
    if (row.family != family || (!dtype.empty() && !takes_type(row, dtype))) continue;
    for (int n = 8; n <= 256; n += 8) {
      const MmaExtents shape{row.m, n, row.k};
      if (row.takes(n) && (!best || distance(shape, wanted) < distance(*best, wanted))) best = shape;
    }
  }
  return best ? fmt::format("{}.{}", to_string(family), to_string(*best)) : "";
}

[[noreturn]] void throw_no_shape(InstructionFamily family, const MmaExtents& shape, std::string_view dtype) {
  std::string best = nearest_shape(family, shape, dtype);
  const bool of_dtype = !best.empty() && !dtype.empty();
  if (best.empty()) best = nearest_shape(family, shape, "");
  throw Error(
      fmt::format("{} has no shape {}", to_string(family), to_string(shape)),
      fmt::format("the nearest{} is {}; {}", of_dtype ? fmt::format(" of {}", dtype) : "", best, shape_list(family)));
}

using Rows = std::vector<const MmaInstruction*>;

// The type names of the rows, each once: of A and B (&MmaInstruction::types) or of C and D
// (&MmaInstruction::accumulators).
template <class Types>
std::string names_in(const Rows& rows, Types MmaInstruction::*types) {
  std::vector<std::string> names;
  for (const MmaInstruction* row : rows)
    for (const std::string_view type : row->*types)
      if (!type.empty() && std::ranges::find(names, type) == names.end()) names.emplace_back(type);
  return join_and(names);
}

std::string types_of(const Rows& rows) { return names_in(rows, &MmaInstruction::types); }

// The rows that accept the types, out of `rows`, which all have the one shape that `name` names.
Rows rows_of_types(const Rows& rows, std::string_view name, const MmaExtents& shape, Operand operand,
                   std::string_view dtype, std::string& accumulator) {
  Rows left = rows;
  const InstructionFamily family = rows.front()->family;
  if (!dtype.empty()) {
    std::erase_if(left, [&](const MmaInstruction* row) { return !takes_type(*row, dtype); });
    const bool is_accumulator = operand == Operand::c || operand == Operand::d;
    if (left.empty() && is_accumulator && accumulator.empty() &&
        std::ranges::any_of(rows, [&](const MmaInstruction* row) { return accumulates_in(*row, dtype); })) {
      accumulator = dtype;
      left = rows;
    }
    if (left.empty()) {
      const std::string other = nearest_shape(family, shape, dtype);
      throw Error(fmt::format("{} does not take {}", name, dtype),
                  other.empty() ? fmt::format("it takes {}; {} takes no {} in any shape", types_of(rows),
                                              to_string(family), dtype)
                                : fmt::format("it takes {}; the nearest of {} is {}", types_of(rows), dtype, other));
    }
  }
  if (accumulator.empty()) return left;
  const Rows before = left;
  std::erase_if(left, [&](const MmaInstruction* row) { return !accumulates_in(*row, accumulator); });
  if (left.empty())
    throw Error(fmt::format("{} of {} does not accumulate in {}", name, types_of(before), accumulator),
                fmt::format("it accumulates in {}", names_in(before, &MmaInstruction::accumulators)));
  return left;
}

std::string canonical(const std::string& dtype) {
  return dtype.empty() ? dtype : std::string(require_dtype(dtype).name);
}

bool same_map(const Fragment& a, const Fragment& b) {
  return tv_layout(a) == tv_layout(b) && a.rows == b.rows && a.columns == b.columns;
}

void require_mma_operand(InstructionFamily family, const std::optional<Operand>& operand, std::string_view name) {
  const bool is_wgmma = family == InstructionFamily::wgmma;
  std::string wrong;
  if (!operand) wrong = fmt::format("which operand of {}?", name);
  else if (*operand == Operand::sfa || *operand == Operand::sfb)
    wrong = fmt::format("{} has no scale factors: it is not block-scaled", name);
  else if (*operand == Operand::e) wrong = fmt::format("{} has no metadata: it is not sparse", name);
  else if (*operand == Operand::memory) wrong = fmt::format("{} moves nothing between registers and memory", name);
  else if (is_wgmma && *operand == Operand::b) wrong = "operand b of wgmma lies in shared memory, never in registers";
  else if (is_wgmma && *operand == Operand::c) wrong = "wgmma has no operand c, it adds to d";
  else return;
  throw Error(wrong, fmt::format("operands: {}", is_wgmma ? "a (when it lies in registers) and d" : "a, b, c and d"));
}

OperandOrders orders_of(const NameParts& said, const std::string& name) {
  if (said.orders.empty()) return {};
  if (said.orders.size() != 2)
    throw Error(fmt::format("{} names one order of A and B, or more than two", quoted(name)),
                "write .row or .col for A, then for B: .row.col");
  return {said.orders[0], said.orders[1]};
}

// Keeps the rows that accept A and B in these orders: all rows, or only m8n8k4 of f16.
void keep_orders(Rows& rows, std::string_view name, OperandOrders orders) {
  if (orders == OperandOrders()) return;
  std::erase_if(rows, [](const MmaInstruction* row) { return !row->is_quad_pair(); });
  if (rows.empty())
    throw Error(fmt::format("{} takes A as .row and B as .col only", name), "only m8n8k4 of f16 has a choice");
}

// The types are in PTX's order: D, A, B and, only for mma, C.
Fragment find_mma(InstructionFamily family, const NameParts& said, const FragmentRequest& request) {
  if (!said.shape || !said.unknown.empty()) {
    const std::string wrong =
        said.unknown.empty() ? "it names no shape" : quoted(said.unknown) + " is not a part of it";
    throw Error(fmt::format("{} is not a form of {}: {}", quoted(request.name), to_string(family), wrong),
                did_you_mean(request.name, fragment_names(family), shape_list(family)));
  }
  const std::size_t full = family == InstructionFamily::wgmma ? 3 : 4;
  if (!said.types.empty() && said.types.size() != full)
    throw Error(fmt::format("{} names {} types, not {}", quoted(request.name), said.types.size(), full),
                full == 4 ? "PTX names the types of D, A, B and C" : "PTX names the types of D, A and B");
  if (!said.types.empty() && !(request.dtype.empty() && request.accumulator.empty()))
    throw Error(fmt::format("{} already names its types", quoted(request.name)), "leave the element type out");

  require_mma_operand(family, request.operand, request.name);
  const Operand operand = *request.operand;
  std::string dtype = canonical(request.dtype), accumulator = canonical(request.accumulator);
  if (!said.types.empty()) {
    dtype = said.types[operand == Operand::b ? 2 : 1];
    accumulator = said.types[operand == Operand::c ? 3 : 0];
  }

  const MmaExtents shape = *said.shape;
  const int n = static_cast<int>(shape.n);
  Rows rows;
  for (const MmaInstruction& row : mma_instructions())
    if (row.family == family && row.m == shape.m && row.k == shape.k && row.takes(n)) rows.push_back(&row);
  if (rows.empty()) throw_no_shape(family, shape, dtype);
  const OperandOrders orders = orders_of(said, request.name);
  const std::string name = shape_name(*rows.front(), n);
  keep_orders(rows, name, orders);
  rows = rows_of_types(rows, name, shape, operand, dtype, accumulator);

  const auto fragment_of = [&](const MmaInstruction& row) {
    const bool is_input = operand == Operand::a || operand == Operand::b;
    const std::string_view own = !is_input                ? (accumulator.empty() ? row.accumulators[0] : accumulator)
                                 : takes_type(row, dtype) ? dtype
                                                          : row.types[0];
    return mma_fragment(row, n, operand, require_dtype(own), orders);
  };
  Fragment first = fragment_of(*rows.front());
  for (const MmaInstruction* row : rows)
    if (!same_map(first, fragment_of(*row)))
      throw Error(fmt::format("the {} fragment of {} depends on the element type", to_string(operand), first.name),
                  fmt::format("name one: {}", types_of(rows)));
  return first;
}

// What only a block-scaled or a sparse MMA has.
void require_unscaled(const FragmentRequest& request, bool may_be_sparse = false) {
  if (request.scale_vec || !request.scale_type.empty() || request.sfa_ids || request.sfb_ids)
    throw Error(fmt::format("{} has no scale factors", quoted(request.name)),
                "mma of kind::mxf8f6f4, mxf4 and mxf4nvf4 has");
  if (request.selector && !may_be_sparse)
    throw Error(fmt::format("{} has no sparsity selector", quoted(request.name)), "mma.sp and wgmma.sp have one");
}

// Dense, sparse or block-scaled.
Fragment find_any_mma(InstructionFamily family, const NameParts& said, const FragmentRequest& request) {
  if (family == mma && is_block_scaled(said, request)) return find_block_scaled(said, request);
  require_unscaled(request, said.is_sparse);
  if (!request.kind.empty() && request.kind != "f8f6f4")
    throw Error(fmt::format("{} has no kind::{}", to_string(family), request.kind),
                "kinds of mma: f8f6f4, mxf8f6f4, mxf4 and mxf4nvf4");
  return said.is_sparse ? find_sparse(family, said, request) : find_mma(family, said, request);
}

// The operands of an MMA or movmatrix that are in registers; empty for an instruction with only one fragment.
std::vector<Operand> register_operands(const FragmentRequest& request) {
  using enum Operand;
  const std::vector<std::string> parts = split(lower_case(request.name), '.');
  if (parts[0] == to_string(movmatrix)) return {a, d};
  const bool is_wgmma = parts[0] == to_string(wgmma);
  if (!is_wgmma && parts[0] != to_string(mma)) return {};
  std::vector<Operand> all = is_wgmma ? std::vector{a, d} : std::vector{a, b, c, d};
  if (request.name.size() > longest_fragment_name) return all;
  const NameParts said = read_parts(parts);
  const bool is_scaled = !is_wgmma && is_block_scaled(said, request);
  if (said.is_sparse) all.push_back(e);
  if (is_scaled) all.insert(all.end(), {sfa, sfb});
  return all;
}

Fragment find_tmem(const FragmentRequest& request) {
  TmemForm form = find_tmem_form(request.name);
  if (!request.dtype.empty() || !request.accumulator.empty())
    throw Error(fmt::format("{} takes no element type", form.name()), "it moves 32 bits of any type");
  if (request.operand && *request.operand != Operand::tmem)
    throw Error(fmt::format("{} has no operand {}", form.name(), to_string(*request.operand)),
                "its one fragment is what it moves between registers and tensor memory; name no operand");
  form.split_offset = request.split_offset;
  return tmem_fragment(form);
}

}  // namespace

Fragment find_fragment(const FragmentRequest& request) {
  if (request.name.size() > longest_fragment_name) throw_unknown_family(request.name);
  const std::vector<std::string> parts = split(lower_case(request.name), '.');
  if (parts[0] == "tcgen05") return find_tmem(request);
  if (request.split_offset)
    throw Error(fmt::format("{} has no split offset", quoted(request.name)), "tcgen05.ld and st of 16x32bx2 have one");
  for (const InstructionFamily family : families) {
    if (parts[0] != to_string(family)) continue;
    if (family == mma || family == wgmma) return find_any_mma(family, read_parts(parts), request);
    require_unscaled(request);
    return find_matrix(family, request);
  }
  throw_unknown_family(request.name);
}

std::vector<Fragment> find_fragments(const FragmentRequest& request) {
  const std::vector<Operand> all = request.operand ? std::vector<Operand>() : register_operands(request);
  if (all.empty()) return {find_fragment(request)};
  std::vector<Fragment> fragments;
  for (const Operand operand : all) {
    FragmentRequest one = request;
    one.operand = operand;
    fragments.push_back(find_fragment(one));
  }
  return fragments;
}

std::vector<std::string> fragment_names(InstructionFamily family) {
  std::vector<std::string> names;
  for (const MatrixForm& form : matrix_forms())
    if (form.row->family == family) names.push_back(form.name());
  for (const MmaInstruction& row : mma_instructions()) {
    if (row.family != family) continue;
    std::string name = family == wgmma ? fmt::format("wgmma.m{}nNk{}", row.m, row.k) : shape_name(row, 8);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace swz
