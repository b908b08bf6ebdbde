// SPDX-License-Identifier: Apache-2.0
#include "identify/content_search.hpp"

#include <array>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include "identify/number_steps.hpp"

namespace swz {
namespace {

using As = TileContent::As;

// The share of sampled numbers below `count` for which is_so holds; 0 as soon as it must stay below `least`.
template <class IsSo>
double share_of_samples(std::int64_t count, double least, const IsSo& is_so) {
  constexpr std::int64_t asked = 32, stride = 13;
  std::int64_t missing = 0;
  for (std::int64_t n = 0; n < asked; ++n) {
    const std::int64_t sample = n * stride % asked;
    if (!is_so(sample * (count - 1) / (asked - 1))) ++missing;
    if (static_cast<double>(asked - missing) < least * asked) return 0;
  }
  return static_cast<double>(asked - missing) / asked;
}

// A dump of shared memory as pieces of 16 bytes at multiples of 16.
class DumpPieces {
 public:
  DumpPieces(const DumpReading& reading, const ElementType& type, TileExtents extents)
      : dump_(reading.dump),
        meaning_(reading.meaning),
        type_(type),
        extents_(extents),
        front_(type.has_gaps() ? 2 * type.value_bits() : 16),
        first_((16 - dump_->address().count % 16) % 16) {
    for (std::int64_t at = first_; at + front_ <= dump_->size(); at += 16) pieces_.insert(text(piece(at)));
  }

  NumberMeaning meaning() const { return meaning_; }
  double share(const TileContent& content, double least) const {
    return std::max(share(content, Major::K, least), share(content, Major::MN, least));
  }
  std::vector<TileContent> proposed(As as) const;
  TileIdentification identify(const LogicalTile& tile, Effort effort) const {
    return identify_tile(*dump_, tile, effort);
  }

 private:
  std::span<const std::byte> piece(std::int64_t at) const {
    return dump_->pass(0).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(front_));
  }
  static std::string_view text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  double share(const TileContent& content, Major major, double least) const;
  std::int64_t per_piece() const { return 128 / type_.slot_bits(); }

  const SharedDump* dump_;
  NumberMeaning meaning_;
  ElementType type_;
  TileExtents extents_;
  std::int64_t front_, first_;
  std::unordered_set<std::string_view> pieces_;
};

double DumpPieces::share(const TileContent& content, Major major, double least) const {
  if (extents_.along(major) % per_piece() != 0) return 0;
  const std::int64_t per_line = extents_.along(major) / per_piece(), count = per_line * extents_.across(major);
  const int step = type_.has_gaps() ? type_.value_bits() : type_.slot_bits();
  return share_of_samples(count, least, [&](std::int64_t index) {
    std::array<std::byte, 16> bytes = {};
    for (std::int64_t i = 0; i < per_piece(); ++i) {
      const auto value = content.value(
          type_, TileCoordinate::of(major, index / per_line, index % per_line * per_piece() + i), extents_.k);
      if (!value) return false;
      put_bits(bytes, i * step, type_.value_bits(), *value);
    }
    return pieces_.contains(text(std::span(bytes).first(static_cast<std::size_t>(front_))));
  });
}

std::vector<TileContent> DumpPieces::proposed(As as) const {
  NumberSteps steps;
  std::vector<double> numbers;
  const int step = type_.has_gaps() ? type_.value_bits() : type_.slot_bits();
  for (std::int64_t at = first_; type_.value_bits() > 1 && at + front_ <= dump_->size(); at += 16) {
    numbers.clear();
    for (std::int64_t i = 0; i < per_piece(); ++i) {
      const std::uint64_t bits = bits_at(piece(at), i * step, type_.value_bits());
      if (as == As::bits) numbers.push_back(static_cast<double>(bits));
      else if (const auto number = number_of_bits(*type_.dtype, bits)) numbers.push_back(*number);
    }
    steps.include(numbers, std::ssize(numbers) == per_piece());
  }
  return steps.proposed(*type_.dtype, extents_, as);
}

// Registers as the values in them.
class HeldNumbers {
 public:
  HeldNumbers(const RegisterDump& dump, const ElementType& type, const DType& dtype, TileExtents extents,
              const RegisterMeaning& meant)
      : dump_(&dump),
        dtype_(&dtype),
        extents_(extents),
        meant_(&meant),
        maps_(maps_of_registers(dump, type, extents, meant)),
        bits_(type.slot_bits()),
        type_(type) {
    for (int thread = 0; thread < dump.threads; ++thread)
      for (int value = 0; value < values(); ++value) held_.insert(dump.value(thread, value * bits_, bits_));
  }

  NumberMeaning meaning() const { return dump_->meaning; }
  double share(const TileContent& content, double least) const {
    return share_of_samples(extents_.mn * extents_.k, least, [&](std::int64_t i) {
      const auto value = content.value(type_, {i / extents_.k, i % extents_.k}, extents_.k);
      return value && held_.contains(*value);
    });
  }
  std::vector<TileContent> proposed(As as) const {
    NumberSteps steps;
    for (int thread = 0; thread < dump_->threads; ++thread)
      for (int value = 0; value < values(); value += 2) {
        std::vector<double> pair;
        for (const int one : {value, value + 1}) {
          if (one == values()) continue;
          const std::uint64_t bits = dump_->value(thread, one * bits_, bits_);
          if (as == As::bits) pair.push_back(static_cast<double>(bits));
          else if (const auto number = number_of_bits(*dtype_, bits)) pair.push_back(*number);
        }
        steps.include(pair, true);
      }
    return steps.proposed(*dtype_, extents_, as);
  }
  RegisterIdentification identify(const LogicalTile& tile, Effort effort) const {
    return identify_registers(*dump_, tile, *meant_, maps_, effort);
  }

 private:
  int values() const { return dump_->registers * 32 / bits_; }

  const RegisterDump* dump_;
  const DType* dtype_;
  TileExtents extents_;
  const RegisterMeaning* meant_;
  std::vector<RegisterMap> maps_;
  int bits_;
  ElementType type_;
  std::unordered_set<std::uint64_t> held_;
};

// The first reading that is exact or that a mistake explains; otherwise the nearest.
template <class Answer, class Readings, class Identify>
Answer best_of(const Readings& readings, const LogicalTile& tile, const Identify& identify) {
  std::optional<Answer> best;
  std::optional<Error> refused;
  const auto rank = [](const Answer& a) {
    return std::tuple(a.found.is_exact, a.found.mistake.has_value(), a.found.matching);
  };
  for (std::size_t reading = 0; reading < readings.size(); ++reading) try {
      Answer answer{reading, {}, tile, identify(readings[reading])};
      if (!best || rank(answer) > rank(*best)) best = std::move(answer);
    } catch (const Error& error) {
      if (!refused) refused = error;
    }
  if (!best) throw *refused;
  return std::move(*best);
}

}  // namespace

TileAnswer identify_given(const std::vector<DumpReading>& readings, const LogicalTile& tile) {
  return best_of<TileAnswer>(readings, tile,
                             [&](const DumpReading& reading) { return identify_tile(*reading.dump, tile); });
}

RegisterAnswer identify_given(const std::vector<RegisterDump>& readings, const LogicalTile& tile,
                              const RegisterMeaning& meaning) {
  return best_of<RegisterAnswer>(readings, tile,
                                 [&](const RegisterDump& dump) { return identify_registers(dump, tile, meaning); });
}

std::vector<TileAnswer> identify_contents(const std::vector<DumpReading>& readings, const ElementType& type,
                                          TileExtents extents) {
  std::vector<DumpPieces> pieces;
  for (const DumpReading& reading : readings) pieces.emplace_back(reading, type, extents);
  return ContentLevels<DumpPieces, TileIdentification>(pieces, type, *type.dtype, extents).answers();
}

std::vector<RegisterAnswer> identify_contents(const std::vector<RegisterDump>& readings, const DType& dtype,
                                              TileExtents extents, const RegisterMeaning& meaning) {
  const ElementType type = register_element(dtype);
  std::vector<HeldNumbers> held;
  std::vector<std::size_t> place;
  std::optional<Error> refused;
  for (std::size_t reading = 0; reading < readings.size(); ++reading) try {
      held.emplace_back(readings[reading], type, dtype, extents, meaning);
      place.push_back(reading);
    } catch (const Error& error) {
      if (!refused) refused = error;
    }
  if (held.empty()) throw *refused;
  std::vector<RegisterAnswer> all =
      ContentLevels<HeldNumbers, RegisterIdentification>(held, type, dtype, extents).answers();
  for (RegisterAnswer& answer : all) answer.reading = place[answer.reading];
  return all;
}

}  // namespace swz
