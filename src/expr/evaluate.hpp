// SPDX-License-Identifier: Apache-2.0
// Expressions over layouts, in CuTe's notation and with CuTe's function names and argument order.
//
//   right_inverse(((4,8),(2,2)):((32,1),(16,8)))         ((8,2),(2,4)):…      functions
//   (20,2):(16,4) o (4,5):(1,4)                          (4,5):(16,64)        composition, right to left
//   (Sw<2,4,3> o 0 o (8,32):(32,1))(7,25)                233                  a layout at a coordinate
//   (8,64):(64,1)(_,3)                                   (8):(64)             a slice
//   zipped_divide((8,64), <4:1,16:2>)                                         by-mode tilers
//   tile_to_shape(K_SW128<bf16>, (128,64), (2,1))                             named atoms
//   left_inverse(tmem_d(128,256)) o tcgen05.ld.16x256b.x4                     tensor memory (tensor_memory.hpp)
//   Layout<Shape<_8,_64>, LayoutRight>{}                                      types of C++ (cute_types.cpp)
//   cute.make_layout((8, 64), stride=(64, 1))                                 calls of Python (cute_types.cpp)
//   sA: gmem_ptr[16b](0x7f00) o (8,64):(64,1)                                 printed tensors (cute_tensor.cpp)
//   zipped_divide(make_identity_layout((128,64)), (32,8))                     coordinates (cute_basis.cpp)
//
// Grammar, loosest binding first:
//
//   whole      = [ name ":" | name "=" ] expression [ ";" ]
//   expression = postfix { "o" postfix }          Sw<3,4,3> o smem_ptr[16b](unset) o L, Sw<3,3,3> o 0 o L
//   postfix    = primary [ "{}" ] { "(" arguments ")" } | pointer | tensor "<" … ">"
//   primary    = tuple [ ":" tuple ]              (8,64):(64,1), also with static marks (_8,_64):(_64,_1)
//              | name "(" arguments ")", an argument also as name "=" expression | number "@" mode | "[" … "]"
//              | type "<" types ">", a type as in C++ | name "<" type ">"
//              | Sw "<" B "," M "," S ">" | "<" tilers ">" | "_"
//              | "tcgen05" { "." suffix } | "(" expression ")"
//
// The limits on length, depth and size are in base/limits.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/finding.hpp"
#include "layout/algebra.hpp"
#include "layout/basis_layout.hpp"
#include "layout/composed_layout.hpp"

namespace swz {

// The value of an expression.
//
//   3, (2,4), (_,3)            IntTuple
//   (8,64):(64,1), Sw<…> o …   ComposedLayout (a plain layout is a trivial one)
//   (4,8):(1@0,1@1)            BasisLayout
//   Sw<3,4,3>                  Swizzle
//   <4:1,8:2>                  Tiler
using Value = std::variant<IntTuple, ComposedLayout, BasisLayout, Swizzle, Tiler>;

std::string to_string(const Value& v);
// "a layout", "the number 3", …, for messages.
std::string describe(const Value& v);

// The layout shape:stride, whose strides may be basis elements.
Value layout_of(const IntTuple& shape, const IntTuple& stride);
// The tuple itself, or the shape of a layout.
IntTuple shape_or_tuple(const Value& v);

// These convert the argument of a function to the type that it needs. They throw an Error that names both.
std::int64_t as_int(const Value& v);         // (3) counts as 3
IntTuple as_tuple(const Value& v);           // without `_` and basis elements
ComposedLayout as_composed(const Value& v);  // a shape S becomes the compact layout of S
Layout as_layout(const Value& v);            // the same, and it must not be swizzled
Tiler as_tiler(const Value& v);              // a layout, a shape, or <…>

// ---- the functions

struct Function {
  std::string_view signature;  // "complement(L [, cotarget])"
  std::string_view summary;
  std::size_t min_arguments, max_arguments;
  Value (*call)(std::span<const Value> arguments);

  std::string_view name() const { return signature.substr(0, signature.find('(')); }
};

// The functions in the order of their names.
std::span<const Function> functions();
// The parts of the table, one per file.
std::span<const Function> layout_functions();     // functions.cpp: from layouts to layouts
std::span<const Function> construct_functions();  // construct_functions.cpp: make tuples, swizzles, layouts
std::span<const Function> shape_functions();      // shape_functions.cpp: shapes, coordinates, indices
// The function with this name, or null.
const Function* find_function(std::string_view name);
std::vector<std::string> function_names();
// Throws Error if f does not accept this number of arguments.
void require_count(const Function& f, std::size_t arguments);
Value call_function(const Function& f, std::span<const Value> arguments);

// Facts that a function's result does not show: that a complement leaves holes, that tensor memory was not measured.
std::vector<Finding> function_notes(std::string_view function, std::span<const Value> arguments);

// left o right: a swizzle, an offset or a layout before a layout. Throws Error if the result is not a layout.
Value compose(const Value& left, const Value& right);

// ---- whole texts

struct Evaluation {
  Value value;
  // Facts that the value does not show, for example the offset that CuTe's slice drops.
  std::vector<Finding> notes = {};
  std::int64_t smem_address = 0;  // of the pointer before a layout, smem_ptr[16b](0x400); 0 if there is none
};

// A call of a function, a composition, or a value at a coordinate, with the values of its arguments. It has no result
// if it was refused.
struct RecordedCall {
  std::string_view name;  // the function's: "composition"; "at" is the first argument at the coordinate of the others
  std::vector<Value> arguments;
  std::optional<Value> result = {};
};

// Throws Error with a span into `text`. `operations` receives every operation in the order of evaluation, innermost
// first.
Evaluation evaluate(std::string_view text, std::vector<RecordedCall>* operations = nullptr);

// The layout that `text` denotes; a shape denotes its compact layout. Throws Error if it denotes something else.
ComposedLayout parse_layout(std::string_view text);

// The same, with the address in its pointer.
struct PlacedLayout {
  ComposedLayout layout;
  std::int64_t smem_address = 0;  // as written, also a generic address; 0 if there is none
};
PlacedLayout parse_placed_layout(std::string_view text);

}  // namespace swz
