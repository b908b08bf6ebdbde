// SPDX-License-Identifier: Apache-2.0
#include "story/story.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "descriptor/fields.hpp"
#include "descriptor/operand_map.hpp"
#include "smem/walk.hpp"
#include "story/breaks.hpp"

namespace swz {

namespace {

constexpr std::int64_t other_side = 128;

// The kind that reads the type from a tile stored like this; plain kinds come first in the table.
const MmaKindRow& kind_of(const StoryAsk& ask) {
  if (ask.filter.kind != nullptr) return *ask.filter.kind;
  for (const MmaKindRow& row : mma_kinds())
    if (runs_on(row, *ask.target) && takes_type(row, ask.tile.dtype().name) &&
        packing_of(row, ask.tile.dtype()) == ask.tile.packing())
      return row;
  throw Error(
      fmt::format("no kind of tcgen05.mma on {} reads {} stored like this", ask.target->name, ask.tile.dtype().name),
      "swz arch instructions lists the kinds");
}

InstructionDescriptor instruction_of(const StoryAsk& ask) {
  const MmaKindRow& kind = kind_of(ask);
  if (ask.instruction) return {*ask.instruction, kind.kind, *ask.target};
  const std::string type(ask.tile.dtype().name);
  std::vector<FieldSetting> settings{{FieldId::a_type, type},
                                     {FieldId::b_type, type},
                                     {FieldId::m, std::to_string(ask.mma.m)},
                                     {FieldId::n, std::to_string(ask.mma.n)}};
  if (!kind.block_scaled)
    settings.push_back({FieldId::d_type, kind.kind == MmaKind::i8 || kind.kind == MmaKind::ti16 ? "s32" : "f32"});
  else settings.push_back({FieldId::scale_type, kind.kind == MmaKind::mxf4nvf4 ? "ue4m3" : "ue8m0"});
  if (ask.tile.major() == Major::MN)
    settings.push_back({ask.role == OperandRole::a ? FieldId::transpose_a : FieldId::transpose_b, "1"});
  return encode_idesc(settings, kind.kind, *ask.target);
}

// ---- words

SmemDescriptor moved(const SmemDescriptor& word, std::int64_t bytes) {
  const FieldRow& row = *word.format().find(FieldId::start_address);
  const std::uint64_t most = (std::uint64_t{1} << row.bits.width) - 1;
  const std::int64_t start = word.start_address().count + bytes;
  return {row.bits.write(word.word(), static_cast<std::uint64_t>(start / chunk.count) & most), word.target()};
}

// The words of the kernel instead of those of the tile.
void replace_words(TileDescriptors& all, const StoryAsk& ask) {
  if (ask.words.empty()) return;
  const std::int64_t given = std::ssize(ask.words), steps = all.k_steps, mmas = std::ssize(all.steps);
  if (given != 1 && given != steps && given != mmas)
    throw usage_error(fmt::format("{} words given; the tile has {} k steps{}", given, steps,
                                  mmas == steps ? std::string() : fmt::format(" in {} blocks of rows", all.m_blocks)),
                      "give the first word, one for each k step, or one for each MMA");
  const std::vector<MmaStep> planned = all.steps;
  for (std::size_t i = 0; i < all.steps.size(); ++i) {
    const MmaStep& step = planned[i];
    const std::size_t from = given == mmas ? i : given == 1 ? 0 : static_cast<std::size_t>(step.k_step);
    const MmaStep& like = planned[given == mmas ? i : from * static_cast<std::size_t>(all.m_blocks)];
    const SmemDescriptor word(ask.words[from], *ask.target);
    all.steps[i].descriptor = moved(word, step.byte_offset.count - like.byte_offset.count);
  }
}

std::vector<std::int64_t> read_by_words(const Story& story, Major major) {
  const TileExtents extents = story.tile().extents();
  std::vector<std::int64_t> read(static_cast<std::size_t>(extents.mn * extents.k), -1);
  for (const MmaStep& mma : story.words.steps) {
    const OperandMap map = operand_map(mma.descriptor, story.step, story.tile().element_bits(), major);
    for (std::int64_t row = 0; row < story.step.mn; ++row)
      for (std::int64_t k = 0; k < story.step.k; ++k)
        read[static_cast<std::size_t>((mma.m_block * story.step.mn + row) * extents.k + mma.k_step * story.step.k +
                                      k)] = map.place(row, k);
  }
  return read;
}

void read_by_descriptors(Story& story) {
  const StoryAsk& ask = story.ask;
  const SmemTile& tile = ask.read_as ? *ask.read_as : ask.tile;
  story.step = mma_operand(ask.mma, ask.role, operand_choice(ask.tile, *ask.target, ask.filter)).extents;
  if (story.step.k * ask.tile.element_bits() == 48 * 8)
    throw usage_error("a story does not follow K 96: its words hold absolute addresses", "swz desc has the words");
  story.words = tile_descriptors(tile, *ask.target, story.step);
  replace_words(story.words, ask);
  story.read = read_by_words(story, tile.major());
  if (story.reader == StoryReader::tcgen05) {
    story.instruction = instruction_of(ask);
    const DataPathQuery path{static_cast<int>(ask.mma.m), ask.filter.cta_group == 2 ? 2 : 1};
    story.tensor_memory = Accumulator(require_data_path(path), static_cast<int>(ask.mma.n));
  } else {
    story.registers = find_fragment(
        {.name = "wgmma." + to_string(ask.mma), .dtype = std::string(ask.tile.dtype().name), .operand = Operand::d});
  }
}

// ---- ldmatrix

// ldmatrix takes rows of 16 B: of K-major tiles as they are, of others by .trans, which moves 16-bit elements.
void require_matrices(const StoryAsk& ask) {
  const SmemTile& tile = ask.tile;
  if (tile.major() == Major::MN && tile.element_bits() != 16)
    throw usage_error(
        fmt::format("ldmatrix.trans moves 16-bit elements; this tile is MN-major with {} bits", tile.element_bits()),
        "take a K-major tile");
  if (tile.form() != nullptr || tile.element_bits() < 8 || tile.element_bits() > 32)
    throw usage_error(fmt::format("a story of ldmatrix has elements of 8, 16 or 32 bits, not {}", tile.dtype().name),
                      "swz frag shows the fragments of the others");
}

bool has_warp_mma(const MmaExtents& mma, const DType& dtype, const Target& target) {
  const std::vector<MmaForm> forms = mma_forms(mma, dtype);
  return std::ranges::any_of(forms, [&](const MmaForm& form) { return form.runs_on(target); });
}

void read_by_ldmatrix(Story& story) {
  const StoryAsk& ask = story.ask;
  require_matrices(ask);
  if (!has_warp_mma(ask.mma, ask.tile.dtype(), *ask.target)) {
    const auto nearest = nearest_mma(ask.mma, ask.tile.dtype(), *ask.target);
    throw usage_error(
        fmt::format("{} has no mma.sync {} of {}", ask.target->name, to_string(ask.mma), ask.tile.dtype().name),
        nearest ? "nearest: " + to_string(*nearest) : "take another type or target");
  }
  const SmemTile& tile = ask.read_as ? *ask.read_as : ask.tile;
  const std::string name = "mma." + to_string(ask.mma), type(ask.tile.dtype().name);
  story.operand = find_fragment({name, type, ask.role == OperandRole::a ? Operand::a : Operand::b});
  story.registers = find_fragment({name, type, Operand::d});
  story.step = {ask.role == OperandRole::a ? ask.mma.m : ask.mma.n, ask.mma.k};
  const TileExtents extents = ask.tile.extents();
  if (extents.mn % story.step.mn != 0 || extents.k % story.step.k != 0)
    throw usage_error(
        fmt::format("an operand of {} does not divide the tile of {}", to_string(story.step), to_string(extents)),
        "take multiples of it");
  for (std::int64_t row = 0; row < extents.mn; ++row)
    for (std::int64_t k = 0; k < extents.k; ++k) story.read.push_back(slot_bit(tile, {row, k}).count);
  const std::string matrices = tile.major() == Major::K ? "ldmatrix.x4" : "ldmatrix.x4.trans";
  story.matrices = walk(Placement(tile), parse_accesses(matrices).front());
}

// The wavefronts of 8 lines x 16 B, the first of the placement.
std::int64_t core_wavefronts(const Placement& placement) {
  const IndexRange lines{0, 7}, along{0, placement.chunk_elements() - 1};
  const bool is_k_major = placement.major() == Major::K;
  const Selection core{.rows = {is_k_major ? lines : along}, .ks = {is_k_major ? along : lines}};
  return swz::read(phases_of(core, placement), placement).wavefronts;
}

}  // namespace

StoryReader reader_of(const Target& target) {
  if (target.descriptor == SmemDescriptorKind::tcgen05) return StoryReader::tcgen05;
  return target.descriptor == SmemDescriptorKind::wgmma ? StoryReader::wgmma : StoryReader::ldmatrix;
}

std::string_view to_string(StoryLink link) {
  return name_in({"global-to-copy", "copy-to-barrier", "copy-to-shared", "shared-to-mma", "instruction"}, link);
}

StoryMma story_mma(const SmemTile& tile, const Target& target, OperandRole role, const MmaFilter& filter) {
  const std::int64_t k = dense_mma_k(tile.element_bits());
  if (reader_of(target) == StoryReader::ldmatrix) {
    const MmaExtents usual{16, 8, k};
    if (has_warp_mma(usual, tile.dtype(), target)) return {usual, role};
    return {nearest_mma(usual, tile.dtype(), target).value_or(usual), role};
  }
  const OperandChoice choice = operand_choice(tile, target, filter);
  require_legal(choice);
  const DefaultMma found = default_mma(operand_shape(tile), choice, role);
  const OperandRole as = found.role.value_or(role);
  const std::int64_t ctas = filter.cta_group == 2 ? 2 : 1, rows = found.extents.mn * ctas;
  if (as == OperandRole::a) return {{rows, other_side, k}, as};
  return {{reader_of(target) == StoryReader::wgmma ? 64 : other_side * ctas, rows, k}, as};
}

const SmemDescriptor* Story::word(std::int64_t m_block, std::int64_t k_step) const {
  if (words.steps.empty()) return nullptr;
  return &words.steps[static_cast<std::size_t>(k_step * words.m_blocks + m_block)].descriptor;
}

std::optional<SmemDescriptor> right_word(const Story& story, TileCoordinate mma) {
  if (story.words.steps.empty()) return {};
  const TileDescriptors right = tile_descriptors(story.tile(), *story.ask.target, story.step);
  return right.steps[static_cast<std::size_t>(mma.k * right.m_blocks + mma.row)].descriptor;
}

Story story_of(StoryAsk ask) {
  const StoryReader reader = reader_of(*ask.target);
  TileCopies copies(ask.tile, ask.from, *ask.target, ask.box);
  Story story{.ask = std::move(ask),
              .reader = reader,
              .copies = std::move(copies),
              .step = {},
              .words = {},
              .read = {},
              .wavefronts = 0,
              .linear_wavefronts = 0,
              .matrices = {},
              .instruction = {},
              .tensor_memory = {},
              .registers = {},
              .operand = {},
              .breaks = {}};
  if (reader == StoryReader::ldmatrix) read_by_ldmatrix(story);
  else read_by_descriptors(story);
  story.wavefronts = core_wavefronts(Placement(story.tile()));
  const SmemTile& tile = story.tile();
  // An atom of the mode, of 8 lines in every mode, without its exclusive or.
  const TileExtents lines = tile.major() == Major::K ? TileExtents{8, tile.atom().k} : TileExtents{tile.atom().mn, 8};
  story.linear_wavefronts =
      core_wavefronts(Placement(linear_layout(lines, tile.major()), tile.element_bits(), Bytes{}, tile.major()));
  story.breaks = story_breaks(story);
  return story;
}

}  // namespace swz
