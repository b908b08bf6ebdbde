#include "view/k_loop.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace swz {

namespace {

template <class T>
Json or_null(T value) {
  return value == T{} ? Json() : Json(value);
}

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

Json k_loop_json(const std::vector<SmemDescriptor>& words, const KLoop& loop) {
  Json texts = Json::array(), readings = Json::array(), mistakes = Json::array();
  for (const SmemDescriptor& word : words) texts.push_back(hex64(word.word()));
  for (const LoopReading& r : loop.readings)
    readings.push_back(Json{{"major", to_string(r.major)},
                            {"element_bits", or_null(r.element_bits)},
                            {"k_bytes", r.k_bytes},
                            {"next_atom", or_null(r.next_atom.count)},
                            {"most_rows", or_null(r.most_rows)},
                            {"text", r.text}});
  for (const Explanation& e : loop.mistakes)
    mistakes.push_back(Json{{"rule", e.rule},
                            {"message", e.message},
                            {"hint", e.hint},
                            {"word", e.word ? Json(hex64(*e.word)) : Json()}});
  return {{"words", texts},
          {"advances", loop.advances},
          {"blocks", loop.blocks},
          {"reversed", loop.is_reversed},
          {"readings", readings},
          {"mistakes", mistakes},
          {"other_rows", or_null(loop.other_rows)}};
}

void add_k_loop_text(Document& d, const std::vector<SmemDescriptor>& words, const KLoop& loop) {
  if (!loop.is_right() && loop.mistakes.empty() && loop.other_rows.empty()) return;
  d.add(Field{"", "k loop", nullptr,
              fmt::format("{} words from {}: {}", words.size(), hex64(words.front().word()), advances_text(loop))});
  for (const LoopReading& reading : loop.readings)
    d.add(Field{"", order_text(loop), nullptr, reading.text, Tone::good});
  if (!loop.other_rows.empty()) d.add(Field{"", "or blocks", nullptr, loop.other_rows});
  for (const Explanation& e : loop.mistakes)
    d.add(Field{"", e.rule, nullptr, fmt::format("{}; {}", e.message, e.hint),
                loop.is_wrong() ? Tone::bad : Tone::faint});
}

}  // namespace swz
