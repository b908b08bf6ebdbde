#include "view/document.hpp"

#include <algorithm>
#include <iterator>

namespace swz {

Json to_json(const Finding& finding) {
  Json json{{"rule", finding.rule}, {"message", finding.message}};
  if (!finding.hint.empty()) json["hint"] = finding.hint;
  if (!finding.source.empty()) json["source"] = finding.source;
  return json;
}

Notes lints_of(const std::vector<Finding>& findings) {
  Notes lints{"lints"};
  std::ranges::copy_if(findings, std::back_inserter(lints.findings),
                       [](const Finding& finding) { return finding.severity != Severity::note; });
  return lints;
}

Notes notes_of(const std::vector<Finding>& findings) {
  Notes notes{"notes"};
  std::ranges::copy_if(findings, std::back_inserter(notes.findings),
                       [](const Finding& finding) { return finding.severity == Severity::note; });
  return notes;
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
