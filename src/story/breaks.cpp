// SPDX-License-Identifier: Apache-2.0
#include "story/breaks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/mistake.hpp"
#include "base/text.hpp"
#include "descriptor/explain.hpp"
#include "descriptor/fields.hpp"
#include "descriptor/k_loop.hpp"

namespace swz {

namespace {

StoryBreak break_at(StoryLink link, Finding finding) {
  StoryBreak out;
  static_cast<Finding&>(out) = std::move(finding);
  out.link = link;
  if (out.hint.empty()) out.hint = "swz map shows what a word reads, swz tma plan what copies write";
  if (out.source.empty()) out.source = "what both stages do, computed (derived)";
  return out;
}

// ---- elements that differ

struct Differing {
  std::int64_t wrong = 0;
  std::optional<TileCoordinate> first = {};
};

Differing differing(const Story& story, const std::vector<std::int64_t>& places) {
  const SmemTile& tile = story.tile();
  const TileExtents extents = tile.extents();
  Differing out;
  for (std::int64_t row = 0; row < extents.mn; ++row)
    for (std::int64_t k = 0; k < extents.k; ++k) {
      if (places[static_cast<std::size_t>(row * extents.k + k)] == slot_bit(tile, {row, k}).count) continue;
      if (out.wrong++ == 0) out.first = TileCoordinate{row, k};
    }
  return out;
}

StoryBreak with_elements(StoryBreak out, const Story& story, const Differing& elements, std::string_view verb) {
  out.wrong = elements.wrong;
  out.of = story.tile().extents().mn * story.tile().extents().k;
  out.first = elements.first;
  out.message += fmt::format(": {} of {} elements are {} another place", out.wrong, out.of, verb);
  return out;
}

// ---- copies

void add_barrier_break(std::vector<StoryBreak>& out, const Story& story) {
  const TileCopies& copies = story.copies;
  if (!story.ask.expect || !copies.plan() || *story.ask.expect == copies.expect_bytes()) return;
  const std::int64_t expected = story.ask.expect->count, brought = copies.expect_bytes().count;
  std::string means;
  if (expected * copies.count() == brought && copies.count() > 1) means = "; this is one copy of several";
  else if (expected == 2 * brought) means = "; this is twice the bytes: those of both CTAs or of both operands";
  else if (expected == copies.plan()->smem_bytes().count) means = "; this counts the gaps in shared memory, too";
  else if (expected == story.tile().extents().mn * story.tile().extents().k) means = "; this is the number of elements";
  out.push_back(break_at(
      StoryLink::copy_to_barrier,
      lint("expected-bytes",
           fmt::format("the barrier expects {} B and the copies bring {} B{}: {}", expected, brought, means,
                       expected > brought ? "the wait never ends" : "the wait ends before all of them are there"),
           fmt::format("mbarrier.arrive.expect_tx {}", brought), "PTX ISA 9.1, 9.7.13.15.5 (documented)")));
}

void add_copy_breaks(std::vector<StoryBreak>& out, const Story& story) {
  for (const Finding& refusal : story.copies.refusals()) out.push_back(break_at(StoryLink::global_to_copy, refusal));
  add_barrier_break(out, story);
  const Differing elements = differing(story, story.copies.places());
  if (elements.wrong == 0) return;
  StoryBreak found = break_at(
      StoryLink::copy_to_shared,
      lint("box-order", fmt::format("boxes of {} one after another are not the tile", to_string(story.copies.box())),
           "take the boxes of swz tma plan"));
  out.push_back(with_elements(std::move(found), story, elements, "written to"));
}

// ---- what the MMAs read

// "the copies write mode 64B, the MMAs read mode 128B"
Finding other_tile(const SmemTile& written, const SmemTile& read) {
  const auto finding = [](std::string_view rule, std::string_view what, const auto& a, const auto& b) {
    return lint(rule, fmt::format("the copies write {0} {1}, the MMAs read {0} {2}", what, a, b),
                fmt::format("make both {} {}", what, a));
  };
  if (&written.swizzle() != &read.swizzle())
    return finding(mistake::other_mode, "mode", written.swizzle().name, read.swizzle().name);
  if (written.major() != read.major())
    return finding("tile-major", "a tile that is", to_string(written.major()), to_string(read.major()));
  if (written.base() != read.base())
    return finding("start-address", "from", fmt::format("{:#x}", written.base().count),
                   fmt::format("{:#x}", read.base().count));
  return finding("stacking-order", "atoms", to_string(written.order()), to_string(read.order()));
}

std::vector<SmemDescriptor> first_loop(const Story& story) {
  std::vector<SmemDescriptor> words;
  for (std::int64_t k = 0; k < story.words.k_steps; ++k) words.push_back(*story.word(0, k));
  return words;
}

// The mistake in the advances, if the words of a loop are all of one mode and differ in their starts.
std::optional<Explanation> loop_mistake(const Story& story) {
  const std::vector<SmemDescriptor> words = first_loop(story);
  if (words.size() < 2) return std::nullopt;
  const SmemTile& tile = story.tile();
  const LoopOperand known{tile.major(),
                          tile.element_bits(),
                          story.step.mn,
                          story.step.k * tile.element_bits() / 8,
                          tile.atoms().k > 1 ? tile.k_atom_stride() : Bytes{},
                          story.words.k_steps,
                          0};
  const KLoop loop = k_loop(words, known);
  if (loop.is_right() || loop.mistakes.empty()) return std::nullopt;
  return loop.mistakes.front();
}

// The first word that reads another place, against what the copies wrote.
std::optional<Explanation> word_mistake(const Story& story, TileCoordinate first) {
  const TileCoordinate block{first.row / story.step.mn * story.step.mn, first.k / story.step.k * story.step.k};
  const SmemDescriptor& word = *story.word(block.row / story.step.mn, block.k / story.step.k);
  const SmemTile& tile = story.tile();
  const OperandMap map = operand_map(word, story.step, tile.element_bits(), tile.major());
  const Comparison found = compare(word, map, stored_operand(tile), block);
  if (!found.explanations.empty()) return found.explanations.front();
  if (!found.right) return std::nullopt;
  Explanation other;
  static_cast<Finding&>(other) = lint("start-address", "the word reads other bytes than the copies write");
  other.word = found.right->descriptor.word();
  return other;
}

// A mistake of the first word is one of all its steps; that of a later word is one of their advance.
Explanation mistake_of_words(const Story& story, TileCoordinate first) {
  const bool is_first = first.k < story.step.k;
  if (!is_first)
    if (const auto found = loop_mistake(story)) return *found;
  if (const auto found = word_mistake(story, first)) return *found;
  Explanation other;
  static_cast<Finding&>(other) = lint("start-address", "the words read other bytes than the copies write");
  return other;
}

void add_read_break(std::vector<StoryBreak>& out, const Story& story) {
  const Differing elements = differing(story, story.read);
  if (elements.wrong == 0) return;
  StoryBreak found;
  if (story.ask.words.empty() && story.ask.read_as) {
    found = break_at(StoryLink::shared_to_mma, other_tile(story.tile(), *story.ask.read_as));
    const TileCoordinate first{elements.first->row / story.step.mn, elements.first->k / story.step.k};
    if (const auto right = right_word(story, first)) found.word = right->word();
  } else {
    const SwizzleMode* mode = story.word(0, 0)->swizzle();
    Explanation mistake = mistake_of_words(story, *elements.first);
    found.word = mistake.word;
    // What the modes are says more than that they differ.
    if (mode != nullptr && mode != &story.tile().swizzle()) {
      SmemTileValues other = story.tile().values();
      static_cast<Finding&>(mistake) =
          lint(mistake::other_mode,
               fmt::format("the copies write mode {}, the MMAs read mode {}", other.swizzle->name, mode->name),
               found.word ? "write " + hex64(*found.word) : "");
    }
    const std::optional<std::uint64_t> word = found.word;
    found = break_at(StoryLink::shared_to_mma, std::move(mistake));
    found.word = word;
    if (found.hint.empty() && word) found.hint = "write " + hex64(*word);
  }
  out.push_back(with_elements(std::move(found), story, elements, "read from"));
}

// The lints of the words, each once.
void add_lints(std::vector<StoryBreak>& out, const Story& story) {
  for (const MmaStep& step : story.words.steps)
    for (Finding& finding : lint(step.descriptor)) {
      if (finding.severity == Severity::note) continue;
      const auto is_known = [&](const StoryBreak& known) { return known.rule == finding.rule; };
      if (std::ranges::any_of(out, is_known)) continue;
      StoryBreak found = break_at(StoryLink::shared_to_mma, std::move(finding));
      found.word = step.descriptor.word();
      out.push_back(std::move(found));
    }
}

// ---- the instruction descriptor

void add_instruction_breaks(std::vector<StoryBreak>& out, const Story& story) {
  if (!story.instruction || !story.ask.instruction) return;
  const InstructionDescriptor& word = *story.instruction;
  const StoryAsk& ask = story.ask;
  const auto add_break = [&](std::string_view rule, std::string message, std::string hint) {
    out.push_back(break_at(StoryLink::instruction, lint(rule, std::move(message), std::move(hint))));
  };
  const bool is_a = ask.role == OperandRole::a;
  const std::string_view side = is_a ? "A" : "B";
  const TypeCode* type = word.type(is_a ? FieldId::a_type : FieldId::b_type);
  const std::string_view of_tile = ask.tile.dtype().name;
  if (word.format().find(FieldId::a_type) != nullptr && (type == nullptr || type->dtype != of_tile))
    add_break("idesc-type",
              fmt::format("the instruction descriptor reads {} as {}, the tile is {}", side,
                          type == nullptr ? std::string("no type") : std::string(type->dtype), of_tile),
              fmt::format("{}_type is {}", is_a ? "a" : "b", of_tile));
  const Major major = word.flag(is_a ? FieldId::transpose_a : FieldId::transpose_b) ? Major::MN : Major::K;
  if (major != ask.tile.major())
    add_break("idesc-major",
              fmt::format("the instruction descriptor reads {} {}, the tile is {}", side, to_string(major),
                          to_string(ask.tile.major())),
              fmt::format("transpose_{} is {}", is_a ? "a" : "b", ask.tile.major() == Major::MN ? 1 : 0));
  if (word.m() != ask.mma.m || word.n() != ask.mma.n)
    add_break("idesc-shape",
              fmt::format("the instruction descriptor has M {}, N {}; the tile is cut for M {}, N {}", word.m(),
                          word.n(), ask.mma.m, ask.mma.n),
              "make both the same");
  for (Finding& finding : lint(word))
    if (finding.severity != Severity::note) out.push_back(break_at(StoryLink::instruction, std::move(finding)));
}

}  // namespace

std::vector<StoryBreak> story_breaks(const Story& story) {
  std::vector<StoryBreak> out;
  add_copy_breaks(out, story);
  add_read_break(out, story);
  add_lints(out, story);
  add_instruction_breaks(out, story);
  return out;
}

}  // namespace swz
