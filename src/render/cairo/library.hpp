// SPDX-License-Identifier: Apache-2.0
// Cairo: the functions of libcairo that swz uses, under their own names, from the library that is opened at run time.
//
//   const Cairo cairo("PNG and PDF need");      throws Error "PNG and PDF need libcairo.so.2, which cannot be opened"
//   cairo.require(cairo.status(context));
//
// The library stays open: the functions that it registered to run at exit must still exist then.
#pragma once

#include <cairo-pdf.h>
#include <cairo.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>

#include "base/error.hpp"
#include "render/scene.hpp"

namespace swz {

class Cairo {
 public:
  static constexpr const char* library_name = "libcairo.so.2";

  explicit Cairo(std::string_view who_needs) : handle_(opened(who_needs)) {}

  void require(cairo_status_t code) const {
    if (code != CAIRO_STATUS_SUCCESS)
      throw Error(fmt::format("cairo cannot paint this: {}", status_to_string(code)),
                  "take -f svg without --outline-fonts");
  }

  void select(cairo_t* context, Label::Face face) const {
    select_font_face(context, face == Label::Face::mono ? "monospace" : "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                     face == Label::Face::sans_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  }

 private:
  // Throws Error before the functions are looked for if the library cannot be opened.
  static void* opened(std::string_view who_needs) {
    void* handle = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr)
      throw Error(
          fmt::format("{} {}, which cannot be opened", who_needs, library_name),
          "install cairo (Debian, Ubuntu: libcairo2), or take -f svg without --outline-fonts, which needs nothing");
    return handle;
  }

  template <class Function>
  Function* find(const char* name) const {
    void* symbol = dlsym(handle_, name);
    if (symbol == nullptr)
      throw Error(fmt::format("{} has no {}", library_name, name), "take -f svg without --outline-fonts");
    return reinterpret_cast<Function*>(symbol);
  }

  void* handle_;

 public:
#define SWZ_CAIRO(name) decltype(::cairo_##name)* const name = find<decltype(::cairo_##name)>("cairo_" #name)
  SWZ_CAIRO(create);
  SWZ_CAIRO(destroy);
  SWZ_CAIRO(status);
  SWZ_CAIRO(status_to_string);
  SWZ_CAIRO(scale);
  SWZ_CAIRO(rectangle);
  SWZ_CAIRO(new_path);
  SWZ_CAIRO(move_to);
  SWZ_CAIRO(line_to);
  SWZ_CAIRO(text_path);
  SWZ_CAIRO(copy_path);
  SWZ_CAIRO(path_destroy);
  SWZ_CAIRO(fill);
  SWZ_CAIRO(stroke);
  SWZ_CAIRO(set_line_width);
  SWZ_CAIRO(set_source_rgba);
  SWZ_CAIRO(select_font_face);
  SWZ_CAIRO(set_font_size);
  SWZ_CAIRO(set_font_options);
  SWZ_CAIRO(font_options_create);
  SWZ_CAIRO(font_options_destroy);
  SWZ_CAIRO(font_options_set_hint_style);
  SWZ_CAIRO(font_options_set_hint_metrics);
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

}  // namespace swz
