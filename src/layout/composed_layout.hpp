// SPDX-License-Identifier: Apache-2.0
// ComposedLayout: a swizzle after a layout, R(c) = swizzle(offset + layout(c)).
//
// It has two forms, which CuTe prints differently and which are easily confused:
//
//   plain form      Sw<3,3,3> o 0 o (8,64):(64,1)                      the swizzle acts on offsets in elements
//   smem_ptr form   Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)   it acts on byte addresses of 16-bit elements
//
// Both lines above are the same function of elements. At (1,8): 1*64 + 8 = 72 elements; plain: bits 6..8 of 72 are
// 1, 72 ^ (1 << 3) = 64. Bytes: 144 ^ (1 << 4) = 128 bytes, that is 64 elements again.
//
// Offsets are always in elements of element_bits (smem_ptr form) or in the layout's own unit (plain form). An unset
// pointer represents any address that is a multiple of the swizzle's period.
//
// To recast is to count the same memory in wider or narrower elements:
//
//   upcast((8,64):(64,1), 8)      =  (8,8):(8,1)      16-bit elements -> 128-bit units
//   downcast((8,8):(8,1), 8)      =  (8,64):(64,1)    and back
//   recast(Sw<3,4,3> o smem_ptr[16b](unset) o (64,16):(64,1), 16, 128)
//                                 =  Sw<3,4,3> o smem_ptr[128b](unset) o (64,2):(8,1)
//
// The smem_ptr form keeps its swizzle, which counts bytes in any case. In plain form the swizzle changes its unit too.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "layout/layout.hpp"
#include "layout/swizzle.hpp"

namespace swz {

class ComposedLayout {
 public:
  ComposedLayout(Layout layout) : layout_(std::move(layout)) {}  // NOLINT: a Layout is a trivial ComposedLayout
  // The plain form. Throws Error if offsets could be negative or exceed 62 bits.
  ComposedLayout(Swizzle swizzle, std::int64_t offset, Layout layout);
  // The smem_ptr form, with the swizzle in byte units. Throws Error if the swizzle does not keep elements whole.
  static ComposedLayout smem_ptr(Swizzle byte_swizzle, int element_bits, Layout layout);

  const Swizzle& swizzle() const { return swizzle_; }  // as written: in bytes in smem_ptr form
  const Swizzle& element_swizzle() const { return element_swizzle_; }
  std::int64_t offset() const { return offset_; }
  const Layout& layout() const { return layout_; }
  bool has_pointer() const { return element_bits_ != 0; }
  int element_bits() const { return element_bits_; }  // 0 in plain form
  // True for just a layout, without swizzle, offset and pointer.
  bool is_layout() const { return swizzle_.is_identity() && offset_ == 0 && !has_pointer(); }

  std::int64_t size() const { return layout_.size(); }
  std::int64_t operator()(std::int64_t i) const { return element_swizzle_(offset_ + layout_(i)); }

  // The same swizzle and offset after another layout.
  ComposedLayout with(Layout layout) const;
  // The same function in plain form.
  ComposedLayout plain() const { return has_pointer() ? ComposedLayout(element_swizzle_, offset_, layout_) : *this; }

  bool operator==(const ComposedLayout&) const = default;

 private:
  Swizzle swizzle_;
  Swizzle element_swizzle_;
  std::int64_t offset_ = 0;
  int element_bits_ = 0;
  Layout layout_;
};

std::int64_t offset_at(const ComposedLayout& l, const IntTuple& coordinate);
void tabulate(const ComposedLayout& l, std::span<std::int64_t> out);
// The modes at `_`, with the offset of the others inside the result. The smem_ptr form becomes plain if that is not 0.
ComposedLayout slice(const ComposedLayout& l, const IntTuple& coordinate);

// The layout in CuTe's notation. A trivial one prints as its layout only.
std::string to_string(const ComposedLayout& l);

// Makes one element of n. Post: result at (c divided by n along the contiguous modes) == l(c) / n for every c.
// Throws Error if a stride neither divides n nor is divided by it, or if the n elements of a unit overlap others.
Layout upcast(const Layout& l, std::int64_t n);
ComposedLayout upcast(const ComposedLayout& l, std::int64_t n);

// Makes n elements of one. Post: the n parts of l(c) are l(c)*n, …, l(c)*n + n-1, along the mode of stride 1.
// A mode of extent 1 is that mode only if no other has stride 1: downcast((32,1):(1,1), 8) is (256,1):(1,8).
// Throws Error unless exactly one mode has stride 1 or -1.
Layout downcast(const Layout& l, std::int64_t n);
ComposedLayout downcast(const ComposedLayout& l, std::int64_t n);

// Upcasts or downcasts from elements of from_bits to elements of to_bits.
ComposedLayout recast(const ComposedLayout& l, std::int64_t from_bits, std::int64_t to_bits);

// The same function without its swizzle, if none of its offsets has a bit that the swizzle reads; otherwise l itself.
//   Sw<1,5,3> o 0 o (8,8):(8,1) reads bit 8 of offsets below 64: (8,8):(8,1)
ComposedLayout without_idle_swizzle(const ComposedLayout& l);

// The longest run of consecutive elements that both layouts store consecutively, in elements.
std::int64_t max_common_vector(const ComposedLayout& a, const ComposedLayout& b);

}  // namespace swz
