// SPDX-License-Identifier: Apache-2.0
// swz gdb: the place of the file of commands for gdb and cuda-gdb (gdb/swz_gdb.py).
#include <fmt/format.h>

#include "command.hpp"
#include "installed.hpp"

namespace swz {
namespace {

struct GdbRequest {};

Options options_of(GdbRequest&) { return {}; }

Answer answer(const GdbRequest&, const Context&) {
  const std::optional<std::string> path = installed_path("gdb/swz_gdb.py");
  Document out;
  out.json("path", or_null(path.value_or("")));
  // The line and nothing else, so that `swz gdb >> ~/.gdbinit` is sufficient.
  out.field("gdbinit", "", path ? Json("source " + *path) : Json());
  out.answers = {"gdbinit"};
  if (path) out.source = fmt::format("source {}\n", *path);
  else
    out.add(
        Paragraph{"no file for gdb is installed beside this command\n"
                  "hint: the packages have it; in the sources it is gdb/swz_gdb.py"});
  return {out, path ? 0 : 1};
}

}  // namespace

Commands gdb_commands() {
  return {{.name = "gdb",
           .summary = "the line for ~/.gdbinit that brings swz into gdb; exit 1 when not installed",
           .details = R"(In the debugger, 'swz decode EXPR', 'swz map EXPR --against ARRAY',
'swz identify ARRAY --dtype T --tile MxK' and 'swz tma EXPR' take expressions of
the program that is stopped: variables, registers, arrays in shared memory of
the block in focus. Every other command is taken as in a shell. In the debugger,
'help swz' shows more.)",
           .examples = {{"swz gdb", "swz gdb >> ~/.gdbinit, once"}},
           .prepare = [] { return prepare(options_of, answer); },
           .needs_system = true}};
}

}  // namespace swz
