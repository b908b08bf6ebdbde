// SPDX-License-Identifier: Apache-2.0
// Any text as a message to swz mcp: no answer, or one message of JSON on one line; never a crash.
//
// Texts that name a file are left out, as in fuzz_command.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mcp_server.hpp"

namespace {

constexpr std::size_t longest_message = 1000;

const swz::McpServer& server() {
  static const swz::McpServer all(swz::commands(), {}, {}, {{"guide.md", [] { return std::string("a guide"); }}});
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  const bool names_file = message.find('@') != std::string_view::npos ||
                          message.find("paste") != std::string_view::npos ||
                          message.find("\\u0040") != std::string_view::npos;
  if (size > longest_message || names_file) return 0;
  const std::string answer = server().answer(message);
  if (answer.empty()) return 0;
  if (answer.find('\n') != std::string::npos) std::abort();
  const swz::Json said = swz::Json::parse(answer);
  if (!said.is_array() && said.contains("result") == said.contains("error")) std::abort();
  return 0;
}
