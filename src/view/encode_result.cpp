#include "view/encode_result.hpp"

#include <fmt/format.h>

#include "view/findings.hpp"

namespace swz {

void add_returned(Document& d, const std::optional<EncodeResult>& result, const std::optional<PastedMap>& pasted) {
  if (result) {
    const std::string_view space = result->name.empty() ? "" : " ";
    d.add(Field{"", "returned", nullptr, fmt::format("{}{}{}", result->code, space, result->name),
                result->agrees ? Tone::plain : Tone::bad});
  }
  if (pasted) d.add(Field{"", "printed by", nullptr, std::string(pasted->program)});
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
  Notes notes{""};
  notes.add(note(fmt::format("code-{}", result->code), result->message, result->hint));
  d.add(std::move(notes));
}

void add_paste(Document& d, const std::optional<PastedMap>& pasted) {
  if (!pasted) {
    d.add(Field{"paste", "", nullptr});
    return;
  }
  Json list = Json::array();
  Notes notes{""};
  for (const Finding& finding : pasted->notes) {
    list.push_back(to_json(finding));
    notes.add(finding);
  }
  d.add(Field{"paste",
              "",
              {{"program", std::string(pasted->program)}, {"blocks", pasted->blocks}, {"notes", std::move(list)}}});
  if (!pasted->notes.empty()) d.add(std::move(notes));
}

}  // namespace swz
