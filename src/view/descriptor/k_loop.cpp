// SPDX-License-Identifier: Apache-2.0
#include "view/descriptor/k_loop.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "descriptor/fields.hpp"
#include "view/document/headline.hpp"

namespace swz {

namespace {

std::string advances_text(const KLoop& loop) {
  const std::ptrdiff_t shown = std::min<std::ptrdiff_t>(std::ssize(loop.advances), 8);
  return fmt::format("{:+}{} B", fmt::join(loop.advances.begin(), loop.advances.begin() + shown, ", "),
                     shown < std::ssize(loop.advances) ? ", ..." : "");
}

std::string order_text(const LoopReading& reading) {
  if (reading.blocks > 1) return fmt::format("right, {} loops in one", reading.blocks);
  if (reading.is_in_order()) return "right";
  if (reading.is_reversed()) return "right, the last step first";
  return fmt::format("right, k steps {}", fmt::join(reading.k_steps, ", "));
}

// "advance +32 B is right"; "the advances +32, +32, +32, +16288 B are right".
std::string right_text(const KLoop& loop) {
  const bool is_one = std::ranges::all_of(loop.advances, [&](auto a) { return a == loop.advances.front(); });
  if (is_one) return fmt::format("advance {:+} B is right", loop.advances.front());
  constexpr std::ptrdiff_t most = 6;
  const auto shown = std::min(most, std::ssize(loop.advances));
  return fmt::format("the advances {:+}{} B are right",
                     fmt::join(loop.advances.begin(), loop.advances.begin() + shown, ", "),
                     shown < std::ssize(loop.advances) ? ", …" : "");
}

}  // namespace

std::string loop_verdict(const std::vector<SmemDescriptor>& words, const KLoop& loop) {
  if (loop.is_right()) return right_text(loop);
  if (!loop.is_wrong()) return fmt::format("{} words, not one k loop", words.size());
  const Explanation& mistake = loop.mistakes.front();
  const auto number = static_cast<std::size_t>(std::max<std::int64_t>(mistake.word_number, 0));
  if (mistake.word && number >= 2 && number <= words.size()) {
    const std::int64_t from = words[number - 2].start_address().count;
    const std::int64_t found = words[number - 1].start_address().count - from;
    const std::int64_t right = SmemDescriptor(*mistake.word, words[0].target()).start_address().count - from;
    if (found != right && number == 2)
      return fmt::format("the start advances by {} B per step where {} B is right", found, right);
    if (found != right)
      return fmt::format("word {} starts {} B after word {} where {} B is right", number, found, number - 1, right);
  }
  return short_sentence(mistake.message);
}

Json explanations_json(const std::vector<Explanation>& explanations) {
  return json_list(explanations, [](const Explanation& e) -> Json {
    return {
        {"rule", e.rule}, {"message", e.message}, {"hint", e.hint}, {"word", e.word ? Json(hex64(*e.word)) : Json()}};
  });
}

Json k_loop_json(const std::vector<SmemDescriptor>& words, const KLoop& loop) {
  const auto reading = [](const LoopReading& r) -> Json {
    return {{"major", to_string(r.major)},
            {"element_bits", or_null(r.element_bits)},
            {"k_bytes", r.k_bytes},
            {"next_atom", or_null(r.next_atom.count)},
            {"most_rows", or_null(r.most_rows)},
            {"blocks", r.blocks},
            {"k_steps", r.k_steps},
            {"text", r.text}};
  };
  const LoopReading first = loop.is_right() ? loop.readings.front() : LoopReading{};
  return {{"words", json_list(words, [](const SmemDescriptor& word) { return hex64(word.word()); })},
          {"advances", loop.advances},
          {"blocks", first.blocks},
          {"reversed", loop.is_right() && first.is_reversed()},
          {"readings", json_list(loop.readings, reading)},
          {"mistakes", explanations_json(loop.mistakes)},
          {"other_rows", or_null(loop.other_rows)}};
}

void add_k_loop_text(Document& d, const std::vector<SmemDescriptor>& words, const KLoop& loop, bool has_figure) {
  d.line("k loop", fmt::format("{} words from {}: {}", words.size(), hex64(words.front().word()), advances_text(loop)));
  for (const LoopReading& reading : loop.readings) d.line(order_text(reading), reading.text, Tone::good);
  if (!loop.other_rows.empty()) d.line("or", loop.other_rows);
  for (const Explanation& e : loop.mistakes) {
    const Tone tone = loop.is_wrong() ? Tone::bad : Tone::faint;
    Block whole = Field{"", e.rule, nullptr, fmt::format("{}; {}", e.message, e.hint), tone};
    if (has_figure) d.add(in_short(Field{"", e.rule, nullptr, e.message, tone}));
    d.add(has_figure ? in_full(std::move(whole)) : std::move(whole));
  }
}

}  // namespace swz
