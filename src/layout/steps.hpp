// Steps: how an answer of the layout algebra comes about, as one would write it on paper.
//
//   composition((4,6):(1,8), 6:2)
//     divide strides   A / 2 = (2,6):(2,8)     every second index: 4:1 becomes 2:2
//     mod shape        (2,3):(2,8)             its first 6 indices: 2, then 6 / 2 = 3
//
// Each function appends the steps of one operation and returns the layout that the last of them shows. The algebra
// (algebra.hpp, tiling.hpp) answers without them; tests hold both to the same layout.
//
// Invariants: where a step states an equality, holds(layout, i) is true for every index i of its layout. Where an
// operation is refused its last step has no layout and says why, and the Error of the algebra is thrown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/limits.hpp"
#include "layout/algebra.hpp"
#include "layout/composed_layout.hpp"

namespace swz {

struct LayoutStep {
  using Result = std::variant<std::monostate, ComposedLayout, Swizzle>;

  std::string operation;  // the call with its arguments: "complement(4:2, 24)"
  std::string rule;       // "sort by stride"
  std::string message;    // what it does to these numbers
  Result layout = {};     // afterwards; nothing where it is refused
  std::function<bool(const Layout&, std::int64_t)> holds = {};
};

class LayoutSteps {
 public:
  void append(LayoutStep step) {
    const auto* l = std::get_if<ComposedLayout>(&step.layout);
    weight_ += 1 + (l ? l->layout().modes().size() : 0) + (step.operation.size() + step.message.size()) / 8;
    require_within(limits::explained_steps, static_cast<std::int64_t>(weight_));
    steps_.push_back(std::move(step));
  }
  const std::vector<LayoutStep>& list() const { return steps_; }

  // What f answers; an Error becomes the last step, and goes on.
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
  std::vector<LayoutStep> steps_;
  std::size_t weight_ = 0;
};

// steps_algebra.cpp
Layout coalesce_steps(LayoutSteps& steps, const Layout& l, const IntTuple& profile = 0);
Layout complement_steps(LayoutSteps& steps, const Layout& l, std::int64_t cotarget);             // without holes
Layout complement_with_holes_steps(LayoutSteps& steps, const Layout& l, std::int64_t cotarget);  // CuTe's
Layout free_offsets_steps(LayoutSteps& steps, const Layout& l, std::int64_t count);
Layout right_inverse_steps(LayoutSteps& steps, const Layout& l);
Layout left_inverse_steps(LayoutSteps& steps, const Layout& l);

// steps_composition.cpp
Layout composition_steps(LayoutSteps& steps, const Layout& a, const Layout& b);
Layout composition_steps(LayoutSteps& steps, const Layout& a, const Tiler& b);

// steps_tiling.cpp. `name` is the function of tiling.hpp: "zipped_divide", "flat_product", "raked_product".
Layout divide_steps(LayoutSteps& steps, const std::string& name, const Layout& l, const Tiler& tiler);
Layout product_steps(LayoutSteps& steps, const std::string& name, const Layout& block, const Tiler& tiler);
Layout blocked_or_raked_steps(LayoutSteps& steps, const std::string& name, const Layout& block, const Layout& tiler);
Layout tile_to_shape_steps(LayoutSteps& steps, const Layout& block, const IntTuple& shape, const IntTuple& order = 0);

// steps_swizzle.cpp
ComposedLayout upcast_steps(LayoutSteps& steps, const ComposedLayout& l, std::int64_t n);
ComposedLayout downcast_steps(LayoutSteps& steps, const ComposedLayout& l, std::int64_t n);
ComposedLayout recast_steps(LayoutSteps& steps, const ComposedLayout& l, std::int64_t from_bits, std::int64_t to_bits);
// What the swizzle of this layout does, with one coordinate worked through in binary.
void swizzled_layout_steps(LayoutSteps& steps, const ComposedLayout& l);
Swizzle swizzle_product_steps(LayoutSteps& steps, const Swizzle& s, const Swizzle& t);

}  // namespace swz
