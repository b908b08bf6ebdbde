// SPDX-License-Identifier: Apache-2.0
#include "fragment/tmem_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

constexpr Coordinate lane{1, 0}, column{0, 1};

// A count of N means the number of .xN. The form counts the columns of the split.
constexpr int N = 0;
struct TmemSteps {
  std::string_view shape;
  std::array<Step, 3> threads, registers;
};

// clang-format off
constexpr TmemSteps steps[] = {
    {"32x32b",   {{{32, lane}}},                                   {{{N, column}}}},
    {"16x64b",   {{{2, 8 * lane}, {2, column}, {8, lane}}},        {{{N, 2 * column}}}},
    {"16x128b",  {{{4, column}, {8, lane}}},                       {{{2, 8 * lane}, {N, 4 * column}}}},
    {"16x256b",  {{{4, 2 * column}, {8, lane}}},                   {{{2, column}, {2, 8 * lane}, {N, 8 * column}}}},
    {"16x32bx2", {{{16, lane}}},                                   {{{N, column}}}},
};
// clang-format on

void append_steps(std::vector<Step>& list, const std::array<Step, 3>& rows, const TmemForm& form) {
  for (const Step& step : rows) {
    const int count = step.count == N ? form.number : step.count;
    const Coordinate move{step.move.row, step.move.column * (form.packs ? 2 : 1)};
    if (count > 1 && move != Coordinate{}) list.push_back({count, move});
  }
}

// The parts of a name between its dots, in lower case, without those that all forms have.
std::vector<std::string> tmem_parts(std::string_view name) {
  std::vector<std::string> parts = split(lower_case(name), '.');
  std::erase_if(parts, [](const std::string& part) { return part == "sync" || part == "aligned" || part == "b32"; });
  return parts;
}

// Removes `word`; returns whether it was there.
bool take(std::vector<std::string>& parts, std::string_view word) { return std::erase(parts, word) > 0; }

// Removes and returns the reduction. PTX writes the type before the operation or after it.
TmemReduction take_reduction(std::vector<std::string>& parts, std::string_view name) {
  const bool has_min = take(parts, "min"), has_max = take(parts, "max");
  TmemReduction reduction{has_max, take(parts, "abs"), take(parts, "nan"), ""};
  int types = 0;
  for (const std::string_view type : {"f32", "u32", "s32"})
    if (take(parts, type)) {
      reduction.type = type;
      ++types;
    }
  if (has_min == has_max || types != 1)
    throw usage_error(fmt::format("{} does not name one operation and one type", quoted(name)),
                      "write .min or .max and .f32, .u32 or .s32: tcgen05.ld.red.32x32b.x4.max.f32");
  if (reduction.type != "f32" && (reduction.takes_abs || reduction.keeps_nan))
    throw usage_error(fmt::format("{}: .abs and .NaN are for .f32", quoted(name)), "leave them out");
  return reduction;
}

void require_reduced(const TmemForm& form, std::string_view name) {
  if (form.stores || form.packs)
    throw usage_error(fmt::format("{}: .red is for tcgen05.ld without .pack::16b", quoted(name)),
                      "for example tcgen05.ld.red.32x32b.x4.max.f32");
  if (!form.shape->reduces)
    throw usage_error(fmt::format("{}: .red does not take the shape {}", quoted(name), form.shape->name),
                      "it takes 32x32b and 16x32bx2");
  if (form.number < least_reduced)
    throw usage_error(fmt::format("{}: .red needs at least .x{}", quoted(name), least_reduced),
                      "it has the least or largest of several columns");
}

bool has_number(const TmemShape& shape, std::string_view digits) {
  for (int number = 1; number <= shape.most; number *= 2)
    if (std::to_string(number) == digits) return true;
  return false;
}

[[noreturn]] void throw_unknown(std::string_view name, const std::vector<std::string>& parts) {
  if (parts.size() > 1 && parts[0] == "tcgen05" && (parts[1] == "cp" || parts[1] == "mma"))
    throw usage_error(fmt::format("tcgen05.{} moves nothing between tensor memory and registers", parts[1]),
                      parts[1] == "cp" ? "swz tmem cp shows where it puts the rows of shared memory"
                                       : "swz tmem d shows where it puts D; tcgen05.ld brings D to registers");
  std::vector<std::string> shapes;
  for (const TmemShape& shape : tmem_shapes())
    if (std::ranges::find(parts, shape.name) != parts.end())
      for (const std::string& part : parts)
        if (part.size() > 1 && part[0] == 'x' && std::ranges::all_of(part.substr(1), is_digit) &&
            !has_number(shape, part.substr(1)))
          throw usage_error(fmt::format("{}: {} has no .{}", quoted(name), shape.name, part),
                            fmt::format("it has .x1 to .x{}, powers of two: at most 128 registers", shape.most));
  for (const TmemShape& shape : tmem_shapes()) shapes.push_back(fmt::format("{} (x1 to x{})", shape.name, shape.most));
  const std::string wanted = name.size() > longest_fragment_name ? "" : fmt::format("{}", fmt::join(parts, "."));
  throw Error(fmt::format("{} is not a form of tcgen05.ld or tcgen05.st", quoted(name)),
              did_you_mean(wanted, tmem_form_names(), "shapes: " + join_and(shapes)));
}

void require_split(const TmemForm& form) {
  if (!form.split_offset) return;
  if (!form.has_split()) throw usage_error(fmt::format("{} has no split offset", form.name()), "only 16x32bx2 has one");
  const int most = tmem_columns - form.columns() / 2;
  if (*form.split_offset < 0 || *form.split_offset > most)
    throw usage_error(fmt::format("--split-offset {}: threads 16-31 would leave the {} columns of tensor memory",
                                  *form.split_offset, tmem_columns),
                      fmt::format("0 to {}; {} follows threads 0-15, as CUTLASS has it", most, form.columns() / 2));
}

}  // namespace

std::string TmemReduction::name() const {
  return fmt::format("{}{}{}.{}", is_max ? "max" : "min", takes_abs ? ".abs" : "", keeps_nan ? ".nan" : "", type);
}

std::string TmemForm::name() const {
  std::string name =
      fmt::format("tcgen05.{}{}.{}.x{}", stores ? "st" : "ld", reduction ? ".red" : "", shape->name, number);
  if (packs) name += stores ? ".unpack::16b" : ".pack::16b";
  return reduction ? name + "." + reduction->name() : name;
}

std::vector<TmemForm> tmem_forms() {
  std::vector<TmemForm> forms;
  for (const bool stores : {false, true})
    for (const TmemShape& shape : tmem_shapes())
      for (int number = 1; number <= shape.most; number *= 2)
        for (const bool packs : {false, true}) forms.push_back({&shape, number, stores, packs});
  return forms;
}

std::vector<std::string> tmem_form_names() {
  std::vector<std::string> names;
  for (const TmemForm& form : tmem_forms()) names.push_back(form.name());
  return names;
}

Fragment tmem_fragment(const TmemForm& form) {
  require_split(form);
  Fragment f;
  f.name = form.name();
  f.operand = Operand::tmem;
  f.dtype = form.packs ? "b16" : "b32";
  f.bits = form.packs ? 16 : 32;
  f.rows = form.shape->lanes;
  f.columns = form.columns();
  f.availability = form.availability();
  f.source = form.reduction ? reduced : form.shape->source;
  if (form.packs) f.value_steps.push_back({2, column});
  const TmemSteps& row = *std::ranges::find(steps, form.shape->name, &TmemSteps::shape);
  append_steps(f.thread_steps, row.threads, form);
  append_steps(f.value_steps, row.registers, form);
  if (form.has_split()) {
    f.thread_steps.push_back({2, form.split() * column});
    f.columns = form.split() + form.columns() / 2;
  }
  return f;
}

TmemForm find_tmem_form(std::string_view name) {
  std::vector<std::string> parts = tmem_parts(name);
  std::optional<TmemReduction> reduction;
  if (take(parts, "red")) reduction = take_reduction(parts, name);
  const std::string wanted = fmt::format("{}", fmt::join(parts, "."));
  for (TmemForm& form : tmem_forms()) {
    if (form.name() != wanted) continue;
    if (reduction) require_reduced(form, name);
    form.reduction = reduction;
    return form;
  }
  throw_unknown(name, parts);
}

}  // namespace swz
