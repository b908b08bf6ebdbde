// swz choose: the swizzle mode to take for a tile.
#include "base/error.hpp"
#include "operand_request.hpp"
#include "view/tile.hpp"

namespace swz {
namespace {

std::string option_text(const SmemTileValues& shape) {
  return fmt::format("--dtype {} --tile {} --major {}{}", shape.dtype->name, to_string(shape.extents()),
                     shape.major == Major::K ? "k" : "mn", shape.packing == Packing::slots ? " --slots" : "");
}

Answer answer(const TileRequest& r, const Context& context) {
  const SmemTileValues shape = shape_of(r);
  const Target& target = context.target();
  return {view_choose({shape, &target, choose_readable_swizzle(shape, target), option_text(shape)})};
}

}  // namespace

Command choose_command() {
  return {.name = "choose",
          .summary = "the swizzle mode to take for a tile, and why not a larger one",
          .details = R"(Chooses the largest swizzle mode that the target can read and whose atom divides
the tile; one line of the atom is what one GMEM request can fetch. For every
mode it shows whether it fits, the bytes of one request, and how many copies a
2-D tensor map needs when the atoms follow each other along MN (mn-first) or K
(k-first).

A TMA box is one atom wide and at most 256 lines high, and its lines follow
each other in shared memory without a gap.)",
          .examples = {{"swz choose --dtype bf16 --tile 64x32 --major k", "64B: a row has 64 bytes"},
                       {"swz choose --dtype tf32 --tile 128x32 --major mn --arch sm_100a",
                        "tcgen05 reads this with one mode only"}},
          .prepare = [] { return prepare(tile_shape_options, answer); }};
}

}  // namespace swz
