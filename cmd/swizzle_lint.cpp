// swz swizzle lint EXPR: what a C expression of an address does, and which hardware mode it is.
#include "view/swizzle.hpp"

#include "base/error.hpp"
#include "tile_request.hpp"

namespace swz {
namespace {

struct Request {
  std::string expression;  // read with the name of the variable
  std::string variable;
  const DType* dtype = nullptr;
  std::optional<std::uint64_t> bits, bytes, rows, cols;
};

Options options_of(Request& r) {
  constexpr std::int64_t most = std::int64_t{1} << 50;
  return {argument("EXPR", r.expression, "a C expression in addr, or in row and col").required(),
          dtype_option(r.dtype, "addr counts elements of this type").by_default_note("bytes"),
          number("--bits", "N", r.bits, 1, 50, "check 2^N addresses")
              .by_default_note("a whole period")
              .excluding({"--bytes"}),
          number("--bytes", "N", r.bytes, 1, most, "number of bytes to check").in("bytes"),
          number("--rows", "N", r.rows, 1, most, "extent of row"),
          number("--cols", "N", r.cols, 1, most, "extent of col"),
          option("--var", "NAME", r.variable, "what the expression calls the address").by_default("addr")};
}

bool is_name(const std::string& text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (text.empty() || !letter(text[0]) || text == "row" || text == "col") return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::uint64_t unit_bits(const Request& r) {
  return r.dtype != nullptr ? static_cast<std::uint64_t>(r.dtype->memory_bits) : 8;
}

void validate(const Request& r) {
  if (!is_name(r.variable))
    throw usage_error(fmt::format("'{}' is not a name for an address", r.variable), "letters, digits and _");
  if (r.bytes && *r.bytes * 8 % unit_bits(r) != 0)
    throw usage_error(fmt::format("{} bytes are not a whole number of {} elements", *r.bytes, r.dtype->name),
                      fmt::format("a multiple of {} bytes", unit_bits(r) / 8));
}

Answer answer(const Request& r, const Context&) {
  SwizzleLintRequest request{CExpression(r.expression, r.variable)};
  request.dtype = r.dtype;
  if (r.bits) request.inputs = std::uint64_t{1} << *r.bits;
  if (r.bytes) request.inputs = *r.bytes * 8 / unit_bits(r);
  request.rows = r.rows;
  request.cols = r.cols;
  const SwizzleLint lint = lint_swizzle(std::move(request));
  // Coordinates may leave gaps (padding); addresses must fill their block.
  const bool is_fine =
      lint.request.expression.has_coordinates() ? lint.lint.is_injective() : lint.lint.is_bijective();
  return {view_swizzle_lint(lint), is_fine ? 0 : 1, lint.equal() == nullptr};
}

}  // namespace

Command swizzle_lint_command() {
  return {
      .name = "swizzle lint",
      .summary = "whether a C expression swizzles as the hardware does; exit 1 when inputs collide",
      .details = R"(Checks a C expression of an address over a whole period: whether two inputs
collide, its period, whether 16-byte chunks stay whole, whether it is linear
over GF(2), and which hardware mode it is equal to: none, 32B, 64B, 128B or
128B_32B. Otherwise it shows the first address where the nearest mode differs.

An expression in addr goes from bytes to bytes, or from elements of --dtype to
elements. One in row and col, with --rows and --cols, gives the index of an
element; it is compared with the canonical tiles. Operators and precedence are
C's; numbers are unsigned with 64 bits.

The exit code is 1 when two inputs collide, or when addresses leave their
block; a layout of rows and columns may have gaps.)",
      .examples = {{"swz swizzle lint 'addr ^ ((addr >> 3) & 0x70)'", "mode 128B on bytes"},
                   {"swz swizzle lint 'i ^ (((i >> 4) & 7) ^ ((i >> 7) & 7)) << 4' --var i", "not a permutation"},
                   {"swz swizzle lint 'row*64 + ((col/8 ^ row%8)*8 + col%8)' --rows 128 --cols 64 --dtype f16",
                    "a tile of f16"}},
      .prepare = [] { return prepare(options_of, answer, validate); }};
}

}  // namespace swz
