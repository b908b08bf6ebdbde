// swz phase: the effect of a tile base that is not aligned to its swizzle pattern.
#include "base/error.hpp"
#include "operand_request.hpp"
#include "view/tile.hpp"

namespace swz {
namespace {

Options options_of(TileRequest& tile) { return tile_options(tile); }

void validate(const TileRequest& r) {
  if (!r.extents && r.swizzle.mode == nullptr)
    throw usage_error("--swizzle auto needs --tile", "give the tile, or name a swizzle mode");
}

Answer answer(const TileRequest& r, const Context& context) {
  std::optional<SmemTile> tile;
  if (r.extents) tile = tile_of(r, context.target());
  const Phase p = tile ? phase(tile->swizzle(), tile->base(), tile->bytes()) : phase(*r.swizzle.mode, r.base.bytes);
  return {view_phase(p, tile)};
}

}  // namespace

Command phase_command() {
  return {.name = "phase",
          .summary = "the effect of a tile base that is not aligned to its swizzle pattern",
          .details = R"(The hardware swizzles absolute addresses. If the base of a tile is not a
multiple of its swizzle pattern, TMA and an MMA with base offset 0 still agree,
but code that computes offsets from the beginning of the tile accesses other
bytes. swz shows how many, which base offset of the descriptor corrects data
that was written that way, and the nearest aligned addresses.)",
          .examples = {{"swz phase --swizzle 64B --base 0x680", "a tile 128 B after the beginning of its pattern"},
                       {"swz phase --swizzle 128B --base 0x480 --dtype bf16 --tile 64x64",
                        "the wrong bytes of a tile"}},
          .prepare = [] { return prepare(options_of, answer, validate); }};
}

}  // namespace swz
