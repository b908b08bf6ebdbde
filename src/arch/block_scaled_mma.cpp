// SPDX-License-Identifier: Apache-2.0
#include "arch/block_scaled_mma.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace swz {
namespace {

using enum MmaKind;

using available::workstation;
constexpr Availability sparse_fp4{0, {"sm_120a", "sm_121a"}};
constexpr Source ptx{"PTX ISA 9.3, tables 38 and 39; ptxas 13.5.37"};
// ptxas 13.0.88 refuses it.
constexpr Source ptx_91{"PTX ISA 9.3, tables 38 and 39, from PTX ISA 9.1 on; ptxas 13.5.37"};

// clang-format off
//                   sparse  K bits vec
constexpr BlockScaledMma forms[] = {
    {mxf8f6f4, false,  32, 8, 1, "ue8m0", true,  workstation, ptx},
    {mxf4,     false,  64, 4, 2, "ue8m0", true,  workstation, ptx},
    {mxf4nvf4, false,  64, 4, 2, "ue8m0", false, workstation, ptx},
    {mxf4nvf4, false,  64, 4, 4, "ue4m3", false, workstation, ptx},
    {mxf4nvf4, false,  64, 4, 4, "ue8m0", false, workstation, ptx_91},
    {mxf8f6f4, true,   64, 8, 1, "ue8m0", true,  workstation, ptx},
    {mxf4,     true,  128, 4, 2, "ue8m0", true,  sparse_fp4, ptx},
    {mxf4nvf4, true,  128, 4, 2, "ue8m0", false, sparse_fp4, ptx},
    {mxf4nvf4, true,  128, 4, 4, "ue4m3", false, sparse_fp4, ptx},
    {mxf4nvf4, true,  128, 4, 4, "ue8m0", false, sparse_fp4, ptx_91},
};
// clang-format on

constexpr int register_bytes = 4;

std::string list_of(const std::vector<int>& ids) {
  std::vector<std::string> texts;
  for (const int id : ids) texts.push_back(fmt::format("{}", id));
  return join_and(texts);
}

std::optional<Advice> not_among(std::string_view what, int id, const std::vector<int>& legal, std::string_view of) {
  if (std::ranges::find(legal, id) != legal.end()) return std::nullopt;
  const int nearest = *std::ranges::min_element(legal, {}, [&](int one) { return std::abs(one - id); });
  const std::string way = legal.size() == 1 ? fmt::format("it is {}", legal[0])
                                            : fmt::format("it is {}; the nearest is {}", list_of(legal), nearest);
  return Advice{fmt::format("{} {} does not exist {}", what, id, of),
                fmt::format("{} ({})", way, to_string(scale_ids_source))};
}

}  // namespace

MmaInstruction BlockScaledMma::instruction() const {
  return {InstructionFamily::mma, 16, {{{8, 8, 1}}}, k, {}, bits, {"f32"}, availability, source};
}

std::span<const BlockScaledMma> block_scaled_mmas() { return forms; }

std::vector<const BlockScaledMma*> find_block_scaled(const BlockScaledQuery& query) {
  std::vector<const BlockScaledMma*> found;
  for (const BlockScaledMma& form : forms)
    if (form.kind == query.kind && form.is_sparse == query.is_sparse &&
        (query.scale_vec == 0 || form.scale_vec == query.scale_vec) &&
        (query.scale_type.empty() || form.scale_type == query.scale_type))
      found.push_back(&form);
  return found;
}

std::vector<int> legal_byte_ids(int scale_vec) {
  std::vector<int> ids;
  for (int id = 0; id < register_bytes; id += scale_vec) ids.push_back(id);
  return ids;
}

std::vector<int> legal_thread_ids(ScaleOperand operand) {
  return operand == ScaleOperand::a ? std::vector{0, 1} : std::vector{0, 1, 2, 3};
}

std::optional<Advice> broken_rule(ScaleIds ids, int scale_vec, ScaleOperand operand) {
  if (auto rule =
          not_among("byte-id", ids.byte, legal_byte_ids(scale_vec), fmt::format("for scale_vec::{}X", scale_vec)))
    return rule;
  return not_among("thread-id", ids.thread, legal_thread_ids(operand), operand == ScaleOperand::a ? "for A" : "for B");
}

}  // namespace swz
