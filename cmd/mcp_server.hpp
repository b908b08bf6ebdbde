// SPDX-License-Identifier: Apache-2.0
// The Model Context Protocol (modelcontextprotocol.io): one message of a client in, one message out. Nothing is kept from
// one message to the next, so that no message can change the answer to another.
//
//   McpServer server(commands(), {}, {}, {});
//   server.answer(R"({"jsonrpc":"2.0","id":1,"method":"ping"})") == R"({"jsonrpc":"2.0","id":1,"result":{}})"
//   server.answer(R"({"jsonrpc":"2.0","method":"notifications/initialized"})") == ""     a notification has no answer
//   server.answer("{") == R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":…}})"
//
// It speaks every version that was published. Up to 2025-11-25 a client begins with `initialize`; a batch, a list of
// messages (2025-03-26), is answered by a list. Since 2026-07-28 there is no handshake: every request names its version in
// _meta, `server/discover` replaces initialize, ping is gone, and a result has a resultType.
//
// Methods: initialize, ping, server/discover, tools/list, tools/call, resources/list, resources/read,
// resources/templates/list. Lists are whole: no cursor is given out. The resources are the documents that are installed
// beside the command.
//
// Errors of the protocol: -32700 no JSON, -32600 no request, -32601 no such method, -32602 wrong parameters (also an
// unknown tool), -32002 no such resource (-32602 since 2026-07-28), -32022 a version that is not spoken. What is wrong with
// the arguments of a tool is a result with isError (mcp_tools.hpp).
#pragma once

#include "mcp_tools.hpp"

namespace swz {

// A document that a client may read: "guide.md" is swz://docs/guide.md. read: its text; it may throw Error.
struct McpDocument {
  std::string name;
  std::function<std::string()> read;
};

class McpServer {
 public:
  // only: as of tools_of. Throws Error for a name that is no tool.
  McpServer(const Commands& table, LineDefaults defaults, const Words& only, std::vector<McpDocument> documents);

  // The answer to one line of the client, without a newline; empty if it has none. Throws nothing.
  std::string answer(std::string_view line) const;

 private:
  struct Call;  // a request: its parameters, and whether it is of a version without a handshake
  Json answer_to(const Json& message) const;
  Json result_of(const std::string& method, const Call& call) const;
  Json capabilities() const;
  Json initialize(const Call& call) const;
  Json discover(const Call& call) const;
  Json list_tools(const Call& call) const;
  Json call_tool(const Call& call) const;
  Json list_resources(const Call& call) const;
  Json read_resource(const Call& call) const;

  const Commands& table_;
  LineDefaults defaults_;
  std::vector<Tool> tools_;
  std::vector<McpDocument> documents_;
};

// The answer to a line that is longer than limits::line_bytes.
std::string answer_to_long_line();

// Of lines that have arrived together, those that are still to be answered: a notification notifications/cancelled takes
// away the request before it that it names.
std::vector<std::string> without_cancelled(std::vector<std::string> lines);

}  // namespace swz
