// SPDX-License-Identifier: Apache-2.0
#include "view/tile/tile_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "arch/open_question.hpp"
#include "base/text.hpp"
#include "view/document/figure.hpp"
#include "view/tmem/tmem.hpp"

namespace swz {
namespace {

std::string kinds_text(unsigned kinds) {
  std::vector<std::string> names;
  for (const MmaKindRow& row : mma_kinds())
    if (contains(kinds, row.kind)) names.emplace_back(row.name);
  return join_and(names);
}

std::vector<std::string_view> questions_of(const TileForm& form, const NarrowForm& narrow) {
  if (!narrow.has_gaps) return {};
  std::vector<std::string_view> names;
  if (form.major == Major::MN) names.emplace_back("fp4-mn-major");
  if (form.is_copied) names.insert(names.end(), {"tx-bytes", "padded-swizzle"});
  return names;
}

// The note on the form that was assumed if none was given for the elements.
Finding default_note(const TileForm& form, const NarrowForm& narrow) {
  const NarrowForm* other = find_narrow_form(form.dtype->name, !narrow.has_gaps);
  return note("narrow-kind",
              fmt::format("{} without --kind: {}, as kinds {} read it{}", form.dtype->name, packing_text(narrow),
                          kinds_text(narrow.kinds),
                          form.default_target == nullptr
                              ? std::string()
                              : fmt::format("; for {}, as --arch is not given", form.default_target->name)),
              other == nullptr ? "no other form of it exists"
                               : fmt::format("kinds {}: {}", kinds_text(other->kinds), packing_text(*other)),
              to_string(narrow.source));
}

}  // namespace

std::string packing_text(const NarrowForm& form) {
  if (!form.has_gaps) return fmt::format("{} elements in a byte", 8 / form.bits);
  return fmt::format("16 elements in every 16 B: {} B and a gap of {}", 2 * form.bits, form.gap_bytes());
}

Notes open_notes(const std::vector<std::string_view>& names) {
  Notes notes{"notes"};
  for (const std::string_view name : names) {
    const OpenQuestion& open = open_question(name);
    std::vector<std::string_view> answers(open.answers.begin(), open.answers.end());
    std::erase(answers, "");
    notes.note("open-question", fmt::format("{}: {}: {}", name, open.question, fmt::join(answers, "; or ")),
               fmt::format("would settle it: {}", open.probe));
  }
  return notes;
}

void add_tile_form(Document& d, const TileForm& form) {
  Document added;
  Notes notes{"notes"};
  std::vector<std::string> names;  // of open questions
  if (form.pair) {
    const std::int64_t first = form.pair->first_row(), count = form.pair->rows / 2;
    added.field("pair", "pair",
                {{"cta", form.pair->cta}, {"rows", {first, first + count - 1}}, {"of", form.pair->rows}},
                fmt::format("CTA {} of two holds rows {} of {}; both hold theirs at the same offset, which one "
                            "descriptor gives to both",
                            form.pair->cta, range_text(first, count), form.pair->rows));
  }
  if (const NarrowForm* narrow = narrow_form(*form.dtype, form.packing)) {
    Json json{{"kind", form.kind == nullptr ? Json() : Json(form.kind->name)}, {"bits", narrow->bits}};
    json["chunk_bytes"] = chunk.count - narrow->gap_bytes();
    json["gap_bytes"] = narrow->gap_bytes();
    json["tx_bytes_per_128"] = narrow->transaction_bytes().count;
    json["evidence"] = to_string(narrow->source.evidence);
    const std::vector<std::string_view> open = questions_of(form, *narrow);
    added.json("form", std::move(json));
    const auto line = [&](std::string_view source) {
      return Field{"", "elements", nullptr,
                   fmt::format("{} bits; {} (kinds {}); {}, not measured", narrow->bits, packing_text(*narrow),
                               kinds_text(narrow->kinds), source)};
    };
    added.add(in_full(line(to_string(narrow->source)))).add(in_short(line(to_string(narrow->source.evidence))));
    added.json("open", open_json(open));
    if (!form.is_stated) notes.add(default_note(form, *narrow));
    for (Finding& finding : open_notes(open).findings) notes.add(std::move(finding));
    names.assign(open.begin(), open.end());
  }
  const auto is_notes = [](const Block& block) {
    const auto* found = std::get_if<Notes>(&block);
    return found != nullptr && found->key == "notes";
  };
  const auto at = std::ranges::find_if(d.blocks, is_notes);
  if (at != d.blocks.end())
    for (Finding& finding : notes.findings) std::get<Notes>(*at).add(std::move(finding));
  else if (form.is_stated && !notes.findings.empty()) {
    added.add(in_full(std::move(notes)));
    added.add(in_short(Field{"", "open", nullptr, join_and(names) + "; --full says what", Tone::accent}));
  } else if (!notes.findings.empty()) added.add(std::move(notes));
  d.blocks.insert(at, added.blocks.begin(), added.blocks.end());
}

}  // namespace swz
