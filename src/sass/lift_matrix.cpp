// SPDX-License-Identifier: Apache-2.0
// MMAs: of registers, of a warpgroup, of tensor memory; what moves through tensor memory.
#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "sass/sass_rows.hpp"

namespace swz {

namespace {

struct Extents {
  int m = 0, n = 0, k = 0;
};
// "64x128x16"
std::optional<Extents> extents_of(std::string_view text) {
  Extents extents;
  int* const all[] = {&extents.m, &extents.n, &extents.k};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto [stop, error] = std::from_chars(at, end, *all[i]);
    if (error != std::errc() || (i < 2 && (stop == end || *stop != 'x'))) return std::nullopt;
    at = i < 2 ? stop + 1 : stop;
  }
  return at == end ? std::optional(extents) : std::nullopt;
}

// The types of A and B that a name of an instruction implies, if no modifier says them.
struct WgmmaName {
  std::string_view sass, a_type;
};
constexpr WgmmaName wgmma_names[] = {{"HGMMA", "f16"}, {"QGMMA", ""}, {"IGMMA", ""}, {"BGMMA", "b1"}};

// "BF16", "E4M3"
bool is_operand_type(std::string_view part) {
  return part == "BF16" || part == "TF32" || part == "E4M3" || part == "E5M2" || part == "S8" || part == "U8";
}

// gdesc[UR8].tnspA
struct DescriptorOperand {
  std::string_view registers;
  bool is_transposed = false, is_negative = false;
};
DescriptorOperand descriptor_operand(std::string_view text, char operand) {
  constexpr std::string_view name = "gdesc[";
  const std::size_t first = text.find(name), end = text.find(']');
  if (first == text.npos || end == text.npos) return {};
  const std::string_view flags = text.substr(end);
  return {text.substr(first + name.size(), end - first - name.size()),
          flags.find(fmt::format(".tnsp{}", operand)) != text.npos,
          flags.find(fmt::format(".neg{}", operand)) != text.npos};
}

}  // namespace

// D, A or gdesc[A and B], …; the descriptors of A and B are in registers n and n+2.
void lift_wgmma(SassLine& line) {
  std::optional<Extents> extents;
  std::vector<std::string> types;
  for (const std::string_view part : line.modifiers()) {
    if (const auto read = extents_of(part)) extents = read;
    else if (is_operand_type(part)) types.push_back(lower_case(part));
  }
  const bool is_sparse = line.has("SP");
  const std::size_t described = line.operand(1).starts_with("gdesc") ? 1 : 2;
  const std::string_view text = line.operand(described);
  const DescriptorOperand a = descriptor_operand(text, 'A'), b = descriptor_operand(text, 'B');
  const auto name = std::ranges::find(wgmma_names, line.name(), &WgmmaName::sass);
  if (!extents || name == std::end(wgmma_names) || b.registers.empty() || b.registers == "URZ") return line.fail();
  if (types.empty()) types.emplace_back(name->a_type);
  if (types.size() == 1) types.push_back(types[0]);
  const std::string_view sums = line.has("F32") ? "f32" : line.has("F16") ? "f16" : "s32";
  const std::string descriptor_b = line.pair_at(b.registers, 2);
  const std::string operand_a = described == 1 ? line.pair_at(b.registers, 0) : line.registers(1, 4);
  // scale-d: !UPT is 0, nothing is 1. Of a sparse one the register of metadata and the number of its selector follow.
  std::string scale = "1", metadata, selector = "0";
  for (std::size_t place = described + 2; place < line.count(); ++place) {
    if (SassLine::is_predicate(line.operand(place))) scale = line.word("selp.b32 1, 0, {}", line.predicate(place));
    else if (line.operand(place).starts_with('R')) metadata = line.source(place);
    else if (const auto number = line.number(place)) selector = fmt::format("{}", *number);
  }
  if (is_sparse == metadata.empty()) return line.fail();
  if (is_sparse) metadata = fmt::format("{}, {}, ", metadata, selector);
  const std::string results = line.registers(0, sums == "f16" ? extents->n / 4 : extents->n / 2);
  if (line.fails()) return;
  std::string flags = fmt::format(", {}, {}", a.is_negative ? -1 : 1, b.is_negative ? -1 : 1);
  if (types[0] == "f16" || types[0] == "bf16") {
    if (described == 1) flags += a.is_transposed ? ", 1" : ", 0";
    flags += b.is_transposed ? ", 1" : ", 0";
  }
  if (types[0] == "b1" || sums == "s32") flags.clear();
  line.act("wgmma.mma_async{}.sync.aligned.m64n{}k{}.{}.{}.{} {}, {}, {}, {}{}{}", is_sparse ? ".sp" : "", extents->n,
           extents->k, sums, types[0], types[1], results, operand_a, descriptor_b, metadata, scale, flags);
}

// HMMA.16816.F32.BF16 D, A, B, C
void lift_mma(SassLine& line) {
  struct Shape {
    std::string_view sass, ptx;
  };
  constexpr Shape shapes[] = {{"16816", "m16n8k16"}, {"1688", "m16n8k8"},   {"1684", "m16n8k4"},
                              {"16832", "m16n8k32"}, {"16864", "m16n8k64"}, {"168128", "m16n8k128"}};
  const Shape* shape = nullptr;
  std::vector<std::string> types;
  for (const std::string_view part : line.modifiers()) {
    for (const Shape& each : shapes)
      if (each.sass == part) shape = &each;
    if (is_operand_type(part) || part == "F32" || part == "F16" || part == "S4" || part == "U4")
      types.push_back(lower_case(part));
  }
  if (shape == nullptr || line.has("SP") || line.has("SF")) return line.fail();
  const std::string_view name = line.name();
  if (name == "HMMA") {
    if (types.empty()) return line.fail();
    if (types.size() == 1) types.emplace_back("f16");
  } else if (name == "IMMA") {
    types.insert(types.begin(), "s32");
  }
  if (types.size() == 2) types.push_back(types[1]);
  if (types.size() != 3) return line.fail();
  const int words = types[0] == "f16" ? 2 : 4;
  line.act("mma.sync.aligned.{}.row.col.{}.{}.{}.{} {}, {}, {}, {}", shape->ptx, types[0], types[1], types[2], types[0],
           line.registers(0, words), line.registers(1, 4), line.registers(2, 2), line.registers(3, words));
}

// A, B, D, metadata and instruction descriptor, perhaps scales, whether D is read.
void lift_tcgen05_mma(SassLine& line) {
  struct Kind {
    std::string_view sass, ptx, scaled;
  };
  constexpr Kind kinds[] = {{"UTCHMMA", "f16", ""},
                            {"UTCQMMA", "f8f6f4", "mxf8f6f4.block_scale"},
                            {"UTCIMMA", "i8", ""},
                            {"UTCOMMA", "", "mxf4.block_scale"}};
  const auto kind = std::ranges::find(kinds, line.name(), &Kind::sass);
  const auto in_brackets = [&](std::size_t place, std::string_view name) {
    const std::string_view text = line.operand(place);
    return text.starts_with(name) ? text.substr(name.size(), text.find(']') - name.size()) : std::string_view();
  };
  const std::string_view a_tmem = in_brackets(0, "tmem["), a_smem = in_brackets(0, "gdesc["),
                         b = in_brackets(1, "gdesc["), d = in_brackets(2, "tmem["), metadata = in_brackets(3, "tmem["),
                         idesc = in_brackets(4, "idesc["), scales = in_brackets(5, "tmem[");
  if (kind == std::end(kinds) || b.empty() || d.empty() || metadata.empty() || idesc.empty() ||
      (a_tmem.empty() && a_smem.empty()))
    return line.fail();
  const std::string name = scales.empty()   ? std::string(kind->ptx)
                           : line.has("4X") ? "mxf4nvf4.block_scale.scale_vec::4X"
                                            : std::string(kind->scaled);
  if (name.empty()) return line.fail();
  const std::string a = a_tmem.empty() ? line.pair_at(a_smem, 0) : fmt::format("[{}]", a_tmem);
  const std::string_view adds = line.operand(line.count() - 1);
  const std::string enables = SassLine::is_predicate(adds) ? line.predicate(line.count() - 1) : "yes";
  const std::string scale_operands =
      scales.empty() ? "" : fmt::format(", [{}], [{}]", scales, line.register_after(scales, 1));
  line.act("tcgen05.mma.{}cta_group::{}.kind::{} [{}], {}, {}, {}{}, {}", line.has("WS") ? "ws." : "",
           line.has("2CTA") ? 2 : 1, name, d, a, line.pair_at(b, 0), idesc, scale_operands, enables);
}

namespace {

std::string tensor_address(std::string_view operand) {
  const std::size_t first = operand.find('['), end = operand.find(']');
  if (first == operand.npos || end == operand.npos) return "0";
  return std::string(operand.substr(first + 1, end - first - 1));
}

}  // namespace

// UTCCP.T.S.4x32dp128bit tmem[UR4], gdesc[UR6]
void lift_tcgen05_copy(SassLine& line) {
  struct Shape {
    std::string_view sass, ptx;
  };
  constexpr Shape shapes[] = {{"128dp128bit", "128x128b"},
                              {"4dp256bit", "4x256b"},
                              {"2x64dp128bit_lw02_lw13", "64x128b.warpx2::02_13"},
                              {"2x64dp128bit_lw01_lw23", "64x128b.warpx2::01_23"},
                              {"4x32dp128bit", "32x128b.warpx4"}};
  std::string_view shape = "128x256b";
  for (const std::string_view part : line.modifiers())
    for (const Shape& each : shapes)
      if (each.sass == part) shape = each.ptx;
  const std::string_view descriptor = line.operand(1);
  if (line.count() != 2 || !descriptor.starts_with("gdesc[")) return line.fail();
  line.act("tcgen05.cp.cta_group::{}.{} [{}], {}", line.has("2CTA") ? 2 : 1, shape, tensor_address(line.operand(0)),
           line.pair_at(descriptor.substr(6, descriptor.find(']') - 6), 0));
}

// LDTM.x32 R4, tmem[UR25]; .16dp128bit and the like say the shape.
void lift_tcgen05_access(SassLine& line) {
  struct Shape {
    std::string_view sass, ptx;
    int words;  // of each repetition, in a lane
  };
  constexpr Shape shapes[] = {{"16dp64bit", "16x64b", 1},
                              {"16dp128bit", "16x128b", 2},
                              {"16dp256bit", "16x256b", 4},
                              {"16dp32bit_t0_t15", "16x32bx2", 1},
                              {"16dp32bit_t16_t31", "16x32bx2", 1}};
  Shape shape = {"", "32x32b", 1};
  int repeats = 1;
  for (const std::string_view part : line.modifiers()) {
    for (const Shape& each : shapes)
      if (each.sass == part) shape = each;
    if (part.size() > 1 && part[0] == 'x') std::from_chars(part.data() + 1, part.data() + part.size(), repeats);
  }
  const bool loads = line.name() == "LDTM";
  const std::string registers = line.registers(loads ? 0 : 1, shape.words * repeats);
  const std::string address = tensor_address(line.operand(loads ? 1 : 0));
  if (loads) line.act("tcgen05.ld.sync.aligned.{}.x{}.b32 {}, [{}]", shape.ptx, repeats, registers, address);
  else line.act("tcgen05.st.sync.aligned.{}.x{}.b32 [{}], {}", shape.ptx, repeats, address, registers);
}

}  // namespace swz
