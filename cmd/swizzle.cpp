// SPDX-License-Identifier: Apache-2.0
// swz swizzle explain, find and lint: what a swizzle does, which one is needed, and which swizzle an expression is.
#include "view/layout/swizzle.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "expr/evaluate.hpp"
#include "operand_request.hpp"

namespace swz {

// A swizzle on bytes, or a layout that has one.
struct SwizzleText {
  Swizzle swizzle;
  std::optional<LayoutText> layout;
};

// "3,4,3", "Sw<3,4,3>", the name of a hardware mode, or a layout.
void read_value(const std::string& text, SwizzleText& of) {
  if (!dialect_text(text).is_cute()) return read_value(text, of.layout);
  Swizzle& to = of.swizzle;
  if (text.find_first_of(",<(:") == std::string::npos) {
    const SwizzleMode* mode = nullptr;
    read_value(text, mode);
    to = Swizzle(mode->bits, mode->base, mode->shift);
    return;
  }
  const bool bare = text.find_first_of("<(:") == std::string::npos;
  const Evaluation e = evaluate(bare ? "Sw<" + text + ">" : text);
  const auto* l = std::get_if<ComposedLayout>(&e.value);
  if (const auto* s = std::get_if<Swizzle>(&e.value)) to = *s;
  else if (l != nullptr && !l->swizzle().is_identity()) of.layout = LayoutText{text, nullptr, *l};
  else throw Error("expected a swizzle, got " + describe(e.value), "for example 3,4,3, Sw<3,4,3> or 128B");
}

namespace {

// --- explain

struct ExplainRequest {
  SwizzleText swizzle;
  std::optional<ShapeText> shape;  // of the array of a layout whose text does not give it
  const DType* dtype = nullptr;
  bool on_elements = false;
};

Options explain_options(ExplainRequest& r) {
  return {argument("SWIZZLE", r.swizzle, "3,4,3 or Sw<3,4,3> on bytes, a mode (128B), or a layout with a swizzle")
              .required(),
          shape_option(r.shape, "SWIZZLE"), dtype_option(r.dtype, "element type: also show the form on its elements"),
          flag("--elements", r.on_elements, "SWIZZLE is the form on elements of --dtype, not on bytes")
              .needing({"--dtype"})};
}

Swizzle on_bytes(const Swizzle& swizzle, int element_bits, const std::string& elements) {
  if (const auto bytes = in_units(swizzle, 3 - log2_exact(element_bits))) return *bytes;
  throw Error(fmt::format("{} on {} elements moves pieces smaller than a byte", to_string(swizzle), elements),
              "the base must be at least the number of elements a byte holds, as a power of two");
}

// The swizzle of a layout acts on bytes if its text gives that, otherwise on elements.
Answer explain_layout(LayoutText layout, const ExplainRequest& r) {
  read_given(layout, {r.shape ? r.shape->extents : ArrayShape(), r.dtype});
  const ComposedLayout& l = layout.layout;
  if (l.swizzle().is_identity())
    throw usage_error(fmt::format("the layout has no swizzle: it is {}", to_string(l)), "swz layout shows it");
  if (l.has_pointer()) return {with_notes(view_swizzle(l.swizzle(), r.dtype), layout.notes)};
  const int bits = r.dtype != nullptr ? r.dtype->memory_bits : layout.element.bits;
  if (bits == 0)
    throw usage_error(fmt::format("{} counts elements, and their type is not given", to_string(l.swizzle())),
                      "add it, for example --dtype bf16");
  const DType* dtype = r.dtype != nullptr ? r.dtype : layout.element.dtype;
  return {with_notes(view_swizzle(on_bytes(l.swizzle(), bits, fmt::format("{}-bit", bits)), dtype), layout.notes)};
}

Answer explain_answer(const ExplainRequest& r, const Context&) {
  if (r.swizzle.layout) return explain_layout(*r.swizzle.layout, r);
  const Swizzle& swizzle = r.swizzle.swizzle;
  if (!r.on_elements) return {view_swizzle(swizzle, r.dtype)};
  return {view_swizzle(on_bytes(swizzle, r.dtype->memory_bits, std::string(r.dtype->name)), r.dtype)};
}

// --- find

struct ConflictRequest {
  OperandRequest operand;
  std::vector<AccessText> reads, writes;
};

Options find_options(ConflictRequest& r) {
  const char* access = "an access that must be conflict free, as swz banks names it; can be repeated";
  return tile_shape_options(r.operand.tile) +
         Options{
             option("--layout", "LAYOUT", r.operand.layout, "any layout of rank 2 without a swizzle, instead of a tile")
                 .excluding({"--tile"}),
             shape_option(r.operand.shape), option("--reads", "ACCESS", r.reads, access).repeated(limits::accesses),
             option("--writes", "ACCESS", r.writes, access).repeated(limits::accesses)};
}

bool is_read(const Access& access) {
  const AccessOp op = access.instruction != nullptr ? access.instruction->op : access.op;
  return op == AccessOp::load || op == AccessOp::ldmatrix;
}

// Requires that all accesses are reads, or all writes. A name for several accesses has both.
void require_kind(const std::vector<AccessText>& accesses, bool reads) {
  for (const AccessText& access : accesses)
    if (access.accesses.size() == 1 && is_read(access.accesses.front()) != reads)
      throw usage_error(
          fmt::format("{} {}", swz::quoted(access.text), reads ? "writes shared memory" : "reads shared memory"),
          fmt::format("{} {}", reads ? "--writes" : "--reads", swz::quoted(access.text)));
}

// Requires reads that read, writes that write, and a layout without a swizzle of its own.
void require_searchable(const ConflictRequest& r) {
  require_kind(r.reads, true);
  require_kind(r.writes, false);
  if (r.reads.empty() && r.writes.empty())
    throw usage_error("no access given", "for example --reads ldmatrix.x4 --writes 'st.shared.b128 rows'");
  if (!r.operand.layout) return;
  const ComposedLayout& layout = r.operand.layout->layout;
  const DType& dtype = dtype_of(r.operand);
  if (!layout.swizzle().is_identity())
    throw usage_error("the layout has a swizzle already",
                      fmt::format("give it without: --layout '{}'", to_string(layout.layout())));
  if (layout.offset() != 0)
    throw usage_error("the layout has an offset", "addresses are counted from the beginning of the operand");
  if (const int bits = element_bits(r.operand); layout.has_pointer() && layout.element_bits() != bits)
    throw usage_error(
        fmt::format("the layout is of {}-bit elements, {} has {} bits", layout.element_bits(), dtype.name, bits),
        "leave --dtype out");
}

// Line after line if no layout is given.
FindRequest request_of(const OperandRequest& operand) {
  const int bits = element_bits(operand);
  const NarrowForm* form = narrow_form(dtype_of(operand), operand.tile.packing());
  if (operand.layout) return {operand.layout->layout.layout(), bits, major_of(operand.tile), {}, form};
  const SmemTileValues shape = shape_of(operand.tile);
  return {linear_layout(shape.extents(), shape.major), bits, shape.major, {}, form};
}

std::string name_of(const OperandRequest& operand, const Layout& layout) {
  const std::string name(dtype_of(operand).name);
  if (operand.layout) return fmt::format("{} {}", name, to_string(layout));
  return fmt::format("{} {} {}, line after line: {}", name, to_string(*operand.tile.extents),
                     to_string(operand.tile.major), to_string(layout));
}

Answer find_answer(const ConflictRequest& asked, const Context& context) {
  const ConflictRequest r = with_layout(asked, &ConflictRequest::operand);
  require_searchable(r);
  FindRequest request = request_of(r.operand);
  request.target = &context.target();
  Words kinds;
  for (const auto* list : {&r.reads, &r.writes})
    for (const AccessText& text : *list)
      for (const Access& access : text.accesses) {
        request.accesses.push_back(access);
        kinds.emplace_back(is_read(access) ? "reads" : "writes");
      }
  const SwizzleFindReport report{name_of(r.operand, request.layout),
                                 kinds,
                                 find_swizzle(request),
                                 &context.target(),
                                 &dtype_of(r.operand),
                                 request.element_bits};
  return {view_swizzle_find(report), report.find.is_found() ? 0 : 1};
}

// --- lint

struct LintRequest {
  std::string expression;  // read with the name of the variable
  std::string variable, row, col;
  const DType* dtype = nullptr;
  std::optional<std::uint64_t> bits, bytes, rows, cols;
};

Options lint_options(LintRequest& r) {
  constexpr std::int64_t most = std::int64_t{1} << 50;
  return {argument("EXPR", r.expression, "a C expression in addr, or in row and col; or a whole function").required(),
          dtype_option(r.dtype, "addr counts elements of this type").by_default_note("bytes"),
          number("--bits", "N", r.bits, 1, 50, "check 2^N addresses")
              .by_default_note("a whole period")
              .excluding({"--bytes"}),
          number("--bytes", "N", r.bytes, 1, most, "number of bytes to check").in("bytes"),
          number("--rows", "N", r.rows, 1, most, "extent of row"),
          number("--cols", "N", r.cols, 1, most, "extent of col"),
          option("--var", "NAME", r.variable, "name of the address in the expression").by_default("addr"),
          option("--row", "NAME", r.row, "name of the row in the expression").by_default("row"),
          option("--col", "NAME", r.col, "name of the column in the expression").by_default("col")};
}

bool is_name(const std::string& text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (text.empty() || !letter(text[0])) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::uint64_t unit_bits(const LintRequest& r) {
  return r.dtype != nullptr ? static_cast<std::uint64_t>(r.dtype->memory_bits) : 8;
}

// The layout that all values have. None if there are too many, or if one is beyond 63 bits.
std::optional<Fit> fit_of(const SwizzleLint& lint) {
  constexpr std::uint64_t most_values = 1 << 16;
  const std::uint64_t inputs = lint.lint.inputs;
  if (inputs > most_values) return std::nullopt;
  const std::uint64_t cols = lint.request.cols.value_or(1), rows = inputs / cols;
  KnownOffsets known;
  for (const std::uint64_t extent : {rows, cols}) known.shape.push_back(static_cast<std::int64_t>(extent));
  if (!lint.request.expression.has_coordinates()) known.shape.pop_back();
  for (std::uint64_t i = 0; i < inputs; ++i) {
    const std::uint64_t value = lint.value(i % rows * cols + i / rows);
    if (value > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    known.points.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(value)});
  }
  return fit_exactly(known);
}

Answer lint_answer(const LintRequest& r, const Context&) {
  for (const auto& [name, what] : {std::pair{r.variable, "an address"}, {r.row, "a row"}, {r.col, "a column"}})
    if (!is_name(name))
      throw usage_error(fmt::format("{} is not a name for {}", swz::quoted(name), what), "letters, digits and _");
  if (r.variable == r.row || r.variable == r.col || r.row == r.col)
    throw usage_error(fmt::format("{} is not a name for two things", swz::quoted(r.variable == r.col ? r.col : r.row)),
                      "the address, the row and the column have names of their own");
  if (r.bytes && *r.bytes * 8 % unit_bits(r) != 0)
    throw usage_error(fmt::format("{} bytes are not a whole number of {} elements", *r.bytes, r.dtype->name),
                      fmt::format("a multiple of {} bytes", unit_bits(r) / 8));
  SwizzleLintRequest request{CExpression(r.expression, CNames{r.variable, r.row, r.col}), r.dtype, {}, r.rows, r.cols};
  if (r.bits) request.inputs = std::uint64_t{1} << *r.bits;
  if (r.bytes) request.inputs = *r.bytes * 8 / unit_bits(r);
  const SwizzleLint lint = lint_swizzle(std::move(request));
  // Coordinates may leave gaps (padding); addresses must fill their block.
  const bool is_fine = lint.request.expression.has_coordinates() ? lint.lint.is_injective() : lint.lint.is_bijective();
  const std::optional<Fit> fit = fit_of(lint);
  return {view_swizzle_lint(lint, fit ? &*fit : nullptr), is_fine ? 0 : 1, lint.equal() == nullptr};
}

}  // namespace

Commands swizzle_commands() {
  return {{.name = "swizzle explain",
           .summary = "which bits a swizzle moves, in every form it is written",
           .details = R"(Shows a swizzle on bytes, on element indices and on 16-byte chunks, its
period, its chunk table and the equal C expression. For a layout, in any
notation of swz translate, it shows the swizzle that the layout has.)",
           .examples = {{"swz swizzle explain 3,4,3 --dtype tf32", "the 128-byte swizzle on 4-byte elements"}},
           .next = {{"Where does each chunk of a tile lie?", "place --tile 64x64 --swizzle {mode} {--dtype}"},
                    {"Are there bank conflicts with it?",
                     "banks --tile 64x64 --swizzle {mode} {--dtype} --access ldmatrix.x4"}},
           .prepare = [] { return prepare(explain_options, explain_answer); }},
          {.name = "swizzle find",
           .summary = "the smallest swizzle that makes accesses conflict free; exit 1 when none does",
           .details = R"(Takes an operand that lies line after line, or any layout without a swizzle,
and the accesses that must be conflict free over all of it; swz banks --access
list names them. It tries every Swizzle<B,M,S> on bytes: fewest bits B first,
then the largest M, then the smallest S. M is at least the widest access.

If no swizzle suffices, it searches for any linear map over GF(2) from address
bits to banks. If there is none, it shows why, the lanes that still collide, and
the best swizzle. The smallest conflict-free padding of a line is shown as well,
with its cost.)",
           .examples = {{"swz swizzle find --dtype f16 --tile 64x64 --reads ldmatrix.x4 --writes 'st.shared.b128 rows'",
                         "Sw<3,4,3>"},
                        {"swz swizzle find --dtype f32 --tile 32x32 --writes 'st.shared.b32 rows' --reads "
                         "'ld.shared.b32 columns'",
                         "a transpose"}},
           .next = {{"What does this swizzle do?", "swizzle explain {swizzle} {--dtype}"},
                    {"How is each access served?",
                     "banks {--dtype,--tile,--major,--slots,--kind} --swizzle {mode} --access {=--reads}"},
                    {"Where does each chunk lie?", "place {--dtype,--tile,--major,--slots,--kind} --swizzle {mode}"}},
           .prepare = [] { return prepare(find_options, find_answer); }},
          {.name = "swizzle lint",
           .summary = "whether a C expression swizzles as the hardware does; exit 1 when inputs collide",
           .details = R"(Checks a C expression of an address over a whole period: whether two inputs
collide, its period, whether 16-byte chunks stay whole, whether it is linear
over GF(2), and which hardware mode it is equal to: none, 32B, 64B, 128B or
128B_32B. If it is equal to none of them, the first address where the nearest
mode differs is shown.

An expression in addr maps bytes to bytes, or elements of --dtype to elements.
An expression in row and col, with --rows and --cols, gives the index of an
element or its offset in bytes, whichever fits a mode better; the answer counts
elements. It is compared with the canonical tiles. Operators and precedence are
those of C; numbers are unsigned with 64 bits.

A whole function, lambda, macro or body with a return is read too: one parameter
is the address, two are row and column. Casts, variables and assignments are
read; loops, branches and calls are not.

The exit code is 1 when two inputs collide, or when addresses leave their
block; a layout of rows and columns may have gaps.)",
           .examples = {{"swz swizzle lint 'addr ^ ((addr >> 3) & 0x70)'", "mode 128B on bytes"},
                        {"swz swizzle lint 'i ^ (((i >> 4) & 7) ^ ((i >> 7) & 7)) << 4' --var i", "not a permutation"},
                        {"swz swizzle lint 'row*64 + ((col/8 ^ row%8)*8 + col%8)' --rows 128 --cols 64 --dtype f16",
                         "a tile of f16"}},
           .next = {{"What does this swizzle do?", "swizzle explain {byte_swizzle} {--dtype}"},
                    {"How is it written elsewhere?", "translate {cute} {--dtype}"}},
           .prepare = [] { return prepare(lint_options, lint_answer); }}};
}

}  // namespace swz
