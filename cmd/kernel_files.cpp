// SPDX-License-Identifier: Apache-2.0
#include "kernel_files.hpp"

#include <algorithm>
#include <map>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "binary/codec/codecs.hpp"
#include "binary/line_table.hpp"
#include "files.hpp"
#include "sass/lift.hpp"
#include "sass/ncu_pages.hpp"
#include "threads.hpp"

namespace swz {

namespace {

constexpr std::string_view accepted_files =
    "FILE is PTX, SASS, a cubin, a program or library, an archive, a wheel, a folder of them, or the source pages of "
    "Nsight Compute as CSV; - is standard input";

constexpr std::string_view endings[] = {".cubin", ".ptx", ".fatbin", ".so", ".a", ".o", ".whl", ".pyd", ".dll", ".pt2"};

bool may_hold_kernels(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.find(".so.") != name.npos ||
         std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

// What Triton writes beside a cubin.
struct TritonLaunch {
  std::optional<std::uint64_t> shared = {};
  std::optional<std::int64_t> threads = {};
};

TritonLaunch triton_launch(const std::string& cubin) {
  TritonLaunch launch;
  constexpr std::string_view ending = ".cubin";
  const std::string path = cubin.ends_with(ending) ? cubin.substr(0, cubin.size() - ending.size()) + ".json" : "";
  if (path.empty() || kind_of_path(path) != PathKind::file) return launch;
  const MappedFile file(path, "");
  if (std::ssize(file.bytes()) > limits::dump_bytes.most) return launch;
  // A file of another program says nothing.
  try {
    const Json json = Json::parse(file.bytes());
    if (!json.is_object()) return launch;
    if (json.contains("shared")) launch.shared = json.at("shared").get<std::uint64_t>();
    if (!json.contains("num_warps")) return launch;
    const bool has_target = json.contains("target") && json.at("target").is_object();
    const std::int64_t lanes = has_target ? json.at("target").value<std::int64_t>("warp_size", 32) : 32;
    launch.threads = std::clamp<std::int64_t>(json.at("num_warps").get<std::int64_t>(), 0, 32) * lanes;
  } catch (const Error& e) {
    return {};
  }
  return launch;
}

// The clusters that a cubin demands, or bounds; extents that no target has are left out.
PtxCluster cluster_of(const KernelResources& r) {
  constexpr std::uint32_t most = 64;
  PtxCluster cluster;
  const auto fits = [](std::uint32_t extent) { return extent >= 1 && extent <= most; };
  if (r.cluster && std::ranges::all_of(*r.cluster, fits)) {
    const auto extent = [&](std::size_t axis) { return static_cast<int>((*r.cluster)[axis]); };
    cluster.shape = {extent(0), extent(1), extent(2)};
    cluster.most = cluster.shape->size();
  } else if (r.max_cluster_blocks && fits(*r.max_cluster_blocks)) {
    cluster.most = static_cast<int>(*r.max_cluster_blocks);
  }
  return cluster;
}

std::array<std::int64_t, 3> wide(const BlockShape& shape) { return {shape[0], shape[1], shape[2]}; }

PlacedShared placed_shared(const Cubin& cubin, const CubinKernel& kernel) {
  PlacedShared placed;
  placed.begin = cubin.arch.reserved_shared();
  placed.end = std::max(placed.begin, kernel.shared_section);
  for (const CubinArray& array : kernel.arrays)
    if (array.address) placed.arrays[std::string(array.name)] = *array.address;
  return placed;
}

// The places in the source of a text that a cubin keeps, by its line tables.
void add_sources(const Cubin& cubin, std::string_view kernel, KernelText& text) {
  if (!text.module.files.empty()) return;
  LineTable source = source_lines(cubin);
  const std::map<std::uint32_t, LineRow> sources = sources_of_ptx(source, ptx_lines(cubin), kernel);
  if (sources.empty()) return;
  for (PtxKernel& one : text.module.kernels) {
    if (one.name != kernel) continue;
    for (PtxInstruction& instruction : one.instructions)
      if (const auto row = sources.find(instruction.line); row != sources.end())
        instruction.source = {row->second.file, row->second.line};
  }
  // Numbers of files begin at 1.
  source.files.insert(source.files.begin(), "");
  text.source_files = std::make_shared<const std::vector<std::string>>(std::move(source.files));
  text.module.files.assign(text.source_files->begin(), text.source_files->end());
}

SassKernelFacts facts_of(const CubinKernel& kernel, std::string_view name) {
  SassKernelFacts facts{.name = name};
  if (const auto block = kernel.block()) {
    facts.threads = wide(*block);
    facts.threads_are_most = !kernel.required_threads;
  }
  for (const CubinParameter& parameter : kernel.parameters)
    facts.parameters.push_back({parameter.offset, parameter.bytes});
  if (kernel.parameter_base) facts.parameter_base = *kernel.parameter_base;
  return facts;
}

std::string text_until_nul(std::string_view bytes) { return std::string(bytes.substr(0, bytes.find('\0'))); }

}  // namespace

KernelFiles::KernelFiles(const std::vector<std::string>& names, const Context& context) {
  for (const std::string& name : names) {
    const std::string path = file_path(name);
    if (path != "-" && kind_of_path(path) == PathKind::folder) add_folder(path);
    else add_file(path, context);
  }
}

void KernelFiles::add_folder(const std::string& folder) {
  std::size_t count = 0;
  for (const std::string& path : files_of_folder(folder, std::string(accepted_files))) {
    if (!may_hold_kernels(path)) continue;
    files_.push_back({.name = path, .mapped = std::make_unique<MappedFile>(path, std::string(accepted_files))});
    ++count;
  }
  if (count == 0)
    throw Error("the folder " + quoted(folder) + " has no file that may hold compiled kernels",
                fmt::format("their names end in {}", fmt::join(endings, ", ")));
}

void KernelFiles::add_file(const std::string& name, const Context& context) {
  File file{.name = name == "-" ? "standard input" : name};
  if (name != "-" && kind_of_path(name) == PathKind::file) {
    const Input allowed(name, context.input, std::string(accepted_files));  // a batch line must not read its own input
    file.mapped = std::make_unique<MappedFile>(name, std::string(accepted_files));
    file.is_text = !is_binary_file(file.bytes());
    if (is_ncu_report(file.bytes()))
      throw Error(quoted(name) + " is a report of Nsight Compute, which only its own program reads",
                  "print its pages: " + std::string(ncu_pages_command));
    const std::int64_t size = std::ssize(file.bytes());
    if (file.is_text && size > limits::ptx_bytes.most && !is_ncu_pages(file.bytes()))
      throw Error(fmt::format("{} is larger than {} KiB, the limit of {}", quoted(name), limits::ptx_bytes.most >> 10,
                              limits::ptx_bytes.what),
                  "give the part that matters");
  } else {
    file.text = read_text(name, context,
                          {static_cast<std::size_t>(limits::ptx_bytes.most), limits::ptx_bytes.what, accepted_files});
    file.is_text = !is_binary_file(file.text);
  }
  files_.push_back(std::move(file));
}

bool KernelFiles::are_texts() const { return std::ranges::all_of(files_, &File::is_text); }

std::string KernelFiles::text(std::size_t file) const { return std::string(files_[file].bytes()); }

KernelCatalog KernelFiles::catalog(const KernelFilter& filter) const {
  KernelCatalog catalog(built_in_codecs(), filter, call_on_threads);
  for (const File& file : files_)
    catalog.add({file.bytes(), file.name, [&] {
                   if (file.mapped) file.mapped->release();
                 }});
  catalog.leave_out_unlinked();
  return catalog;
}

BinaryBytes KernelFiles::bytes_of(const KernelCatalog& catalog, std::size_t binary) const {
  const CatalogedBinary& one = catalog.binaries()[binary];
  const File& file = files_[one.file];
  return binary_bytes({file.bytes(), file.name}, one, built_in_codecs());
}

BuiltKernel KernelFiles::built(const KernelCatalog& catalog, const FoundKernel& kernel) const {
  const CatalogedBinary& binary = catalog.binaries()[kernel.binary.value()];
  BuiltKernel built{.arch = kernel.arch, .resources = kernel.resources, .toolkit = kernel.toolkit};
  built.is_relocatable = kernel.is_relocatable;
  const std::string& file = catalog.files()[binary.file];
  built.place = binary.path.empty() ? file : file + ":" + binary.path;
  if (binary.path.empty()) built.dynamic_shared = triton_launch(file).shared;
  return built;
}

KernelText KernelFiles::read(const KernelCatalog& catalog, const FoundKernel& kernel, KernelQuestion question) const {
  const std::string& name = catalog.files()[kernel.file];
  KernelText out{.name = name};
  const bool has_own_text = kernel.ptx && kernel.ptx != kernel.binary;
  if (has_own_text) out.module = read_ptx(ptx_of(catalog, kernel, nullptr));
  if (kernel.binary) {
    const BinaryBytes bytes = bytes_of(catalog, *kernel.binary);
    const Cubin cubin = read_cubin(bytes.view(), name);
    if (!has_own_text) {
      out.module = read_ptx(cubin.ptx());
      add_sources(cubin, kernel.name, out);
    }
    out.built = built(catalog, kernel);
    const CubinKernel* found = cubin.find(kernel.name);
    if (found != nullptr && !cubin.is_relocatable) question.shared = placed_shared(cubin, *found);
    if (found != nullptr) question.cluster = cluster_of(*found);
    if (!question.threads) question.threads = launched_threads(catalog, kernel);
  }
  question.entry = kernel.name;
  out.kernels = kernel_reports(out.module, question);
  return out;
}

// Of a kernel with PTX. cubin: its own, if it has one.
std::string KernelFiles::ptx_of(const KernelCatalog& catalog, const FoundKernel& kernel, const Cubin* cubin) const {
  if (kernel.ptx == kernel.binary && cubin != nullptr) return cubin->ptx();
  return text_until_nul(bytes_of(catalog, *kernel.ptx).view());
}

KernelText KernelFiles::read_code(const KernelCatalog& catalog, const FoundKernel& kernel, KernelQuestion question,
                                  const Nvdisasm& nvdisasm) const {
  const std::string& name = catalog.files()[kernel.file];
  KernelText out{.name = name, .built = built(catalog, kernel), .is_disassembled = true};
  const BinaryBytes bytes = bytes_of(catalog, *kernel.binary);
  const Cubin cubin = read_cubin(bytes.view(), name);
  const CubinKernel* found = cubin.find(kernel.name);
  if (found == nullptr) throw Error(fmt::format("{}: the cubin has no kernel {}", name, quoted(kernel.name)));
  if (!question.threads) question.threads = launched_threads(catalog, kernel);
  question.cluster = cluster_of(*found);
  SassModule sass = read_sass(nvdisasm.disassembled(bytes.view(), found->symbol, limits::ptx_bytes.most));
  // Of toolkits before 12.9 the disassembly does not say it.
  const Target* target = find_target(kernel.arch.name());
  if (sass.target.empty() && target != nullptr) sass.target = target->name;
  out.module = lift_sass(sass, {facts_of(*found, kernel.name)});
  question.entry = kernel.name;
  out.kernels = kernel_reports(out.module, question);
  if (kernel.ptx) {
    const PtxModule ptx = read_ptx(ptx_of(catalog, kernel, &cubin));
    const auto text = std::ranges::find(ptx.kernels, kernel.name, &PtxKernel::name);
    const auto code = std::ranges::find(sass.functions, kernel.name, &SassFunction::name);
    if (text != ptx.kernels.end() && code != sass.functions.end()) out.changes = assembled_changes(*text, *code);
  }
  return out;
}

// Where the cubin has only a bound, Triton's warps are the whole block if they reach it: warp specialization adds warps.
std::optional<std::array<std::int64_t, 3>> KernelFiles::launched_threads(const KernelCatalog& catalog,
                                                                         const FoundKernel& kernel) const {
  const KernelResources& r = kernel.resources;
  if (r.required_threads) return wide(*r.required_threads);
  const CatalogedBinary& binary = catalog.binaries()[kernel.binary.value()];
  if (!r.max_threads || !binary.path.empty()) return std::nullopt;
  const auto most = wide(*r.max_threads);
  const auto threads = triton_launch(catalog.files()[binary.file]).threads;
  return threads == most[0] * most[1] * most[2] ? std::optional(most) : std::nullopt;
}

}  // namespace swz
