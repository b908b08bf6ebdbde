#include "im2col_request.hpp"

#include "base/error.hpp"

namespace swz {
namespace {

std::uint64_t one_number(const NumberList& list, std::string_view option) {
  if (list.size() != 1)
    throw usage_error(fmt::format("{} has {} numbers; it has 1", option, list.size()),
                      "channelsPerPixel and pixelsPerColumn of an im2col map: --channels 64 --pixels 128");
  return list.numbers[0];
}

std::array<std::int64_t, 3> corner_of(const NumberList& list, std::string_view option, const Im2colMap& map) {
  std::array<std::int64_t, 3> corner{};
  // A rank without corners is refused as such, whatever stands here.
  if (map.corner_count() == 0) return corner;
  require_count(option, list.size(), static_cast<std::size_t>(map.corner_count()),
                map.wide ? "of Im2colWide the offset along W alone"
                         : "one offset for each dimension between the channels and the images, W first");
  for (std::size_t i = 0; i < list.size(); ++i) corner[i] = static_cast<std::int64_t>(list.numbers[i]);
  return corner;
}

}  // namespace

Options im2col_options(Im2colRequest& r) {
  const Words im2col{"--im2col"};
  return {
      flag("--im2col", r.is_im2col, "an im2col map: the arguments of cuTensorMapEncodeIm2col")
          .excluding({"--box"}, "--lower, --upper, --channels and --pixels say what a copy loads"),
      option("--lower", "N,...", r.lower, "pixelBoxLowerCorner: offsets along W, H, D").needing(im2col),
      option("--upper", "N,...", r.upper, "pixelBoxUpperCorner: offsets along W, H, D").needing(im2col),
      option("--channels", "N", r.channels, "channelsPerPixel").needing(im2col),
      option("--pixels", "N", r.pixels, "pixelsPerColumn").needing(im2col),
      one_of<Im2colWideMode>("--wide", "MODE", r.wide, {{"w", Im2colWideMode::w}, {"w128", Im2colWideMode::w128}},
                             "the mode of cuTensorMapEncodeIm2colWide, whose corners have W alone")
          .needing(im2col)};
}

Im2colMap im2col_map_of(const Im2colRequest& im2col, const TensorMapRequest& tensor) {
  Im2colMap map{.tensor = tensor_of(tensor)};
  map.wide = im2col.wide;
  map.lower_corner = corner_of(im2col.lower, "--lower", map);
  map.upper_corner = corner_of(im2col.upper, "--upper", map);
  map.channels_per_pixel = one_number(im2col.channels, "--channels");
  // Mode W128 ignores it.
  if (map.wide != Im2colWideMode::w128 || !im2col.pixels.empty())
    map.pixels_per_column = one_number(im2col.pixels, "--pixels");
  return map;
}

}  // namespace swz
