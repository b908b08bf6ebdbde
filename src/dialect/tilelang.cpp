// TileLang: layouts of a shared buffer, as T.annotate_layout takes them and as they print.
//
//   make_full_bank_swizzled_layout(buf)          with the shape and type of the buffer: the 128B mode
//   Layout((64, 64) -> (1, 8, 512), transform: (_i, _j) -> (0, _i // 8, …))
//   Layout([64, 64], lambda i, j: [i, j ^ (i % 8) * 8])
//   Sw<3,4,3> o 0 o (64,128):(128,1)             CuTe's text in bytes, with --from tilelang: 64x64 of 16 bits
//
// A buffer R x C of b bits, v = 128 / b elements in 16 bytes; X = 8, 4, 2 of them make full, half and quarter bank,
// W = X v:
//
//   offset(r, c) = (c / W) R W + r W + (c mod W ^ v ((r mod 8) / (8 / X)))
//   full bank, 64x128 of 16 bits, at (9, 70):  1 * 4096 + 9 * 64 + (6 ^ 8) = 4686
//
// The indices of a layout's output are a place in an array of the output's shape, row by row. Of a lambda that shape
// is what interval arithmetic knows of each index.
// Invariants (tested): equal to TileLang's own layouts at every coordinate, refused where it refuses.
// Source: tilelang 0.1.15, run; its src/layout/gemm_layouts.cc and layout.cc.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "dialect/all.hpp"
#include "dialect/column_blocks.hpp"
#include "dialect/index_expression.hpp"
#include "dialect/literal.hpp"
#include "dialect/offset_text.hpp"
#include "expr/evaluate.hpp"

namespace swz {
namespace {

// ---- layouts by name

// Elements are `bits` wide; leading dimensions are slower.
struct Buffer {
  ArrayShape shape;
  int bits = 0;

  std::int64_t rows() const { return shape.size() < 2 ? 1 : shape[shape.size() - 2]; }
  std::int64_t columns() const { return shape.back(); }
  std::int64_t vector() const { return 128 / bits; }
};

constexpr std::size_t most_dimensions = 6;

struct BankLayout {
  std::string_view name;
  std::int64_t vectors;  // X
};
constexpr std::array bank_layouts{BankLayout{"make_full_bank_swizzled_layout", 8},
                                  BankLayout{"make_half_bank_swizzled_layout", 4},
                                  BankLayout{"make_quarter_bank_swizzled_layout", 2}};

Buffer buffer_of(const Given& given) {
  const DType& dtype = required_dtype(given);
  Buffer buffer{required_shape(given), dtype.memory_bits};
  if (buffer.shape.size() < 2)
    throw usage_error(fmt::format("a swizzled layout of the shape {}", shape_text(buffer.shape)),
                      "a buffer has rows and columns, for example --shape 64x64");
  return buffer;
}

// Offsets from those of one matrix: (row, column) -> offset, so many elements apart.
template <class Offset>
std::vector<std::int64_t> stacked_offsets(const Buffer& buffer, std::int64_t distance, const Offset& offset) {
  std::vector<std::int64_t> offsets;
  const std::int64_t matrices = element_count(buffer.shape) / (buffer.rows() * buffer.columns());
  for (std::int64_t m = 0; m < matrices; ++m)
    for (std::int64_t r = 0; r < buffer.rows(); ++r)
      for (std::int64_t c = 0; c < buffer.columns(); ++c) offsets.push_back(m * distance + offset(r, c));
  return offsets;
}

std::vector<std::int64_t> bank_offsets(const Buffer& buffer, std::int64_t vectors) {
  const std::int64_t rows = buffer.rows(), v = buffer.vector(), width = vectors * v;
  return stacked_offsets(buffer, rows * buffer.columns(), [&](std::int64_t r, std::int64_t c) {
    return c / width * rows * width + r * width + (c % width ^ v * (r % 8 / (8 / vectors)));
  });
}

// Why a buffer has no layout of this width; empty: it has one.
std::string why_no_bank_layout(const Buffer& buffer, const BankLayout& layout) {
  const std::int64_t width = layout.vectors * buffer.vector();
  if (buffer.rows() != 4 && buffer.rows() % 8 != 0)
    return fmt::format("{} rows are neither 4 nor a multiple of 8", buffer.rows());
  if (buffer.columns() % width != 0)
    return fmt::format("{} columns are not a multiple of {}, the elements of {} B", buffer.columns(), width,
                       layout.vectors * 16);
  return "";
}

std::vector<std::int64_t> required_bank_offsets(const Buffer& buffer, const BankLayout& layout, Span span) {
  if (const std::string why = why_no_bank_layout(buffer, layout); !why.empty())
    throw Error(fmt::format("TileLang has no such layout of {}: {}", shape_text(buffer.shape), why),
                "rows are 4 or a multiple of 8, columns a multiple of the swizzled width", span);
  return bank_offsets(buffer, layout.vectors);
}

// Blocks of 16 columns and 4 rows of 64-bit elements: Sw<2,0,4> along k, Sw<2,2,2> across it.
std::vector<std::int64_t> f64_offsets(const Buffer& buffer, bool is_k_major) {
  const std::int64_t block = std::min<std::int64_t>(buffer.rows(), 4) * 16;
  const std::int64_t column = ceil_div(buffer.rows(), 4) * block;
  return stacked_offsets(buffer, buffer.columns() / 16 * column, [&](std::int64_t r, std::int64_t c) {
    const std::int64_t s = r % 4, inside = is_k_major ? c % 16 ^ s : c % 16 ^ s * 4;
    return c / 16 * column + r / 4 * block + s * 16 + inside;
  });
}

std::vector<std::int64_t> strided_offsets(const Buffer& buffer, std::int64_t pitch) {
  // Rows of one matrix end where its last element does; matrices are as far apart as that.
  const std::int64_t distance = (buffer.rows() - 1) * pitch + buffer.columns();
  return stacked_offsets(buffer, distance, [&](std::int64_t r, std::int64_t c) { return r * pitch + c; });
}

// What make_swizzled_layout and its sisters take: the widest swizzle that the columns allow.
//   Ampere (allow_pad)   8-bit elements across k and what no swizzle fits are padded by 16 B
//   Hopper, sm_100       what no swizzle fits stays plain, if its rows are whole chunks
std::vector<std::int64_t> chosen_offsets(const Buffer& buffer, bool is_padded, bool is_k_major, bool is_sm100,
                                         std::int64_t continuity, Span span) {
  const std::int64_t v = buffer.vector(), columns = buffer.columns();
  const auto fits = [&](const BankLayout& l) { return columns % (l.vectors * v) == 0; };
  const auto widest = std::ranges::find_if(bank_layouts, fits);
  const auto refuse = [&](std::string_view why) -> std::vector<std::int64_t> {
    throw Error(fmt::format("TileLang has no such layout of {}: {}", shape_text(buffer.shape), why),
                "take columns of whole 16 B chunks, or make_swizzled_layout with allow_pad", span);
  };
  const auto padded = [&] { return strided_offsets(buffer, columns + (columns * buffer.bits % 256 == 0 ? v : 0)); };
  if (buffer.bits == 64) {
    if (is_sm100) return refuse("it does not support float64 on sm_100");
    if (continuity % 16 == 0) return f64_offsets(buffer, is_k_major);
    if (is_padded) return padded();
    if (buffer.rows() % 8 != 0) return strided_offsets(buffer, columns);
    return required_bank_offsets(buffer, bank_layouts[2], span);
  }
  if (is_padded) {
    if ((!is_k_major && buffer.bits == 8) || widest == bank_layouts.end()) return padded();
    return required_bank_offsets(buffer, *widest, span);
  }
  if (buffer.rows() % 8 == 0 && widest != bank_layouts.end()) return bank_offsets(buffer, widest->vectors);
  if (columns % v != 0) return refuse(fmt::format("rows of {} elements are not whole chunks of 16 B", columns));
  return strided_offsets(buffer, columns);
}

std::string_view last_name(std::string_view name) { return name.substr(name.rfind('.') + 1); }

bool is_layout_name(std::string_view name) {
  constexpr std::array chosen{"make_swizzled_layout", "make_wgmma_swizzled_layout",
                              "make_tcgen05mma_swizzled_layout", "make_linear_layout"};
  return std::ranges::find(chosen, name) != chosen.end() ||
         std::ranges::find(bank_layouts, name, &BankLayout::name) != bank_layouts.end();
}

Reading named_layout(const Literal& call, const Given& given) {
  const std::string_view name = last_name(call.text);
  if (name == "make_linear_layout") {
    const ArrayShape& shape = required_shape(given);
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(element_count(shape)));
    for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int64_t>(i);
    return {shared_form(shape, element_width(given), std::move(offsets))};
  }
  const Buffer buffer = buffer_of(given);
  const auto bank = std::ranges::find(bank_layouts, name, &BankLayout::name);
  if (bank != bank_layouts.end())
    return {shared_form(buffer.shape, element_width(given), required_bank_offsets(buffer, *bank, call.span))};
  const bool is_ampere = name == "make_swizzled_layout";
  constexpr std::array<std::string_view, 5> keys{"buffer", "k_major", "allow_pad", "continuity",
                                                 "buffer_or_load_or_region"};
  call.require_keys(keys);
  const Literal* k_major = call.find("k_major", is_ampere ? 1 : 2);
  const Literal* allow_pad = is_ampere ? call.find("allow_pad", 2) : nullptr;
  const Literal* continuity = is_ampere ? nullptr : call.find("continuity", 1);
  const bool has_continuity = continuity != nullptr && continuity->kind == Literal::Kind::integer;
  const bool is_padded = is_ampere && (allow_pad == nullptr || allow_pad->boolean());
  return {shared_form(buffer.shape, element_width(given),
                      chosen_offsets(buffer, is_padded, k_major == nullptr || k_major->boolean(),
                                     name == "make_tcgen05mma_swizzled_layout",
                                     has_continuity ? continuity->number : buffer.columns(), call.span))};
}

// The call in T.annotate_layout({A_shared: make_…(A_shared)}).
const Literal& layout_call(const Literal& literal) {
  if (literal.kind == Literal::Kind::call && last_name(literal.text) == "annotate_layout") {
    if (literal.items.size() != 1)
      throw Error(fmt::format("annotate_layout has {} layouts", literal.items.size()), "translate one at a time",
                  literal.span);
    return layout_call(literal.items[0]);
  }
  if (literal.kind != Literal::Kind::call || !is_layout_name(last_name(literal.text)))
    throw Error("this is not a layout of TileLang", "for example make_swizzled_layout(A_shared)", literal.span);
  return literal;
}

// ---- layouts as a transform

// The rest of a text, word by word.
class TransformReader {
 public:
  explicit TransformReader(std::string_view text) : text_(text) {}

  bool accept(std::string_view symbol) {
    skip();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }
  void expect(std::string_view symbol) {
    if (!accept(symbol))
      throw Error(fmt::format("expected '{}'", symbol),
                  "for example Layout([64, 64], lambda i, j: [i, j ^ (i % 8) * 8])", {at_, at_ + 1});
  }
  std::vector<std::int64_t> extents() {
    skip();
    return parse_literal(text_, at_).integers();
  }
  std::string name() {
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::vector<IndexExpression> indices(const std::vector<std::string>& names) {
    std::vector<IndexExpression> result;
    const bool is_list = accept("[") || (is_tuple() && accept("("));
    do {
      if (is_list && !result.empty() && (accept("]") || accept(")"))) return result;
      result.emplace_back(text_, at_, names);
    } while (is_list && accept(","));
    if (is_list && !accept("]")) expect(")");
    return result;
  }
  void require_end() {
    skip();
    if (at_ < text_.size())
      throw Error("expected the end of the layout", "one layout at a time", {at_, text_.size()});
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  // A '(' whose own level has a comma opens a tuple, any other one an expression.
  bool is_tuple() {
    skip();
    if (at_ >= text_.size() || text_[at_] != '(') return false;
    int depth = 0;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      if (text_[i] == '(') ++depth;
      if (text_[i] == ')' && --depth == 0) return false;
      if (text_[i] == ',' && depth == 1) return true;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// The extent of an output as TileLang takes it.
std::int64_t output_extent(const IndexExpression& index, const ArrayShape& shape) {
  const Interval known = index.bounds(shape);
  return index.has_bitwise() ? known.most - known.least + 1 : known.most + 1;
}

Reading transform(std::string_view text, const Given& given) {
  TransformReader reader(text);
  reader.expect("Layout");
  reader.expect("(");
  const ArrayShape shape = reader.extents();
  element_count(shape);
  ArrayShape output;
  const bool is_printed = reader.accept("->");
  if (is_printed) output = reader.extents();
  reader.expect(",");
  reader.expect(is_printed ? "transform:" : "lambda");
  if (is_printed) reader.expect("(");
  std::vector<std::string> names;
  do names.push_back(reader.name());
  while (reader.accept(",") && names.size() < 16);
  reader.expect(is_printed ? ")" : ":");
  if (is_printed) reader.expect("->");
  if (names.back().empty()) names.pop_back();
  if (names.size() != shape.size())
    throw usage_error(fmt::format("{} names for an array of {} dimensions", names.size(), shape.size()),
                      "a transform has a name for each dimension");
  const std::vector<IndexExpression> indices = reader.indices(names);
  reader.expect(")");
  reader.require_end();
  if (!is_printed)
    for (const IndexExpression& index : indices) output.push_back(output_extent(index, shape));
  if (output.size() != indices.size())
    throw usage_error(fmt::format("{} indices for an output of {} dimensions", indices.size(), output.size()),
                      "the transform has an index for each dimension of the output");
  if (!given.shape.empty() && given.shape != shape)
    throw usage_error(fmt::format("the layout is one of {}, not of {}", shape_text(shape), shape_text(given.shape)),
                      "leave --shape out");
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> coordinate(shape.size());
  for (std::int64_t n = 0; n < element_count(shape); ++n) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < indices.size(); ++d)
      offset = checked_add(checked_mul(offset, output[d]), indices[d](coordinate));
    if (offset < 0)
      throw usage_error(fmt::format("element ({}) lies at {}", fmt::join(coordinate, ","), offset),
                        "offsets start at 0");
    offsets.push_back(offset);
    for (std::size_t d = shape.size(); d-- > 0 && ++coordinate[d] == shape[d];) coordinate[d] = 0;
  }
  return {shared_form(shape, element_width(given), std::move(offsets))};
}

// ---- the dialect

bool recognises_tilelang(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return false;
  text.remove_prefix(first);
  if (text.starts_with("Layout(")) return true;
  const std::string_view head = text.substr(0, text.find('('));
  return head.size() < text.size() && (last_name(head) == "annotate_layout" || is_layout_name(last_name(head)));
}

Reading read_tilelang(std::string_view text, const Given& given) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  const std::string_view rest = text.substr(first == std::string_view::npos ? text.size() : first);
  if (rest.starts_with("Layout(")) return transform(text, given);
  if (recognises_tilelang(text)) return named_layout(layout_call(parse_literal(text)), given);
  // CuTe's text, in bytes.
  const DType& dtype = required_dtype(given);
  const ComposedLayout bytes = parse_layout(text);
  const ComposedLayout elements = recast(bytes, 8, dtype.memory_bits).plain();
  ArrayShape shape;
  for (std::size_t m = 0; m < rank(elements.layout()); ++m) shape.push_back(size(mode(elements.layout(), m)));
  return {
      shared_form(shape, width_of(dtype), elements),
      {note("tilelang-bytes", fmt::format("TileLang's CuTe text counts bytes, its last mode too: an array of {} {}",
                                          shape_text(shape), dtype.name))}};
}

Written write_tilelang(const LayoutForm& form) {
  const auto* shared = std::get_if<SharedForm>(&form);
  if (shared == nullptr)
    return refused(
        "a layout of registers is a Fragment, which TileLang derives from the operation; write the bases");
  if (shared->block.bits() > 0) return refused("its elements lie in several CTAs; a buffer is that of one");
  const Buffer buffer{shared->shape, shared->element.bits};
  if (buffer.bits >= 4 && buffer.bits <= 64 && buffer.shape.size() >= 2) {
    const std::vector<std::int64_t> offsets = offsets_of(*shared);
    for (const BankLayout& bank : bank_layouts)
      if (why_no_bank_layout(buffer, bank).empty() && offsets == bank_offsets(buffer, bank.vectors))
        return {fmt::format("{}(buf)", bank.name)};
  }
  const std::size_t rank = shared->shape.size();
  if (rank > most_dimensions) return refused("a lambda of more than six dimensions");
  const OffsetNotation python = python_notation(rank);
  std::vector<std::string> texts;
  for (const std::string& index : offset_texts(*shared, python))
    texts.push_back(fmt::format("Layout([{}], lambda {}: {})", fmt::join(shared->shape, ", "),
                                fmt::join(python.names, ", "), index));
  std::string text = first_equal(*shared, texts, read_tilelang);
  if (text.empty())
    return refused("neither strides, XORs nor a rotation: write its formula as the lambda of a Layout");
  return {std::move(text)};
}

}  // namespace

Dialect tilelang_dialect() {
  return {
      .name = "tilelang",
      .title = "TileLang",
      .unit = "elements",
      .needs = "shape and type, by name",
      .example = "make_full_bank_swizzled_layout(buf)",
      .rules =
          R"(A buffer R x C of b bits has v = 128 / b elements in 16 bytes. Full, half and quarter bank are X = 8, 4, 2 of them,
W = X v elements wide:

    offset(r, c) = (c / W) R W + r W + (c mod W ^ v ((r mod 8) / (8 / X)))

that is `nvmma_shared` of Triton and `tile_to_shape` of CuTe's K-major atom. Rows are 4 or a multiple of 8, columns a
multiple of W; leading dimensions are slower. `make_swizzled_layout(buf, k_major, allow_pad)` and the variants for wgmma
and tcgen05 take the widest that fits; otherwise rows are padded by 16 B (`allow_pad`) or stay plain.

A `Layout` is any function: `Layout([64, 64], lambda i, j: [i, j ^ (i % 8) * 8])`, printed as
`Layout((64, 64) -> (64, 64), transform: …)`. Its indices are a place in an array of the output's shape, row by row.

TileLang also prints CuTe's notation, `Sw<3,4,3> o 0 o (64,128):(128,1)`: in bytes, the last mode too. This line is a
64x64 buffer of 16-bit elements, and is read so with `--from tilelang`.)",
      .source = "tilelang 0.1.15, its own layouts (run)",
      .recognises = recognises_tilelang,
      .read = read_tilelang,
      .write = write_tilelang};
}

}  // namespace swz
