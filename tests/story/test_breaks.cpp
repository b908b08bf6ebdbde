// SPDX-License-Identifier: Apache-2.0
// What a kernel does wrong between two stages is found there, under a name, with the number of elements that are wrong.
#include <doctest/doctest.h>

#include <functional>

#include "arch/mistake.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/fields.hpp"
#include "random_story.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

// Changes a right story into a wrong one; false if this one has no such fault.
struct Fault {
  const char* name;
  StoryLink link;
  std::vector<std::string_view> rules;  // empty: a mistake of the table
  std::function<bool(StoryAsk&, Random&)> plant;
};

bool has_words(const StoryAsk& ask) { return ask.target->descriptor != SmemDescriptorKind::none; }

// The same tile with other values, for the reader.
bool read_as(StoryAsk& ask, const std::function<void(SmemTileValues&)>& change) {
  SmemTileValues values = ask.tile.values();
  change(values);
  if (has_words(ask) && !is_legal(operand_choice(values, *ask.target))) return false;
  try {
    ask.read_as = SmemTile(values);
    story_of(ask);
  } catch (const Error&) {
    return false;  // no such tile, or no MMA divides it
  }
  return true;
}

std::vector<std::uint64_t> words_of(const StoryAsk& ask) {
  std::vector<std::uint64_t> words;
  for (const MmaStep& step : story_of(ask).words.steps) words.push_back(step.descriptor.word());
  return words;
}

std::uint64_t with_field(const StoryAsk& ask, std::uint64_t word, FieldId id,
                         const std::function<std::uint64_t(std::uint64_t)>& change) {
  const SmemDescriptor d(word, *ask.target);
  const FieldRow& row = *d.format().find(id);
  const std::uint64_t most = (std::uint64_t{1} << row.bits.width) - 1;
  return row.bits.write(word, change(row.bits.read(word)) & most);
}

bool change_field(StoryAsk& ask, FieldId id, const std::function<std::uint64_t(std::uint64_t)>& change) {
  if (!has_words(ask)) return false;
  ask.words = words_of(ask);
  for (std::uint64_t& word : ask.words) word = with_field(ask, word, id, change);
  return ask.words !=
         words_of({.tile = ask.tile, .target = ask.target, .role = ask.role, .mma = ask.mma, .from = ask.from});
}

// The start field of each k step of each block, from the right one of the first.
bool advance(StoryAsk& ask, const std::function<std::uint64_t(std::uint64_t first, std::uint64_t step)>& start) {
  if (!has_words(ask)) return false;
  const Story story = story_of(ask);
  if (story.words.k_steps < 2) return false;
  const std::vector<std::uint64_t> right = words_of(ask);
  ask.words = right;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const auto m = static_cast<std::uint64_t>(story.words.steps[i].m_block),
               k = static_cast<std::uint64_t>(story.words.steps[i].k_step);
    const std::uint64_t first = SmemDescriptor(right[m], *ask.target).raw(FieldId::start_address);
    ask.words[i] = with_field(ask, right[i], FieldId::start_address, [&](std::uint64_t) { return start(first, k); });
  }
  return ask.words != right;
}

bool other_instruction(StoryAsk& ask, const std::function<std::uint64_t(const InstructionDescriptor&)>& change) {
  const Story story = story_of(ask);
  if (!story.instruction) return false;
  ask.instruction = static_cast<std::uint32_t>(change(*story.instruction));
  return true;
}

const std::vector<Fault>& faults() {
  using enum StoryLink;
  static const std::vector<Fault> all{
      {"the reader has another mode",
       shared_to_mma,
       {mistake::other_mode},
       [](StoryAsk& ask, Random& random) {
         return read_as(ask, [&](SmemTileValues& v) {
           v.swizzle = swizzle_modes()[static_cast<std::size_t>(random.below(std::ssize(swizzle_modes())))];
         });
       }},
      {"the reader stacks the other way",
       shared_to_mma,
       {"stacking-order"},
       [](StoryAsk& ask, Random&) {
         return read_as(ask, [](SmemTileValues& v) {
           v.order = v.order == StackingOrder::mn_first ? StackingOrder::k_first : StackingOrder::mn_first;
         });
       }},
      {"the reader is elsewhere",
       shared_to_mma,
       {"start-address"},
       [](StoryAsk& ask, Random&) { return read_as(ask, [](SmemTileValues& v) { v.base.count += 1024; }); }},
      {"the reader has the other major",
       shared_to_mma,
       {"tile-major"},
       [](StoryAsk& ask, Random&) { return read_as(ask, [](SmemTileValues& v) { v.major = other_major(v.major); }); }},
      {"the words do not advance",
       shared_to_mma,
       {},
       [](StoryAsk& ask, Random&) { return advance(ask, [](std::uint64_t first, std::uint64_t) { return first; }); }},
      {"elements are added to the field",
       shared_to_mma,
       {},
       [](StoryAsk& ask, Random&) {
         const auto k = static_cast<std::uint64_t>(ask.mma.k);
         return advance(ask, [k](std::uint64_t first, std::uint64_t step) { return first + k * step; });
       }},
      {"bytes are added to the field",
       shared_to_mma,
       {},
       [](StoryAsk& ask, Random&) {
         return advance(ask, [](std::uint64_t first, std::uint64_t step) { return first + 32 * step; });
       }},
      {"the advance stays in the line",
       shared_to_mma,
       {},
       [](StoryAsk& ask, Random&) {
         return advance(ask, [](std::uint64_t first, std::uint64_t step) { return first + 2 * step; });
       }},
      {"LBO and SBO are exchanged",
       shared_to_mma,
       {},
       [](StoryAsk& ask, Random&) {
         if (!has_words(ask)) return false;
         std::vector<std::uint64_t> words = words_of(ask);
         for (std::uint64_t& word : words) {
           const SmemDescriptor d(word, *ask.target);
           const std::uint64_t lbo = d.raw(FieldId::leading_byte_offset), sbo = d.raw(FieldId::stride_byte_offset);
           word = with_field(ask, word, FieldId::leading_byte_offset, [&](std::uint64_t) { return sbo; });
           word = with_field(ask, word, FieldId::stride_byte_offset, [&](std::uint64_t) { return lbo; });
         }
         ask.words = words;
         return true;
       }},
      {"SBO is in bytes",
       shared_to_mma,
       {},
       [](StoryAsk& ask, Random&) {
         return change_field(ask, FieldId::stride_byte_offset, [](std::uint64_t x) { return x << 4; });
       }},
      {"SBO is shifted twice",
       shared_to_mma,
       {},
       [](StoryAsk& ask, Random&) {
         return change_field(ask, FieldId::stride_byte_offset, [](std::uint64_t x) { return x >> 4; });
       }},
      {"LBO is of another tile",
       shared_to_mma,
       {},
       [](StoryAsk& ask, Random&) {
         return change_field(ask, FieldId::leading_byte_offset, [](std::uint64_t x) { return x + 64; });
       }},
      {"the start is in bytes",
       shared_to_mma,
       {},
       [](StoryAsk& ask, Random&) {
         return change_field(ask, FieldId::start_address, [](std::uint64_t x) { return x << 4; });
       }},
      {"the word has another mode",
       shared_to_mma,
       {mistake::other_mode},
       [](StoryAsk& ask, Random& random) {
         if (!has_words(ask)) return false;
         const SwizzleMode& mode = random.of(swizzle_modes());
         const auto code = mode.code(ask.target->descriptor);
         if (!code || !is_legal({ask.target, &ask.tile.dtype(), ask.tile.packing(), ask.tile.major(), &mode}))
           return false;
         return change_field(ask, FieldId::swizzle, [&](std::uint64_t) { return static_cast<std::uint64_t>(*code); });
       }},
      {"a base offset",
       shared_to_mma,
       {},
       [](StoryAsk& ask, Random& random) {
         const auto offset = static_cast<std::uint64_t>(1 + random.below(7));
         return change_field(ask, FieldId::base_offset, [&](std::uint64_t) { return offset; });
       }},
      {"the version is missing",
       shared_to_mma,
       {"version-missing"},
       [](StoryAsk& ask, Random&) {
         return ask.target->descriptor == SmemDescriptorKind::tcgen05 &&
                change_field(ask, FieldId::version, [](std::uint64_t) { return 0; });
       }},
      {"the barrier expects one copy",
       copy_to_barrier,
       {"expected-bytes"},
       [](StoryAsk& ask, Random&) {
         const Story story = story_of(ask);
         if (story.copies.count() < 2 || !ask.target->has_tma) return false;
         ask.expect = Bytes{story.copies.expect_bytes().count / story.copies.count()};
         return true;
       }},
      {"the barrier expects both CTAs",
       copy_to_barrier,
       {"expected-bytes"},
       [](StoryAsk& ask, Random&) {
         if (!ask.target->has_tma) return false;
         ask.expect = Bytes{story_of(ask).copies.expect_bytes().count * 2};
         return true;
       }},
      {"lines of the operand are torn",
       global_to_copy,
       {},
       [](StoryAsk& ask, Random&) {
         ask.from.line_stride.count += 2;
         return true;
       }},
      {"the operand is not aligned",
       global_to_copy,
       {},
       [](StoryAsk& ask, Random&) {
         ask.from.address += 8;
         return true;
       }},
      {"the tile begins inside of 16 B",
       global_to_copy,
       {"start-16", "copy-16", "padded-128"},
       [](StoryAsk& ask, Random&) {
         (ask.tile.major() == Major::K ? ask.from.tile_at.k : ask.from.tile_at.mn) += 2;
         return true;
       }},
      {"shared memory is not aligned for TMA",
       global_to_copy,
       {"smem-128"},
       [](StoryAsk& ask, Random&) {
         if (!ask.target->has_tma) return false;
         SmemTileValues values = ask.tile.values();
         values.base.count += 64;
         ask.tile = SmemTile(values);
         return true;
       }},
      {"boxes of half the rows",
       copy_to_shared,
       {"box-order"},
       [](StoryAsk& ask, Random&) {
         const TileExtents atoms = ask.tile.atoms(), atom = ask.tile.atom(), e = ask.tile.extents();
         if (!ask.target->has_tma || ask.tile.form() != nullptr || ask.tile.major() != Major::K ||
             ask.tile.order() != StackingOrder::k_first || atoms.k < 2 || atoms.mn % 4 != 0 ||
             ask.tile.swizzle().bits == 0 || e.mn / 2 > 256)
           return false;
         ask.box = TileExtents{e.mn / 2, atom.k};
         return true;
       }},
      {"a box wider than the swizzle",
       global_to_copy,
       {},
       [](StoryAsk& ask, Random&) {
         if (!ask.target->has_tma || ask.tile.form() != nullptr || ask.tile.swizzle().bits == 0 ||
             ask.tile.atoms().along(ask.tile.major()) < 2)
           return false;
         const TileExtents atom = ask.tile.atom(), e = ask.tile.extents();
         ask.box = ask.tile.major() == Major::K ? TileExtents{atom.mn, e.k} : TileExtents{e.mn, atom.k};
         return true;
       }},
      {"the instruction has another M",
       instruction,
       {"idesc-shape"},
       [](StoryAsk& ask, Random&) {
         return other_instruction(ask, [](const InstructionDescriptor& d) {
           const FieldRow& row = *d.format().find(FieldId::n);
           return row.bits.write(d.word(), row.bits.read(d.word()) == 8 ? 16 : 8);
         });
       }},
      {"the instruction has the other major",
       instruction,
       {"idesc-major"},
       [](StoryAsk& ask, Random&) {
         return other_instruction(ask, [&](const InstructionDescriptor& d) {
           const FieldId id = ask.role == OperandRole::a ? FieldId::transpose_a : FieldId::transpose_b;
           const FieldRow* row = d.format().find(id);
           return row == nullptr ? d.word() : row->bits.write(d.word(), 1 - row->bits.read(d.word()));
         });
       }},
      {"the instruction has another type",
       instruction,
       {"idesc-type"},
       [](StoryAsk& ask, Random&) {
         return other_instruction(ask, [&](const InstructionDescriptor& d) {
           const FieldRow* row = d.format().find(ask.role == OperandRole::a ? FieldId::a_type : FieldId::b_type);
           return row == nullptr ? d.word() : row->bits.write(d.word(), row->bits.read(d.word()) == 0 ? 1 : 0);
         });
       }},
  };
  return all;
}

bool is_mistake(std::string_view rule) {
  return std::ranges::any_of(mistakes(), [&](const MistakeRow& row) { return row.name == rule; });
}

// Elements that are read from another place than they are written to, counted here.
std::int64_t count_wrong(const Story& story, StoryLink link) {
  const SmemTile& tile = story.tile();
  std::int64_t wrong = 0;
  std::size_t i = 0;
  for (std::int64_t row = 0; row < tile.extents().mn; ++row)
    for (std::int64_t k = 0; k < tile.extents().k; ++k, ++i) {
      const std::int64_t place = slot_bit(tile, {row, k}).count;
      wrong += (link == StoryLink::copy_to_shared ? story.copies.places()[i] : story.read[i]) != place;
    }
  return wrong;
}

TEST_CASE("each fault that is planted is found at its link, under a name, with its elements") {
  for (std::size_t f = 0; f < faults().size(); ++f) {
    const Fault& fault = faults()[f];
    Random random(77 + f);
    long found = 0, tried = 0;
    const long wanted = 400 / step_of(100, 20);
    while (found < wanted && tried++ < 100 * wanted) {
      StoryAsk ask = right_ask(random.of(generations()), random);
      if (!fault.plant(ask, random)) continue;
      std::optional<Story> story;
      try {
        story = story_of(ask);
      } catch (const Error&) {
        continue;  // a word that nothing reads, a tile that does not exist: refused with a message
      }
      const bool is_of_elements = fault.link == StoryLink::shared_to_mma || fault.link == StoryLink::copy_to_shared;
      const std::int64_t wrong = count_wrong(*story, fault.link);
      // The change may have no effect, as LBO of a swizzled K-major operand: then nothing is claimed about elements.
      if (is_of_elements && wrong == 0 && fault.rules != std::vector<std::string_view>{"version-missing"}) {
        for (const StoryBreak& one : story->breaks) CHECK(one.of == 0);
        continue;
      }
      if (!is_of_elements && story->instruction && ask.instruction && *ask.instruction == 0) continue;
      INFO(fault.name << ": " << ask.target->name << " " << ask.tile.dtype().name << " "
                      << to_string(ask.tile.extents()) << " " << to_string(ask.tile.major()) << " "
                      << ask.tile.swizzle().name);
      const auto at = std::ranges::find(story->breaks, fault.link, &StoryBreak::link);
      if (at == story->breaks.end() && fault.link == StoryLink::instruction) continue;  // the format has no such field
      REQUIRE(at != story->breaks.end());
      ++found;
      CHECK(!at->message.empty());
      if (wrong > 0 && is_of_elements) {
        CHECK(at->wrong == wrong);
        CHECK(at->first.has_value());
      }
      if (!fault.rules.empty()) CHECK(std::ranges::find(fault.rules, std::string_view(at->rule)) != fault.rules.end());
      else if (is_of_elements) CHECK_MESSAGE(is_mistake(at->rule), at->rule);
    }
    CHECK_MESSAGE(found > 0, fault.name);
  }
}

}  // namespace
}  // namespace swz
