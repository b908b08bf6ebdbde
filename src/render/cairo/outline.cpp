// SPDX-License-Identifier: Apache-2.0
#include "render/cairo/outline.hpp"

#include <memory>
#include <string>

#include "render/cairo/library.hpp"

namespace swz {
namespace {

class FontOutlines {
 public:
  FontOutlines()
      : surface_(cairo_.image_surface_create(CAIRO_FORMAT_A8, 1, 1), cairo_.surface_destroy),
        context_(cairo_.create(surface_.get()), cairo_.destroy) {
    // Shapes that are scaled must not be fitted to the pixels of one size.
    const std::shared_ptr<cairo_font_options_t> unfitted(cairo_.font_options_create(), cairo_.font_options_destroy);
    cairo_.font_options_set_hint_style(unfitted.get(), CAIRO_HINT_STYLE_NONE);
    cairo_.font_options_set_hint_metrics(unfitted.get(), CAIRO_HINT_METRICS_OFF);
    cairo_.set_font_options(context_.get(), unfitted.get());
    cairo_.set_font_size(context_.get(), 1000);
    cairo_.require(cairo_.status(context_.get()));
  }

  Outline outline(Label::Face face, const std::string& character) const {
    cairo_t* const context = context_.get();
    cairo_.select(context, face);
    cairo_text_extents_t extents;
    cairo_.text_extents(context, character.c_str(), &extents);
    cairo_.new_path(context);
    cairo_.move_to(context, 0, 0);
    cairo_.text_path(context, character.c_str());
    const std::shared_ptr<cairo_path_t> path(cairo_.copy_path(context), cairo_.path_destroy);
    cairo_.require(path->status);
    return {path_data(*path), extents.x_advance};
  }

 private:
  // "M124 -83L285 -83C…Z"
  static std::string path_data(const cairo_path_t& path) {
    std::string out;
    for (int at = 0; at < path.num_data; at += path.data[at].header.length) {
      const cairo_path_data_t* const part = path.data + at;
      // A path ends with a move to the start of what would follow.
      if (part->header.type == CAIRO_PATH_MOVE_TO && at + part->header.length >= path.num_data) break;
      switch (part->header.type) {
        case CAIRO_PATH_MOVE_TO: out += 'M'; break;
        case CAIRO_PATH_LINE_TO: out += 'L'; break;
        case CAIRO_PATH_CURVE_TO: out += 'C'; break;
        case CAIRO_PATH_CLOSE_PATH: out += 'Z'; break;
      }
      for (int i = 1; i < part->header.length; ++i)
        out += fmt::format("{}{:.0f} {:.0f}", i > 1 ? " " : "", part[i].point.x, part[i].point.y);
    }
    return out;
  }

  const Cairo cairo_{"--outline-fonts needs"};
  std::shared_ptr<cairo_surface_t> surface_;
  std::shared_ptr<cairo_t> context_;
};

}  // namespace

Outliner font_outlines() {
  const auto fonts = std::make_shared<FontOutlines>();
  return [fonts](Label::Face face, std::string_view character) { return fonts->outline(face, std::string(character)); };
}

}  // namespace swz
