// The mistakes of a placement: what the word would read right if the elements lay otherwise.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "descriptor/explain_case.hpp"
#include "smem/legality.hpp"

namespace swz {

namespace {

using Places = std::vector<std::int64_t>;

// Other places of the block, and what it means if the word reads those.
struct Alternative {
  Places places;
  Advice advice;
};

// None when there is no such tile.
std::optional<Places> block_of_tile(const SmemTileValues& values, const ExplainCase& c) {
  try {
    const SmemTile tile(values);
    const int bits = tile.element_bits();
    Places places;
    places.reserve(c.wanted.places.size());
    for (std::int64_t row = 0; row < c.wanted.extents.mn; ++row) {
      for (std::int64_t k = 0; k < c.wanted.extents.k; ++k) {
        const std::int64_t r = c.block.row + row, q = c.block.k + k;
        places.push_back(tile.byte(r, q).count * 8 + (tile.major() == Major::K ? q : r) * bits % 8);
      }
    }
    return places;
  } catch (const Error&) {
    return std::nullopt;
  }
}

Places linear_block(const ExplainCase& c) {
  return block_of(c.stored.linear, c.stored.extents, c.block, c.wanted.extents);
}

// The linear places of the block, each sent through a function of its byte address.
template <class Move>
Places moved_bytes(const ExplainCase& c, Move&& move) {
  Places places = linear_block(c);
  for (std::int64_t& place : places) place = move(place / 8) * 8 + place % 8;
  return places;
}

// The XOR on byte addresses of a tile, or of a layout in smem_ptr form. None: a layout in plain form.
std::optional<Swizzle> byte_swizzle(const StoredOperand& stored) {
  if (stored.tile) return stored.tile->swizzle().byte_swizzle();
  if (stored.layout->has_pointer()) return stored.layout->swizzle();
  return std::nullopt;
}

std::vector<Alternative> other_block(const ExplainCase& c) {
  const auto at = c.stored.at(c.read.front());
  const TileExtents extents = c.wanted.extents;
  if (!at || at->row + extents.mn > c.stored.extents.mn || at->k + extents.k > c.stored.extents.k) return {};
  return {{block_of(c.stored.places, c.stored.extents, *at, extents),
           {fmt::format("the word reads another block: the one that begins at row {}, k {}", at->row, at->k),
            fmt::format("the start address of the block at row {}, k {} differs by its step", c.block.row,
                        c.block.k)}}};
}

std::vector<Alternative> other_order(const ExplainCase& c) {
  if (!c.stored.tile) return {};
  SmemTileValues values = c.stored.tile->values();
  values.order = values.order == StackingOrder::mn_first ? StackingOrder::k_first : StackingOrder::mn_first;
  const auto places = block_of_tile(values, c);
  if (!places) return {};
  return {{*places,
           {fmt::format("the word is for atoms stacked {}; the tile has them {}", to_string(values.order),
                        to_string(c.stored.tile->order())),
            fmt::format("--order {}, or the strides of {}", to_string(values.order),
                        to_string(c.stored.tile->order()))}}};
}

std::vector<Alternative> other_tile_major(const ExplainCase& c) {
  if (!c.stored.tile) return {};
  SmemTileValues values = c.stored.tile->values();
  values.major = values.major == Major::K ? Major::MN : Major::K;
  const auto places = block_of_tile(values, c);
  if (!places) return {};
  return {{*places,
           {fmt::format("the word is for a tile that is {}; this one is {}", to_string(values.major),
                        to_string(c.stored.tile->major())),
            fmt::format("--major {} for the tile, or a word for {}", values.major == Major::K ? "k" : "mn",
                        to_string(c.stored.tile->major()))}}};
}

std::vector<Alternative> other_tile_mode(const ExplainCase& c) {
  if (!c.stored.tile) return {};
  std::vector<Alternative> out;
  for (const SwizzleMode& mode : swizzle_modes()) {
    SmemTileValues values = c.stored.tile->values();
    if (mode.name == values.swizzle) continue;
    values.swizzle = mode.name;
    if (const auto places = block_of_tile(values, c))
      out.push_back({*places,
                     {fmt::format("the word is for a tile of mode {}; this one has mode {}", mode.name,
                                  c.stored.tile->swizzle().name),
                      fmt::format("write the tile with mode {}, or take the word for mode {}", mode.name,
                                  c.stored.tile->swizzle().name)}});
  }
  return out;
}

std::vector<Alternative> relative_swizzle(const ExplainCase& c) {
  const auto swizzle = byte_swizzle(c.stored);
  if (!swizzle || swizzle->is_identity()) return {};
  const std::int64_t base = c.stored.base.count;
  if (std::ranges::any_of(linear_block(c), [&](std::int64_t place) { return place / 8 < base; })) return {};
  return {
      {moved_bytes(c, [&](std::int64_t byte) { return base + (*swizzle)(byte - base); }),
       {fmt::format("the word is for a tile whose pattern is counted from its own beginning, {:#x}; the hardware "
                    "counts absolute addresses",
                    base),
        fmt::format("a tile that TMA wrote needs base offset 0; 'swz phase --swizzle {} --base {:#x}' says more",
                    c.word.swizzle()->name, base)}}};
}

// Another XOR, that of the word, over the same linear addresses.
std::vector<Alternative> swizzle_of_word(const ExplainCase& c) {
  const SwizzleMode& mode = *c.word.swizzle();
  const bool is_plain =
      c.stored.tile ? c.stored.tile->swizzle().bits == 0 : c.stored.layout->swizzle().is_identity();
  const std::string message =
      mode.bits == 0 ? std::string("the word has no swizzle, and without one the elements would lie where it reads")
      : is_plain
          ? fmt::format("the elements lie unswizzled; with mode {} they would lie where the word reads", mode.name)
          : fmt::format(
                "the elements have another swizzle; with mode {} they would lie where the word "
                "reads",
                mode.name);
  return {{moved_bytes(c, [&](std::int64_t byte) { return mode.byte(byte); }),
           {message, fmt::format("write the elements with {} on byte addresses, or give the word their mode",
                                 to_string(mode.byte_swizzle()))}}};
}

// The numbers of a swizzle on bytes used on element indices, or the other way round.
std::vector<Alternative> element_unit_swizzle(const ExplainCase& c) {
  const std::int64_t bits = c.wanted.element_bits;
  const std::int64_t base = c.stored.base.count;
  if (const auto on_bytes = byte_swizzle(c.stored)) {
    Places places = linear_block(c);
    for (std::int64_t& place : places) {
      if (place / 8 < base) return {};
      place = base * 8 + (*on_bytes)((place - base * 8) / bits) * bits;
    }
    return {{places,
             {fmt::format("{} acts on bytes; the word is for elements whose indices went through it",
                          to_string(*on_bytes)),
              "the hardware swizzles bytes: no index swizzle with these numbers"}}};
  }
  const Swizzle swizzle = c.stored.layout->swizzle();
  return {{moved_bytes(c, [&](std::int64_t byte) { return swizzle(byte); }),
           {fmt::format("{} acts on the indices of {}-bit elements here; on bytes it is what the word reads",
                        to_string(swizzle), bits),
            fmt::format("write {} o smem_ptr[{}b](unset) o {}", to_string(swizzle), bits,
                        to_string(c.stored.layout->layout()))}}};
}

struct PlacementMistake {
  std::string_view name, what;
  std::vector<Alternative> (*alternatives)(const ExplainCase&);
};

constexpr PlacementMistake placement_mistakes[] = {
    {"other-block", "the word is for another m block or k step", other_block},
    {"stacking-order", "the word is for the other stacking order", other_order},
    {"tile-major", "the word is for a tile of the other major", other_tile_major},
    {"tile-mode", "the word is for the same tile in another swizzle mode", other_tile_mode},
    {"tile-relative-swizzle", "the word is for a pattern that begins with the tile", relative_swizzle},
    {"other-swizzle", "the elements are swizzled otherwise than the word reads", swizzle_of_word},
    {"element-unit-swizzle", "a swizzle on bytes was used on element indices", element_unit_swizzle},
};

constexpr MistakeSummary wrong_major{"major", "the operand is read with the wrong major"};

// The same word, read with the other major.
std::optional<Explanation> mistake_of_major(const ExplainCase& c) {
  const Major other = c.wanted.major == Major::K ? Major::MN : Major::K;
  if (other == Major::K && c.word.swizzle()->family == SwizzleFamily::chunk_32) return std::nullopt;
  OperandPlaces read_so = c.wanted;
  read_so.major = other;
  if (!reads(c.word, read_so)) return std::nullopt;
  return Explanation{lint(wrong_major.name,
                          fmt::format("read {} the word gives this block; it was read {}", to_string(other),
                                      to_string(c.wanted.major)),
                          fmt::format("--major {}; in the instruction: the transpose bit of this operand",
                                      other == Major::K ? "k" : "mn")),
                     std::nullopt};
}

}  // namespace

std::vector<Explanation> mistakes_of_placement(const ExplainCase& c) {
  std::vector<Explanation> out;
  if (const auto major = mistake_of_major(c)) out.push_back(*major);
  for (const PlacementMistake& mistake : placement_mistakes) {
    for (const Alternative& alternative : mistake.alternatives(c))
      if (alternative.places == c.read)
        out.push_back({lint(mistake.name, alternative.advice.message, alternative.advice.hint), std::nullopt});
  }
  return out;
}

void append_placement_mistakes(std::vector<MistakeSummary>& out) {
  out.push_back(wrong_major);
  for (const PlacementMistake& mistake : placement_mistakes) out.push_back({mistake.name, mistake.what});
}

}  // namespace swz
