// SPDX-License-Identifier: Apache-2.0
// A command line: from words to a command with a request that is filled.
//
//   read_line({"-f", "json", "decode", "0x42"}, commands(), {})   the command decode, format json, its request
//   filled
//
// Common options may be before or after the command's name; an argument may begin with '(', with '-'
// and a digit, or with anything behind "--". What is wrong is named in one Error with the nearest name:
//
//   swz decode --achr sm_90a 0x0
//   swz: error: unknown option '--achr'
//   hint: did you mean '--arch'? see 'swz decode --help'
//
// read_line does not throw it: the options of every command are read anyway, so that the error can be
// answered in the format that was asked for.
#pragma once

#include <optional>

#include "command.hpp"
#include "render/picture.hpp"
#include "topic.hpp"

namespace swz {

enum class Format { text, json, svg, png, pdf, tex, html };
enum class ColorMode { automatic, always, never };

// The options of every command.
struct Common {
  const Target* arch = nullptr;
  Format format = Format::text;  // as given, else what the suffix of the output says
  bool has_format = false;       // was given
  std::string output;            // a file, or empty for standard output
  PictureStyle picture;
  bool prints_caption = false;  // of the picture, in the place of the answer
  bool outlines_fonts = false;  // of the picture: its texts are shapes
  bool strict = false;
  bool brief = false;            // as text, the answer alone
  bool prints_link = false;      // to the page, in the place of the answer
  Format linked = Format::text;  // what was given: the view that the link opens; `format` is then text or json
  ColorMode color = ColorMode::automatic;
  bool help = false, version = false;
};
Options common_options(Common& common);
// Those of a picture: how much of it is drawn, what is beside it.
Options picture_options(Common& common);
// All that a command understands: of the options of every command those whose names it does not use itself, then its own.
Options with_common(Options own, Common& common);
// Its two steps: made once for a line, since a row has half a dozen texts to copy.
Options with_common(Common& common);
Options joined(Options common, Options own);

std::string_view to_string(Format format);

struct LineDefaults {
  const Target* arch = nullptr;
  std::string arch_variable = {};  // SWZ_ARCH, where --arch is not given
  std::string page_variable = {};  // SWZ_PAGE_ADDRESS, where the page is
  bool strict = false;
};

// What a text without a command was read as (cmd/door.hpp): the line that says it, and of what kind the text is.
struct DoorReading {
  std::string line;
  std::string_view what;
};

struct Line {
  Common common;
  const Command* command = nullptr;
  std::string group = {};                  // when there is no command: empty, or the first word of two-word commands
  const Topic* topic = nullptr;            // or a word that is no command and leads to some
  std::string_view page = {};              // or a page of the help: "pictures"
  Words text = {};                         // or what was pasted in the place of a command
  std::vector<DoorReading> readings = {};  // that which answers, then the others that fit
  bool is_help = false;                    // `swz help …` or --help
  Words words = {};                        // as they were given
  Words rest = {};                         // without the command's name
  std::string page_address = {};           // LineDefaults::page_variable
  std::optional<Error> error = {};
  std::function<Answer(const Context&)> answer = {};

  // Neither help nor the version is asked for.
  bool asks_command() const { return !is_help && !common.version; }
  // A text in the place of a command, which another line answers (cmd/door.hpp).
  bool is_text() const { return !text.empty() && asks_command(); }
  // It ends before a command.
  bool lacks_command() const { return command == nullptr && asks_command(); }
};

Line read_line(const Words& words, const Commands& table, const LineDefaults& defaults);

// Fills the rows from words that hold nothing else. Throws Error as a line does. Defaults are not set.
void fill(const Options& options, const Words& words, std::string_view command);

// The error of a line that ends before a command.
Error no_command(const Line& line);

// With the nearest name.
Error unknown_command(const Commands& table, const std::string& name, std::string_view group);

// Which command the words name, and the other words. Options may be between those of its name. Words that are neither a
// command nor a topic are a text. Throws Error for an unknown command behind "help" or a group, and for an unknown
// option before the command's name.
void name_command(Line& line, const Words& words, const Commands& table, const Options& options);

}  // namespace swz
