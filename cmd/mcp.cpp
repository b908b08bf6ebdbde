// SPDX-License-Identifier: Apache-2.0
// swz mcp: the commands for agents, over standard input and output (mcp_server.hpp, mcp_tools.hpp).
//
//   in:   {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"text":"0x42"}}}
//   out:  {"jsonrpc":"2.0","id":1,"result":{"content":[…],"structuredContent":{…},"isError":false}}
//
// Requests are answered one after another. A request that is cancelled while another one is answered is dropped; one that
// is being answered is finished, which takes about a second (base/limits.hpp).
#include <fmt/format.h>
#include <unistd.h>

#include "installed.hpp"
#include "line_reader.hpp"
#include "mcp_server.hpp"
#include "run.hpp"

namespace swz {
namespace {

struct McpRequest {
  Words only;
};

Options options_of(McpRequest& r) {
  return {argument("COMMAND", r.only, "commands, or groups of them (tma), that are tools; also ask and help")
              .repeated(limits::words)
              .by_default_note("all")};
}

std::vector<McpDocument> installed_documents() {
  std::vector<McpDocument> out;
  for (const std::string& name : installed_files("docs"))
    out.push_back({name, [name] {
                     const std::optional<std::string> path = installed_path("docs/" + name);
                     if (!path) throw Error("the document is not there any more");
                     return read_text(*path, {}, {limits::dump_bytes.most, "a document", ""});
                   }});
  return out;
}

int converse(Console& console, const McpServer& server) {
  const Environment& environment = console.environment;
  if (isatty(environment.input) != 0)
    throw usage_error("swz mcp is started by an agent, which writes to its standard input",
                      "docs/agents.md shows how to add it to an agent");
  const Input input("-", environment.input, "");
  LineReader reader(input, "the messages");
  while (auto line = reader.next(console.output)) {
    std::vector<std::string> lines;
    for (;; line = reader.next(console.output)) {
      if (line->too_long) console.output.write(answer_to_long_line() + "\n");
      else lines.push_back(std::move(line->text));
      if (!reader.has_line()) break;
    }
    for (const std::string& message : without_cancelled(std::move(lines))) {
      const std::string answer = server.answer(message);
      if (answer.empty()) continue;
      console.output.write(answer + "\n");
      console.output.flush();
    }
  }
  return 0;
}

Answer answer(const McpRequest& r, const Context& context) {
  const LineDefaults defaults{.arch = context.arch};
  tools_of(commands(), r.only);  // an unknown name is an error of the command line
  Answer out;
  out.converse = [only = r.only, defaults](Console& console) {
    return converse(console, McpServer(*console.environment.table, defaults, only, installed_documents()));
  };
  return out;
}

}  // namespace

Commands mcp_commands() {
  return {{.name = "mcp",
           .summary = "the commands as tools of an agent: the Model Context Protocol over stdio",
           .details = R"(An agent starts this command and asks it: each command is a tool whose
properties are the options of the command, 'ask' reads any text, 'help' is
'swz help'. An answer is the JSON of the command, its text, and with "picture"
an image. Commands that need a GPU, a desktop or write files are no tools.

The list of all tools is about 120 KB. For an agent that shows every tool to its
model, name the commands that it needs.

It reads standard input and the files that a request names, and writes only to
standard output. The one program that it may start is nvdisasm, for 'kernel';
SWZ_NVDISASM=none forbids it. Every version of the protocol from 2024-11-05 to
2026-07-28 is spoken. docs/agents.md shows how to add it to an agent.)",
           .examples = {{R"(echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | swz mcp decode)",
                         "the tools ask, help and decode"}},
           .prepare = [] { return prepare(options_of, answer); },
           .needs_system = true,
           .converses = true}};
}

}  // namespace swz
