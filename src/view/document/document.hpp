// SPDX-License-Identifier: Apache-2.0
// Document: the content of an answer, before it has a form.
//
// A report becomes one Document; text and JSON are both made from it, so they cannot disagree. Every block that has a
// key appears in JSON under that key with its typed value; every block that has a label or title appears in text.
//
//   Document d;
//   d.add(Field{"size", "size", 512});
//   d.add(Notes{"lints", {lint("version-missing", "bit 46 is 0", "set it")}});
//
//   text:  size  512
//   JSON:  {"size": 512, "lints": [{"rule": "version-missing", "message": "bit 46 is 0", "hint": "set it"}]}
//
// Pictures also show grids, figures, bit rows and sketches (render/scene.hpp). In JSON, addresses and sizes are numbers, 64-bit
// words are hex strings (hex64), and an absent value is null.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/bit_field.hpp"
#include "base/finding.hpp"
#include "base/json.hpp"
#include "base/units.hpp"

namespace swz {

// What a colour of text means; render decides how it looks on the given terminal.
enum class Tone { plain, strong, faint, good, bad, accent };

// One line "label  text". With an empty key it is in text only, with an empty label in JSON only. An empty text shows
// the value itself. The key "shared.offset" is the member "offset" of the object "shared" in JSON.
struct Field {
  std::string key;
  std::string label;
  Json value;
  std::string text = {};
  Tone tone = Tone::plain;
};

struct Cell {
  Cell(Json of, std::string_view shown = {}, Tone in = Tone::plain);
  template <class T>
  requires std::constructible_from<Json, const T&> Cell(const T& of, std::string_view shown = {}, Tone in = Tone::plain)
      : Cell(Json(of), shown, in) {}
  Cell(Bytes bytes, std::string_view shown = {}) : Cell(Json(bytes.count), shown) {}
  Cell(const Cell& other);
  Cell(Cell&& other) noexcept;
  Cell& operator=(const Cell& other);
  Cell& operator=(Cell&& other) noexcept;
  ~Cell();

  Json value;
  std::string text;  // empty: the value itself
  Tone tone;
};
// Empty names, which are the unused places of a table's row, are left out: ["f16","bf16"] in JSON, "f16 bf16" in text;
// without any name [] and "-".
template <class Names>
Cell name_list(const Names& names) {
  Json list = Json::array();
  std::string line;
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    list.push_back(name);
    line.append(line.empty() ? "" : " ").append(name);
  }
  return {list, line.empty() ? "-" : line};
}

struct Column {
  std::string key;    // empty: not in JSON
  std::string label;  // empty: not in text
  enum class Align { left, right } align = Align::left;
};

// Rows of named columns; in JSON an array of objects.
struct Table {
  std::string key;
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as columns
  // Text shows one line in place of the last rows, unless everything is asked for.
  struct Fold {
    std::size_t rows = 0;
    std::string text = {};
  };
  Fold fold = {};
  // Rows after these, each made when it is shown: in JSON, and in text if everything is asked for. Otherwise the text
  // of the fold names them.
  struct Later {
    std::size_t rows = 0;
    std::function<std::vector<Cell>(std::size_t)> row = {};
  };
  Later later = {};
};

// A column with the value that it shows of each row: a member, or a function of the row.
template <class Row>
struct ColumnOf {
  std::string key, label;
  std::function<Cell(const Row&)> cell;
  Column::Align align = Column::Align::left;
};

// table_of<DType>("dtypes", "element types", dtypes(), {{"value_bits", "bits", &DType::value_bits}, …})
template <class Row, class Rows>
Table table_of(std::string key, std::string title, const Rows& rows, const std::vector<ColumnOf<Row>>& columns) {
  Table table{std::move(key), std::move(title), {}, {}};
  for (const ColumnOf<Row>& column : columns) table.columns.push_back({column.key, column.label, column.align});
  for (const Row& row : rows) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    for (const ColumnOf<Row>& column : columns) cells.push_back(column.cell(row));
  }
  return table;
}

// The colour of a cell. Cells of one hue belong together; shades distinguish four neighbours of a hue: the four
// banks of a 16-byte chunk, the four lanes of a group. -1 is no colour.
struct Tint {
  int hue = -1;   // 0 ... 7
  int shade = 0;  // 0 ... 3
  auto operator<=>(const Tint&) const = default;
};

// What marks single cells besides their colour.
enum class Mark { none, highlighted, colliding, faint };

// A rectangle of cells with row and column headings. It is in text and pictures; JSON has its numbers under another
// key.
struct Grid {
  struct Square {
    std::string text;
    Tint tint = {};
    Mark mark = Mark::none;
    std::string tip = {};   // tooltip of a picture: row, column, byte, bank, lane
    int step = -1;          // the step of the figure that it belongs to; -1 for none
    double outside = 0;     // share of its width, at its right end, that is outside of the object that the grid shows
    bool is_wrong = false;  // in the frame of what collides, whatever its own mark is
    // What a cell without room for its text shows in one line, "T28 a0" for "T28 a0,a1"; empty for none. The figure's
    // brief_caption then explains it.
    std::string brief = {};

    bool collides() const { return mark == Mark::colliding || is_wrong; }
  };
  // A square of this grid, counted from 0.
  struct Place {
    std::int64_t row = 0, column = 0;
    bool operator==(const Place&) const = default;
  };
  // From the top left corner of one square to that of another: a distance with its measure, "SBO 1024 B", or an extent,
  // "M 8", which has two heads; or, between the centres of two squares, where something moves to; or from a text beside
  // the grid to the square `from`, whose row it explains.
  struct Arrow {
    enum class Kind { distance, extent, move, call_out };
    Kind kind = Kind::distance;
    Place from, to;
    std::string text = {};
    bool operator==(const Arrow&) const = default;
  };
  std::string title;
  std::string corner;  // what the headings are, for example "row\\k"
  std::vector<std::string> column_labels;
  std::vector<std::string> row_labels;
  std::vector<std::vector<Square>> squares;  // [row][column]
  // A heavier line after each group of this many rows and columns; 0 for none.
  int row_group = 0, column_group = 0;
  // Headings outside of those of single rows or columns: each spans `size` of them. A part of the grid may leave out
  // `skipped` rows or columns of the first heading.
  struct Level {
    int size = 0;
    std::vector<std::string> labels;
    int skipped = 0;
    bool operator==(const Level&) const = default;
    // The heading of row or column i; whether the heading begins there.
    std::size_t heading(std::size_t i) const {
      return (i + static_cast<std::size_t>(skipped)) / static_cast<std::size_t>(size);
    }
    bool begins(std::size_t i) const { return i == 0 || heading(i) != heading(i - 1); }
  };
  std::vector<Level> row_levels = {}, column_levels = {};  // from the inside to the outside
  // The extent of one cell, so that pictures are to scale: its columns and rows in any unit that all panels of the
  // figure share. 0: as large as its text needs.
  int cell_columns = 0, cell_rows = 0;
  // How many columns of what the panels below each other share, n of B and D, a cell spans: these panels have one scale
  // across. 0: any.
  int column_units = 0;
  // For a part that render/part.hpp made: its first `period` rows or columns represent all. They repeat as the first
  // level shows, and the result of that repeats as the second shows; `step` is what grows each time, "T + 32". 0:
  // nothing is left out.
  struct Repeat {
    struct Level {
      std::int64_t times = 0;
      std::string step;
      std::int64_t drawn = 0;  // which of them is drawn, from 0
      std::string next = {};   // the labels of the second, "8-15", and of the last row or column of all, "63"
      std::string last = {};
      std::int64_t unit = 0;  // how many rows or columns repeat
      bool operator==(const Level&) const = default;
    };
    std::size_t period = 0;
    std::vector<Level> levels = {};
    bool is_of_all = false;  // the grid is a piece of what repeats
    bool is_below = false;   // of rows: how often is below them, for a grid without room beside it
  };
  Repeat row_repeat = {}, column_repeat = {};
  // Rows and columns that a part leaves out before the first that it shows.
  std::size_t rows_before = 0, columns_before = 0;
  std::vector<Arrow> arrows = {};  // pictures only
  // A dashed frame around squares: a box of TMA, a tile. It is open at a side where it goes on. Pictures only.
  struct Outline {
    Place from;
    std::int64_t rows = 0, columns = 0;
    bool is_open_above = false, is_open_below = false, is_open_left = false, is_open_right = false;
    bool operator==(const Outline&) const = default;
  };
  std::vector<Outline> outlines = {};
  // The rows that a picture shows unless all are asked for, in order; those between two of them are left out. Empty:
  // one period of what repeats.
  std::vector<std::size_t> key_rows = {};
  // The same of columns; a column "…" represents those between two of them.
  std::vector<std::size_t> key_columns = {};
  std::string below = {};  // lines under the panel, in a narrow figure the first; pictures only
  // In a narrow figure with stages these words are all that is left of the panel, if there are any.
  std::string in_words = {};
  // Of a figure with stages: the way does not go through this panel; what it shows joins the way to the next one.
  bool joins_way = false;
  std::string number = {};  // what a bare number in its cells counts: "chunk"

  Square& at(std::int64_t row, std::int64_t column) {
    return squares[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  }
};

// What a colour or a mark means.
struct LegendEntry {
  std::string text;
  Tint tint = {};
  Mark mark = Mark::none;
  double outside = 0;
  bool is_dashed = false;    // the frame of an outline
  bool is_of_shade = false;  // of this shade of the hue, not of all
  bool has_shades = false;   // of four things, a shade each: its swatch shows all shades
};

// Grids that are seen together: side by side if there is room. Panels of one row have the same top, panels of one
// column the same left edge; a panel without squares leaves its place empty.
struct Figure {
  std::string title;
  std::vector<std::vector<Grid>> panels;  // [row][column]
  std::vector<LegendEntry> legend;
  std::string caption = {};
  // The steps in order, "k 0-15", "k 16-31"; each square names the step that it belongs to. A still picture shows all
  // of them.
  std::vector<std::string> steps = {};
  // The panels are stages of one way: each row of them is laid out by itself, and a line goes through their highlighted
  // squares.
  bool has_stages = false;
  std::string legend_title = {};  // what a colour means: "colour: k"
  // A sentence of the caption about colours, which a text without colours leaves out. Of one about shades a picture does
  // so, too, where it shows no two shades of one hue.
  std::string about_shades = {};
  // The caption of a figure whose cells show their brief texts; empty: the same.
  std::string brief_caption = {};
  // Panels that are compared stay side by side while their letters have room.
  bool is_comparison = false;
  // At most one: the same figure for a column of a paper, with shorter texts. It is drawn there if it fits.
  std::vector<Figure> narrow = {};
};

// The bits of a word with the fields marked under them, most significant bit first. Not in JSON.
struct BitRow {
  // quiet: 0, as it usually is. unused: what it says is ignored. wrong: a lint is about it.
  enum class Look { usual, quiet, unused, wrong };
  struct Part {
    std::string name;
    BitField bits;
    bool reserved = false;
    std::string value = {};  // the value of the bits, with its unit
    Look look = Look::usual;
    Tint tint = {};         // without one: the next hue
    std::string said = {};  // its label in a picture instead of "name = value"; quiet neighbours share one
  };
  // One of several words of one format: its name, what to say beside it and how good that is, and what would be right.
  struct Version {
    std::uint64_t word = 0;
    std::string name = {};
    std::vector<std::string> remarks = {};
    Tone tone = Tone::plain;
    std::string way_out = {};

    std::vector<std::string> lines() const {
      std::vector<std::string> all = remarks;
      if (!way_out.empty()) all.push_back(way_out);
      return all;
    }
  };
  // How to fix what is wrong; or what is wrong, in the tone of that.
  struct Mend {
    std::string text;
    Tone tone = Tone::plain;
  };
  std::uint64_t word = 0;
  int width = 64;
  std::vector<Part> parts;       // in any order; gaps are drawn as unused
  std::string title = {};        // if a picture shows several words
  std::uint64_t unknown = 0;     // bits that are not known, drawn as ?; they are 0 in `word`
  std::vector<Mend> mends = {};  // below the bits; pictures only
  // Several words, a row each, the first of which is `word`: of the others only the bits that differ are shown.
  std::vector<Version> versions = {};
};

// A drawing that is not made of cells: rectangles, lines and arrows with texts, placed in pixels by the view for the
// width that it is given. Pictures only.
struct Sketch {
  struct Box {
    double x = 0, y = 0, width = 0, height = 0;
    std::string text = {};  // in its middle; a newline begins a line
    Tint tint = {};
    Mark mark = Mark::none;
    std::string tip = {};
    bool is_dashed = false;  // only an outline
    bool is_broken = false;  // its right edge is torn: it is longer than it is drawn
  };
  struct Text {
    enum class Anchor { start, middle, end };
    double x = 0, y = 0;  // of its baseline
    std::string text = {};
    Tone tone = Tone::plain;
    Anchor anchor = Anchor::start;
  };
  // A line, with a head at its second end if it is an arrow.
  struct Line {
    double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
    Tone tone = Tone::plain;
    bool is_arrow = false;
  };
  struct Shapes {
    std::vector<Box> boxes = {};
    std::vector<Line> lines = {};
    std::vector<Text> texts = {};
    double width = 0, height = 0;
  };
  std::string title = {};
  std::function<Shapes(double width)> shapes = {};
  std::string caption = {};
};

// Notes or lints. Text shows the source of lints only, JSON the source of both.
struct Notes {
  std::string key;  // "notes" or "lints"
  std::vector<Finding> findings = {};

  void add(Finding finding) { findings.push_back(std::move(finding)); }
  void note(std::string_view rule, std::string message, std::string hint = {}, std::string source = {}) {
    add(swz::note(rule, std::move(message), std::move(hint), std::move(source)));
  }
  void lint(std::string_view rule, std::string message, std::string hint = {}, std::string source = {}) {
    add(swz::lint(rule, std::move(message), std::move(hint), std::move(source)));
  }
};

// {rule, message}, with hint and source if there are any.
Json to_json(const Finding& finding);

// Free text between blocks. Text only.
struct Paragraph {
  std::string text;
  Tone tone = Tone::plain;
  bool is_verbatim = false;  // source code: its lines are never broken
};

class Document;

// Where a drawing is shown: among the lines of a text, or on a page of its own.
enum class Medium { terminal, page };

// Blocks that are made only when they are shown, and never for JSON: figures, and tables that JSON has in another form.
// A drawing that cannot be made (too large) is a line with the reason on a terminal, and an error as a picture.
struct Drawing {
  std::function<Document(Medium)> draw;
};

// Several documents under one key: an array of objects in JSON, and one section each in text unless a table shows the
// same more compactly.
struct Group {
  std::string key;
  std::vector<Document> members;
  bool in_text = true;
  bool is_one = false;  // an object in JSON: its one member
};

// One of them. What copies, moves and destroys it is compiled once.
struct Block : std::variant<Field, Table, Grid, Figure, BitRow, Sketch, Notes, Paragraph, Group, Drawing> {
  // In text: always, only if everything is asked for, or only otherwise. JSON has all of them, a picture none that a
  // short text leaves out.
  enum class Shown { always, in_full, in_short };

  using variant::variant;
  Block(const Block& other);
  Block(Block&& other) noexcept;
  Block& operator=(const Block& other);
  Block& operator=(Block&& other) noexcept;
  ~Block();

  Shown shown = Shown::always;
};

// The block in text only if everything is asked for (--full); and only otherwise.
Block in_full(Block block);
Block in_short(Block block);

class Document {
 public:
  Document();
  explicit Document(std::string_view heading);

  Document(const Document& other);
  Document(Document&& other) noexcept;
  Document& operator=(const Document& other);
  Document& operator=(Document&& other) noexcept;
  ~Document();

  Document& add(Block block);
  Document& field(std::string_view key, std::string_view label, Json value, std::string_view text = {},
                  Tone tone = Tone::plain);
  // Adds a field in JSON only, and one in text only.
  Document& json(std::string_view key, Json value);
  Document& line(std::string_view label, std::string_view text, Tone tone = Tone::plain);
  // Adds a field that text leaves out if its value is null; JSON has the null.
  Document& known(std::string_view key, std::string_view label, Json value, std::string_view text = {},
                  Tone tone = Tone::plain);
  // Adds "notes", then "lints": the findings that are lints or that break a format.
  Document& findings(const std::vector<Finding>& all);

  std::string title;  // text and pictures; may be empty
  // The answer as one sentence: the title of a picture, which then has `title` below it as its specification. A text
  // says it in its blocks.
  std::string headline = {};
  // What a picture has below that instead of `title`, where a text names files and rules.
  std::string subject = {};
  // The verdict of the answer, the first key of its JSON: see Verdict in cmd/command.hpp. Empty for a part of an
  // answer.
  std::string verdict = {};
  std::vector<Block> blocks;
  // The places of the answer in JSON, which --brief shows without the rest: "wavefronts"; of an object "against.same";
  // of each row of a table "fields.name.value", with names "points.=byte.=bank"; for a table without columns, the
  // number of its rows. Empty: those of its members.
  std::vector<std::string> answers = {};
  // Source code that was asked for: then the text is only this, so that it can be redirected into a file; JSON has it
  // under "source" beside the rest. Empty for none.
  std::string source = {};
};

// The document as an object. A Field is its value under its key, of which "a.b" is the member b of the object a; a Table
// an array of objects, one per row; Notes an array of {rule, message}, with hint if there is one; a Group an array of
// objects. A block without a key is not in JSON, nor are grids, bit rows and paragraphs. Keys keep the order of the
// document. Two lists under one key are joined, so that no lint is lost; of anything else under one key, the last value
// is kept.
Json to_json(const Document& document);

// A row of a table: for each column the value, text and tone of the document's field of that key, or "-" if it has none.
std::vector<Cell> cells_of(const Document& row, const std::vector<Column>& columns);

// "stride-zero and start-alignment", each once; and as a verdict: "lints: …", "no lints".
std::string lint_names(const std::vector<Finding>& findings);
std::string lints_text(const std::vector<Finding>& findings);

// Whether "lints" of the document itself, not of a member, has any.
bool has_lints(const Document& document);

// One figure, the same for both media: drawing([report] { return figure_of(report); })
inline Drawing drawing(std::function<Figure()> figure) {
  return {[figure = std::move(figure)](Medium) { return Document().add(figure()); }};
}

// Null for nothing: an empty text, a 0.
template <class T>
Json or_null(const T& value) {
  return value == T{} ? Json() : Json(value);
}

// The list of what `of` makes of each item.
template <class Items, class Of>
Json json_list(const Items& items, Of of) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(of(item));
  return list;
}

// The first `count` entries of an array that has more: first_of(std::array{64, 128, 0, 0, 0}, 2) is [64,128], and its
// tuple_text is "(64, 128)".
template <class Numbers>
Json first_of(const Numbers& numbers, int count) {
  Json list = Json::array();
  for (int i = 0; i < count; ++i) list.push_back(numbers[static_cast<std::size_t>(i)]);
  return list;
}
std::string tuple_text(const Json& list);

}  // namespace swz
