// SPDX-License-Identifier: Apache-2.0
#include "mcp_server.hpp"

#include <algorithm>

#include "answer.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "json_rpc.hpp"

namespace swz {
namespace {

using namespace json_rpc;

// With a handshake, and without one.
constexpr std::string_view newest_handshake = "2025-11-25";
constexpr std::string_view handshake_versions[] = {"2024-11-05", "2025-03-26", "2025-06-18", newest_handshake};
constexpr std::string_view modern_version = "2026-07-28";

constexpr std::string_view version_key = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view capabilities_key = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view server_key = "io.modelcontextprotocol/serverInfo";
constexpr std::string_view document_prefix = "swz://docs/";
constexpr int list_lifetime_ms = 3600000;  // the lists change only with the program

constexpr int unknown_resource = -32002, unknown_version = -32022;

Json server_info() { return {{"name", "swz"}, {"title", "swz"}, {"version", program_version}}; }

// A text or a whole number; anything else is no id.
bool is_id(const Json& id) {
  if (id.is_string()) return true;
  if (id.is_null() || id.is_boolean() || id.is_array() || id.is_object()) return false;
  const std::string digits = id.dump();
  return std::ranges::all_of(digits, [](char c) { return is_digit(c) || c == '-'; });
}

// What a model should know before it sees the tools.
std::string instructions(const std::vector<Tool>& tools) {
  std::string out =
      "swz computes what a model must not guess: descriptor words, swizzled layouts, bank conflicts, fragments, tensor "
      "maps, tensor memory and scale factors of NVIDIA tensor cores, with evidence for each rule. Ask it instead of "
      "working a layout out. With a text of any kind, begin with `ask`. With a question:\n";
  for (const Question& question : questions()) {
    Words names;
    for (const Tool& tool : tools)
      if (tool.command != nullptr &&
          std::ranges::find(question.commands, tool.command->name) != question.commands.end())
        names.push_back(tool.name);
    if (!names.empty()) out += fmt::format("  {} {}\n", question.asked, fmt::join(names, ", "));
  }
  return out +
         "Every answer ends with a verdict. clean: the answer is a pass. incomplete: something that would decide it is "
         "not known; it is not a pass, say so. error: the answer is no, or it has lints; read them. `help` with the "
         "name "
         "of a command has its options and examples. A refused call says what to write instead.";
}

}  // namespace

struct McpServer::Call {
  Json params;
  bool is_modern = false;
};

namespace {

// The version that a request names; none: it is of a client with a handshake.
bool names_modern_version(const Json& params) {
  const Json meta = member(params, "_meta"), version = member(meta, version_key);
  if (version.is_null()) return false;
  if (!version.is_string()) throw Refusal{invalid_params, fmt::format("\"{}\" is not a text", version_key)};
  if (version != Json(modern_version))
    throw Refusal{unknown_version, "this version of the protocol is not spoken without a handshake",
                  Json{{"supported", Json::array({modern_version})}, {"requested", version}}};
  if (!member(meta, capabilities_key).is_object())
    throw Refusal{invalid_params, fmt::format("\"{}\" is missing in _meta", capabilities_key)};
  return true;
}

void refuse_cursor(const Json& params) {
  if (!member(params, "cursor").is_null()) throw Refusal{invalid_params, "unknown cursor: every list is whole"};
}

std::string mime_type(const std::string& name) {
  return name.ends_with(".json") ? "application/json" : name.ends_with(".txt") ? "text/plain" : "text/markdown";
}

}  // namespace

McpServer::McpServer(const Commands& table, LineDefaults defaults, const Words& only,
                     std::vector<McpDocument> documents)
    : table_(table), defaults_(std::move(defaults)), tools_(tools_of(table, only)), documents_(std::move(documents)) {}

Json McpServer::capabilities() const {
  Json out{{"tools", Json::object()}};
  if (!documents_.empty()) out["resources"] = Json::object();
  return out;
}

Json McpServer::initialize(const Call& call) const {
  const std::string asked = text_member(call.params, "protocolVersion");
  const bool is_spoken = std::ranges::find(handshake_versions, asked) != std::end(handshake_versions);
  return {{"protocolVersion", is_spoken ? std::string_view(asked) : newest_handshake},
          {"capabilities", capabilities()},
          {"serverInfo", server_info()},
          {"instructions", instructions(tools_)}};
}

Json McpServer::discover(const Call&) const {
  return {{"supportedVersions", Json::array({modern_version})},
          {"capabilities", capabilities()},
          {"instructions", instructions(tools_)}};
}

Json McpServer::list_tools(const Call& call) const {
  refuse_cursor(call.params);
  return {{"tools", json_list(tools_, describe)}};
}

Json McpServer::call_tool(const Call& call) const {
  const std::string name = text_member(call.params, "name");
  const Json arguments = member(call.params, "arguments");
  if (!arguments.is_null() && !arguments.is_object()) throw Refusal{invalid_params, "\"arguments\" is not an object"};
  const auto tool = std::ranges::find(tools_, name, &Tool::name);
  if (tool == tools_.end()) {
    Words names;
    for (const Tool& known : tools_) names.push_back(known.name);
    throw Refusal{invalid_params, fmt::format("unknown tool {}. {}", quoted(name), did_you_mean(name, names))};
  }
  return swz::call(*tool, arguments.is_null() ? Json::object() : arguments, table_, defaults_);
}

Json McpServer::list_resources(const Call& call) const {
  refuse_cursor(call.params);
  return {{"resources", json_list(documents_, [](const McpDocument& document) {
             return Json{{"uri", fmt::format("{}{}", document_prefix, document.name)},
                         {"name", document.name},
                         {"mimeType", mime_type(document.name)}};
           })}};
}

Json McpServer::read_resource(const Call& call) const {
  const std::string uri = text_member(call.params, "uri");
  const auto document = std::ranges::find_if(
      documents_, [&](const McpDocument& d) { return uri == fmt::format("{}{}", document_prefix, d.name); });
  if (document == documents_.end())
    throw Refusal{call.is_modern ? invalid_params : unknown_resource,
                  fmt::format("no resource {}; resources/list names them", quoted(uri))};
  return {{"contents",
           Json::array({Json{{"uri", uri}, {"mimeType", mime_type(document->name)}, {"text", document->read()}}})}};
}

Json McpServer::result_of(const std::string& method, const Call& call) const {
  using Method = Json (McpServer::*)(const Call&) const;
  // is_list: a client may keep the result.
  struct Row {
    std::string_view name;
    Method method;
    bool is_list = false;
  };
  static constexpr Row rows[] = {{"tools/call", &McpServer::call_tool},
                                 {"tools/list", &McpServer::list_tools, true},
                                 {"resources/list", &McpServer::list_resources, true},
                                 {"resources/read", &McpServer::read_resource, true},
                                 {"server/discover", &McpServer::discover, true}};
  if (!call.is_modern && method == "initialize") return initialize(call);
  if (!call.is_modern && method == "ping") return Json::object();
  Json result;
  const auto* row = std::ranges::find(rows, method, &Row::name);
  const bool is_known = row != std::end(rows);
  if (is_known) result = (this->*row->method)(call);
  else if (method == "resources/templates/list") result = Json{{"resourceTemplates", Json::array()}};
  else throw Refusal{unknown_method, fmt::format("no method {}", quoted(method))};
  if (!call.is_modern && method != "server/discover") return result;
  result["resultType"] = "complete";
  result["_meta"][server_key] = server_info();
  if (is_known && !row->is_list) return result;
  result["ttlMs"] = list_lifetime_ms;
  result["cacheScope"] = "public";
  return result;
}

// Null for a message without an answer.
Json McpServer::answer_to(const Json& message) const {
  Json id;
  try {
    if (!message.is_object()) throw Refusal{invalid_request, "a message is an object"};
    const Json method = member(message, "method");
    // This server asks nothing, so that no answer is waited for.
    if (method.is_null() && (message.contains("result") || message.contains("error"))) return {};
    if (message.contains("id")) {
      if (!is_id(message["id"])) throw Refusal{invalid_request, "an id is a text or a whole number"};
      id = message["id"];
    }
    if (member(message, "jsonrpc") != Json("2.0") || !method.is_string())
      throw Refusal{invalid_request, R"(a request has "jsonrpc": "2.0" and a "method")"};
    if (id.is_null()) return {};
    Json params = member(message, "params");
    if (!params.is_null() && !params.is_object()) throw Refusal{invalid_params, "\"params\" is not an object"};
    const bool is_modern = names_modern_version(params);
    return result_message(id, result_of(method.get<std::string>(), {params, is_modern}));
  } catch (const Refusal& refusal) {
    return error_message(id, refusal);
  } catch (...) {
    return error_message(id, {internal_error, caught_error().message()});
  }
}

std::string McpServer::answer(std::string_view line) const {
  if (trimmed(line).empty()) return {};
  Json message;
  try {
    message = Json::parse(line);
  } catch (const Error& error) {
    return error_message({}, {parse_error, fmt::format("not JSON: {}", error.message())}).dump();
  }
  if (!message.is_array() || message.size() == 0) {
    const Json answer = answer_to(message);
    return answer.is_null() ? "" : answer.dump();
  }
  Json answers = Json::array();
  for (std::size_t i = 0; i < message.size(); ++i)
    if (Json answer = answer_to(message.at(i)); !answer.is_null()) answers.push_back(std::move(answer));
  return answers.size() == 0 ? "" : answers.dump();
}

std::string answer_to_long_line() {
  return error_message({}, {parse_error, fmt::format("a message is at most {} MiB", limits::line_bytes.most >> 20)})
      .dump();
}

std::vector<std::string> without_cancelled(std::vector<std::string> lines) {
  const auto parsed = [](const std::string& line) {
    try {
      return Json::parse(line);
    } catch (const Error&) {
      return Json();
    }
  };
  constexpr std::string_view cancelled = "notifications/cancelled";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find(cancelled) == std::string::npos) continue;
    const Json message = parsed(lines[i]);
    if (member(message, "method") != Json(cancelled)) continue;
    const Json id = member(member(message, "params"), "requestId");
    for (std::size_t before = 0; !id.is_null() && before < i; ++before)
      if (member(parsed(lines[before]), "id") == id) lines[before].clear();
  }
  std::erase_if(lines, [](const std::string& line) { return line.empty(); });
  return lines;
}

}  // namespace swz
