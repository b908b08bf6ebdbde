// SPDX-License-Identifier: Apache-2.0
// Panels 4 to 6 of a story: the words or addresses by which the MMAs read, the registers, the result; and the scale
// factors, which are not on the way of the element.
#include <set>
#include <utility>
#include <vector>

#include "view/story/story_panels.hpp"

namespace swz {
namespace {

// ---- 4: the words, or the addresses of ldmatrix

// How many k steps one row of words has: those of one line of an atom.
std::int64_t steps_in_row(const Story& story) {
  constexpr std::int64_t most = 4;
  const SmemTile& tile = story.tile();
  const std::int64_t in_atom = tile.major() == Major::K ? tile.atom().k / story.step.k : most;
  return std::min(story.blocks().k, in_atom > 1 ? std::min(in_atom, most) : most);
}

// The start of an MMA and its word, "+0x20" above "0x4000404000010402", or of a word the half that steps change.
std::string word_text(const Story& story, std::int64_t m, std::int64_t k, bool is_half = false) {
  if (story.words.steps.empty()) {
    const std::int64_t first = m * story.step.mn * story.tile().extents().k + k * story.step.k;
    return fmt::format("{:#x}", story.read[static_cast<std::size_t>(first)] >> 3);
  }
  const SmemDescriptor& word = *story.word(m, k);
  const std::int64_t start = word.start_address().count, first = story.word(0, 0)->start_address().count;
  const std::string text = is_half ? fmt::format("…{:08x}", word.word() & 0xffffffffu) : hex64(word.word());
  return fmt::format("{}\n{}", m == 0 && k == 0 ? fmt::format("{:#x}", start) : fmt::format("{:+#x}", start - first),
                     text);
}

std::string_view mode_name(const SmemDescriptor& word) {
  return word.swizzle() == nullptr ? std::string_view("?") : word.swizzle()->name;
}

// "step 5: start 0x4020, SBO 1024 B, LBO not used, mode 128B"
std::string fields_text(const Story& story, std::int64_t k, const SmemDescriptor& word) {
  const auto stride_text = [](std::string_view name, const StrideField& field, Bytes value) {
    return field.is_applied ? fmt::format("{} {} B", name, value.count) : fmt::format("{} not used", name);
  };
  return fmt::format("step {}: start {:#x}, {}, {}, mode {}", k, word.start_address().count,
                     stride_text("SBO", story.words.stride, word.stride_byte_offset()),
                     stride_text("LBO", story.words.leading, word.leading_byte_offset()), mode_name(word));
}

// The word that the followed MMA needs, if it has another one.
std::optional<SmemDescriptor> needed_word(const StoryPicture& p) {
  const TileCoordinate mma = p.way().mma;
  const SmemDescriptor* word = p.story.word(mma.row, mma.k);
  std::optional<SmemDescriptor> right = right_word(p.story, mma);
  if (!p.is_broken() || word == nullptr || !right || word->word() == right->word()) right.reset();
  return right;
}

}  // namespace

Grid word_panel(const StoryPicture& p) {
  const Story& story = p.story;
  const TileExtents blocks = story.blocks();
  const std::int64_t columns = steps_in_row(story), rows = (blocks.k + columns - 1) / columns;
  const auto square = [&](std::int64_t row, std::int64_t column) {
    const std::int64_t m = row / rows, k = row % rows * columns + column;
    if (k >= blocks.k) return Grid::Square{};
    const bool is_followed = p.way().mma == TileCoordinate{m, k};
    Grid::Square made{
        word_text(story, m, k), StoryPicture::tint_of(k, 0), is_followed ? Mark::highlighted : Mark::none,
        fmt::format("{} {}, {}", rows_word(story), range_text(m * story.step.mn, story.step.mn), p.k_text(k)),
        static_cast<int>(k)};
    made.brief = word_text(story, m, k, true);
    return made;
  };
  const std::int64_t atom = story.tile().atom().k;
  const bool is_atom = rows > 1 && atom > story.step.k && columns * story.step.k == atom;
  const auto row_label = [&](std::int64_t row) {
    const std::int64_t first = row % rows * columns * story.step.k;
    const std::string ks = (is_atom ? fmt::format("atom {}: k ", first / atom) : "k ") +
                           range_text(first, std::min(columns * story.step.k, story.tile().extents().k - first));
    if (blocks.mn == 1) return ks;
    const std::string of_block =
        fmt::format("{} {}", rows_word(story), range_text(row / rows * story.step.mn, story.step.mn));
    return rows == 1 ? of_block : of_block + ", " + ks;
  };
  Grid grid =
      grid_of(story.words.steps.empty() ? "4 address of lane 0 of each ldmatrix" : "4 start and descriptor of each MMA",
              "k", labels_of(blocks.mn * rows, 1, row_label),
              labels_of(columns, 1, [&](std::int64_t i) { return fmt::format("+{}", i * story.step.k); }), square);
  std::set<std::size_t> keys;
  for (std::int64_t row = 0; row < rows; ++row)
    for (const std::int64_t m : {std::int64_t{0}, p.way().mma.row})
      keys.insert(static_cast<std::size_t>(m * rows + row));
  grid.key_rows = {keys.begin(), keys.end()};
  const std::string steps = fmt::format("{} of {} {} x {} of k {}", plural(blocks.mn, "block"), story.step.mn,
                                        rows_word(story), plural(blocks.k, "step"), story.step.k);
  const SmemDescriptor* word = story.word(p.way().mma.row, p.way().mma.k);
  // The fields of a wrong word are in the panel of the mistake. A column keeps the first line.
  grid.below = word == nullptr || needed_word(p)
                   ? steps
                   : fields_text(story, p.way().mma.k, *word) + "\nfields count 16 B; " + steps;
  // Of a broken story a column has what is written and what is read.
  if (p.is_broken()) grid.in_words = steps;
  if (p.element.instruction) grid.below += "; " + instruction_text(story, p.element);
  return grid;
}

// The fields in which the word of the followed MMA differs from the one that reads the tile. Nothing if none does.
std::optional<Grid> mistake_panel(const StoryPicture& p) {
  const std::optional<SmemDescriptor> right = needed_word(p);
  if (!right) return {};
  const TileCoordinate mma = p.way().mma;
  const SmemDescriptor* word = p.story.word(mma.row, mma.k);
  Grid grid;
  grid.title = fmt::format("mistake: the descriptor of k step {}", mma.k);
  grid.row_labels = {"it has", "the tile needs"};
  grid.squares.resize(grid.row_labels.size());
  for (const FieldRow& row : word->format().fields) {
    const DecodedField has = decoded_field(*word, row), needs = decoded_field(*right, row);
    if (has.raw == needs.raw) continue;
    grid.column_labels.emplace_back(label(row.id));
    grid.squares[0].push_back({value_text(has), {}, Mark::colliding});
    grid.squares[1].push_back({value_text(needs)});
  }
  grid.below = fmt::format("it is {}, right is {}", hex64(word->word()), hex64(right->word()));
  return grid;
}

namespace {

// ---- 5: the registers of the thread that has the element, of an operand of mma.sync

}  // namespace

// Values in one register of 32 bits.
Grid register_panel(const StoryPicture& p) {
  const Fragment& operand = *p.story.operand;
  const Holder& holder = *p.way().holder;
  const int each = operand.register_bits() / operand.bits;
  const bool is_a = p.story.ask.role == OperandRole::a;
  const auto name = [&](int value) { return fmt::format("{}{}", is_a ? 'a' : 'b', value); };
  const auto square = [&](std::int64_t, std::int64_t r) {
    const int first = static_cast<int>(r) * each;
    std::string text = name(first), tip;
    if (each > 1) text += (each > 2 ? "-" : ",") + name(first + each - 1);
    for (int value = first; value < first + each; ++value) {
      const Coordinate at = operand.at(holder.thread, value);
      tip += fmt::format("{}{}: row {}, k {}", tip.empty() ? "" : "\n", name(value), is_a ? at.row : at.column,
                         is_a ? at.column : at.row);
    }
    return Grid::Square{text, StoryPicture::tint_of(p.way().mma.k, 0),
                        holder.value / each == r ? Mark::highlighted : Mark::none, tip,
                        static_cast<int>(p.way().mma.k)};
  };
  return grid_of(fmt::format("5 {} in registers", operand_letter(p.story)), "register",
                 {fmt::format("thread {}", holder.thread)}, number_labels(operand.registers()), square);
}

namespace {

// ---- the scale factors of the followed row

}  // namespace

Grid factor_panel(const StoryPicture& p) {
  const ScaleWay& way = *p.element.factors.way;
  const StoryFactor& followed = *p.element.factor;
  const int block = way.placement().block();
  const std::int64_t factors = way.stage().extents().factors;
  const auto square = [&](std::int64_t, std::int64_t kb) {
    const ScaleWay::Stop stop = way.stop({followed.at.row, kb});
    const std::int64_t step = p.k_step(kb * block);
    return Grid::Square{
        std::to_string(stop.place.byte), StoryPicture::tint_of(step, 0),
        kb == followed.at.kb ? Mark::highlighted : Mark::none,
        fmt::format("k {}\nbyte {:#x} of the stage, copy {}\nlanes {}, column {}, byte {}, sf_id {}",
                    range_text(kb * block, block), stop.smem.count, stop.copy, fmt::join(stop.place.lanes, ", "),
                    stop.place.column, stop.place.byte, stop.place.sf_id),
        static_cast<int>(step)};
  };
  Grid grid = grid_of(fmt::format("scale factors of the MMA: one {} for {} k", p.element.factors.type, block), "k",
                      {fmt::format("row {}: byte", followed.at.row)},
                      labels_of(factors, 1, [&](std::int64_t kb) { return range_text(kb * block, block); }), square);
  grid.joins_way = true;
  constexpr int word = 4;  // the factors in one column
  grid.column_group = word;
  grid.column_levels = {{word, labels_of(factors, word, [&](std::int64_t kb) {
                           return fmt::format("column {}", way.stop({followed.at.row, kb}).place.column);
                         })}};
  grid.below = factor_text(followed) +
               fmt::format("\n{} B of shared memory to columns {} by {} tcgen05.cp.{}", way.stage().size().count,
                           range_text(way.tile().column, way.columns()), way.copies().size(), full_name(way.copy()));
  grid.in_words = factor_text(followed);
  return grid;
}

namespace {

// ---- 5 or 6: the result

// The number of the last panel and its name: "5 D in registers".
std::string result_name(const StoryPicture& p, std::string_view where) {
  return fmt::format("{} D {}", p.way().holder ? 6 : 5, where);
}

// "block 0: " of several blocks of rows, "CTA 1: " of a pair, or nothing.
std::string result_part(const StoryPicture& p) {
  if (is_pair(p.story)) return fmt::format("CTA {}: ", p.story.ask.cta);
  return p.story.blocks().mn > 1 ? fmt::format("block {}: ", p.way().mma.row) : "";
}

Grid::Square result_square(std::string text, bool is_followed, std::string tip) {
  return {std::move(text), {}, is_followed ? Mark::highlighted : Mark::none, std::move(tip)};
}

// Columns of D, at most eight groups of eight or more.
Grid column_panel(const StoryPicture& p) {
  const std::int64_t n = p.story.ask.mma.n, size = (n + 63) / 64 * 8;
  const auto square = [&](std::int64_t, std::int64_t i) {
    const bool is_followed = p.way().result.index / size == i;
    return result_square(is_followed ? std::to_string(p.way().result.index) : "", is_followed,
                         "columns " + range_text(i * size, size));
  };
  return grid_of(result_name(p, "by columns"), "n", {result_part(p) + "D"}, number_labels(n, size), square);
}

// Rows of D that lie together: in a quarter of tensor memory, or in a warp.
Grid row_panel(const StoryPicture& p) {
  const Story& story = p.story;
  const bool is_tmem = story.tensor_memory.has_value();
  const std::string word = is_tmem ? "lane" : "thread";
  const auto square = [&](std::int64_t quarter, std::int64_t) {
    const bool is_followed = p.way().result.warp == quarter;
    const std::string text =
        is_followed ? fmt::format("warp {}: row {}", quarter, p.way().result.index) : fmt::format("warp {}", quarter);
    Grid::Square made =
        result_square(text, is_followed, fmt::format("{}s {}", word, range_text(quarter * warp_lanes, warp_lanes)));
    if (is_followed) made.brief = fmt::format("row {}", p.way().result.index);
    return made;
  };
  const std::string columns = is_tmem ? fmt::format("columns 0-{}", story.tensor_memory->columns() - 1)
                                      : fmt::format("n 0-{}", story.ask.mma.n - 1);
  const auto label = [](std::int64_t lane) { return range_text(lane, warp_lanes); };
  return grid_of(result_name(p, is_tmem ? "in tensor memory" : "in registers"), word,
                 labels_of(is_tmem ? tmem_lanes : story.registers->threads(), warp_lanes, label),
                 {result_part(p) + columns}, square);
}

}  // namespace

Grid result_panel(const StoryPicture& p) {
  const bool is_row = p.story.ask.role == OperandRole::a;
  Grid grid = is_row ? row_panel(p) : column_panel(p);
  // Of an element that is read from elsewhere the registers do not matter.
  grid.in_words = p.is_broken() ? p.result.substr(0, p.result.find(", registers")) : p.result;
  return grid;
}

}  // namespace swz
