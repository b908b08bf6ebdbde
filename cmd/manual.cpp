// SPDX-License-Identifier: Apache-2.0
// The man page, in man(7) macros.
#include "base/text.hpp"
#include "base/version.hpp"
#include "help.hpp"
#include "line.hpp"
#include "render/display.hpp"

namespace swz {
namespace {

// The day on which the page's fixed text last changed: the page must not differ between two builds.
constexpr const char* page_date = "2026-11-25";

// Text escaped for roff, in which these bytes have another meaning. UTF-8 stays: man reads it.
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

// Running text in short lines. A dot or a quote at the beginning of a line would be a macro; roff() replaced the
// quotes.
std::string roff_line(std::string_view text) {
  std::string out;
  for (const std::string& line : wrap(text, 60)) out += (line.starts_with('.') ? "\\&" : "") + roff(line) + "\n";
  return out;
}

// Text that is kept as it is written.
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

std::string row_entries(const Options& rows) {
  std::string out;
  for (const Option& row : rows) {
    if (row.is_hidden) continue;
    std::string tag = italic(value_text(row));
    if (row.may_omit_value) tag = "[" + tag + "]";
    std::string names;
    for (const std::string& name : pieces_of(row.names, ",")) names += (names.empty() ? "" : ", ") + bold(name);
    if (row.is_argument()) tag = italic(row.names);
    else tag = row.is_flag() ? names : names + " " + tag;
    out += tagged(tag, help_of(row));
  }
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
  std::string out = fmt::format(".TH SWZ 1 \"{}\" \"swz {}\" \"User Commands\"\n", page_date, program_version);
  out += ".SH NAME\nswz \\- decode and compute shared-memory layouts of NVIDIA tensor cores\n";
  out +=
      ".SH SYNOPSIS\n\\fBswz\\fR \\fITEXT\\fR\n.br\n\\fBswz\\fR \\fICOMMAND\\fR [\\fIoptions\\fR] "
      "\\fIARGUMENT\\fR...\n.br\n";
  out += "\\fBswz help\\fR [\\fICOMMAND\\fR]\n.br\n\\fBswz \\-\\-version\\fR\n";
  out += ".SH DESCRIPTION\n";
  out += roff_line(
      "swz reads the descriptors, layouts and swizzles that kernel authors use, and shows what they mean: which "
      "bytes, which banks, which bits.");
  out += ".PP\n" + roff_line(
                       "TEXT is what you have: a descriptor word, a layout in any notation, an instruction, a call "
                       "of cuTensorMapEncode "
                       "or what a program printed of it, an expression of an address, the name of a file of PTX, "
                       "of a log or of a dump, "
                       "@FILE, or @- for standard input. The answer begins with the command that it was read as, "
                       "and names every other "
                       "command that reads the text.");
  out += ".SH COMMANDS\n";
  for (const Command& command : table) out += command_section(command);

  Common common;
  out += ".SH OPTIONS OF EVERY COMMAND\n" + row_entries(common_options(common));
  out += ".SH OPTIONS OF EVERY PICTURE\n" + row_entries(picture_options(common));

  out += ".SH EXIT STATUS\n";
  out += tagged("0", "the question was answered");
  out += tagged("1", "the answer to the question is no, or --strict was given and the verdict is not clean");
  out += tagged("2", "the command line or the input could not be used, or the answer could not be written");
  out += tagged("3", "the hardware could not be asked: no GPU, driver or NVRTC");

  out += ".SH ENVIRONMENT\n";
  out += tagged(bold("SWZ_ARCH"), "the target architecture where --arch is not given");
  out += tagged(bold("SWZ_PAGE_ADDRESS"), "the address of the web page to which --link leads");
  out += tagged(bold("NO_COLOR"), "when set and not empty, no colours unless --color always is given");
  out += tagged(bold("COLUMNS"), "the width of the terminal");
  return out;
}

}  // namespace swz
