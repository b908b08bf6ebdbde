// SPDX-License-Identifier: Apache-2.0
#include "dialect/dialect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "dialect/all.hpp"
#include "dialect/traps.hpp"

namespace swz {
namespace {

// The table is made once.
const auto& dialect_rows() {
  static const std::array rows{cute_dialect(),     cute_dsl_dialect(), triton_dialect(),         gluon_dialect(),
                               tilelang_dialect(), mosaic_dialect(),   thunderkittens_dialect(), mojo_dialect(),
                               tilus_dialect(),    nvfuser_dialect(),  deepgemm_dialect(),       tensor_map_dialect(),
                               c_dialect(),        bases_dialect()};
  return rows;
}

std::vector<std::string> dialect_names() {
  std::vector<std::string> names;
  for (const Dialect& d : dialects()) names.emplace_back(d.name);
  return names;
}

bool is_one_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return is_digit(c); });
}

}  // namespace

const ArrayShape& required_shape(const Given& given) {
  if (given.shape.empty())
    throw usage_error("this text does not say the shape of the array", "add it, for example --shape 64x64");
  return given.shape;
}

const DType& required_dtype(const Given& given) {
  if (given.dtype == nullptr)
    throw usage_error("this text does not say the element type", "add it, for example --dtype bf16");
  return *given.dtype;
}

ElementWidth element_width(const Given& given) {
  return given.dtype != nullptr ? width_of(*given.dtype) : ElementWidth();
}

ElementWidth element_width(const Given& given, int bits) {
  if (given.dtype == nullptr) return {nullptr, bits};
  if (given.dtype->memory_bits != bits && given.dtype->container_bits != bits)
    throw usage_error(
        fmt::format("the text has elements of {} bits, {} has {}", bits, given.dtype->name, given.dtype->memory_bits),
        fmt::format("leave --dtype out, or give one of {} bits", bits));
  return {given.dtype, bits};
}

std::span<const Dialect> dialects() { return dialect_rows(); }

const Dialect* find_dialect(std::string_view name) {
  const auto row = std::ranges::find(dialects(), name, &Dialect::name);
  return row == dialects().end() ? nullptr : &*row;
}

const Dialect& require_dialect(std::string_view name) {
  if (const Dialect* d = find_dialect(name)) return *d;
  throw usage_error(fmt::format("unknown dialect {}", quoted(name)),
                    did_you_mean(name, dialect_names(), fmt::format("one of {}", fmt::join(dialect_names(), ", "))));
}

const Dialect& recognised_dialect(std::string_view text) {
  if (is_one_number(text))
    throw usage_error(
        fmt::format("{} is a number without its dialect", text),
        "1 is 32B for the driver, Mojo and TileLang, 128B in a wgmma word and in nvFuser, 128B_32B in a tcgen05 "
        "word: write the name, for example SWIZZLE_128B");
  std::vector<const Dialect*> of;
  for (const Dialect& d : dialects())
    if (d.recognises(text)) of.push_back(&d);
  if (of.size() == 1) return *of[0];
  if (of.empty())
    throw usage_error(fmt::format("{} is not in a notation that swz reads", quoted(text)),
                      fmt::format("dialects: {}; a name before the text says which: 'triton: TEXT'",
                                  fmt::join(dialect_names(), ", ")));
  std::vector<std::string> names;
  for (const Dialect* d : of) names.push_back(fmt::format("{} ({})", d->name, d->unit));
  throw usage_error(fmt::format("{} is written the same in {}, with other meanings", quoted(text), join_and(names)),
                    fmt::format("its name before it says which: {}", quoted(fmt::format("{}: {}", of[0]->name, text))));
}

Reading read_layout(std::string_view text, const Given& given, const Dialect* from) {
  require_within(limits::expression_bytes, static_cast<std::int64_t>(text.size()));
  const Dialect& dialect = from != nullptr ? *from : recognised_dialect(text);
  try {
    return dialect.read(text, given);
  } catch (const Error& e) {
    Error named = e.in_text(text);
    if (named.hint.empty()) named.hint = fmt::format("for example {}", dialect.example);
    throw named;
  }
}

namespace {

// The form derived only from the function. None for elements in several CTAs, and outside of shared memory.
std::optional<LayoutForm> form_of_function(const LayoutForm& form) {
  const auto* shared = std::get_if<SharedForm>(&form);
  if (shared == nullptr || shared->block.bits() > 0) return std::nullopt;
  return shared_form(shared->shape, shared->element, offsets_of(*shared));
}

}  // namespace

Translation translate(std::string_view text, const Given& given, const Dialect* from) {
  const Dialect& dialect = from != nullptr ? *from : recognised_dialect(text);
  return translation_of(dialect, read_layout(text, given, &dialect), text);
}

Translation translation_of(const Dialect& from, Reading reading, std::string_view text) {
  Translation result{&from,           std::move(reading.form),  {}, std::move(reading.notes), reading.buffers,
                     reading.meaning, std::move(reading.others)};
  std::optional<LayoutForm> function;  // made when the first writer refuses the form
  for (const Dialect& d : dialects()) {
    Written written = d.write(result.form);
    if (written.text.empty()) {
      if (!function) function = form_of_function(result.form);
      // The form can hide the function: a swizzle that does nothing, holes that are padding.
      if (Written of_function = function ? d.write(*function) : Written(); !of_function.text.empty())
        written = std::move(of_function);
    }
    // The original text is a text of its own dialect.
    if (written.text.empty() && &d == &from && !text.empty()) written = {std::string(text)};
    result.forms.push_back({&d, std::move(written)});
  }
  add_traps(result);
  return result;
}

std::string why_not_powers_of_two(const ArrayShape& shape) {
  const auto odd = std::ranges::find_if_not(shape, is_power_of_two);
  return odd == shape.end() ? "" : fmt::format("of {} the extent {} is not a power of two", shape_text(shape), *odd);
}

std::string why_not_linear(const SharedForm& form) {
  if (std::string why = why_not_powers_of_two(form.shape); !why.empty()) return why;
  if (as_linear(form)) return "";
  if (!form.padding.empty() || as_padded(form)) return "padding: the map is not linear over GF(2)";
  return "the map is not linear over GF(2): an offset, a sum with carries or a rotation";
}

std::string why_not_composed(const SharedForm& form) {
  if (form.block.bits() > 0) return "its elements lie in several CTAs, which needs a mode for the CTA";
  if (as_composed(form)) return "";
  if (!form.padding.empty()) return "padding after a swizzle: no strides count both";
  if (as_linear(form))
    return "two swizzles in a row, or a general map over GF(2): no single Sw<B,M,S> after a layout is this "
           "function";
  return "neither strides nor an XOR of bits: a rotation, or another map that is not linear";
}

}  // namespace swz
