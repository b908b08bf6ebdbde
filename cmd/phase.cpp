// swz phase: the effect of a tile base that is not aligned to its swizzle pattern.
#include "view/tile.hpp"

#include "base/error.hpp"
#include "tile_request.hpp"

namespace swz {
namespace {

struct Request {
  TileRequest tile;
};

Options options_of(Request& r) { return tile_options(r.tile); }

void validate(const Request& r) {
  if (!r.tile.extents && r.tile.swizzle.mode == nullptr)
    throw usage_error("--swizzle auto needs --tile", "give the tile, or name a swizzle mode");
}

Answer answer(const Request& r, const Context& context) {
  std::optional<SmemTile> tile;
  if (r.tile.extents) tile = tile_of(r.tile, context.target());
  const Phase p =
      tile ? phase(tile->swizzle(), tile->base(), tile->bytes()) : phase(*r.tile.swizzle.mode, r.tile.base.bytes);
  return {view_phase(p, tile)};
}

}  // namespace

Command phase_command() {
  return {.name = "phase",
          .summary = "the effect of a tile base that is not aligned to its swizzle pattern",
          .details = R"(The hardware swizzles by the absolute address. When the base of a tile is not a
multiple of the pattern, TMA and an MMA with base offset 0 still agree, but code
that counts from the beginning of the tile reads other bytes: this shows how
many, which base offset of the descriptor repairs data that was written that
way, and where the nearest aligned addresses are.)",
          .examples = {{"swz phase --swizzle 64B --base 0x680", "a tile 128 B after the beginning of its pattern"},
                       {"swz phase --swizzle 128B --base 0x480 --dtype bf16 --tile 64x64",
                        "the wrong bytes of a tile"}},
          .prepare = [] { return prepare(options_of, answer, validate); }};
}

}  // namespace swz
