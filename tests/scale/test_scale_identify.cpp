// SPDX-License-Identifier: Apache-2.0
// What any layout, order of rows, exchange or order of experts wrote is found, and nothing else; noise is not.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/random.hpp"
#include "scale/scale_identify.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

// Memory as a producer writes it, with `filler` in the padding.
std::vector<std::byte> written(const ScaleTensor& tensor, const ScaleValues& values, const ScaleReading& by,
                               std::uint8_t filler) {
  std::vector<std::byte> memory(static_cast<std::size_t>(tensor.size().count), std::byte{filler});
  const ScaleExtents& e = values.extents;
  for (ScaleCoordinate at; at.batch < e.batches; ++at.batch)
    for (at.row = 0; at.row < e.rows; ++at.row)
      for (at.kb = 0; at.kb < e.factors; ++at.kb) {
        ScaleCoordinate to = at;
        to.batch = (at.batch + e.batches - by.batch_shift) % e.batches;
        if (by.is_exchanged) std::swap(to.row, to.kb);
        const Bytes offset = tensor.offset(to);
        for (int i = 0; i < tensor.row().bytes; ++i)
          memory[static_cast<std::size_t>(offset.count + i)] = static_cast<std::byte>(values.at(at) >> (8 * i));
      }
  return memory;
}

std::string text_of(const ScaleReading& r) {
  std::string text(r.layout->name);
  for (const RowOrder* order : r.orders) text += fmt::format(" {}", order->name);
  return fmt::format("{} {} {}", text, r.is_exchanged, r.batch_shift);
}

// A random producer, and the shape that it writes.
struct Case {
  ScaleReading by;
  ScaleExtents extents;
};

Case random_case(Random& random) {
  const auto layouts = scale_layouts();
  while (true) {
    Case c{{&layouts[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(layouts.size())))]},
           {32 * (1 + random.below(12)), 1 + random.below(24), 1 + random.below(3)}};
    if (random.one_in(3)) c.by.orders = {&row_orders()[static_cast<std::size_t>(random.below(6))]};
    else if (random.one_in(4)) c.by.is_exchanged = true;
    else if (random.one_in(4)) c.by.batch_shift = random.below(c.extents.batches);
    if (random.one_in(2)) c.extents.factors = (c.extents.factors + 3) / 4 * 4;
    const ScaleExtents of =
        c.by.is_exchanged ? ScaleExtents{c.extents.factors, c.extents.rows, c.extents.batches} : c.extents;
    if (c.by.layout->takes(of) && of.rows % (c.by.orders.empty() ? 1 : c.by.orders.front()->rows_of) == 0) return c;
  }
}

ScaleTensor tensor_of(const Case& c) {
  const ScaleExtents& e = c.extents;
  return ScaleTensor(*c.by.layout, c.by.is_exchanged ? ScaleExtents{e.factors, e.rows, e.batches} : e, {}, c.by.orders);
}

}  // namespace

TEST_CASE("5,000 random dumps: the producer is among the readings, and the codes decide") {
  Random random(35);
  int missed = 0, undecided = 0, padding = 0;
  const long rounds = rounds_of(5000, 50, 10);
  for (long round = 0; round < rounds; ++round) {
    const Case c = random_case(random);
    const ScaleTensor tensor = tensor_of(c);
    const ScaleValues values = code_values(c.extents);
    const ScaleIdentity found = identify_scales(written(tensor, values, c.by, 0), values, c.by.layout->bytes);
    const bool is_found =
        std::ranges::any_of(found.readings, [&](const ScaleReading& r) { return text_of(r) == text_of(c.by); });
    missed += !is_found;
    if (!found.is_decided) {
      ++undecided;
      MESSAGE(text_of(c.by) << " of " << c.extents.rows << " x " << c.extents.factors << " x " << c.extents.batches
                            << ": also " << text_of(found.readings.front()));
    }
    padding += found.padding.bytes != found.padding.zeros;
  }
  CHECK(missed == 0);
  CHECK(undecided == 0);
  CHECK(padding == 0);
}

TEST_CASE("random bytes, and a dump with one wrong factor, are nothing") {
  Random random(36);
  for (int round = 0; round < 100; ++round) {
    const Case c = random_case(random);
    const ScaleValues values = code_values(c.extents);
    std::vector<std::byte> memory = written(tensor_of(c), values, c.by, 0xff);
    const Bytes wrong = tensor_of(c).offset({0, 0, 0});
    memory[static_cast<std::size_t>(wrong.count)] ^= std::byte{1};
    CHECK(identify_scales(memory, values, c.by.layout->bytes).readings.empty());
    for (std::byte& byte : memory) byte = static_cast<std::byte>(random());
    CHECK(identify_scales(memory, values, c.by.layout->bytes).readings.empty());
  }
}

TEST_CASE("values that repeat do not decide, and the padding is counted") {
  const ScaleExtents extents{200, 22};
  ScaleValues ones{extents, std::vector<std::uint32_t>(200 * 22, 127)};
  const ScaleTensor tiles(require_scale_layout("128x4"), extents);
  const ScaleIdentity found = identify_scales(written(tiles, ones, {}, 3), ones, 1);
  CHECK(found.readings.size() > 2);
  CHECK_FALSE(found.is_decided);
  CHECK(found.padding.bytes == 6144 - 4400);
  CHECK(found.padding.zeros == 0);
  CHECK(std::ranges::count(found.sized, &require_scale_layout("128x4_k8")) == 1);
}
