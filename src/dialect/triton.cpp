// Triton (MLIR): to be written.
#include "dialect/all.hpp"

namespace swz {
namespace {

bool recognises_triton(std::string_view) { return false; }
Reading read_triton(std::string_view, const Given&) { throw usage_error("Triton (MLIR): not read yet"); }
Written write_triton(const LayoutForm&) { return refused("not written yet"); }

}  // namespace

Dialect triton_dialect() {
  return {.name = "triton",
          .title = "Triton (MLIR)",
          .unit = "elements",
          .needs = "",
          .example = "",
          .rules = "",
          .source = "",
          .recognises = recognises_triton,
          .read = read_triton,
          .write = write_triton};
}

}  // namespace swz
