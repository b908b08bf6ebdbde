// SPDX-License-Identifier: Apache-2.0
// The picture of narrow elements.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "arch/tensor_memory.hpp"
#include "view/document/bit_line.hpp"
#include "view/mma/mma_figure.hpp"
#include "view/tmem/tmem_figure.hpp"

namespace swz {

namespace {

constexpr int unit = 16;  // elements that are drawn
constexpr int word_bits = 32;

// The words that hold these 16 elements; place: the first bit of an element. Words are counted in bytes or columns.
template <class Place>
Grid memory_lines(const NarrowForm& form, std::int64_t first, std::int64_t asked, std::string title, const char* word,
                  int word_size, int bits, Place place) {
  const std::int64_t begin = place(first).count / word_bits * word_bits;
  std::map<int, std::int64_t> element_at;
  for (std::int64_t e = first; e < first + unit; ++e)
    for (int bit = 0; bit < form.bits; ++bit) element_at[static_cast<int>(place(e).count - begin) + bit] = e;
  BitLines lines{.title = std::move(title), .asked = asked};
  for (std::int64_t i = 0; i < bits / word_bits; ++i)
    lines.words.push_back(fmt::format("{} {}", word, (begin / word_bits + i) * word_size));
  // As long as an element, if elements begin at multiples of that; a line is not cut inside of a cell.
  const auto start = static_cast<int>(place(first).count % word_bits);
  const int apart = static_cast<int>(place(first + 1).count - place(first).count);
  lines.cell_bits = std::gcd(std::gcd(form.bits, word_bits), std::gcd(apart, start));
  return bit_lines(lines, [&](int bit) {
    const auto found = element_at.find(bit);
    return found == element_at.end() ? std::nullopt : std::optional(found->second);
  });
}

}  // namespace

Figure narrow_figure(const NarrowForm& form, std::int64_t asked, NarrowPanels panels) {
  const std::int64_t first = std::max<std::int64_t>(asked, 0) / unit * unit;
  const auto lines = [&](std::string title, const char* word, int size, int bits, auto place) {
    return memory_lines(form, first, asked, std::move(title), word, size, bits, place);
  };
  Figure figure;
  std::vector<Grid>& row = figure.panels.emplace_back();
  const int bits = unit * form.bits;
  if (panels == NarrowPanels::all)
    row.push_back(lines("global memory", "byte", 4, bits, [&](auto e) { return form.gmem(e); }));
  row.push_back(lines("shared memory", "byte", 4, form.has_gaps ? 128 : bits, [&](auto e) { return form.smem(e); }));
  row.push_back(lines("tensor memory", "column", 1, unit * form.tmem_bits, [&](auto e) { return form.tmem(e); }));
  if (form.has_gaps || form.bits < form.tmem_bits) figure.legend.push_back({"no element", {}, Mark::none, 1});
  if (asked >= 0) figure.legend.push_back({fmt::format("element {}", asked), {}, Mark::highlighted});
  figure.caption = fmt::format(
      "A colour is an element of {} bits, which its number names once. Bits count from the left.", form.bits);
  if (panels == NarrowPanels::all)
    figure.caption += fmt::format(" {} mbarrier counts {} B for 128 elements.",
                                  form.has_gaps ? "Reported, not measured: an" : "An", form.transaction_bytes().count);
  return figure;
}

Drawing narrow_drawing(const NarrowForm& form, std::int64_t k) {
  return {[&form, k](Medium medium) {
    Document document;
    if (medium == Medium::page) document.add(narrow_figure(form, k, NarrowPanels::all));
    return document;
  }};
}

}  // namespace swz
