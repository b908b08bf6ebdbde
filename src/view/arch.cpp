#include "view/arch.hpp"

#include <fmt/format.h>

#include "arch/dtype.hpp"
#include "arch/instruction_descriptor_format.hpp"
#include "arch/mma_shape.hpp"
#include "arch/smem_descriptor_format.hpp"
#include "arch/swizzle_mode.hpp"
#include "arch/target.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/descriptor_word.hpp"
#include "descriptor/instruction_descriptor.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "smem/legality.hpp"
#include "view/arch_parts.hpp"
#include "view/cells.hpp"

namespace swz {

namespace {

using namespace arch_parts;
using Align = Column::Align;
Cell code(std::optional<int> value) { return value ? Cell{*value} : Cell{nullptr}; }

std::vector<std::string_view> names_of_kinds(unsigned set) {
  std::vector<std::string_view> names;
  for (const MmaKindRow& row : mma_kinds())
    if (contains(set, row.kind)) names.push_back(row.name);
  return names;
}

void add_dtypes(Document& d) {
  Table table = sourced("dtypes", "element types",
                        {{"name", "type"},
                         {"value_bits", "bits", Align::right},
                         {"memory_bits", "in SMEM", Align::right},
                         {"container_bits", "in f8f6f4", Align::right},
                         {"tensor_map_type", "tensor map"},
                         {"aliases", "also called"}});
  for (const DType& row : dtypes())
    add(table,
        {name_cell(row.name),
         {row.value_bits},
         {row.memory_bits},
         optional_number(row.container_bits),
         optional_text(row.tensor_map_type),
         name_list(row.aliases)},
        row.source);
  d.add(std::move(table));
}

void add_targets(Document& d) {
  Table table = sourced("targets", "targets",
                        {{"name", "target"},
                         {"aliases", "also called"},
                         {"descriptor", "descriptor"},
                         {"max_smem_per_cta", "SMEM B/CTA", Align::right},
                         {"reserved_smem", "reserved B", Align::right},
                         {"absolute_lbo", "absolute LBO"},
                         {"tma", "TMA"},
                         {"hardware", "hardware"}});
  for (const Target& row : targets())
    add(table,
        {name_cell(row.name),
         name_list(row.aliases),
         text(to_string(row.descriptor)),
         {row.max_smem_per_cta.count},
         {row.reserved_smem.count},
         {row.has_absolute_lbo},
         {row.has_tma},
         text(row.hardware)},
        row.source);
  d.add(std::move(table));
}

void add_swizzle_modes(Document& d) {
  Table table = sourced("swizzle_modes", "swizzle modes",
                        {{"name", "mode"},
                         {"wgmma_code", "wgmma", Align::right},
                         {"tcgen05_code", "tcgen05", Align::right},
                         {"tma_code", "TMA", Align::right},
                         {"byte_swizzle", "on bytes"},
                         {"span", "span B", Align::right},
                         {"atomicity", "moves B", Align::right},
                         {"lines", "lines", Align::right},
                         {"atom", "atom B", Align::right},
                         {"pattern", "pattern B", Align::right},
                         {"names", "also called"}});
  for (const SwizzleMode& row : swizzle_modes())
    add(table,
        {name_cell(row.name),
         code(row.wgmma_code),
         code(row.tcgen05_code),
         code(row.tma_code),
         {fmt::format("Sw<{},{},{}>", row.bits, row.base, row.shift)},
         {row.span.count},
         {row.atomicity.count},
         {row.lines},
         {row.atom().count},
         {row.pattern().count},
         name_list(std::array{row.atom_name, row.cutlass_sm90, row.cutlass_sm100, row.tma_name})},
        row.source);
  d.add(std::move(table));
}

void add_format(Document& d, std::string key, const DescriptorFormat& format) {
  Table table =
      sourced(std::move(key), std::string(format.what),
              {{"name", "field"}, {"bits", "bits"}, {"scale", "unit", Align::right}, {"meaning", "meaning"}});
  for (const FieldRow& row : format.fields)
    add(table,
        {name_cell(to_string(row.id)),
         {Json{row.bits.low, row.bits.high()}, bit_ranges(row.bits.mask())},
         row.scale == 0 ? Cell{nullptr, "code"} : Cell{row.scale, fmt::format("x {} {}", row.scale, row.unit)},
         text(row.meaning)},
        row.source);
  for (const ReservedRow& row : format.reserved)
    add(table,
        {{"reserved", "", Tone::faint},
         {Json{row.bits.low, row.bits.high()}, bit_ranges(row.bits.mask())},
         {nullptr},
         text("must be 0")},
        row.source);
  d.add(std::move(table));
}

void add_smem_descriptors(Document& d) {
  add_format(d, "wgmma_smem", wgmma_smem_format);
  add_format(d, "tcgen05_smem", tcgen05_smem_format);
  Table table = sourced("strides", "what LBO and SBO step over (W bytes: the span of the mode)",
                        {{"major", "major"},
                         {"modes", "modes"},
                         {"leading", "LBO"},
                         {"past_span", "LBO past W bytes of K"},
                         {"stride", "SBO"}});
  for (const StrideRoles& row : stride_roles()) {
    std::vector<std::string_view> modes;
    for (const SwizzleMode& mode : swizzle_modes())
      if (mode.family == row.family) modes.push_back(mode.name);
    add(table,
        {name_cell(to_string(row.major)), name_list(modes),
         row.leading.empty() ? Cell{nullptr, "not used", Tone::faint} : text(row.leading),
         optional_text(row.past_span), text(row.stride)},
        row.source);
  }
  d.add(std::move(table));
}

void add_instruction_descriptors(Document& d) {
  add_format(d, "plain_idesc", plain_idesc_format);
  add_format(d, "mxf8f6f4_idesc", mxf8f6f4_idesc_format);
  add_format(d, "mxf4_idesc", mxf4_idesc_format);
}

void add_kinds(Document& d) {
  Table kinds = sourced("kinds", "kinds of tcgen05.mma",
                        {{"name", "kind"},
                         {"k_dense", "K dense", Align::right},
                         {"k_sparse", "K sparse", Align::right},
                         {"block_scaled", "block scaled"},
                         {"may_transpose", "transpose"},
                         {"may_negate", "negate"},
                         {"may_saturate", "saturate"},
                         {"may_select", "selector"},
                         {"targets", "only on"}});
  for (const MmaKindRow& row : mma_kinds())
    add(kinds,
        {name_cell(row.name),
         {row.k_dense},
         {row.k_sparse},
         {row.block_scaled},
         {row.may_transpose},
         {row.may_negate},
         {row.may_saturate},
         {row.may_select},
         name_list(row.only_on)},
        row.source);
  d.add(std::move(kinds));

  Table codes = sourced("type_codes", "type codes",
                        {{"role", "of"}, {"code", "code", Align::right}, {"dtype", "type"}, {"kinds", "kinds"}});
  const auto role_name = [](TypeRole role) {
    return role == TypeRole::a_b ? "A, B" : role == TypeRole::d ? "D" : "scale factors";
  };
  for (const TypeCode& row : type_codes())
    add(codes, {text(role_name(row.role)), {row.code}, name_cell(row.dtype), name_list(names_of_kinds(row.kinds))},
        row.source);
  d.add(std::move(codes));
}

void add_shapes(Document& d) {
  Table table =
      sourced("shapes", "shapes of tcgen05.mma",
              {{"kinds", "kinds"}, {"group", "form"}, {"m", "M"}, {"n", "N"}, {"sparsity", "A"}, {"k", "K"}});
  for (const MmaShape& row : mma_shapes()) {
    const std::string_view sparsity = row.sparsity == Sparsity::either  ? "either"
                                      : row.sparsity == Sparsity::dense ? "dense"
                                                                        : "sparse";
    add(table,
        {name_list(names_of_kinds(row.kinds)),
         text(row.group),
         {to_string(row.m)},
         {to_string(row.n)},
         text(sparsity),
         row.k96 ? Cell{96} : Cell{nullptr, "of the kind"}},
        row.source);
  }
  d.add(std::move(table));
}

template <class Rule>
void add_rules(Document& d, std::string key, std::string title, std::span<const Rule> rules) {
  Table table =
      sourced(std::move(key), std::move(title), {{"rule", "rule"}, {"severity", "severity"}, {"what", "what"}});
  for (const Rule& rule : rules)
    add(table, {name_cell(rule.name), text(to_string(rule.severity)), text(rule.what)}, rule.source);
  d.add(std::move(table));
}

void add_lints(Document& d) {
  add_rules(d, "smem_rules", "rules of SMEM descriptors", smem_rules());
  add_rules(d, "idesc_rules", "rules of instruction descriptors", instruction_rules());
  Table table =
      sourced("operand_rules", "operands that no instruction reads", {{"rule", "rule"}, {"what", "what"}});
  for (const OperandRule& rule : operand_rules()) add(table, {name_cell(rule.name), text(rule.what)}, rule.source);
  d.add(std::move(table));
}

struct Topic {
  std::string_view name;
  void (*add)(Document&);
};

constexpr Topic topics[] = {
    {"dtype", add_dtypes},
    {"targets", add_targets},
    {"swizzle", add_swizzle_modes},
    {"descriptor", add_smem_descriptors},
    {"idesc", add_instruction_descriptors},
    {"kinds", add_kinds},
    {"shapes", add_shapes},
    {"lints", add_lints},
    {"tma", add_tensor_maps},
    {"observations", add_observations},
};

}  // namespace

std::vector<std::string> arch_topics() {
  std::vector<std::string> names;
  for (const Topic& topic : topics) names.emplace_back(topic.name);
  return names;
}

Document view_arch(std::string_view topic) {
  Document d;
  bool found = false;
  for (const Topic& row : topics) {
    if (!topic.empty() && row.name != topic) continue;
    row.add(d);
    found = true;
  }
  if (!found)
    throw usage_error(fmt::format("{} is not a topic of swz arch", quoted(topic)),
                      fmt::format("topics: {}", join_and(arch_topics())));
  return d;
}

}  // namespace swz
