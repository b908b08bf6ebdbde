// SPDX-License-Identifier: Apache-2.0
// Steps: how the layout algebra reaches an answer, as one would write it on paper.
//
//   composition((4,6):(1,8), 6:2)
//     divide strides   A / 2 = (2,6):(2,8)     every second index: 4:1 becomes 2:2
//     mod shape        (2,3):(2,8)             its first 6 indices: 2, then 6 / 2 = 3
//
// Each function appends the steps of one operation and returns the layout that the last of them shows. The algebra
// (algebra.hpp, tiling.hpp, swizzled_algebra.hpp) computes without steps; tests hold both to the same layout.
//
// Invariants: if a step states an equality, holds(layout, i) is true for every index i of its layout. Two consecutive
// steps of an operation never show the same layout. If an operation is refused, its last step has no layout and gives
// the reason, and the Error of the algebra is thrown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "layout/algebra.hpp"
#include "layout/basis_layout.hpp"
#include "layout/composed_layout.hpp"

namespace swz {

struct LayoutStep {
  // A number or a tuple is a value or a coordinate; monostate is nothing.
  using Result = std::variant<std::monostate, ComposedLayout, BasisLayout, Swizzle, IntTuple>;

  std::string operation;  // the call with its arguments: "complement(4:2, 24)"
  std::string rule;       // "sort by stride"
  std::string message;    // what it does to these numbers
  Result layout = {};     // after the step; nothing if the operation is refused
  std::function<bool(const ComposedLayout&, std::int64_t)> holds = {};
};

std::string to_string(const LayoutStep::Result& r);  // empty for nothing

class LayoutSteps {
 public:
  // Appends a step. One that leaves the layout unchanged joins the step before it, if that is of the same operation.
  // Throws Error if the steps exceed limits::explained_steps.
  void append(LayoutStep step);
  // Appends the last step of an operation that consists of others. If it leaves the layout unchanged, it replaces the
  // last of these.
  void conclude(LayoutStep step);
  void append_all(const LayoutSteps& others);
  const std::vector<LayoutStep>& list() const { return steps_; }

  // Returns f(). If f throws, the error becomes the last step and is thrown again.
  template <class F>
  auto answer_or_refusal(const std::string& operation, const F& f) -> decltype(f()) {
    try {
      return f();
    } catch (const std::exception& e) {
      append({operation, "refused", e.what()});
      throw;
    }
  }

 private:
  void count(const LayoutStep& step);

  std::vector<LayoutStep> steps_;
  std::size_t weight_ = 0;
};

// steps_algebra.cpp
Layout coalesce_steps(LayoutSteps& steps, const Layout& l, const IntTuple& profile = 0);
// The last step of an operation that found these modes: coalesces them.
Layout coalesced_steps(LayoutSteps& steps, const std::string& operation, const std::vector<FlatMode>& modes);
Layout complement_steps(LayoutSteps& steps, const Layout& l, std::int64_t cotarget);             // without holes
Layout complement_with_holes_steps(LayoutSteps& steps, const Layout& l, std::int64_t cotarget);  // CuTe's
Layout free_offsets_steps(LayoutSteps& steps, const Layout& l, std::int64_t count);

// steps_inverse.cpp
Layout right_inverse_steps(LayoutSteps& steps, const Layout& l);
Layout left_inverse_steps(LayoutSteps& steps, const Layout& l);
ComposedLayout right_inverse_steps(LayoutSteps& steps, const ComposedLayout& l);
ComposedLayout left_inverse_steps(LayoutSteps& steps, const ComposedLayout& l);

// steps_composition.cpp
Layout composition_steps(LayoutSteps& steps, const Layout& a, const Layout& b);
Layout composition_steps(LayoutSteps& steps, const Layout& a, const Tiler& b);

// steps_tiling.cpp. `name` is the function of tiling.hpp: "zipped_divide", "flat_product", "raked_product".
Layout divide_steps(LayoutSteps& steps, const std::string& name, const Layout& l, const Tiler& tiler);
Layout product_steps(LayoutSteps& steps, const std::string& name, const Layout& block, const Tiler& tiler);
Layout blocked_or_raked_steps(LayoutSteps& steps, const std::string& name, const Layout& block, const Layout& tiler);
Layout tile_to_shape_steps(LayoutSteps& steps, const Layout& block, const IntTuple& shape, const IntTuple& order = 0);

// steps_recast.cpp
ComposedLayout upcast_steps(LayoutSteps& steps, const ComposedLayout& l, std::int64_t n);
ComposedLayout downcast_steps(LayoutSteps& steps, const ComposedLayout& l, std::int64_t n);
ComposedLayout recast_steps(LayoutSteps& steps, const ComposedLayout& l, std::int64_t from_bits, std::int64_t to_bits);

// steps_swizzle.cpp
// Shows what the swizzle of this layout does, with one coordinate worked through in binary. It is not the identity.
void swizzled_layout_steps(LayoutSteps& steps, const ComposedLayout& l);
Swizzle swizzle_product_steps(LayoutSteps& steps, const Swizzle& s, const Swizzle& t);
// Writes a o s as s' o a: where a sends the bits of s. It is one step, which shows s', or nothing if there is no s'.
void bits_through_steps(LayoutSteps& steps, const std::string& operation, const Layout& a, const Swizzle& s);
ComposedLayout composition_steps(LayoutSteps& steps, const Layout& a, const ComposedLayout& b);

// steps_coordinate.cpp: the value at a coordinate, and the value of a swizzle at an offset.
std::int64_t offset_steps(LayoutSteps& steps, const ComposedLayout& l, const IntTuple& coordinate);
IntTuple coordinate_steps(LayoutSteps& steps, const BasisLayout& l, const IntTuple& coordinate);
std::int64_t swizzled_offset_steps(LayoutSteps& steps, const Swizzle& s, std::int64_t offset);
// A layout with some modes fixed: `result` contains the others.
void slice_steps(LayoutSteps& steps, const ComposedLayout& l, const IntTuple& coordinate, const ComposedLayout& result);

}  // namespace swz
