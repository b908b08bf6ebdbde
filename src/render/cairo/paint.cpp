#include "render/cairo/paint.hpp"

#include <cairo-pdf.h>
#include <cairo.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "render/display.hpp"
#include "render/scene.hpp"

namespace swz {
namespace {

constexpr double pixels_per_pixel = 2;
constexpr double points_per_pixel = 0.75;  // 96 pixels and 72 points an inch
constexpr double most_pixels = 4e7;        // of a PNG: 160 MB while it is painted
constexpr double longest_side = 32000;     // cairo's images end at 32767

constexpr const char* library_name = "libcairo.so.2";

// The functions of libcairo that are used, under their own names.
class Cairo {
 public:
  Cairo() : handle_(dlopen(library_name, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr)
      throw Error(fmt::format("PNG and PDF need {}, which cannot be opened", library_name),
                  "install cairo (Debian, Ubuntu: libcairo2), or take -f svg, which needs nothing");
  }
  // The library stays open: what it registered at exit must still be there.

  template <class Function>
  Function* find(const char* name) const {
    void* symbol = dlsym(handle_, name);
    if (symbol == nullptr) throw Error(fmt::format("{} has no {}", library_name, name), "take -f svg");
    return reinterpret_cast<Function*>(symbol);
  }

 private:
  void* handle_;

 public:
#define SWZ_CAIRO(name) decltype(::cairo_##name)* const name = find<decltype(::cairo_##name)>("cairo_" #name)
  SWZ_CAIRO(create);
  SWZ_CAIRO(destroy);
  SWZ_CAIRO(status);
  SWZ_CAIRO(status_to_string);
  SWZ_CAIRO(scale);
  SWZ_CAIRO(rectangle);
  SWZ_CAIRO(move_to);
  SWZ_CAIRO(line_to);
  SWZ_CAIRO(fill);
  SWZ_CAIRO(stroke);
  SWZ_CAIRO(set_line_width);
  SWZ_CAIRO(set_source_rgba);
  SWZ_CAIRO(select_font_face);
  SWZ_CAIRO(set_font_size);
  SWZ_CAIRO(text_extents);
  SWZ_CAIRO(show_text);
  SWZ_CAIRO(surface_destroy);
  SWZ_CAIRO(surface_finish);
  SWZ_CAIRO(surface_status);
  SWZ_CAIRO(image_surface_create);
  SWZ_CAIRO(surface_write_to_png_stream);
  SWZ_CAIRO(pdf_surface_create_for_stream);
  SWZ_CAIRO(pdf_surface_set_metadata);
#undef SWZ_CAIRO
};

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
    const bool mono = label.face == Label::Face::mono;
    cairo_.select_font_face(
        context_, mono ? "monospace" : "sans-serif", CAIRO_FONT_SLANT_NORMAL,
        label.face == Label::Face::sans_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
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
    cairo_.set_source_rgba(context_, c.red / 255.0, c.green / 255.0, c.blue / 255.0,
                           paint.faint ? faint_opacity : 1);
  }

  const Cairo& cairo_;
  cairo_t* context_;
  Theme theme_;
  Palette palette_;
};

void require(const Cairo& cairo, cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw Error(fmt::format("cairo cannot paint this: {}", cairo.status_to_string(status)), "take -f svg");
}

void paint(const Cairo& cairo, cairo_surface_t* surface, const Scene& scene, double scale) {
  require(cairo, cairo.surface_status(surface));
  const std::shared_ptr<cairo_t> context(cairo.create(surface), cairo.destroy);
  cairo.scale(context.get(), scale, scale);
  const Painter painter(cairo, context.get(), scene);
  for (const auto& item : scene.items) std::visit(painter, item);
  require(cairo, cairo.status(context.get()));
}

std::string paint_png(const Cairo& cairo, const Scene& scene) {
  double scale = pixels_per_pixel;
  const auto is_too_large = [&] {
    return scene.width * scene.height * scale * scale > most_pixels ||
           std::max(scene.width, scene.height) * scale > longest_side;
  };
  if (is_too_large()) scale = 1;
  if (is_too_large())
    throw Error(
        fmt::format("a picture of {:.0f} x {:.0f} pixels is too large for a PNG", scene.width, scene.height),
        "take -f svg or -f pdf, or draw a part of it");
  const auto pixels = [scale](double side) { return static_cast<int>(side * scale + 0.5); };
  const std::shared_ptr<cairo_surface_t> image(
      cairo.image_surface_create(scene.theme == Theme::transparent ? CAIRO_FORMAT_ARGB32 : CAIRO_FORMAT_RGB24,
                                 pixels(scene.width), pixels(scene.height)),
      cairo.surface_destroy);
  paint(cairo, image.get(), scene, scale);
  std::string out;
  require(cairo, cairo.surface_write_to_png_stream(image.get(), append_bytes, &out));
  return out;
}

std::string paint_pdf(const Cairo& cairo, const Scene& scene) {
  std::string out;
  {
    const std::shared_ptr<cairo_surface_t> pdf(
        cairo.pdf_surface_create_for_stream(append_bytes, &out, scene.width * points_per_pixel,
                                            scene.height * points_per_pixel),
        cairo.surface_destroy);
    // The date would make every file another one.
    cairo.pdf_surface_set_metadata(pdf.get(), CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    cairo.pdf_surface_set_metadata(pdf.get(), CAIRO_PDF_METADATA_TITLE, printable(scene.title).c_str());
    paint(cairo, pdf.get(), scene, points_per_pixel);
    cairo.surface_finish(pdf.get());
    require(cairo, cairo.surface_status(pdf.get()));
  }
  return out;
}

}  // namespace

std::string paint_scene(const Scene& scene, PaintedFormat format) {
  const Cairo cairo;
  return format == PaintedFormat::png ? paint_png(cairo, scene) : paint_pdf(cairo, scene);
}

}  // namespace swz
