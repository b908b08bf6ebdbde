// SPDX-License-Identifier: Apache-2.0
#include "render/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "render/display.hpp"
#include "render/picture.hpp"

namespace swz {

namespace {

using Lines = std::vector<std::string>;

// Below this many columns wrapped text is harder to read than a line that is too long.
constexpr int narrowest_text = 20;

// The width that the indent leaves; 0 stays 0 (do not wrap).
int remaining(const TextStyle& style, int indent) {
  return style.width - indent < narrowest_text ? 0 : style.width - indent;
}

// Appends text with "head" before the first line and as many spaces before the others.
void append_hanging(Lines& out, const std::string& head, std::string_view text, Tone tone, const TextStyle& style) {
  const int indent = display_width(head);
  const Lines lines = painted_lines(text, remaining(style, indent), tone, style.color);
  for (std::size_t i = 0; i < lines.size(); ++i) out.push_back((i == 0 ? head : repeated(" ", indent)) + lines[i]);
}

// Appends "hint: a message", the head in its tone, the other lines indented by two columns.
void append_headed(Lines& out, const std::string& head, Tone tone, std::string_view text, const TextStyle& style) {
  Lines lines = wrap(head + " " + printable(text, true), remaining(style, 2));
  if (lines.front().starts_with(head)) lines.front().replace(0, head.size(), paint(head, tone, style.color));
  for (std::size_t i = 0; i < lines.size(); ++i) out.push_back((i == 0 ? "" : "  ") + lines[i]);
}

Lines lines_of_fields(const std::vector<const Field*>& fields, const TextStyle& style) {
  int label_columns = 0;
  for (const Field* field : fields) label_columns = std::max(label_columns, display_width(printable(field->label)));
  Lines out;
  for (const Field* field : fields)
    append_hanging(out, pad_right(printable(field->label), label_columns + 2), shown_text(*field), field->tone, style);
  return out;
}

void append_message(Lines& out, const Finding& note, const TextStyle& style) {
  const bool is_lint = note.severity != Severity::note;
  append_headed(out, is_lint ? "lint[" + printable(note.rule) + "]:" : "note:", is_lint ? Tone::bad : Tone::accent,
                note.message, style);
}

Lines lines_of(const Notes& notes, const TextStyle& style) {
  Lines out;
  for (const Finding& note : notes.findings) {
    append_message(out, note, style);
    if (!note.hint.empty()) append_hanging(out, "  hint: ", note.hint, Tone::plain, style);
    if (note.severity != Severity::note && !note.source.empty() && style.is_full())
      append_hanging(out, "  source: ", note.source, Tone::plain, style);
  }
  return out;
}

Lines lines_of(const Paragraph& paragraph, const TextStyle& style) {
  if (paragraph.text.empty()) return {};
  const int width = paragraph.is_verbatim ? 0 : style.width;
  return painted_lines(paragraph.text, width, paragraph.tone, style.color);
}

// The document of a drawing, or the reason why there is none.
Document drawn(const Drawing& drawing) {
  try {
    return drawing.draw(Medium::terminal);
  } catch (const Error& error) {
    const std::string hint = error.hint.empty() ? "" : "; " + error.hint;
    return Document().add(Paragraph{"not drawn: " + error.message() + hint, Tone::faint});
  }
}

// Collects blocks and puts empty lines between them. Consecutive fields are one block.
class TextPage {
 public:
  TextPage(const TextStyle& style, const Document& whole) : style_(style), whole_(&whole) {}

  void add(const Document& document) {
    end_fields();
    const bool is_in_picture = !style_.has_figures && &document == whole_;
    if (!document.title.empty() && !is_in_picture)
      append(painted_lines(document.title, style_.width, Tone::strong, style_.color), true);
    add_blocks(document);
    end_fields();
    ends_in_heading_ = false;
  }

  Lines take() { return std::move(lines_); }

 private:
  void add_blocks(const Document& document) {
    const Block::Shown left_out = style_.is_full() ? Block::Shown::in_short : Block::Shown::in_full;
    for (const Block& block : document.blocks)
      if (block.shown != left_out && !is_left_to_picture(document, block))
        std::visit([this](const auto& b) { add_block(b); }, block);
  }
  bool is_left_to_picture(const Document& document, const Block& block) const {
    // A sketch has no text; what stands for it in a text is the verbatim paragraph before it.
    const auto* paragraph = std::get_if<Paragraph>(&block);
    const bool stands_for_sketch = paragraph != nullptr && paragraph->is_verbatim &&
                                   &block != &document.blocks.back() && std::holds_alternative<Sketch>(*(&block + 1));
    const bool is_figure = std::holds_alternative<Figure>(block) || std::holds_alternative<Grid>(block) ||
                           std::holds_alternative<BitRow>(block) || stands_for_sketch;
    return is_figure && !style_.has_figures && block.shown != Block::Shown::in_full;
  }
  void add_block(const Sketch&) {}
  void add_block(const Field& field) {
    if (!field.label.empty()) fields_.push_back(&field);
  }
  void add_block(const Drawing& drawing) {
    const Document document = drawn(drawing);
    add_blocks(document);
    if (!document.blocks.empty() && std::holds_alternative<Field>(document.blocks.back())) end_fields();
  }
  void add_block(const Group& group) {
    if (!group.in_text) return end_fields();
    for (const Document& member : group.members) add(member);
  }
  void add_block(const Grid& grid) {
    end_fields();
    append(style_.part ? lines_of(figure_of(grid), style_) : lines_of(grid, style_));
  }
  void add_block(const Paragraph& paragraph) {
    end_fields();
    append(lines_of(paragraph, style_), paragraph.tone == Tone::strong);
  }
  template <class B>
  void add_block(const B& block) {
    end_fields();
    append(lines_of(block, style_));
  }

  void end_fields() {
    append(lines_of_fields(fields_, style_));
    fields_.clear();
  }

  // After a heading the next block follows without an empty line.
  void append(const Lines& block, bool is_heading = false) {
    if (block.empty()) return;
    if (!lines_.empty() && !ends_in_heading_) lines_.emplace_back();
    lines_.insert(lines_.end(), block.begin(), block.end());
    ends_in_heading_ = is_heading;
  }

  TextStyle style_;
  const Document* whole_;
  Lines lines_;
  std::vector<const Field*> fields_;
  bool ends_in_heading_ = false;
};

void append_lints(Lines& out, const Document& document, const TextStyle& style) {
  for (const Block& block : document.blocks) {
    if (const auto* group = std::get_if<Group>(&block))
      for (const Document& member : group->members) append_lints(out, member, style);
    const auto* notes = std::get_if<Notes>(&block);
    if (notes == nullptr) continue;
    for (const Finding& finding : notes->findings)
      if (finding.severity != Severity::note) append_message(out, finding, style);
  }
}

std::string text_of_lines(Lines lines) {
  std::string out;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

// ---- errors

constexpr int widest_source = 100;

// A default Span means "no place"; a place of no width is drawn as one caret.
bool has_place(const Error& error) { return !error.span.empty() || error.span.begin > 0; }

struct Shown {
  std::string text;
  int columns;
  bool marked;  // inside the span
};

// How many bytes to read on each side of the place: enough to fill the window even with 4-byte code points, so that one
// that is cut in the middle at the far end is outside the window.
constexpr std::size_t reach_bytes = 4 * widest_source;

struct SourceLine {
  std::string text;
  std::string carets;
};

SourceLine source_line(const std::string& text, Span span) {
  const std::size_t place = std::min(span.begin, text.size());
  std::size_t begin = place;
  while (begin > 0 && text[begin - 1] != '\n' && place - begin < reach_bytes) --begin;
  std::size_t end = place;
  while (end < text.size() && text[end] != '\n' && end - place < reach_bytes) ++end;
  bool cut_left = begin > 0 && text[begin - 1] != '\n';
  bool cut_right = end < text.size() && text[end] != '\n';

  std::vector<Shown> glyphs;
  std::size_t first_marked = 0;
  const std::string_view whole = text;
  for (std::size_t at = begin; at < end;) {
    const Glyph glyph = first_glyph(whole.substr(at, end - at));
    const std::string shown = printable(glyph.bytes);
    const std::size_t next = at + glyph.bytes.size();  // a place may be inside a glyph of several bytes
    if (next <= place) first_marked = glyphs.size() + 1;
    glyphs.push_back({shown, display_width(shown), next > place && at < std::max(span.end, span.begin + 1)});
    at = next;
  }
  // A place at the end of the text: the caret is after the last glyph.
  if (first_marked == glyphs.size()) glyphs.push_back({" ", 1, true});

  // Grows a window around the first marked glyph: to the left while it uses at most half, then to the right, then to
  // the left again with what is left.
  const int room = widest_source - 2;  // for the two ellipses
  std::size_t from = first_marked;
  std::size_t to = first_marked + 1;
  int columns = glyphs[first_marked].columns;
  const auto grow_left = [&](int limit) {
    while (from > 0 && columns + glyphs[from - 1].columns <= limit) columns += glyphs[--from].columns;
  };
  grow_left(room / 2);
  while (to < glyphs.size() && columns + glyphs[to].columns <= room) columns += glyphs[to++].columns;
  grow_left(room);
  cut_left = cut_left || from > 0;
  cut_right = cut_right || to < glyphs.size();

  SourceLine line;
  if (cut_left) {
    line.text += "…";
    line.carets += ' ';
  }
  for (std::size_t i = from; i < to; ++i) {
    line.text += glyphs[i].text;
    if (i >= first_marked && !glyphs[i].marked) continue;
    line.carets.append(static_cast<std::size_t>(glyphs[i].columns), glyphs[i].marked ? '^' : ' ');
  }
  if (line.carets.find('^') == std::string::npos) line.carets += '^';  // only glyphs without a width are marked
  if (cut_right) line.text += "…";
  return line;
}

}  // namespace

std::string text_of(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.dump();
}

std::string render_text(const Document& document, const TextStyle& style) {
  if (!document.source.empty()) return printable_source(document.source);
  TextPage page(style, document);
  page.add(document);
  return text_of_lines(page.take());
}

std::string render_brief(const Document& document, const TextStyle& style) {
  Lines out = answers_of(document);
  if (out.empty() || !document.source.empty()) return render_text(document, style);
  append_lints(out, document, {style.color, 0});
  return text_of_lines(std::move(out));
}

std::string render_error(const Error& error, const TextStyle& style) {
  Lines out;
  append_headed(out, "swz: error:", Tone::bad, error.message(), style);
  if (!error.text.empty() && has_place(error)) {
    const SourceLine line = source_line(error.text, error.span);
    const std::size_t first = line.carets.find('^');
    out.push_back("  " + line.text);
    out.push_back("  " + line.carets.substr(0, first) + paint(line.carets.substr(first), Tone::bad, style.color));
  }
  if (!error.hint.empty()) append_headed(out, "hint:", Tone::accent, error.hint, style);
  return text_of_lines(std::move(out));
}

Json to_json(const Error& error) {
  Json json = {{"message", error.message()}, {"hint", error.hint}};
  if (has_place(error)) json["span"] = {error.span.begin, std::max(error.span.begin, error.span.end)};
  return json;
}

}  // namespace swz
