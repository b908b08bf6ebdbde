// SPDX-License-Identifier: Apache-2.0
#include "view/kernel/kernel_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/mangled_name.hpp"
#include "base/text.hpp"
#include "view/kernel/kernel_parts.hpp"

namespace swz {

namespace {

using enum Column::Align;

constexpr std::size_t most_kernels = 200, most_unreadable = 8, most_name = 48;

// Instances of a template have one path: of them the mangled names are shown, in which they differ.
class NameTexts {
 public:
  explicit NameTexts(const KernelCatalog& catalog) {
    for (const FoundKernel& kernel : catalog.kernels()) {
      const auto [first, is_new] = of_path_.try_emplace(name_path(kernel.name), kernel.name);
      if (!is_new && first->second != kernel.name) first->second.clear();
    }
  }
  std::string text(const std::string& name) const {
    const std::string path = name_path(name);
    const auto known = of_path_.find(path);
    if (known != of_path_.end() && known->second.empty()) return shortened(name);
    return path.size() <= most_name ? path : path.substr(0, most_name - 1) + "…";
  }

 private:
  std::unordered_map<std::string, std::string> of_path_;  // empty: several names
};

std::string shape_text(const BlockShape& shape) { return fmt::format("{} x {} x {}", shape[0], shape[1], shape[2]); }

// "libtorch_cuda.so": JSON has the whole path.
std::string place_in(const KernelCatalog& catalog, const CatalogedBinary& binary) {
  const std::string& path = binary.path.empty() ? catalog.files()[binary.file] : binary.path;
  return path.substr(path.rfind('/') + 1);
}

bool is_one_place(const KernelCatalog& catalog) {
  return catalog.files().size() == 1 &&
         std::ranges::all_of(catalog.binaries(), [](const CatalogedBinary& one) { return one.path.empty(); });
}

BuiltKernel built_of(const FoundKernel& kernel) {
  return {.arch = kernel.arch,
          .resources = kernel.resources,
          .toolkit = kernel.toolkit,
          .is_relocatable = kernel.is_relocatable};
}

// "256"; "256*": at most.
std::string threads_in_list(const KernelResources& resources) {
  const auto block = resources.block();
  if (!block) return "-";
  const std::uint64_t count = std::uint64_t{(*block)[0]} * (*block)[1] * (*block)[2];
  return std::to_string(count) + (resources.required_threads ? "" : "*");
}

std::vector<Cell> row_of(const KernelCatalog& catalog, const NameTexts& names, const FoundKernel& kernel) {
  const CatalogedBinary& binary = catalog.binaries()[kernel.binary.value_or(kernel.ptx.value_or(0))];
  const KernelResources& r = kernel.resources;
  const bool is_built = kernel.binary.has_value();
  const auto number = [&](std::uint64_t value) { return Cell(Json(), is_built ? std::to_string(value) : "-"); };
  return {Cell(kernel.name, names.text(kernel.name)),
          Cell(kernel.arch.name()),
          Cell(catalog.files()[kernel.file]),
          Cell(binary.path.empty() ? Json() : Json(binary.path), place_in(catalog, binary)),
          Cell(binary.place),
          number(r.registers.value_or(0)),
          number(r.stack.value_or(0)),
          number(r.static_shared),
          Cell(Json(), threads_in_list(r)),
          number(r.parameters.size()),
          Cell(kernel.ptx.has_value(), kernel.ptx ? "yes" : "no"),
          Cell(is_built ? built_json(built_of(kernel)) : Json())};
}

}  // namespace

Json built_json(const BuiltKernel& built) {
  const KernelResources& r = built.resources;
  Json parameters = Json::array();
  for (const CubinParameter& one : r.parameters) parameters.push_back({{"offset", one.offset}, {"bytes", one.bytes}});
  return Json{{"toolkit", built.toolkit ? Json(toolkit_text(*built.toolkit)) : Json()},
              {"relocatable", built.is_relocatable},
              {"registers", r.registers},
              {"max_registers", r.max_registers},
              {"frame", r.frame},
              {"stack", r.stack},
              {"static_shared", r.static_shared},
              {"shared_begin", built.is_relocatable ? Json() : Json(built.arch.reserved_shared())},
              {"dynamic_shared", built.dynamic_shared},
              {"barriers", r.barriers},
              {"max_threads", r.max_threads},
              {"required_threads", r.required_threads},
              {"cluster", r.cluster},
              {"max_cluster", r.max_cluster_blocks},
              {"parameters", parameters},
              {"parameter_base", r.parameter_base},
              {"constant_bank", r.constant_bank}};
}

std::string resources_text(const BuiltKernel& built) {
  const KernelResources& r = built.resources;
  std::vector<std::string> parts;
  if (r.registers) parts.push_back(plural(*r.registers, "register"));
  if (r.stack)
    parts.push_back(*r.stack == 0 ? "no stack"
                                  : fmt::format("{} B of stack a thread (local arrays, spills)", *r.stack));
  parts.push_back(r.static_shared == 0 ? "no static shared memory"
                                       : fmt::format("{} B of static shared memory", r.static_shared));
  if (built.dynamic_shared) parts.push_back(fmt::format("{} B of dynamic", *built.dynamic_shared));
  if (r.barriers) parts.push_back(plural(*r.barriers, "barrier"));
  if (r.cluster) parts.push_back("cluster of " + shape_text(*r.cluster));
  if (r.max_cluster_blocks) parts.push_back(fmt::format("cluster of at most {} blocks", *r.max_cluster_blocks));
  if (r.reconfigures_registers) parts.push_back("setmaxnreg");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string parameters_text(const KernelResources& r) {
  if (r.parameters.empty()) return "none";
  const std::string place = r.parameter_base ? fmt::format(", at {:#x} of constant bank 0", *r.parameter_base) : "";
  return fmt::format("{} with {} B{}", r.parameters.size(), r.parameter_bytes, place);
}

Document view_kernel_list(std::shared_ptr<const KernelCatalog> shared) {
  const KernelCatalog& catalog = *shared;
  const std::size_t count = catalog.kernels().size();
  Document d;
  Table kernels{"found",
                plural(static_cast<std::int64_t>(count), "kernel"),
                {{"name", "kernel"},
                 {"arch", "arch"},
                 {"file", ""},
                 {"path", is_one_place(catalog) ? "" : "in"},
                 {"place", ""},
                 {"", "registers", right},
                 {"", "stack", right},
                 {"", "shared", right},
                 {"", "threads", right},
                 {"", "parameters", right},
                 {"ptx", "PTX"},
                 {"built", ""}},
                {}};
  const auto names = std::make_shared<const NameTexts>(catalog);
  const auto row = [shared = std::move(shared), names](std::size_t i) {
    return row_of(*shared, *names, shared->kernels()[i]);
  };
  const std::size_t first = std::min(count, most_kernels);
  for (std::size_t i = 0; i < first; ++i) kernels.rows.push_back(row(i));
  if (first < count) {
    kernels.fold.text = fmt::format("{} more: --full, or choose with --entry and --arch", count - first);
    kernels.later = {count - first, [row, first](std::size_t i) { return row(first + i); }};
  }
  d.add(std::move(kernels));
  Table unreadable{"unreadable", "not read", {{"path", "in"}, {"place", ""}, {"why", "because"}}, {}};
  for (const CatalogedBinary* one : catalog.unreadable())
    unreadable.rows.push_back({Cell(one->path.empty() ? Json() : Json(one->path), place_in(catalog, *one)),
                               Cell(one->place), Cell(one->why)});
  if (unreadable.rows.size() > most_unreadable)
    unreadable.fold = {unreadable.rows.size() - most_unreadable,
                       fmt::format("{} more: --full", unreadable.rows.size() - most_unreadable)};
  if (unreadable.rows.empty()) d.json("unreadable", Json::array());
  else d.add(std::move(unreadable));
  return d;
}

}  // namespace swz
