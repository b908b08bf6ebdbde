#include "smem/phase.hpp"

#include <fmt/format.h>

#include "arch/target.hpp"
#include "base/error.hpp"
#include "smem/tile.hpp"

namespace swz {

namespace {

constexpr int base_offsets = 8;  // the field has 3 bits

void require_inside(const SwizzleMode& mode, Bytes base, std::optional<Bytes> tile_bytes) {
  require_chunk_address(base, &mode);
  const Bytes window = largest_smem_window();
  const Bytes size = tile_bytes.value_or(pattern_shown(mode));
  if (size.count < 1 || size > window || base.count > window.count - size.count)
    throw Error(
        fmt::format("{} B at {:#x} run past {:#x}, the end of shared memory", size.count, base.count, window.count),
        "take a smaller base address or tile");
}

template <class Do>
void for_each_chunk(Bytes size, Do&& act) {
  for (std::int64_t offset = 0; offset < size.count; offset += chunk.count) act(Bytes{offset});
}

PhaseCount count_wrong(const SwizzleMode& mode, Bytes base, Bytes size) {
  PhaseCount count{Bytes{0}, size};
  for_each_chunk(size, [&](Bytes offset) {
    if (absolute_byte(mode, base, offset) != relative_byte(mode, base, offset)) count.wrong.count += chunk.count;
  });
  return count;
}

// The base offsets with which an MMA looks for every chunk of one pattern where `place` put it. Both sides repeat
// after a pattern, so that one is enough.
template <class Place>
std::vector<int> agreeing(const SwizzleMode& mode, Bytes base, Place&& place) {
  std::vector<int> offsets;
  for (int base_offset = 0; base_offset < base_offsets; ++base_offset) {
    bool agrees = true;
    for_each_chunk(mode.pattern(), [&](Bytes offset) {
      agrees = agrees && mode.byte(base.count + offset.count, base_offset) == place(mode, base, offset).count;
    });
    if (agrees) offsets.push_back(base_offset);
  }
  return offsets;
}

}  // namespace

Phase phase(const SwizzleMode& mode, Bytes base, std::optional<Bytes> tile_bytes) {
  require_inside(mode, base, tile_bytes);
  Phase out;
  out.mode = &mode;
  out.base = base;
  out.bytes = Bytes{base.count % mode.pattern().count};
  out.below = Bytes{base.count - out.bytes.count};
  out.above = out.is_aligned() ? base : Bytes{out.below.count + mode.pattern().count};
  out.over_pattern = count_wrong(mode, base, mode.pattern());
  if (tile_bytes) out.over_tile = count_wrong(mode, base, *tile_bytes);
  out.absolute_base_offsets = agreeing(mode, base, absolute_byte);
  out.relative_base_offsets = agreeing(mode, base, relative_byte);
  out.documented_base_offset = static_cast<int>(base.count / bank_row.count % base_offsets);

  out.size = tile_bytes.value_or(mode.pattern());
  out.lowest = base;
  out.end = Bytes{base.count + out.size.count};
  for_each_chunk(out.size, [&](Bytes offset) {
    const Bytes lies_at = absolute_byte(mode, base, offset);
    const Bytes looked_for = relative_byte(mode, base, offset);
    out.lowest = std::min(out.lowest, lies_at);
    out.end = std::max(out.end, Bytes{lies_at.count + chunk.count});
    if (lies_at != looked_for && !out.first_wrong) out.first_wrong = {offset, lies_at, looked_for};
  });
  return out;
}

}  // namespace swz
