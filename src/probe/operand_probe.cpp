#include "probe/operand_probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

int passes_of(const OperandMemory& memory, std::string_view dtype, Packing packing) {
  const int bits = element_bits(require_dtype(dtype), packing);
  return PositionCode(dtype).passes((memory.begin.count + memory.size.count) * 8 / bits);
}

OperandInputs::OperandInputs(const OperandMemory& memory, Launch& launch) : memory_(memory), launch_(launch) {
  launch.scalars[0] = static_cast<std::uint32_t>(memory.begin.count);
  launch.scalars[1] = static_cast<std::uint32_t>(memory.size.count);
  launch.scalars[2] = static_cast<std::uint32_t>(memory.overlay().count);
  launch.scalars[3] = static_cast<std::uint32_t>(memory.identity.count - memory.begin.count);
}

std::uint32_t OperandInputs::images(std::string_view dtype, Packing packing) {
  ByteBuffer& all = launch_.inputs[1];
  const auto first = static_cast<std::uint32_t>(all.size() / static_cast<std::size_t>(memory_.size.count));
  const auto [made, is_new] = images_.try_emplace({std::string(dtype), packing}, first);
  for (int pass = 0; is_new && pass < passes_of(memory_, dtype, packing); ++pass) {
    const ByteBuffer image = address_image(dtype, memory_.begin, memory_.size, pass, packing);
    all.insert(all.end(), image.begin(), image.end());
  }
  return made->second;
}

std::uint32_t OperandInputs::any_image() {
  if (launch_.inputs[1].empty()) launch_.inputs[1].resize(static_cast<std::size_t>(memory_.size.count));
  return 0;
}

std::uint32_t OperandInputs::overlays(const Identity& identity, Hypothesis hypothesis) {
  ByteBuffer& all = launch_.inputs[2];
  const auto size = static_cast<std::size_t>(memory_.overlay().count);
  const auto first = static_cast<std::uint32_t>(all.size() / size);
  const auto [made, is_new] =
      overlays_.try_emplace({identity.extents.mn, identity.extents.k, identity.dtype}, first);
  for (int selection = 0; is_new && selection < identity.selections(); ++selection) {
    ByteBuffer bytes = identity.bytes(selection, hypothesis);
    bytes.resize(size);
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return made->second;
}

std::uint64_t draw_word(const OperandMemory& memory, TileExtents extents, int element_bits, Major major,
                        std::span<const std::string_view> modes, const Target& target, Random& random) {
  // As often short as long: 2^x chunks.
  const auto stride = [&] { return Bytes{16 * random.below(std::int64_t{1} << (1 + random.below(14)))}; };
  for (;;) {
    const Bytes leading = stride();
    const Bytes other = stride();
    const int base_offset = static_cast<int>(random.below(8));
    SmemDescriptorValues values{
        .start_address = {},
        .leading_byte_offset = leading,
        .stride_byte_offset = other,
        .base_offset = base_offset,
        .swizzle = modes[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(modes.size())))],
        .absolute_lbo = false};
    // How far the operand reaches; the XOR stays in its line of 128 bytes. compute-sanitizer takes an operand for
    // contiguous, so there is room for that too.
    const OperandMap at_0 = operand_map(SmemDescriptor::encode(values, target), extents, element_bits, major);
    const std::int64_t reach = std::max(*std::ranges::max_element(at_0.bytes) / 128 * 128 + 256,
                                        extents.mn * extents.k * element_bits / 8);
    const std::int64_t room = memory.identity.count - memory.begin.count - reach;
    if (room <= 0) continue;
    values.start_address = Bytes{memory.begin.count + 16 * random.below(room / 16)};
    return SmemDescriptor::encode(values, target).word();
  }
}

std::vector<ShownAt> columns_shown(const Identity& identity, std::int64_t k) {
  std::vector<ShownAt> out;
  for (std::int64_t i = 0; i < k; ++i)
    out.push_back({i / identity.extents.mn, static_cast<int>(i % identity.extents.mn)});
  return out;
}

std::vector<std::int64_t> positions(const SeenThrough& seen, const Accumulator& d) {
  const PositionCode code(seen.dtype);
  const ElementFormat& accumulator = element_format(seen.d_type);
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(seen.extents.mn * seen.extents.k));
  std::vector<std::optional<std::int64_t>> digits(static_cast<std::size_t>(seen.passes));
  for (int row = 0; row < seen.extents.mn; ++row)
    for (const auto [selection, shown] : seen.columns) {
      for (int pass = 0; pass < seen.passes; ++pass) {
        const auto block = static_cast<std::size_t>(selection * seen.passes + pass);
        const std::uint64_t bits = seen.operand == OperandRole::a ? d(block, row, shown) : d(block, shown, row);
        digits[static_cast<std::size_t>(pass)] = code.digit(bits, accumulator);
      }
      out.push_back(code.position(digits));
    }
  return out;
}

ByteBuffer shared_memory(const Launch& launch, std::uint32_t image, std::uint32_t overlay) {
  const auto size = static_cast<std::size_t>(launch.scalars[1]);
  const auto overlay_size = static_cast<std::size_t>(launch.scalars[2]);
  const auto from = launch.inputs[1].begin() + static_cast<std::ptrdiff_t>(image * size);
  ByteBuffer smem(from, from + static_cast<std::ptrdiff_t>(size));
  const auto top = launch.inputs[2].begin() + static_cast<std::ptrdiff_t>(overlay * overlay_size);
  std::copy_n(top, overlay_size, smem.begin() + static_cast<std::ptrdiff_t>(launch.scalars[3]));
  return smem;
}

std::vector<double> operand_values(std::span<const std::uint8_t> smem, Bytes begin, const OperandMap& map,
                                   std::string_view dtype, Packing packing) {
  const PositionCode code(dtype);
  const int width = value_bits(dtype, packing);
  const auto end = static_cast<std::int64_t>(smem.size()) * 8;
  std::vector<double> values;
  for (const std::int64_t place : places_of(map)) {
    const std::int64_t bit = value_bit(place - begin.count * 8, dtype, packing);
    const bool is_there = bit >= 0 && bit + width <= end;
    values.push_back(is_there ? code.value(read_bits(smem, bit, width)) : 0.0);
  }
  return values;
}

std::vector<double> product(std::span<const double> a, std::span<const double> b, std::int64_t k) {
  const auto depth = static_cast<std::size_t>(k);
  const std::size_t m = a.size() / depth, n = b.size() / depth;
  std::vector<double> d(m * n);
  // One of the two is the identity: only what is not zero is multiplied.
  const bool is_a_identity = std::ranges::count(a, 0.0) * static_cast<std::ptrdiff_t>(b.size()) >
                             std::ranges::count(b, 0.0) * static_cast<std::ptrdiff_t>(a.size());
  const std::span<const double> few = is_a_identity ? a : b;
  const std::span<const double> many = is_a_identity ? b : a;
  for (std::size_t i = 0; i < few.size(); ++i) {
    if (few[i] == 0.0) continue;
    const std::size_t row = i / depth;
    for (std::size_t other = 0; other < many.size() / depth; ++other)
      d[is_a_identity ? row * n + other : other * n + row] += few[i] * many[other * depth + i % depth];
  }
  return d;
}

std::string place_name(std::int64_t bit) {
  return bit % 8 == 0 ? fmt::format("byte {}", bit / 8) : fmt::format("bit {} of byte {}", bit % 8, bit / 8);
}

std::string coordinate_name(std::int64_t index, TileExtents extents) {
  return fmt::format("({}, {})", index / extents.k, index % extents.k);
}

std::string operand_name(OperandRole operand, Major major, std::uint64_t word) {
  return fmt::format("{} {}, {}", operand == OperandRole::a ? "A" : "B", to_string(major), hex64(word));
}

OperandRole role_of(const Json& json) {
  const auto name = json.at("of").get<std::string>();
  if (name == "a") return OperandRole::a;
  if (name == "b") return OperandRole::b;
  throw Error(fmt::format("\"of\" is {}", swz::quoted(name)), "it is the operand that is probed: a or b");
}

void append_word(Json& json, Major major, std::uint64_t word) {
  json["major"] = major == Major::K ? "K" : "MN";
  json["word"] = hex64(word);
}

std::pair<Major, std::uint64_t> word_of(const Json& json) {
  const auto major = json.at("major").get<std::string>();
  if (major != "K" && major != "MN")
    throw Error(fmt::format("\"major\" is {}", swz::quoted(major)), "it is K or MN");
  return {major == "K" ? Major::K : Major::MN,
          parse_unsigned(json.at("word").get<std::string>(), 64, {"a word is written 0x…", ""})};
}

}  // namespace swz
