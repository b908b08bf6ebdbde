// SPDX-License-Identifier: Apache-2.0
// Pictures from the command line: formats, suffixes, titles, refusals. Every command that can draw is held to the
// laws of scene_laws.hpp.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cmd/asked.hpp"
#include "cmd/example_lines.hpp"
#include "render/picture.hpp"
#include "render/scene_laws.hpp"
#include "run_cli.hpp"

using namespace swz;

namespace {

namespace fs = std::filesystem;

struct Scratch {
  fs::path path = fs::temp_directory_path() / ("swz_pictures_" + std::to_string(getpid()));
  Scratch() { fs::create_directories(path); }
  ~Scratch() { fs::remove_all(path); }
};

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

const Words picture_line{"swizzle", "explain", "3,4,3"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("the format follows -f, else the suffix of -o; the same request gives the same bytes") {
  const CliResult svg = run_cli(with(picture_line, {"-f", "svg"}));
  CHECK(svg.exit_code == 0);
  CHECK(svg.out.rfind("<svg xmlns=", 0) == 0);
  CHECK(svg.out == run_cli(with(picture_line, {"-f", "svg"})).out);
  Scratch scratch;
  for (const std::string suffix : {"svg", "png", "pdf"}) {
    const fs::path file = scratch.path / ("picture." + suffix);
    const CliResult r = run_cli(with(picture_line, {"-o", file.string()}));
    CHECK(r.exit_code == 0);
    CHECK(r.out.empty());
    const std::string first = content(file);
    const std::string magic = suffix == "svg" ? "<svg" : suffix == "png" ? "\x89PNG\r\n" : "%PDF-";
    CHECK(first.rfind(magic, 0) == 0);
    CHECK(first == run_cli(with(picture_line, {"-f", suffix})).out);
  }
  CHECK(run_cli(with(picture_line, {"-f", "text", "-o", (scratch.path / "a.svg").string()})).exit_code == 0);
  CHECK(content(scratch.path / "a.svg").rfind("swizzle", 0) == 0);
}

TEST_CASE("a PNG has two pixels for each of the scene") {
  const Scene scene = picture_of(asked(picture_line).document, {});
  const std::string png = run_cli(with(picture_line, {"-f", "png"})).out;
  REQUIRE(png.size() > 33);
  CHECK(big_endian(png, 16) == static_cast<std::uint32_t>(scene.width * 2 + 0.5));
  CHECK(big_endian(png, 20) == static_cast<std::uint32_t>(scene.height * 2 + 0.5));
}

TEST_CASE("--title is in the picture") {
  const std::string svg = run_cli(with(picture_line, {"-f", "svg", "--title", "Mode <128B> & more"})).out;
  CHECK(svg.find("<title>Mode &lt;128B&gt; &amp; more</title>") != std::string::npos);
  CHECK(svg.find(">Mode &lt;128B&gt; &amp; more</text>") != std::string::npos);
}

TEST_CASE("--no-title, --no-caption, --no-legend, --caption") {
  const Words place{"place", "--dtype", "bf16", "--tile", "8x64", "--swizzle", "128B"};
  const auto svg = [&](const Words& more) { return run_cli(with(with(place, {"-f", "svg"}), more)).out; };
  const auto has = [&](const Words& more, const char* text) { return svg(more).find(text) != std::string::npos; };
  const std::string answer = "8 rows of a 16-byte column lie in 8 groups of 4 banks: no conflict";
  CHECK(has({}, ">8 rows of a 16-byte column lie"));
  CHECK(has({}, ">bf16 8x64 K-major, mode 128B</text>"));
  CHECK_FALSE(has({"--no-title"}, ">bf16 8x64 K-major, mode 128B</text>"));
  CHECK(has({"--no-title"}, ("<title>" + answer + "</title>").c_str()));
  CHECK(has({}, ">A cell is 16 bytes"));
  CHECK_FALSE(has({"--no-caption"}, ">A cell is 16 bytes"));
  CHECK(has({}, ">colour: k</text>"));
  CHECK_FALSE(has({"--no-legend"}, ">colour: k</text>"));
  CHECK(run_cli(with(place, {"--caption"})).out ==
        answer +
            ". bf16 8x64 K-major, mode 128B. A cell is 16 bytes (8 elements) and shows the number of its chunk in the "
            "order of global memory. Colour: k.\n");
  // Of shades only where they are drawn.
  CHECK(run_cli({"place", "--tile", "64x64", "--caption"}).out.find("dark and light in turn. Colour: k.") !=
        std::string::npos);
  CHECK_FALSE(run_cli({"place", "--tile", "64x64", "--rows", "0:8", "-f", "svg"}).out.find("dark and light") !=
              std::string::npos);
  CHECK_FALSE(run_cli({"place", "--tile", "64x64", "--palette", "grey", "-f", "svg"}).out.find("dark and light") !=
              std::string::npos);
  CHECK(run_cli({"arch", "--caption"}).err ==
        "swz: error: this answer has no picture, and so no caption\nhint: leave --caption out\n");
}

TEST_CASE("--width, --font-size, --rows, --cols, --full, --theme and --palette") {
  const Words place{"place", "--dtype", "bf16", "--tile", "128x64", "--swizzle", "128B"};
  const auto svg = [&](const Words& more) { return run_cli(with(with(place, {"-f", "svg"}), more)).out; };
  const auto has = [&](const Words& more, const char* text) { return svg(more).find(text) != std::string::npos; };
  CHECK(has({"--width", "86mm"}, "width=\"325.04\""));
  CHECK(has({"--width", "5in", "--font-size", "9pt"}, "width=\"480\""));
  CHECK(has({}, ">… to row 127</text>"));
  CHECK_FALSE(has({"--full"}, ">… to row 127</text>"));
  CHECK(has({"--full"}, ">1023</text>"));
  CHECK(has({"--rows", "127:128"}, ">1023</text>"));
  CHECK_FALSE(has({"--rows", "127:"}, ">0x0</text>"));
  CHECK_FALSE(has({"--cols", ":2"}, ">12-15</text>"));
  CHECK(has({"--theme", "dark"}, ".p{fill:#0d1117}"));
  CHECK_FALSE(has({"--theme", "dark"}, "prefers-color-scheme"));
  CHECK_FALSE(has({"--theme", "transparent"}, "class=\"p\""));
  CHECK(has({"--palette", "viridis"}, "fill:#fde725"));
  const auto error = [&](const Words& more) { return run_cli(with(with(place, {"-f", "svg"}), more)).err; };
  CHECK(error({"--width", "86"}) == "");
  CHECK(error({"--width", "wide"}) ==
        "swz: error: --width: cannot read 'wide' as a length of a picture\n"
        "hint: a number of mm, cm, in, pt or px from 4px to 20000px: 86mm\n");
  for (const char* length : {"nan", "inf", "-3mm", "1e99mm", "3 km", "", "0", "1.2.3mm", "mm"})
    CHECK(error({"--width", length}).starts_with("swz: error: --width: cannot read '"));
  CHECK(error({"--rows", "5"}) ==
        "swz: error: --rows: cannot read '5' as a range of a picture\n"
        "hint: --rows and --cols select the part of a picture that is drawn: the first, a colon, and one past the "
        "last: 0:16, 8: or :16; other options select what is asked\n");
  for (const char* range : {"5:5", "7:3", "a:b", ":", "-1:4", "0:99999999999"})
    CHECK((error({"--rows", range}).empty() == (std::string(range) == ":")));
  CHECK(error({"--rows", "200:"}) == "swz: error: the picture has no row 200\nhint: they are 0 to 127\n");
  CHECK(error({"--rows", "0:4", "--full"}) ==
        "swz: error: --full and --rows cannot be combined\nhint: leave one of them out\n");
  CHECK(run_cli({"tma", "check", "--dtype", "bf16", "--dims", "8192,4096", "--strides", "16384", "--box", "64,128",
                 "--swizzle", "128B", "-f", "svg", "--width", "12mm"})
            .err.starts_with("swz: note: at this width letters are "));
}

TEST_CASE("--legend") {
  const Words place{"place", "--dtype", "bf16", "--tile", "8x64", "--swizzle", "128B"};
  const auto answer = [&](const Words& more) { return run_cli(with(with(place, {"-f", "svg"}), more)); };
  CHECK(answer({"--legend", "below"}).out == answer({}).out);
  CHECK(answer({"--legend", "none"}).out == answer({"--no-legend"}).out);
  CHECK(answer({"--legend", "right"}).out != answer({}).out);
  // In a column of a paper there is room only below.
  CHECK(answer({"--legend", "right", "--width", "50mm"}).out == answer({"--width", "50mm"}).out);
  CHECK(answer({"--legend", "right", "--no-legend"}).err ==
        "swz: error: --no-legend and --legend cannot be combined\nhint: leave one of them out\n");
}

TEST_CASE("--animate is an SVG with steps; everything else is refused with the way out") {
  const Words loop{"map", "0x4000004000010040", "0x4000004000010042", "--arch", "sm_90a"};
  const auto err = [](const Words& line) {
    const CliResult r = run_cli(line);
    CHECK(r.exit_code == 2);
    CHECK(r.out.empty());
    return r.err;
  };
  const CliResult moving = run_cli(with(loop, {"-f", "svg", "--animate"}));
  CHECK(moving.exit_code == 0);
  CHECK(moving.out.find("animation:q 2.4s step-end -1.2s infinite") != std::string::npos);
  CHECK(moving.out.find(">step 2 of 2: k 16-31</text>") != std::string::npos);
  const CliResult still = run_cli(with(loop, {"-f", "svg"}));
  CHECK(still.out.find("animation") == std::string::npos);
  CHECK(still.out.find(">step 2 of 2: k 16-31</text>") == std::string::npos);
  CHECK(err(with(picture_line, {"-f", "svg", "--animate"})) ==
        "swz: error: this picture has no steps to show in turn\n"
        "hint: leave --animate out, or draw more with --full; swz map has a step for each of several words\n");
  for (const std::string format : {"text", "png", "pdf", "tex", "html"})
    CHECK(err(with(loop, {"-f", format, "--animate"})) ==
          "swz: error: --animate makes an SVG, not " + format +
              "\nhint: -f svg or -o FILE.svg; an HTML page has a slider for its steps without it\n");
  CHECK(run_cli(with(loop, {"--animate", "--help"})).exit_code == 0);
}

TEST_CASE("--outline-fonts: the same picture without a font") {
  const auto matches = [](const std::string& text, const char* expression) {
    std::vector<std::string> found;
    const std::regex pattern(expression);
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) found.push_back((*at)[1]);
    return found;
  };
  for (const Words& line : {picture_line, Words{"tma", "plan", "--dtype", "bf16", "--tile", "64x128"},
                            Words{"map", "0x4000004000010040", "0x4000004000010042", "--animate"}}) {
    CAPTURE(line);
    const std::string plain = run_cli(with(line, {"-f", "svg"})).out;
    const CliResult shapes = run_cli(with(line, {"-f", "svg", "--outline-fonts"}));
    REQUIRE(shapes.exit_code == 0);
    CHECK(shapes.out.find("<text") == std::string::npos);
    CHECK(shapes.out.find("font") == std::string::npos);
    CHECK(matches(shapes.out, "(<rect[^>]*>)") == matches(plain, "(<rect[^>]*>)"));
    const std::vector<std::string> texts = matches(plain, "<text[^>]*>([^<]*)</text>");
    CHECK(matches(shapes.out, "aria-label=\"([^\"]*)\"") == texts);
    // Every character but blanks is there, and every shape that is used is defined once.
    std::size_t characters = 0;
    for (const std::string& text : texts)
      for (const char c : std::regex_replace(text, std::regex("&[a-z]+;"), "x"))
        characters += c != ' ' && (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    const std::vector<std::string> used = matches(shapes.out, "xlink:href=\"#([a-z0-9]+)\"");
    CHECK(used.size() == characters);
    std::vector<std::string> defined = matches(shapes.out, "<path id=\"([a-z0-9]+)\" d=\"M");
    std::set<std::string> once(defined.begin(), defined.end());
    CHECK(once.size() == defined.size());
    CHECK(once == std::set<std::string>(used.begin(), used.end()));
    CHECK(shapes.out == run_cli(with(line, {"-f", "svg", "--outline-fonts"})).out);
  }
  const CliResult page = run_cli(with(picture_line, {"-f", "html", "--outline-fonts"}));
  CHECK(page.out.find("<text") == std::string::npos);
  CHECK(page.out.find("<use ") != std::string::npos);
  for (const std::string format : {"text", "json", "png", "pdf", "tex"}) {
    const CliResult r = run_cli(with(picture_line, {"-f", format, "--outline-fonts"}));
    CHECK(r.exit_code == 2);
    CHECK(r.err.find("--outline-fonts is for SVG and HTML, not " + format) != std::string::npos);
    CHECK(r.err.find("-f svg or -o FILE.svg; a PDF holds its fonts without it") != std::string::npos);
  }
}

TEST_CASE("a PNG or PDF is not written to a terminal; an SVG is text") {
  Environment terminal;
  terminal.out_is_terminal = true;
  const CliResult png = run_cli(with(picture_line, {"-f", "png"}), terminal);
  CHECK(png.exit_code == 2);
  CHECK(png.out.empty());
  CHECK(png.err ==
        "swz: error: cannot write a PNG to a terminal\n"
        "hint: write it to a file: -o picture.png\n");
  CHECK(run_cli(with(picture_line, {"-f", "svg"}), terminal).exit_code == 0);
}

TEST_CASE("an unknown format is refused with the list") {
  const CliResult r = run_cli(with(picture_line, {"-f", "gif"}));
  CHECK(r.exit_code == 2);
  CHECK(r.err.find("it takes text, json, svg, png, pdf, tex and html") != std::string::npos);
}

TEST_CASE("a picture too large for a PNG is refused, as SVG it is written") {
  const Words large{"layout", "(2,30000):(30000,1)", "--table", "--full"};
  const CliResult png = run_cli(with(large, {"-f", "png"}));
  CHECK(png.exit_code == 2);
  CHECK(png.err.find("too large for a PNG") != std::string::npos);
  CHECK(png.err.find("take -f svg or -f pdf, or draw a part of it") != std::string::npos);
}

TEST_CASE("a figure of a million cells is refused") {
  const CliResult r = run_cli({"layout", "(1024,1024):(1024,1)", "--table", "-f", "svg"});
  CHECK(r.exit_code == 2);
  CHECK(r.out.empty());
  CHECK(r.err ==
        "swz: error: a table of 1048576 coordinates is beyond the limit of 262144\n"
        "hint: take a part of it, or raise the limit: --limit 1048576\n");
}

TEST_CASE("the examples of every command, as pictures: nothing is cut, no two texts overlap") {
  int pictures = 0;
  for (const std::string& line : example_lines()) {
    INFO(line);
    const Document document = asked(line_words(line)).document;
    if (!document.source.empty()) continue;
    // As it is, in a column of a paper, across a page, and whole.
    for (const PictureStyle& style :
         {PictureStyle{}, PictureStyle{.width = {325}}, PictureStyle{.width = {643}, .font_size = {12}},
          PictureStyle{.part = {.is_whole = true}}}) {
      const Scene scene = picture_of(document, style);
      std::string faults;
      for (const std::string& fault : faults_of(scene)) faults += fault + "\n";
      CAPTURE(style.width.count);
      CHECK(faults == "");
      if (style.width.count > 0) CHECK(scene.width <= style.width.count + 0.01);
      const bool is_table = line.starts_with("arch");
      if (style.width.count == 0 && !style.part.is_whole && !is_table)
        CHECK(scene.width <= readable_width.count + 0.01);
    }
    ++pictures;
  }
  CHECK(pictures >= 9);
}
