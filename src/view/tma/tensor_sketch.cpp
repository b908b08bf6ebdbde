// SPDX-License-Identifier: Apache-2.0
// The picture of a tensor map: its tensor, not to scale, with the first box, and the numbers of the map at their arrows.
// Each number that is refused is red, beside the rules that are broken and the ways out.
//
//                    globalStrides[1] 2 B (red)
//                    |--------->
//     dim 2          0           1           …  4095           globalStrides[1] = 2 B is not a multiple of 16 (red)
//   globalStrides[0] [   |    ]  [        ]     [       ]      → one element a step: …
//   128 B            [   |    ]  [        ]     [       ]
//   globalDim[1] 2     '-- boxDim (64, 2, 1)
//                    globalDim[0] 128, globalDim[2] 4096
//
// A number is at the end of its own arrow: the arrow from row to row is the outer one, so that the number of rows is
// below it, at the inner one.
//
// The planes beside each other are entries of dimension 2; what a map has further is a line of text.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "view/document/sketch_text.hpp"
#include "view/tma/tma.hpp"

namespace swz {
namespace {

constexpr double label_room = 104, arrows_room = 30, plane_height = 64, row_height = 20, plane_gap = 12, dots_room = 26,
                 widest_drawing = 430, narrowest_drawing = 180, between = 36, widest_plane = 190, widest_accepted = 560;

struct CheckedMap {
  TensorMap map;
  std::vector<TensorMapViolation> violations, remarks;

  std::uint64_t dim(int d) const { return map.dims[static_cast<std::size_t>(d)]; }
  std::uint64_t box(int d) const { return map.box[static_cast<std::size_t>(d)]; }
  bool is_refused(const std::string& argument) const {
    return std::ranges::any_of(violations, [&](const TensorMapViolation& v) { return v.argument == argument; });
  }
  Tone tone_of(const std::string& argument) const { return is_refused(argument) ? Tone::bad : Tone::plain; }
  Tone dim_tone(int d) const { return tone_of(fmt::format("dims[{}]", d)); }
  Tone stride_tone(int i) const { return tone_of(fmt::format("strides[{}]", i)); }
  std::string dim_text(int d) const { return fmt::format("globalDim[{}] {}", d, dim(d)); }
  std::string stride_text(int i) const {
    return fmt::format("globalStrides[{}] {} B", i, map.strides[static_cast<std::size_t>(i)]);
  }
  // How far the last box goes past the end of a dimension.
  std::uint64_t past_the_end(int d) const {
    const std::uint64_t step = std::max<std::uint64_t>(box(d), 1);
    return (step - dim(d) % step) % step;
  }
  std::string box_dims() const { return tuple_text(first_of(map.box, map.dim_count())); }
  bool has_wrong_box() const {
    return std::ranges::any_of(violations, [](const TensorMapViolation& v) { return v.argument.starts_with("box"); });
  }
};

// The entries of dimension 2 that are drawn: 0, 1 and the last.
struct Plane {
  std::uint64_t entry = 0;
  double x = 0;
  bool is_after_dots = false;
};

class TensorShapes {
 public:
  TensorShapes(const CheckedMap& checked, double width) : of_(checked), width_(width) {
    has_rows_ = of_.map.dim_count() > 1;
    is_wide_ = width >= widest_drawing + 260;
    left_ = has_rows_ ? label_room + arrows_room : 0;
    place_planes();
  }

  Sketch::Shapes shapes() {
    double y = add_lines(shapes_, "global memory, not to scale", Tone::strong, {0, -2, width_}) + 4;
    y = add_outer_stride(y);
    add_planes(y);
    if (has_rows_) add_rows(y);
    y = add_box_numbers(y + plane_height);
    y = add_extents(y);
    y = add_rest(y);
    const double beside = std::max(right(), left_ + narrowest_drawing) + between;
    const double words = is_wide_ ? add_findings({beside, 17, width_ - beside}) : add_findings({0, y + 6, width_});
    shapes_.width = width_;
    shapes_.height = std::max(y, words) + 6;
    return std::move(shapes_);
  }

 private:
  void place_planes() {
    const std::uint64_t entries = of_.map.dim_count() > 2 ? std::max<std::uint64_t>(of_.dim(2), 1) : 1;
    const auto count = static_cast<double>(std::min<std::uint64_t>(entries, 3));
    const bool has_dots = entries > 3;
    const double most = of_.violations.empty() && of_.remarks.empty() ? width_ : std::min(width_, widest_drawing);
    const double room = most - left_ - plane_gap * (count - 1) - (has_dots ? dots_room : 0);
    // Without words beside it a tensor may be wider.
    plane_width_ = std::min(of_.violations.empty() ? widest_accepted : widest_plane, room / count);
    double x = left_;
    for (const std::uint64_t entry : {std::uint64_t{0}, std::uint64_t{1}, entries - 1}) {
      if (!planes_.empty() && (entries < 2 || entry <= planes_.back().entry)) continue;
      const bool is_after_dots = has_dots && entry > 1;
      planes_.push_back({entry, x + (is_after_dots ? dots_room : 0), is_after_dots});
      x = planes_.back().x + plane_width_ + plane_gap;
    }
  }

  double right() const { return planes_.back().x + plane_width_; }
  void text(double x, double y, const std::string& what, Tone tone,
            Sketch::Text::Anchor anchor = Sketch::Text::Anchor::start) {
    shapes_.texts.push_back({x, y, what, tone, anchor});
  }
  // A dimension line; with two heads it is an extent.
  void measure(double x1, double y1, double x2, double y2, Tone tone, bool has_two_heads) {
    shapes_.lines.push_back({x1, y1, x2, y2, tone, true});
    if (has_two_heads) shapes_.lines.push_back({x2, y2, x1, y1, tone, true});
  }

  // From one entry of dimension 2 to the next, and the numbers of the entries.
  double add_outer_stride(double y) {
    if (of_.map.dim_count() < 3) return y + 6;
    const Tone tone = of_.stride_tone(1);
    text(left_, y += sketch_line, of_.stride_text(1), tone);
    y += 10;
    if (planes_.size() > 1) {
      for (const double x : {planes_[0].x, planes_[1].x}) shapes_.lines.push_back({x, y - 4, x, y + 22, tone});
      measure(planes_[0].x, y, planes_[1].x, y, tone, false);
    }
    y += sketch_line + 2;
    text(left_ - 8, y, "dimension 2", Tone::faint, Sketch::Text::Anchor::end);
    for (const Plane& plane : planes_) {
      if (plane.is_after_dots) text(plane.x - (plane_gap + dots_room) / 2, y, "…", Tone::faint);
      text(plane.x + plane_width_ / 2, y, std::to_string(plane.entry), Tone::faint, Sketch::Text::Anchor::middle);
    }
    return y + 6;
  }

  void add_planes(double y) {
    const auto share = [&](int d, double all) { return of_.box(d) < of_.dim(d) ? all / 2 : all; };
    for (const Plane& plane : planes_) {
      Sketch::Box outline{plane.x, y, plane_width_, plane_height};
      outline.tip = of_.map.dim_count() > 2 ? fmt::format("entry {} of dimension 2", plane.entry) : "the tensor";
      shapes_.boxes.push_back(outline);
      if (of_.map.dim_count() > 2 && plane.entry >= of_.box(2)) continue;
      const double across = share(0, plane_width_), down = has_rows_ ? share(1, plane_height) : plane_height;
      Sketch::Box box{plane.x, y, across, down, box_text(across, down)};
      box.tint = {0, 0};
      if (of_.has_wrong_box()) box.mark = Mark::colliding;
      shapes_.boxes.push_back(std::move(box));
    }
  }

  // "boxDim" over "(64, 128)" where they have room.
  std::string box_text(double width, double height) const {
    constexpr double letter = 6.6;
    const std::string dims = of_.box_dims();
    const bool fits = static_cast<double>(dims.size()) * letter <= width && height >= 2 * sketch_line;
    return fits && !of_.has_wrong_box() ? "boxDim\n" + dims : "";
  }

  // Below a box that has no room for its numbers, on a line from it.
  double add_box_numbers(double y) {
    const auto box = std::ranges::find_if(shapes_.boxes, [](const Sketch::Box& b) { return b.tint.hue >= 0; });
    if (box == shapes_.boxes.end() || !box->text.empty()) return y;
    const Tone tone = of_.has_wrong_box() ? Tone::bad : Tone::plain;
    const double x = box->x + std::min(box->width / 2, 12.0), foot = y + 12;
    shapes_.lines.push_back({x, y - 12, x, foot, tone});
    shapes_.lines.push_back({x, foot, x + 8, foot, tone});
    text(x + 12, foot + 4, "boxDim " + of_.box_dims(), tone);
    return foot + 6;
  }

  // From one row to the next, and how many there are.
  void add_rows(double y) {
    const double outer = left_ - 20, inner = left_ - 8;
    const auto anchor = Sketch::Text::Anchor::end;
    const Tone stride = of_.stride_tone(0), dim = of_.dim_tone(1);
    measure(inner, y, inner, y + plane_height, dim, true);
    text(inner - 7, y + plane_height - 6, of_.dim_text(1), dim, anchor);
    for (const double row : {y, y + row_height})
      shapes_.lines.push_back({outer - 4, row, left_ + (row > y ? 8 : 0), row, stride});
    measure(outer, y, outer, y + row_height, stride, false);
    text(outer - 7, y + 10, "globalStrides[0]", stride, anchor);
    text(outer - 7, y + 24, fmt::format("{} B", of_.map.strides[0]), stride, anchor);
  }

  double add_extents(double y) {
    const auto extent = [&](double to, int d) {
      measure(left_, y + 10, to, y + 10, of_.dim_tone(d), true);
      text(left_, y + 26, of_.dim_text(d), of_.dim_tone(d));
      y += 28;
    };
    extent(left_ + plane_width_, 0);
    if (of_.map.dim_count() > 2) extent(right(), 2);
    return y;
  }

  // The dimensions that have no place in the drawing, and the boxes that go past the end.
  double add_rest(double y) {
    for (int d = 3; d < of_.map.dim_count(); ++d) {
      text(left_, y += sketch_line, of_.dim_text(d), of_.dim_tone(d));
      text(left_, y += sketch_line, of_.stride_text(d - 1), of_.stride_tone(d - 1));
    }
    for (int d = 0; of_.violations.empty() && d < of_.map.dim_count(); ++d)
      if (const std::uint64_t past = of_.past_the_end(d); past != 0)
        text(left_, y += sketch_line, fmt::format("dimension {}: the last box goes {} past the end", d, past),
             Tone::plain);
    return y;
  }

  double add_findings(SketchRoom room) {
    const auto add = [&](const Finding& finding, Tone tone) {
      room.y = add_lines(shapes_, finding.message, tone, room);
      if (!finding.hint.empty()) room.y = add_lines(shapes_, "→ " + finding.hint, Tone::strong, room);
      room.y += 8;
    };
    for (const TensorMapViolation& v : of_.violations) add(v, Tone::bad);
    for (const TensorMapViolation& v : of_.remarks) add(v, Tone::plain);
    return room.y;
  }

  const CheckedMap& of_;
  double width_ = 0, left_ = 0, plane_width_ = 0;
  bool has_rows_ = false, is_wide_ = false;
  std::vector<Plane> planes_;
  Sketch::Shapes shapes_;
};

}  // namespace

Sketch tensor_sketch(const TensorMapVerdict& verdict) {
  Sketch sketch;
  sketch.shapes = [checked = CheckedMap{verdict.map, verdict.violations, verdict.remarks}](double width) {
    return TensorShapes(checked, width).shapes();
  };
  return sketch;
}

}  // namespace swz
