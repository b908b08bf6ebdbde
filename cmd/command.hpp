// A command: a name, what it says of itself, and what answers it. Adding one is one file in cmd/ that holds all of
// it, one line in commands.cpp, one transcript test. This is a whole command (`swz diff`):
//
//   struct Request { LayoutText a, b; };
//
//   Options options_of(Request& r) {
//     return {argument("A", r.a, "a layout, or an expression over layouts").required(),
//             argument("B", r.b, "another one").required()};
//   }
//
//   Answer answer(const Request& r, const Context&) {
//     const LayoutDifference d = difference(r.a.layout, r.b.layout);
//     return {view_difference(r.a.layout, r.b.layout, d), d.same ? 0 : 1};
//   }
//
//   Command diff_command() {
//     return {"diff", "whether two layouts are the same function; exit 1 when not", R"(Compares …)",
//             {{"swz diff '(8,8):(8,1)' '64:1'", "the first coordinate where they differ"}},
//             [] { return prepare(options_of, answer); }};
//   }
//
// The words of a line fill the Request (cmd/line.hpp); validate() says what its members must satisfy together,
// before anything is computed; answer() computes and returns. None of them prints, exits or knows the format: the
// same line has the same exit code in all of them. A command that answers piece by piece (batch) returns an Answer
// with `converse` set, and is lent a Console.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "option.hpp"
#include "view/document.hpp"

namespace swz {

class Console;

// exit_code: 0 fine, 1 the answer to the question is no.
struct Answer {
  Document document;
  int exit_code = 0;
  bool has_lints = false;  // under --strict these make the exit code 1
  // When set, the document is not used: this writes the answers itself and returns the exit code.
  std::function<int(Console&)> converse = {};
};

// How far a slow command is.
struct Progress {
  std::string what;
  std::size_t done = 0, of = 0;
};

// What a command may know of the world around its request.
struct Context {
  const Target* arch = nullptr;  // --arch, else SWZ_ARCH, else null
  bool strict = false;           // for batch, which passes it on
  int input = -1;                // file descriptor of standard input; -1: the command must not read it
  // Shown on a terminal before standard input is read from it; otherwise nothing.
  std::function<void(std::string_view)> prompt = [](std::string_view) {};
  // Shown on a terminal while the command works; otherwise nothing.
  std::function<void(const Progress&)> progress = [](const Progress&) {};

  const Target& target() const { return arch != nullptr ? *arch : default_target(); }
};

// A request that waits for its values: the rows are bound to its members.
struct Prepared {
  Options options;
  std::function<Answer(const Context&)> answer;
};

template <class Request>
Prepared prepare(Options (*options)(Request&), Answer (*answer)(const Request&, const Context&),
                 void (*validate)(const Request&) = nullptr) {
  const auto request = std::make_shared<Request>();
  return {options(*request), [request, answer, validate](const Context& context) {
            if (validate != nullptr) validate(*request);
            return answer(*request, context);
          }};
}

// line: what to type after the prompt, "swz decode 0x4000004000010042"; says: what that shows.
struct Example {
  std::string_view line;
  std::string_view says;
};

// details: what the command answers, for help and the man page: lines of at most 80 columns, an empty line between
// paragraphs.
struct Command {
  std::string_view name;     // one or two words: "decode", "swizzle explain"
  std::string_view summary;  // one line, lower case, no full stop
  std::string_view details;
  std::vector<Example> examples;
  Prepared (*prepare)();
};
using Commands = std::vector<Command>;

// "find" of "swizzle find" after "swizzle"; empty: it is not such a command.
inline std::string_view second_word(const Command& command, std::string_view first) {
  const bool is_of_group = command.name.starts_with(first) && command.name.substr(first.size()).starts_with(' ');
  return is_of_group ? command.name.substr(first.size() + 1) : std::string_view();
}

// All commands, in the order help shows them.
const Commands& commands();

// One line for each command, defined in the file of its name.
Command arch_command();
Command banks_command();
Command batch_command();
Command choose_command();
Command decode_command();
Command desc_command();
Command diff_command();
Command encode_idesc_command();
Command encode_smem_command();
Command frag_command();
Command layout_command();
Command map_command();
Command phase_command();
Command place_command();
Command swizzle_explain_command();
Command swizzle_find_command();
Command swizzle_lint_command();
Command tiles_command();
Command tma_check_command();
Command tma_encode_command();
Command tma_place_command();
Command tma_plan_command();
Command verify_command();
Command verify_desc_command();
Command verify_layout_command();
Command verify_tile_command();
Command verify_tma_command();

}  // namespace swz
