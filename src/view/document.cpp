#include "view/document.hpp"

#include <algorithm>

namespace swz {

Json to_json(const Finding& finding) {
  Json json{{"rule", finding.rule}, {"message", finding.message}};
  if (!finding.hint.empty()) json["hint"] = finding.hint;
  if (!finding.source.empty()) json["source"] = finding.source;
  return json;
}

Document& Document::findings(const std::vector<Finding>& all) {
  Notes notes{"notes"}, lints{"lints"};
  for (const Finding& finding : all) (finding.severity == Severity::note ? notes : lints).add(finding);
  return add(std::move(notes)).add(std::move(lints));
}

bool has_lints(const Document& document) {
  return std::ranges::any_of(document.blocks, [](const Block& block) {
    const auto* notes = std::get_if<Notes>(&block);
    return notes != nullptr && notes->key == "lints" && !notes->findings.empty();
  });
}

std::string tuple_text(const Json& list) {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) text += (i == 0 ? "" : ", ") + list.at(i).dump();
  return "(" + text + ")";
}

}  // namespace swz
