// SPDX-License-Identifier: Apache-2.0
#include "binary/kernel_catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/mangled_name.hpp"
#include "base/pattern.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

bool is_name_letter(char c) { return is_word(c) || c == '$' || c == '%'; }

// The words of a PTX text that begin with a dot or are names; comments are passed over.
class PtxWords {
 public:
  explicit PtxWords(std::string_view text) : text_(text) {}

  // Empty at the end.
  std::string_view next() {
    while (at_ < text_.size() && text_[at_] != '\0') {
      if (text_.substr(at_).starts_with("//")) pass("\n");
      else if (text_.substr(at_).starts_with("/*")) pass("*/");
      else if (text_[at_] == '.' || is_name_letter(text_[at_])) return word();
      else ++at_;
    }
    return {};
  }

 private:
  void pass(std::string_view end) {
    const std::size_t found = text_.find(end, at_ + 2);
    at_ = found == text_.npos ? text_.size() : found + end.size();
  }
  std::string_view word() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && is_name_letter(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// "DIR/NAME.cubin" and "DIR/NAME.ptx" are of one source.
std::string stem_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const bool is_suffix = dot != path.npos && path.find('/', dot) == path.npos;
  return std::string(is_suffix ? path.substr(0, dot) : path);
}

// What has one source: the binaries of a fat binary, or the files of one stem.
std::string group_of(const std::string& file, const EmbeddedBinary& binary, bool is_whole_file) {
  if (!is_whole_file) return fmt::format("{}:{}:{}", file, binary.path, binary.group);
  return stem_of(binary.path.empty() ? file : file + ":" + binary.path);
}

}  // namespace

std::optional<SmArch> read_sm_arch(std::string_view text) {
  std::string name = lower_case(text);
  for (const std::string_view prefix : {"sm_", "compute_", "sm"})
    if (name.starts_with(prefix)) {
      name.erase(0, prefix.size());
      break;
    }
  SmArch arch;
  if (!name.empty() && (name.back() == 'a' || name.back() == 'f')) {
    arch.variant = name.back();
    name.pop_back();
  }
  if (name.size() < 2 || name.size() > 3 || !std::ranges::all_of(name, is_digit)) return std::nullopt;
  for (const char c : name) arch.number = 10 * arch.number + static_cast<std::uint32_t>(c - '0');
  return arch;
}

bool is_kernel_named(std::string_view name, std::string_view pattern) {
  if (pattern.empty() || name == pattern) return true;
  return matches_pattern(name, pattern) || matches_pattern(name_path(name), pattern);
}

PtxOutline ptx_outline(std::string_view text) {
  PtxOutline outline;
  PtxWords words(text);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word == ".entry") outline.entries.push_back(words.next());
    else if (word == ".target" && outline.target.number == 0)
      outline.target = read_sm_arch(words.next()).value_or(SmArch{});
  }
  return outline;
}

void KernelCatalog::add(const BinaryFile& file) {
  files_.push_back(file.name);
  constexpr std::uint64_t most_kept = 64 << 20;
  std::uint64_t opened = 0;
  walk_binaries(file, codecs_, [&](const EmbeddedBinary& binary, const OpenBinary& open) {
    binaries_.push_back({binary, files_.size() - 1});
    opened += binary.stored;
    if (opened > most_kept && file.release) {
      file.release();
      opened = 0;
    }
    // The architecture of a bare cubin or PTX is only in it.
    if (binary.arch.number != 0 && !takes(binary.arch)) return true;
    try {
      if (binary.kind == BinaryKind::cubin || binary.kind == BinaryKind::relocatable) add_cubin(binary, open);
      else if (binary.kind == BinaryKind::ptx) add_ptx(binary, open);
    } catch (const Error& e) {
      binaries_.back().kind = BinaryKind::unreadable;
      binaries_.back().why = e.hint.empty() ? e.message() : fmt::format("{}; {}", e.message(), e.hint);
    }
    return true;
  });
}

void KernelCatalog::add_cubin(const EmbeddedBinary& binary, const OpenBinary& open) {
  const BinaryBytes bytes = open();
  const std::string name = binary.path.empty() ? files_.back() : files_.back() + ":" + binary.path;
  const Cubin cubin = read_cubin(bytes.view(), name);
  // The ELF file does not record the family; the entry of a fat binary does.
  const bool is_in_container = binary.arch.number != 0;
  CatalogedBinary& in_catalog = binaries_.back();
  if (!is_in_container) in_catalog.arch = cubin.arch;
  in_catalog.kind = cubin.is_relocatable ? BinaryKind::relocatable : BinaryKind::cubin;
  if (!takes(in_catalog.arch)) return;
  const std::string group = group_of(files_.back(), binary, !is_in_container);
  for (const CubinKernel& one : cubin.kernels) {
    if (!is_kernel_named(one.name, filter_.entry)) continue;
    FoundKernel kernel{.name = std::string(one.name), .arch = in_catalog.arch, .file = files_.size() - 1};
    kernel.binary = binaries_.size() - 1;
    if (cubin.has_ptx()) kernel.ptx = kernel.binary;
    kernel.resources = one;
    kernel.toolkit = cubin.toolkit;
    kernel.is_relocatable = cubin.is_relocatable;
    add_kernel(std::move(kernel), group);
  }
}

void KernelCatalog::add_ptx(const EmbeddedBinary& binary, const OpenBinary& open) {
  const BinaryBytes bytes = open();
  const PtxOutline outline = ptx_outline(bytes.view());
  const bool is_in_container = binary.arch.number != 0;
  CatalogedBinary& in_catalog = binaries_.back();
  // nvcc does not mark the PTX of compute_90a as such; its text does.
  if (outline.target.number != 0) in_catalog.arch = outline.target;
  if (!takes(in_catalog.arch)) return;
  const std::string group = group_of(files_.back(), binary, !is_in_container);
  for (const std::string_view entry : outline.entries) {
    if (!is_kernel_named(entry, filter_.entry)) continue;
    FoundKernel kernel{.name = std::string(entry), .arch = in_catalog.arch, .file = files_.size() - 1};
    kernel.ptx = binaries_.size() - 1;
    add_kernel(std::move(kernel), group);
  }
}

void KernelCatalog::add_kernel(FoundKernel kernel, const std::string& group) {
  const std::string key = fmt::format("{}\n{}\n{}", group, kernel.arch.name(), kernel.name);
  const auto [place, is_new] = by_group_.try_emplace(key, kernels_.size());
  if (!is_new) {
    FoundKernel& known = kernels_[place->second];
    const bool is_other_half = known.binary.has_value() != kernel.binary.has_value();
    if (is_other_half) {
      // A PTX text says more than the one that a cubin keeps: its comments and its lines of the source.
      const std::optional<std::size_t> ptx = kernel.binary ? known.ptx : kernel.ptx;
      if (kernel.binary) known = std::move(kernel);
      known.ptx = ptx;
      return;
    }
  }
  require_within(limits::listed_kernels, std::ssize(kernels_) + 1);
  kernels_.push_back(std::move(kernel));
}

void KernelCatalog::leave_out_unlinked() {
  if (std::ranges::none_of(kernels_, &FoundKernel::is_relocatable)) return;
  std::set<std::tuple<std::size_t, std::string, std::string>> linked;
  const auto key = [](const FoundKernel& kernel) { return std::tuple(kernel.file, kernel.arch.name(), kernel.name); };
  for (const FoundKernel& kernel : kernels_)
    if (!kernel.is_relocatable && kernel.binary) linked.insert(key(kernel));
  std::erase_if(kernels_,
                [&](const FoundKernel& kernel) { return kernel.is_relocatable && linked.contains(key(kernel)); });
  by_group_.clear();  // they name places among the kernels
}

std::vector<const CatalogedBinary*> KernelCatalog::unreadable() const {
  std::vector<const CatalogedBinary*> all;
  for (const CatalogedBinary& binary : binaries_)
    if (binary.kind == BinaryKind::unreadable) all.push_back(&binary);
  return all;
}

std::vector<std::string> KernelCatalog::archs() const {
  std::set<std::pair<std::uint32_t, char>> archs;
  for (const CatalogedBinary& binary : binaries_)
    if (binary.arch.number != 0) archs.emplace(binary.arch.number, binary.arch.variant);
  std::vector<std::string> names;
  for (const auto& [number, variant] : archs) names.push_back(SmArch{number, variant}.name());
  return names;
}

}  // namespace swz
