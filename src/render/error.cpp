#include <algorithm>

#include "render/display.hpp"
#include "render/text.hpp"

namespace swz {
namespace {

constexpr int widest_source = 100;

// A default Span means "no place"; a place of no width is drawn as one caret.
bool has_place(const Error& error) { return !error.span.empty() || error.span.begin > 0; }

struct Shown {
  std::string text;
  int columns;
  bool marked;  // inside the span
};

// How far to look on each side of the place: enough to fill the window even with 4-byte code points, so that one
// cut in the middle at the far end is not in it.
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
  // A place at the end of the text: the caret stands behind the last glyph.
  if (first_marked == glyphs.size()) glyphs.push_back({" ", 1, true});

  // Grow a window around the first marked glyph: to the left as long as it takes at most half, then to the right,
  // then to the left again with what is left over.
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
  line.text.erase(line.text.find_last_not_of(' ') + 1);
  return line;
}

void append_wrapped(std::string& out, std::string_view head, Tone tone, std::string_view text,
                    const TextStyle& style) {
  constexpr int indent = 2;  // of all lines but the first
  const int width = std::max(0, style.width - indent);
  std::vector<std::string> lines = wrap(std::string(head) + " " + printable(text, true), width);
  if (lines.front().rfind(head, 0) == 0)
    lines.front() = paint(head, tone, style.color) + lines.front().substr(head.size());
  for (std::size_t i = 0; i < lines.size(); ++i) out += std::string(i == 0 ? 0 : indent, ' ') + lines[i] + "\n";
}

}  // namespace

std::string render_error(const Error& error, const TextStyle& style) {
  std::string out;
  append_wrapped(out, "swz: error:", Tone::bad, error.message(), style);
  if (!error.text.empty() && has_place(error)) {
    const SourceLine line = source_line(error.text, error.span);
    const std::size_t first = line.carets.find('^');
    if (!line.text.empty()) out += "  " + line.text;
    out += "\n  " + line.carets.substr(0, first) + paint(line.carets.substr(first), Tone::bad, style.color) + "\n";
  }
  if (!error.hint.empty()) append_wrapped(out, "hint:", Tone::accent, error.hint, style);
  return out;
}

Json to_json(const Error& error) {
  Json json = {{"message", error.message()}, {"hint", error.hint}};
  if (has_place(error)) json["span"] = {error.span.begin, std::max(error.span.begin, error.span.end)};
  return json;
}

}  // namespace swz
