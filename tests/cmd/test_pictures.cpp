// Pictures from the command line: formats, suffixes, titles, refusals. Every command that can draw is held to the
// laws of scene_laws.hpp.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cmd/asked.hpp"
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

TEST_CASE("--title stands in the picture") {
  const std::string svg = run_cli(with(picture_line, {"-f", "svg", "--title", "Mode <128B> & more"})).out;
  CHECK(svg.find("<title>Mode &lt;128B&gt; &amp; more</title>") != std::string::npos);
  CHECK(svg.find(">Mode &lt;128B&gt; &amp; more</text>") != std::string::npos);
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
  CHECK(r.err.find("it takes text, json, svg, png and pdf") != std::string::npos);
}

TEST_CASE("a picture too large for a PNG is refused, as SVG it is written") {
  const Words large{"layout", "(2,30000):(30000,1)", "--table"};
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
  for (const Command& command : commands())
    for (const Example& example : command.examples) {
      const std::string line(example.line);
      if (line.rfind("swz ", 0) != 0 || line.find(" | ") != std::string::npos) continue;  // a pipe
      if (line.find(".txt") != std::string::npos) continue;                               // a file of the reader's
      if (command.name.starts_with("verify")) continue;                                   // most of them ask a GPU
      Words words;
      bool quoted = false, inside = false;
      for (const char c : line.substr(4)) {
        if (c == '\'') quoted = !quoted;
        if (c == '\'' || (c == ' ' && !quoted)) {
          inside = inside && c == '\'';
          continue;
        }
        if (!inside) words.emplace_back();
        inside = true;
        words.back() += c;
      }
      INFO(line);
      const Document document = asked(words).document;
      if (!document.source.empty()) continue;
      const Scene scene = picture_of(document, {});
      std::string faults;
      for (const std::string& fault : faults_of(scene)) faults += fault + "\n";
      CHECK(faults == "");
      ++pictures;
    }
  CHECK(pictures >= 9);
}
