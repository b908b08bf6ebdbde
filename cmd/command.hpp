// SPDX-License-Identifier: Apache-2.0
// A command: its name, its description, and the function that answers it. To add one takes one file in cmd/ with all of
// it, one line in commands.cpp, and one transcript test. This is a whole command (`swz diff`, in layout.cpp):
//
//   struct DiffRequest { LayoutText a, b; };
//
//   Options diff_options(DiffRequest& r) {
//     return {argument("A", r.a, "a layout, or an expression over layouts").required(),
//             argument("B", r.b, "another one").required()};
//   }
//
//   Answer diff_answer(const DiffRequest& r, const Context&) {
//     const LayoutDifference d = difference(r.a.layout, r.b.layout);
//     return {view_difference(r.a.layout, r.b.layout, d), d.same ? 0 : 1};
//   }
//
//   {.name = "diff", .summary = "whether two layouts are the same function; exit 1 when not",
//    .details = R"(Compares …)",
//    .examples = {{"swz diff '(8,8):(8,1)' '64:1'", "the first coordinate where they differ"}},
//    .prepare = [] { return prepare(diff_options, diff_answer); }}
//
// The words of a line fill the request (cmd/line.hpp); the answer refuses values that do not fit together before it
// computes anything. No command prints, exits or knows the format: the same line has the same exit code in all formats.
// A command that answers piece by piece (batch) returns an Answer with `converse` set, and is given a Console.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "option.hpp"
#include "view/document/document.hpp"

namespace swz {

struct Console;

// exit_code: 0 is success, 1 means that the answer to the question is no.
struct Answer {
  Document document;
  int exit_code = 0;
  bool has_lints = false;      // under --strict these make the exit code 1
  bool is_incomplete = false;  // what would decide the answer is not known; under --strict exit code 1, too
  // If set, the document is not used: this function writes the answers itself and returns the exit code.
  std::function<int(Console&)> converse = {};
};

// The "verdict" in JSON: clean; something is not known; or the answer is no or has lints.
enum class Verdict { clean, incomplete, error };

inline Verdict verdict_of(const Answer& answer) {
  if (answer.exit_code != 0 || answer.has_lints) return Verdict::error;
  return answer.is_incomplete ? Verdict::incomplete : Verdict::clean;
}
std::string_view to_string(Verdict verdict);

// The progress of a slow command.
struct Progress {
  std::string what;
  std::size_t done = 0, of = 0;
};

// What a command may know besides its request.
struct Context {
  const Target* arch = nullptr;                // --arch, otherwise SWZ_ARCH, otherwise null
  bool strict = false;                         // for batch, which passes it on
  int input = -1;                              // file descriptor of standard input; -1: the command must not read it
  std::optional<std::string> input_text = {};  // the text of "-" if it was read already
  // Shown on a terminal before standard input is read from it; elsewhere it has no effect.
  std::function<void(std::string_view)> prompt = [](std::string_view) {};
  // Shown on a terminal while the command works; elsewhere it has no effect.
  std::function<void(const Progress&)> progress = [](const Progress&) {};

  const Target& target() const { return arch != nullptr ? *arch : default_target(); }
};

// A request that waits for its values: the rows are bound to its members.
struct Prepared {
  Options options;
  std::function<Answer(const Context&)> answer;
};

template <class Request>
Prepared prepare(Options (*options)(Request&), Answer (*answer)(const Request&, const Context&)) {
  const auto request = std::make_shared<Request>();
  return {options(*request), [request, answer](const Context& context) { return answer(*request, context); }};
}

// line: what to type after the prompt, "swz decode 0x4000004000010042"; says: what that shows.
struct Example {
  std::string_view line;
  std::string_view says;
  bool needs_system = false;  // a GPU, another program, a desktop: what a page lacks
};

// A question that follows from an answer, and the line that asks it with places for the user's numbers (cmd/next.hpp):
// {"Are there bank conflicts?", "banks {operand} --access ldmatrix.x4"}.
struct Next {
  std::string_view asks;
  std::string_view line;
};

// details: what the command answers, for help and the man page: lines of at most 80 columns, with an empty line between
// paragraphs.
struct Command {
  std::string_view name;     // one or two words: "decode", "swizzle explain"
  std::string_view summary;  // one line, lower case, no full stop
  std::string_view details;
  std::vector<Example> examples;
  std::vector<Next> next = {};
  Prepared (*prepare)();
  bool needs_system = false;  // as in Example
  bool converses = false;     // it answers many questions, one after another: batch, mcp
};
using Commands = std::vector<Command>;

// The command; null if the table has none of this name.
const Command* find_command(const Commands& table, std::string_view name);

// "find" of "swizzle find" after "swizzle"; empty if the command is not one of that group.
inline std::string_view second_word(const Command& command, std::string_view first) {
  const bool is_of_group = command.name.starts_with(first) && command.name.substr(first.size()).starts_with(' ');
  return is_of_group ? command.name.substr(first.size() + 1) : std::string_view();
}

// The commands that answer a question, in the words of the user.
struct Question {
  std::string_view asked;  // "Are there bank conflicts?"
  std::vector<std::string_view> commands;
};
std::span<const Question> questions();

// What people ask, in their words, with a line that answers it with a picture: {"Why is a tile swizzled?", "place …"}.
struct Card {
  std::string_view asks;
  std::string_view line;
};
std::span<const Card> cards();

// All commands, in the order of the questions.
const Commands& commands();

// The commands of one file, in the order in which help shows them.
Commands arch_commands();
Commands banks_commands();
Commands batch_commands();
Commands choose_commands();
Commands cluster_commands();
Commands cost_commands();
Commands decode_commands();
Commands desc_commands();
Commands encode_commands();
Commands frag_commands();
Commands gdb_commands();
Commands identify_commands();
Commands kernel_commands();
Commands layout_commands();
Commands lsp_commands();
Commands map_commands();
Commands mcp_commands();
Commands narrow_commands();
Commands page_commands();
Commands phase_commands();
Commands place_commands();
Commands scale_layout_commands();
Commands scale_tmem_commands();
Commands scale_way_commands();
Commands skills_commands();
Commands stage_commands();
Commands story_commands();
Commands swizzle_commands();
Commands tiles_commands();
Commands tmem_commands();
Commands tmem_plan_commands();
Commands tma_conv_commands();
Commands tma_copy_commands();
Commands tma_map_commands();
Commands translate_commands();
Commands verify_commands();

}  // namespace swz
