// SPDX-License-Identifier: Apache-2.0
#include "ptx/kernel_report.hpp"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/mangled_name.hpp"
#include "base/pattern.hpp"
#include "base/text.hpp"
#include "ptx/kernel_parts.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/opcode.hpp"

namespace swz {

namespace {

std::vector<std::string> entry_names(const PtxModule& module) {
  std::vector<std::string> names;
  for (const PtxKernel& kernel : module.kernels)
    if (const std::string path = name_path(kernel.name);
        kernel.is_entry && std::ranges::find(names, path) == names.end())
      names.push_back(path);
  return names;
}

// By its name in the PTX or by the path of that.
bool is_asked(const PtxKernel& kernel, const KernelQuestion& question) {
  return kernel.is_entry &&
         (question.entry.empty() || kernel.name == question.entry || matches_pattern(kernel.name, question.entry) ||
          matches_pattern(name_path(kernel.name), question.entry));
}

// A register that is set must be in one of the kernels, and wide enough.
void check_registers(const std::vector<const PtxKernel*>& kernels, const KernelQuestion& question) {
  for (const auto& [name, value] : question.registers) {
    const PtxRegister* narrowest = nullptr;
    for (const PtxKernel* kernel : kernels)
      for (const PtxRegister& reg : kernel->registers)
        if (reg.name == name && (narrowest == nullptr || reg.bits < narrowest->bits)) narrowest = &reg;
    if (narrowest == nullptr) {
      std::vector<std::string> names;
      for (const PtxKernel* kernel : kernels)
        for (const PtxRegister& reg : kernel->registers) names.emplace_back(reg.name);
      throw Error(
          (kernels.size() == 1 ? "the kernel has no register " : "none of the kernels has a register ") + quoted(name),
          did_you_mean(name, names, "--set names a register as the PTX does"));
    }
    if (narrowest->bits < 64 && value >> narrowest->bits != 0)
      throw Error("the register " + name + " has " + plural(narrowest->bits, "bit") + "; " + std::to_string(value) +
                  " does not fit");
  }
}

PtxLaunch launch_of(const PtxModule& module, const PtxKernel& kernel, const KernelQuestion& question) {
  const auto product = [](const std::array<std::int64_t, 3>& extents) { return extents[0] * extents[1] * extents[2]; };
  PtxLaunch launch;
  launch.threads = question.threads;
  if (!launch.threads && !kernel.threads_are_most) launch.threads = kernel.threads;
  if (question.threads && !question.knows_shape && reads_rows(module, kernel)) {
    // If only a number is given, it is that of the extents that the kernel demands, or the shape is not known.
    const bool is_demanded =
        kernel.threads && !kernel.threads_are_most && product(*kernel.threads) == product(*question.threads);
    launch.threads = is_demanded ? kernel.threads : std::nullopt;
    if (!is_demanded) launch.count = product(*question.threads);
  }
  for (const auto& [name, value] : question.registers) launch.registers.emplace(name, value);
  launch.shared = question.shared;
  return launch;
}

// What is wrong with the text may change the meaning of all that follows.
std::optional<Finding> syntax_finding(const PtxModule& module) {
  if (module.syntax_errors.empty()) return std::nullopt;
  const PtxSyntaxError& first = module.syntax_errors.front();
  return lint("syntax", "line " + std::to_string(first.line) + ": " + first.message + "; what follows may be misread",
              "ptxas refuses such a text: give it whole, as the compiler wrote it");
}

KernelReport kernel_report(const PtxModule& module, const PtxKernel& kernel, const KernelQuestion& question) {
  KernelReport report{.name = kernel.name, .target = find_target(kernel.target), .target_name = kernel.target};
  report.threads = question.threads ? question.threads : kernel.threads;
  report.threads_are_most = !question.threads && kernel.threads_are_most;
  report.runs_in = question.cluster.most ? question.cluster : kernel.cluster;
  const PtxValues values(module, kernel, launch_of(module, kernel, question));
  for (const std::uint32_t symbol : values.shared().symbols) {
    report.shared.push_back({module.symbols[symbol], values.shared().begin_of(module, symbol)});
    if (values.shared().is_dynamic(module, symbol)) report.shared.back().bytes.reset();
  }
  report.mma = mma_sites(values, report.target);
  report.smem = smem_sites(values);
  report.gmem = gmem_sites(values);
  report.maps = built_tensor_maps(values);
  report.tma = tma_sites(values, report.maps);
  report.cluster = cluster_sites(values);
  report.tmem = tmem_sites(values);
  report.conflict = worst_conflict(report);
  report.findings = kernel_findings(report, values);
  add_column_findings(report, values);
  return report;
}

}  // namespace

std::vector<KernelReport> kernel_reports(const PtxModule& module, const KernelQuestion& question) {
  std::vector<const PtxKernel*> kernels;
  for (const PtxKernel& kernel : module.kernels)
    if (is_asked(kernel, question)) kernels.push_back(&kernel);
  if (kernels.empty() && !question.entry.empty())
    throw Error("no kernel is called " + quoted(question.entry),
                did_you_mean(question.entry, entry_names(module), "the file has " + join_and(entry_names(module))));
  check_registers(kernels, question);
  const std::optional<Finding> damage = syntax_finding(module);
  if (kernels.empty() && damage) throw Error(damage->message, damage->hint);
  std::vector<KernelReport> reports;
  std::int64_t sites = 0;
  for (const PtxKernel* kernel : kernels) {
    KernelReport& report = reports.emplace_back(kernel_report(module, *kernel, question));
    if (damage) report.findings.insert(report.findings.begin(), *damage);
    sites += std::ssize(report.mma) + std::ssize(report.smem) + std::ssize(report.gmem) + std::ssize(report.tma) +
             std::ssize(report.cluster) + std::ssize(report.tmem);
    require_within(limits::ptx_sites, sites);
  }
  return reports;
}

PtxSite site_at(const PtxKernel& kernel, std::uint32_t index) {
  const PtxInstruction& instruction = kernel.instructions[index];
  return {index, instruction.line, instruction.source, instruction.opcode, instruction.written, instruction.offset};
}

bool has_generic_address(const PtxInstruction& instruction) {
  constexpr std::string_view accesses[] = {"ld",        "st",         "atom",     "red",
                                           "wmma.load", "wmma.store", "ldmatrix", "stmatrix"};
  constexpr std::string_view spaces[] = {"shared", "shared::cta",  "shared::cluster", "global", "local",
                                         "param",  "param::entry", "param::func",     "const"};
  const auto is = [&](std::string_view name) { return instruction.is(name); };
  if (std::ranges::none_of(accesses, is)) return false;
  const OpcodeParts parts(instruction.opcode);
  return std::ranges::none_of(spaces, [&](std::string_view space) { return parts.has(space); });
}

SiteAddress site_address(const PtxValues& values, ValueId address, int shift, std::int64_t added) {
  SiteAddress site;
  if (address == no_value) {
    site.text = "not known";
    return site;
  }
  const int bits = values.shared_address_bits();
  LinearForm form = linear_form(values, address, bits, shift);
  form.constant = (form.constant + static_cast<std::uint64_t>(added)) & low_mask(bits);
  form.written += added;
  // A constant above what a block may have is a negative one modulo 2^18, on sm_107 2^19, if another term can make up
  // for it.
  const std::int64_t most_bytes = std::max(sm_90a().max_smem_per_cta, values.window_target().max_smem_per_cta).count;
  if (form.written > most_bytes && form.terms.size() > 1) form.written -= std::int64_t{1} << bits;
  site.text = to_string(form, values);
  site.constant = Bytes{form.written};
  form.written = 0;
  site.terms = to_string(form, values);
  const int zeros = proven_zeros(values, address, bits, shift);
  site.alignment =
      std::int64_t{1} << (added == 0 ? zeros : std::min(zeros, std::countr_zero(static_cast<std::uint64_t>(added))));
  std::ptrdiff_t symbols = 0;
  bool is_constant = true;
  for (const LinearTerm& term : form.terms) {
    if (values[term.value].op != ValueOp::symbol || term.factor != 1) {
      is_constant = false;
      continue;
    }
    ++symbols;
    site.symbol = values.name_of(values[term.value]);
  }
  if (symbols != 1) site.symbol = {};
  if (symbols == 1 && is_constant) site.offset = site.constant;
  return site;
}

std::string address_key(const PtxValues& values, ValueId address) {
  // A generic address and a global address of the same memory are one.
  const auto is_cvta = [&](ValueId id) {
    return values[id].op == ValueOp::unknown && values[id].a != no_value && values.origin(id).is("cvta") &&
           OpcodeParts(values.origin(id).opcode).has("global");
  };
  while (is_cvta(address)) address = values[address].a;
  const LinearForm form = linear_form(values, address, values[address].bits);
  return std::to_string(form.constant) + terms_key(form);
}

namespace {

std::string place_of(const PtxValues& values, ValueId id) {
  if (values[id].op == ValueOp::phi) {
    const PtxBlock& block = values.flow().blocks[values.block_of(id)];
    return "the way to line " + std::to_string(values.kernel().instructions[block.first].line) + " gives " +
           std::string(values.register_of(id));
  }
  const PtxInstruction& origin = values.origin(id);
  return std::string(origin.written) + " in line " + std::to_string(origin.line) + " gives";
}

// The leaf on which lanes depend, and which they share.
std::string because_shared(const PtxValues& values, ValueId id) {
  const PtxValue& value = values[id];
  if (value.op == ValueOp::special && values.name_of(value).starts_with("%ntid"))
    return "lanes differ by a multiple of " + std::string(values.name_of(value)) + ": pass it with --threads";
  const std::string reg(values.register_of(id));
  const std::string way_out = reg.empty() ? "" : ", which " + reg + " holds: pass --set " + reg + "=N";
  if (value.op == ValueOp::unknown) return "lanes differ by a multiple of what " + place_of(values, id) + way_out;
  const std::string name(value.op == ValueOp::param ? values.module().symbols[value.number >> 32].name
                                                    : values.name_of(value));
  return "lanes differ by a multiple of " + name + way_out;
}

}  // namespace

std::string because(const PtxValues& values, ValueId why) {
  if (why == no_value) return {};
  // On the way back the first value that lanes do not share and that is not known; otherwise the first shared one.
  std::vector<ValueId> ways = {why};
  std::unordered_set<ValueId> seen = {why};
  ValueId shared = no_value;
  constexpr std::size_t most = 4096;
  for (std::size_t i = 0; i < ways.size() && ways.size() < most; ++i) {
    const ValueId id = ways[i];
    const PtxValue& value = values[id];
    if (value.op == ValueOp::special && !values.knows_shape() && values.name_of(value).starts_with("%tid"))
      return "the kernel reads %tid.y or %tid.z, and the PTX does not give the shape of the block: pass it with "
             "--threads X,Y,Z";
    if (value.op == ValueOp::unknown && !values.is_uniform(id)) return "it depends on what " + place_of(values, id);
    const bool is_leaf = value.op == ValueOp::param || value.op == ValueOp::special || value.op == ValueOp::unknown;
    if (is_leaf && values.is_uniform(id) && shared == no_value) shared = id;
    std::vector<ValueId> parts = {value.a, value.b, value.c};
    if (value.op == ValueOp::phi)
      for (const PtxPhi::From& from : values.phi(value).from) parts.push_back(from.value);
    for (const ValueId part : parts)
      if (part != no_value && seen.insert(part).second) ways.push_back(part);
  }
  return shared == no_value ? "it depends on what " + place_of(values, why) : because_shared(values, shared);
}

}  // namespace swz
