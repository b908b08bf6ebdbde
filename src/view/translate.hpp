// View of a translation: what `swz translate` says.
#pragma once

#include "dialect/dialect.hpp"
#include "view/document.hpp"

namespace swz {

struct TranslateOptions {
  const Dialect* to = nullptr;  // null: all
  bool has_map = false;
};

// JSON: from, kind, shape, dtype, hardware_mode, forms {dialect: text or null}, refused {dialect: why}, notes; map with
// has_map. Throws Error when the map is larger than limits::listed_coordinates.
Document view_translation(const Translation& translation, const TranslateOptions& options);

}  // namespace swz
