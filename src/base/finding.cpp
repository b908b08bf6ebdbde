// SPDX-License-Identifier: Apache-2.0
#include "base/finding.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swz {

std::string to_string(const Source& source) { return fmt::format("{} ({})", source.where, to_string(source.evidence)); }

std::string_view to_string(Severity severity) {
  constexpr std::string_view names[] = {"note", "lint", "format"};
  return names[static_cast<std::size_t>(severity)];
}

Finding note(std::string_view rule, std::string message, std::string hint, std::string source) {
  return {Severity::note, std::string(rule), std::move(message), std::move(hint), std::move(source)};
}

Finding lint(std::string_view rule, std::string message, std::string hint, std::string source) {
  return {Severity::lint, std::string(rule), std::move(message), std::move(hint), std::move(source)};
}

std::ptrdiff_t count(const std::vector<Finding>& findings, Severity severity) {
  return std::ranges::count(findings, severity, &Finding::severity);
}

bool has_lints(const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [](const Finding& f) { return f.severity != Severity::note; });
}

}  // namespace swz
