// swz swizzle find: the smallest swizzle that makes given accesses conflict free.
#include "view/swizzle_find.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "operand_request.hpp"

namespace swz {
namespace {

struct Request {
  OperandRequest operand;
  std::vector<AccessText> reads, writes;
};

Options options_of(Request& r) {
  const char* access = "an access that must be conflict free, as swz banks names it; can be repeated";
  return tile_shape_options(r.operand.tile) +
         Options{option("--layout", "LAYOUT", r.operand.layout,
                        "any layout of rank 2 without a swizzle, instead of a tile")
                     .excluding({"--tile"}),
                 option("--reads", "ACCESS", r.reads, access).repeated(limits::accesses),
                 option("--writes", "ACCESS", r.writes, access).repeated(limits::accesses)};
}

bool is_read(const Access& access) {
  const AccessOp op = access.instruction != nullptr ? access.instruction->op : access.op;
  return op == AccessOp::load || op == AccessOp::ldmatrix;
}

// A name for several accesses has both.
void require_kind(const std::vector<AccessText>& accesses, bool reads) {
  for (const AccessText& access : accesses)
    if (access.accesses.size() == 1 && is_read(access.accesses.front()) != reads)
      throw usage_error(
          fmt::format("{} {}", swz::quoted(access.text), reads ? "writes shared memory" : "reads shared memory"),
          fmt::format("{} {}", reads ? "--writes" : "--reads", swz::quoted(access.text)));
}

void validate(const Request& r) {
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

struct Operand {
  std::string name;
  FindRequest find;
};

Operand operand_of(const OperandRequest& operand) {
  const int bits = element_bits(operand);
  if (operand.layout) {
    const Layout& layout = operand.layout->layout.layout();
    return {fmt::format("{} {}", dtype_of(operand).name, to_string(layout)),
            {layout, bits, major_of(operand.tile), {}}};
  }
  const TileShape shape = shape_of(operand.tile);
  const Layout layout = linear_layout(shape.extents, shape.major);
  return {fmt::format("{} {} {}, line after line: {}", shape.dtype->name, to_string(shape.extents),
                      to_string(shape.major), to_string(layout)),
          {layout, bits, shape.major, {}}};
}

Answer answer(const Request& r, const Context& context) {
  Operand operand = operand_of(r.operand);
  Words kinds;
  for (const auto* list : {&r.reads, &r.writes})
    for (const AccessText& text : *list)
      for (const Access& access : text.accesses) {
        operand.find.accesses.push_back(access);
        kinds.emplace_back(is_read(access) ? "reads" : "writes");
      }
  const SwizzleFindReport report{operand.name,
                                 kinds,
                                 find_swizzle(operand.find),
                                 &context.target(),
                                 &dtype_of(r.operand),
                                 operand.find.element_bits};
  return {view_swizzle_find(report), report.find.is_found() ? 0 : 1};
}

}  // namespace

Command swizzle_find_command() {
  return {
      .name = "swizzle find",
      .summary = "the smallest swizzle that makes accesses conflict free; exit 1 when none does",
      .details = R"(Takes an operand that lies line after line, or any layout without a swizzle,
and the accesses that must be conflict free over all of it; --access list of
swz banks names them. It tries every Swizzle<B,M,S> on bytes: fewest bits B
first, then the largest M, then the smallest S. M is at least the widest
access.

If none suffices, it looks for any linear map over GF(2) from address bits to
banks, or shows why there is none, the lanes that still collide, and the best
swizzle there is. The smallest conflict-free padding of a line is shown as well,
with its cost.)",
      .examples = {{"swz swizzle find --dtype f16 --tile 64x64 --reads ldmatrix.x4 --writes 'st.shared.b128 rows'",
                    "Sw<3,4,3>"},
                   {"swz swizzle find --dtype f32 --tile 32x32 --writes 'st.shared.b32 rows' --reads "
                    "'ld.shared.b32 columns'",
                    "a transpose"}},
      .prepare = [] { return prepare(options_of, answer, validate); }};
}

}  // namespace swz
