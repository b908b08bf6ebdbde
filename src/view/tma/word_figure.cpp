// SPDX-License-Identifier: Apache-2.0
// The picture of an encoded tensor map: its 128 bytes by field.
//
//   word 4: 0x00001fff00000fff          8 bytes, most significant first, "dim 4096, 8192"
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "view/tma/tma.hpp"

namespace swz {
namespace {

using Field = TensorMapField;

// One hue for each group of fields.
int hue_of(Field field) {
  switch (field) {
    case Field::global_address: return 0;
    case Field::stride_low:
    case Field::stride_high: return 2;
    case Field::dim: return 3;
    case Field::box: return 4;
    case Field::element_stride: return 5;
    case Field::box_bytes:
    case Field::swizzle_pattern: return 6;
    default: return 1;
  }
}

constexpr std::array hue_names{"address",         "rank, type and options", "strides", "dimensions", "box",
                               "element strides", "computed by the driver"};

bool is_used(const TensorMapFieldRow& row, const TensorMap& map) {
  return row.count == 1 || row.index < (row.count == tensor_map_max_rank ? map.dim_count() : map.stride_count());
}

// "strides[0] 8192 B"; empty for a part of a number, or what `swz tma encode` lists already.
std::string text_of(const TensorMapFieldRow& row, const TensorMap& map) {
  const auto i = static_cast<std::size_t>(row.index);
  switch (row.id) {
    case Field::global_address: return fmt::format("address {:#x}", map.global_address);
    case Field::rank: return fmt::format("rank {}", map.rank);
    case Field::data_type: return std::string(short_name(map.data_type));
    case Field::swizzle: return std::string(short_name(map.swizzle));
    case Field::stride_low: return fmt::format("strides[{}] {} B", i, map.strides[i]);
    case Field::dim: return fmt::format("dims[{}] {}", i, map.dims[i]);
    case Field::box: return fmt::format("box[{}] {}", i, map.box[i]);
    case Field::box_bytes: return fmt::format("{} B per box", counted_box_bytes(map).count);
    case Field::swizzle_pattern: return fmt::format("{} B per pattern", find_row(map.swizzle)->pattern().count);
    case Field::stride_high: return i > 0 ? "" : "high bits of strides";
    case Field::element_stride:
      return i > 0 ? ""
                   : fmt::format("element strides {}", fmt::join(map.element_strides.begin(),
                                                                 map.element_strides.begin() + map.dim_count(), ","));
    default: return "";
  }
}

// A field of the 128 bytes as it is drawn.
struct DrawnField {
  int word = 0;
  BitField bits;
  int hue = 0;
  std::string name;
  std::string text;  // beside its word; may be empty
};

std::vector<DrawnField> drawn_fields(const TensorMap& map) {
  std::vector<DrawnField> fields;
  for (const TensorMapFieldRow& row : tensor_map_fields())
    if (is_used(row, map)) fields.push_back({row.word, row.bits, hue_of(row.id), field_name(row), text_of(row, map)});
  return fields;
}

// Where the fields are that share a byte: "swizzle in bits 14-13, type in 10-7, rank in 6-4".
std::string bits_of_options() {
  std::string text;
  for (const auto& [id, name] :
       {std::pair{Field::swizzle, "swizzle"}, {Field::data_type, "type"}, {Field::rank, "rank"}})
    for (const TensorMapFieldRow& row : tensor_map_fields())
      if (row.id == id)
        text += fmt::format("{} in {}{}-{}", text.empty() ? name : fmt::format(", {}", name),
                            text.empty() ? "bits " : "", row.bits.high(), row.bits.low);
  return text;
}

// The corners and pixels of an im2col map are where a tiled one has the rest of its box.
std::vector<DrawnField> drawn_fields(const Im2colMap& map) {
  constexpr int hue_of_option = 1, hue_of_box = 4;
  std::vector<DrawnField> fields;
  for (const TensorMapFieldRow& row : tensor_map_fields()) {
    if (row.id == Field::box || !is_used(row, map.tensor)) continue;
    const std::string text =
        row.id != Field::box_bytes ? text_of(row, map.tensor) : fmt::format("{} B a copy", encode_im2col(map).words[8]);
    fields.push_back({row.word, row.bits, hue_of(row.id), field_name(row), text});
  }
  for (const Im2colField& field : im2col_fields(map.tensor.rank)) {
    const bool is_flag = field.name == "im2col";
    std::string text = is_flag ? "im2col" : "";
    if (field.name == "channelsPerPixel") text = fmt::format("{} channels", map.channels_per_pixel);
    if (field.name == "pixelsPerColumn")
      text = fmt::format("lower {}, upper {}, {} pixels", tuple_text(first_of(map.lower_corner, map.corner_count())),
                         tuple_text(first_of(map.upper_corner, map.corner_count())), map.pixels_per_column);
    fields.push_back({field.word, field.bits, is_flag ? hue_of_option : hue_of_box, field.name, text});
  }
  return fields;
}

constexpr std::size_t used_words = 10;

// What the fields of a word say, the most significant first: "dims[1] 4096, dims[0] 8192".
std::string text_of_word(const std::vector<DrawnField>& fields, int word) {
  std::vector<DrawnField> in_order = fields;
  std::ranges::stable_sort(in_order, std::ranges::greater(), [](const DrawnField& field) { return field.bits.low; });
  std::string text;
  for (const DrawnField& field : in_order)
    if (field.word == word && !field.text.empty()) text += (text.empty() ? "" : ", ") + field.text;
  return text;
}

Grid word_panel(const EncodedTensorMap& encoded, const std::vector<DrawnField>& fields) {
  constexpr std::size_t bytes = 8;
  std::vector<std::string> labels;
  for (std::size_t word = 0; word < encoded.words.size(); ++word) labels.push_back(std::to_string(word));
  Grid grid = grid_of("16 words, most significant byte first", "word\\bit", labels,
                      {"63-56", "55-48", "47-40", "39-32", "31-24", "23-16", "15-8", "7-0"},
                      [&](std::int64_t word, std::int64_t column) {
                        const int low = static_cast<int>(bytes - 1 - static_cast<std::size_t>(column)) * 8;
                        const std::uint64_t value = encoded.words[static_cast<std::size_t>(word)] >> low & 0xff;
                        Grid::Square square{fmt::format("{:02x}", value)};
                        for (const DrawnField& field : fields) {
                          if (field.word != word || field.bits.high() < low || field.bits.low > low + 7) continue;
                          square.tint = {field.hue};
                          square.tip += (square.tip.empty() ? "" : "\n") + field.name;
                        }
                        return square;
                      });
  for (std::size_t word = 0; word < used_words; ++word) {
    const std::string text = text_of_word(fields, static_cast<int>(word));
    const Grid::Place at{static_cast<std::int64_t>(word), 0};
    if (!text.empty()) grid.arrows.push_back({Grid::Arrow::Kind::call_out, at, at, text});
    grid.key_rows.push_back(word);
  }
  return grid;
}

// The words with what their fields say; the last, which are 0, as one row. Text only.
Table words_table(const EncodedTensorMap& encoded, const std::vector<DrawnField>& fields) {
  Table table{"", "the 16 words", {{"", "word", Column::Align::right}, {"", "value"}, {"", "fields"}}, {}};
  for (std::size_t i = 0; i < used_words; ++i)
    table.rows.push_back({i, hex64(encoded.words[i]), text_of_word(fields, static_cast<int>(i))});
  table.rows.push_back({fmt::format("{}-{}", used_words, encoded.words.size() - 1), "0", "not used"});
  return table;
}

Figure words_figure(Grid panel, std::string box) {
  Figure figure;
  figure.panels = {{std::move(panel)}};
  for (std::size_t hue = 0; hue < hue_names.size(); ++hue)
    figure.legend.push_back(
        {std::string_view(hue_names[hue]) == "box" ? box : hue_names[hue], {static_cast<int>(hue)}});
  figure.legend_title = "colour: field";
  figure.caption = fmt::format(
      "Sizes are stored as one less, strides in units of 16 B; word 1 has the {}. Words 10 to 15 are 0, and so are the "
      "entries that the rank does not have.",
      bits_of_options());
  return figure;
}

}  // namespace

Figure word_figure(const EncodedTensorMap& encoded, const TensorMap& map) {
  return words_figure(word_panel(encoded, drawn_fields(map)), "box");
}

Figure word_figure(const EncodedTensorMap& encoded, const Im2colMap& map) {
  return words_figure(word_panel(encoded, drawn_fields(map)), "channels, corners and pixels");
}

Table word_table(const EncodedTensorMap& encoded, const TensorMap& map) {
  return words_table(encoded, drawn_fields(map));
}

Table word_table(const EncodedTensorMap& encoded, const Im2colMap& map) {
  return words_table(encoded, drawn_fields(map));
}

}  // namespace swz
