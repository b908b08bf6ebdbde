// SPDX-License-Identifier: Apache-2.0
// DumpText: the bytes of a dump, in whatever form it was written.
//
//   bytes      the bytes themselves
//   npy        the elements of an array of numpy in the order of the file
//   gdb        0x400 <s>:	0x00	0x01 …      x/64xb, x/32xh, x/32xw, x/16xg: a word has as many bytes as its digits
//              $1 = {1, 2 <repeats 7 times>}    print array, print/x array: one element each
//   hex        00 01 02ff, 0x0001 0x0002        bytes in order, or with 0x words of equal width, little-endian
//   numbers    0, 1, 2                          one element each, decimal or 0x: its bits
//              0.0, 1.0, 2.5                    its value, as %f and %g print it
//
// "0x400 <s>:\t0x0100\t0x0302" is the bytes 00 01 02 03 at 0x400.
//
// The form is recognised from the bytes: a text is all printable and has one of the text forms. Digits that could be
// hex or decimal are refused, and so is a text that omits something: "..." of gdb, a gap between two lines. Whole
// decimal numbers for a floating-point type may be bits or values: read_dump_meanings reads them both ways.
//
// Invariant (tested): what a debugger prints for random bytes is read back as these bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "arch/dtype.hpp"
#include "base/error.hpp"
#include "base/units.hpp"

namespace swz {

enum class DumpForm { bytes, npy, gdb, hex, numbers };

std::string_view to_string(DumpForm form);

enum class NumberMeaning { bits, values };  // of a number whose text does not show its width

// How such a number is read: as a number of bits, or as a value of a type, with the bits of that type.
struct NumberType {
  int bits = 8;
  const DType* value_of = nullptr;  // null for bits

  NumberType(int width, const DType* type = nullptr) : bits(width), value_of(type) {}
};

struct DumpText {
  DumpForm form = DumpForm::bytes;
  NumberMeaning meaning = NumberMeaning::bits;
  bool has_plain_numbers = false;  // numbers whose text does not show their width
  std::vector<std::byte> bytes;
  std::optional<Bytes> address;  // the address in the text, if it is inside shared memory's window
};

// Without a `form` it is recognised. Throws Error with the place for a text that has none of the forms, and if it
// gives more bytes than shared memory has.
DumpText read_dump(std::span<const std::byte> input, const NumberType& numbers,
                   std::optional<DumpForm> form = std::nullopt);
// The same for each possible meaning of the text, bits first.
std::vector<DumpText> read_dump_meanings(std::span<const std::byte> input, int number_bits, const DType& type,
                                         std::optional<DumpForm> form = std::nullopt);

// A decimal number with or without a point and an exponent, inf or nan. None for anything else.
std::optional<double> find_decimal(std::string_view word);
// Whether a text that was refused as bits is a decimal number with a point or an exponent: it can only be a value.
bool refuses_a_fraction(const Error& error);

}  // namespace swz
