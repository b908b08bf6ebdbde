// SPDX-License-Identifier: Apache-2.0
// Any bytes as a dump, after two bytes that choose its type, extents and form: bytes or an Error from the readers; of what
// is read an identification that is exact only if every element is in place, and whose view can be made.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/error.hpp"
#include "identify/dump_text.hpp"
#include "render/json.hpp"
#include "render/text.hpp"
#include "view/identify/identify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto bytes = std::as_bytes(std::span(data + 2, size - 2));
  const auto types = swz::dtypes();
  const swz::ElementType type{types[data[0] % types.size()]};
  const swz::TileExtents extents{8 << (data[1] & 3), 8 << (data[1] >> 2 & 3)};
  try {
    const swz::DumpText dump = swz::read_dump(bytes, type.slot_bits());
    const swz::LogicalTile tile = (data[1] & 16) != 0 ? swz::code_tile(type, extents) : swz::iota_tile(type, extents);
    const swz::SharedDump shared(dump.bytes, dump.address.value_or(swz::Bytes{0}), tile.passes);
    swz::TileIdentification found = swz::identify_tile(shared, tile);
    if (found.is_exact && (found.matching != found.elements || found.mistake)) std::abort();
    if (found.is_exact)
      for (std::int64_t row = 0; row < extents.mn; ++row)
        for (std::int64_t k = 0; k < extents.k; ++k)
          if (shared.value(found.tile->bit(row, k).count, type.value_bits()) != tile.value({row, k})) std::abort();
    const swz::Document d =
        swz::view_identify({tile, "fuzz", shared.address(), std::move(found), {}, &swz::default_target(), {}, {}});
    if (swz::render_text(d, swz::TextStyle{}).empty() || !swz::Json::parse(swz::json_text(d)).is_object()) std::abort();
  } catch (const swz::Error& e) {
    if (e.message().empty()) std::abort();
  }
  return 0;
}
