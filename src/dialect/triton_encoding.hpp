// SPDX-License-Identifier: Apache-2.0
// TritonEncoding: an encoding of Triton as a value, independent of its text, which may be an MLIR attribute
// (triton.cpp) or a Gluon class (gluon.cpp).
//
//   #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>     MLIR
//   SwizzledSharedLayout(vec=8, per_phase=2, max_phase=4, order=[1, 0])             Gluon
//     both: SwizzledShared{8, 2, 4, {1, 0}}; of 128x32: Sw<2,3,3> o 0 o (128,32):(32,1)
//
// text --read--> TritonEncoding --triton_form--> LayoutForm, and back: encoding --> text.
//
// Bases have Triton's meaning: basis k is the coordinate to which bit k of an offset, register, lane, warp or CTA
// moves. This is the inverse of the direction of LayoutForm in shared memory.
//
// Invariants (tested): triton_form(encoding_of(form)) is the function `form`; an encoding that Triton 3.9 refuses, or
// on which it aborts, is an Error.
// Source: triton 3.9.0, its parser and to_linear_layout (run: tests/dialect/golden_triton.py).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/finding.hpp"
#include "dialect/layout_form.hpp"
#include "dialect/literal.hpp"

namespace swz {

using TritonNumbers = std::vector<std::int64_t>;
using TritonBases = std::vector<TritonNumbers>;

// ---- shared memory

struct SwizzledShared {
  std::int64_t vec = 1, per_phase = 1, max_phase = 1;
  TritonNumbers order;
  TritonBases cga = {};  // how CTAs share the array: one basis per bit of the CTA; empty for one CTA
};
struct NvmmaShared {
  std::int64_t swizzle_bytes = 0, element_bits = 16, rank = 2;
  bool is_transposed = false, is_fp4_padded = false;
  TritonBases cga = {};
};
struct PaddedShared {
  std::vector<Padding> padding;
  TritonBases offset, block = {};
};
struct SharedLinear {
  TritonBases offset, block = {};
  std::int64_t alignment = 16;
};

// ---- registers

struct TritonEncoding;
using TritonParent = std::shared_ptr<const TritonEncoding>;

struct Blocked {
  TritonNumbers size_per_thread, threads_per_warp, warps_per_cta, order;
  TritonBases cga = {};
};
struct NvidiaMma {
  std::int64_t major = 2, minor = 0;
  TritonNumbers warps_per_cta, instr_shape;
  TritonBases cga = {};
};
struct DotOperand {
  std::int64_t operand = 0;
  TritonParent parent;
  std::int64_t k_width = 0;  // 0 for a blocked parent
};
struct RegisterSlice {
  std::int64_t dimension = 0;
  TritonParent parent;
};
struct RegisterLinear {
  TritonBases registers, lane, warp, block = {};
};

// ---- tensor memory

struct TensorMemory {
  std::int64_t block_m = 128, block_n = 0, column_stride = 1;
  bool is_fp4_padded = false;
  bool has_two_ctas = false;  // this and the CTAs are read to be refused
  TritonBases cga = {};
};
struct TensorMemoryScales {
  TritonBases cga = {};
};

struct TritonEncoding {
  std::variant<SwizzledShared, NvmmaShared, PaddedShared, SharedLinear, Blocked, NvidiaMma, DotOperand, RegisterSlice,
               RegisterLinear, TensorMemory, TensorMemoryScales>
      value;
};

// std::visit(TritonCases{[](const Blocked&) {…}, [](const auto&) {…}}, encoding.value)
template <class... F>
struct TritonCases : F... {
  using F::operator()...;
};
template <class... F>
TritonCases(F...) -> TritonCases<F...>;

// The number of dimensions that the encoding itself fixes; 0 for any.
std::size_t rank_of(const TritonEncoding& encoding);

// The shape of the array that the text itself fixes: the bases of shared_linear and padded_shared reach exactly it.
// Empty if the text does not fix one.
ArrayShape said_shape(const TritonEncoding& encoding);

// The meaning of the encoding for an array. Throws Error if Triton refuses it; facts worth knowing are added to the
// notes. A shape with one dimension more than the encoding of shared memory is a row of buffers: the layout is that of
// one.
std::int64_t buffer_count(const TritonEncoding& encoding, const ArrayShape& shape);  // 1 if there is no such row
LayoutForm triton_form(const TritonEncoding& encoding, const ArrayShape& shape, ElementWidth element,
                       std::vector<Finding>& notes);

// The best-named encoding that is this function; if there is none, the reason and the nearest alternative.
struct TritonChoice {
  std::vector<TritonEncoding> encoding;  // one or none
  std::string why = {};
};
TritonChoice encoding_of(const LayoutForm& form);

// ---- the parts, one per file
SharedForm shared_of(const SwizzledShared& e, const ArrayShape& shape, ElementWidth element,
                     std::vector<Finding>& notes);
SharedForm shared_of(const NvmmaShared& e, const ArrayShape& shape, ElementWidth element, std::vector<Finding>& notes);
SharedForm shared_of(const PaddedShared& e, const ArrayShape& shape, ElementWidth element, std::vector<Finding>& notes);
SharedForm shared_of(const SharedLinear& e, const ArrayShape& shape, ElementWidth element, std::vector<Finding>& notes);
// Whether Triton accepts it for such an array.
bool is_legal_nvmma(const NvmmaShared& e, const ArrayShape& shape);
inline constexpr int first_cta_bit = 40;  // in a word of offset and CTA
TritonChoice shared_encoding_of(const SharedForm& form);
RegisterBases register_bases(const TritonEncoding& encoding, const ArrayShape& shape);
TritonChoice register_encoding_of(const RegisterForm& form);
TensorForm tensor_of(const TensorMemory& e, const ArrayShape& shape, ElementWidth element);
TensorForm tensor_of(const TensorMemoryScales& e, const ArrayShape& shape, ElementWidth element);
TritonChoice tensor_encoding_of(const TensorForm& form);

// The extents of one CTA, and the bases of the CTAs in the whole array.
struct CtaSplit {
  ArrayShape part;
  TritonBases block;
};
CtaSplit split_over_ctas(const TritonBases& cga, const ArrayShape& shape);

// Throws Error unless the numbers are a permutation of 0..n-1, n of them.
void require_order(const TritonNumbers& order);
void require_powers_of_two(const ArrayShape& shape);
// Throws Error if the array does not have as many dimensions as the encoding.
void require_rank(std::size_t rank, const ArrayShape& shape);

// The order of a row-major array of n dimensions: [n-1, …, 0].
TritonNumbers row_major_order(std::size_t rank);
// The bits of a coordinate as bits of the number of its element.
std::uint64_t number_bits(const TritonNumbers& coordinate, const ArrayShape& shape);
// Appends the bases of dimension d that double from `from` on and are below `to`: from, 2 from, ….
void append_bits(TritonBases& bases, std::size_t rank, std::size_t d, std::int64_t from, std::int64_t to);
// The bases of an array that lies row after row in this order of its dimensions. Throws Error unless it is an order.
TritonBases bases_in_order(const TritonNumbers& order, const ArrayShape& shape);

// ---- texts
// Reads `#ttg.blocked<{…}>`, or what is inside a type. Old spellings are added to the notes.
TritonEncoding mlir_encoding(const Literal& literal, std::vector<Finding>& notes, ElementWidth element = {});
std::string mlir_text(const TritonEncoding& encoding);
TritonEncoding gluon_encoding(const Literal& literal);
// The default of Gluon and TLX for an array: the widest swizzle that divides a row, if there are 8 rows.
NvmmaShared widest_nvmma(ArrayShape shape, int bits, bool is_transposed, bool is_fp4_padded, TritonBases cga);
// tlx.swizzled_layout(…) and similar calls, in tlx.cpp. The shape is that of the array. A second encoding is that of
// the other project that has a function of this name.
bool is_tlx(std::string_view name);
// The element type of local_alloc; null if the call does not give it.
const DType* tlx_dtype(const Literal& literal);
ArrayShape tlx_shape(const Literal& literal);  // empty if the text does not give it
std::vector<TritonEncoding> tlx_encodings(const Literal& literal, const ArrayShape& shape);
std::string gluon_text(const TritonEncoding& encoding, const ArrayShape& shape);

}  // namespace swz
