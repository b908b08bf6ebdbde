// SPDX-License-Identifier: Apache-2.0
// ValueMaker: the values that instructions and patterns are made of, for the classes that build them.
//
//   cut(x, 16)                  x & 0xffff, or x itself if it has at most 16 bits
//   sign_extended(x, 8, 32)     the low 8 bits of x as a signed number of 32 bits
//   negated(x, 32)              x * 0xffffffff
//
// Used only inside src/ptx.
#pragma once

#include <algorithm>
#include <optional>

#include "ptx/values.hpp"

namespace swz {

class ValueMaker {
 protected:
  explicit ValueMaker(PtxValues& values) : v_(values) {}

  ValueId op(ValueOp operation, ValueId a, ValueId b, int bits, std::uint64_t number = 0) const {
    return v_.make({.op = operation, .bits = width(bits), .a = a, .b = b, .number = number});
  }
  ValueId constant(std::uint64_t number, int bits) const { return v_.constant(number, bits); }
  // The number of a constant; nullopt for any other value, also for no_value.
  std::optional<std::uint64_t> number_of(ValueId id) const {
    return id != no_value && v_[id].op == ValueOp::constant ? std::optional(v_[id].number) : std::nullopt;
  }

  ValueId cut(ValueId id, int bits) const {
    if (id == no_value || v_[id].bits <= bits) return id;
    // The result of a shift may fit without being cut.
    const PtxValue& wide = v_[id];
    const auto by = wide.op == ValueOp::shift_right ? number_of(wide.b) : std::nullopt;
    if (by && wide.bits - static_cast<int>(std::min<std::uint64_t>(*by, 64)) <= bits) return id;
    return op(ValueOp::bit_and, id, constant(low_mask(bits), bits), bits);
  }
  ValueId sign_extended(ValueId id, int from, int bits) const {
    return op(ValueOp::sign_extend, cut(id, from), no_value, bits, static_cast<std::uint64_t>(from));
  }
  ValueId negated(ValueId id, int bits) const {
    return op(ValueOp::multiply, id, constant(low_mask(bits), bits), bits);
  }
  ValueId inverted(ValueId id, int bits) const {
    return op(ValueOp::bit_xor, id, constant(low_mask(bits), bits), bits);
  }
  ValueId selected(ValueId condition, ValueId if_true, ValueId if_false, int bits) const {
    return v_.make({.op = ValueOp::select, .bits = width(bits), .a = condition, .b = if_true, .c = if_false});
  }
  // equal, less or less_signed of two numbers of `bits` bits.
  ValueId test(ValueOp comparison, ValueId a, ValueId b, int bits) const {
    return op(comparison, a, b, 1, static_cast<std::uint64_t>(bits));
  }
  static std::uint8_t width(int bits) { return static_cast<std::uint8_t>(std::min(bits, 64)); }

  PtxValues& v_;
};

}  // namespace swz
