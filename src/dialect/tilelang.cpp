// TileLang: to be written.
#include "dialect/all.hpp"

namespace swz {
namespace {

bool recognises_tilelang(std::string_view) { return false; }
Reading read_tilelang(std::string_view, const Given&) { throw usage_error("TileLang: not read yet"); }
Written write_tilelang(const LayoutForm&) { return refused("not written yet"); }

}  // namespace

Dialect tilelang_dialect() {
  return {.name = "tilelang",
          .title = "TileLang",
          .unit = "elements",
          .needs = "",
          .example = "",
          .rules = "",
          .source = "",
          .recognises = recognises_tilelang,
          .read = read_tilelang,
          .write = write_tilelang};
}

}  // namespace swz
