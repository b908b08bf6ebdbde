// swz swizzle lint EXPR: what a C expression of an address does, and which hardware mode it is.
#include "view/swizzle_lint.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/error.hpp"
#include "command.hpp"
#include "descriptor/word.hpp"

namespace swz {
namespace {

struct Request {
  std::string expression, variable = "addr", dtype, bits, bytes, rows, cols;
};

std::optional<std::uint64_t> count_of(const std::string& text, const char* what, std::uint64_t most) {
  if (text.empty()) return std::nullopt;
  const std::uint64_t n = parse_word64(text);
  if (n < 1 || n > most)
    throw Error(fmt::format("{} {} is not between 1 and {}", what, text, most), {}, {}, ErrorKind::usage);
  return n;
}

SwizzleLintRequest request_of(const Request& r) {
  SwizzleLintRequest out{CExpression(r.expression, r.variable)};
  if (!r.dtype.empty()) out.dtype = &require_dtype(r.dtype);
  const std::uint64_t unit_bits = out.dtype != nullptr ? static_cast<std::uint64_t>(out.dtype->memory_bits) : 8;
  constexpr std::uint64_t most = std::uint64_t{1} << 50;
  if (const auto bits = count_of(r.bits, "--bits", 50)) out.inputs = std::uint64_t{1} << *bits;
  if (const auto bytes = count_of(r.bytes, "--bytes", most)) {
    if (*bytes * 8 % unit_bits != 0)
      throw Error(fmt::format("{} bytes are no whole number of {} elements", *bytes, r.dtype), {}, {},
                  ErrorKind::usage);
    out.inputs = *bytes * 8 / unit_bits;
  }
  out.rows = count_of(r.rows, "--rows", most);
  out.cols = count_of(r.cols, "--cols", most);
  return out;
}

bool is_name(const std::string& text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (text.empty() || !letter(text[0]) || text == "row" || text == "col") return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace

Action define_swizzle_lint(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  app.add_option("EXPR", request->expression, "a C expression in addr, or in row and col")->required();
  app.add_option("--dtype", request->dtype, "addr counts elements of this type (default: bytes)")
      ->type_name("TYPE");
  auto* bits =
      app.add_option("--bits", request->bits, "judge 2^N addresses (default: a whole period)")->type_name("N");
  app.add_option("--bytes", request->bytes, "judge so many bytes")->type_name("N")->excludes(bits);
  app.add_option("--rows", request->rows, "extent of row")->type_name("N");
  app.add_option("--cols", request->cols, "extent of col")->type_name("N");
  app.add_option("--var", request->variable, "what the expression calls the address (default: addr)")
      ->type_name("NAME");
  return [request, &common] {
    if (!is_name(request->variable))
      throw Error(fmt::format("'{}' is no name for an address", request->variable), "letters, digits and _", {},
                  ErrorKind::usage);
    const SwizzleLint lint = lint_swizzle(request_of(*request));
    // Coordinates may leave gaps (padding); addresses must fill their block.
    const bool is_fine =
        lint.request.expression.has_coordinates() ? lint.lint.is_injective() : lint.lint.is_bijective();
    Outcome outcome{view_swizzle_lint(lint, common.format != "json"), is_fine ? 0 : 1};
    outcome.has_lints = lint.equal() == nullptr;
    return outcome;
  };
}

}  // namespace swz
