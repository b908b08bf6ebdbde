// SPDX-License-Identifier: Apache-2.0
#include "operand_request.hpp"

#include "base/text.hpp"
#include "descriptor/readable_mode.hpp"
#include "expr/evaluate.hpp"
#include "line.hpp"

namespace swz {
namespace {

PlacedOperand placed(SmemTile tile) {
  return {fmt::format("mode {}", tile.swizzle().name), tile.layout(), tile.base(), Placement(tile), tile};
}

// A single word that is not a mode; a longer text may be a layout.
[[noreturn]] void throw_unknown_mode(const std::string& text) {
  Words names = names_of(swizzle_modes());
  const std::string modes = join_and(names);
  names.emplace_back("linear");
  throw usage_error(fmt::format("{} is neither a swizzle mode nor 'linear' nor a layout", swz::quoted(text)),
                    did_you_mean(text, names, "swizzle modes: " + modes));
}

}  // namespace

void read_value(const std::string& text, Layout& to) { to = as_layout(evaluate(text).value); }

void read_value(const std::string& text, TileCoordinate& to) {
  const Words words = entries_of(text, ",x");
  if (words.size() != 2) throw usage_error(fmt::format("cannot read {}", swz::quoted(text)), "a row and a k: 64,16");
  constexpr std::int64_t most = std::int64_t{1} << 32;
  to = {read_number(words[0], 0, most), read_number(words[1], 0, most)};
}

void read_value(const std::string& text, AccessText& to) { to = {text, parse_accesses(text)}; }

Option dtype_option(const DType*& dtype, std::string help) {
  return option("--dtype", "TYPE", dtype, std::move(help)).offering(names_of(dtypes()));
}

Option major_option(Major& major, std::string help) {
  return option("--major", "MAJOR", major, std::move(help)).offering({"k", "mn"}).by_default("k");
}

Option slots_option(Packing& packing) {
  return flag("--slots", packing, "4- and 6-bit types in 8-bit slots, as kind::f8f6f4 reads them", Packing::slots);
}

Option base_option(Bytes& base, std::string help, std::string initial) {
  return option("--base", "ADDRESS", base, std::move(help)).in("bytes").by_default(std::move(initial));
}

Option layout_option(std::string name, std::optional<LayoutText>& layout, std::string help) {
  return option(std::move(name), "LAYOUT", layout, std::move(help))
      .excluding({"--tile", "--swizzle", "--order"}, "a layout has its own extents, swizzle and order");
}

Option shape_option(std::optional<ShapeText>& shape, const char* layout_option) {
  return option("--shape", "RxC", shape, "shape of the array, if the text of the layout does not give it")
      .in("elements")
      .needing({layout_option});
}

Given given_of(const TileRequest& tile, const std::optional<ShapeText>& shape) {
  return {shape ? shape->extents : ArrayShape(), tile.has_dtype ? tile.dtype : nullptr};
}

void read_layout_of(std::optional<LayoutText>& layout, TileRequest& tile, const std::optional<ShapeText>& shape) {
  if (!layout) return;
  if (layout->from == nullptr && shape)
    throw usage_error("--shape is for a text that does not give the shape; this layout is CuTe's", "leave --shape out");
  Given given = given_of(tile, shape);
  read_given(*layout, given);
  // The swizzle of CuTe DSL counts bytes of the operand's type, which its text does not give.
  if (layout->from == &require_dialect("cute_dsl") && layout->element.bits == 0 && given.dtype == nullptr) {
    given.dtype = tile.dtype;
    read_given(*layout, given);
  }
  const ElementWidth& element = layout->element;
  if (!tile.has_dtype && element.bits != 0) {
    const DType* dtype = element.dtype != nullptr ? element.dtype : readable_dtype(element.bits);
    tile.dtype = dtype != nullptr ? dtype : &require_dtype(fmt::format("u{}", element.bits));
    tile.has_dtype = true;
  }
  cut_stages(*layout, *tile.dtype);
}

Option mma_option(std::optional<MmaShapeText>& shape) {
  return option("--mma", "SHAPE", shape, "m64n256k16, the name of an MMA, or rows and K of the operand, 64x16")
      .in("elements");
}

Option kind_option(const MmaKindRow*& kind, std::string help) {
  std::vector<std::pair<std::string, const MmaKindRow*>> kinds;
  for (const MmaKindRow& row : mma_kinds()) kinds.emplace_back(row.name, &row);
  return one_of<const MmaKindRow*>("--kind", "KIND", kind, std::move(kinds), std::move(help));
}

Options tile_shape_options(TileRequest& tile) {
  return {dtype_option(tile.dtype).by_default("f16").noting(tile.has_dtype),
          option("--tile", "MNxK", tile.extents, "extents in elements, rows of M or N first, then K: 128x64")
              .in("elements"),
          major_option(tile.major).noting(tile.has_major), slots_option(tile.stated),
          kind_option(tile.kind, "kind of tcgen05.mma that reads the tile; fp4 and fp6: packed or with gaps")
              .excluding({"--slots"}, "the kind decides how elements lie")};
}

Options pair_options(TileRequest& tile) {
  return {number("--cta-group", "1|2", tile.cta_group, 1, 2,
                 "2: a pair of CTAs; --tile is the operand of both, each holds half of its rows")
              .by_default("1")
              .needing({"--tile"}),
          number("--cta", "0|1", tile.cta, 0, 1, "which CTA of the pair").by_default("0").needing({"--cta-group"})};
}

const Target& target_of(const TileRequest& tile, const Context& context) {
  const bool needs_tcgen05 = tile.kind != nullptr || tile.cta_group == 2 || tile.form() != nullptr;
  const Target& target = context.arch == nullptr && needs_tcgen05 ? sm_100a() : context.target();
  if (tile.kind != nullptr && !runs_on(*tile.kind, target)) {
    Words names;
    for (const Target& other : targets())
      if (runs_on(*tile.kind, other)) names.emplace_back(other.name);
    throw usage_error(fmt::format("{} has no tcgen05.mma of kind {}", target.name, tile.kind->name),
                      join_and(names) + " have it");
  }
  if (tile.cta_group == 2 && target.descriptor != SmemDescriptorKind::tcgen05)
    throw usage_error(fmt::format("{} has no cta_group::2", target.name),
                      join_and(target_names(SmemDescriptorKind::tcgen05)) + " have it");
  return target;
}

Document with_form(Document d, const TileRequest& tile, const DType& dtype, const Context& context, bool is_copied) {
  TileForm form{&dtype,   tile.packing(), tile.major, tile.kind, tile.kind != nullptr || tile.stated == Packing::slots,
                is_copied};
  if (context.arch == nullptr) form.default_target = &target_of(tile, context);
  if (tile.cta_group == 2 && tile.extents) form.pair = PairHalf{tile.cta, tile.extents->mn};
  add_tile_form(d, form);
  return d;
}

Document with_form(Document d, const OperandRequest& operand, const DType& dtype, const Context& context,
                   bool is_copied) {
  d = with_form(std::move(d), operand.tile, dtype, context, is_copied);
  return operand.layout ? with_notes(with_stages(std::move(d), *operand.layout), operand.layout->notes) : d;
}

Options tile_options(TileRequest& tile, std::string default_base) {
  Words modes = names_of(swizzle_modes());
  modes.insert(modes.begin(), "auto");
  const auto mode_or_auto = [](const std::string& text) {
    const SwizzleMode* mode = nullptr;
    if (text != "auto") read_value(text, mode);
    return mode;
  };
  return tile_shape_options(tile) +
         Options{option("--swizzle", "MODE", tile.swizzle, "swizzle mode by any of its names, or auto", mode_or_auto)
                     .offering(std::move(modes))
                     .by_default("128B"),
                 one_of<StackingOrder>("--order", "ORDER", tile.order,
                                       {{"mn-first", StackingOrder::mn_first}, {"k-first", StackingOrder::k_first}},
                                       "the direction in which the atoms follow each other")
                     .by_default("mn-first"),
                 base_option(tile.base, "shared-memory address of the tile", std::move(default_base))};
}

SmemTileValues shape_of(const TileRequest& tile) {
  if (!tile.extents)
    throw usage_error("no tile given", "its rows of M or N and its K in elements, for example --tile 128x64");
  if (tile.extents->mn % tile.cta_group != 0)
    throw usage_error(fmt::format("{} rows are not halves for two CTAs", tile.extents->mn), "take an even number");
  return {.dtype = *tile.dtype,
          .packing = tile.packing(),
          .major = tile.major,
          .mn = tile.extents->mn / tile.cta_group,
          .k = tile.extents->k,
          .order = tile.order,
          .base = tile.base};
}

SmemTile tile_of(const TileRequest& tile, const Target& target) {
  SmemTileValues values = shape_of(tile);
  values.target = &target;
  values.swizzle = tile.swizzle != nullptr ? *tile.swizzle : *choose_swizzle(values, target).mode;
  return SmemTile(values);
}

SmemTile other_tile(TileRequest tile, const Words& options, const Target& target, const std::string& option,
                    const std::string& command) {
  try {
    fill(tile_options(tile, ""), options, command);
    return tile_of(tile, target);
  } catch (const Error& error) {
    throw usage_error(fmt::format("in {}: {}", option, error.message()), error.hint);
  }
}

Options operand_options(OperandRequest& operand) {
  return tile_options(operand.tile) +
         Options{layout_option("--layout", operand.layout,
                               "any layout of rank 2 instead of a tile, in any notation of swz translate"),
                 shape_option(operand.shape)} +
         pair_options(operand.tile);
}

TileExtents mma_extents(const MmaShapeText& shape, OperandRole role, const OperandChoice& choice,
                        std::vector<Finding>& notes) {
  if (!shape.instruction) return shape.operand;
  const MmaOperand operand = mma_operand(*shape.instruction, role, choice);
  if (operand.is_half && choice.mma.cta_group == 0)
    notes.push_back(note(
        "cta-pair",
        fmt::format("{} exists with cta_group::2 only: each CTA of the pair holds {} rows", shape.text,
                    operand.extents.mn),
        "to select other rows, give those of the operand itself, for example --mma " + to_string(operand.extents)));
  return operand.extents;
}

bool take_type(const InstructionText& said, OperandRole role, TileRequest& tile) {
  const std::string& type = role == OperandRole::b ? said.b : said.a;
  if (type.empty()) return false;
  const DType& dtype = require_dtype(type);
  if (tile.has_dtype && tile.dtype != &dtype)
    throw usage_error(
        fmt::format("--dtype {} contradicts --mma: {} is of {}", tile.dtype->name, swz::quoted(said.written), type),
        "leave --dtype out, or name another instruction");
  tile.dtype = &dtype;
  return !tile.has_dtype;
}

void take_named(const std::optional<MmaShapeText>& mma, std::optional<OperandRole> role, TileRequest& tile,
                std::vector<Finding>& notes) {
  if (!mma || !mma->named) return;
  const InstructionText& said = *mma->named;
  const bool is_b = role == OperandRole::b;
  if (!is_b && said.a_place != OperandPlace::unknown && said.a_place != OperandPlace::shared_memory &&
      (role || said.name.starts_with("mma")))
    throw usage_error(
        fmt::format("A of {} lies in {}", swz::quoted(said.written),
                    said.a_place == OperandPlace::registers ? "registers" : "tensor memory"),
        said.a_place == OperandPlace::registers ? "swz frag shows who holds it" : "swz tmem a shows where");
  if (!role && said.a != said.b)
    throw usage_error(fmt::format("A of {} is {}, B is {}", swz::quoted(said.written), said.a, said.b),
                      "name one: --operand a or --operand b");
  Words taken;
  if (take_type(said, is_b ? OperandRole::b : OperandRole::a, tile))
    taken.push_back(fmt::format("--dtype {}", tile.dtype->name));
  const std::optional<Major> major = is_b ? said.b_major : said.a_major;
  const bool says_one = role || said.a_major == said.b_major;
  if (major && says_one && tile.has_major && tile.major != *major)
    throw usage_error(fmt::format("--major {} contradicts --mma: {} is {} there", major_word(tile.major),
                                  is_b ? 'B' : 'A', to_string(*major)),
                      "leave --major out, or change the instruction");
  if (major && !says_one && !tile.has_major)
    throw usage_error(fmt::format("A of {} is {}, B is {}", swz::quoted(said.written), to_string(*said.a_major),
                                  to_string(*said.b_major)),
                      "name one: --operand a or --operand b");
  if (major && !tile.has_major) {
    tile.major = *major;
    taken.push_back(fmt::format("--major {}", major_word(*major)));
  }
  if (said.kind != nullptr && tile.kind == nullptr && tile.stated == Packing::packed) tile.kind = said.kind;
  const std::string reading = said.reading();
  if (taken.empty() && reading.empty()) return;
  notes.push_back(note("named-mma", fmt::format("{}{}{}", reading.empty() ? said.written : reading,
                                                taken.empty() ? "" : ": it says ", join_and(taken))));
}

const DType& dtype_of(const OperandRequest& operand) {
  if (operand.layout && operand.layout->layout.has_pointer() && !operand.tile.has_dtype)
    return require_dtype(fmt::format("u{}", operand.layout->layout.element_bits()));
  return *operand.tile.dtype;
}

int element_bits(const OperandRequest& operand) { return element_bits(dtype_of(operand), operand.tile.packing()); }

std::optional<Major> major_of(const TileRequest& tile) {
  return tile.has_major ? std::optional(tile.major) : std::nullopt;
}

PlacedOperand placed_operand(const OperandRequest& operand, const Target& target) {
  if (!operand.layout) return placed(tile_of(operand.tile, target));
  const ComposedLayout& layout = operand.layout->layout;
  const Bytes base = operand.tile.base;
  return {operand.layout->text, layout, base,
          Placement(layout, element_bits(operand), base, major_of(operand.tile),
                    narrow_form(dtype_of(operand), operand.tile.packing()), &target)};
}

PlacedOperand placed_layout(const std::string& name, const ComposedLayout& layout, const PlacedOperand& first) {
  const Placement& p = first.placement;
  PlacedOperand other{name, layout, first.base,
                      Placement(layout, p.element_bits(), first.base, p.major(), p.form(), p.target())};
  if (other.placement.extents() != p.extents())
    throw Error(fmt::format("{} has {} elements, the first operand has {}", name, to_string(other.placement.extents()),
                            to_string(p.extents())),
                "operands that are compared must have the same extents");
  return other;
}

PlacedOperand placed_beside(const std::string& text, const PlacedOperand& first, const OperandRequest& operand) {
  const Placement& p = first.placement;
  const TileRequest& tile = operand.tile;
  if (text == "linear" || text == "rows") return placed_layout("linear", linear_layout(p), first);
  if (const SwizzleMode* mode = find_swizzle_mode(text)) {
    const bool has_type_of_pointer = first.layout.has_pointer() && !first.tile && !tile.has_dtype;
    const DType* dtype = has_type_of_pointer ? &require_dtype(fmt::format("u{}", p.element_bits())) : tile.dtype;
    return placed(SmemTile({.dtype = *dtype,
                            .packing = tile.packing(),
                            .major = p.major(),
                            .mn = p.extents().mn,
                            .k = p.extents().k,
                            .swizzle = *mode,
                            .order = tile.order,
                            .base = first.base}));
  }
  if (text.find_first_of("(<:[") == std::string::npos) throw_unknown_mode(text);
  // In another notation it is an array of the shape and type of the first.
  const Given given{{p.extents().mn, p.extents().k}, &dtype_of(operand)};
  return placed_layout(text, layout_text(text, given).layout, first);
}

}  // namespace swz
