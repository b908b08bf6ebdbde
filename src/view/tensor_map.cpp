#include "view/tensor_map.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace swz {

namespace {

template <class Numbers>
void add_list(Document& d, const char* key, const char* label, const Numbers& numbers, int count,
              std::string_view unit = "") {
  const std::string text = fmt::format("{}", fmt::join(numbers.begin(), numbers.begin() + count, ", "));
  d.field(key, label, first_of(numbers, count), count == 0 ? "-" : fmt::format("{}{}", text, unit));
}

void add_tensor(Document& d, const TensorMap& map, bool has_address = true) {
  d.field("dtype", "tensorDataType", short_name(map.data_type), driver_name(map.data_type));
  d.field("rank", "tensorRank", map.rank);
  d.field("address", "globalAddress", map.global_address,
          has_address ? fmt::format("{:#x}", map.global_address) : "not printed");
  add_list(d, "dims", "globalDim", map.dims, map.dim_count());
  add_list(d, "strides", "globalStrides", map.strides, map.stride_count(), "  B");
}

void add_modes(Document& d, const TensorMap& map) {
  add_list(d, "element_strides", "elementStrides", map.element_strides, map.dim_count());
  d.field("interleave", "interleave", short_name(map.interleave), driver_name(map.interleave));
  d.field("swizzle", "swizzle", short_name(map.swizzle), driver_name(map.swizzle));
  d.field("l2", "l2Promotion", short_name(map.l2_promotion), driver_name(map.l2_promotion));
  d.field("oob", "oobFill", short_name(map.oob_fill), driver_name(map.oob_fill));
}

void add_arguments(Document& d, const TensorMap& map, bool has_address = true) {
  add_tensor(d, map, has_address);
  add_list(d, "box", "boxDim", map.box, map.dim_count());
  add_modes(d, map);
}

void add_arguments(Document& d, const Im2colMap& map, bool has_address) {
  add_tensor(d, map.tensor, has_address);
  add_list(d, "lower", "pixelBoxLowerCorner", map.lower_corner, map.corner_count());
  add_list(d, "upper", "pixelBoxUpperCorner", map.upper_corner, map.corner_count());
  d.field("channels", "channelsPerPixel", map.channels_per_pixel);
  d.field("pixels", "pixelsPerColumn", map.pixels_per_column);
  add_modes(d, map.tensor);
}

std::string_view kind_of(const Im2colMap& map) {
  if (!map.wide) return "im2col";
  return map.wide == Im2colWideMode::w ? "im2col_w" : "im2col_w128";
}

Json number_json(const TensorMapViolation& finding, std::uint64_t number) {
  if (finding.is_signed) return static_cast<std::int64_t>(number);
  return number;
}

void add_violations(Document& d, const std::string& key, const std::vector<TensorMapViolation>& all) {
  Json list = Json::array();
  Notes notes{""};
  for (const TensorMapViolation& v : all) {
    list.push_back({{"rule", v.rule},
                    {"argument", v.argument},
                    {"value", number_json(v, v.value)},
                    {"bound", number_json(v, v.bound)},
                    {"documented", v.is_documented()},
                    {"observed", v.is_observed()},
                    {"message", v.message},
                    {"fix", v.hint},
                    {"source", v.source}});
    Finding told = v;
    told.source = fmt::format("{}; {}", to_string(v.basis), v.source);
    notes.add(std::move(told));
  }
  d.json(key, std::move(list));
  if (!all.empty()) d.add(std::move(notes));
}

void add_returned(Document& d, const std::optional<EncodeResult>& result, const std::optional<PastedMap>& pasted) {
  if (result) {
    const std::string_view space = result->name.empty() ? "" : " ";
    d.line("returned", fmt::format("{}{}{}", result->code, space, result->name),
           result->agrees ? Tone::plain : Tone::bad);
  }
  if (pasted) d.line("printed by", std::string(pasted->program));
}

void add_result(Document& d, const std::optional<EncodeResult>& result) {
  if (!result) {
    d.json("code", nullptr);
    return;
  }
  d.json("code", {{"value", result->code},
                  {"name", or_null(result->name)},
                  {"message", result->message},
                  {"hint", result->hint}});
  if (result->agrees && result->hint.empty()) return;  // the verdict says as much
  d.add(Notes{"", {note(fmt::format("code-{}", result->code), result->message, result->hint)}});
}

void add_paste(Document& d, const std::optional<PastedMap>& pasted) {
  if (!pasted) {
    d.json("paste", nullptr);
    return;
  }
  const auto finding = [](const Finding& note) { return to_json(note); };
  d.json("paste",
         {{"program", pasted->program}, {"blocks", pasted->blocks}, {"notes", json_list(pasted->notes, finding)}});
  if (!pasted->notes.empty()) d.add(Notes{"", pasted->notes});
}

// All that follows the verdict itself.
template <class Map>
void add_reasons(Document& d, const MapVerdict<Map>& verdict) {
  add_returned(d, verdict.result, verdict.pasted);
  add_arguments(d, verdict.map, !verdict.pasted || verdict.pasted->has_address);
  add_violations(d, "violations", verdict.violations);
  add_result(d, verdict.result);
  add_violations(d, "remarks", verdict.remarks);
  add_paste(d, verdict.pasted);
}

}  // namespace

Document view_verdict(const TensorMapVerdict& verdict) {
  Document d;
  const bool is_accepted = verdict.violations.empty();
  d.field("accepted", "verdict", is_accepted,
          is_accepted ? fmt::format("accepted on {}", verdict.target->name)
                      : fmt::format("refused on {}: CUDA_ERROR_INVALID_VALUE, {}", verdict.target->name,
                                    plural(ssize(verdict.violations), "violation")),
          is_accepted ? Tone::good : Tone::bad);
  d.json("arch", verdict.target->name);
  add_reasons(d, verdict);
  return d;
}

Document view_verdict(const Im2colVerdict& verdict) {
  Document d;
  const std::int64_t count = ssize(verdict.violations);
  const std::string where = fmt::format(
      "on {}{}", verdict.target->name, verdict.map.wide ? " by the documented rules, which were not measured" : "");
  d.field("accepted", "verdict", count == 0,
          count == 0 ? "accepted " + where : fmt::format("refused {}: {}", where, plural(count, "violation")),
          count == 0 ? Tone::good : Tone::bad);
  d.json("measured", !verdict.map.wide).json("arch", verdict.target->name);
  d.field("kind", "call", kind_of(verdict.map),
          verdict.map.wide ? fmt::format("cuTensorMapEncodeIm2colWide, mode {}",
                                         verdict.map.wide == Im2colWideMode::w ? "W" : "W128")
                           : "cuTensorMapEncodeIm2col");
  add_reasons(d, verdict);
  return d;
}

Document view_encoded(const TensorMap& map, const std::optional<EncodedTensorMap>& encoded,
                      const std::string& source) {
  Document d;
  add_arguments(d, map);
  d.source = source;
  d.json("tensor_map", encoded ? Json(to_hex(*encoded)) : Json());
  d.json("words", encoded ? json_list(encoded->words, hex64) : Json());
  if (!encoded) return d;
  Table table{"", "the 16 words", {{"", "byte", Column::Align::right}, {"", "word"}, {"", "word"}}, {}};
  for (std::size_t i = 0; i < encoded->words.size(); i += 2)
    table.rows.push_back({i * 8, hex64(encoded->words[i]), hex64(encoded->words[i + 1])});
  d.add(std::move(table));
  return d;
}

Document view_decoded_map(const EncodedTensorMap& encoded, const DecodedTensorMap& decoded) {
  Document d;
  d.json("tensor_map", to_hex(encoded));
  if (decoded.map) add_arguments(d, *decoded.map);
  else
    for (const char* key : {"dtype", "rank", "address", "dims", "strides", "box", "element_strides", "interleave",
                            "swizzle", "l2", "oob"})
      d.json(key, nullptr);
  Json list = Json::array();
  Notes notes{""};
  for (const TensorMapProblem& problem : decoded.problems) {
    list.push_back(
        {{"word", problem.word}, {"bits", {problem.bits.low, problem.bits.high()}}, {"message", problem.message}});
    notes.add(lint("not-written-so", problem.message, "", std::string(tensor_map_source.where)));
  }
  d.json("problems", std::move(list));
  if (!decoded.problems.empty()) d.add(std::move(notes));
  return d;
}

}  // namespace swz
