#include "tensor_map_options.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "descriptor/word.hpp"

namespace swz {
namespace {

constexpr std::size_t most_numbers = 16;

bool is_separator(char c) { return std::string_view(" \t\n,;()[]{}").find(c) != std::string_view::npos; }

// "64x128" is two numbers, "0x40" is one.
bool is_by(const std::string& text, std::size_t i, const std::string& word) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text[i] != 'x' || word.empty() || word == "0" || i + 1 == text.size()) return false;
  return is_digit(word.back()) && is_digit(text[i + 1]);
}

std::uint64_t parse_number(const std::string& word, std::string_view option) {
  const bool is_negative = word.starts_with('-');
  const NumberHints hints{fmt::format("{} takes numbers with commas between them: 64,128", option),
                          "the driver takes 64 bits"};
  const std::uint64_t magnitude = parse_unsigned(is_negative ? std::string_view(word).substr(1) : word, 64, hints);
  if (!is_negative) return magnitude;
  if (magnitude > 1ULL << 63)
    throw Error(fmt::format("{} does not fit in 64 bits", swz::quoted(word)), hints.too_wide, {}, ErrorKind::usage);
  return 0 - magnitude;
}

template <std::size_t n>
void fill(std::array<std::uint64_t, n>& to, const std::vector<std::uint64_t>& from) {
  for (std::size_t i = 0; i < n && i < from.size(); ++i) to[i] = from[i];
}

}  // namespace

void require_count(std::string_view option, std::size_t found, std::size_t wanted, std::string_view hint) {
  if (found == wanted) return;
  throw Error(
      fmt::format("{} has {} number{}; with these --dims it has {}", option, found, found == 1 ? "" : "s", wanted),
      std::string(hint), {}, ErrorKind::usage);
}

std::vector<std::uint64_t> parse_numbers(const std::string& text, std::string_view option) {
  std::vector<std::uint64_t> numbers;
  std::string word;
  const auto take = [&] {
    if (!word.empty()) numbers.push_back(parse_number(word, option));
    word.clear();
    if (numbers.size() > most_numbers)
      throw Error(fmt::format("{} has more than {} numbers", option, most_numbers),
                  "a tensor has 1 to 5 dimensions", {}, ErrorKind::usage);
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_separator(text[i]) || is_by(text, i, word)) take();
    else word += text[i];
  }
  take();
  return numbers;
}

void add_tensor_map_options(CLI::App& app, TensorMapOptions& options) {
  app.add_option("--dtype", options.dtype, "data type: FLOAT16, f16, or the enum's number (default: f16)")
      ->type_name("TYPE");
  app.add_option("--dims", options.dims, "globalDim: elements along each dimension, innermost first")
      ->type_name("N,N,...");
  app.add_option("--strides", options.strides, "globalStrides: bytes, of dimension 1 and later")
      ->type_name("BYTES,...");
  app.add_option("--box", options.box, "boxDim: elements along each dimension")->type_name("N,N,...");
  app.add_option("--element-strides", options.element_strides, "elementStrides (default: 1 for each)")
      ->type_name("N,N,...");
  app.add_option("--interleave", options.interleave, "interleave (default: none)")
      ->type_name("NAME:{none,16B,32B}");
  app.add_option("--swizzle", options.swizzle, "swizzle, by any of its names or the enum's number (default: none)")
      ->type_name("MODE:{none,32B,64B,128B,128B_ATOM_32B,128B_ATOM_32B_FLIP_8B,128B_ATOM_64B}");
  app.add_option("--l2", options.l2, "L2 promotion (default: none)")->type_name("NAME:{none,64B,128B,256B}");
  app.add_option("--oob", options.oob, "what fills elements outside of the tensor (default: zero)")
      ->type_name("NAME:{zero,nan}");
  app.add_option("--address", options.address, "globalAddress (default: 0)")->type_name("ADDRESS");
}

TensorMap tensor_of(const TensorMapOptions& options) {
  if (options.dims.empty())
    throw Error("no tensor given", "--dims, --strides and --box, innermost dimension first: --dims 4096,8192", {},
                ErrorKind::usage);
  const std::vector<std::uint64_t> dims = parse_numbers(options.dims, "--dims");
  const std::vector<std::uint64_t> strides = parse_numbers(options.strides, "--strides");
  std::vector<std::uint64_t> element_strides = parse_numbers(options.element_strides, "--element-strides");
  if (element_strides.empty()) element_strides.assign(dims.size(), 1);
  require_count("--strides", strides.size(), dims.empty() ? 0 : dims.size() - 1,
                "dimension 0 has no stride: the driver takes those of dimension 1 and later, in bytes");
  require_count("--element-strides", element_strides.size(), dims.size(), "1 for each dimension, as a rule");

  TensorMap map{.data_type = require_tensor_map_data_type(options.dtype),
                .rank = static_cast<int>(dims.size()),
                .global_address = parse_word64(options.address),
                .interleave = require_tensor_map_interleave(options.interleave),
                .swizzle = require_tensor_map_swizzle(options.swizzle),
                .l2_promotion = require_tensor_map_l2_promotion(options.l2),
                .oob_fill = require_tensor_map_oob_fill(options.oob)};
  fill(map.dims, dims);
  fill(map.strides, strides);
  fill(map.element_strides, element_strides);
  return map;
}

TensorMap tensor_map_of(const TensorMapOptions& options) {
  TensorMap map = tensor_of(options);
  const std::vector<std::uint64_t> box = parse_numbers(options.box, "--box");
  require_count("--box", box.size(), static_cast<std::size_t>(map.rank),
                "the elements of a box along each dimension, innermost first");
  fill(map.box, box);
  return map;
}

std::string option_line(const TensorMap& map) {
  const auto list = [](const auto& values, int count) {
    return fmt::to_string(fmt::join(values.begin(), values.begin() + count, ","));
  };
  std::string line =
      fmt::format("--dtype {} --dims {}", short_name(map.data_type), list(map.dims, map.dim_count()));
  if (map.rank > 1) line += " --strides " + list(map.strides, map.stride_count());
  return line + fmt::format(" --box {} --element-strides {} --interleave {} --swizzle {} --l2 {} --oob {}",
                            list(map.box, map.dim_count()), list(map.element_strides, map.dim_count()),
                            short_name(map.interleave), short_name(map.swizzle), short_name(map.l2_promotion),
                            short_name(map.oob_fill));
}

}  // namespace swz
