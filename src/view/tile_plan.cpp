#include "view/tile_plan.hpp"

#include <fmt/format.h>

#include "view/lists.hpp"
#include "view/mma_reading.hpp"
#include "view/tile_plan_figure.hpp"

namespace swz {

namespace {

constexpr std::size_t most_rows_in_text = 64;

Json copies_json(const TilePlan& plan) {
  Json list = Json::array();
  for (const TileCopy& copy : plan.copies)
    list.push_back(
        {{"coordinate", first_of(copy.coordinate, plan.map.rank)}, {"smem_offset", copy.smem_offset.count}});
  return list;
}

// "K in steps of 16"
std::string dimension_text(const PlanDimension& dimension) {
  const std::string_view name = direction_name(dimension.direction);
  return dimension.step == 1 ? std::string(name) : fmt::format("{} in steps of {}", name, dimension.step);
}

std::string_view report_name(TensorMapSwizzle swizzle) {
  return swizzle == TensorMapSwizzle::none ? "none" : find_row(swizzle)->name;
}

Bytes copy_bytes(const TilePlan& plan) { return counted_box_bytes(plan.map); }

std::vector<Field> fields_of(const TilePlan& plan) {
  const TensorMap& map = plan.map;
  const Json box = first_of(map.box, map.rank), dims = first_of(map.dims, map.rank);
  const Json strides = first_of(map.strides, map.rank - 1);
  std::string meaning;
  for (const PlanDimension& dimension : plan.dimensions)
    meaning += (meaning.empty() ? "" : ", ") + dimension_text(dimension);
  const TensorMapDataTypeRow& type = *find_row(map.data_type);
  const std::size_t count = plan.copies.size();
  return {{"rank", "rank", map.rank, fmt::format("{}  {}", map.rank, meaning)},
          {"dtype", "data type", std::string(type.short_name), std::string(type.name)},
          {"dims", "dims", dims, tuple_text(dims)},
          {"strides", "strides", strides, tuple_text(strides) + "  B"},
          {"box", "box", box, fmt::format("{}  {} B a copy", tuple_text(box), copy_bytes(plan).count)},
          {"swizzle", "swizzle", std::string(report_name(map.swizzle))},
          {"request_bytes", "request", plan.request.count,
           fmt::format("{} contiguous bytes of global memory for each line of a box", plan.request.count)},
          {"copy_bytes", "", copy_bytes(plan).count},
          {"limit", count == 1 ? "" : "why not fewer", plan.limit.empty() ? Json(nullptr) : Json(plan.limit)},
          {"", "copies", nullptr, fmt::format("{}", count), count == 1 ? Tone::good : Tone::accent}};
}

Json plan_json(const TilePlan& plan) {
  Json object = Json::object();
  for (const Field& field : fields_of(plan))
    if (!field.key.empty()) object[field.key] = field.value;
  object["copies"] = copies_json(plan);
  return object;
}

void add_plan(Document& d, const TilePlan& plan, bool has_json) {
  for (Field field : fields_of(plan)) {
    if (!has_json) field.key = "";
    if (!field.key.empty() || !field.label.empty()) d.add(std::move(field));
  }
  if (has_json) d.add(Field{"copies", "", copies_json(plan)});
  Table table{"",
              "",
              {{"", "copy", Column::Align::right}, {"", "coordinate"}, {"", "SMEM offset", Column::Align::right}},
              {}};
  for (std::size_t i = 0; i < plan.copies.size() && i < most_rows_in_text; ++i)
    table.rows.push_back({{i},
                          {tuple_text(first_of(plan.copies[i].coordinate, plan.map.rank))},
                          {plan.copies[i].smem_offset.count}});
  d.add(std::move(table));
  if (plan.copies.size() > most_rows_in_text)
    d.add(Paragraph{fmt::format("and {} more; -f json has all", plan.copies.size() - most_rows_in_text),
                    Tone::faint});
}

void add_refusal(Document& d, const Finding& refusal) {
  d.add(Field{"", "plan", nullptr, "no tensor map makes this tile", Tone::bad});
  for (const char* key : {"rank", "dtype", "dims", "strides", "box", "swizzle", "request_bytes", "copy_bytes",
                          "limit", "copies", "folded"})
    d.add(Field{key, "", nullptr});
  d.add(Field{"refusal", "", {{"rule", refusal.rule}, {"message", refusal.message}, {"hint", refusal.hint}}});
  d.add(Notes{"", {refusal}});
}

// What happens at the ends of an operand that is not whole tiles.
Notes end_notes(const TilePlanReport& report) {
  const TileExtents tile = report.placed.placement.extents(), operand = report.operand.extents;
  std::string text;
  const auto add = [&](std::string_view direction, std::int64_t extent, std::int64_t step) {
    if (extent % step != 0)
      text += fmt::format("{}{} {} is not a multiple of {}", text.empty() ? "" : ", ", direction, extent, step);
  };
  add("MN", operand.mn, tile.mn);
  add("K", operand.k, tile.k);
  if (text.empty()) return {"notes"};
  return {"notes",
          {note("past-the-end", "the last tiles reach past the end: " + text,
                "a load fills the rest with 0 and counts it on the mbarrier, a store leaves it out")}};
}

// "bf16 64x32, K-major, mode 32B, mn-first", or a layout instead of the mode.
std::string placed_text(const TilePlanReport& report) {
  const PlacedOperand& placed = report.placed;
  std::string text = fmt::format("{} {}, {}, {}", report.dtype->name, to_string(placed.placement.extents()),
                                 to_string(placed.placement.major()), placed.name);
  if (placed.tile) text += fmt::format(", {}", to_string(placed.tile->order()));
  if (placed.base.count != 0) text += fmt::format(", at {:#x}", placed.base.count);
  return text;
}

// A terminal shows what one can take in at a glance.
constexpr std::int64_t most_chunks_in_text = 256;

Document drawn(const TilePlan& plan, const PlacedOperand& placed, Medium medium) {
  const Placement& p = placed.placement;
  const bool is_page = medium == Medium::page;
  if (!p.has_chunks() || (!is_page && p.chunk_count() > most_chunks_in_text)) return {};
  return Document().add(plan_figure(plan, placed, is_page));
}

}  // namespace

Document view_tile_plan(const TilePlanReport& report) {
  Document d(placed_text(report));
  d.add(Field{
      "", "in GMEM", nullptr,
      fmt::format("{}, lines {} B apart", to_string(report.operand.extents), report.operand.line_stride.count)});
  const auto* refusal = std::get_if<Finding>(&report.first);
  if (refusal != nullptr) {
    add_refusal(d, *refusal);
    add_mma_reading(d, report.mma, false);
    return d.add(Notes{"notes", {}});
  }
  const TilePlan& plan = std::get<TilePlan>(report.first);
  add_plan(d, plan, true);
  d.add(Field{"folded", "", report.folded ? plan_json(*report.folded) : Json(nullptr)});
  d.add(Field{"refusal", "", nullptr});
  d.add(Drawing{[plan, placed = report.placed](Medium medium) { return drawn(plan, placed, medium); }});
  if (report.folded) {
    d.add(Paragraph{"folded into more dimensions", Tone::strong});
    add_plan(d, *report.folded, false);
  }
  add_mma_reading(d, report.mma, plan.map.swizzle == TensorMapSwizzle::none);
  return d.add(end_notes(report));
}

}  // namespace swz
