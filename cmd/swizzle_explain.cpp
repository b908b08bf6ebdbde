// swz swizzle explain SWIZZLE: what an XOR swizzle does, in every unit it is written in.
#include "base/checked.hpp"
#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "tile_request.hpp"
#include "view/swizzle.hpp"

namespace swz {

// "3,4,3", "Sw<3,4,3>" or the name of a hardware mode.
void read_value(const std::string& text, Swizzle& to) {
  if (text.find_first_of(",<(:") == std::string::npos) {
    const SwizzleMode* mode = nullptr;
    read_value(text, mode);
    to = Swizzle(mode->bits, mode->base, mode->shift);
    return;
  }
  const bool bare = text.find_first_of("<(:") == std::string::npos;
  const Evaluation e = evaluate(bare ? "Sw<" + text + ">" : text);
  if (const auto* s = std::get_if<Swizzle>(&e.value)) to = *s;
  else throw Error("expected a swizzle, got " + describe(e.value), "for example 3,4,3, Sw<3,4,3> or 128B");
}

namespace {

struct Request {
  Swizzle swizzle;
  const DType* dtype = nullptr;
  bool on_elements = false;
};

Options options_of(Request& r) {
  return {
      argument("SWIZZLE", r.swizzle, "3,4,3 or Sw<3,4,3> on bytes, or a mode: 32B, 64B, 128B, 128B_32B").required(),
      dtype_option(r.dtype, "element type: also show the form on its elements"),
      flag("--elements", r.on_elements, "SWIZZLE is the form on elements of --dtype, not on bytes")
          .needing({"--dtype"})};
}

Answer answer(const Request& r, const Context&) {
  if (!r.on_elements) return {view_swizzle(r.swizzle, r.dtype)};
  const auto on_bytes = in_units(r.swizzle, 3 - log2_exact(r.dtype->memory_bits));
  if (!on_bytes)
    throw Error(
        fmt::format("{} on {} elements moves pieces smaller than a byte", to_string(r.swizzle), r.dtype->name),
        "the base must be at least the number of elements a byte holds, as a power of two");
  return {view_swizzle(*on_bytes, r.dtype)};
}

}  // namespace

Command swizzle_explain_command() {
  return {.name = "swizzle explain",
          .summary = "which bits a swizzle moves, in every form it is written",
          .details = R"(Shows a swizzle on bytes, on element indices and on 16-byte chunks, its
period, its chunk table and the equal C expression.)",
          .examples = {{"swz swizzle explain 3,4,3 --dtype tf32", "the 128-byte swizzle on 4-byte elements"}},
          .prepare = [] { return prepare(options_of, answer); }};
}

}  // namespace swz
