#include "view/tensor_map.hpp"

#include <fmt/format.h>

namespace swz {

namespace {

template <std::size_t n>
Json list_of(const std::array<std::uint64_t, n>& values, int count) {
  Json list = Json::array();
  for (int i = 0; i < count; ++i) list.push_back(values[static_cast<std::size_t>(i)]);
  return list;
}

std::string text_of_list(const Json& list, std::string_view unit) {
  std::string text;
  for (const Json& value : list) text += fmt::format("{}{}", text.empty() ? "" : ", ", value.get<std::uint64_t>());
  return text.empty() ? "-" : fmt::format("{}{}", text, unit);
}

void add_arguments(Document& d, const TensorMap& map) {
  d.add(Field{"dtype", "tensorDataType", short_name(map.data_type), driver_name(map.data_type)});
  d.add(Field{"rank", "tensorRank", map.rank});
  d.add(Field{"address", "globalAddress", map.global_address, fmt::format("{:#x}", map.global_address)});
  const auto add_list = [&](std::string key, std::string label, const Json& list, std::string_view unit) {
    d.add(Field{std::move(key), std::move(label), list, text_of_list(list, unit)});
  };
  add_list("dims", "globalDim", list_of(map.dims, map.dim_count()), "");
  add_list("strides", "globalStrides", list_of(map.strides, map.stride_count()), "  B");
  add_list("box", "boxDim", list_of(map.box, map.dim_count()), "");
  add_list("element_strides", "elementStrides", list_of(map.element_strides, map.dim_count()), "");
  d.add(Field{"interleave", "interleave", short_name(map.interleave), driver_name(map.interleave)});
  d.add(Field{"swizzle", "swizzle", short_name(map.swizzle), driver_name(map.swizzle)});
  d.add(Field{"l2", "l2Promotion", short_name(map.l2_promotion), driver_name(map.l2_promotion)});
  d.add(Field{"oob", "oobFill", short_name(map.oob_fill), driver_name(map.oob_fill)});
}

std::string source_text(const TensorMapViolation& violation) {
  return fmt::format("{}; {}", to_string(violation.basis), violation.source.where);
}

void add_violations(Document& d, const std::string& key, const std::vector<TensorMapViolation>& all,
                    Note::Kind kind) {
  Json list = Json::array();
  Notes notes{"", {}};
  for (const TensorMapViolation& v : all) {
    list.push_back({{"rule", std::string(v.rule)},
                    {"argument", v.argument},
                    {"value", v.advice.value},
                    {"bound", v.advice.bound},
                    {"documented", v.is_documented()},
                    {"observed", v.is_observed()},
                    {"message", v.advice.message},
                    {"fix", v.advice.fix},
                    {"source", std::string(v.source.where)}});
    notes.notes.push_back({kind, std::string(v.rule), v.advice.message, v.advice.fix, source_text(v)});
  }
  d.add(Field{key, "", std::move(list)});
  if (!all.empty()) d.add(std::move(notes));
}

Json words_json(const EncodedTensorMap& encoded) {
  Json words = Json::array();
  for (const std::uint64_t word : encoded.words) words.push_back(fmt::format("0x{:016x}", word));
  return words;
}

}  // namespace

Document view_verdict(const TensorMapVerdict& verdict) {
  Document d;
  const bool is_accepted = verdict.violations.empty();
  const std::size_t count = verdict.violations.size();
  d.add(Field{"accepted", "verdict", is_accepted,
              is_accepted ? fmt::format("accepted on {}", verdict.target->name)
                          : fmt::format("refused on {}: CUDA_ERROR_INVALID_VALUE, {} violation{}",
                                        verdict.target->name, count, count == 1 ? "" : "s"),
              is_accepted ? Tone::good : Tone::bad});
  d.add(Field{"arch", "", std::string(verdict.target->name)});
  add_arguments(d, verdict.map);
  add_violations(d, "violations", verdict.violations, Note::Kind::lint);
  add_violations(d, "remarks", verdict.remarks, Note::Kind::note);
  return d;
}

Document view_encoded(const TensorMap& map, const EncodedTensorMap& encoded, const std::string& source) {
  Document d;
  add_arguments(d, map);
  d.add(Field{"tensor_map", "", to_hex(encoded)});
  d.add(Field{"words", "", words_json(encoded)});
  if (!source.empty()) d.add(Field{"source", "", source});
  Table table{"", "the 16 words", {{"", "", Column::Align::left}}, {}};
  table.columns = {{"", "byte", Column::Align::right}, {"", "word"}, {"", "word"}};
  for (std::size_t i = 0; i < encoded.words.size(); i += 2)
    table.rows.push_back(
        {{i * 8}, {fmt::format("0x{:016x}", encoded.words[i])}, {fmt::format("0x{:016x}", encoded.words[i + 1])}});
  d.add(std::move(table));
  return d;
}

Document view_decoded_map(const EncodedTensorMap& encoded, const DecodedTensorMap& decoded) {
  Document d;
  d.add(Field{"tensor_map", "", to_hex(encoded)});
  if (decoded.map) add_arguments(d, *decoded.map);
  else
    for (const char* key : {"dtype", "rank", "address", "dims", "strides", "box", "element_strides", "interleave",
                            "swizzle", "l2", "oob"})
      d.add(Field{key, "", nullptr});
  Json list = Json::array();
  Notes notes{"", {}};
  for (const TensorMapProblem& problem : decoded.problems) {
    list.push_back(
        {{"word", problem.word}, {"bits", {problem.bits.low, problem.bits.high()}}, {"message", problem.message}});
    notes.notes.push_back(
        {Note::Kind::lint, "not-written-so", problem.message, "", std::string(tensor_map_source.where)});
  }
  d.add(Field{"problems", "", std::move(list)});
  if (!decoded.problems.empty()) d.add(std::move(notes));
  return d;
}

}  // namespace swz
