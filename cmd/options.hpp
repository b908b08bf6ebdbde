// Options: from words to a command's variables, with errors a person can use.
//
// Every command has the common options; its own come from its define function. parse() reads the words with CLI11,
// but looks at them first, so that an unknown option, a missing value or a missing argument is named in our words,
// with the nearest name:
//
//   swz decode --achr sm_90a 0x0
//   swz: error: unknown option '--achr'
//   hint: did you mean '--arch'? see 'swz decode --help'
//
// Arguments may begin with '(', with a digit after '-' (a negative number), or with anything after "--".
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"

namespace swz {

using Words = std::vector<std::string>;

// A command that was declared: its options are bound to `common` and to the variables `action` holds.
struct Declared {
  std::unique_ptr<Common> common;
  std::unique_ptr<CLI::App> app;
  Action action;
};

// defaults: what common holds where no option says otherwise (SWZ_ARCH, or the options of `swz batch`).
Declared declare(const Command& command, const Common& defaults);

// Throws Error of kind usage.
void parse(CLI::App& app, const Words& words, std::string_view command_name);

// True when a word before "--" is -h or --help.
bool asks_for_help(const Words& words);

// The words an option accepts when it takes one of a few, else empty.
Words choices_of(const CLI::Option& option);

// What stands for the value in help: "text|json", "NAME"; empty for a flag.
std::string value_name(const CLI::Option& option);

// True for an option whose value may be left out: it is then "-", standard input.
bool may_omit_value(const CLI::Option& option);

// The options, in the order they were declared; positional arguments are not options.
std::vector<const CLI::Option*> options_of(const CLI::App& app);
std::vector<const CLI::Option*> arguments_of(const CLI::App& app);

// "swz decode [options] WORD..."
std::string usage_of(const CLI::App& app, std::string_view command_name);

// "-f, --format"
std::string names_of(const CLI::Option& option);

inline constexpr const char* common_group = "Common options";
// Options that are understood, so that they can be refused, and shown nowhere.
inline constexpr const char* hidden_group = "";

// How many of the words from `at` on are common options with their values, so that these may stand before the
// command's name. Throws on an unknown option.
std::size_t leading_options(const Words& words, std::size_t at);

// True when the options ask for JSON, also in words that will not parse: so an error can be answered in kind.
bool asks_for_json(const Words& words);

}  // namespace swz
