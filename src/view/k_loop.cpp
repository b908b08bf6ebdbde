#include <fmt/format.h>

#include "base/text.hpp"
#include "view/map.hpp"

namespace swz {

namespace {

std::string advances_text(const KLoop& loop) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < loop.advances.size() && i < most; ++i)
    text += fmt::format("{}{:+}", i == 0 ? "" : ", ", loop.advances[i]);
  return text + (loop.advances.size() > most ? ", ... B" : " B");
}

std::string order_text(const KLoop& loop) {
  if (loop.is_reversed) return "right, the last step first";
  if (loop.blocks > 1) return fmt::format("right, {} loops in one", loop.blocks);
  return "right";
}

}  // namespace

Json explanations_json(const std::vector<Explanation>& explanations) {
  return json_list(explanations, [](const Explanation& e) -> Json {
    return {{"rule", e.rule},
            {"message", e.message},
            {"hint", e.hint},
            {"word", e.word ? Json(hex64(*e.word)) : Json()}};
  });
}

Json k_loop_json(const std::vector<SmemDescriptor>& words, const KLoop& loop) {
  const auto reading = [](const LoopReading& r) -> Json {
    return {{"major", to_string(r.major)},
            {"element_bits", or_null(r.element_bits)},
            {"k_bytes", r.k_bytes},
            {"next_atom", or_null(r.next_atom.count)},
            {"most_rows", or_null(r.most_rows)},
            {"text", r.text}};
  };
  return {{"words", json_list(words, [](const SmemDescriptor& word) { return hex64(word.word()); })},
          {"advances", loop.advances},
          {"blocks", loop.blocks},
          {"reversed", loop.is_reversed},
          {"readings", json_list(loop.readings, reading)},
          {"mistakes", explanations_json(loop.mistakes)},
          {"other_rows", or_null(loop.other_rows)}};
}

void add_k_loop_text(Document& d, const std::vector<SmemDescriptor>& words, const KLoop& loop) {
  if (!loop.is_right() && loop.mistakes.empty() && loop.other_rows.empty()) return;
  d.line("k loop",
         fmt::format("{} words from {}: {}", words.size(), hex64(words.front().word()), advances_text(loop)));
  for (const LoopReading& reading : loop.readings) d.line(order_text(loop), reading.text, Tone::good);
  if (!loop.other_rows.empty()) d.line("or blocks", loop.other_rows);
  for (const Explanation& e : loop.mistakes)
    d.line(e.rule, fmt::format("{}; {}", e.message, e.hint), loop.is_wrong() ? Tone::bad : Tone::faint);
}

}  // namespace swz
