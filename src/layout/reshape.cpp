#include "layout/reshape.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {
namespace {

std::vector<Layout> modes_of(const Layout& l) {
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank(l); ++i) modes.push_back(mode(l, i));
  return modes;
}

void require_range(const char* operation, const Layout& l, std::size_t begin, std::size_t end) {
  if (begin >= end || end > rank(l))
    throw Error(fmt::format("{}: modes [{}, {}) are not in {}", operation, begin, end, to_string(l)),
                fmt::format("it has modes 0 to {}; the end is one past the last", rank(l) - 1));
}

}  // namespace

Layout flatten(const Layout& l) { return Layout(flatten(l.shape()), flatten(l.stride())); }

Layout group(const Layout& l, std::size_t begin, std::size_t end) {
  require_range("group", l, begin, end);
  const std::vector<Layout> modes = modes_of(l);
  std::vector<Layout> result(modes.begin(), modes.begin() + static_cast<std::ptrdiff_t>(begin));
  result.push_back(make_layout(std::span(modes).subspan(begin, end - begin)));
  result.insert(result.end(), modes.begin() + static_cast<std::ptrdiff_t>(end), modes.end());
  return make_layout(result);
}

Layout take(const Layout& l, std::size_t begin, std::size_t end) {
  require_range("take", l, begin, end);
  const std::vector<Layout> modes = modes_of(l);
  return make_layout(std::span(modes).subspan(begin, end - begin));
}

Layout select(const Layout& l, std::span<const std::int64_t> wanted) {
  std::vector<Layout> modes;
  for (const std::int64_t i : wanted) {
    if (i < 0) throw Error(fmt::format("select: there is no mode {}", i), "modes are numbered from 0");
    modes.push_back(mode(l, static_cast<std::size_t>(i)));
  }
  return make_layout(modes);
}

Layout append(const Layout& l, const Layout& x) {
  std::vector<Layout> modes = modes_of(l);
  modes.push_back(x);
  return make_layout(modes);
}

Layout prepend(const Layout& l, const Layout& x) {
  std::vector<Layout> modes = modes_of(l);
  modes.insert(modes.begin(), x);
  return make_layout(modes);
}

Layout replace(const Layout& l, std::size_t i, const Layout& x) {
  require_range("replace", l, i, i + 1);
  std::vector<Layout> modes = modes_of(l);
  modes[i] = x;
  return make_layout(modes);
}

Layout append_to_rank(const Layout& l, std::size_t wanted, const Layout& x) {
  Layout result = l;
  while (rank(result) < wanted) result = append(result, x);
  return result;
}

Layout prepend_to_rank(const Layout& l, std::size_t wanted, const Layout& x) {
  Layout result = l;
  while (rank(result) < wanted) result = prepend(result, x);
  return result;
}

}  // namespace swz
