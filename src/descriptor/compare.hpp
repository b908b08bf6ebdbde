// Two descriptors side by side: which fields differ, and whether the hardware reads other bytes because of it.
//
//   compare(0x4000004000010040, 0x4000004000000042)   (wgmma, mode 128B)
//     start_address        1024 -> 1056   yes      +32 B: a K-advance inside the 128 B line
//     leading_byte_offset  16 -> 0        depends  ignored K-major; MN-major it steps over blocks of 128 B
//
// Invariant (tested): compare(a, a) is empty; the fields of compare(a, b) and compare(b, a) are the same.
#pragma once

#include <string>
#include <vector>

#include "descriptor/instruction_descriptor.hpp"
#include "descriptor/smem_descriptor.hpp"

namespace swz {

// Whether a difference changes what the instruction does.
enum class Matters {
  yes,
  depends,  // on what the word does not hold: major, shape
  no,
  unknown,  // undocumented and not measured
};

constexpr std::string_view to_string(Matters matters) {
  switch (matters) {
    case Matters::yes: return "yes";
    case Matters::depends: return "depends";
    case Matters::no: return "no";
    case Matters::unknown: return "unknown";
  }
  return "";
}

struct Difference {
  std::string field;  // a field's name, "reserved", or "format"
  std::string a, b;   // the values as text, with their unit
  Matters matters = Matters::yes;
  std::string why;
};

std::vector<Difference> compare(const SmemDescriptor& a, const SmemDescriptor& b);
std::vector<Difference> compare(const InstructionDescriptor& a, const InstructionDescriptor& b);

// "1024 B", "128B", "illegal code 3"
std::string value_text(const DecodedField& field);

}  // namespace swz
