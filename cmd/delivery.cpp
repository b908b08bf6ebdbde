// SPDX-License-Identifier: Apache-2.0
// Answer -> output.
#include "delivery.hpp"

#include <algorithm>

#include "answer.hpp"
#include "help.hpp"
#include "render/cairo/outline.hpp"
#include "render/cairo/paint.hpp"
#include "render/display.hpp"
#include "render/json.hpp"
#include "render/picture.hpp"
#include "render/text.hpp"
#include "terminal.hpp"

namespace swz {
namespace {

// Says on standard error when the width that was asked for leaves letters too small to read.
void warn_of_small_letters(const Scene& scene, const Environment& environment) {
  constexpr double readable = 6;
  double smallest = readable;
  for (const auto& item : scene.items)
    if (const auto* label = std::get_if<Label>(&item)) smallest = std::min(smallest, label->size);
  if (smallest < readable)
    write_error(fmt::format("swz: note: at this width letters are {:.1f} px high, too small to read; give more "
                            "--width, or draw a part with --rows and --cols\n",
                            smallest),
                environment);
}

std::string rendered(const Document& document, const Common& common, const TextStyle& style,
                     const Environment& environment) {
  if (common.prints_caption) return caption_of(document, common.picture) + "\n";
  if (common.format == Format::json) return json_text(document);
  if (common.format == Format::text) return common.brief ? render_brief(document, style) : render_text(document, style);
  const Scene scene = picture_of(document, common.picture);
  warn_of_small_letters(scene, environment);
  const Outliner outline = common.outlines_fonts ? font_outlines() : nullptr;
  if (common.format == Format::svg) return svg_text(scene, {.outline = outline});
  if (common.format == Format::tex) return tikz_text(scene);
  if (common.format == Format::html) return html_text(scene, outline);
  return paint_scene(scene, common.format == Format::png ? PaintedFormat::png : PaintedFormat::pdf);
}

}  // namespace

void require_format(const Common& common) {
  const bool is_svg = common.format == Format::svg;
  if (common.picture.is_animated && !is_svg)
    throw usage_error(fmt::format("--animate makes an SVG, not {}", to_string(common.format)),
                      "-f svg or -o FILE.svg; an HTML page has a slider for its steps without it");
  if (common.outlines_fonts && !is_svg && common.format != Format::html)
    throw usage_error(fmt::format("--outline-fonts is for SVG and HTML, not {}", to_string(common.format)),
                      "-f svg or -o FILE.svg; a PDF holds its fonts without it");
}

// The answer is complete before a byte is written, and a file is replaced only by all of it.
int deliver(const Answer& answer, const Line& line, const Environment& environment) {
  const Common& common = line.common;
  const bool to_terminal = environment.out_is_terminal && (common.output.empty() || common.output == "-");
  if (to_terminal && (common.format == Format::png || common.format == Format::pdf))
    throw usage_error(fmt::format("cannot write a {} to a terminal", common.format == Format::png ? "PNG" : "PDF"),
                      fmt::format("write it to a file: -o picture.{}", to_string(common.format)));
  Output output(common.output, environment.out);
  if (answer.converse) {
    Console console{output, environment};
    const int exit_code = answer.converse(console);
    output.commit();
    return exit_code;
  }
  try {
    TextStyle style = style_of(environment, common.color, to_terminal);
    const DrawnPart& part = common.picture.part;
    if (to_terminal || part.rows || part.columns || part.is_whole) style.part = part;
    output.write(rendered(answer.document, common, style, environment));
    output.commit();
  } catch (const ReaderGone&) {
  }
  return exit_code_of(answer, line);
}

int write_text(std::string_view text, const Environment& environment) {
  Output output("", environment.out);
  output.write(text);
  output.commit();
  return 0;
}

int report(const Error& error, const Common& common, const Environment& environment) {
  const TextStyle style = style_of(environment, common.color, environment.err_is_terminal);
  write_error(
      common.format == Format::json ? Json{{"error", to_json(error)}}.dump() + "\n" : render_error(error, style),
      environment);
  return exit_code_of(error);
}

int show_what_could_follow(const Line& line, const Environment& environment) {
  if (line.common.format == Format::json) return report(no_command(line), line.common, environment);
  const TextStyle style = style_of(environment, line.common.color, environment.err_is_terminal);
  write_error(render_text(help_of_line(line, *environment.table), style), environment);
  return 2;
}

}  // namespace swz
