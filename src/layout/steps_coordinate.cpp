// SPDX-License-Identifier: Apache-2.0
// The value at a coordinate, step by step.
//
//   (Sw<2,4,3> o 0 o (8,32):(32,1))(7,25)     multiply by strides   7 * 32 + 25 * 1 = 249
//                                             swizzle               bits 7-8 of 249 = 0b11111001 into bits 4-5: 233
//   ((4,8):(1@0,1@1))(13)                     coordinate            13 in the shape (4,8) is (1,3)
//                                             multiply by strides   1 * 1@0 + 3 * 1@1 = (1,3)
#include <fmt/format.h>

#include "layout/step_texts.hpp"
#include "layout/steps.hpp"

namespace swz {
namespace {

// "(L)(7,25)"
std::string called(const std::string& of, const IntTuple& coordinate) {
  const std::string at = to_string(coordinate);
  return coordinate.is_tuple() ? fmt::format("({}){}", of, at) : fmt::format("({})({})", of, at);
}

// The coordinate in the nesting of the shape.
IntTuple nested_steps(LayoutSteps& steps, const std::string& operation, const IntTuple& coordinate,
                      const IntTuple& shape) {
  IntTuple nested = idx2crd(crd2idx(coordinate, shape), shape);
  if (!(unwrap(nested) == unwrap(coordinate)))
    steps.append({operation, "coordinate",
                  fmt::format("{} in the shape {} is {}", to_string(coordinate), to_string(shape), to_string(nested)),
                  nested});
  return nested;
}

// "7 * 32 + 25 * 1". A basis stride is a tuple with its own leaves and is written as it prints.
void append_terms(std::string& text, const IntTuple& coordinate, const IntTuple& stride) {
  if (coordinate.is_tuple()) {
    for (std::size_t i = 0; i < rank(coordinate); ++i) append_terms(text, mode(coordinate, i), mode(stride, i));
    return;
  }
  text += fmt::format("{}{} * {}", text.empty() ? "" : " + ", coordinate.value(), to_string(stride));
}

std::string terms(const IntTuple& coordinate, const IntTuple& stride) {
  std::string text;
  append_terms(text, coordinate, stride);
  return text;
}

}  // namespace

std::int64_t offset_steps(LayoutSteps& steps, const ComposedLayout& l, const IntTuple& coordinate) {
  const std::string operation = called(to_string(l), coordinate);
  const std::int64_t value = steps.answer_or_refusal(operation, [&] { return offset_at(l, coordinate); });
  const IntTuple nested = nested_steps(steps, operation, coordinate, l.layout().shape());
  std::int64_t offset = offset_at(l.layout(), nested);
  steps.append({operation, "multiply by strides", fmt::format("{} = {}", terms(nested, l.layout().stride()), offset),
                IntTuple(offset)});
  if (l.offset() != 0) {
    steps.append({operation, "the offset", fmt::format("{} + {} = {}", l.offset(), offset, l.offset() + offset),
                  IntTuple(l.offset() + offset)});
    offset += l.offset();
  }
  if (l.swizzle().is_identity()) return value;
  if (l.has_pointer())
    steps.append({operation, "unit of the swizzle",
                  fmt::format("{} on byte addresses; on elements of {} bits {}", moved_bits(l.swizzle()),
                              l.element_bits(), to_string(l.element_swizzle())),
                  l.element_swizzle()});
  steps.append({operation, "swizzle", xor_text(l.element_swizzle(), offset), IntTuple(value)});
  return value;
}

IntTuple coordinate_steps(LayoutSteps& steps, const BasisLayout& l, const IntTuple& coordinate) {
  const std::string operation = called(to_string(l), coordinate);
  IntTuple value = steps.answer_or_refusal(operation, [&] { return coordinate_at(l, coordinate); });
  const IntTuple nested = nested_steps(steps, operation, coordinate, l.shape());
  steps.append(
      {operation, "multiply by strides", fmt::format("{} = {}", terms(nested, l.stride()), to_string(value)), value});
  return value;
}

std::int64_t swizzled_offset_steps(LayoutSteps& steps, const Swizzle& s, std::int64_t offset) {
  steps.append({fmt::format("{}({})", to_string(s), offset), "swizzle",
                s.is_identity() ? moved_bits(s) : xor_text(s, offset), IntTuple(s(offset))});
  return s(offset);
}

void slice_steps(LayoutSteps& steps, const ComposedLayout& l, const IntTuple& coordinate,
                 const ComposedLayout& result) {
  const std::int64_t offset = slice(l.layout(), coordinate).offset;
  steps.append({called(to_string(l), coordinate), "slice",
                fmt::format("the modes at _ stay; the others are at offset {}{}", offset,
                            offset == 0     ? ""
                            : l.is_layout() ? ", which CuTe adds to the pointer"
                                            : ", which stands before the layout now"),
                result});
}

}  // namespace swz
