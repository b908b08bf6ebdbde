// SPDX-License-Identifier: Apache-2.0
#include "probe/registers.hpp"

#include <fmt/format.h>

namespace swz {

namespace {

// The thread step that does not move counts the MMAs of the warp.
int tile_of(const Fragment& fragment, int thread) {
  for (const Step& step : fragment.thread_steps) {
    if (step.move == Coordinate{}) return thread % step.count;
    thread /= step.count;
  }
  return 0;
}

// The offset of a word of the register in an image.
std::size_t offset_of(const Fragment& f, int thread, RegisterSlot slot, int word) {
  return static_cast<std::size_t>(((slot.index * f.register_bits() / 32 + word) * f.threads() + thread) * 4);
}

}  // namespace

ByteBuffer register_image(const Fragment& fragment, const std::function<std::uint64_t(Coordinate)>& bits) {
  return register_image(fragment, [&](Holder at) { return bits(fragment.at(at.thread, at.value)); });
}

ByteBuffer register_image(const Fragment& fragment, const std::function<std::uint64_t(Holder)>& bits) {
  ByteBuffer image(static_cast<std::size_t>(image_bytes(fragment)));
  for (int thread = 0; thread < fragment.threads(); ++thread)
    for (int value = 0; value < fragment.values(); ++value) {
      const RegisterSlot slot = fragment.slot(value);
      const std::uint64_t element = bits(Holder{thread, value}) << slot.first_bit;
      for (int word = 0; word < fragment.register_bits() / 32; ++word) {
        const std::size_t at = offset_of(fragment, thread, slot, word);
        const std::uint32_t sum = read_at<std::uint32_t>(image, at) | static_cast<std::uint32_t>(element >> 32 * word);
        __builtin_memcpy(image.data() + at, &sum, sizeof sum);
      }
    }
  return image;
}

std::int64_t image_bytes(const Fragment& f) {
  return std::int64_t{f.registers()} * f.register_bits() / 8 * f.threads();
}

ByteBuffer register_codes(const Fragment& f, const PositionCode& code, int pass) {
  return register_image(
      f, [&](Holder at) { return code.element(1 + at.thread * f.values() + at.value, pass) << container_shift(f); });
}

int register_passes(const Fragment& f, const PositionCode& code) { return code.passes(f.threads() * f.values() + 1); }

RegisterTable::RegisterTable(Fragment fragment)
    : fragment_(std::move(fragment)),
      mask_((std::uint64_t{1} << fragment_.bits % 64) - 1),
      places_(static_cast<std::size_t>(elements())) {
  for (int thread = 0; thread < fragment_.threads(); ++thread)
    for (int value = 0; value < fragment_.values(); ++value) {
      const RegisterSlot slot = fragment_.slot(value);
      places_[static_cast<std::size_t>(index(coordinate(Holder{thread, value})))] = {
          {thread, value},
          offset_of(fragment_, thread, slot, 0),
          offset_of(fragment_, thread, slot, 1),
          slot.first_bit};
    }
}

TiledCoordinate RegisterTable::coordinate(int index) const {
  const int row = index / fragment_.columns;
  return {row / fragment_.rows, {row % fragment_.rows, index % fragment_.columns}};
}

TiledCoordinate RegisterTable::coordinate(Holder holder) const {
  return {tile_of(fragment_, holder.thread), fragment_.at(holder.thread, holder.value)};
}

std::vector<std::int64_t> RegisterTable::numbers() const {
  std::vector<std::int64_t> out;
  for (const Place& place : places_) out.push_back(number(place.holder));
  return out;
}

std::string holder_name(const Fragment& fragment, std::int64_t number) {
  return fmt::format("thread {} value {}", number / fragment.values(), number % fragment.values());
}

std::string placeholders(int first, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += fmt::format("{}%{}", i == 0 ? "" : ", ", first + i);
  return out;
}

std::string operands(std::string_view constraint, std::string_view name, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += fmt::format("{}\"{}\"({}[{}])", i == 0 ? "" : ", ", constraint, name, i);
  return out;
}

int container_shift(const Fragment& fragment) { return fragment.dtype == "e2m1" && fragment.bits == 8 ? 2 : 0; }

Fragment fragment_under(Hypothesis hypothesis, Fragment fragment) {
  if (hypothesis != Hypothesis::wrong_fragment) return fragment;
  std::vector<Step>& steps = fragment.value_steps.size() > 1 ? fragment.value_steps : fragment.thread_steps;
  if (steps.size() > 1) std::swap(steps[0], steps[1]);
  return fragment;
}

}  // namespace swz
