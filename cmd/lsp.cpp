// SPDX-License-Identifier: Apache-2.0
// swz lsp: hover and diagnostics in an editor, over standard input and output (lsp_server.hpp, frame_reader.hpp).
#include <fmt/format.h>
#include <unistd.h>

#include "frame_reader.hpp"
#include "lsp_server.hpp"
#include "run.hpp"

namespace swz {
namespace {

struct LspRequest {};

Options options_of(LspRequest&) { return {}; }

void send(Output& output, const Json& message) {
  const std::string text = message.dump();
  output.write(fmt::format("Content-Length: {}\r\n\r\n{}", text.size(), text));
}

int converse(Console& console, LspServer server) {
  const Environment& environment = console.environment;
  if (isatty(environment.input) != 0)
    throw usage_error("swz lsp is started by an editor, which writes to its standard input",
                      "docs/editors.md shows how to add it to an editor");
  const Input input("-", environment.input, "");
  FrameReader reader(input, "the messages");
  while (const std::optional<FramedMessage> frame = reader.next(console.output)) {
    // A text that is too long is answered as one that cannot be read.
    for (const Json& message : server.messages(frame->is_too_long ? "" : std::string_view(frame->text)))
      send(console.output, message);
    console.output.flush();
    if (server.exit_code()) return *server.exit_code();
  }
  return 0;  // the editor went away
}

Answer answer(const LspRequest&, const Context& context) {
  const LineDefaults defaults{.arch = context.arch};
  Answer out;
  out.converse = [defaults](Console& console) {
    return converse(console, LspServer(*console.environment.table, defaults));
  };
  return out;
}

}  // namespace

Commands lsp_commands() {
  return {{.name = "lsp",
           .summary = "hover and diagnostics in an editor: the Language Server Protocol over stdio",
           .details = R"(An editor starts this command for .cu, .cuh, .cpp, .py and other files. Under
the cursor it explains descriptor words (0x4000004000010042), Swizzle<3,4,3>,
CuTe layouts (make_layout(...), Layout<...>) and calls of
cuTensorMapEncodeTiled. It marks the lints of a word on a line that says
"desc", and tensor maps that the driver would refuse.

--arch is the target of descriptors; an editor can also send it as "arch" in the
options of initialize. It reads nothing but what the editor sends.
docs/editors.md shows how to add it to an editor.)",
           .examples = {{"swz lsp --arch sm_100a", "as an editor starts it"}},
           .prepare = [] { return prepare(options_of, answer); },
           .needs_system = true,
           .converses = true}};
}

}  // namespace swz
