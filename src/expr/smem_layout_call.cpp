// SPDX-License-Identifier: Apache-2.0
// The calls with which kernels of CUTLASS and CuTe DSL make the layouts of shared memory, if all that they need is in
// the text.
//
//   make_smem_layout_atom(SmemLayoutAtomKind.K_SW128, cutlass.BFloat16)                          K_SW128<bf16>
//   sm90_utils.get_smem_layout_atom(LayoutEnum.ROW_MAJOR, cutlass.Float16, 32)                   K_SW64<f16>
//   sm90_utils.make_smem_layout_a(LayoutEnum.ROW_MAJOR, (128,256,64), cutlass.Float16, 4)        4 stages of 128x64
//   sm90_utils.make_smem_layout_epi(cutlass.Float16, LayoutEnum.ROW_MAJOR, (64,32), 4)           4 stages of 64x32
//   UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<half_t>{}, ((128,16),1,4))                 cut into MMAs
//
// A name that the text does not define (a tiled MMA, the type of a tensor) is not guessed.
// Source: CUTLASS 4.2, cutlass/utils/hopper_helpers.py and cute/atom/mma_traits_sm100.hpp (read).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "arch/dtype.hpp"
#include "base/text.hpp"
#include "expr/parser.hpp"

namespace swz {
namespace {

constexpr std::array<std::string_view, 8> callees{"make_smem_layout_atom", "get_smem_layout_atom", "make_smem_layout_a",
                                                  "make_smem_layout_b",    "make_smem_layout_epi", "make_smem_layout",
                                                  "tile_to_mma_shape",     "SmemLayoutAtomKind"};

// The last part of a name: "half_t" for "cutlass::half_t".
std::string_view last_part(std::string_view name) {
  const std::size_t colon = name.rfind("::");
  return colon == std::string_view::npos ? name : name.substr(colon + 2);
}

// The last word of a path with dots.
std::string_view dotted_name(Scanner& scanner) {
  std::string_view word = scanner.type_name();
  while (scanner.peek() == '.' && scanner.accept('.')) word = scanner.type_name();
  return last_part(word);
}

NamedAtom require_atom(std::string_view name, Span place) {
  const std::vector<NamedAtom> atoms = named_atoms();
  if (const NamedAtom* found = find_atom(atoms, name)) return *found;
  throw Error(fmt::format("{} is not a kind of atom", quoted(name)),
              "K_INTER, K_SW32, K_SW64, K_SW128, MN_INTER, MN_SW32, MN_SW64, MN_SW128, MN_SW128_32B", place);
}

Value tuple_of(std::initializer_list<std::int64_t> numbers) {
  return IntTuple(std::vector<IntTuple>(numbers.begin(), numbers.end()));
}

// The widest mode whose lines divide the contiguous extent.
NamedAtom widest_atom(Major major, std::int64_t extent, const DType& dtype) {
  std::string name = "INTER";
  for (const int bytes : {32, 64, 128})
    if (extent * dtype.memory_bits % (bytes * 8) == 0) name = fmt::format("SW{}", bytes);
  return require_atom(fmt::format("{}_{}", direction_name(major), name), {});
}

}  // namespace

std::optional<Value> Parser::smem_layout_call() {
  Scanner ahead = scanner_;
  const std::size_t begin = ahead.here().begin;
  while (true) {
    const std::string_view word = ahead.identifier();
    if (word.empty()) return std::nullopt;
    if (word.find("SmemLayoutAtomKind::") != std::string_view::npos) break;
    if (std::ranges::find(callees, last_part(word)) != callees.end()) {
      scanner_ = ahead;
      return smem_layout_of(last_part(word), begin);
    }
    if (!ahead.accept('.')) return std::nullopt;
  }
  return smem_layout_of("SmemLayoutAtomKind", begin);
}

// Reads "," and the name before "=", if they are there.
void Parser::named_argument(std::string_view before) {
  if (!before.empty()) scanner_.expect(',', before);
  scanner_.keyword();
}

const DType& Parser::element_type() {
  const std::size_t begin = scanner_.here().begin;
  const std::string_view name = dotted_name(scanner_);
  if (const DType* found = find_dtype(name)) return *found;
  throw Error(fmt::format("{} is not an element type: what the name stands for is not in the text", quoted(name)),
              "write the type, for example cutlass.BFloat16", scanner_.since(begin));
}

// Reads SmemLayoutAtomKind.K_SW128, or get_smem_layout_atom(LayoutEnum.ROW_MAJOR, cutlass.Float16, 64).
NamedAtom Parser::atom_kind() {
  const std::size_t begin = scanner_.here().begin;
  const std::string_view name = dotted_name(scanner_);
  const DType* said = nullptr;
  return name == "get_smem_layout_atom" ? widest_kind(said) : require_atom(name, scanner_.since(begin));
}

// Reads (LayoutEnum.ROW_MAJOR, cutlass.Float16, 64): the kind, and the type for which it is chosen.
NamedAtom Parser::widest_kind(const DType*& dtype) {
  scanner_.expect('(', "after get_smem_layout_atom");
  named_argument("");
  const Major major = layout_enum();
  named_argument("after the layout");
  dtype = &element_type();
  named_argument("after the element type");
  const std::int64_t extent = as_int(expression());
  scanner_.accept(',');
  scanner_.expect(')', "after the contiguous extent");
  return widest_atom(major, extent, *dtype);
}

// Reads LayoutEnum.ROW_MAJOR: the last dimension is contiguous, which is K of an operand.
Major Parser::layout_enum() {
  const std::size_t begin = scanner_.here().begin;
  const std::string_view name = dotted_name(scanner_);
  if (name == "ROW_MAJOR") return Major::K;
  if (name == "COL_MAJOR") return Major::MN;
  throw Error(
      fmt::format("{} is not LayoutEnum.ROW_MAJOR or LayoutEnum.COL_MAJOR: the major is not in the text", quoted(name)),
      "write it, or give what print() says of the layout: S<3,4,3> o 0 o …", scanner_.since(begin));
}

// The name of the function has been read, or comes next with its kind: SmemLayoutAtomKind::K_SW128.
Value Parser::smem_layout_of(std::string_view function, std::size_t begin) {
  if (function == "SmemLayoutAtomKind")
    throw Error("a kind of atom without its element type",
                "make_smem_layout_atom(SmemLayoutAtomKind.K_SW128, cutlass.BFloat16), or add --dtype bf16",
                scanner_.since(begin));
  grow(limits::expression_operations, operations_);
  if (function == "get_smem_layout_atom") {
    const DType* dtype = nullptr;
    const NamedAtom kind = widest_kind(dtype);
    return placed(begin, [&]() -> Value { return atom(kind.major, *kind.mode, *dtype); });
  }
  scanner_.expect('(', fmt::format("after {}", function));
  if (function == "tile_to_mma_shape") return mma_shape_call(begin);
  named_argument("");
  if (function == "make_smem_layout_atom") {
    const NamedAtom kind = atom_kind();
    named_argument("after the kind of atom");
    const DType& dtype = element_type();
    scanner_.accept(',');
    scanner_.expect(')', "after the element type");
    return placed(begin, [&]() -> Value { return atom(kind.major, *kind.mode, dtype); });
  }
  return staged_call(function, begin);
}

// Reads (layout, tiler, type, stages) of an operand, or (type, layout, tile, stages) of the epilogue.
Value Parser::staged_call(std::string_view function, std::size_t begin) {
  const bool is_operand = function.ends_with("_a") || function.ends_with("_b");
  const DType* dtype = is_operand ? nullptr : &element_type();
  if (!is_operand) named_argument("after the element type");
  const Major major = layout_enum();
  named_argument("after the layout");
  std::vector<std::int64_t> extents = flat_values(as_tuple(expression()));
  if (extents.size() != (is_operand ? 3u : 2u))
    throw Error(fmt::format("{} takes a tile of {}", function, is_operand ? "(M,N,K)" : "(M,N)"),
                is_operand ? "for example (128,256,64)" : "for example (64,32)", scanner_.since(begin));
  if (is_operand) {
    extents.erase(extents.begin() + (function.ends_with("_a") ? 1 : 0));
    named_argument("after the tile");
    dtype = &element_type();
  }
  std::int64_t stages = 1;
  if (scanner_.accept(',') && scanner_.peek() != ')') {
    scanner_.keyword();
    stages = as_int(expression());
    scanner_.accept(',');
  }
  scanner_.expect(')', "after the number of stages");
  return placed(begin, [&] {
    const bool is_k_major = major == Major::K;
    const NamedAtom kind = widest_atom(major, extents[is_k_major ? 1 : 0], *dtype);
    const Value order = is_k_major ? tuple_of({1, 2, 3}) : tuple_of({2, 1, 3});
    return call_function(
        *find_function("tile_to_shape"),
        std::array{Value(atom(kind.major, *kind.mode, *dtype)), tuple_of({extents[0], extents[1], stages}), order});
  });
}

// Reads (atom, ((MMA_MN,MMA_K),MN,K[,PIPE]) [, order]), after the bracket: the tile by tile_to_shape, cut by
// tiled_divide.
Value Parser::mma_shape_call(std::size_t begin) {
  const Value block = expression();
  named_argument("after the atom");
  skip_braces();
  const IntTuple shape = as_tuple(expression());
  std::optional<Value> order;
  if (scanner_.accept(',') && scanner_.peek() != ')') {
    scanner_.keyword();
    order = expression();
    skip_braces();
    scanner_.accept(',');
  }
  scanner_.expect(')', "after the shape");
  if (rank(shape) < 3 || rank(mode(shape, 0)) != 2)
    throw Error(fmt::format("{} is not the shape of an operand cut into MMAs", to_string(shape)),
                "((MMA_MN,MMA_K),MN,K) or with stages: ((128,16),1,4,3)", scanner_.since(begin));
  return placed(begin, [&] {
    const IntTuple& mma = mode(shape, 0);
    std::vector<IntTuple> whole;
    for (std::size_t i = 0; i < 2; ++i) whole.emplace_back(product(mode(mma, i)) * product(mode(shape, i + 1)));
    for (std::size_t i = 3; i < rank(shape); ++i) whole.push_back(mode(shape, i));
    std::vector<Value> arguments{block, IntTuple(whole)};
    if (order) arguments.push_back(*order);
    const Value tile = call_function(*find_function("tile_to_shape"), arguments);
    return call_function(*find_function("tiled_divide"),
                         std::array{tile, tuple_of({product(mode(mma, 0)), product(mode(mma, 1))})});
  });
}

}  // namespace swz
