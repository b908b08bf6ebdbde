// SPDX-License-Identifier: Apache-2.0
#include "view/dialect/operand_verdict.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "view/document/headline.hpp"

namespace swz {
namespace {

// What of a form is judged: the array of one stage, and the verdict.
struct Judged {
  std::optional<StagedLayout> array;  // none: the form is not strides and one swizzle
  OperandVerdict verdict;
  int bits = 0;
};

const DType* deciding_type(ElementWidth element) {
  return element.dtype != nullptr ? element.dtype : readable_dtype(element.bits);
}

Judged judged(const SharedForm& form, std::int64_t buffers) {
  Judged j;
  j.bits = form.element.bits;
  if (form.block.bits() > 0) {
    j.verdict.no_mode = j.verdict.reason = "its elements lie in several CTAs";
    return j;
  }
  const auto layout = as_composed(form);
  if (!layout) {
    j.verdict.no_mode = j.verdict.reason = "it is neither strides nor one XOR after strides";
    return j;
  }
  try {
    j.array = buffers > 1 ? repeated_layout(*layout, buffers) : staged_layout(*layout, deciding_type(form.element));
  } catch (const Error& e) {
    j.array = StagedLayout{.tile = *layout, .whole = *layout};
    j.verdict.swizzle = j.bits != 0 ? stated_mode(*layout, j.bits) : nullptr;
    j.verdict.no_mode = j.verdict.reason = e.message();
    return j;
  }
  j.verdict = operand_verdict(*j.array, form.element.dtype, j.bits);
  return j;
}

std::string_view instructions_of(const ReadableMode& r) {
  if (r.target->descriptor != SmemDescriptorKind::wgmma) return "tcgen05";
  return r.tcgen05 ? "wgmma and tcgen05" : "wgmma";
}

std::string word_of(const TileDescriptors& words) { return hex64(words.steps.front().descriptor.word()); }

// "wgmma and tcgen05, K-major, with rows as M or N: LBO 16 B, SBO 1024 B"
std::string reading_text(const ReadableMode& r) {
  const TileDescriptors& d = r.descriptors;
  return fmt::format("{}, {}, with {} as M or N: LBO {} B, SBO {} B", instructions_of(r), to_string(r.major),
                     r.is_transposed ? "columns" : "rows", d.leading.value.count, d.stride.value.count);
}

std::string words_text(const ReadableMode& r) {
  std::string text = fmt::format("{} on {}", word_of(r.descriptors), r.target->name);
  if (r.tcgen05) text += fmt::format(", {} on sm_100a", word_of(*r.tcgen05));
  return text + ", at address 0";
}

std::string atom_text(const ReadableMode& r) {
  return fmt::format("an atom of mode {}, {}, with {} as M or N; too small for one MMA: {}", r.mode->name,
                     to_string(r.major), r.is_transposed ? "columns" : "rows", r.lacks);
}

Json words_json(const ReadableMode& r) {
  Json words = Json::object();
  words[r.target->name] = word_of(r.descriptors);
  if (r.tcgen05) words["sm_100a"] = word_of(*r.tcgen05);
  return words;
}

Json reading_json(const ReadableMode& r) {
  Json json{{"instructions", instructions_of(r)},
            {"swizzle", r.mode->name},
            {"major", to_string(r.major)},
            {"rows", r.is_transposed ? "k" : "mn"},
            {"lbo", r.descriptors.leading.value.count},
            {"sbo", r.descriptors.stride.value.count}};
  if (r.is_atom()) json["lacks"] = r.lacks;
  else json["words"] = words_json(r);
  return json;
}

Json name_or_null(const SwizzleMode* mode) { return mode != nullptr ? Json(mode->name) : Json(); }

std::string mode_text(const OperandVerdict& v) {
  if (v.swizzle == nullptr) return "no mode: " + v.no_mode;
  if (v.swizzle->bits == 0)
    return v.mode() != nullptr ? "none: core matrices" : "no swizzle, as TMA's CU_TENSOR_MAP_SWIZZLE_NONE";
  std::string text = v.swizzle->tma_name.empty()
                         ? std::string(v.swizzle->name)
                         : fmt::format("{}: TMA's CU_TENSOR_MAP_SWIZZLE_{}", v.swizzle->name, v.swizzle->tma_name);
  if (v.read_as != nullptr) text += fmt::format("; MMAs read the bytes as {}", v.read_as->name);
  return text;
}

// A reason that the swizzle mode gave already is not repeated.
std::string why_none(const OperandVerdict& v) {
  return v.swizzle == nullptr && v.reason == v.no_mode ? "no MMA, for the same reason" : "no MMA: " + v.reason;
}

// "wgmma and tcgen05, …"; if none reads it "no MMA: the reason".
std::string short_text(const OperandVerdict& v) {
  if (!v.readings.empty()) return "read by " + reading_text(v.readings[0]);
  if (!v.atoms.empty()) return atom_text(v.atoms[0]);
  return why_none(v);
}

void add_lines(Document& d, const Judged& j) {
  const OperandVerdict& v = j.verdict;
  if (j.array && j.array->is_cut) d.line("operand", fmt::format("{} of {}", to_string(j.array->tile), j.array->form));
  if (j.array && j.array->stage_count() > 1)
    d.line("stages", j.bits != 0 ? stages_text(*j.array, j.bits) : plural(j.array->stage_count(), "stage"));
  if (j.bits == 0) {
    d.line("swizzle mode", v.swizzle != nullptr ? "no swizzle" : v.no_mode);
    return;
  }
  d.line("swizzle mode", mode_text(v));
  const char* label = "read by";
  for (const ReadableMode& r : v.readings) {
    d.line(label, reading_text(r));
    d.line("words", words_text(r));
    label = "and by";
  }
  for (const ReadableMode& r : v.atoms) {
    d.line(label, (v.readings.empty() ? "no MMA alone: " : "") + atom_text(r));
    label = "and";
  }
  if (v.readings.empty() && v.atoms.empty()) d.line("read by", why_none(v));
  else if (!v.readings.empty() && !v.reason.empty()) d.line("stages", v.reason, Tone::bad);
}

Json operand_json(const Judged& j) {
  if (!j.array || !j.array->is_cut) return nullptr;
  const Layout& l = j.array->tile.layout();
  return {
      {"form", j.array->form}, {"shape", {size(mode(l, 0)), size(mode(l, 1))}}, {"layout", to_string(j.array->tile)}};
}

using JsonFields = std::vector<std::pair<const char*, Json>>;

JsonFields fields_of(const Judged& j) {
  const OperandVerdict& v = j.verdict;
  return {{"swizzle_mode", name_or_null(v.swizzle)},
          {"hardware_mode", name_or_null(v.mode())},
          {"read_as", v.read_as != nullptr ? Json(v.read_as->name) : Json()},
          {"read_by", json_list(v.readings, reading_json)},
          {"atom_of", json_list(v.atoms, reading_json)},
          {"reason", or_null(v.reason)},
          {"operand", operand_json(j)},
          {"stages", j.array ? stages_json(*j.array, j.bits) : Json()}};
}

}  // namespace

Json stages_json(const StagedLayout& l, int bits) {
  if (!l.is_cut && l.stage_count() < 2) return nullptr;
  if (l.is_partitioned && l.form == "((MMA),MN,K)") return nullptr;
  if (bits == 0) return {{"count", l.stage_count()}, {"bytes", nullptr}, {"starts", nullptr}};
  Json starts = Json::array();
  for (const std::int64_t start : l.starts) starts.push_back(start * bits / 8);
  return {{"count", l.stage_count()}, {"bytes", stage_bytes(l, bits)}, {"starts", std::move(starts)}};
}

Finding stages_note(const StagedLayout& l, int bits, std::size_t taken) {
  std::string text = fmt::format("read as {}: {}", l.form, to_string(l.tile));
  if (l.stage_count() > 1)
    text += fmt::format(", {}; the answer is that of {}", stages_text(l, bits),
                        taken == 0 ? "the first" : fmt::format("stage {}, where the word points", taken));
  return note("stages", std::move(text),
              l.other.empty() ? "" : fmt::format("it could be cut as {} as well: take one, (LAYOUT)(_,_,0)", l.other));
}

void add_verdict(Document& d, const LayoutForm& form, std::int64_t buffers) {
  const auto* shared = std::get_if<SharedForm>(&form);
  const Judged j = shared != nullptr ? judged(*shared, buffers) : Judged();
  if (shared != nullptr) add_lines(d, j);
  for (auto& [key, value] : fields_of(j)) d.json(key, std::move(value));
}

Json verdict_json(const LayoutForm& form) {
  const auto* shared = std::get_if<SharedForm>(&form);
  Json json = Json::object();
  for (auto& [key, value] : fields_of(shared != nullptr ? judged(*shared, 1) : Judged())) json[key] = std::move(value);
  return json;
}

std::string verdict_text(const LayoutForm& form) {
  const auto* shared = std::get_if<SharedForm>(&form);
  if (shared == nullptr) return "";
  const Judged j = judged(*shared, 1);
  return fmt::format("{}; {}", mode_text(j.verdict), short_text(j.verdict));
}

std::string verdict_headline(const LayoutForm& form, std::int64_t buffers) {
  const auto* shared = std::get_if<SharedForm>(&form);
  if (shared == nullptr) return "";
  const Judged j = judged(*shared, buffers);
  const OperandVerdict& v = j.verdict;
  if (v.readings.empty()) {
    const bool is_mode = v.swizzle != nullptr && v.swizzle->bits > 0;
    if (!v.atoms.empty())
      return fmt::format("an atom of mode {}, {}", v.atoms[0].mode->name, to_string(v.atoms[0].major));
    return short_sentence(is_mode ? fmt::format("mode {}: {}", v.swizzle->name, why_none(v)) : why_none(v));
  }
  const ReadableMode& r = v.readings.front();
  const TileDescriptors& d = r.descriptors;
  const std::string strides = r.mode->bits > 0 ? fmt::format("{} on byte addresses", to_string(r.mode->byte_swizzle()))
                                               : fmt::format("core matrices, LBO {} B", d.leading.value.count);
  return fmt::format("mode {}, {}: {}, SBO {} B", r.mode->name, to_string(r.major), strides, d.stride.value.count);
}

}  // namespace swz
