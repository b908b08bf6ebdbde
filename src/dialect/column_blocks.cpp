// SPDX-License-Identifier: Apache-2.0
#include "dialect/column_blocks.hpp"

#include <fmt/format.h>

#include <array>

#include "base/checked.hpp"

namespace swz {
namespace {

constexpr std::int64_t page_rows = 8;

Layout leaves(std::initializer_list<FlatMode> modes) { return Layout(coalesce_modes(std::vector(modes))); }

}  // namespace

ComposedLayout blocked_layout(const ColumnBlocks& b) {
  const std::int64_t w = b.width, blocks = b.columns / w;
  const bool pages = b.order == BlockOrder::dense_pages;
  const std::array modes{
      pages ? leaves({{page_rows, w}, {b.rows / page_rows, page_rows * b.columns}}) : leaves({{b.rows, w}}),
      leaves({{w, 1}, {blocks, pages ? page_rows * w : checked_mul(b.rows, w)}})};
  return ComposedLayout(b.swizzle, 0, make_layout(modes));
}

ComposedLayout transposed(const ComposedLayout& layout) {
  const std::array modes{mode(layout.layout(), 1), mode(layout.layout(), 0)};
  return layout.with(make_layout(modes));
}

std::int64_t span_elements(const SwizzleMode& mode, int element_bits) {
  if (element_bits < 1 || element_bits > 128)
    throw Error(fmt::format("elements of {} bits", element_bits), "a swizzle keeps 16 bytes whole");
  return mode.span.count * 8 / element_bits;
}

Swizzle element_swizzle(const SwizzleMode& mode, int element_bits) {
  const auto found = in_units(mode.byte_swizzle(), log2_exact(element_bits) - 3);
  if (!found) throw Error(fmt::format("{} tears elements of {} bits apart", mode.name, element_bits));
  return mode.bits == 0 ? Swizzle() : *found;
}

ColumnBlocks blocks_in_mode(const SwizzleMode& mode, int element_bits, std::int64_t rows, std::int64_t columns) {
  const std::int64_t width = span_elements(mode, element_bits);
  if (columns % width != 0)
    throw usage_error(fmt::format("rows of {} elements are not whole spans of {} ({} elements of {} bits)", columns,
                                  mode.span.count == 16 ? "16 B" : mode.name, width, element_bits),
                      fmt::format("take a multiple of {} columns, or a narrower mode", width));
  return {rows, columns, width, element_swizzle(mode, element_bits)};
}

Extents2 required_extents(const Given& given) {
  const ArrayShape& shape = required_shape(given);
  if (shape.size() != 2)
    throw usage_error(fmt::format("an array of {} dimensions: this notation has rows and columns", shape.size()),
                      "for example --shape 64x64");
  return {shape[0], shape[1]};
}

void require_same_shape(const Given& given, const ArrayShape& of_text) {
  if (!given.shape.empty() && given.shape != of_text)
    throw usage_error(fmt::format("the text is of {}, --shape says {}", shape_text(of_text), shape_text(given.shape)),
                      "leave --shape out");
}

const SharedForm* plain_shared(const LayoutForm& form, std::string& why) {
  const auto* shared = std::get_if<SharedForm>(&form);
  if (std::holds_alternative<RegisterForm>(form)) why = "it lies in registers: this notation has shared memory only";
  else if (shared == nullptr) why = "it lies in tensor memory: this notation has shared memory only";
  else if (shared->block.bits() > 0) why = "its elements lie in several CTAs: this notation has one";
  return why.empty() ? shared : nullptr;
}

const DType* any_dtype(ElementWidth element) {
  if (element.dtype != nullptr) return element.dtype;
  return find_dtype(fmt::format("u{}", element.bits));
}

std::string first_equal(const SharedForm& form, const std::vector<std::string>& texts,
                        Reading (*read)(std::string_view, const Given&)) {
  const Given given{form.shape, any_dtype(form.element)};
  const auto linear = as_linear(form);
  for (const std::string& text : texts) {
    try {
      const Reading reading = read(text, given);
      const auto& found = std::get<SharedForm>(reading.form);
      if (found.shape != form.shape) continue;
      // If both are linear, which is almost always the case, the maps of their bits are compared.
      if (const auto map = linear ? as_linear(found) : std::nullopt;
          map ? *map == *linear : is_same_function(found, form))
        return text;
    } catch (const Error&) {  // the text does not accept the shape or type
    }
  }
  return "";
}

Finding base_alignment_note(const Swizzle& on_bytes) {
  const std::int64_t period = on_bytes.period();
  return note("base-alignment",
              fmt::format("the XOR acts on absolute addresses: the offsets hold where the base of the array is a "
                          "multiple of {} bytes",
                          period),
              fmt::format("align the array to {} bytes", period));
}

}  // namespace swz
