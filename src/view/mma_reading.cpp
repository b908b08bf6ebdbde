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
  std::string text;
  for (const ReadableTile& readable : reading.instead) {
    text += fmt::format("{}mode {}, box {}, {}", text.empty() ? "what an MMA reads: " : "; ",
                        readable.tile.swizzle().name, tuple_text(box_of(readable.plan.map)),
                        plural(ssize(readable.plan.copies), "copy"));
  }
  return text;
}

std::string plan_command(const SmemTile& tile, const Target& target) {
  return fmt::format("swz tma plan --arch {} --dtype {} --tile {} --major {}{} --swizzle {}", target.name,
                     tile.dtype().name, to_string(tile.extents()), tile.major() == Major::K ? "k" : "mn",
                     tile.packing() == Packing::slots ? " --slots" : "", tile.swizzle().name);
}

}  // namespace

std::string mma_text(const TileDescriptors& words) {
  std::string text = to_string(words.mma);
  if (words.default_of)
    text += fmt::format(", the default for {} {})", *words.default_of == OperandRole::a ? "A (M" : "B (N",
                        words.mma.mn);
  return text;
}

Json default_of_json(const TileDescriptors& words) {
  return words.default_of ? Json(std::string(to_string(*words.default_of))) : Json(nullptr);
}

void add_mma_reading(Document& d, const MmaReading& reading, bool is_tma_none) {
  if (reading.is_read()) {
    const TileDescriptors& words = *reading.descriptors;
    d.add(Field{"mma", "MMA",
                Json{{"read", true},
                     {"mode", std::string(reading.mode->name)},
                     {"lbo", words.leading.value.count},
                     {"sbo", words.stride.value.count},
                     {"mma", {words.mma.mn, words.mma.k}},
                     {"default_of", default_of_json(words)},
                     {"reason", nullptr},
                     {"instead", instead_json(reading)}},
                fmt::format("reads it by descriptor: mode {}, LBO {} B, SBO {} B; {}", reading.mode->name,
                            words.leading.value.count, words.stride.value.count, mma_text(words)),
                Tone::good});
    return;
  }
  Json json{
      {"read", false},  {"mode", nullptr},       {"lbo", nullptr},           {"sbo", nullptr},
      {"mma", nullptr}, {"default_of", nullptr}, {"reason", reading.reason}, {"instead", instead_json(reading)}};
  d.add(Field{"mma", "MMA", std::move(json), "no descriptor reads it", Tone::bad});
  const bool is_none = is_tma_none && !reading.instead.empty();
  d.add(
      Notes{"", {lint(is_none ? "tma-none-is-not-mma-none" : "no-descriptor", reading.reason, way_out(reading))}});
  if (!reading.instead.empty())
    d.add(Paragraph{"go on: " + plan_command(reading.instead[0].tile, *reading.target), Tone::faint, true});
}

}  // namespace swz
