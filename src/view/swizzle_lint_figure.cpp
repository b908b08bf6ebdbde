#include "view/swizzle_lint_figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace swz {

namespace {

constexpr std::uint64_t chunks_in_line = 8;
constexpr std::uint64_t most_lines = 16;
constexpr std::uint64_t most_chunks = std::uint64_t{1} << 16;  // that are looked at: 1 MiB

Grid empty_grid(const std::string& title, std::uint64_t lines) {
  Grid grid;
  grid.title = title;
  grid.corner = "byte\\bank";
  for (int i = 0; i < 8; ++i) grid.column_labels.push_back(fmt::format("{}-{}", 4 * i, 4 * i + 3));
  for (std::uint64_t line = 0; line < lines; ++line) grid.row_labels.push_back(fmt::format("{:#x}", line * 128));
  grid.squares.assign(lines, std::vector<Grid::Square>(chunks_in_line));
  return grid;
}

// The chunk that begins at input x, in the place its first unit goes to. Two in one place: the later, marked.
void put(Grid& grid, const LintWords& w, std::uint64_t x, std::uint64_t to, bool is_wrong) {
  const std::uint64_t place = to / w.chunk_units();
  if (place >= grid.squares.size() * chunks_in_line) return;
  Grid::Square& square = grid.squares[place / chunks_in_line][place % chunks_in_line];
  const std::uint64_t index = x / w.chunk_units();
  const bool is_taken = !square.text.empty();
  square.text = w.has_coordinates() ? fmt::format("{},{}", x / w.cols(), x % w.cols())
                                    : fmt::format("{}.{}", index / chunks_in_line, index % chunks_in_line);
  square.tint = {static_cast<int>(index % chunks_in_line), 0};
  square.mark = is_taken || is_wrong ? Mark::colliding : Mark::none;
  square.tip = fmt::format("input {}\nvalue {}", w.input(x), w.value(to));
}

}  // namespace

std::string LintWords::unit() const {
  return s.request.dtype != nullptr ? fmt::format("{} element", s.request.dtype->name)
         : has_coordinates()        ? "element"
                                    : "byte";
}
std::string LintWords::units(std::uint64_t count) const { return plural(static_cast<std::int64_t>(count), unit()); }
std::string LintWords::input(std::uint64_t x) const {
  return has_coordinates() ? fmt::format("({}, {})", x / cols(), x % cols()) : fmt::format("{:#x}", x);
}
std::string LintWords::value(std::uint64_t value) const {
  return has_coordinates() ? fmt::format("{}", value) : fmt::format("{:#x}", value);
}
std::string LintWords::bytes_of(std::uint64_t units) const {
  const auto bits = static_cast<std::uint64_t>(s.unit_bits);
  return fmt::format("{} B", bits < 8 ? units / (8 / bits) : units * (bits / 8));
}

std::string LintWords::with_bytes(std::uint64_t count) const {
  return units(count) + (s.request.dtype != nullptr ? " = " + bytes_of(count) : "");
}

void add_lint_figure(Document& d, const SwizzleLint& s) {
  const LintWords w{s};
  const std::uint64_t chunks = std::min(most_chunks, s.lint.inputs / w.chunk_units());
  if (chunks < 2) return;
  const std::uint64_t lines = std::min(most_lines, (chunks + chunks_in_line - 1) / chunks_in_line);
  const auto nearest = s.lint.nearest();
  const bool is_shown = nearest && s.equal() == nullptr && s.lint.is_injective();
  const AddressReference* reference = is_shown ? &s.references[*nearest] : nullptr;
  Grid yours = empty_grid("the expression", lines);
  Grid theirs;
  if (reference != nullptr)
    theirs = empty_grid(
        fmt::format("mode {}{}{}", reference->mode->name, reference->layout.empty() ? "" : " ", reference->layout),
        lines);
  for (std::uint64_t i = 0; i < chunks; ++i) {
    const std::uint64_t x = i * w.chunk_units(), to = s.value(x);
    const std::uint64_t expected = reference != nullptr ? reference->value(x) : to;
    put(yours, w, x, to, to / w.chunk_units() != expected / w.chunk_units());
    if (reference != nullptr) put(theirs, w, x, expected, false);
  }
  Figure figure;
  figure.title = s.request.expression.text();
  figure.panels = {{std::move(yours)}};
  if (reference != nullptr) {
    figure.panels[0].push_back(std::move(theirs));
    figure.legend.push_back({"not where that mode has it", {}, Mark::colliding});
  } else if (!s.lint.is_injective()) {
    figure.legend.push_back({"several chunks in one place; the last is named", {}, Mark::colliding});
  }
  figure.caption = w.has_coordinates()
                       ? "3,8 is the chunk that begins at row 3, col 8; colour: the chunk in its line"
                       : "2.5 is chunk 5 of line 2 of the input; colour: the chunk in that line";
  if (chunks == most_chunks) figure.caption += fmt::format("; only the first {} chunks are looked at", chunks);
  d.add(std::move(figure));
}

}  // namespace swz
