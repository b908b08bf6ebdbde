// A command: a name, what it says of itself, and a function that declares its options and returns what to do.
//
// The same declaration serves parsing, help, the man page and the shell completions. Adding a command is one file
// in cmd/, one line in the table of commands.cpp, one transcript test.
//
//   Action define_decode(CLI::App& app, const Common& common) {
//     auto words = std::make_shared<std::vector<std::string>>();
//     app.add_option("WORD", *words, "…")->required();
//     return [words, &common] { return Outcome{view_of(decode(*words))}; };
//   }
//
// An Action computes and returns; it never prints and never exits. One that has to answer piece by piece (batch)
// returns an Outcome with `converse` set, and is lent a Console.
//
// An option that takes one of a few words says so with ->check(CLI::IsMember(words)): the words then appear in
// help and in completions, and a misspelt one gets "did you mean".
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "view/document.hpp"

namespace swz {

class Console;

// The answer of a command. exit_code: 0 fine, 1 the question's answer is no.
struct Outcome {
  Document document;
  int exit_code = 0;
  bool has_lints = false;  // under --strict these make the exit code 1
  // When set, the document is not used: this writes the answers itself and returns the exit code.
  std::function<int(Console&)> converse = {};
};

enum class ColorMode { automatic, always, never };

// How far a command is that takes its time.
struct Progress {
  std::string what;
  std::size_t done = 0, of = 0;
};

// The options every command has.
struct Common {
  std::string arch;             // as given by --arch, else by SWZ_ARCH, else empty: the command decides
  std::string format = "text";  // text | json | svg | png | pdf
  std::string output;           // a file, or empty for standard output
  std::string title;            // of a picture; empty: the document's own
  bool strict = false;
  ColorMode color = ColorMode::automatic;
  int input = -1;  // file descriptor of standard input; -1: the command must not read it
  // Shown on a terminal before standard input is read from it; otherwise nothing.
  std::function<void(std::string_view)> prompt = [](std::string_view) {};
  // Shown on a terminal while the command works; otherwise nothing.
  std::function<void(const Progress&)> progress = [](const Progress&) {};
};

using Action = std::function<Outcome()>;

// line: what to type after the prompt, "swz decode 0x4000004000010042"; says: what that shows.
struct Example {
  std::string_view line;
  std::string_view says;
};

// details: what the command answers, for help and the man page; paragraphs have an empty line between them.
struct Command {
  std::string_view name;     // one or two words: "decode", "swizzle explain"
  std::string_view summary;  // one line, lower case, no full stop
  std::string_view details;
  Action (*define)(CLI::App& app, const Common& common);
  std::vector<Example> examples = {};
};

// All commands, in the order help shows them.
const std::vector<Command>& commands();

// One line per command, defined in the file of its name.
Action define_layout(CLI::App& app, const Common& common);
Action define_diff(CLI::App& app, const Common& common);
Action define_decode(CLI::App& app, const Common& common);
Action define_desc(CLI::App& app, const Common& common);
Action define_place(CLI::App& app, const Common& common);
Action define_banks(CLI::App& app, const Common& common);
Action define_choose(CLI::App& app, const Common& common);
Action define_map(CLI::App& app, const Common& common);
Action define_phase(CLI::App& app, const Common& common);
Action define_swizzle_explain(CLI::App& app, const Common& common);
Action define_swizzle_find(CLI::App& app, const Common& common);
Action define_swizzle_lint(CLI::App& app, const Common& common);
Action define_tma_check(CLI::App& app, const Common& common);
Action define_tma_encode(CLI::App& app, const Common& common);
Action define_tma_place(CLI::App& app, const Common& common);
Action define_tma_plan(CLI::App& app, const Common& common);
Action define_arch(CLI::App& app, const Common& common);
Action define_frag(CLI::App& app, const Common& common);
Action define_tiles(CLI::App& app, const Common& common);
Action define_verify(CLI::App& app, const Common& common);
Action define_verify_tma(CLI::App& app, const Common& common);
Action define_verify_tile(CLI::App& app, const Common& common);
Action define_verify_desc(CLI::App& app, const Common& common);
Action define_verify_layout(CLI::App& app, const Common& common);
Action define_batch(CLI::App& app, const Common& common);

}  // namespace swz
