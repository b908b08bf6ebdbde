// SPDX-License-Identifier: Apache-2.0
#include "tmem_fragment_request.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace swz {
namespace {

constexpr std::string_view example = "for example 'm 128 n 256 cta-group 2 warp 1 at 64'";

// "cta_group::2", "--cta-group 2" and "cta-group=2" are the words cta-group and 2; ".ws" is ws.
Words words_of(const std::string& text) {
  Words words = pieces_of(lower_case(text), " ,:=");
  for (std::string& word : words) {
    word.erase(0, word.find_first_not_of("-."));
    std::ranges::replace(word, '_', '-');
  }
  return words;
}

AccumulatorText read_access(const std::string& text) {
  DataPathQuery query;
  AccessPlace place;
  int n = 256;
  const DType* dtype = nullptr;
  const Words words = words_of(text);
  const Words known{"m", "n", "cta-group", "ws", "sparse", "dtype", "cta", "warp", "lane", "at"};
  int* const numbers[] = {&query.m, &n,         &query.cta_group, nullptr,     nullptr,
                          nullptr,  &place.cta, &place.warp,      &place.lane, &place.column};
  constexpr std::int64_t most[] = {256, 256, 2, 0, 0, 0, 1, 3, 16, tmem_columns - 1};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = static_cast<std::size_t>(std::ranges::find(known, words[i]) - known.begin());
    if (word == known.size()) {
      const std::string list = fmt::format("words: {}; {}", join_and(known), example);
      throw usage_error(fmt::format("{} is not a word of an accumulator", swz::quoted(words[i])),
                        words[i].size() > 1 ? did_you_mean(words[i], known, list) : list);
    }
    if (known[word] == "ws") query.ws = true;
    else if (known[word] == "sparse") query.sparse = true;
    else if (i + 1 == words.size())
      throw usage_error(fmt::format("{} has no value", known[word]), std::string(example));
    else if (known[word] == "dtype") read_value(words[++i], dtype);
    else *numbers[word] = static_cast<int>(read_number(words[++i], 0, most[word]));
  }
  if (n < 1) throw usage_error("n is 0", std::string(example));
  return {AccumulatorAccess(Accumulator(require_data_path(query), n), place), dtype};
}

}  // namespace

Options tmem_fragment_options(TmemFragmentRequest& r) {
  constexpr int most = INT16_MAX;
  return {number("--thread", "T", r.thread, 0, 31,
                 "tcgen05: what --register of this thread holds, or all its registers, as --at T5,R1")
              .excluding({"--lane", "--at", "--at-thread", "--highlight"}),
          number("--register", "R", r.reg, 0, 127, "register of --thread").needing({"--thread"}),
          number("--lane", "L", r.lane, 0, tmem_lanes - 1, "tcgen05: which register holds this lane and --column")
              .needing({"--column"})
              .excluding({"--at", "--at-thread", "--highlight"}),
          number("--column", "C", r.column, 0, tmem_columns - 1, "column of --lane, counted from the address")
              .needing({"--lane"}),
          number("--split-offset", "N", r.split_offset, -most, most, "immHalfSplitoff of 16x32bx2, in columns")
              .by_default_note("directly after the first half"),
          option("--of", "D", r.of, "the accumulator that lies there: 'm 128 n 256 warp 1 at 64'", read_access),
          flag("--map", r.has_map, "tcgen05: in JSON also the cells of every register")};
}

TmemFragmentView tmem_fragment_view(const std::string& name, const TmemFragmentRequest& r) {
  TmemFragmentView view{.form = find_tmem_form(name), .has_map = r.has_map};
  view.form.split_offset = r.split_offset;
  if (r.of) {
    view.of = r.of->access;
    view.dtype = r.of->dtype;
  }
  if (r.thread && r.reg) view.reg = {*r.thread, *r.reg};
  if (r.lane) view.cell = Coordinate{*r.lane, *r.column};
  return view;
}

}  // namespace swz
