// SPDX-License-Identifier: Apache-2.0
// A document without figures as a picture: its fields, tables and notes one below the other, in sans letters.
//
//   mode   fits  GMEM request      a heading, a line under it, and a line under each row
//   ----------------------------
//   64B    yes           64 B      a row that contains something good is filled: the one to choose
//
// Text that is wider than the room wraps in its column; numbers, words and source code do not. Columns that have no room
// then are below the others, each time after the first column, which names the row. Faint paragraphs, which
// tell how to continue, are only for the terminal.
//
// A page that is higher than its room ends with how many rows it leaves out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "render/display.hpp"
#include "render/picture.hpp"
#include "render/text.hpp"

namespace swz {
namespace {

using Face = Label::Face;

constexpr double body_size = 11, between_blocks = 12, between_paragraphs = 3, between_columns = 14, narrowest_cell = 90;
constexpr double line_height = body_size * 1.35;  // of paint_text
constexpr double row_padding = 3;

Ink ink_of(Tone tone) {
  switch (tone) {
    case Tone::faint: return Ink::soft;
    case Tone::bad: return Ink::alarm;
    case Tone::accent: return Ink::accent;
    case Tone::plain:
    case Tone::strong:
    case Tone::good: break;
  }
  return Ink::text;
}

Face face_of(Tone tone) { return tone == Tone::strong ? Face::sans_bold : Face::sans; }

double widest_line(const std::string& text, Face face) {
  double widest = 0;
  for (const std::string& line : wrap(printable(text, true), 0))
    widest = std::max(widest, text_width(line, body_size, face));
  return widest;
}

struct PageColumn {
  std::size_t index = 0;  // in Table::columns
  double width = 0;
  bool is_right = false;
  double least = 0;  // a word is never cut
};

std::string cell_text(const Table& table, const std::vector<Cell>& row, std::size_t column) {
  if (column >= row.size() || table.columns[column].label.empty()) return {};
  return shown_text(row[column]);
}

Face face_of_cell(const std::vector<Cell>& row, std::size_t column) {
  return column < row.size() ? face_of(row[column].tone) : Face::sans;
}

double widest_word(const std::string& text, Face face) {
  double widest = 0;
  for (const std::string& word : wrap(printable(text), 1)) widest = std::max(widest, text_width(word, body_size, face));
  return widest;
}

// The columns: whole headings if there is room, otherwise in several lines; then the widest text that can wrap shrinks.
std::vector<PageColumn> columns_in(const Table& table, const std::vector<std::size_t>& shown, double room) {
  std::vector<PageColumn> columns;
  double total = -between_columns;
  for (const std::size_t i : shown) {
    double width = 0, least = std::max(narrowest_cell, widest_word(table.columns[i].label, Face::sans_bold));
    for (const auto& row : table.rows) {
      const std::string text = cell_text(table, row, i);
      width = std::max(width, widest_line(text, face_of_cell(row, i)));
      least = std::max(least, widest_word(text, face_of_cell(row, i)));
    }
    columns.push_back({i, width, table.columns[i].align == Column::Align::right, least});
    total += std::max(width, widest_line(table.columns[i].label, Face::sans_bold)) + between_columns;
  }
  const bool is_wide = total > room;
  total = -between_columns;
  for (PageColumn& column : columns) {
    const std::string& label = table.columns[column.index].label;
    column.width =
        std::max(column.width, is_wide ? widest_word(label, Face::sans_bold) : widest_line(label, Face::sans_bold));
    total += column.width + between_columns;
  }
  for (constexpr double step = 6; total > room; total -= step) {
    PageColumn* widest = nullptr;
    for (PageColumn& column : columns)
      if (!column.is_right && column.width > column.least + step && (widest == nullptr || column.width > widest->width))
        widest = &column;
    if (widest == nullptr) break;
    widest->width -= step;
  }
  return columns;
}

double width_of(const std::vector<PageColumn>& columns) {
  double width = -between_columns;
  for (const PageColumn& column : columns) width += column.width + between_columns;
  return width;
}

// The columns that are beside each other: all of them if they have room, otherwise strips that begin with the first,
// without the sources.
std::vector<std::vector<PageColumn>> strips_in(const Table& table, double room) {
  std::vector<std::size_t> all, strip;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (!table.columns[i].label.empty()) all.push_back(i);
  if (all.empty()) return {};
  std::vector<std::vector<PageColumn>> strips{columns_in(table, all, room)};
  if (width_of(strips.front()) <= room || all.size() < 3) return strips;
  // Without room for all of them the sources are left to the text.
  std::erase_if(all, [&](std::size_t i) { return table.columns[i].label == "source"; });
  // Nor is the evidence worth a strip of its own.
  std::vector<std::size_t> proven = all;
  std::erase_if(proven, [&](std::size_t i) { return table.columns[i].label == "evidence"; });
  if (all.size() > proven.size() && width_of(columns_in(table, all, room)) > room &&
      width_of(columns_in(table, proven, room)) <= room)
    all = std::move(proven);
  strips.clear();
  for (const std::size_t column : all) {
    strip.push_back(column);
    if (strip.size() > 2 && width_of(columns_in(table, strip, room)) > room) {
      strip.pop_back();
      strips.push_back(columns_in(table, strip, room));
      strip = {all.front(), column};
    }
  }
  strips.push_back(columns_in(table, strip, room));
  return strips;
}

// A table of few rows that are only numbers, turned: a column for each row.
//
//   mode    none  32B  64B  128B
//   wgmma      0    3    2     1
//   span B    16   32   64   128
std::optional<Table> turned(const Table& table, double room) {
  constexpr std::size_t most_rows = 6, fewest_numbers = 3;
  Table numbers{"", table.title, {{"", table.columns.front().label}}, {}};
  for (const auto& row : table.rows) numbers.columns.push_back({"", shown_text(row.front()), Column::Align::right});
  for (std::size_t i = 1; i < table.columns.size(); ++i) {
    if (table.columns[i].label.empty() || table.columns[i].label == "source") continue;
    if (table.columns[i].align != Column::Align::right) return {};
    numbers.rows.push_back({Cell(table.columns[i].label, "", Tone::strong)});
    for (const auto& row : table.rows) numbers.rows.back().push_back(i < row.size() ? row[i] : Cell(""));
  }
  const bool has_room = table.rows.size() <= most_rows && numbers.rows.size() >= fewest_numbers &&
                        strips_in(numbers, room).size() == 1 && table.later.rows == 0;
  return has_room ? std::optional(numbers) : std::nullopt;
}

class ScenePage {
 public:
  // most_height 0: any.
  ScenePage(Scene& scene, double x, double y, double room, double most_height)
      : scene_(scene), x_(x), y_(y), room_(room), most_(most_height > 0 ? most_height : 1e9) {}

  void add(const Document& document) {
    end_fields();
    if (!document.title.empty() && has_room_for(between_blocks + 3 * line_height)) {
      begin_block();
      stack(put(document.title, 0, room_, Face::sans_bold, Ink::text));
    }
    add_blocks(document);
    end_fields();
  }
  // Says what is left out.
  void end() {
    if (!leaves_out()) return;
    begin_block();
    std::vector<std::string> left;
    if (left_rows_ > 0) left.push_back(plural(left_rows_, "row"));
    if (left_columns_ > 0) left.push_back(plural(left_columns_, "column"));
    if (left_lines_ > 0) left.push_back(plural(left_lines_, "line"));
    stack(put(fmt::format("… {} more: --full draws all, and the text has them", fmt::join(left, " and ")), 0, room_,
              Face::sans, Ink::soft));
  }
  bool leaves_out() const { return left_rows_ + left_columns_ + left_lines_ > 0; }
  Extent extent() const { return extent_; }

 private:
  // Whether the page has room for this height, and for the sentence of what is left out. Once it has none, it is at its
  // end.
  bool has_room_for(double height) {
    is_full_ = is_full_ || extent_.height + height + between_blocks + 2 * line_height > most_;
    return !is_full_;
  }
  void add_blocks(const Document& document) {
    for (const Block& block : document.blocks)
      if (block.shown != Block::Shown::in_short) std::visit([this](const auto& b) { add_block(b); }, block);
  }
  void add_block(const Sketch&) {}

  void add_block(const Field& field) {
    if (!field.label.empty()) fields_.push_back(&field);
  }
  void add_block(const Group& group) {
    end_fields();
    if (!group.in_text) return;
    for (const Document& member : group.members) add(member);
  }
  void add_block(const Drawing& drawing) {
    end_fields();
    const Document drawn = drawing.draw(Medium::terminal);  // its fields are read when they end
    add_blocks(drawn);
    end_fields();
  }
  void add_block(const Notes& notes) {
    end_fields();
    for (const Finding& note : notes.findings) {
      if (is_full_) return;
      begin_block();
      const bool is_note = note.severity == Severity::note;
      stack(put(is_note ? note.message : note.rule + ": " + note.message, 0, room_, Face::sans,
                is_note ? Ink::soft : Ink::alarm));
      if (!note.hint.empty()) stack(put(note.hint, body_size, room_ - body_size, Face::sans, Ink::soft));
    }
  }
  void add_block(const Paragraph& paragraph) {
    end_fields();
    if (paragraph.text.empty() || paragraph.tone == Tone::faint || is_full_) return;
    if (is_after_paragraph_) stack({0, between_paragraphs});
    else begin_block();
    is_after_paragraph_ = true;
    if (paragraph.is_verbatim) return add_code(paragraph);
    stack(put(paragraph.text, 0, room_, face_of(paragraph.tone), ink_of(paragraph.tone)));
  }
  void add_block(const Table& table) {
    end_fields();
    // Rules go a little past the text, which a font may draw wider than it was measured.
    constexpr double past = 4;
    if (!has_room_for(between_blocks + 4 * line_height)) return leave_out(table.rows.size());
    const std::vector<std::vector<PageColumn>> strips = strips_in(table, room_ - past);
    if (strips.empty() || table.rows.empty()) return;
    if (strips.size() > 1)
      if (const std::optional<Table> other = turned(table, room_ - past))
        return add_table(*other, strips_in(*other, room_ - past), past);
    add_table(table, strips, past);
  }
  void add_table(const Table& table, const std::vector<std::vector<PageColumn>>& strips, double past) {
    begin_block();
    if (!table.title.empty()) stack(put(table.title, 0, room_, Face::sans_bold, Ink::text), 4);
    std::vector<Cell> labels;
    for (const Column& column : table.columns) labels.emplace_back(column.label, "", Tone::strong);
    for (const std::vector<PageColumn>& columns : strips) {
      if (!has_room_for(3 * line_height)) {
        left_columns_ += std::ssize(columns) - 1;  // the first one names the row
        continue;
      }
      if (&columns != &strips.front()) stack({0, between_blocks});
      add_row(table, labels, columns, width_of(columns) + past, Ink::border);
      for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const std::size_t items = scene_.items.size();
        const Extent before = extent_;
        add_row(table, table.rows[row], columns, width_of(columns) + past, Ink::line);
        if (has_room_for(0)) continue;
        scene_.items.erase(scene_.items.begin() + static_cast<std::ptrdiff_t>(items), scene_.items.end());
        extent_ = before;
        return leave_out(table.rows.size() - row);
      }
    }
    if (table.later.rows > 0) stack(put(table.fold.text, 0, room_, Face::sans, Ink::soft), 4);
  }
  // What only a terminal shows of this document.
  template <class Other>
  void add_block(const Other& other) {
    end_fields();
    if (is_full_) return;
    begin_block();
    stack(put(render_text(Document().add(other), {}), 0, 1e9, Face::mono, Ink::text));
  }

  void leave_out(std::size_t rows) { left_rows_ += static_cast<std::int64_t>(rows); }

  void add_row(const Table& table, const std::vector<Cell>& row, const std::vector<PageColumn>& columns, double width,
               Ink line) {
    const bool is_good = std::ranges::any_of(row, [](const Cell& cell) { return cell.tone == Tone::good; });
    const std::size_t under = scene_.items.size();
    double at = 0, height = line_height;
    for (const PageColumn& column : columns) {
      const std::string text = cell_text(table, row, column.index);
      const Tone tone = column.index < row.size() ? row[column.index].tone : Tone::plain;
      const Paint paint = is_good ? Paint{Ink::on_tint, good_tint} : Paint{ink_of(tone)};
      height = std::max(height, put(text, at, column, face_of(tone), paint));
      at += column.width + between_columns;
    }
    height += row_padding;
    const double top = bottom() - row_padding / 2;
    if (is_good)
      scene_.items.insert(scene_.items.begin() + static_cast<std::ptrdiff_t>(under),
                          Box{x_, top, width, height, {Ink::tint, good_tint}, {Ink::line}, 0});
    stack({width, height});
    scene_.items.push_back(Rule{x_, top + height, x_ + width, top + height, {line}, line == Ink::border ? 1.25 : 0.5});
  }

  void end_fields() {
    if (is_full_) fields_.clear();
    if (fields_.empty()) return;
    begin_block();
    double labels = 0;
    for (const Field* field : fields_) labels = std::max(labels, widest_line(field->label, Face::sans));
    const double texts = labels + between_columns;
    for (const Field* field : fields_) {
      put(field->label, 0, labels + body_size, Face::sans, Ink::soft);
      const Extent text = put(shown_text(*field), texts, std::max(narrowest_cell, room_ - texts), face_of(field->tone),
                              ink_of(field->tone));
      stack(text, 2);
    }
    fields_.clear();
  }

  // Puts text at (at, bottom()); `at` counts from the left edge.
  Extent put(const std::string& text, double at, double width, Face face, Ink ink) {
    Extent extent = paint_text(scene_, text, x_ + at, bottom(), width, body_size, face, ink);
    extent.width += at;
    return extent;
  }
  // Puts a cell of a table and returns its height.
  double put(const std::string& text, double at, const PageColumn& column, Face face, const Paint& paint) {
    double height = 0;
    // Numbers do not wrap, but their heading does.
    const bool wraps = !column.is_right || face == Face::sans_bold;
    const double room = wraps ? column.width : 1e9;
    for (const std::string& line : text_lines(printable(text, true), room, body_size, face)) {
      if (!line.empty())
        scene_.items.push_back(Label{x_ + at + (column.is_right ? column.width : 0), bottom() + height + body_size,
                                     body_size, line, paint,
                                     column.is_right ? Label::Anchor::end : Label::Anchor::start, face});
      height += line_height;
    }
    return height;
  }

  // In a column a long line of code wraps, for otherwise the whole picture would shrink.
  void add_code(const Paragraph& paragraph) {
    const double room = room_ < narrow_room ? room_ : 1e9;
    std::vector<std::string> lines = text_lines(printable(paragraph.text, true), room, body_size, Face::mono);
    std::size_t fit = 0;
    while (fit < lines.size() && has_room_for(static_cast<double>(fit + 1) * line_height)) ++fit;
    left_lines_ += static_cast<std::int64_t>(lines.size() - fit);
    lines.resize(fit);
    if (fit > 0) stack(put(fmt::format("{}", fmt::join(lines, "\n")), 0, 1e9, Face::mono, ink_of(paragraph.tone)));
  }
  double bottom() const { return y_ + extent_.height; }
  void begin_block() {
    if (extent_.height > 0) extent_.height += between_blocks;
    is_after_paragraph_ = false;
  }
  void stack(const Extent& part, double gap = 0) { extent_.stack(part, gap); }

  static constexpr Tint good_tint{2, 2};

  Scene& scene_;
  double x_, y_, room_, most_;
  bool is_full_ = false;
  std::int64_t left_rows_ = 0, left_columns_ = 0, left_lines_ = 0;  // of tables, and of code
  Extent extent_;
  bool is_after_paragraph_ = false;
  std::vector<const Field*> fields_;
};

}  // namespace

Extent paint_page(Scene& scene, Document document, double x, double y, const Room& room) {
  document.title.clear();
  const auto paint_in = [&](Scene& on, double most_height) {
    ScenePage page(on, x, y, room.width, most_height);
    page.add(document);
    page.end();
    return page;
  };
  // What does not fit as a whole need not be as high as it may be.
  Scene measured;
  const bool is_cut = room.wanted_height > 0 && paint_in(measured, room.most_height).leaves_out();
  return paint_in(scene, is_cut ? room.wanted_height : room.most_height).extent();
}

}  // namespace swz
