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
  std::uint64_t kept = 0;
  std::vector<UnreadBinary> unread;
  walk_binaries(
      file, codecs_,
      [&](const EmbeddedBinary& binary, const OpenBinary& open) {
        // The parts of one payload are read together.
        const bool is_of_last = !unread.empty() && binaries_.back().place == binary.place;
        if (kept > most_kept && !is_of_last) {
          read(unread);
          if (file.release) file.release();
          kept = 0;
        }
        binaries_.push_back({binary, files_.size() - 1});
        kept += binary.stored;
        // The architecture of a bare cubin or PTX is only in it.
        const bool is_asked = binary.arch.number == 0 || takes(binary.arch);
        const bool has_kernels = binary.kind != BinaryKind::nvvm && binary.kind != BinaryKind::unreadable;
        if (is_asked && has_kernels) unread.push_back({binaries_.size() - 1, open});
        return true;
      },
      [&] { read(unread); });
}

void KernelCatalog::read(std::vector<UnreadBinary>& unread) {
  // Of the parts of one payload one worker opens the first, and then the others.
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < unread.size(); ++i)
    if (i == 0 || binaries_[unread[i].binary].place != binaries_[unread[i - 1].binary].place) begins.push_back(i);
  begins.push_back(unread.size());
  std::vector<BinaryContent> contents(unread.size());
  workers_(begins.size() - 1, [&](std::size_t payload) {
    for (std::size_t i = begins[payload]; i < begins[payload + 1]; ++i) {
      contents[i] = content_of(unread[i]);
      unread[i].open = {};  // the payload lasts until its last part is read
    }
  });
  for (std::size_t i = 0; i < unread.size(); ++i) {
    CatalogedBinary& binary = binaries_[unread[i].binary];
    binary.kind = contents[i].kind;
    binary.arch = contents[i].arch;
    binary.why = std::move(contents[i].why);
    try {
      for (FoundKernel& kernel : contents[i].kernels) add_kernel(std::move(kernel), contents[i].group);
    } catch (const Error& e) {
      binary.kind = BinaryKind::unreadable;
      binary.why = rule_and_way_out(e);
    }
  }
  unread.clear();
}

KernelCatalog::BinaryContent KernelCatalog::content_of(const UnreadBinary& unread) const {
  const CatalogedBinary& binary = binaries_[unread.binary];
  const bool is_whole_file = binary.arch.number == 0;
  BinaryContent content{.kind = binary.kind, .arch = binary.arch};
  content.group = group_of(files_.back(), binary, is_whole_file);
  try {
    const BinaryBytes bytes = unread.open();
    if (binary.kind == BinaryKind::ptx) read_ptx_into(content, bytes.view(), unread.binary);
    else read_cubin_into(content, bytes.view(), unread.binary);
  } catch (const Error& e) {
    content.kind = BinaryKind::unreadable;
    content.why = rule_and_way_out(e);
    content.kernels.clear();
  }
  return content;
}

void KernelCatalog::read_cubin_into(BinaryContent& content, std::string_view bytes, std::size_t binary) const {
  const std::string& path = binaries_[binary].path;
  const Cubin cubin = read_cubin(bytes, path.empty() ? files_.back() : files_.back() + ":" + path);
  // The ELF file does not record the family; the entry of a fat binary does.
  if (content.arch.number == 0) content.arch = cubin.arch;
  content.kind = cubin.is_relocatable ? BinaryKind::relocatable : BinaryKind::cubin;
  if (!takes(content.arch)) return;
  for (const CubinKernel& one : cubin.kernels) {
    if (!is_kernel_named(one.name, filter_.entry)) continue;
    FoundKernel kernel{.name = std::string(one.name), .arch = content.arch, .file = files_.size() - 1};
    kernel.binary = binary;
    if (cubin.has_ptx()) kernel.ptx = kernel.binary;
    kernel.resources = one;
    kernel.toolkit = cubin.toolkit;
    kernel.is_relocatable = cubin.is_relocatable;
    content.kernels.push_back(std::move(kernel));
  }
}

void KernelCatalog::read_ptx_into(BinaryContent& content, std::string_view bytes, std::size_t binary) const {
  const PtxOutline outline = ptx_outline(bytes);
  // nvcc does not mark the PTX of compute_90a as such; its text does.
  if (outline.target.number != 0) content.arch = outline.target;
  if (!takes(content.arch)) return;
  for (const std::string_view entry : outline.entries) {
    if (!is_kernel_named(entry, filter_.entry)) continue;
    FoundKernel kernel{.name = std::string(entry), .arch = content.arch, .file = files_.size() - 1};
    kernel.ptx = binary;
    content.kernels.push_back(std::move(kernel));
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
