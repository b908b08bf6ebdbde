// SPDX-License-Identifier: Apache-2.0
#include "binary/embedded_binary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "binary/archive.hpp"
#include "binary/elf.hpp"
#include "binary/fat_binary.hpp"
#include "binary/zip.hpp"

namespace swz {

namespace {

constexpr std::string_view executable_section = ".nv_fatbin", relocatable_section = "__nv_relfatbin";

// Of 64 bits, little-endian.
constexpr std::string_view elf_magic("\x7f\x45\x4c\x46\x02\x01\x01", 7);

// Of members of a zip: what may hold kernels. Others are not decompressed.
constexpr std::string_view searched_endings[] = {".so",  ".a",   ".o",   ".cubin", ".fatbin", ".ptx",
                                                 ".dll", ".pyd", ".exe", ".obj",   ".whl",    ".zip"};

bool is_searched(std::string_view name) {
  const std::string_view file = name.substr(name.rfind('/') + 1);
  return file.find(".so.") != file.npos ||
         std::ranges::any_of(searched_endings, [&](std::string_view ending) { return file.ends_with(ending); });
}

// The next place of the text; npos: none. std::string_view::find takes minutes for a gigabyte of zeros.
std::size_t place_of(std::string_view text, std::string_view in, std::size_t from) {
  if (from >= in.size()) return std::string_view::npos;
  const void* found = memmem(in.data() + from, in.size() - from, text.data(), text.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - in.data());
}

// PTX is a text that says its version and its target before any statement.
bool is_ptx_text(std::string_view bytes) {
  constexpr std::size_t most_comments = 1 << 16;
  const std::string_view begin = bytes.substr(0, most_comments);
  return begin.find('\0') == begin.npos && begin.find(".version") != begin.npos && begin.find(".target") != begin.npos;
}

// Where a walk is: the bytes of the file or of a member, and the member's path.
struct Member {
  std::string_view bytes;
  std::string path;
  std::string name;  // for messages: "torch.whl:torch/lib/libtorch.so"
  int depth = 0;
};

class Walker {
 public:
  Walker(const Codecs& codecs, const VisitBinary& visit, const MemberEnds& member_ends,
         const std::string* wanted = nullptr)
      : codecs_(codecs), visit_(visit), member_ends_(member_ends), wanted_(wanted) {}

  void walk(const Member& member) {
    if (is_cuda_elf(member.bytes)) visit_bytes(member, cubin_at(member.bytes, member.name, 0));
    else if (is_elf(member.bytes)) walk_host(member);
    else if (is_archive(member.bytes)) walk_archive(member);
    else if (is_zip(member.bytes)) walk_zip(member);
    else if (member.bytes.starts_with(fat_magic)) walk_containers(member, 0, member.bytes.size(), {.is_certain = true});
    else if (is_ptx_text(member.bytes))
      visit_bytes(member, {.kind = BinaryKind::ptx, .stored = member.bytes.size(), .size = member.bytes.size()});
    else search(member);
  }

 private:
  struct Section {
    bool is_relocatable = false;
    bool is_certain = false;  // containers are here: one that cannot be read is reported
  };

  // Of an entry with parts: decompressed when the first of them is opened.
  struct Payload {
    std::uint64_t place = 0;
    std::string bytes = {};
  };

  static EmbeddedBinary cubin_at(std::string_view bytes, const std::string& name, std::uint64_t place) {
    const std::uint64_t size = elf_size(bytes, name);
    const bool is_relocatable = ByteReader(bytes).u16(16) == elf_relocatable;
    return {.kind = is_relocatable ? BinaryKind::relocatable : BinaryKind::cubin,
            .place = place,
            .stored = size,
            .size = size};
  }

  void visit_bytes(const Member& member, EmbeddedBinary binary) {
    binary.path = member.path;
    is_over_ = is_over_ || !visit_(binary, [bytes = member.bytes, name = member.name, place = binary.place,
                                            stored = binary.stored] {
                 return BinaryBytes{{}, ByteReader(bytes, name).part(place, stored)};
               });
  }

  void visit_unreadable(const std::string& path, std::uint64_t place, const Error& e) {
    EmbeddedBinary binary{.path = path, .kind = BinaryKind::unreadable, .place = place};
    binary.why = rule_and_way_out(e);
    is_over_ = is_over_ || !visit_(binary, [e]() -> BinaryBytes { throw Error(e); });
  }

  // ---- fat binaries

  void walk_host(const Member& member) {
    const Elf elf = read_elf(member.bytes, member.name);
    bool has_section = false;
    for (const ElfSection& section : elf.sections) {
      const bool is_relocatable = section.name == relocatable_section;
      if (section.name != executable_section && !is_relocatable) continue;
      has_section = true;
      walk_containers(member, section.offset, section.offset + section.bytes.size(),
                      {.is_relocatable = is_relocatable, .is_certain = true});
    }
    if (!has_section) search(member);
  }

  void search(const Member& member) {
    walk_containers(member, 0, member.bytes.size(), {});
    for (std::size_t at = 0; !is_over_;) {
      at = place_of(elf_magic, member.bytes, at);
      if (at == std::string_view::npos) return;
      const std::string_view rest = member.bytes.substr(at);
      std::uint64_t size = 1;
      // One in a container was found there; bytes that only look like one are not reported.
      if (is_cuda_elf(rest) && !is_in_container(at)) try {
          EmbeddedBinary binary = cubin_at(rest, member.name, at);
          size = binary.size;
          visit_bytes(member, std::move(binary));
        } catch (const Error& e) {
          size = 1;
        }
      at += size;
    }
  }

  bool is_in_container(std::uint64_t at) const {
    return std::ranges::any_of(containers_, [&](const auto& range) { return at >= range.first && at < range.second; });
  }

  void walk_containers(const Member& member, std::uint64_t begin, std::uint64_t end, Section section) {
    containers_.clear();
    const ByteReader file(member.bytes, member.name);
    const std::string_view part = member.bytes.substr(0, end);
    for (std::uint64_t at = begin; !is_over_;) {
      at = place_of(fat_magic, part, at);
      if (at == std::string_view::npos) return;
      try {
        const FatContainer container = read_fat_container(ByteReader(part, member.name), at);
        for (const FatEntry& entry : container.entries) {
          if (is_over_) return;
          visit_entry(member, entry, at, section);
        }
        containers_.emplace_back(at, at + container.bytes);
        at += container.bytes;
      } catch (const Error& e) {
        if (section.is_certain) visit_unreadable(member.path, at, e);
        at += fat_magic.size();
      }
    }
  }

  void visit_entry(const Member& member, const FatEntry& entry, std::uint64_t group, Section section) {
    EmbeddedBinary binary{.path = member.path, .arch = entry.arch, .place = entry.place, .stored = entry.stored.size()};
    binary.size = entry.part ? entry.part_bytes : entry.size;
    binary.compression = entry.compression;
    binary.group = group;
    binary.part = entry.part.value_or(0);
    binary.why = entry.why;
    switch (entry.kind) {
      case FatKind::ptx: binary.kind = BinaryKind::ptx; break;
      case FatKind::nvvm: binary.kind = BinaryKind::nvvm; break;
      case FatKind::elf: {
        const bool is_raw = entry.compression == Compression::none && is_cuda_elf(entry.stored);
        const bool is_relocatable =
            is_raw ? ByteReader(entry.stored).u16(16) == elf_relocatable : section.is_relocatable;
        binary.kind = is_relocatable ? BinaryKind::relocatable : BinaryKind::cubin;
        break;
      }
      default:
        binary.kind = BinaryKind::unreadable;
        if (binary.why.empty())
          binary.why = fmt::format("an entry of kind {:#x} is not known", static_cast<unsigned>(entry.kind));
    }
    if (!entry.why.empty() && binary.kind != BinaryKind::nvvm) binary.kind = BinaryKind::unreadable;
    if (entry.part && (!payload_ || payload_->place != entry.place))
      payload_ = std::make_shared<Payload>(Payload{entry.place});
    is_over_ = !visit_(binary, [&codecs = codecs_, name = member.name, entry, why = binary.why,
                                payload = entry.part ? payload_ : nullptr] {
      if (!why.empty()) throw Error(fmt::format("{}: the entry at {:#x}: {}", name, entry.place, why));
      return bytes_of(codecs, name, entry, payload.get());
    });
  }

  static BinaryBytes bytes_of(const Codecs& codecs, const std::string& name, const FatEntry& entry, Payload* payload) {
    if (entry.compression == Compression::none) {
      const std::uint64_t size = entry.part ? entry.part_bytes : entry.stored.size();
      return {{}, entry.stored.substr(entry.part.value_or(0), size)};
    }
    const auto decompressed = [&] {
      return decompress(codecs, entry.compression, entry.stored, {entry.size, name, entry.place});
    };
    if (payload == nullptr) return {decompressed(), {}};
    if (payload->bytes.empty()) payload->bytes = decompressed();
    return {payload->bytes.substr(*entry.part, entry.part_bytes), {}};
  }

  // ---- archives

  bool is_wanted(const std::string& path) const {
    return wanted_ == nullptr || *wanted_ == path || wanted_->starts_with(path + ":");
  }

  // A member whose reader refuses it does not hide the others.
  void walk_member(const Member& in, const std::string& name, std::string_view bytes) {
    const Member member{bytes, in.path.empty() ? name : in.path + ":" + name, in.name + ":" + name, in.depth + 1};
    try {
      require_within(limits::nested_archives, member.depth);
      payload_.reset();
      walk(member);
    } catch (const Error& e) {
      visit_unreadable(member.path, 0, e);
    }
    if (member_ends_) member_ends_();
  }

  void walk_archive(const Member& member) {
    for (const ArchiveMember& one : archive_members(member.bytes, member.name)) {
      if (is_over_) return;
      if (is_wanted(member.path.empty() ? one.name : member.path + ":" + one.name))
        walk_member(member, one.name, one.bytes);
    }
  }

  void walk_zip(const Member& member) {
    for (const ZipMember& one : zip_members(member.bytes, member.name)) {
      const std::string path = member.path.empty() ? one.name : member.path + ":" + one.name;
      if (is_over_) return;
      if (!is_searched(one.name) || !is_wanted(path)) continue;
      std::string bytes;
      try {
        const std::string name = fmt::format("{}:{}", member.name, one.name);
        if (!one.why.empty()) throw Error(fmt::format("{}: {}", name, one.why));
        searched_ += one.size;
        require_within(limits::searched_bytes,
                       static_cast<std::int64_t>(std::min<std::uint64_t>(searched_, INT64_MAX)));
        if (one.compression != Compression::none)
          bytes = decompress(codecs_, one.compression, one.stored, {one.size, name, one.place});
      } catch (const Error& e) {
        visit_unreadable(path, one.place, e);
        continue;
      }
      walk_member(member, one.name, one.compression == Compression::none ? one.stored : std::string_view(bytes));
    }
  }

  const Codecs& codecs_;
  const VisitBinary& visit_;
  const MemberEnds member_ends_;
  const std::string* wanted_;                                        // only the member of this path
  std::vector<std::pair<std::uint64_t, std::uint64_t>> containers_;  // of the member that is searched
  std::shared_ptr<Payload> payload_;                                 // of the last entry with parts
  std::uint64_t searched_ = 0;
  bool is_over_ = false;
};

}  // namespace

std::string rule_and_way_out(const Error& e) {
  return e.hint.empty() ? e.message() : fmt::format("{}; {}", e.message(), e.hint);
}

bool is_container(std::string_view bytes) {
  return bytes.starts_with(elf_magic.substr(0, 4)) || is_archive(bytes) || is_zip(bytes) ||
         bytes.starts_with(fat_magic);
}

bool is_binary_file(std::string_view bytes) {
  if (is_container(bytes)) return true;
  constexpr std::size_t looked_at = 4096;
  const std::size_t nul = bytes.substr(0, looked_at).find('\0');
  return nul != bytes.npos && !is_ptx_text(bytes.substr(0, nul));
}

void walk_binaries(const BinaryFile& file, const Codecs& codecs, const VisitBinary& visit,
                   const MemberEnds& member_ends) {
  Walker(codecs, visit, member_ends).walk({file.bytes, "", file.name});
  if (member_ends) member_ends();
}

std::vector<EmbeddedBinary> list_binaries(const BinaryFile& file, const Codecs& codecs) {
  std::vector<EmbeddedBinary> binaries;
  walk_binaries(file, codecs, [&](const EmbeddedBinary& binary, const OpenBinary&) {
    binaries.push_back(binary);
    return true;
  });
  return binaries;
}

BinaryBytes binary_bytes(const BinaryFile& file, const EmbeddedBinary& binary, const Codecs& codecs) {
  std::optional<BinaryBytes> found;
  const VisitBinary visit = [&](const EmbeddedBinary& one, const OpenBinary& open) {
    if (one.path != binary.path || one.place != binary.place || one.part != binary.part) return true;
    found = open();
    // A view of a member that was decompressed would not outlast the walk.
    if (found->owned.empty() && !binary.path.empty()) found->owned = found->stored;
    return false;
  };
  Walker(codecs, visit, {}, &binary.path).walk({file.bytes, "", file.name});
  if (!found) throw Error(fmt::format("{}: there is no binary at {:#x} of {}", file.name, binary.place, binary.path));
  return std::move(*found);
}

}  // namespace swz
