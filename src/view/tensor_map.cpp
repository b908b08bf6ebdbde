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

// The short name, or the number where the enum has no such value.
template <class Enum>
Json name_json(Enum value) {
  const auto* row = find_row(value);
  if (row == nullptr) return fmt::format("{}", static_cast<int>(value));
  if constexpr (requires { row->short_name; }) return std::string(row->short_name);
  else return row->name == "NONE" ? "none" : std::string(row->name);
}

template <class Enum>
std::string name_text(Enum value, std::string_view prefix) {
  const auto* row = find_row(value);
  return row == nullptr ? fmt::format("{}", static_cast<int>(value)) : fmt::format("{}{}", prefix, row->name);
}

void add_arguments(Document& d, const TensorMap& map, bool has_address = true) {
  d.add(Field{"dtype", "tensorDataType", name_json(map.data_type),
              name_text(map.data_type, "CU_TENSOR_MAP_DATA_TYPE_")});
  d.add(Field{"rank", "tensorRank", map.rank});
  d.add(Field{"address", "globalAddress", map.global_address,
              has_address ? fmt::format("{:#x}", map.global_address) : "not printed"});
  const auto add_list = [&](std::string key, std::string label, const Json& list, std::string_view unit) {
    d.add(Field{std::move(key), std::move(label), list, text_of_list(list, unit)});
  };
  add_list("dims", "globalDim", list_of(map.dims, map.dim_count()), "");
  add_list("strides", "globalStrides", list_of(map.strides, map.stride_count()), "  B");
  add_list("box", "boxDim", list_of(map.box, map.dim_count()), "");
  add_list("element_strides", "elementStrides", list_of(map.element_strides, map.dim_count()), "");
  d.add(Field{"interleave", "interleave", name_json(map.interleave),
              name_text(map.interleave, "CU_TENSOR_MAP_INTERLEAVE_")});
  d.add(Field{"swizzle", "swizzle", name_json(map.swizzle), name_text(map.swizzle, "CU_TENSOR_MAP_SWIZZLE_")});
  d.add(Field{"l2", "l2Promotion", name_json(map.l2_promotion),
              name_text(map.l2_promotion, "CU_TENSOR_MAP_L2_PROMOTION_")});
  d.add(Field{"oob", "oobFill", name_json(map.oob_fill), name_text(map.oob_fill, "CU_TENSOR_MAP_FLOAT_OOB_FILL_")});
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

std::string code_text(const EncodeResult& result) {
  return result.name.empty() ? fmt::format("{}", result.code) : fmt::format("{} {}", result.code, result.name);
}

void add_result(Document& d, const std::optional<EncodeResult>& result) {
  if (!result) {
    d.add(Field{"code", "", nullptr});
    return;
  }
  d.add(Field{"code",
              "",
              {{"value", result->code},
               {"name", result->name.empty() ? Json(nullptr) : Json(result->name)},
               {"message", result->message},
               {"hint", result->hint}}});
  if (result->agrees && result->hint.empty()) return;  // the verdict says as much
  Notes notes{"", {}};
  notes.notes.push_back({Note::Kind::note, fmt::format("code-{}", result->code), result->message, result->hint});
  d.add(std::move(notes));
}

void add_paste(Document& d, const std::optional<PastedMap>& pasted) {
  if (!pasted) {
    d.add(Field{"paste", "", nullptr});
    return;
  }
  Json list = Json::array();
  Notes notes{"", {}};
  for (const PasteNote& note : pasted->notes) {
    list.push_back({{"rule", std::string(note.rule)}, {"message", note.message}});
    if (!note.hint.empty()) list.back()["hint"] = note.hint;
    notes.notes.push_back({Note::Kind::note, std::string(note.rule), note.message, note.hint});
  }
  d.add(Field{"paste",
              "",
              {{"program", std::string(pasted->program)}, {"blocks", pasted->blocks}, {"notes", std::move(list)}}});
  if (!pasted->notes.empty()) d.add(std::move(notes));
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
  if (verdict.result)
    d.add(Field{"", "returned", nullptr, code_text(*verdict.result),
                verdict.result->agrees ? Tone::plain : Tone::bad});
  if (verdict.pasted) d.add(Field{"", "printed by", nullptr, std::string(verdict.pasted->program)});
  add_arguments(d, verdict.map, !verdict.pasted || verdict.pasted->has_address);
  add_violations(d, "violations", verdict.violations, Note::Kind::lint);
  add_result(d, verdict.result);
  add_violations(d, "remarks", verdict.remarks, Note::Kind::note);
  add_paste(d, verdict.pasted);
  return d;
}

Document view_encoded(const TensorMap& map, const EncodedTensorMap& encoded) {
  Document d;
  add_arguments(d, map);
  d.add(Field{"tensor_map", "", to_hex(encoded)});
  d.add(Field{"words", "", words_json(encoded)});
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
