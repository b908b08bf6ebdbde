#include "fragment/tmem_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

constexpr Coordinate lane{1, 0}, column{0, 1};

constexpr Coordinate operator*(int times, Coordinate by) { return {times * by.row, times * by.column}; }

// N: as often as .xN says. The columns of the split are counted by the form.
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

}  // namespace

std::string TmemForm::name() const {
  return fmt::format("tcgen05.{}.{}.x{}{}", stores ? "st" : "ld", shape->name, number,
                     !packs   ? ""
                     : stores ? ".unpack::16b"
                              : ".pack::16b");
}

std::vector<TmemForm> tmem_forms() {
  std::vector<TmemForm> forms;
  for (const bool stores : {false, true})
    for (const TmemShape& shape : tmem_shapes())
      for (int number = 1; number <= shape.most; number *= 2)
        for (const bool packs : {false, true}) forms.push_back({&shape, number, stores, packs});
  return forms;
}

Fragment tmem_fragment(const TmemForm& form) {
  Fragment f;
  f.name = form.name();
  f.operand = Operand::tmem;
  f.dtype = form.packs ? "b16" : "b32";
  f.bits = form.packs ? 16 : 32;
  f.rows = form.shape->lanes;
  f.columns = form.columns();
  f.availability = available::tensor_memory;
  f.source = form.shape->source;
  if (form.packs) f.value_steps.push_back({2, column});
  const TmemSteps& row = *std::ranges::find(steps, form.shape->name, &TmemSteps::shape);
  append_steps(f.thread_steps, row.threads, form);
  append_steps(f.value_steps, row.registers, form);
  if (form.has_split()) {
    const int run = form.columns() / 2, split = form.split_offset.value_or(run);
    f.thread_steps.push_back({2, split * column});
    f.columns = split + run;
  }
  return f;
}

TmemForm find_tmem_form(std::string_view name) {
  std::vector<std::string> parts = split(lower_case(name), '.');
  std::erase_if(parts,
                [](const std::string& part) { return part == "sync" || part == "aligned" || part == "b32"; });
  const std::string wanted = fmt::format("{}", fmt::join(parts, "."));
  std::vector<std::string> names;
  for (const TmemForm& form : tmem_forms()) {
    names.push_back(form.name());
    if (names.back() == wanted) return form;
  }
  std::vector<std::string> shapes;
  for (const TmemShape& shape : tmem_shapes())
    shapes.push_back(fmt::format("{} (x1 to x{})", shape.name, shape.most));
  throw Error(fmt::format("{} is not a form of tcgen05.ld or tcgen05.st", quoted(name)),
              did_you_mean(wanted, names, "shapes: " + join_and(shapes)));
}

}  // namespace swz
