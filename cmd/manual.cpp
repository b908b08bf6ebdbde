#include "manual.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "complete.hpp"
#include "line.hpp"
#include "render/display.hpp"
#include "request_schema.hpp"

namespace swz {
namespace {

// The day the page's fixed text last changed: a page must not differ between two builds.
constexpr const char* page_date = "2026-11-21";

// Text for roff, in which these bytes mean something else. UTF-8 passes: man reads it.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      case '`': out += "\\(ga"; break;
      default: out += c;
    }
  }
  return out;
}

// Running text; lines are cut so that they fit the screen of who edits the page. A dot or a quote that begins a
// line would be a macro; roff() took the quotes away.
std::string roff_line(std::string_view text) {
  std::string out;
  for (const std::string& line : wrap(text, 72)) out += (line.starts_with('.') ? "\\&" : "") + roff(line) + "\n";
  return out;
}

// Kept as it is written.
std::string roff_verbatim(std::string_view text) { return ".PP\n.RS\n.nf\n" + roff(text) + "\n.fi\n.RE\n"; }

// Paragraphs have an empty line between them.
std::string roff_paragraphs(std::string_view text) {
  std::string out;
  for (const std::string& line : wrap(text, 0)) out += line.empty() ? ".PP\n" : roff_line(line);
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string tagged(const std::string& tag, std::string_view text) {
  return ".TP\n" + tag + "\n" + roff_line(text.empty() ? " " : text);
}

std::string row_entry(const Option& option) {
  if (option.is_argument()) return tagged(italic(option.names), help_of(option));
  std::string tag;
  for (const std::string& name : pieces_of(option.names, ",")) tag += (tag.empty() ? "" : ", ") + bold(name);
  const std::string value = italic(value_text(option));
  if (!option.is_flag()) tag += option.may_omit_value ? " [" + value + "]" : " " + value;
  return tagged(tag, help_of(option));
}

std::string row_entries(const Options& options) {
  std::string out;
  for (const Option& option : options)
    if (!option.is_hidden) out += row_entry(option);
  return out;
}

std::string command_section(const Command& command) {
  const Options options = command.prepare().options;
  std::string out = fmt::format(".SS swz {}\n", roff(command.name));
  out += bold(usage_of(options, command.name)) + "\n.PP\n";
  out += roff_line(fmt::format("{}.", command.summary));
  if (!command.details.empty()) out += ".PP\n" + roff_paragraphs(command.details);
  out += row_entries(options);
  for (const Example& example : command.examples)
    out += ".PP\n" + roff_line(fmt::format("{}:", example.says)) + roff_verbatim(example.line);
  return out;
}

}  // namespace

std::string man_page(const Commands& table) {
  std::string out = fmt::format(".TH SWZ 1 \"{}\" \"swz {}\" \"User Commands\"\n", page_date, version);
  out += ".SH NAME\nswz \\- decode and compute shared-memory layouts of NVIDIA tensor cores\n";
  out += ".SH SYNOPSIS\n\\fBswz\\fR \\fICOMMAND\\fR [\\fIoptions\\fR] \\fIARGUMENT\\fR...\n.br\n";
  out += "\\fBswz help\\fR [\\fICOMMAND\\fR]\n.br\n\\fBswz \\-\\-version\\fR\n";
  out += ".SH DESCRIPTION\n";
  out += roff_line(
      "swz reads descriptors, layouts and swizzles as kernel authors meet them and says what they mean: which "
      "bytes, which banks, which bits.");
  out += ".SH COMMANDS\n";
  for (const Command& command : table) out += command_section(command);

  Common common;
  out += ".SH OPTIONS OF EVERY COMMAND\n" + row_entries(common_options(common));

  out += ".SH EXIT STATUS\n";
  out += tagged("0", "the question is answered");
  out += tagged("1", "the answer to the question is no, or there are lints and --strict was given");
  out += tagged("2", "the command line or the input could not be used, or the answer could not be written");
  out += tagged("3", "the hardware could not be asked");

  out += ".SH ENVIRONMENT\n";
  out += tagged(bold("SWZ_ARCH"), "the target architecture where --arch is not given");
  out += tagged(bold("NO_COLOR"), "when set and not empty, no colours unless --color always is given");
  out += tagged(bold("COLUMNS"), "the width of the terminal");
  return out;
}

std::string generate(const std::string& kind, const Commands& table) {
  if (kind == "man") return man_page(table);
  if (kind == "requests") return request_schema(table).dump() + "\n";
  if (kind == "bash" || kind == "zsh" || kind == "fish") return completion_script(kind);
  throw usage_error(fmt::format("cannot generate {}", swz::quoted(kind)),
                    "it takes man, requests, bash, zsh and fish");
}

}  // namespace swz
