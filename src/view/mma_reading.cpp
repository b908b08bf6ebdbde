#include <fmt/format.h>

#include "base/text.hpp"
#include "view/desc.hpp"
#include "view/tma.hpp"

namespace swz {

namespace {

Json box_of(const TensorMap& map) { return first_of(map.box, map.rank); }

Json instead_json(const MmaReading& reading) {
  return json_list(reading.instead, [](const ReadableTile& readable) -> Json {
    return {{"swizzle", readable.tile.swizzle().name},
            {"order", to_string(readable.tile.order())},
            {"box", box_of(readable.plan.map)},
            {"copies", readable.plan.copies.size()},
            {"request_bytes", readable.plan.request.count}};
  });
}

// "what an MMA reads: mode none, box (8, 8), 4 copies; …"
std::string way_out(const MmaReading& reading) {
  if (reading.instead.empty()) return reading.hint;
  std::vector<std::string> tiles;
  for (const ReadableTile& readable : reading.instead)
    tiles.push_back(fmt::format("mode {}, box {}, {}", readable.tile.swizzle().name,
                                tuple_text(box_of(readable.plan.map)),
                                plural(ssize(readable.plan.copies), "copy")));
  return fmt::format("what an MMA reads: {}", fmt::join(tiles, "; "));
}

std::string plan_command(const SmemTile& tile, const Target& target) {
  return fmt::format("swz tma plan --arch {} --dtype {} --tile {} --major {}{} --swizzle {}", target.name,
                     tile.dtype().name, to_string(tile.extents()), tile.major() == Major::K ? "k" : "mn",
                     tile.packing() == Packing::slots ? " --slots" : "", tile.swizzle().name);
}

}  // namespace

void add_mma_reading(Document& d, const MmaReading& reading, bool is_tma_none) {
  const auto& words = reading.descriptors;
  const bool is_read = reading.is_read();
  const Json json{{"read", is_read},
                  {"mode", is_read ? Json(reading.mode->name) : Json()},
                  {"lbo", is_read ? Json(words->leading.value.count) : Json()},
                  {"sbo", is_read ? Json(words->stride.value.count) : Json()},
                  {"mma", is_read ? Json{words->mma.mn, words->mma.k} : Json()},
                  {"default_of", is_read ? default_of_json(*words) : Json()},
                  {"reason", is_read ? Json() : Json(reading.reason)},
                  {"instead", instead_json(reading)}};
  if (is_read) {
    d.field("mma", "MMA", json,
            fmt::format("reads it by descriptor: mode {}, LBO {} B, SBO {} B; {}", reading.mode->name,
                        words->leading.value.count, words->stride.value.count, mma_text(*words)),
            Tone::good);
    return;
  }
  d.field("mma", "MMA", json, "no descriptor reads it", Tone::bad);
  const bool is_none = is_tma_none && !reading.instead.empty();
  d.add(
      Notes{"", {lint(is_none ? "tma-none-is-not-mma-none" : "no-descriptor", reading.reason, way_out(reading))}});
  if (!reading.instead.empty())
    d.add(Paragraph{"go on: " + plan_command(reading.instead[0].tile, *reading.target), Tone::faint, true});
}

}  // namespace swz
