// SPDX-License-Identifier: Apache-2.0
#include "dialect/triton_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace swz {
namespace {

using enum Presence;

template <class E, class V>
E struct_with(V E::*);  // never called: its type is asked for

template <auto field>
FieldPlace at(TritonEncoding& encoding) {
  return &(std::get<decltype(struct_with(field))>(encoding.value).*field);
}

template <class E>
TritonEncoding standard() {
  return {E{}};
}

FieldPlace version(TritonEncoding& encoding) {
  auto& e = std::get<NvidiaMma>(encoding.value);
  return NumberPair{&e.major, &e.minor, "[major, minor]", "[3, 0]"};
}
FieldPlace block(TritonEncoding& encoding) {
  auto& e = std::get<TensorMemory>(encoding.value);
  return NumberPair{&e.block_m, &e.block_n, "(M, N)", "(128, 64)"};
}
FieldPlace shape_of_array(TritonEncoding&) { return ShapeOfArray{}; }

template <class E>
constexpr EncodingField cga{{"CGALayout", unless_default}, {"cga_layout", unless_default}, at<&E::cga>};

// ---- shared memory

constexpr EncodingField swizzled_shared[] = {
    {"vec", "vec", at<&SwizzledShared::vec>},
    {"perPhase", "per_phase", at<&SwizzledShared::per_phase>},
    {"maxPhase", "max_phase", at<&SwizzledShared::max_phase>},
    {"order", "order", at<&SwizzledShared::order>},
    cga<SwizzledShared>,
};
constexpr EncodingField nvmma_shared[] = {
    {"swizzlingByteWidth", "swizzle_byte_width", at<&NvmmaShared::swizzle_bytes>},
    {"elementBitWidth", "element_bitwidth", at<&NvmmaShared::element_bits>},
    {{"rank", unless_default}, {"rank", optional}, at<&NvmmaShared::rank>},
    {{"transposed", optional}, {"transposed", optional}, at<&NvmmaShared::is_transposed>},
    {{"fp4Padded", unless_default}, {"fp4_padded", optional}, at<&NvmmaShared::is_fp4_padded>},
    cga<NvmmaShared>,
};
constexpr EncodingField padded_shared[] = {
    {"", "interval_padding_pairs", at<&PaddedShared::padding>},
    {"", "offset_bases", at<&PaddedShared::offset>},
    {"", {"cga_layout", optional}, at<&PaddedShared::block>},
    {"", {"shape", optional}, shape_of_array},
};
constexpr EncodingField shared_linear[] = {
    {"", "offset_bases", at<&SharedLinear::offset>},
    {"", {"block_bases", optional}, at<&SharedLinear::block>},
    {"", {"alignment", optional}, at<&SharedLinear::alignment>},
};

// ---- registers

constexpr EncodingField blocked[] = {
    {"sizePerThread", "size_per_thread", at<&Blocked::size_per_thread>},
    {"threadsPerWarp", "threads_per_warp", at<&Blocked::threads_per_warp>},
    {"warpsPerCTA", "warps_per_cta", at<&Blocked::warps_per_cta>},
    {"order", "order", at<&Blocked::order>},
    cga<Blocked>,
};
constexpr EncodingField nvidia_mma[] = {
    {"versionMajor", "", at<&NvidiaMma::major>},
    {{"versionMinor", optional}, "", at<&NvidiaMma::minor>},
    {"", "version", version},
    {"warpsPerCTA", "warps_per_cta", at<&NvidiaMma::warps_per_cta>},
    {"instrShape", "instr_shape", at<&NvidiaMma::instr_shape>},
    cga<NvidiaMma>,
};
constexpr EncodingField dot_operand[] = {
    {"opIdx", "operand_index", at<&DotOperand::operand>},
    {"parent", "parent", at<&DotOperand::parent>},
    {{"kWidth", unless_default}, "k_width", at<&DotOperand::k_width>},
};
constexpr EncodingField register_slice[] = {
    {"dim", "dim", at<&RegisterSlice::dimension>},
    {"parent", "parent", at<&RegisterSlice::parent>},
};
constexpr EncodingField register_linear[] = {
    {"register", "reg_bases", at<&RegisterLinear::registers>},
    {"lane", "lane_bases", at<&RegisterLinear::lane>},
    {"warp", "warp_bases", at<&RegisterLinear::warp>},
    {"block", "block_bases", at<&RegisterLinear::block>},
    {"", {"shape", optional}, shape_of_array},
};

// ---- tensor memory

constexpr EncodingField tensor_memory[] = {
    {"blockM", "", at<&TensorMemory::block_m>},
    {"blockN", "", at<&TensorMemory::block_n>},
    {"", "block", block},
    {{"colStride", optional}, "col_stride", at<&TensorMemory::column_stride>},  // MLIR: or "unpacked"
    cga<TensorMemory>,
    {{"twoCTAs", unless_default}, {"two_ctas", unless_default}, at<&TensorMemory::has_two_ctas>},
    {{"fp4Padded", unless_default}, {"fp4_padded", unless_default}, at<&TensorMemory::is_fp4_padded>},
};
constexpr EncodingField tensor_memory_scales[] = {
    cga<TensorMemoryScales>,
};

constexpr EncodingRow encodings[] = {
    {"#ttg.swizzled_shared", "SwizzledSharedLayout", standard<SwizzledShared>, swizzled_shared},
    {"#ttg.nvmma_shared", "NVMMASharedLayout", standard<NvmmaShared>, nvmma_shared, {0, 3, 1, 4, 2, 5, 6}},
    {"#ttg.padded_shared", "PaddedSharedLayout", standard<PaddedShared>, padded_shared},
    {"#ttg.shared_linear", "SharedLinearLayout", standard<SharedLinear>, shared_linear},
    {"#ttg.blocked", "BlockedLayout", standard<Blocked>, blocked},
    {"#ttg.nvidia_mma", "NVMMADistributedLayout", standard<NvidiaMma>, nvidia_mma, {0, 1, 2, 3, 5, 4, 6}},
    {"#ttg.dot_op", "DotOperandLayout", standard<DotOperand>, dot_operand},
    {"#ttg.slice", "SliceLayout", standard<RegisterSlice>, register_slice},
    {"#ttg.linear", "DistributedLinearLayout", standard<RegisterLinear>, register_linear},
    {"#ttng.tensor_memory_encoding", "TensorMemoryLayout", standard<TensorMemory>, tensor_memory},
    {"#ttng.tensor_memory_scales_encoding", "TensorMemoryScalesLayout", standard<TensorMemoryScales>,
     tensor_memory_scales},
};
static_assert(std::size(encodings) == std::variant_size_v<decltype(TritonEncoding::value)>);

// ---- the fields

void read_pair(const Literal& l, std::string_view name, const NumberPair& to) {
  const TritonNumbers both = l.integers();
  if (both.size() != 2) throw Error(fmt::format("{} is {}", name, to.form), fmt::format("for example {}", to.example));
  *to.first = both[0];
  *to.second = both[1];
}

std::string value_text(const FieldPlace& place, TritonNotation notation, const ArrayShape& shape) {
  const bool is_mlir = notation == TritonNotation::mlir;
  const std::string yes = is_mlir ? "true" : "True", no = is_mlir ? "false" : "False";
  return std::visit(TritonCases{[](const auto* value) { return fmt::format("{}", *value); },
                                [&](bool* value) { return *value ? yes : no; },
                                [&](TritonParent* of) { return is_mlir ? mlir_text(**of) : gluon_text(**of, shape); },
                                [](std::vector<Padding>* padding) {
                                  TritonBases pairs;
                                  for (const Padding& p : *padding) pairs.push_back({p.interval, p.amount});
                                  return fmt::format("{}", pairs);
                                },
                                [](const NumberPair& of) {
                                  return fmt::format("{}{}, {}{}", of.form.front(), *of.first, *of.second,
                                                     of.form.back());
                                },
                                [&](ShapeOfArray) { return fmt::format("{}", shape); }},
                    place);
}

}  // namespace

std::span<const EncodingRow> triton_encodings() { return encodings; }

const EncodingRow& row_of(const TritonEncoding& encoding) { return encodings[encoding.value.index()]; }

std::vector<std::string_view> field_names(const EncodingRow& row, TritonNotation notation) {
  std::vector<std::string_view> names;
  for (const EncodingField& field : row.fields)
    if (const std::string_view name = field.in(notation).text; !name.empty()) names.push_back(name);
  return names;
}

TritonBases require_bases(const Literal& literal) {
  TritonBases bases = literal.integer_lists();
  for (const TritonNumbers& basis : bases)
    if (basis.size() != bases[0].size())
      throw Error(fmt::format("bases of {} and of {} coordinates", bases[0].size(), basis.size()),
                  "one coordinate for each dimension of the array", literal.span);
  return bases;
}

std::vector<Padding> padding_pairs(const TritonBases& pairs) {
  std::vector<Padding> result;
  for (const TritonNumbers& pair : pairs) {
    if (pair.size() != 2) throw Error("interval_padding_pairs: [interval, padding] pairs", "for example [[64, 8]]");
    result.push_back({pair[0], pair[1]});
  }
  return result;
}

TritonEncoding read_fields(const Literal& call, const EncodingRow& row, TritonNotation notation,
                           const std::function<TritonEncoding(const Literal&)>& parent) {
  const bool is_mlir = notation == TritonNotation::mlir;
  TritonEncoding encoding = row.standard();
  std::size_t next = 0;  // the arguments of Gluon may be given by position
  for (const EncodingField& field : row.fields) {
    const FieldName& spelling = field.in(notation);
    const std::string_view name = spelling.text;
    if (name.empty()) continue;
    const std::size_t position = is_mlir ? SIZE_MAX : next++;
    const bool is_needed = spelling.presence == Presence::always;
    const Literal* l = is_needed ? &call.require(name, position) : call.find(name, position);
    if (l == nullptr) continue;
    const bool is_none = !is_mlir && !is_needed && l->text == "None";
    std::visit(TritonCases{[&](std::int64_t* to) { *to = l->integer(); }, [&](bool* to) { *to = l->boolean(); },
                           [&](TritonNumbers* to) { *to = l->integers(); },
                           [&](TritonBases* to) {
                             if (!is_none) *to = is_mlir ? require_bases(*l) : l->integer_lists();
                           },
                           [&](TritonParent* to) { *to = std::make_shared<const TritonEncoding>(parent(*l)); },
                           [&](std::vector<Padding>* to) { *to = padding_pairs(l->integer_lists()); },
                           [&](const NumberPair& to) { read_pair(*l, name, to); }, [](ShapeOfArray) {}},
               field.place(encoding));
  }
  return encoding;
}

std::string fields_text(const TritonEncoding& encoding, TritonNotation notation, const ArrayShape& shape) {
  const bool is_mlir = notation == TritonNotation::mlir;
  const EncodingRow& row = row_of(encoding);
  TritonEncoding values = encoding, standard = row.standard();
  std::string texts;
  for (std::size_t i = 0; i < row.fields.size(); ++i) {
    const EncodingField& field = row.fields[is_mlir ? row.mlir_order[i] : i];
    const auto& [name, presence] = field.in(notation);
    if (name.empty()) continue;
    const std::string text = value_text(field.place(values), notation, shape);
    const bool may_be_left_out = presence == Presence::unless_default;
    if (may_be_left_out && text == value_text(field.place(standard), notation, shape)) continue;
    texts += fmt::format("{}{}{}{}", texts.empty() ? "" : ", ", name, is_mlir ? " = " : "=", text);
  }
  return texts;
}

void require_one_cta(const TritonEncoding& encoding, const char* hint) {
  const auto* memory = std::get_if<TensorMemory>(&encoding.value);
  if (memory != nullptr && (memory->has_two_ctas || !memory->cga.empty()))
    throw Error("tensor memory of two CTAs is not read", hint);
  const auto* scales = std::get_if<TensorMemoryScales>(&encoding.value);
  if (scales != nullptr && !scales->cga.empty()) throw Error("scale factors of several CTAs are not read", hint);
}

}  // namespace swz
