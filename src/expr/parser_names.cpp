// The part of the parser that reads names: functions, atoms, swizzles and smem_ptr.
#include <fmt/format.h>

#include "base/text.hpp"
#include "expr/functions.hpp"
#include "expr/parser.hpp"
#include "smem/tile.hpp"

namespace swz {

Value Parser::named(std::string_view name, std::size_t begin) {
  if (name == "Sw" || name == "S" || name == "Swizzle" || name == "cute::Swizzle") return swizzle(begin);
  if (const Function* f = find_function(name)) {
    scanner_.expect('(', fmt::format("after {}", name));
    const std::vector<Value> arguments = list();
    count_operation();
    return placed(begin, [&] { return call_function(*f, arguments); });
  }
  const std::vector<NamedAtom> atoms = named_atoms();
  if (const NamedAtom* a = find_atom(atoms, name)) return named_atom(*a, begin);
  std::vector<std::string> known = function_names();
  for (const NamedAtom& a : atoms) known.push_back(a.name);
  std::string hint = did_you_mean(name, known);
  if (hint.empty()) hint = "see swz layout --functions for the names an expression can use";
  throw Error(fmt::format("unknown name {}", quoted(name)), hint, {begin, begin + name.size()});
}

// K_SW128<bf16>, after its name
Value Parser::named_atom(const NamedAtom& a, std::size_t begin) {
  scanner_.expect('<', fmt::format("and an element type after {}", a.name));
  const std::size_t type_begin = scanner_.here().begin;
  const std::string type(scanner_.type_name());
  const DType* dtype = placed(type_begin, [&] { return &require_dtype(type); });
  scanner_.expect('>', "after the element type");
  return placed(begin, [&]() -> Value { return atom(a.major, *a.mode, *dtype); });
}

// Sw<3,4,3>, after its name
Value Parser::swizzle(std::size_t begin) {
  scanner_.expect('<', "after the name of a swizzle");
  int parameters[3] = {};
  for (int i = 0; i < 3; ++i) {
    if (i > 0) scanner_.expect(',', "between the parameters of a swizzle");
    const auto n = scanner_.integer();
    if (!n || *n < -62 || *n > 62)
      throw Error(
          fmt::format("expected a small number in a swizzle, {}", n ? fmt::format("got {}", *n) : scanner_.found()),
          "write Sw<3,4,3>: bits, base, shift", scanner_.since(begin));
    parameters[i] = static_cast<int>(*n);
  }
  scanner_.expect('>', "to close the swizzle");
  return placed(begin, [&]() -> Value { return Swizzle(parameters[0], parameters[1], parameters[2]); });
}

// Older CuTe prints Sw<3,4,3>_smem_ptr16b o …: the underscore joins swizzle and pointer.
bool Parser::joins_old_pointer() {
  return scanner_.peek() == '_' && scanner_.peek(1) == 's' && scanner_.accept('_');
}

// smem_ptr[16b](unset), smem_ptr[16b](0x400), smem_ptr16b
std::optional<Parser::Pointer> Parser::pointer() {
  const std::size_t begin = scanner_.here().begin;
  if (!scanner_.accept_symbol("smem_ptr")) return std::nullopt;
  const bool bracket = scanner_.accept('[');
  const auto bits = scanner_.integer_before('b');
  if (!bits || *bits < 1 || *bits > 1 << 20)
    throw Error("smem_ptr needs the bits of an element", "for example smem_ptr[16b](unset)", scanner_.since(begin));
  if (bracket) scanner_.expect(']', "after the element bits");
  Pointer p{*bits};
  if (scanner_.accept('(')) {
    if (!scanner_.accept_word("unset")) {
      const auto address = scanner_.integer();
      if (!address || *address < 0)
        throw Error(fmt::format("expected 'unset' or an address, {}", scanner_.found()), "smem_ptr[16b](unset)",
                    scanner_.here());
      p.address = *address;
    }
    scanner_.expect(')', "after the address of smem_ptr");
  }
  return p;
}

}  // namespace swz
