// SPDX-License-Identifier: Apache-2.0
// swz sf place, sf list, sf diff and sf identify: where scale factors are in memory, by the name of the layout.
#include "view/scale/scale_layout.hpp"

#include <cstring>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "dump_request.hpp"
#include "identify/number_format.hpp"
#include "operand_request.hpp"
#include "tmem_request.hpp"

namespace swz {

// Batch, row and K of an element of a whole operand.
struct OperandPoint {
  std::int64_t batch = 0, row = 0, k = 0;
};

static void read_value(const std::string& text, OperandPoint& to) {
  const Words words = entries_of(text, ",() ");
  if (words.size() != 2 && words.size() != 3)
    throw usage_error(fmt::format("{} is not two or three numbers", swz::quoted(text)),
                      "row and k, for example 100,200; with --batches also the batch before them: 2,100,200");
  constexpr std::int64_t last = limits::operand_extent.most - 1;
  const bool has_batch = words.size() == 3;
  to = {has_batch ? read_number(words[0], 0, last) : 0, read_number(words[has_batch ? 1 : 0], 0, last),
        read_number(words[has_batch ? 2 : 1], 0, last)};
}

namespace {

constexpr int most_vec = 4096;

struct ExtentsRequest {
  std::optional<OperandExtents> shape;
  int vec = 32;
  std::int64_t batches = 1;

  ScaleExtents extents() const { return {shape->mn, ceil_div(shape->k, vec), batches}; }
};

Options extents_options(ExtentsRequest& r) {
  return {option("--shape", "ROWSxK", r.shape, "rows and K of the operand, in elements").required(),
          number("--vec", "V", r.vec, 1, most_vec, "elements of K that share a factor: 16 (NVFP4), 32 (MX), 128")
              .by_default("32"),
          number("--batches", "B", r.batches, 1, 65536, "operands that follow each other: experts").by_default("1")};
}

// How a layout is applied: the row orders before it, and the groups that are padded by themselves.
struct TensorRequest {
  const ScaleLayoutRow* layout = nullptr;
  std::string orders, rows, ks;  // lists
};

std::vector<std::int64_t> counts_of(const std::string& text, std::int64_t each) {
  std::vector<std::int64_t> counts;
  for (const std::string& word : entries_of(text, ", "))
    counts.push_back(ceil_div(read_number(word, 0, limits::operand_extent.most), each));
  return counts;
}

ScaleTensor tensor_of(const TensorRequest& r, const ExtentsRequest& e) {
  using Axis = ScaleDigit::Axis;
  ScaleExtents extents = e.extents();
  ScaleGroups groups{Axis::row, counts_of(r.rows, 1)};
  if (!r.ks.empty()) {
    groups = {Axis::kb, counts_of(r.ks, e.vec)};
    std::int64_t k = 0;
    extents.factors = 0;
    for (const std::int64_t count : counts_of(r.ks, 1)) k += count;
    for (const std::int64_t count : groups.counts) extents.factors += count;
    if (k != e.shape->k)
      throw usage_error(fmt::format("the groups have K {} together, --shape has K {}", k, e.shape->k),
                        "the groups are all of the operand");
  }
  std::vector<const RowOrder*> orders;
  for (const std::string& name : pieces_of(r.orders, ", ")) orders.push_back(&require_row_order(name));
  return ScaleTensor(*r.layout, extents, groups, std::move(orders));
}

struct PlaceRequest {
  ExtentsRequest extents;
  TensorRequest tensor;
  std::optional<OperandPoint> at;
  std::optional<std::int64_t> offset;  // of global memory it may need more than 32 bits
  bool has_map = false;
};

Options place_options(PlaceRequest& r) {
  return Options{scale_layout_option("--layout", r.tensor.layout, "the layout, by any name that swz sf list shows")
                     .by_default("128x4")} +
         extents_options(r.extents) +
         Options{option("--order", "ORDERS", r.tensor.orders, "orders of the rows before the layout: gated,shuffle32")
                     .offering(names_of(row_orders())),
                 option("--groups", "ROWS,…", r.tensor.rows, "rows of each group, which is padded by itself: 5,130,37"),
                 option("--k-groups", "K,…", r.tensor.ks, "K of each group, which is padded by itself")
                     .excluding({"--groups"}),
                 option("--at", "ROW,K", r.at, "where the factor of this element is; with batches BATCH,ROW,K"),
                 number("--offset", "BYTE", r.offset, 0, INT64_MAX, "which factor is in this byte").excluding({"--at"}),
                 flag("--map", r.has_map, "in JSON also the offset of every factor, row by row")};
}

// The factor of an element: its K group may begin inside a factor of the whole.
std::int64_t factor_of(std::int64_t k, const std::string& groups, int vec) {
  std::int64_t first = 0, factor = 0;
  for (const std::int64_t count : counts_of(groups, 1)) {
    if (k < first + count) return factor + (k - first) / vec;
    first += count;
    factor += ceil_div(count, vec);
  }
  return k / vec;
}

Answer place_answer(const PlaceRequest& r, const Context&) {
  ScaleLayoutView view{.tensor = tensor_of(r.tensor, r.extents), .vec = r.extents.vec, .k = r.extents.shape->k};
  if (r.at) {
    view.at = ScaleCoordinate{r.at->row, factor_of(r.at->k, r.tensor.ks, r.extents.vec), r.at->batch};
    view.at_k = r.at->k;
  }
  if (r.offset) view.offset = Bytes{*r.offset};
  view.has_map = r.has_map;
  return {view_scale_layout(view)};
}

Options list_options(ExtentsRequest& r) {
  Options rows = extents_options(r);
  rows.front().is_required = false;
  return rows;
}

Answer list_answer(const ExtentsRequest& r, const Context&) {
  if (!r.shape) return {view_scale_list({})};
  return {view_scale_list(r.extents())};
}

struct DiffRequest {
  ExtentsRequest extents;
  TensorRequest a, b;
};

Options diff_options(DiffRequest& r) {
  const auto layout = [](std::string name, const ScaleLayoutRow*& to, std::string help) {
    Option row = scale_layout_option(name, to, std::move(help));
    row.value = name;
    return std::move(row).required();
  };
  return Options{layout("A", r.a.layout, "the layout that was written"),
                 layout("B", r.b.layout, "the layout that is read")} +
         extents_options(r.extents) +
         Options{option("--order-a", "ORDERS", r.a.orders, "orders of the rows of A"),
                 option("--order-b", "ORDERS", r.b.orders, "orders of the rows of B"),
                 option("--groups-a", "ROWS,…", r.a.rows, "rows of each group of A"),
                 option("--groups-b", "ROWS,…", r.b.rows, "rows of each group of B")};
}

Answer diff_answer(const DiffRequest& r, const Context&) {
  const ScaleTensor a = tensor_of(r.a, r.extents), b = tensor_of(r.b, r.extents);
  const ScaleDifference difference = difference_of(a, b);
  return {view_scale_difference(a, b, difference), difference.different == 0 ? 0 : 1};
}

struct IdentifyRequest {
  ExtentsRequest extents;
  std::string dump, values = "codes";
  std::optional<DumpForm> form;
  int bytes = 1;
  bool makes = false;
};

Options identify_options(IdentifyRequest& r) {
  return Options{argument("DUMP", r.dump, "a file, @- for standard input: bytes, .npy, hexadecimal, numbers").file()} +
         extents_options(r.extents) +
         Options{option("--values", "FILE|codes", r.values,
                        "the factors row by row: a file, or the codes that --make fills in")
                     .by_default("codes"),
                 one_of<int>("--bytes", "1|2|4", r.bytes, {{"1", 1}, {"2", 2}, {"4", 4}}, "bytes of a factor")
                     .by_default("1"),
                 dump_form_option(r.form),
                 one_of<bool>("--make", "LANGUAGE", r.makes, {{"python", true}},
                              "print Python that fills factors so that one dump identifies their layout")};
}

DumpText dump_of(const std::string& name, const IdentifyRequest& r, std::optional<DumpForm> form,
                 const Context& context) {
  const std::string text = read_dump_file(name, context);
  return read_dump(bytes_of(text), 8 * r.bytes, form);
}

// The byte of a factor that is given as a float; none if the type does not have it. UE8M0 has powers of two only.
std::optional<std::uint32_t> code_of(std::string_view type, float number) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  if (type == "ue8m0") return (bits & 0x807fffffU) == 0 ? std::optional(bits >> 23) : std::nullopt;
  const DType& dtype = require_dtype(type);
  const auto code = number_bits(dtype, number);
  if (!code || number_of_bits(dtype, *code) != double{number}) return std::nullopt;
  return static_cast<std::uint32_t>(*code);
}

// All of them in the first type that has them all and whose bytes are in the dump; if no type has such bytes, in the
// first that has them all.
std::vector<std::uint32_t> codes_of(std::span<const float> numbers, std::span<const std::byte> dump) {
  std::array<bool, 256> is_in_dump{};
  for (const std::byte byte : dump) is_in_dump[std::to_integer<std::size_t>(byte)] = true;
  std::vector<std::uint32_t> first;
  float unknown = 0;
  for (const std::string_view type : {"ue8m0", "e4m3", "ue5m3"}) {
    std::vector<std::uint32_t> codes;
    for (const float number : numbers) {
      const auto code = code_of(type, number);
      if (!code) {
        unknown = number;
        break;
      }
      codes.push_back(*code);
    }
    if (codes.size() != numbers.size()) continue;
    if (std::ranges::all_of(codes, [&](std::uint32_t code) { return is_in_dump[code & 0xff]; })) return codes;
    if (first.empty()) first = std::move(codes);
  }
  if (first.empty())
    throw usage_error(fmt::format("--values: no type of scale factors has all of them: not UE8M0, not E4M3, and UE5M3 "
                                  "has no {}",
                                  unknown),
                      "give the factors as the bytes that are dumped, or with --bytes 4");
  return first;
}

ScaleValues values_of(const IdentifyRequest& r, const ScaleExtents& extents, std::span<const std::byte> dump,
                      const Context& context) {
  if (r.values == "codes") return code_values(extents);
  const std::vector<std::byte> bytes = dump_of(r.values, r, {}, context).bytes;
  const auto count = static_cast<std::size_t>(extents.batches * extents.rows * extents.factors);
  const bool is_float = r.bytes == 1 && bytes.size() == 4 * count;
  const std::size_t each = is_float ? 4 : static_cast<std::size_t>(r.bytes);
  if (bytes.size() != count * each)
    throw usage_error(fmt::format("--values has {} B; {} factors have {}", bytes.size(), count, count * each),
                      "the factors row by row, without padding");
  if (is_float) {
    std::vector<float> numbers(count);
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return {extents, codes_of(numbers, dump)};
  }
  ScaleValues values{extents, {}};
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + i * each, each);
    values.values.push_back(value);
  }
  return values;
}

Answer identify_answer(const IdentifyRequest& r, const Context& context) {
  const ScaleExtents extents = r.extents.extents();
  if (r.makes) {
    Document d;
    d.source = scale_fill_source(extents);
    return {d};
  }
  if (r.dump.empty()) throw usage_error("no dump given", "a file, or - for standard input");
  const DumpText dump = dump_of(r.dump, r, r.form, context);
  ScaleIdentityView view{fmt::format("{} of {}, {} B", to_string(dump.form), dump_name(r.dump), dump.bytes.size()),
                         extents, identify_scales(dump.bytes, values_of(r, extents, dump.bytes, context), r.bytes)};
  const int exit_code = view.found.is_decided ? 0 : 1;
  return {view_scale_identity(view), exit_code};
}

}  // namespace

Commands scale_layout_commands() {
  return {{.name = "sf place",
           .summary = "where a scale factor lies in memory",
           .details = R"(The offset of the factor of an element, the bytes of all of them with the
padding, and the offset as a formula and as a CuTe layout, for every layout that
swz sf list shows.)",
           .examples = {{"swz sf place --vec 16 --shape 256x1024 --at 200,1000", "NVFP4"},
                        {"swz sf place --layout to_blocked --shape 172x256 --groups 5,130,37 --at 5,160",
                         "groups of experts"}},
           .next = {{"What if it is written line by line?", "sf diff linear {layout} {--shape,--vec,--batches}"},
                    {"Which other layouts are there?", "sf list {--shape,--vec,--batches}"},
                    {"Which layout has my dump?", "sf identify --make python {--shape,--vec,--batches}"}},
           .prepare = [] { return prepare(place_options, place_answer); }},
          {.name = "sf list",
           .summary = "layouts of scale factors: who writes them, who reads them",
           .details = R"(Every layout with its formula, and what projects call it. With --shape the size
of each, and which are the same function for that shape.)",
           .examples = {{"swz sf list", "all"}, {"swz sf list --shape 256x1024 --vec 16", "for one operand"}},
           .next = {{"Where is the first factor?", "sf place {--vec,--shape,--batches} --at 0,0"},
                    {"Where is the first factor?", "sf place --shape 256x1024 {--vec,--batches} --at 0,0"}},
           .prepare = [] { return prepare(list_options, list_answer); }},
          {.name = "sf diff",
           .summary = "whether two layouts of scale factors are the same, and what a reader gets",
           .details = R"(The first factor that B reads from another byte than A wrote it to, what it gets
instead, and how many are wrong. Exit code 1 if the layouts differ.)",
           .examples = {{"swz sf diff 128x4 128x4_k8 --shape 256x640", "one K tile too many"},
                        {"swz sf diff linear 128x4 --shape 256x256 --vec 16", "same size, other order"}},
           .next = {{"Where is a factor in A?",
                     "sf place --layout {A} {--shape,--vec,--batches} --at {first.row},{first.kb}"},
                    {"Where is a factor in A?", "sf place --layout {A} {--shape,--vec,--batches}"},
                    {"Where is a factor in B?", "sf place --layout {B} {--shape,--vec,--batches}"}},
           .prepare = [] { return prepare(diff_options, diff_answer); }},
          {.name = "sf identify",
           .summary = "the layout of the scale factors in a dump; exit 1 when not decided",
           .details = R"(Compares a dump with the factors row by row, for every layout, the orders of
rows that libraries apply before it, row and factor exchanged, and batches in
another order. Only a layout that has every factor in its place is an answer.
Factors of f32 are compared as the bytes of UE8M0, E4M3 or UE5M3 that they are.)",
           .examples = {{"swz sf identify --make python --shape 200x704", "factors by which one dump decides"},
                        {"swz sf identify @scales.bin --shape 200x704", "which layout wrote this"}},
           .next = {{"Which layouts are there?", "sf list {--shape,--vec,--batches}"}},
           .prepare = [] { return prepare(identify_options, identify_answer); }}};
}

}  // namespace swz
