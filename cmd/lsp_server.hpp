// SPDX-License-Identifier: Apache-2.0
// The Language Server Protocol 3.17 (microsoft.github.io/language-server-protocol): hover and diagnostics for what
// source_spans.hpp finds in a file that an editor has open.
//
//   LspServer server(commands(), {});
//   server.messages(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})")     one answer
//   textDocument/didOpen     a notification textDocument/publishDiagnostics: lints of descriptors, refused tensor maps
//   textDocument/hover       what swz says about the innermost span under the cursor, or null
//
// A file is held whole, as the editor sends it; nothing is read from the disk and nothing is written. Columns count UTF-16
// units, or bytes if the editor offers "utf-8".
//
// Errors of the protocol: -32700 no JSON, -32600 no request, -32601 no such method, -32602 wrong parameters, -32002 a
// request before initialize.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "line.hpp"

namespace swz {

class LspServer {
 public:
  LspServer(const Commands& table, LineDefaults defaults) : table_(&table), defaults_(std::move(defaults)) {}

  // What is sent to the editor after one of its messages, in order. Throws nothing.
  std::vector<Json> messages(std::string_view message);

  // After the notification `exit`: the exit code, 0 if the editor had asked for shutdown before.
  std::optional<int> exit_code() const { return exit_code_; }

 private:
  std::vector<Json> answer_to(const Json& message);
  Json initialize(const Json& params);
  Json hover(const Json& params) const;
  std::vector<Json> notified(const std::string& method, const Json& params);
  Json diagnostics_of(const std::string& uri) const;

  const Commands* table_;
  LineDefaults defaults_;
  std::map<std::string, std::string> files_;  // by URI
  bool is_initialized_ = false, is_shut_down_ = false, counts_bytes_ = false;
  std::optional<int> exit_code_ = {};
};

}  // namespace swz
