#include "tile_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/word.hpp"
#include "smem/choose.hpp"

namespace swz {
namespace {

constexpr std::int64_t largest_extent = std::int64_t{1} << 20;

// The numbers of "128x64", "(128,64)", "m64n256k16": whatever stands between them is left to the caller to check.
std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) continue;
    std::int64_t n = 0;
    for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0; ++i)
      n = std::min(largest_extent + 1, n * 10 + (text[i] - '0'));
    numbers.push_back(n);
  }
  return numbers;
}

// The text without its digits, blanks and parentheses, in lower case: "x" for "128x64", "mnk" for "m64n256k16".
std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char c : text)
    if (std::isdigit(static_cast<unsigned char>(c)) == 0 && c != ' ' && c != '(' && c != ')')
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

bool are_extents(const std::vector<std::int64_t>& numbers) {
  for (const std::int64_t n : numbers)
    if (n < 1 || n > largest_extent) return false;
  return true;
}

}  // namespace

TileExtents parse_extents(const std::string& text, std::string_view what) {
  const std::vector<std::int64_t> numbers = numbers_in(text);
  const std::string letters = letters_of(text);
  if (numbers.size() != 2 || !are_extents(numbers) || (letters != "x" && letters != ","))
    throw Error(fmt::format("cannot read {} as {}", swz::quoted(text), what),
                "two extents in elements, rows of M or N first, then K: 128x64", {}, ErrorKind::usage);
  return {numbers[0], numbers[1]};
}

Major parse_major(const std::string& text) {
  std::string name;
  for (const char c : text) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name.ends_with("-major")) name.resize(name.size() - 6);
  if (name == "k") return Major::K;
  if (name == "mn" || name == "m" || name == "n") return Major::MN;
  throw Error(fmt::format("unknown major {}", swz::quoted(text)),
              "k: the elements along K are contiguous; mn: those along M or N", {}, ErrorKind::usage);
}

Bytes parse_base(const std::string& text) {
  const std::uint64_t base = parse_word64(text);
  if (base > (std::uint64_t{1} << 32))
    throw Error(fmt::format("base {} is not a shared-memory address", text),
                "shared-memory addresses have 32 bits: what __cvta_generic_to_shared returns", {},
                ErrorKind::usage);
  return Bytes{static_cast<std::int64_t>(base)};
}

std::optional<MmaExtents> parse_instruction(const std::string& text) {
  const std::vector<std::int64_t> numbers = numbers_in(text);
  const std::string letters = letters_of(text);
  if (numbers.size() != 3 || !are_extents(numbers) || (letters != "xx" && letters != ",," && letters != "mnk"))
    return std::nullopt;
  return MmaExtents{numbers[0], numbers[1], numbers[2]};
}

MmaExtents parse_mnk(const std::string& text, std::string_view what) {
  if (const auto whole = parse_instruction(text)) return *whole;
  throw Error(fmt::format("cannot read {} as {}", swz::quoted(text), what),
              "M, N and K in elements: m64n256k16 or 64x256x16", {}, ErrorKind::usage);
}

TileExtents parse_mma_extents(const std::string& text, std::string_view operand) {
  if (const auto whole = parse_instruction(text)) return {operand == "b" ? whole->n : whole->m, whole->k};
  const std::vector<std::int64_t> numbers = numbers_in(text);
  const std::string letters = letters_of(text);
  if (are_extents(numbers) && numbers.size() == 2 &&
      (letters == "x" || letters == "," || letters == "mk" || letters == "nk"))
    return {numbers[0], numbers[1]};
  throw Error(fmt::format("cannot read {} as an MMA shape", swz::quoted(text)),
              "m64n256k16, or the rows and K of the operand itself: 64x16", {}, ErrorKind::usage);
}

MmaOperand parse_mma_operand(const std::string& text, std::string_view operand, const OperandChoice& choice) {
  if (const auto whole = parse_instruction(text))
    return mma_operand(*whole, operand == "b" ? OperandRole::b : OperandRole::a, choice);
  return {parse_mma_extents(text, operand)};
}

void add_tile_shape_options(CLI::App& app, TileOptions& options) {
  app.add_option("--dtype", options.dtype, "element type (default: f16)")->type_name("TYPE");
  app.add_option("--tile", options.tile, "extents in elements, rows of M or N first, then K: 128x64")
      ->type_name("MNxK");
  app.add_option("--major", options.major, "contiguous dimension, k or mn (default: k)")->type_name("k|mn");
  app.add_flag("--slots", options.slots, "4- and 6-bit types in 8-bit slots, as kind::f8f6f4 reads them");
}

void add_tile_options(CLI::App& app, TileOptions& options) {
  std::vector<std::string> swizzles{"auto"};
  for (const SwizzleMode& mode : swizzle_modes()) swizzles.emplace_back(mode.name);
  add_tile_shape_options(app, options);
  app.add_option("--swizzle", options.swizzle, "swizzle mode by any of its names, or auto (default: 128B)")
      ->type_name(fmt::format("MODE:{{{}}}", fmt::join(swizzles, ",")));
  app.add_option("--order", options.order, "which way the atoms follow each other (default: mn-first)")
      ->check(CLI::IsMember(std::vector<std::string>{"mn-first", "k-first"}));
  app.add_option("--base", options.base, "shared-memory address of the tile (default: 0)")->type_name("ADDRESS");
}

const Target& target_of(const Common& common) {
  return common.arch.empty() ? default_target() : require_target(common.arch);
}

TileShape tile_shape_of(const TileOptions& options) {
  if (options.tile.empty())
    throw Error("no tile given", "its rows of M or N and its K in elements, for example --tile 128x64", {},
                ErrorKind::usage);
  return {&require_dtype(options.dtype), options.slots ? Packing::slots : Packing::packed,
          parse_major(options.major), parse_extents(options.tile, "a tile")};
}

SmemTile tile_of(const TileOptions& options, const Target& target) {
  const TileShape shape = tile_shape_of(options);
  const bool is_auto = options.swizzle == "auto";
  return SmemTile({.dtype = shape.dtype->name,
                   .packing = shape.packing,
                   .major = shape.major,
                   .mn = shape.extents.mn,
                   .k = shape.extents.k,
                   .swizzle = is_auto ? choose_swizzle(shape, target).mode->name : options.swizzle,
                   .order = require_stacking_order(options.order),
                   .base = parse_base(options.base)});
}

}  // namespace swz
