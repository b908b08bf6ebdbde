// DumpText: the bytes of a dump in whatever form it was written.
//
//   bytes      the bytes themselves
//   npy        the elements of an array of numpy in the order of the file
//   gdb        0x400 <s>:	0x00	0x01 …      x/64xb, x/32xh, x/32xw, x/16xg: a word has as many bytes as digits say
//              $1 = {1, 2 <repeats 7 times>}    print array, print/x array: one element each
//   hex        00 01 02ff, 0x0001 0x0002        bytes as they lie, or with 0x words of equal width, little-endian
//   numbers    0, 1, 2                          one element each, decimal or 0x
//
// "0x400 <s>:\t0x0100\t0x0302" is the bytes 00 01 02 03 at 0x400.
//
// Which form it is follows from the bytes: a text is all printable, and one of its forms. Digits that could be hex or
// decimal are refused, and so is a text that leaves something out: "..." of gdb, a gap between two lines.
//
// Invariant (tested): what a debugger prints of random bytes is read back as these bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace swz {

enum class DumpForm { bytes, npy, gdb, hex, numbers };

std::string_view to_string(DumpForm form);

struct DumpText {
  DumpForm form = DumpForm::bytes;
  std::vector<std::byte> bytes;
  std::optional<Bytes> address;  // that the text says, inside of shared memory's window
};

// number_bits: of a number that does not say its width. form: none, recognised. Throws Error with the place for a text that
// is none of them, and when it stands for more than shared memory holds.
DumpText read_dump(std::span<const std::byte> input, int number_bits, std::optional<DumpForm> form = std::nullopt);

}  // namespace swz
