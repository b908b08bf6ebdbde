// SPDX-License-Identifier: Apache-2.0
// Any text as a command line: an Error, or an answer that can be written as text, as JSON and, when it is small, as
// a picture; never a crash, and no text may leave the picture.
//
// What opens the files it is given is left out: batch, --paste, and @FILE.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "answer.hpp"
#include "base/error.hpp"
#include "render/json.hpp"
#include "render/picture.hpp"
#include "render/scene.hpp"
#include "render/text.hpp"
#include "words.hpp"

namespace {

// Larger pictures only take time.
constexpr std::size_t most_squares = 4096;
constexpr std::size_t longest_line = 400;

std::size_t squares_of(const swz::Grid& grid) {
  std::size_t squares = 0;
  for (const auto& row : grid.squares) squares += row.size();
  return squares;
}

std::size_t squares_of(const swz::Document& document) {
  std::size_t squares = 0;
  for (const swz::Block& block : document.blocks) {
    if (const auto* grid = std::get_if<swz::Grid>(&block)) squares += squares_of(*grid);
    if (const auto* figure = std::get_if<swz::Figure>(&block))
      for (const auto& row : figure->panels)
        for (const swz::Grid& grid : row) squares += squares_of(grid);
    if (const auto* drawing = std::get_if<swz::Drawing>(&block))
      squares += squares_of(drawing->draw(swz::Medium::page));
  }
  return squares;
}

void answer(const swz::Words& words) {
  const swz::Line line = swz::read_line(words, swz::commands(), {});
  if (line.error) throw *line.error;
  if (line.command == nullptr) return;
  const swz::Answer answer = swz::answer_line(line, swz::commands(), {});
  if (answer.converse) return;
  const swz::Document& document = answer.document;
  if (answer.exit_code < 0 || answer.exit_code > 1) std::abort();
  if (!swz::Json::parse(swz::json_text(document)).is_object()) std::abort();
  swz::render_text(document, {true, 80});
  if (squares_of(document) > most_squares) return;
  const swz::Scene scene = swz::picture_of(document, line.common.picture);
  for (const auto& item : scene.items)
    if (const auto* label = std::get_if<swz::Label>(&item); label != nullptr && label->x > scene.width) std::abort();
  if (swz::svg_text(scene).empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > longest_line) return 0;
  try {
    const swz::Words words = swz::words_of_line(std::string(reinterpret_cast<const char*>(data), size));
    for (const std::string& word : words)
      if (word.starts_with('@') || word.starts_with("--paste")) return 0;
    answer(words);
  } catch (const swz::Error& e) {
    if (e.message().empty() || swz::render_error(e, swz::TextStyle{}).empty()) std::abort();
  }
  return 0;
}
