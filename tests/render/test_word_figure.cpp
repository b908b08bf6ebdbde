// SPDX-License-Identifier: Apache-2.0
// The picture of a word: brackets lie under the bits of their fields, and no label is in the way of another.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "arch/descriptor_format.hpp"
#include "render/painted_word.hpp"
#include "render/picture.hpp"
#include "render/scene_laws.hpp"

using namespace swz;

namespace {

constexpr double bits_width = 640;  // of 32 bits where there is room

// What a picture may not do, and: no line runs through a text.
std::string faults_in(const Scene& scene) {
  std::string text;
  for (const std::string& fault : faults_of(scene)) text += fault + "\n";
  for (const Label& label : items_of<Label>(scene))
    for (const Rule& rule : items_of<Rule>(scene)) {
      const TextBox box = box_of(label);
      const bool is_beside = std::max(rule.x1, rule.x2) <= box.left || std::min(rule.x1, rule.x2) >= box.right;
      const bool is_above = std::max(rule.y1, rule.y2) <= box.top || std::min(rule.y1, rule.y2) >= box.bottom;
      if (!is_beside && !is_above) text += "a line runs through '" + label.text + "'\n";
    }
  return text;
}

BitRow row_of(const DescriptorFormat& format, std::uint64_t word) {
  BitRow row{word, format.width, {}};
  for (const FieldRow& field : format.fields)
    row.parts.push_back({std::string(label(field.id)), field.bits, false, fmt::format("{}", field.bits.read(word))});
  for (const ReservedRow& reserved : format.reserved) row.parts.push_back({"reserved", reserved.bits, true});
  return row;
}

const std::vector<const DescriptorFormat*> formats{
    &wgmma_smem_format,      &tcgen05_smem_format,       &plain_idesc_format,
    &mxf8f6f4_idesc_format,  &mxf4_idesc_format,         &tcgen05_smem_format_107,
    &plain_idesc_format_107, &mxf8f6f4_idesc_format_107, &mxf4_idesc_format_107};

// The boxes of single bits, by number.
std::vector<Box> bit_boxes(const Scene& scene, int width) {
  std::vector<Box> boxes(static_cast<std::size_t>(width));
  for (const Box& box : items_of<Box>(scene))
    if (box.tip.rfind("bit ", 0) == 0) boxes.at(static_cast<std::size_t>(std::stoi(box.tip.substr(4)))) = box;
  return boxes;
}

}  // namespace

TEST_CASE("every format: a bracket under the bits of every field, with its name and value") {
  for (const DescriptorFormat* format : formats) {
    const std::uint64_t word = 0x5a5a5a5a5a5a5a5aULL & ~format->reserved_mask();
    const BitRow row = row_of(*format, word);
    const Scene scene = painted(row, bits_width);
    const std::vector<Box> bits = bit_boxes(scene, format->width);
    for (const BitRow::Part& part : row.parts) {
      INFO(format->name, " ", part.name);
      const Box &high = bits[static_cast<std::size_t>(part.bits.high())],
                &low = bits[static_cast<std::size_t>(part.bits.low)];
      CHECK(low.x - high.x == doctest::Approx((part.bits.width - 1) * low.width));
      const auto is_bracket = [&](const Rule& rule) {
        return rule.y1 == rule.y2 && rule.x1 > high.x && rule.x1 < high.x + high.width && rule.x2 > low.x &&
               rule.x2 < low.x + low.width && rule.y1 > low.y + low.height && rule.y1 < low.y + low.height + 8;
      };
      const std::vector<Rule> rules = items_of<Rule>(scene);
      CHECK(std::ranges::count_if(rules, is_bracket) == (part.reserved || part.bits.width == 1 ? 0 : 1));
      const std::string text = part.name + " = " + part.value;
      const std::vector<Label> labels = items_of<Label>(scene);
      CHECK(std::ranges::count(labels, text, &Label::text) >= (part.reserved ? 0 : 1));
      // Colours are those of the terminal: the first field has the first hue.
      if (part.reserved) CHECK(low.fill.ink == Ink::cell);
    }
  }
}

TEST_CASE("every format at three widths: labels and lines are clear of each other") {
  for (const DescriptorFormat* format : formats)
    for (const double width : {bits_width, 480.0, 317.0})
      for (const std::uint64_t word : {std::uint64_t{0}, std::uint64_t{0x5a5a5a5a5a5a5a5a}, ~std::uint64_t{0}}) {
        INFO(format->name, " ", width);
        CHECK(faults_in(painted(row_of(*format, word), width)) == "");
      }
}

TEST_CASE("any fields: the bits are in order, labels and lines are clear of each other") {
  std::mt19937 draw(20261122);
  const auto upto = [&](unsigned n) { return static_cast<int>(draw() % n); };
  for (int i = 0; i < 2000; ++i) {
    BitRow row{std::uint64_t{draw()} << 32 | draw(), upto(2) == 0 ? 64 : 1 + upto(64), {}};
    for (int low = 0; low < row.width;) {
      const int width = std::min(1 + upto(upto(3) == 0 ? 20 : 4), row.width - low);
      const bool is_gap = upto(4) == 0;
      if (!is_gap)
        row.parts.push_back({std::string(static_cast<std::size_t>(1 + upto(12)), 'n'),
                             {low, width},
                             upto(5) == 0,
                             std::string(static_cast<std::size_t>(upto(10)), 'v')});
      low += width;
    }
    const Scene scene = painted(row, i % 2 == 0 ? bits_width : 317);
    INFO("word ", i);
    CHECK(faults_in(scene) == "");
    std::string digits;
    for (const Label& label : items_of<Label>(scene))
      if (label.face == Label::Face::mono) digits += label.text;
    std::string expected;
    for (int bit = row.width - 1; bit >= 0; --bit) expected += (row.word >> bit & 1) != 0 ? '1' : '0';
    CHECK(digits == expected);
  }
}

TEST_CASE("bits that must be 0 are named when one is set; a field across both rows is named in each") {
  const auto texts = [](const BitRow& row) {
    std::string text;
    for (const Label& label : items_of<Label>(painted(row, bits_width)))
      if (label.face == Label::Face::sans && label.text.find_first_not_of("0123456789") != std::string::npos)
        text += label.text + "; ";
    return text;
  };
  CHECK(texts({0x25, 8, {{"low", {0, 4}, false, "5"}, {"high", {6, 2}, true}}}) == "unused (not 0); low = 5; ");
  CHECK(texts({0, 64, {{"across", {24, 16}, false, "x"}}}) == "across = x; across = x; ");
  CHECK(caption_of(BitRow{5, 8, {{"low", {0, 4}, false, "5"}, {"high", {6, 2}, false, "none"}}}) ==
        "high = none, low = 5");
}

TEST_CASE("several words are titled, one has the title of the picture") {
  const BitRow first{1, 32, {{"all", {0, 32}, false, "1"}}, "the first"};
  BitRow second = first;
  second.title = "the second";
  const auto titles = [](const Document& document) {
    std::string text;
    for (const Label& label : items_of<Label>(picture_of(document, {})))
      if (label.face == Label::Face::sans_bold) text += label.text + "; ";
    return text;
  };
  CHECK(titles(Document().add(first)) == "the first; ");
  CHECK(titles(Document().add(first).add(second)) == "the first; the second; ");
}

TEST_CASE("a title is bold where it has room on its lines, and not where a formula wraps") {
  const BitRow first{1, 32, {{"all", {0, 32}, false, "1"}}, "A: 0x01 from buffers + 8192*%r4 + 32768*%r11 + 32"};
  const Document document = Document("the question").add(first).add(first);
  const auto bold = [&](double width) {
    const std::vector<Label> labels = items_of<Label>(picture_of(document, {.width = {width}}));
    return std::ranges::any_of(labels, [](const Label& label) {
      return label.face == Label::Face::sans_bold && label.text.starts_with("A: 0x01");
    });
  };
  CHECK(bold(900));
  CHECK_FALSE(bold(200));
}
