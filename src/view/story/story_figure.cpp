// SPDX-License-Identifier: Apache-2.0
// The picture of a story: which panels it has, in which rows, and its caption.
#include <utility>
#include <vector>

#include "view/story/story_panels.hpp"

namespace swz {

namespace {

// A tile of more k steps leaves no room for shared memory beside it.
constexpr std::int64_t most_k_steps_beside = 8;

std::string caption_of(const StoryPicture& p, const std::string& way) {
  std::string text = "Colour: the k step";
  if (p.story.blocks().k > StoryPicture::hues) text += fmt::format(", and so again from k{} on", StoryPicture::hues);
  text += fmt::format("; shade: groups of {} {} in turn.", StoryPicture::group_rows, rows_word(p.story));
  if (!p.is_broken()) return text + " " + way;
  if (p.way().written.count >= 0)
    text += fmt::format(" {} is written to byte {:#x} and read from byte {:#x}.", element_name(p.story, p.way().at),
                        p.way().written.count / 8, p.way().read.count / 8);
  return text + " Red: something else was written there.";
}

// In a column the line through the stages shows the way of the element: these are the places that no stage names.
std::string way_of_column(const StoryPicture& p) {
  const StoryWay& way = p.way();
  std::string text = fmt::format("Line: {}, byte {:#x} of {}", element_name(p.story, way.at),
                                 way.global.in_bytes().count, operand_letter(p.story));
  if (way.entry && p.story.copies.count() > 1) text += fmt::format(" → box {}", way.entry->copy);
  if (way.written.count < 0) return text + " → by no copy.";
  return text + fmt::format(" → {:#x}, bank {}.", way.written.in_bytes().count, way.written.count / 32 % bank_count);
}

std::vector<std::vector<Grid>> panels_of_story(const StoryPicture& p) {
  if (p.is_broken()) {
    std::vector<Grid> first{global_panel(p), tile_panel(p)};
    if (auto mistake = mistake_panel(p)) first.push_back(std::move(*mistake));
    return {std::move(first), {shared_panel(p), read_panel(p)}, {word_panel(p), result_panel(p)}};
  }
  if (p.story.blocks().k > most_k_steps_beside)
    return {{global_panel(p), tile_panel(p)}, {shared_panel(p)}, {word_panel(p), result_panel(p)}};
  return {{global_panel(p), tile_panel(p), shared_panel(p)}, {word_panel(p), result_panel(p)}};
}

}  // namespace

Figure story_figure(const StoryAnswer& answer, const std::string& way) {
  constexpr std::string_view to = " → ";
  const std::size_t last = way.rfind(to);
  std::string result = last == std::string::npos ? way : way.substr(last + to.size());
  if (result.ends_with('.')) result.pop_back();
  const StoryPicture picture{answer.story, story_element(answer), std::move(result)};
  Figure figure;
  figure.has_stages = true;
  figure.panels = panels_of_story(picture);
  // A stage in words has a row of its own.
  if (std::vector<Grid>& first = figure.panels.front(); first.front().squares.empty()) {
    Grid words = std::move(first.front());
    first.erase(first.begin());
    figure.panels.insert(figure.panels.begin(), {std::move(words)});
  }
  std::vector<Grid>& last_row = figure.panels.back();
  if (picture.way().holder) last_row.insert(last_row.begin() + 1, register_panel(picture));
  if (picture.element.factor) {
    Grid result_grid = std::move(last_row.back());
    last_row.pop_back();
    figure.panels.push_back({factor_panel(picture), std::move(result_grid)});
  }
  for (std::int64_t k = 0; k < answer.story.blocks().k; ++k) figure.steps.push_back(picture.k_text(k));
  figure.caption = caption_of(picture, way);
  if (!picture.is_broken()) figure.brief_caption = caption_of(picture, way_of_column(picture));
  return figure;
}

}  // namespace swz
