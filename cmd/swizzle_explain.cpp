// swz swizzle explain SWIZZLE: what an XOR swizzle does, in every unit it is written in.
#include <fmt/format.h>

#include <memory>

#include "arch/swizzle_mode.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "command.hpp"
#include "expr/evaluate.hpp"
#include "view/swizzle.hpp"

namespace swz {
namespace {

// "3,4,3", "Sw<3,4,3>" or the name of a hardware mode.
Swizzle parse_swizzle(const std::string& text) {
  if (text.find_first_of(",<(:") == std::string::npos) {
    const SwizzleMode& mode = require_swizzle_mode(text);
    return Swizzle(mode.bits, mode.base, mode.shift);
  }
  const bool bare = text.find_first_of("<(:") == std::string::npos;
  const Evaluation e = evaluate(bare ? "Sw<" + text + ">" : text);
  if (const auto* s = std::get_if<Swizzle>(&e.value)) return *s;
  throw Error("expected a swizzle, got " + describe(e.value), "for example 3,4,3, Sw<3,4,3> or 128B");
}

}  // namespace

Action define_swizzle_explain(CLI::App& app, const Common&) {
  struct Request {
    std::string swizzle, dtype;
    bool on_elements = false;
  };
  auto request = std::make_shared<Request>();
  app.add_option("SWIZZLE", request->swizzle, "3,4,3 or Sw<3,4,3> on bytes, or a mode: 32B, 64B, 128B, 128B_32B")
      ->required();
  app.add_option("--dtype", request->dtype, "element type: also show the form on its elements");
  app.add_flag("--elements", request->on_elements, "SWIZZLE is the form on elements of --dtype, not on bytes");
  return [request] {
    const DType* dtype = request->dtype.empty() ? nullptr : &require_dtype(request->dtype);
    Swizzle s = parse_swizzle(request->swizzle);
    if (request->on_elements) {
      if (dtype == nullptr)
        throw Error("--elements needs --dtype", "for example --dtype bf16 --elements", {}, ErrorKind::usage);
      const auto on_bytes = in_units(s, 3 - log2_exact(dtype->memory_bits));
      if (!on_bytes)
        throw Error(fmt::format("{} on {} elements moves pieces smaller than a byte", to_string(s), dtype->name),
                    "the base must be at least the number of elements a byte holds, as a power of two");
      s = *on_bytes;
    }
    return Outcome{view_swizzle(s, dtype)};
  };
}

}  // namespace swz
