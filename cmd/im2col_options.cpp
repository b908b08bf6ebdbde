#include "im2col_options.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "options.hpp"

namespace swz {
namespace {

[[noreturn]] void throw_usage(std::string message, std::string hint) {
  throw Error(std::move(message), std::move(hint), {}, ErrorKind::usage);
}

std::uint64_t one_number(const std::string& text, std::string_view option) {
  const std::vector<std::uint64_t> numbers = parse_numbers(text, option);
  if (numbers.size() != 1)
    throw_usage(fmt::format("{} has {} numbers; it has 1", option, numbers.size()),
                "channelsPerPixel and pixelsPerColumn of an im2col map: --channels 64 --pixels 128");
  return numbers[0];
}

std::array<std::int64_t, 3> corner_of(const std::string& text, std::string_view option, const Im2colMap& map) {
  const std::vector<std::uint64_t> numbers = parse_numbers(text, option);
  std::array<std::int64_t, 3> corner{};
  // A rank without corners is refused as such, whatever stands here.
  if (map.corner_count() == 0) return corner;
  require_count(option, numbers.size(), static_cast<std::size_t>(map.corner_count()),
                map.wide ? "of Im2colWide the offset along W alone"
                         : "one offset for each dimension between the channels and the images, W first");
  for (std::size_t i = 0; i < numbers.size(); ++i) corner[i] = static_cast<std::int64_t>(numbers[i]);
  return corner;
}

}  // namespace

void add_im2col_options(CLI::App& app, Im2colOptions& options) {
  app.add_flag("--im2col", options.is_im2col, "an im2col map: the arguments of cuTensorMapEncodeIm2col");
  app.add_option("--lower", options.lower, "pixelBoxLowerCorner: offsets along W, H, D")->type_name("N,...");
  app.add_option("--upper", options.upper, "pixelBoxUpperCorner: offsets along W, H, D")->type_name("N,...");
  app.add_option("--channels", options.channels, "channelsPerPixel")->type_name("N");
  app.add_option("--pixels", options.pixels, "pixelsPerColumn")->type_name("N");
  app.add_option("--wide", options.wide, "the mode of cuTensorMapEncodeIm2colWide, whose corners have W alone")
      ->check(CLI::IsMember(std::vector<std::string>{"w", "w128"}, CLI::ignore_case));
}

void add_im2col_refusal(CLI::App& app) {
  app.add_flag_callback(
         "--im2col",
         [] {
           throw_usage(
               "im2col maps can only be checked: neither their 128 bytes nor their loads were ever measured",
               "swz tma check --im2col knows which arguments are refused");
         },
         "refused: im2col maps can only be checked")
      ->group(hidden_group);
}

void require_im2col(const Im2colOptions& options) {
  if (options.is_im2col) return;
  const std::pair<const char*, const std::string*> all[] = {{"--lower", &options.lower},
                                                            {"--upper", &options.upper},
                                                            {"--channels", &options.channels},
                                                            {"--pixels", &options.pixels},
                                                            {"--wide", &options.wide}};
  for (const auto& [name, value] : all)
    if (!value->empty())
      throw_usage(fmt::format("{} belongs to an im2col map", name), "--im2col takes it; a tiled map has a --box");
}

Im2colMap im2col_map_of(const Im2colOptions& options, const TensorMapOptions& tensor) {
  if (!tensor.box.empty())
    throw_usage("an im2col map has no box", "--lower, --upper, --channels and --pixels say what a copy loads");
  Im2colMap map{.tensor = tensor_of(tensor)};
  if (!options.wide.empty())
    map.wide = options.wide == "w" || options.wide == "W" ? Im2colWideMode::w : Im2colWideMode::w128;
  map.lower_corner = corner_of(options.lower, "--lower", map);
  map.upper_corner = corner_of(options.upper, "--upper", map);
  map.channels_per_pixel = one_number(options.channels, "--channels");
  // Mode W128 ignores it.
  if (map.wide != Im2colWideMode::w128 || !options.pixels.empty())
    map.pixels_per_column = one_number(options.pixels, "--pixels");
  return map;
}

}  // namespace swz
