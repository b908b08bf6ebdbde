// SPDX-License-Identifier: Apache-2.0
#include "view/arch/arch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "arch/descriptor_format.hpp"
#include "arch/dtype.hpp"
#include "arch/instruction.hpp"
#include "arch/mistake.hpp"
#include "arch/observations.hpp"
#include "arch/swizzle_mode.hpp"
#include "arch/target.hpp"
#include "arch/tensor_map_enum.hpp"
#include "arch/tma_form.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/descriptor_word.hpp"
#include "descriptor/instruction_descriptor.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "smem/mma_operand.hpp"
#include "tma/tensor_map.hpp"
#include "tma/tensor_map_rules.hpp"
#include "view/arch/arch_table.hpp"
#include "view/document/headline.hpp"

namespace swz {

namespace {

using enum Column::Align;

// ---- columns

// Swizzle modes and the swizzles of tensor maps.
template <class Row>
ColumnOf<Row> byte_swizzle() {
  return {"byte_swizzle", "on bytes",
          [](const Row& row) { return fmt::format("Sw<{},{},{}>", row.bits, row.base, row.shift); }};
}

Cell bits_cell(const BitField& bits) { return {Json{bits.low, bits.high()}, bit_ranges(bits.mask())}; }

// ---- topics

void add_dtypes(Document& d) {
  d.add(sourced<DType>("dtypes", "element types", dtypes(),
                       {naming<DType>("type"),
                        {"value_bits", "bits", &DType::value_bits, right},
                        {"memory_bits", "in SMEM", &DType::memory_bits, right},
                        {"container_bits", "in f8f6f4", or_none(&DType::container_bits), right},
                        {"tensor_map_type", "tensor map", or_none(&DType::tensor_map_type)},
                        {"aliases", "also called", names(&DType::aliases)}}));
}

void add_targets(Document& d) {
  d.add(sourced<Target>("targets", "targets", targets(),
                        {naming<Target>("target"),
                         {"aliases", "also called", names(&Target::aliases)},
                         {"descriptor", "descriptor", [](const Target& row) { return to_string(row.descriptor); }},
                         {"max_smem_per_cta", "SMEM B/CTA", &Target::max_smem_per_cta, right},
                         {"reserved_smem", "reserved B", &Target::reserved_smem, right},
                         {"absolute_lbo", "absolute LBO", &Target::has_absolute_lbo},
                         {"tma", "TMA", &Target::has_tma},
                         {"fields_107", "words of sm_107", &Target::has_107_fields},
                         {"tmem_columns", "TMEM columns", &Target::tmem_columns, right},
                         {"hardware", "hardware", &Target::hardware}}));
  const auto carve_outs = [](const Target& row) {
    std::vector<std::string> steps;
    for (const int step : row.carve_outs) steps.push_back(std::to_string(step));
    return Cell(Json(row.carve_outs), fmt::format("{}", fmt::join(steps, " ")));
  };
  d.add(sourced<Target>("shared_memory", "shared memory", targets(),
                        {naming<Target>("target"),
                         {"smem_per_sm", "B/SM", &Target::smem_per_sm, right},
                         {"max_smem_per_cta", "B/CTA on request", &Target::max_smem_per_cta, right},
                         {"static_smem", "B/CTA of arrays", &Target::static_smem, right},
                         {"reserved_smem", "reserved B", &Target::reserved_smem, right},
                         {"granularity", "in steps of B", &Target::smem_granularity, right},
                         {"max_ctas", "CTAs/SM", &Target::max_ctas, right},
                         {"carve_outs", "KiB/SM to choose from", carve_outs}}));
}

void add_swizzle_modes(Document& d) {
  // JSON has all names; the table those that are not the mode's own, with commas.
  const auto also_called = [](const SwizzleMode& row) {
    const std::array all{row.atom_name, row.cutlass_sm90, row.cutlass_sm100, row.tma_name};
    Cell cell = name_list(all);
    std::vector<std::string_view> others;
    for (const std::string_view name : all)
      if (!name.empty() && name != row.name) others.push_back(name);
    cell.text = fmt::format("{}", fmt::join(others, ", "));
    return cell;
  };
  d.add(sourced<SwizzleMode>("swizzle_modes", "swizzle modes", swizzle_modes(),
                             {naming<SwizzleMode>("mode"),
                              {"wgmma_code", "wgmma", &SwizzleMode::wgmma_code, right},
                              {"tcgen05_code", "tcgen05", &SwizzleMode::tcgen05_code, right},
                              {"tma_code", "TMA", &SwizzleMode::tma_code, right},
                              byte_swizzle<SwizzleMode>(),
                              {"span", "span", &SwizzleMode::span, right},
                              {"atomicity", "moves", &SwizzleMode::atomicity, right},
                              {"lines", "lines", &SwizzleMode::lines, right},
                              {"atom", "atom", &SwizzleMode::atom, right},
                              {"pattern", "pattern", &SwizzleMode::pattern, right},
                              {"names", "also called", also_called}}));
  const SwizzleMode& widest = *std::ranges::find(swizzle_modes(), "128B", &SwizzleMode::name);
  d.headline = fmt::format("{} is code {} for wgmma, {} for tcgen05 and {} for TMA", widest.name, *widest.wgmma_code,
                           *widest.tcgen05_code, *widest.tma_code);
  d.add(
      Paragraph{"wgmma, tcgen05, TMA: the code of the mode in the descriptor, and as CUtensorMapSwizzle\n"
                "on bytes: Sw<B,M,S> XORs bits M to M+B-1 of a byte address with those S above\n"
                "span: the bytes of a line; moves: the bytes that stay together; lines: the rows of an atom\n"
                "atom: lines times span; pattern: the bytes after which the XOR repeats\n"
                "TMA also has 128B_ATOM_64B and 128B_ATOM_32B_FLIP_8B, which no descriptor reads"});
}

void add_format(Document& d, std::string key, const DescriptorFormat& format) {
  const auto unit = [](const FieldRow& row) {
    return row.scale == 0 ? Cell(nullptr, "code") : Cell(row.scale, fmt::format("x {} {}", row.scale, row.unit));
  };
  const auto field_name = [](const FieldRow& row) { return Cell(to_string(row.id), "", Tone::strong); };
  Table table = sourced<FieldRow>(std::move(key), std::string(format.what), format.fields,
                                  {{"name", "field", field_name},
                                   {"bits", "bits", [](const FieldRow& row) { return bits_cell(row.bits); }},
                                   {"scale", "unit", unit, right},
                                   {"meaning", "meaning", &FieldRow::meaning}});
  for (const ReservedRow& row : format.reserved)
    table.rows.push_back({Cell("reserved", "", Tone::faint), bits_cell(row.bits), nullptr, "must be 0",
                          to_string(row.source.evidence), row.source.where});
  d.add(std::move(table));
}

void add_smem_descriptors(Document& d) {
  add_format(d, "wgmma_smem", wgmma_smem_format);
  add_format(d, "tcgen05_smem", tcgen05_smem_format);
  add_format(d, "tcgen05_smem_107", tcgen05_smem_format_107);
  const auto modes = [](const StrideRoles& row) {
    std::vector<std::string_view> names;
    for (const SwizzleMode& mode : swizzle_modes())
      if (mode.family == row.family) names.push_back(mode.name);
    return name_list(names);
  };
  const auto leading = [](const StrideRoles& row) {
    return row.leading.empty() ? Cell(nullptr, "not used", Tone::faint) : Cell(row.leading);
  };
  d.add(sourced<StrideRoles>(
      "strides", "what LBO and SBO step over (W bytes: the span of the mode)", stride_roles(),
      {{"major", "major", [](const StrideRoles& row) { return Cell(to_string(row.major), "", Tone::strong); }},
       {"modes", "modes", modes},
       {"leading", "LBO", leading},
       {"past_span", "LBO past W bytes of K", or_none(&StrideRoles::past_span)},
       {"stride", "SBO", &StrideRoles::stride}}));
}

void add_instruction_descriptors(Document& d) {
  add_format(d, "plain_idesc", plain_idesc_format);
  add_format(d, "plain_idesc_107", plain_idesc_format_107);
  add_format(d, "mxf8f6f4_idesc", mxf8f6f4_idesc_format);
  add_format(d, "mxf8f6f4_idesc_107", mxf8f6f4_idesc_format_107);
  add_format(d, "mxf4_idesc", mxf4_idesc_format);
  add_format(d, "mxf4_idesc_107", mxf4_idesc_format_107);
}

void add_kinds(Document& d) {
  d.add(sourced<MmaKindRow>("kinds", "kinds of tcgen05.mma", mma_kinds(),
                            {naming<MmaKindRow>("kind"),
                             {"k_dense", "K dense", &MmaKindRow::k_dense, right},
                             {"k_sparse", "K sparse", &MmaKindRow::k_sparse, right},
                             {"block_scaled", "block scaled", &MmaKindRow::block_scaled},
                             {"may_transpose", "transpose", &MmaKindRow::may_transpose},
                             {"may_negate", "negate", &MmaKindRow::may_negate},
                             {"may_saturate", "saturate", &MmaKindRow::may_saturate},
                             {"may_select", "selector", &MmaKindRow::may_select},
                             {"targets", "only on", names(&MmaKindRow::only_on)}}));
  const auto role = [](const TypeCode& row) {
    return row.role == TypeRole::a_b ? "A, B" : row.role == TypeRole::d ? "D" : "scale factors";
  };
  d.add(sourced<TypeCode>("type_codes", "type codes", type_codes(),
                          {{"role", "of", role},
                           {"code", "code", &TypeCode::code, right},
                           naming<TypeCode>("type", "dtype", &TypeCode::dtype),
                           {"kinds", "kinds", [](const TypeCode& row) { return name_list(names_of_kinds(row.kinds)); }},
                           {"targets", "targets", target_list(&TypeCode::on)}}));
}

void add_shapes(Document& d) {
  const auto sparsity = [](const MmaShape& row) {
    return row.sparsity == Sparsity::either ? "either" : row.sparsity == Sparsity::dense ? "dense" : "sparse";
  };
  const auto k = [](const MmaShape& row) {
    return row.k == KSize::usual ? Cell(nullptr, "of the kind")
           : row.k == KSize::k96 ? Cell(96)
                                 : Cell("twice", "twice it");
  };
  d.add(sourced<MmaShape>("shapes", "shapes of tcgen05.mma", mma_shapes(),
                          {{"kinds", "kinds", [](const MmaShape& row) { return name_list(names_of_kinds(row.kinds)); }},
                           {"group", "form", &MmaShape::group},
                           {"m", "M", [](const MmaShape& row) { return to_string(row.m); }},
                           {"n", "N", [](const MmaShape& row) { return to_string(row.n); }},
                           {"sparsity", "A", sparsity},
                           {"k", "K", k},
                           {"targets", "targets", target_list(&MmaShape::on)}}));
}

template <class Rule>
void add_rules(Document& d, std::string key, std::string title, std::span<const Rule> rules) {
  d.add(sourced<Rule>(std::move(key), std::move(title), rules,
                      {naming<Rule>("rule", "rule"),
                       {"severity", "severity", [](const Rule& row) { return to_string(row.severity); }},
                       {"what", "what", &Rule::what}}));
}

void add_lints(Document& d) {
  add_rules(d, "smem_rules", "rules of SMEM descriptors", smem_rules());
  add_rules(d, "idesc_rules", "rules of instruction descriptors", instruction_rules());
  d.add(sourced<OperandRule>("operand_rules", "operands that no instruction reads", operand_rules(),
                             {naming<OperandRule>("rule", "rule"), {"what", "what", &OperandRule::what}}));
}

// ---- tensor maps

void add_map_enums(Document& d) {
  using Type = TensorMapDataTypeRow;
  using Swizzle = TensorMapSwizzleRow;
  d.add(sourced<Type>("tensor_map_types", "data types of a tensor map", tensor_map_data_types(),
                      {naming<Type>("type"),
                       {"value", "enum", [](const Type& row) { return static_cast<int>(row.value); }, right},
                       {"code", "in the map", &Type::code, right},
                       {"replace_code", "replace", &Type::replace_code, right},
                       {"gmem_bits", "bits", &Type::gmem_bits, right},
                       {"smem_bits", "in SMEM", &Type::smem_bits, right}}));
  std::vector<Swizzle> swizzles(tensor_map_swizzles().begin(), tensor_map_swizzles().end());
  swizzles.push_back(swizzle_96());
  const auto value = [](const Swizzle& row) {
    return row.value == TensorMapSwizzle::b96 ? Cell(nullptr, "-") : Cell(static_cast<int>(row.value));
  };
  d.add(sourced<Swizzle>("tensor_map_swizzles", "swizzles of a tensor map", swizzles,
                         {naming<Swizzle>("swizzle"),
                          {"value", "enum", value, right},
                          {"code", "in the map", &Swizzle::code, right},
                          {"span", "widest row B", or_none(&Swizzle::span), right},
                          byte_swizzle<Swizzle>()}));
}

void add_tma_forms(Document& d) {
  d.add(sourced<TmaForm>("tma_forms", "forms of TMA's instructions", tma_forms(),
                         {naming<TmaForm>("form"), {"targets", "targets", target_list(&TmaForm::availability)}}));
}

void add_map_fields(Document& d) {
  struct Bits {
    Cell name;
    int word;
    BitField bits;
    Source source = tensor_map_source;
  };
  std::vector<Bits> rows;
  for (const TensorMapFieldRow& row : tensor_map_fields())
    rows.push_back({Cell(field_name(row), "", Tone::strong), row.word, row.bits});
  for (const TensorMapReservedRow& row : tensor_map_reserved())
    rows.push_back({Cell("reserved", "", Tone::faint), row.word, row.bits});
  const auto bits = [](const Bits& row) {
    return Cell(Json{row.bits.low, row.bits.high()}, fmt::format("{}-{}", row.bits.low, row.bits.high()));
  };
  d.add(sourced<Bits>("tensor_map_fields", "the 128 bytes of a tensor map, as 16 words of 64 bits", rows,
                      {{"name", "field", &Bits::name}, {"word", "word", &Bits::word, right}, {"bits", "bits", bits}}));
}

struct MapRule : TensorMapRule {
  bool is_refused = false;
};

void add_map_rules(Document& d) {
  std::vector<MapRule> tiled, im2col;
  const auto append = [](std::vector<MapRule>& rows, std::span<const TensorMapRule> rules, bool is_refused) {
    for (const TensorMapRule& rule : rules) rows.push_back({rule, is_refused});
  };
  append(tiled, refusal_rules(), true);
  append(tiled, remark_rules(), false);
  // The rules of im2col itself, and those of tiled maps that it shares: a remark of the latter gives what the driver
  // was seen to do.
  for (const auto rules : {im2col_rules(), refusal_rules()}) append(im2col, rules, true);
  for (const auto rules : {im2col_remark_rules(), remark_rules()}) append(im2col, rules, false);
  std::erase_if(im2col, [](const MapRule& rule) { return (rule.calls & of_images) == 0; });
  for (MapRule& rule : im2col) {
    if (!rule.is_refused && !rule.text.empty()) rule.what = rule.text;
    rule.source = im2col_source(rule.basis, false);
  }

  std::vector<ColumnOf<MapRule>> columns{naming<MapRule>("rule", "rule"),
                                         {"argument", "argument", &MapRule::argument},
                                         {"basis", "basis", [](const MapRule& row) { return to_string(row.basis); }},
                                         {"refused", "refused", &MapRule::is_refused},
                                         {"what", "what", &MapRule::what}};
  const Table of_im2col = sourced<MapRule>(
      "im2col_rules", "rules of cuTensorMapEncodeIm2col; …Im2colWide: those of cuda.h, not measured", im2col, columns);
  columns.back().label = "the driver";
  columns.push_back({"text", "cuda.h, where it differs", or_none(&MapRule::text)});
  d.add(sourced<MapRule>("tensor_map_rules", "rules of cuTensorMapEncodeTiled", tiled, columns));
  d.add(of_im2col);
}

void add_tensor_maps(Document& d) {
  add_tma_forms(d);
  add_map_enums(d);
  add_map_fields(d);
  add_map_rules(d);
}

void add_observations(Document& d) {
  using Question = HardwareQuestion;
  using Cute = CuteAgreement;
  d.add(sourced<Question>("questions", "asked of the hardware", hardware_questions(),
                          {naming<Question>("question"),
                           {"state", "state", [](const Question& row) { return to_string(row.state); }},
                           {"question", "", &Question::question},
                           {"tried", "tried", or_none(&Question::tried)},
                           {"cases", "cases", or_none(&Question::cases), right},
                           {"result", "result", or_none(&Question::result)},
                           {"gpu", "GPU", or_none(&Question::gpu)}}));
  d.add(sourced<Cute>("cute", "compared with CuTe", cute_agreements(),
                      {naming<Cute>("what", "what", &Cute::what),
                       {"cases", "the same", &Cute::cases, right},
                       {"unit", "", &Cute::unit},
                       {"apart", "where they differ", or_none(&Cute::apart)},
                       {"test", "tests/cute", &Cute::test}}));
}

void add_mistakes(Document& d) {
  d.add(sourced<MistakeRow>("mistakes", "mistakes", mistakes(),
                            {naming<MistakeRow>("mistake"),
                             {"found_by", "found by", &MistakeRow::found_by},
                             {"sentence", "what happened", &MistakeRow::sentence}}));
}

// The evidence and the source of the rows, which their first column names, said once for all rows that share them:
// "documented: 128B_32B (PTX ISA 9.1, 9.7.16.4.1)".
std::string sources_of(const Table& table) {
  struct Said {
    std::string evidence, source, rows;
  };
  std::vector<Said> said;
  for (const std::vector<Cell>& row : table.rows) {
    const auto text = [&](std::size_t column) { return row[column].value.get<std::string>(); };
    Said one{text(row.size() - 2), text(row.size() - 1), text(0)};
    const auto found = std::ranges::find_if(
        said, [&](const Said& other) { return other.evidence == one.evidence && other.source == one.source; });
    if (found == said.end()) said.push_back(std::move(one));
    else found->rows += ", " + one.rows;
  }
  std::string out;
  for (const Said& one : said)
    out += fmt::format("{}{}: {} ({})", out.empty() ? "" : "\n", one.evidence, one.rows, one.source);
  return out;
}

// The last columns of a topic's table, the other names of its rows and their sources, below it: so a row is one line.
void fold_last_columns(Document& d) {
  constexpr std::size_t last = 3;
  Table& table = std::get<Table>(d.blocks.front());
  const std::size_t names = table.columns.size() - last;
  Table below{"", "", {table.columns.front(), table.columns[names]}, {}};
  for (const std::vector<Cell>& row : table.rows) below.rows.push_back({row.front(), row[names]});
  for (Column& column : std::span(table.columns).last(last)) column.label.clear();
  const std::string sources = sources_of(table);
  d.blocks.insert(d.blocks.begin() + 1, std::move(below));
  d.add(Paragraph{sources});
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
    {"mistakes", add_mistakes},
    {"tma", add_tensor_maps},
    {"tcgen05", add_tcgen05},
    {"tmem", add_tensor_memory},
    {"scales", add_scales},
    {"narrow", add_narrow},
    {"sparse", add_sparse},
    {"clusters", add_clusters},
    {"gpus", add_gpus},
    {"observations", add_observations},
    {"open", add_open_questions},
};

}  // namespace

// "swizzle modes: none, 32B, 64B, 128B and 128B_32B"; of many rows only how many they are.
static std::string rows_text(const Table& table) {
  constexpr std::size_t most = 8;
  if (table.rows.size() > most) return short_sentence(fmt::format("{} {}", table.rows.size(), table.title));
  std::vector<std::string> names;
  for (const std::vector<Cell>& row : table.rows) {
    const Cell& name = row.front();
    const bool has_text = !name.text.empty() || !name.value.is_string();
    names.push_back(has_text ? name.text.empty() ? name.value.dump() : name.text : name.value.get<std::string>());
  }
  return short_sentence(fmt::format("{}: {}", table.title, join_and(names)));
}

std::vector<std::string> arch_topics() {
  std::vector<std::string> names;
  for (const Topic& topic : topics) names.emplace_back(topic.name);
  return names;
}

Document view_arch(std::string_view topic) {
  Document d;
  for (const Topic& row : topics)
    if (topic.empty() || row.name == topic) row.add(d);
  for (const Block& block : d.blocks)
    if (const auto* table = std::get_if<Table>(&block); table != nullptr && !table->key.empty())
      d.answers.push_back(table->key + "." + table->columns.front().key);
  if (topic.empty()) d.headline.clear();
  if (topic == "swizzle") {
    fold_last_columns(d);
    d.add(Drawing{
        [](Medium medium) { return medium == Medium::page ? Document().add(swizzle_modes_figure()) : Document(); }});
  }
  for (const Block& block : d.blocks)
    if (const auto* table = std::get_if<Table>(&block); table != nullptr && d.headline.empty() && !table->title.empty())
      d.headline = rows_text(*table);
  if (d.blocks.empty())
    throw usage_error(fmt::format("{} is not a topic of swz arch", quoted(topic)),
                      fmt::format("topics: {}", join_and(arch_topics())));
  return d;
}

}  // namespace swz
