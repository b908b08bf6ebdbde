#include "view/mma_reading.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "view/lists.hpp"

namespace swz {

namespace {

Json box_of(const TensorMap& map) { return first_of(map.box, map.rank); }

Json instead_json(const MmaReading& reading) {
  Json list = Json::array();
  for (const ReadableTile& readable : reading.instead) {
    list.push_back({{"swizzle", std::string(readable.tile.swizzle().name)},
                    {"order", std::string(to_string(readable.tile.order()))},
                    {"box", box_of(readable.plan.map)},
                    {"copies", readable.plan.copies.size()},
                    {"request_bytes", readable.plan.request.count}});
  }
  return list;
}

// "what an MMA reads: mode none: box (8, 8), 4 copies; …"
std::string way_out(const MmaReading& reading) {
  if (reading.instead.empty()) return reading.hint;
  std::string text = "what an MMA reads: ";
  for (const ReadableTile& readable : reading.instead) {
    text += fmt::format("mode {}, box {}, {}; ", readable.tile.swizzle().name,
                        tuple_text(box_of(readable.plan.map)), plural(ssize(readable.plan.copies), "copy"));
  }
  const SmemTile& tile = reading.instead[0].tile;
  return text + fmt::format("swz tma plan --dtype {} --tile {} --major {} --swizzle {}", tile.dtype().name,
                            to_string(tile.extents()), tile.major() == Major::K ? "k" : "mn", tile.swizzle().name);
}

}  // namespace

void add_mma_reading(Document& d, const MmaReading& reading, bool is_tma_none) {
  const auto offset = [](const StrideField& field) { return Json(field.value.count); };
  const bool is_read = reading.is_read();
  Json json{{"read", is_read},
            {"mode", is_read ? Json(std::string(reading.mode->name)) : Json(nullptr)},
            {"lbo", is_read ? offset(reading.descriptors->leading) : Json(nullptr)},
            {"sbo", is_read ? offset(reading.descriptors->stride) : Json(nullptr)},
            {"reason", is_read ? Json(nullptr) : Json(reading.reason)},
            {"instead", instead_json(reading)}};
  if (is_read) {
    d.add(Field{"mma", "MMA", std::move(json),
                fmt::format("reads it by descriptor: mode {}, LBO {} B, SBO {} B", reading.mode->name,
                            reading.descriptors->leading.value.count, reading.descriptors->stride.value.count),
                Tone::good});
    return;
  }
  d.add(Field{"mma", "MMA", std::move(json), "no descriptor reads it", Tone::bad});
  const bool is_none = is_tma_none && !reading.instead.empty();
  d.add(
      Notes{"", {lint(is_none ? "tma-none-is-not-mma-none" : "no-descriptor", reading.reason, way_out(reading))}});
}

}  // namespace swz
