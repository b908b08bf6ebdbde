#include "view/arch_parts.hpp"

#include <fmt/format.h>

#include "arch/observations.hpp"
#include "arch/tensor_map_enum.hpp"
#include "arch/tensor_map_format.hpp"
#include "tma/tensor_map.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz::arch_parts {

using Align = Column::Align;

Table sourced(std::string key, std::string title, std::vector<Column> columns) {
  columns.push_back({"evidence", "evidence"});
  columns.push_back({"source", "source"});
  return {std::move(key), std::move(title), std::move(columns), {}};
}

void add(Table& table, Row row, const Source& source) {
  row.push_back(text(to_string(source.evidence)));
  row.push_back(text(source.where));
  table.rows.push_back(std::move(row));
}

namespace {

Cell code(std::optional<int> value) { return value ? Cell{*value} : Cell{nullptr}; }

void add_enums(Document& d) {
  Table types = sourced("tensor_map_types", "data types of a tensor map",
                        {{"name", "type"},
                         {"value", "enum", Align::right},
                         {"code", "in the map", Align::right},
                         {"replace_code", "replace", Align::right},
                         {"gmem_bits", "bits", Align::right},
                         {"smem_bits", "in SMEM", Align::right}});
  for (const TensorMapDataTypeRow& row : tensor_map_data_types())
    add(types,
        {name_cell(row.name),
         {static_cast<int>(row.value)},
         code(row.code),
         {row.replace_code},
         {row.gmem_bits},
         {row.smem_bits}},
        row.source);
  d.add(std::move(types));
  Table swizzles = sourced("tensor_map_swizzles", "swizzles of a tensor map",
                           {{"name", "swizzle"},
                            {"value", "enum", Align::right},
                            {"code", "in the map", Align::right},
                            {"span", "widest row B", Align::right},
                            {"byte_swizzle", "on bytes"}});
  for (const TensorMapSwizzleRow& row : tensor_map_swizzles())
    add(swizzles,
        {name_cell(row.name),
         {static_cast<int>(row.value)},
         code(row.code),
         optional_number(row.span.count),
         {fmt::format("Sw<{},{},{}>", row.bits, row.base, row.shift)}},
        row.source);
  d.add(std::move(swizzles));
}

void add_fields(Document& d) {
  Table fields = sourced("tensor_map_fields", "the 128 bytes of a tensor map, as 16 words of 64 bits",
                         {{"name", "field"}, {"word", "word", Align::right}, {"bits", "bits"}});
  const auto add_row = [&](Cell name, int word, const BitField& bits) {
    add(fields,
        {std::move(name), {word}, {Json{bits.low, bits.high()}, fmt::format("{}-{}", bits.low, bits.high())}},
        tensor_map_source);
  };
  for (const TensorMapFieldRow& row : tensor_map_fields) add_row(name_cell(field_name(row)), row.word, row.bits);
  for (const TensorMapReservedRow& row : tensor_map_reserved)
    add_row({"reserved", "", Tone::faint}, row.word, row.bits);
  d.add(std::move(fields));
}

void add_map_rules(Document& d) {
  Table rules = sourced("tensor_map_rules", "rules of cuTensorMapEncodeTiled",
                        {{"rule", "rule"},
                         {"argument", "argument"},
                         {"basis", "basis"},
                         {"refused", "refused"},
                         {"what", "the driver"},
                         {"text", "cuda.h, where it says something else"}});
  const auto add_all = [&](std::span<const TensorMapRule> rows, bool is_refused) {
    for (const TensorMapRule& row : rows)
      add(rules,
          {name_cell(row.name),
           text(row.argument),
           text(to_string(row.basis)),
           {is_refused},
           text(row.what),
           optional_text(row.text)},
          row.source);
  };
  add_all(refusal_rules(), true);
  add_all(remark_rules(), false);
  d.add(std::move(rules));
}

// Rules of their own, and those of tiled maps that they have too: a remark of those says what the driver was seen to do.
void add_im2col_rules(Document& d) {
  Table rules = sourced(
      "im2col_rules", "rules of cuTensorMapEncodeIm2col; …Im2colWide: those of cuda.h, not measured",
      {{"rule", "rule"}, {"argument", "argument"}, {"basis", "basis"}, {"refused", "refused"}, {"what", "what"}});
  const auto add_all = [&](std::span<const TensorMapRule> rows, bool is_refused) {
    for (const TensorMapRule& row : rows)
      if ((row.calls & of_images) != 0)
        add(rules,
            {name_cell(row.name),
             text(row.argument),
             text(to_string(row.basis)),
             {is_refused},
             text(is_refused || row.text.empty() ? row.what : row.text)},
            im2col_source(row.basis, false));
  };
  for (const auto rows : {im2col_rules(), refusal_rules()}) add_all(rows, true);
  for (const auto rows : {im2col_remark_rules(), remark_rules()}) add_all(rows, false);
  d.add(std::move(rules));
}

}  // namespace

void add_tensor_maps(Document& d) {
  add_enums(d);
  add_fields(d);
  add_map_rules(d);
  add_im2col_rules(d);
}

void add_observations(Document& d) {
  Table questions = sourced("questions", "asked of the hardware",
                            {{"name", "question"},
                             {"state", "state"},
                             {"question", ""},
                             {"tried", "tried"},
                             {"cases", "cases", Align::right},
                             {"result", "result"},
                             {"gpu", "GPU"}});
  for (const HardwareQuestion& row : hardware_questions())
    add(questions,
        {name_cell(row.name), text(to_string(row.state)), text(row.question), optional_text(row.tried),
         optional_number(row.cases), optional_text(row.result), optional_text(row.gpu)},
        row.source);
  d.add(std::move(questions));
  Table cute = sourced("cute", "compared with CuTe",
                       {{"what", "what"},
                        {"cases", "the same", Align::right},
                        {"unit", ""},
                        {"apart", "where they differ"},
                        {"test", "tests/cute"}});
  for (const CuteAgreement& row : cute_agreements())
    add(cute, {name_cell(row.what), {row.cases}, text(row.unit), optional_text(row.apart), text(row.test)},
        row.source);
  d.add(std::move(cute));
}

}  // namespace swz::arch_parts
