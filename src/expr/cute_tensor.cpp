// SPDX-License-Identifier: Apache-2.0
// The text before a layout in a printed tensor: its name, and the pointer to its first element.
//
//   sA: Sw<3,4,3>_smem_ptr[16b](0x7f0000000400) o (8,64):(64,1)       the smem_ptr form
//   gmem_ptr[16b](0x7f3a00000000) o (8,64):(64,1)                     (8,64):(64,1)
//   tensor<ptr<f16, smem, align<1024>, S<3,4,3>> o (8,64):(64,1)>     CuTe DSL; the swizzle acts on bytes
//   GMMA::DescriptorIterator o (_1,_1,_4):(_0,_0,_2)                  (1,1,4):(0,0,2), in units of 16 bytes
//
// A pointer into shared memory may point inside a swizzle pattern; apply_pointer refuses that. Other pointers are
// dropped: a layout counts from its first element, wherever that is.
//
// Source: print() of cute/pointer*.hpp and cute/atom/mma_traits_*.hpp; cutlass/cute/core.py of CuTe DSL.
#include <fmt/format.h>

#include <algorithm>

#include "arch/dtype.hpp"
#include "base/text.hpp"
#include "expr/parser.hpp"

namespace swz {
namespace {

// The bits of f16, bf16, tf32, i8, f8E4M3FN as MLIR names them: the first number in the name, or those of a type of
// arch/dtype.hpp.
std::int64_t bits_of_type(std::string_view name) {
  if (const DType* d = find_dtype(name)) return d->memory_bits;
  std::int64_t bits = 0;
  const auto first = std::ranges::find_if(name, is_digit);
  for (auto c = first; c != name.end() && is_digit(*c) && bits < 1024; ++c) bits = bits * 10 + (*c - '0');
  return bits > 0 ? bits : require_dtype(name).memory_bits;
}

constexpr std::string_view kept_out = "the layout does not hold the pointer: offsets count from it";

}  // namespace

// Skips a label:   sA:   sA.layout() =   auto sA =   using SmemLayoutA =
void Parser::skip_label() {
  Scanner ahead = scanner_;
  do {
    if (ahead.identifier().empty()) return;
    while (ahead.accept('.') || ahead.accept("->"))
      if (ahead.identifier().empty()) return;
    if (ahead.accept('(') && !ahead.accept(')')) return;
  } while (is_letter(ahead.peek()));
  if (ahead.accept(':') || (ahead.accept('=') && ahead.peek() != '=')) scanner_ = ahead;
}

std::optional<Parser::Pointer> Parser::pointer() {
  const std::size_t begin = scanner_.here().begin;
  const std::string_view word = scanner_.next_name();
  const std::string_view name = local_name(word);
  if (name.ends_with("DescriptorIterator")) {
    scanner_.identifier();
    return Pointer{
        .shared = false,
        .note_rule = "descriptor-unit",
        .note_text = "an iterator of descriptors counts 16 bytes, the unit of a start address: offset 2 is 32 B"};
  }
  if (name == "counting_iter" && !scanner_.identifier().empty()) {
    return address_of({.shared = false, .note_rule = "pointer", .note_text = std::string(kept_out)}, begin);
  }
  if (name == "raw_ptr" && !scanner_.identifier().empty()) return typed_pointer(begin);
  if (name == "ptr") {
    scanner_.identifier();
    if (scanner_.peek() == '<' || scanner_.peek() == '(') return typed_pointer(begin);
    return address_of({.shared = false, .note_rule = "pointer", .note_text = std::string(kept_out)}, begin);
  }
  if (!name.starts_with("smem_") && !name.starts_with("gmem_") && !name.starts_with("rmem_") &&
      !name.starts_with("tmem_"))
    return std::nullopt;
  // gmem_ptr[16b](0x…), smem_ptr16b, or gmem_[16b](0x…) as a stream prints it; not a function such as tmem_d.
  const std::string_view rest = name.substr(5);
  if (!rest.empty() && !rest.starts_with("ptr")) return std::nullopt;
  scanner_.accept(word.substr(0, word.size() - rest.size()));
  scanner_.accept("ptr");
  Pointer p{.shared = name[0] == 's'};
  if (!p.shared) {
    p.note_rule = "pointer";
    p.note_text = kept_out;
  }
  if (scanner_.accept("_flag_bits")) {
    p.element_bits = as_int(constant_type(begin));
    return p;
  }
  return address_of(std::move(p), begin);
}

// [16b](unset), [16b](0x400), 16b, <half_t>(0x400)
std::optional<Parser::Pointer> Parser::address_of(Pointer p, std::size_t begin) {
  const std::string name(scanner_.text_since(begin));
  if (scanner_.accept('<')) {
    const std::size_t type_begin = scanner_.here().begin;
    std::string_view type = local_name(scanner_.type_name());
    if (type == "const") type = local_name(scanner_.type_name());
    p.element_bits = placed(type_begin, [&] { return bits_of_type(type); });
    scanner_.skip_to_closing();
    scanner_.expect('>', "after the element type");
  } else if (const bool bracket = scanner_.accept('['); bracket || scanner_.peek() != '(' || p.shared) {
    const auto bits = scanner_.integer_before('b');
    if (!bits || *bits < 1 || *bits > 1 << 20)
      throw Error(fmt::format("{} needs the bits of an element", name), fmt::format("for example {}[16b](unset)", name),
                  scanner_.since(begin));
    p.element_bits = *bits;
    if (bracket) scanner_.expect(']', "after the element bits");
  }
  if (scanner_.accept('(')) {
    const bool nested = scanner_.accept('(');
    if (!scanner_.accept_word("unset") && !scanner_.accept_word("nil")) read_address(p, name);
    if (nested) scanner_.expect(')', "after nil");
    scanner_.expect(')', fmt::format("after the address of {}", name));
  }
  return p;
}

// Reads 0x400, or a placeholder for an address that the writer did not know or left out: SMEM_ADDR_A, 0x7f…, %p.
void Parser::read_address(Pointer& p, std::string_view name) {
  const std::size_t begin = scanner_.here().begin;
  const auto address = scanner_.integer();
  if (address && *address < 0)
    throw Error(fmt::format("expected 'unset' or an address, {}", scanner_.found()),
                fmt::format("{}[16b](unset)", name), scanner_.since(begin));
  if (address && (!p.shared || scanner_.peek() == ')')) {
    p.address = *address;
    if (!p.shared) scanner_.skip_to_closing();  // 0x0010.0040 in tensor memory
    return;
  }
  const char first = scanner_.peek();
  const bool is_placeholder = address || is_letter(first) || first == '%' || first == '.' || first == '<' ||
                              (static_cast<unsigned char>(first) & 0x80) != 0;
  if (!is_placeholder)
    throw Error(fmt::format("expected 'unset' or an address, {}", scanner_.found()),
                fmt::format("{}[16b](unset)", name), scanner_.here());
  const std::string word(scanner_.take_to_closing(begin));
  if (!p.shared) return;
  p.note_rule = "pointer-placeholder";
  p.note_text = fmt::format("{} is not an address: taken as a multiple of what the swizzle repeats after", word);
}

// Reads <f16, smem, align<1024>, S<3,4,3>> of a ptr, or (0x400: f16, smem, align<1024>) of a raw_ptr.
Parser::Pointer Parser::typed_pointer(std::size_t begin) {
  const char close = scanner_.peek() == '(' ? ')' : '>';
  scanner_.expect(close == ')' ? '(' : '<', "and the element type of the pointer");
  Pointer p{.shared = false, .note_rule = "pointer", .note_text = std::string(kept_out)};
  if (const auto address = scanner_.integer()) {
    p.address = *address;
    scanner_.expect(':', "after the address of the pointer");
  }
  const std::size_t type_begin = scanner_.here().begin;
  const std::string_view type = scanner_.type_name();
  p.element_bits = placed(type_begin, [&] { return bits_of_type(local_name(type)); });
  while (scanner_.accept(',')) {
    const std::string_view word = scanner_.identifier();
    if (word == "smem") p.shared = true;
    else if (word == "S" || word == "Sw") p.swizzle = std::get<Swizzle>(swizzle(begin));
    else if (scanner_.accept('<')) {
      scanner_.skip_to_closing();
      scanner_.expect('>', "in the type of the pointer");
    } else if (word.empty()) break;
  }
  scanner_.expect(close, "to close the pointer");
  if (p.shared && !p.swizzle.is_identity()) {
    p.note_rule = "pointer-swizzle";
    p.note_text = "the swizzle of a pointer acts on byte addresses, that of a composed layout on offsets in elements";
  } else if (p.shared) p.note_rule = p.note_text = {};
  return p;
}

// Reads <ptr<…> o L>, <ptr<…>>, (raw_ptr(…) o L, data=…) or <0x7f00@smem o L>, after the name tensor.
std::variant<Value, Parser::Pointer> Parser::tensor(std::size_t begin) {
  const char close = scanner_.peek() == '(' ? ')' : '>';
  scanner_.expect(close == ')' ? '(' : '<', "after tensor");
  grow(limits::expression_nesting, nesting_);
  std::optional<Pointer> p = pointer();
  if (!p && scanner_.next_is("0x")) {
    p = Pointer{.address = scanner_.integer().value_or(0),
                .shared = false,
                .note_rule = "pointer",
                .note_text = std::string(kept_out)};
    if (scanner_.accept('@')) scanner_.identifier();
  }
  std::variant<Value, Pointer> result;
  if (!p) result = expression();
  else if (scanner_.accept_word("o")) {
    const Value right = expression();
    result = placed(begin, [&] { return apply_pointer(*p, nullptr, right); });
  } else result = std::move(*p);
  --nesting_;
  if (scanner_.accept(',')) scanner_.skip_to_closing();
  scanner_.expect(close, "to close the tensor");
  return result;
}

// Applies a pointer to the layout after it. `before` is the swizzle before the pointer.
Value Parser::apply_pointer(const Pointer& p, const Swizzle* before, const Value& right) {
  if (!p.note_text.empty()) add_notes({note(p.note_rule, p.note_text)});
  const Swizzle& s = before ? *before : p.swizzle;
  if (!p.shared) {
    if (before)
      throw Error(fmt::format("{} stands before a pointer that is not into shared memory", to_string(s)),
                  "a swizzle acts on addresses of shared memory: smem_ptr[16b](unset)");
    return right;
  }
  if (p.address % s.period() != 0)
    throw Error(fmt::format("the pointer 0x{:x} is not a multiple of {}, the period of {} in bytes", p.address,
                            s.period(), to_string(s)),
                "the XOR acts on absolute addresses, so this tile starts inside a pattern; write (unset) for an "
                "aligned one");
  smem_address_ = p.address;
  const ComposedLayout l = as_composed(right);
  if (!before && p.swizzle.is_identity() && !l.is_layout() && !l.has_pointer()) return l;
  return ComposedLayout::smem_ptr(before ? Swizzle() : p.swizzle, static_cast<int>(p.element_bits), as_layout(right));
}

}  // namespace swz
