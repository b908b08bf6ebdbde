// SPDX-License-Identifier: Apache-2.0
#include "lsp_server.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "answer.hpp"
#include "base/limits.hpp"
#include "base/version.hpp"
#include "json_rpc.hpp"
#include "next.hpp"
#include "render/text.hpp"
#include "source_spans.hpp"

namespace swz {

namespace {

using namespace json_rpc;

constexpr int not_initialized = -32002;
constexpr std::size_t most_files = 256, most_spans = 512, most_hover_lines = 40;
constexpr int hover_width = 90;

// ---- places

// Bytes of the character that begins at a byte, by its first byte.
std::size_t character_bytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// The units that a character of so many bytes counts.
std::size_t units_of(std::size_t bytes, bool counts_bytes) { return counts_bytes ? bytes : bytes == 4 ? 2 : 1; }

// The byte of a line and column; a column beyond the line is its end, as the protocol says.
std::size_t byte_of(std::string_view text, std::size_t line, std::size_t column, bool counts_bytes) {
  std::size_t at = 0;
  for (; line > 0; --line) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return text.size();
    at = end + 1;
  }
  for (std::size_t units = 0; at < text.size() && text[at] != '\n' && units < column;) {
    const std::size_t bytes = std::min(character_bytes(text[at]), text.size() - at);
    units += units_of(bytes, counts_bytes);
    at += bytes;
  }
  return at;
}

Json place_of(std::string_view text, std::size_t byte, bool counts_bytes) {
  const std::string_view before = text.substr(0, byte);
  const std::size_t last = before.rfind('\n'), begin = last == std::string_view::npos ? 0 : last + 1;
  std::size_t units = 0;
  for (std::size_t at = begin; at < byte;) {
    const std::size_t bytes = std::min(character_bytes(text[at]), byte - at);
    units += units_of(bytes, counts_bytes);
    at += bytes;
  }
  return {{"line", std::ranges::count(before, '\n')}, {"character", units}};
}

Json range_of(std::string_view text, const SourceSpan& span, bool counts_bytes) {
  return {{"start", place_of(text, span.begin, counts_bytes)}, {"end", place_of(text, span.end, counts_bytes)}};
}

// ---- answers

std::optional<Answer> answer_of(const SourceSpan& span, const Commands& table, const LineDefaults& defaults) {
  try {
    Context context;
    const Line line = asked_line(span.question, table, defaults, context);
    return answer_line(line, table, std::move(context));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// "swz decode 0x42"; a question with a text of several lines is shortened.
std::string title_of(const SourceSpan& span) {
  std::string title = "swz";
  for (const std::string& word : span.question)
    title += word.find('\n') == std::string::npos ? " " + shell_line({word}) : " …";
  return title;
}

std::string markdown_of(const SourceSpan& span, const Answer& answer) {
  const TextStyle style{.color = false, .width = hover_width};
  std::string text = render_text(answer.document, style);
  std::size_t end = 0;
  for (std::size_t line = 0; line < most_hover_lines && end != std::string::npos; ++line)
    end = text.find('\n', end == 0 ? 0 : end + 1);
  if (end != std::string::npos && end + 1 < text.size()) text = text.substr(0, end) + "\n…\n";
  return fmt::format("`{}`\n```text\n{}{}```\n", title_of(span), text, text.ends_with('\n') ? "" : "\n");
}

// The findings of the answer: lints of a descriptor, violations of a tensor map. Of a word that several kinds of descriptor
// could be, those of the first, if none of them is without.
Json findings_of(const Json& answer) {
  for (const std::string_view key : {"lints", "violations"})
    if (const Json list = member(answer, key); list.is_array() && list.size() > 0) return list;
  Json first = Json::array();
  const Json readings = member(answer, "readings");
  for (std::size_t i = 0; readings.is_array() && i < readings.size(); ++i) {
    const Json lints = member(readings.at(i), "lints");
    if (!lints.is_array() || lints.size() == 0) return Json::array();
    if (i == 0) first = lints;
  }
  return first;
}

}  // namespace

std::vector<Json> LspServer::messages(std::string_view message) {
  Json parsed;
  try {
    require_within(limits::line_bytes, std::ssize(message));
    parsed = Json::parse(message);
  } catch (const Error& error) {
    return {error_message(Json(), {parse_error, error.message()})};
  }
  try {
    return answer_to(parsed);
  } catch (const Refusal& refusal) {
    const Json id = member(parsed, "id");
    if (id.is_null() && member(parsed, "method").is_string()) return {};
    return {error_message(id, refusal)};
  }
}

std::vector<Json> LspServer::answer_to(const Json& message) {
  const Json method = member(message, "method"), id = member(message, "id");
  if (message.is_object() && method.is_null() && !id.is_null()) return {};  // an answer to a request; none was sent
  if (!method.is_string()) throw Refusal{invalid_request, "a message has a \"method\""};
  const std::string name = method.get<std::string>();
  const Json params = member(message, "params");
  if (id.is_null()) return notified(name, params);
  if (name == "initialize") return {result_message(id, initialize(params))};
  if (!is_initialized_) throw Refusal{not_initialized, "the first request is initialize"};
  if (is_shut_down_) throw Refusal{invalid_request, "after shutdown comes only exit"};
  if (name == "shutdown") {
    is_shut_down_ = true;
    return {result_message(id, Json())};
  }
  if (name == "textDocument/hover") return {result_message(id, hover(params))};
  throw Refusal{unknown_method, fmt::format("swz lsp has no {}", name)};
}

Json LspServer::initialize(const Json& params) {
  is_initialized_ = true;
  const Json encodings = member(member(member(params, "capabilities"), "general"), "positionEncodings");
  if (encodings.is_array())
    for (std::size_t i = 0; i < encodings.size(); ++i)
      counts_bytes_ = counts_bytes_ || encodings.at(i) == Json("utf-8");
  if (const Json arch = member(member(params, "initializationOptions"), "arch"); arch.is_string()) {
    const Target* target = find_target(arch.get<std::string>());
    if (target == nullptr) throw Refusal{invalid_params, fmt::format("{} is not a target", arch.get<std::string>())};
    defaults_.arch = target;
  }
  return {{"capabilities",
           {{"positionEncoding", counts_bytes_ ? "utf-8" : "utf-16"},
            {"textDocumentSync", {{"openClose", true}, {"change", 1}}},
            {"hoverProvider", true}}},
          {"serverInfo", {{"name", "swz"}, {"version", program_version}}}};
}

Json LspServer::hover(const Json& params) const {
  const auto file = files_.find(text_member(member(params, "textDocument"), "uri"));
  if (file == files_.end()) return {};
  const Json position = member(params, "position");
  const std::string& text = file->second;
  const std::size_t at =
      byte_of(text, number_member(position, "line"), number_member(position, "character"), counts_bytes_);
  std::vector<SourceSpan> spans = source_spans(text, most_spans);
  std::erase_if(spans, [&](const SourceSpan& span) { return at < span.begin || at >= span.end; });
  // The innermost that has an answer.
  std::ranges::sort(spans, {}, [](const SourceSpan& span) { return span.end - span.begin; });
  for (const SourceSpan& span : spans)
    if (const std::optional<Answer> answer = answer_of(span, *table_, defaults_))
      return {{"contents", {{"kind", "markdown"}, {"value", markdown_of(span, *answer)}}},
              {"range", range_of(text, span, counts_bytes_)}};
  return {};
}

std::vector<Json> LspServer::notified(const std::string& method, const Json& params) {
  if (method == "exit") exit_code_ = is_shut_down_ ? 0 : 1;
  if (!is_initialized_ || !method.starts_with("textDocument/did")) return {};
  const Json document = member(params, "textDocument");
  const std::string uri = text_member(document, "uri");
  if (method == "textDocument/didOpen" && (files_.size() < most_files || files_.contains(uri))) {
    files_[uri] = text_member(document, "text");
  } else if (method == "textDocument/didChange" && files_.contains(uri)) {
    const Json changes = member(params, "contentChanges");
    if (!changes.is_array() || changes.size() == 0) return {};
    const Json& last = changes.at(changes.size() - 1);
    if (!member(last, "range").is_null()) throw Refusal{invalid_params, "changes are whole texts"};
    files_[uri] = text_member(last, "text");
  } else if (method == "textDocument/didClose") {
    files_.erase(uri);
  } else {
    return {};
  }
  return {{{"jsonrpc", "2.0"},
           {"method", "textDocument/publishDiagnostics"},
           {"params", {{"uri", uri}, {"diagnostics", diagnostics_of(uri)}}}}};
}

Json LspServer::diagnostics_of(const std::string& uri) const {
  Json all = Json::array();
  const auto file = files_.find(uri);
  if (file == files_.end()) return all;
  for (const SourceSpan& span : source_spans(file->second, most_spans)) {
    if (!span.is_claim) continue;
    const std::optional<Answer> answer = answer_of(span, *table_, defaults_);
    if (!answer) continue;
    const Json findings = findings_of(to_json(answer->document));
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const Json& finding = findings.at(i);
      std::string message = member(finding, "message").is_string() ? text_member(finding, "message") : "";
      for (const std::string_view key : {"hint", "fix"})
        if (member(finding, key).is_string()) message += "\n" + text_member(finding, key);
      all.push_back({{"range", range_of(file->second, span, counts_bytes_)},
                     {"severity", 2},
                     {"source", "swz"},
                     {"code", member(finding, "rule")},
                     {"message", message}});
    }
  }
  return all;
}

}  // namespace swz
