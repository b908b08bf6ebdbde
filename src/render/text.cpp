#include "render/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "render/display.hpp"

namespace swz {

namespace {

using Lines = std::vector<std::string>;

// ---- tables

constexpr int column_gap = 2;
constexpr int narrowest_column = 16;

struct ShownColumn {
  std::size_t index;  // in Table::columns
  int columns;        // display width
  bool right;
};

std::string cell_text(const Table& table, std::size_t row, std::size_t column) {
  if (column >= table.rows[row].size()) return {};
  const Cell& cell = table.rows[row][column];
  return printable(cell.text.empty() ? text_of(cell.value) : cell.text, true);
}

Tone cell_tone(const Table& table, std::size_t row, std::size_t column) {
  return column < table.rows[row].size() ? table.rows[row][column].tone : Tone::plain;
}

int widest_line(std::string_view text) {
  int widest = 0;
  for (const std::string& line : wrap(text, 0)) widest = std::max(widest, display_width(line));
  return widest;
}

std::vector<ShownColumn> shown_columns(const Table& table) {
  std::vector<ShownColumn> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.label.empty()) continue;
    int widest = display_width(printable(column.label));
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      widest = std::max(widest, widest_line(cell_text(table, row, i)));
    shown.push_back({i, widest, column.align == Column::Align::right});
  }
  return shown;
}

// One row of a table: cells may have several lines; the row is as high as its highest cell.
void append_row(Lines& out, const std::vector<ShownColumn>& shown, const std::vector<Lines>& cells,
                const std::vector<Tone>& tones, bool color) {
  std::size_t height = 1;
  for (const Lines& cell : cells) height = std::max(height, cell.size());
  for (std::size_t y = 0; y < height; ++y) {
    std::string line;
    for (std::size_t x = 0; x < shown.size(); ++x) {
      const std::string text = y < cells[x].size() ? cells[x][y] : std::string();
      const std::string padding = pad_left("", shown[x].columns - display_width(text));
      if (x > 0) line.append(column_gap, ' ');
      if (shown[x].right) line += padding;
      line += paint(text, tones[x], color);
      // The last column is not padded: no line ends in a space.
      if (!shown[x].right && x + 1 < shown.size()) line += padding;
    }
    out.push_back(std::move(line));
  }
}

// Takes columns from the widest text until the table fits; wrap then breaks it between words. A word that is longer
// than its column stands out, because a number, a layout or a word is never cut.
void narrow(std::vector<ShownColumn>& shown, int width) {
  int total = -column_gap;
  for (const ShownColumn& column : shown) total += column.columns + column_gap;
  while (total > width) {
    ShownColumn* widest = nullptr;
    for (ShownColumn& column : shown)
      if (!column.right && column.columns > narrowest_column && (!widest || column.columns >= widest->columns))
        widest = &column;
    if (widest == nullptr) return;
    --widest->columns;
    --total;
  }
}

// ---- the other blocks

// Below this many columns wrapped text is harder to read than a line that is too long.
constexpr int narrowest_text = 20;

// width is what the indent leaves; 0 stays 0 (do not wrap).
int remaining(const TextStyle& style, int indent) {
  return style.width - indent < narrowest_text ? 0 : style.width - indent;
}

// "head" before the first line, as many spaces before the others.
void append_hanging(Lines& out, std::string_view head, int head_columns, const Lines& text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    out.push_back((i == 0 ? std::string(head) : std::string(static_cast<std::size_t>(head_columns), ' ')) +
                  text[i]);
}

Lines lines_of_fields(const std::vector<const Field*>& fields, const TextStyle& style) {
  int label_columns = 0;
  for (const Field* field : fields) label_columns = std::max(label_columns, display_width(printable(field->label)));
  const int indent = label_columns + 2;
  Lines out;
  for (const Field* field : fields) {
    append_hanging(out, pad_right(printable(field->label), indent), indent,
                   painted_lines(field->text.empty() ? text_of(field->value) : field->text,
                                 remaining(style, indent), field->tone, style.color));
  }
  return out;
}

// Collects blocks and puts the empty lines between them.
class Page {
 public:
  // glued: the next block follows without an empty line
  void add(const Lines& block, bool glued = false) {
    if (block.empty()) return;
    if (!lines_.empty() && !glue_) lines_.emplace_back();
    lines_.insert(lines_.end(), block.begin(), block.end());
    glue_ = glued;
  }

  Lines take() { return std::move(lines_); }

 private:
  Lines lines_;
  bool glue_ = false;
};

// The document of a drawing, or the reason why there is none.
Document drawn(const Drawing& drawing) {
  try {
    return drawing.draw(Medium::terminal);
  } catch (const Error& error) {
    const std::string hint = error.hint.empty() ? "" : "; " + error.hint;
    return Document().add(Paragraph{"not drawn: " + error.message() + hint, Tone::faint});
  }
}

// Fields that follow each other, until something else does.
struct FieldRun {
  std::vector<const Field*> fields;

  void end(Page& page, const TextStyle& style) {
    if (!fields.empty()) page.add(lines_of_fields(fields, style));
    fields.clear();
  }
};

void add_blocks(Page& page, FieldRun& run, const std::vector<Block>& blocks, const TextStyle& style) {
  for (const Block& block : blocks) {
    if (const auto* field = std::get_if<Field>(&block)) {
      if (!field->label.empty()) run.fields.push_back(field);
      continue;
    }
    if (const auto* drawing = std::get_if<Drawing>(&block)) {
      const Document document = drawn(*drawing);
      add_blocks(page, run, document.blocks, style);
      if (!document.blocks.empty() && std::holds_alternative<Field>(document.blocks.back())) run.end(page, style);
      continue;
    }
    run.end(page, style);
    const auto* paragraph = std::get_if<Paragraph>(&block);
    const bool heading = paragraph != nullptr && paragraph->tone == Tone::strong;
    page.add(std::visit(
                 [&style](const auto& b) {
                   using T = std::decay_t<decltype(b)>;
                   if constexpr (std::is_same_v<T, Field> || std::is_same_v<T, Drawing>) return Lines{};
                   else return lines_of(b, style);
                 },
                 block),
             heading);
  }
}

Lines lines_of_document(const Document& document, const TextStyle& style) {
  Page page;
  if (!document.title.empty())
    page.add(painted_lines(document.title, style.width, Tone::strong, style.color), true);
  FieldRun run;
  add_blocks(page, run, document.blocks, style);
  run.end(page, style);
  return page.take();
}

}  // namespace

std::vector<std::string> lines_of(const Table& table, const TextStyle& style) {
  std::vector<ShownColumn> shown = shown_columns(table);
  if (shown.empty() || table.rows.empty()) return {};
  Lines out;
  if (!table.title.empty()) out = painted_lines(table.title, style.width, Tone::strong, style.color);
  if (style.width > 0) narrow(shown, style.width);

  std::vector<Lines> cells;
  std::vector<Tone> tones;
  for (const ShownColumn& column : shown) {
    cells.push_back({printable(table.columns[column.index].label)});
    tones.push_back(Tone::strong);
  }
  append_row(out, shown, cells, tones, style.color);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (std::size_t x = 0; x < shown.size(); ++x) {
      cells[x] = wrap(cell_text(table, row, shown[x].index), shown[x].right ? 0 : shown[x].columns);
      tones[x] = cell_tone(table, row, shown[x].index);
    }
    append_row(out, shown, cells, tones, style.color);
  }
  return out;
}

std::string text_of(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.dump();
}

std::vector<std::string> lines_of(const Notes& notes, const TextStyle& style) {
  Lines out;
  for (const Finding& note : notes.findings) {
    const bool lint = note.severity != Severity::note;
    const std::string head = lint ? "lint[" + printable(note.rule) + "]:" : "note:";
    Lines lines = wrap(head + " " + printable(note.message, true), remaining(style, 2));
    if (lines.front().rfind(head, 0) == 0)
      lines.front() = paint(head, lint ? Tone::bad : Tone::accent, style.color) + lines.front().substr(head.size());
    for (std::size_t i = 0; i < lines.size(); ++i) out.push_back((i == 0 ? "" : "  ") + lines[i]);
    if (!note.hint.empty())
      append_hanging(out, "  hint: ", 8, wrap(printable(note.hint, true), remaining(style, 8)));
    if (lint && !note.source.empty())
      append_hanging(out, "  source: ", 10, wrap(printable(note.source, true), remaining(style, 10)));
  }
  return out;
}

std::vector<std::string> lines_of(const Paragraph& paragraph, const TextStyle& style) {
  if (paragraph.text.empty()) return {};
  const int width = paragraph.is_verbatim ? 0 : style.width;
  return painted_lines(paragraph.text, width, paragraph.tone, style.color);
}

std::vector<std::string> lines_of(const Group& group, const TextStyle& style) {
  if (!group.in_text) return {};
  Page page;
  for (const Document& member : group.members) page.add(lines_of_document(member, style));
  return page.take();
}

std::string render_text(const Document& document, const TextStyle& style) {
  if (!document.source.empty()) return document.source;
  std::string out;
  for (std::string& line : lines_of_document(document, style)) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace swz
