// SPDX-License-Identifier: Apache-2.0
#include "ptx/kernel_report.hpp"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/mangled_name.hpp"
#include "base/text.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/value_builder.hpp"

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
         (question.entry.empty() || kernel.name == question.entry || name_path(kernel.name) == question.entry);
}

// A register that is set must be in one of the kernels, and wide enough.
void check_registers(const std::vector<const PtxKernel*>& kernels, const KernelQuestion& question) {
  for (const auto& [name, value] : question.registers) {
    const PtxRegister* found = nullptr;
    for (const PtxKernel* kernel : kernels)
      for (const PtxRegister& one : kernel->registers)
        if (one.name == name && (found == nullptr || one.bits < found->bits)) found = &one;
    if (found == nullptr) {
      std::vector<std::string> names;
      for (const PtxKernel* kernel : kernels)
        for (const PtxRegister& one : kernel->registers) names.emplace_back(one.name);
      throw Error(
          (kernels.size() == 1 ? "the kernel has no register " : "none of the kernels has a register ") + quoted(name),
          did_you_mean(name, names, "--set names a register as the PTX does"));
    }
    if (found->bits < 64 && value >> found->bits != 0)
      throw Error("the register " + name + " has " + plural(found->bits, "bit") + "; " + std::to_string(value) +
                  " does not fit");
  }
}

KernelReport kernel_report(const PtxModule& module, const PtxKernel& kernel, const KernelQuestion& question) {
  const auto product = [](const std::array<std::int64_t, 3>& of) { return of[0] * of[1] * of[2]; };
  PtxLaunch launch;
  launch.threads = question.threads;
  if (!launch.threads && !kernel.threads_are_most) launch.threads = kernel.threads;
  if (question.threads && !question.knows_shape && reads_rows(module, kernel)) {
    // A number alone is the extents that the kernel demands, or not known to be a row.
    const bool is_demanded =
        kernel.threads && !kernel.threads_are_most && product(*kernel.threads) == product(*question.threads);
    launch.threads = is_demanded ? kernel.threads : std::nullopt;
    if (!is_demanded) launch.count = product(*question.threads);
  }
  for (const auto& [name, value] : question.registers) launch.registers.emplace(name, value);

  KernelReport report{.name = kernel.name, .target = find_target(kernel.target), .target_name = kernel.target};
  report.threads = question.threads ? question.threads : kernel.threads;
  report.threads_are_most = !question.threads && kernel.threads_are_most;
  const PtxValues values(module, kernel, std::move(launch));
  for (const std::uint32_t symbol : values.shared().symbols) {
    report.shared.push_back(module.symbols[symbol]);
    if (values.shared().is_dynamic(module, symbol)) report.shared.back().bytes.reset();
  }
  report.mma = mma_sites(values, report.target);
  report.smem = smem_sites(values, report.target);
  report.maps = built_tensor_maps(values);
  report.tma = tma_sites(values, report.maps);
  report.tmem = tmem_sites(values);
  report.conflict = worst_conflict(report);
  report.findings = kernel_findings(report, values);
  tell_columns_outside(report, values);
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
  std::vector<KernelReport> reports;
  std::int64_t sites = 0;
  for (const PtxKernel* kernel : kernels) {
    const KernelReport& one = reports.emplace_back(kernel_report(module, *kernel, question));
    sites += std::ssize(one.mma) + std::ssize(one.smem) + std::ssize(one.tma) + std::ssize(one.tmem);
    require_within(limits::ptx_sites, sites);
  }
  return reports;
}

PtxSite site_at(const PtxKernel& kernel, std::uint32_t instruction) {
  const PtxInstruction& one = kernel.instructions[instruction];
  return {instruction, one.line, one.source, one.opcode};
}

bool has_generic_address(const PtxInstruction& one) {
  const bool is_wmma = one.opcode.starts_with("wmma.load") || one.opcode.starts_with("wmma.store");
  if (!one.is("ld") && !one.is("st") && !one.is("atom") && !one.is("red") && !is_wmma) return false;
  const OpcodeParts parts(one.opcode);
  for (const std::string_view space :
       {"shared", "shared::cta", "shared::cluster", "global", "local", "param", "param::entry", "param::func", "const"})
    if (parts.has(space)) return false;
  return true;
}

SiteAddress site_address(const PtxValues& values, ValueId address, int shift) {
  SiteAddress out;
  if (address == no_value) {
    out.text = "not known";
    return out;
  }
  LinearForm form = linear_form(values, address, shared_address_bits, shift);
  // More than a block may have is less than nothing modulo 2^18, where another term can make up for it.
  constexpr std::int64_t most_bytes = 227 * 1024;
  if (form.written > most_bytes && form.terms.size() > 1) form.written -= std::int64_t{1} << shared_address_bits;
  out.text = to_string(form, values);
  out.constant = Bytes{form.written};
  form.written = 0;
  out.terms = to_string(form, values);
  out.alignment = std::int64_t{1} << proven_zeros(values, address, shared_address_bits, shift);
  std::ptrdiff_t symbols = 0;
  bool is_constant = true;
  for (const LinearTerm& term : form.terms) {
    if (values[term.value].op != ValueOp::symbol || term.factor != 1) {
      is_constant = false;
      continue;
    }
    ++symbols;
    out.symbol = values.name_of(values[term.value]);
  }
  if (symbols != 1) out.symbol = {};
  if (symbols == 1 && is_constant) out.offset = out.constant;
  return out;
}

std::string address_key(const PtxValues& values, ValueId address) {
  // A generic address and a global one of the same memory.
  const auto is_cvta = [&](ValueId id) {
    return values[id].op == ValueOp::unknown && values[id].a != no_value && values.origin(id).is("cvta") &&
           OpcodeParts(values.origin(id).opcode).has("global");
  };
  while (is_cvta(address)) address = values[address].a;
  LinearForm form = linear_form(values, address, values[address].bits);
  std::ranges::sort(form.terms, {}, [](const LinearTerm& one) { return std::pair(one.value, one.is_progress); });
  std::string out = std::to_string(form.constant);
  for (const LinearTerm& one : form.terms)
    out += (one.is_progress ? " p" : " v") + std::to_string(one.value) + "*" + std::to_string(one.factor);
  return out;
}

std::string because(const PtxValues& values, ValueId why) {
  if (why == no_value) return {};
  const auto place = [&](ValueId id) {
    const PtxInstruction& one = values.origin(id);
    return std::string(one.opcode) + " in line " + std::to_string(one.line);
  };
  // The first value on the way back that nobody can know in each lane, else one that nobody can know.
  std::vector<ValueId> ways = {why};
  std::unordered_set<ValueId> seen = {why};
  ValueId shared = no_value;
  constexpr std::size_t most = 4096;
  for (std::size_t i = 0; i < ways.size() && ways.size() < most; ++i) {
    const ValueId id = ways[i];
    const PtxValue& value = values[id];
    if (value.op == ValueOp::special && !values.knows_shape() && values.name_of(value).starts_with("%tid"))
      return "the kernel reads %tid.y or %tid.z, and nobody says the shape of the block: --threads X,Y,Z says it";
    if (value.op == ValueOp::unknown && !values.is_uniform(id)) return "it depends on what " + place(id) + " gives";
    const bool is_leaf = value.op == ValueOp::param || value.op == ValueOp::special || value.op == ValueOp::unknown;
    if (is_leaf && values.is_uniform(id) && shared == no_value) shared = id;
    std::vector<ValueId> next = {value.a, value.b, value.c};
    if (value.op == ValueOp::phi)
      for (const PtxPhi::From& from : values.phi(value).from) next.push_back(from.value);
    for (const ValueId more : next)
      if (more != no_value && seen.insert(more).second) ways.push_back(more);
  }
  if (shared == no_value) return "it depends on what " + place(why) + " gives";
  const PtxValue& value = values[shared];
  if (value.op == ValueOp::special && values.name_of(value).starts_with("%ntid"))
    return "lanes differ by a multiple of " + std::string(values.name_of(value)) + ": --threads says it";
  const std::string reg(values.register_of(shared));
  const std::string way_out = reg.empty() ? "" : ", which " + reg + " holds: --set " + reg + "=N says it";
  if (value.op == ValueOp::unknown) return "lanes differ by a multiple of what " + place(shared) + " gives" + way_out;
  const std::string name(value.op == ValueOp::param ? values.module().symbols[value.number >> 32].name
                                                    : values.name_of(value));
  return "lanes differ by a multiple of " + name + way_out;
}

}  // namespace swz
