// SPDX-License-Identifier: Apache-2.0
// Any bytes as registers by thread, after two bytes that choose the element type, the tile and what is asked: registers or
// an Error from the reader; of what is read an answer that is exact only if every element is in place, and whose view can
// be made.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/error.hpp"
#include "render/json.hpp"
#include "render/text.hpp"
#include "view/identify/identify_registers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto bytes = std::as_bytes(std::span(data + 2, size - 2));
  const auto types = swz::dtypes();
  const swz::TileExtents extents{8 << (data[1] & 3), 8 << (data[1] >> 2 & 3)};
  const bool has_codes = (data[1] & 16) != 0, is_tensor_memory = (data[1] & 32) != 0;
  try {
    const swz::ElementType type = swz::register_element(types[data[0] % types.size()]);
    const swz::LogicalTile tile = has_codes ? swz::code_tile(type, extents) : swz::iota_tile(type, extents);
    const swz::RegisterDump dump = swz::read_registers(bytes, tile.passes, (data[1] & 64) != 0 ? 32 : 0);
    if (dump.words.size() != static_cast<std::size_t>(dump.passes) * static_cast<std::size_t>(dump.threads) *
                                 static_cast<std::size_t>(dump.registers))
      std::abort();
    // Larger ones are read, and not looked into: an input a microsecond is what finds.
    if (dump.words.size() > 1024) return 0;
    const swz::RegisterIdentification found = swz::identify_registers(dump, tile, {is_tensor_memory, "", ""});
    if (found.is_exact && (found.matching != found.elements || found.mistake)) std::abort();
    if (found.mistake && (!found.map || found.matching > found.elements)) std::abort();
    const swz::Document d = swz::view_registers({tile, "fuzz", "fuzz", dump.first_thread, found, {}, {}});
    if (swz::render_text(d, swz::TextStyle{}).empty() || !swz::Json::parse(swz::json_text(d)).is_object()) std::abort();
  } catch (const swz::Error& e) {
    if (e.message().empty()) std::abort();
  }
  return 0;
}
