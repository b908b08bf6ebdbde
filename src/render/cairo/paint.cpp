// SPDX-License-Identifier: Apache-2.0
#include "render/cairo/paint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "render/cairo/library.hpp"
#include "render/display.hpp"
#include "render/scene.hpp"

namespace swz {
namespace {

constexpr double pixels_per_pixel = 2;
constexpr double points_per_pixel = 0.75;  // 96 pixels and 72 points per inch
constexpr double most_pixels = 4e7;        // of a PNG: 160 MB while it is painted
constexpr double longest_side = 32000;     // cairo's images end at 32767

cairo_status_t append_bytes(void* closure, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

class Painter {
 public:
  Painter(const Cairo& cairo, cairo_t* context, const Scene& scene)
      : cairo_(cairo), context_(context), theme_(scene.theme), palette_(scene.palette) {}

  void operator()(const Box& box) const {
    if (box.is_filled && box.fill.ink == Ink::page && theme_ == Theme::transparent) return;
    if (box.is_filled) {
      set_paint(box.fill);
      // The page covers the last pixel, too.
      const double over = box.fill.ink == Ink::page ? 1 : 0;
      cairo_.rectangle(context_, box.x, box.y, box.width + over, box.height + over);
      cairo_.fill(context_);
    }
    if (box.stroke_width <= 0) return;
    Paint stroke = box.stroke;
    stroke.faint = box.is_filled && box.fill.faint;
    set_paint(stroke);
    cairo_.set_line_width(context_, box.stroke_width);
    cairo_.rectangle(context_, box.x, box.y, box.width, box.height);
    cairo_.stroke(context_);
  }

  void operator()(const Rule& rule) const {
    set_paint(rule.paint);
    cairo_.set_line_width(context_, rule.width);
    cairo_.move_to(context_, rule.x1, rule.y1);
    cairo_.line_to(context_, rule.x2, rule.y2);
    cairo_.stroke(context_);
  }

  void operator()(const Label& label) const {
    set_paint(label.paint);
    cairo_.select(context_, label.face);
    cairo_.set_font_size(context_, label.size);
    const std::string text = printable(label.text);
    double x = label.x;
    if (label.anchor != Label::Anchor::start) {
      cairo_text_extents_t extents;
      cairo_.text_extents(context_, text.c_str(), &extents);
      x -= label.anchor == Label::Anchor::middle ? extents.x_advance / 2 : extents.x_advance;
    }
    cairo_.move_to(context_, x, label.y);
    cairo_.show_text(context_, text.c_str());
  }

 private:
  void set_paint(const Paint& paint) const {
    const Rgb c = rgb_of(paint, page_of(theme_), palette_);
    cairo_.set_source_rgba(context_, c.red / 255.0, c.green / 255.0, c.blue / 255.0, paint.faint ? faint_opacity : 1);
  }

  const Cairo& cairo_;
  cairo_t* context_;
  Theme theme_;
  Palette palette_;
};

void paint(const Cairo& cairo, cairo_surface_t* surface, const Scene& scene, double scale) {
  cairo.require(cairo.surface_status(surface));
  const std::shared_ptr<cairo_t> context(cairo.create(surface), cairo.destroy);
  cairo.scale(context.get(), scale, scale);
  const Painter painter(cairo, context.get(), scene);
  for (const auto& item : scene.items) std::visit(painter, item);
  cairo.require(cairo.status(context.get()));
}

std::string paint_png(const Cairo& cairo, const Scene& scene) {
  double scale = pixels_per_pixel;
  const auto is_too_large = [&] {
    return scene.width * scene.height * scale * scale > most_pixels ||
           std::max(scene.width, scene.height) * scale > longest_side;
  };
  if (is_too_large()) scale = 1;
  if (is_too_large())
    throw Error(fmt::format("a picture of {:.0f} x {:.0f} pixels is too large for a PNG", scene.width, scene.height),
                "take -f svg or -f pdf, or draw a part of it");
  const auto pixels = [scale](double side) { return static_cast<int>(side * scale + 0.5); };
  const std::shared_ptr<cairo_surface_t> image(
      cairo.image_surface_create(scene.theme == Theme::transparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24,
                                 pixels(scene.width), pixels(scene.height)),
      cairo.surface_destroy);
  paint(cairo, image.get(), scene, scale);
  std::string out;
  cairo.require(cairo.surface_write_to_png_stream(image.get(), append_bytes, &out));
  return out;
}

std::string paint_pdf(const Cairo& cairo, const Scene& scene) {
  std::string out;
  {
    const std::shared_ptr<cairo_surface_t> pdf(
        cairo.pdf_surface_create_for_stream(append_bytes, &out, scene.width * points_per_pixel,
                                            scene.height * points_per_pixel),
        cairo.surface_destroy);
    // The date would make every file different.
    cairo.pdf_surface_set_metadata(pdf.get(), CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    cairo.pdf_surface_set_metadata(pdf.get(), CAIRO_PDF_METADATA_TITLE, printable(scene.title).c_str());
    paint(cairo, pdf.get(), scene, points_per_pixel);
    cairo.surface_finish(pdf.get());
    cairo.require(cairo.surface_status(pdf.get()));
  }
  return out;
}

}  // namespace

std::string paint_scene(const Scene& scene, PaintedFormat format) {
  const Cairo cairo("PNG and PDF need");
  return format == PaintedFormat::png ? paint_png(cairo, scene) : paint_pdf(cairo, scene);
}

}  // namespace swz
