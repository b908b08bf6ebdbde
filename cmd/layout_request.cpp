// SPDX-License-Identifier: Apache-2.0
#include "layout_request.hpp"

#include <charconv>

#include "base/text.hpp"

namespace swz {

void read_value(const std::string& text, ShapeText& to) {
  const auto fail = [&]() {
    throw usage_error(fmt::format("cannot read {} as the shape of an array", swz::quoted(text)),
                      "extents in elements, the slowest dimension first: 128x64");
  };
  std::string_view rest = text;
  const auto strip = [&](std::string_view blanks) {
    while (!rest.empty() && blanks.find(rest.front()) != std::string_view::npos) rest.remove_prefix(1);
    while (!rest.empty() && blanks.find(rest.back()) != std::string_view::npos) rest.remove_suffix(1);
  };
  strip(" ([,])");
  while (true) {
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    if (error != std::errc() || extent < 1 || to.extents.size() == 8) fail();
    to.extents.push_back(extent);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    strip(" ");
    if (rest.empty()) break;
    if (rest.front() != 'x' && rest.front() != ',' && rest.front() != 'X') fail();
    rest.remove_prefix(1);
    strip(" ");
  }
  element_count(to.extents);
}

void read_value(const std::string& text, const Dialect*& to) { to = text == "all" ? nullptr : &require_dialect(text); }

Words dialect_words() {
  Words words;
  for (const Dialect& d : dialects()) words.emplace_back(d.name);
  return words;
}

Options given_options(GivenRequest& given) {
  return {option("--from", "DIALECT", given.from, "the notation, if several can read the text")
              .offering(dialect_words())
              .by_default_note("recognised"),
          option("--shape", "RxC", given.shape, "shape of the array, if the text does not give it").in("elements"),
          option("--dtype", "TYPE", given.dtype, "element type, if the text does not give it")
              .offering(names_of(dtypes()))};
}

}  // namespace swz
