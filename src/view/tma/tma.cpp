// SPDX-License-Identifier: Apache-2.0
#include "view/tma/tma.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "view/document/headline.hpp"

namespace swz {

namespace {

// ---- a tensor map

template <class Numbers>
void add_list(Document& d, const char* key, const char* label, const Numbers& numbers, int count,
              std::string_view unit = "") {
  const std::string text = fmt::format("{}", fmt::join(numbers.begin(), numbers.begin() + count, ", "));
  d.field(key, label, first_of(numbers, count), count == 0 ? "-" : fmt::format("{}{}", text, unit));
}

// im2col: for such a map, what it has in place of a box.
void add_arguments(Document& d, const TensorMap& map, bool has_address = true, const Im2colMap* im2col = nullptr) {
  d.field("dtype", "tensorDataType", short_name(map.data_type), driver_name(map.data_type));
  d.field("rank", "tensorRank", map.rank);
  d.field("address", "globalAddress", map.global_address,
          has_address ? fmt::format("{:#x}", map.global_address) : "not printed");
  add_list(d, "dims", "globalDim", map.dims, map.dim_count());
  add_list(d, "strides", "globalStrides", map.strides, map.stride_count(), "  B");
  if (im2col != nullptr) {
    add_list(d, "lower", "pixelBoxLowerCorner", im2col->lower_corner, im2col->corner_count());
    add_list(d, "upper", "pixelBoxUpperCorner", im2col->upper_corner, im2col->corner_count());
    d.field("channels", "channelsPerPixel", im2col->channels_per_pixel);
    d.field("pixels", "pixelsPerColumn", im2col->pixels_per_column);
  } else {
    add_list(d, "box", "boxDim", map.box, map.dim_count());
  }
  add_list(d, "element_strides", "elementStrides", map.element_strides, map.dim_count());
  d.field("interleave", "interleave", short_name(map.interleave), driver_name(map.interleave));
  d.field("swizzle", "swizzle", short_name(map.swizzle), driver_name(map.swizzle));
  d.field("l2", "l2Promotion", short_name(map.l2_promotion), driver_name(map.l2_promotion));
  d.field("oob", "oobFill", short_name(map.oob_fill), driver_name(map.oob_fill));
}

void add_arguments(Document& d, const Im2colMap& map, bool has_address) {
  add_arguments(d, map.tensor, has_address, &map);
}

Json violation_json(const TensorMapViolation& v) {
  const auto number = [&](std::uint64_t bits) {
    return v.is_signed ? Json(static_cast<std::int64_t>(bits)) : Json(bits);
  };
  return {{"rule", v.rule},
          {"argument", v.argument},
          {"value", number(v.value)},
          {"bound", number(v.bound)},
          {"documented", v.is_documented()},
          {"observed", v.is_observed()},
          {"message", v.message},
          {"fix", v.hint},
          {"source", v.source}};
}

// "f16 box (64, 128), swizzle 128B"
std::string box_text(const TensorMap& map) {
  return fmt::format("{} box {}, swizzle {}", short_name(map.data_type), tuple_text(first_of(map.box, map.rank)),
                     short_name(map.swizzle));
}

void add_violations(Document& d, const std::string& key, const std::vector<TensorMapViolation>& all) {
  d.json(key, json_list(all, violation_json));
  Notes notes{""};
  for (const TensorMapViolation& v : all) {
    notes.add(v);
    notes.findings.back().source = fmt::format("{}; {}", to_string(v.basis), v.source);
  }
  d.add(std::move(notes));
}

Json result_json(const EncodeResult& result) {
  return {{"value", result.code}, {"name", or_null(result.name)}, {"message", result.message}, {"hint", result.hint}};
}

Json paste_json(const PastedMap& pasted) {
  return {{"program", pasted.program},
          {"blocks", pasted.blocks},
          {"notes", json_list(pasted.notes, [](const Finding& note) { return to_json(note); })}};
}

void add_verdict(Document& d, std::int64_t violations, const std::string& where, std::string_view error) {
  d.answers = {"accepted"};
  d.field("accepted", "verdict", violations == 0,
          violations == 0 ? "accepted on " + where
                          : fmt::format("refused on {}: {}{}", where, error, plural(violations, "violation")),
          violations == 0 ? Tone::good : Tone::bad);
}

// Adds all that follows the verdict itself.
template <class Map>
void add_reasons(Document& d, const MapVerdict<Map>& verdict) {
  const auto& result = verdict.result;
  const auto& pasted = verdict.pasted;
  if (result)
    d.line("returned", fmt::format("{}{}{}", result->code, result->name.empty() ? "" : " ", result->name),
           result->agrees ? Tone::plain : Tone::bad);
  if (pasted)
    d.line(pasted->program == "source code" || pasted->program == "128 bytes" ? "read from" : "printed by",
           std::string(pasted->program));
  add_arguments(d, verdict.map, !pasted || pasted->has_address);
  add_violations(d, "violations", verdict.violations);
  d.json("code", result ? result_json(*result) : Json());
  // Otherwise the verdict already contains it.
  if (result && (!result->agrees || !result->hint.empty()))
    d.add(Notes{"", {note(fmt::format("code-{}", result->code), result->message, result->hint)}});
  add_violations(d, "remarks", verdict.remarks);
  d.json("paste", pasted ? paste_json(*pasted) : Json());
  if (pasted) d.add(Notes{"", pasted->notes});
}

// "words 0-9 of 16 hold the map: bf16, rank 2, box 64x128, 128B"; a long box is left out, since the specification has it.
std::string words_headline(const TensorMap& map, const EncodedTensorMap& encoded) {
  std::size_t last = 0;
  for (std::size_t i = 0; i < encoded.words.size(); ++i)
    if (encoded.words[i] != 0) last = i;
  const std::string swizzle = map.swizzle == TensorMapSwizzle::none ? "no swizzle" : short_name(map.swizzle);
  const auto text = [&](const std::string& box) {
    return fmt::format("words 0-{} of {} hold the map: {}, rank {}{}, {}", last, encoded.words.size(),
                       short_name(map.data_type), map.rank, box, swizzle);
  };
  const std::string whole =
      text(fmt::format(", box {}", fmt::join(map.box.begin(), map.box.begin() + map.dim_count(), "x")));
  return whole.size() <= headline_letters ? whole : text("");
}

// "refused on sm_90a: globalStrides[1] is 2 B, not a multiple of 16 B; and 1 more"; without the target where that is too
// long, since the specification names it.
std::string refusal_text(const Target& target, const std::vector<TensorMapViolation>& violations) {
  const std::string more = violations.size() > 1 ? fmt::format("; and {} more", violations.size() - 1) : "";
  const std::string whole = fmt::format("refused on {}: {}{}", target.name, violations.front().message, more);
  if (whole.size() <= headline_letters) return whole;
  // Cut at the first colon, a title would say no reason.
  return fmt::format("refused: {}", short_sentence(violations.front().message + more));
}

}  // namespace

Document view_verdict(const TensorMapVerdict& verdict) {
  Document d;
  add_verdict(d, ssize(verdict.violations), std::string(verdict.target->name), "CUDA_ERROR_INVALID_VALUE, ");
  d.json("arch", verdict.target->name);
  add_reasons(d, verdict);
  const TensorMap& map = verdict.map;
  const bool is_accepted = verdict.violations.empty();
  d.headline = is_accepted ? fmt::format("accepted on {}: {}", verdict.target->name, box_text(map))
                           : refusal_text(*verdict.target, verdict.violations);
  if (map.rank < 1 || map.rank > tensor_map_max_rank) return d;
  d.add(Drawing{[verdict](Medium medium) {
    return medium == Medium::page ? Document().add(tensor_sketch(verdict)) : Document();
  }});
  if (is_accepted) d.add(box_drawing(map, ""));
  return d;
}

Document view_verdict(const Im2colVerdict& verdict) {
  Document d;
  const auto& wide = verdict.map.wide;
  add_verdict(
      d, ssize(verdict.violations),
      fmt::format("{}{}", verdict.target->name, wide ? " by the documented rules, which were not measured" : ""), "");
  d.json("measured", !wide).json("arch", verdict.target->name);
  d.field("kind", "call",
          !wide                        ? "im2col"
          : *wide == Im2colWideMode::w ? "im2col_w"
                                       : "im2col_w128",
          wide ? fmt::format("cuTensorMapEncodeIm2colWide, mode {}", *wide == Im2colWideMode::w ? "W" : "W128")
               : "cuTensorMapEncodeIm2col");
  add_reasons(d, verdict);
  d.headline = verdict.violations.empty()
                   ? fmt::format("accepted on {}: im2col of {}", verdict.target->name,
                                 tuple_text(first_of(verdict.map.tensor.dims, verdict.map.tensor.dim_count())))
                   : refusal_text(*verdict.target, verdict.violations);
  return d;
}

namespace {

// Which call the map is of, and that it has no box.
void add_im2col_arguments(Document& d, const Im2colMap& map) {
  d.field("kind", "call", "im2col", "cuTensorMapEncodeIm2col");
  add_arguments(d, map, true);
  d.json("box", nullptr);
}

// "f16 im2col of (64, 4, 4, 1): 16 pixels of 64 channels, swizzle 128B"
std::string im2col_text(const Im2colMap& map) {
  const TensorMap& tensor = map.tensor;
  return fmt::format("{} im2col of {}: {} of {}, swizzle {}", short_name(tensor.data_type),
                     tuple_text(first_of(tensor.dims, tensor.rank)),
                     plural(static_cast<std::int64_t>(map.pixels_per_column), "pixel"),
                     plural(static_cast<std::int64_t>(map.channels_per_pixel), "channel"), short_name(tensor.swizzle));
}

Json problem_json(const TensorMapProblem& problem) {
  const BitField& bits = problem.bits;
  return {{"word", problem.word}, {"bits", {bits.low, bits.high()}}, {"message", problem.message}};
}

void add_problems(Document& d, const std::vector<TensorMapProblem>& problems, const Source& source) {
  d.json("problems", json_list(problems, problem_json));
  Notes notes{""};
  for (const TensorMapProblem& problem : problems)
    notes.lint("not-written-so", problem.message, "", std::string(source.where));
  d.add(std::move(notes));
}

std::vector<std::string> decoded_answers() {
  return {"dtype",           "rank",       "address", "dims", "strides", "box",
          "element_strides", "interleave", "swizzle", "l2",   "oob"};
}

}  // namespace

Document view_encoded(const TensorMap& map, const std::optional<EncodedTensorMap>& encoded, const std::string& source) {
  Document d;
  add_arguments(d, map);
  d.source = source;
  d.json("tensor_map", encoded ? Json(to_hex(*encoded)) : Json());
  if (encoded) d.answers = {"words"};
  d.json("words", encoded ? json_list(encoded->words, hex64) : Json());
  const std::string of = fmt::format("{} of a tensor {}", box_text(map), tuple_text(first_of(map.dims, map.rank)));
  d.headline = encoded ? words_headline(map, *encoded) : short_sentence(of);
  if (!encoded) return d;
  d.add(Drawing{[map, words = *encoded, of](Medium medium) {
    if (medium != Medium::page) return Document();
    Figure figure = word_figure(words, map);
    figure.title = of;
    return Document().add(std::move(figure));
  }});
  return d.add(word_table(*encoded, map));
}

Document view_encoded(const Im2colMap& map, const EncodedTensorMap& encoded, const std::string& source) {
  Document d;
  add_im2col_arguments(d, map);
  d.source = source;
  d.json("tensor_map", to_hex(encoded));
  d.answers = {"words"};
  d.json("words", json_list(encoded.words, hex64));
  d.headline = im2col_text(map);
  d.add(Drawing{[map, encoded](Medium medium) {
    return medium == Medium::page ? Document().add(word_figure(encoded, map)) : Document();
  }});
  return d.add(word_table(encoded, map));
}

Document view_decoded_map(const EncodedTensorMap& encoded, const DecodedTensorMap& decoded,
                          const std::vector<TensorMapViolation>& remarks) {
  Document d;
  d.json("tensor_map", to_hex(encoded));
  d.answers = decoded_answers();
  if (decoded.map) add_arguments(d, *decoded.map);
  else
    for (const std::string& key : d.answers) d.json(key, nullptr);
  add_problems(d, decoded.problems, tensor_map_source);
  add_violations(d, "remarks", remarks);
  return d;
}

Document view_decoded_map(const EncodedTensorMap& encoded, const DecodedIm2colMap& decoded,
                          const std::vector<TensorMapViolation>& remarks) {
  Document d;
  d.json("tensor_map", to_hex(encoded));
  d.answers = decoded_answers();
  if (decoded.map) {
    add_im2col_arguments(d, *decoded.map);
    d.headline = im2col_text(*decoded.map);
    for (const char* key : {"lower", "upper", "channels", "pixels"}) d.answers.emplace_back(key);
  } else {
    for (const std::string& key : d.answers) d.json(key, nullptr);
  }
  add_problems(d, decoded.problems, im2col_map_source);
  add_violations(d, "remarks", remarks);
  return d;
}

}  // namespace swz
