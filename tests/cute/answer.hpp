// SPDX-License-Identifier: Apache-2.0
// Reads what CuTe computed: the shape:stride from the static type, the values by CuTe's own evaluation.
//
//   answer_of(composition(Layout<Shape<_10,_2>,Stride<_16,_4>>{}, Layout<Shape<_3,_4>,Stride<_1,_5>>{}))
//     form    (3,(2,2)):(16,(80,4))
//     values  0,16,32,80,…
//
// Compile time limits how many cases a test can have. Evaluating a static layout costs 50 ms of it, computing it 20. So
// the values come from CuTe's run-time layout of the same numbers, which is compiled once for each nesting;
// answer_of_static evaluates the static one, for a sample.
#pragma once

#include <cute/layout.hpp>
#include <cute/layout_composed.hpp>
#include <cute/pointer_flagged.hpp>
#include <cute/swizzle_layout.hpp>

#include "answers.hpp"

namespace swz {

struct Leaves {
  std::string text;
  std::vector<int> values;
};

template <class T>
struct Read;
template <auto v>
struct Read<cute::C<v>> {
  using Dynamic = int;
  static void write(Leaves& out) {
    out.text += std::to_string(v);
    out.values.push_back(static_cast<int>(v));
  }
  static int fill(const int*& next) { return *next++; }
};
template <class... T>
struct Read<cute::tuple<T...>> {
  using Dynamic = cute::tuple<typename Read<T>::Dynamic...>;
  static void write(Leaves& out) {
    out.text += '(';
    ((Read<T>::write(out), out.text += ','), ...);
    out.text.back() = ')';
  }
  static Dynamic fill(const int*& next) { return Dynamic{Read<T>::fill(next)...}; }
};

template <class Shape, class Stride>
void run_time_values(const int* shape, const int* stride, std::vector<int>& out) {
  const cute::Layout<Shape, Stride> l(Read<Shape>::fill(shape), Read<Stride>::fill(stride));
  for (int i = 0; i < int(size(l)); ++i) out.push_back(l(i));
}

template <>
struct Read<int> {
  using Dynamic = int;
  static int fill(const int*& next) { return *next++; }
};

// A number or a tuple of numbers.
template <class T>
CuteAnswer answer_of(const T& t) {
  if constexpr (cute::is_static<T>::value) {
    Leaves l;
    Read<T>::write(l);
    return {l.text, {}};
  } else {
    return {std::to_string(int(t)), {}};
  }
}

template <class Shape, class Stride>
CuteAnswer answer_of(const cute::Layout<Shape, Stride>&) {
  Leaves shape, stride;
  Read<Shape>::write(shape);
  Read<Stride>::write(stride);
  CuteAnswer a{shape.text + ":" + stride.text, {}};
  run_time_values<typename Read<Shape>::Dynamic, typename Read<Stride>::Dynamic>(shape.values.data(),
                                                                                 stride.values.data(), a.values);
  return a;
}

template <int B, int M, int S>
std::string name_of(const cute::Swizzle<B, M, S>&) {
  return "Sw<" + std::to_string(B) + "," + std::to_string(M) + "," + std::to_string(S) + "> o ";
}

template <class Swizzle>
void swizzle_values(std::vector<int>& values, int offset) {
  for (int& v : values) v = Swizzle::apply(offset + v);
}

template <int B, int M, int S, auto offset, class Layout>
CuteAnswer answer_of(const cute::ComposedLayout<cute::Swizzle<B, M, S>, cute::C<offset>, Layout>& l) {
  CuteAnswer a = answer_of(l.layout_b());
  a.form = name_of(l.layout_a()) + std::to_string(offset) + " o " + a.form;
  swizzle_values<cute::Swizzle<B, M, S>>(a.values, offset);
  return a;
}

// Here the swizzle acts on bytes. CuTe itself converts it to elements.
template <int B, int M, int S, int Bits, class Layout>
CuteAnswer answer_of(const cute::ComposedLayout<cute::Swizzle<B, M, S>, cute::smem_ptr_flag_bits<Bits>, Layout>& l) {
  CuteAnswer a = answer_of(l.layout_b());
  a.form = name_of(l.layout_a()) + "smem_ptr[" + std::to_string(Bits) + "b](unset) o " + a.form;
  const auto plain = as_position_independent_swizzle_layout(
      make_composed_layout(l.layout_a(), l.offset(), cute::Layout<cute::_1, cute::_0>{}));
  if constexpr (cute::is_composed_layout<cute::remove_cvref_t<decltype(plain)>>::value)
    swizzle_values<cute::remove_cvref_t<decltype(plain.layout_a())>>(a.values, 0);
  return a;
}

// slice_and_offset: a layout, and the offset it starts at.
template <class Layout, class Offset>
requires(cute::is_layout<Layout>::value) CuteAnswer answer_of(const cute::tuple<Layout, Offset>& slice) {
  CuteAnswer a = answer_of(cute::get<0>(slice));
  for (int& v : a.values) v += int(cute::get<1>(slice));
  return a;
}

template <class Layout>
CuteAnswer answer_of_static(const Layout& l) {
  CuteAnswer a = answer_of(l);
  if constexpr (cute::is_layout<Layout>::value)
    for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] = int(l(int(i)));
  return a;
}

}  // namespace swz
