// SPDX-License-Identifier: Apache-2.0
#include "ptx/random_copies.hpp"

#include <algorithm>

namespace swz {

namespace {

constexpr const char* reduce_operations[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};

}  // namespace

// Literals are decimal or hexadecimal; a coordinate may be negative.
CopyWriter::Operand CopyWriter::number(int bits, bool is_signed) {
  const std::int64_t value = is_signed && below(3) == 0 ? -static_cast<std::int64_t>(below(300))
                                                        : static_cast<std::int64_t>(below(bits == 16 ? 256 : 4096));
  const std::string name = Text{"%{}{}", bits == 16 ? "h" : "r", 40 + registers_++};
  const char* kind = bits == 16 ? "u16" : "u32";
  switch (below(4)) {
    case 0:
      if (bits == 32) return {Text{"{}", value}, value};
      [[fallthrough]];
    case 1: before_ += Text{"mov.{} {}, {};\n", kind, name, value}; return {name, value};
    case 2: {  // a constant that takes two steps
      before_ += Text{"mov.{0} {1}, {2};\nadd.{0} {1}, {1}, 3;\n", kind, name, value - 3};
      return {name, value};
    }
    default:
      before_ += Text{"ld.param.{} {}, [p{}];\n", kind, name, bits == 16 ? "h" : "r"};
      return {name, std::nullopt};
  }
}

std::vector<CopyWriter::Operand> CopyWriter::numbers(int count, int bits, bool is_signed) {
  std::vector<Operand> all;
  for (int i = 0; i < count; ++i) all.push_back(number(bits, is_signed));
  return all;
}

std::string CopyWriter::list(const std::vector<Operand>& all, std::vector<std::optional<std::int64_t>>& into) {
  std::string text;
  for (const Operand& one : all) {
    text += (text.empty() ? "" : ", ") + one.text;
    into.push_back(one.number);
  }
  return "{" + text + "}";
}

std::string CopyWriter::shared_address(DrawnCopy& copy) {
  copy.shared = 128 * static_cast<std::int64_t>(below(16));
  return below(2) ? Text{"[s+{}]", *copy.shared} : Text{"[%r1+{}]", *copy.shared};
}

std::string CopyWriter::barrier_address(DrawnCopy& copy) {
  copy.barrier = 8 * static_cast<std::int64_t>(below(4));
  return below(2) ? Text{"[bar+{}]", *copy.barrier} : Text{"[%r2+{}]", *copy.barrier};
}

std::string CopyWriter::mask_operand(DrawnCopy& copy) {
  copy.has_mask = true;
  const std::uint64_t all = copy.mask_bits == 32 ? 0xffffffff : 0xffff;
  const char* kind = copy.mask_bits == 32 ? "b32" : "b16";
  const std::string name = Text{"%{}{}", copy.mask_bits == 32 ? "r" : "h", 40 + registers_++};
  const std::uint64_t value = 1 + below(all);
  switch (below(3)) {
    case 0:
      before_ += Text{"mov.{} {}, {:#x};\n", kind, name, value};
      copy.mask = value;
      copy.known = all;
      break;
    case 1:  // its own bit in any case, of the others nothing is known
      before_ += Text{"ld.param.{0} {1}, [p{2}];\nor.{0} {1}, {1}, {3:#x};\n", kind, name,
                      copy.mask_bits == 32 ? "r" : "h", value};
      copy.mask = copy.known = value;
      break;
    default: before_ += Text{"ld.param.{} {}, [p{}];\n", kind, name, copy.mask_bits == 32 ? "r" : "h"};
  }
  return name;
}

void CopyWriter::tensor(DrawnCopy& copy) {
  struct Mode {
    const char* name;
    int first_rank, last_rank, coordinates;  // 0: as the rank
    int offsets;                             // -1: rank - 2
  };
  const std::vector<Mode> loads = {{"tile", 1, 5, 0, 0},
                                   {"im2col", 3, 5, 0, -1},
                                   {"im2col::w", 3, 5, 0, 2},
                                   {"im2col::w::128", 3, 5, 0, 2},
                                   {"tile::gather4", 2, 2, 5, 0}};
  const std::vector<Mode> stores = {{"tile", 1, 5, 0, 0},
                                    {"im2col_no_offs", 3, 5, 0, 0},
                                    {"im2col_no_offs::w", 3, 5, 0, 0},
                                    {"tile::scatter4", 2, 2, 5, 0}};
  copy.direction = static_cast<TmaDirection>(below(4));
  const bool is_load = copy.direction == TmaDirection::load, is_prefetch = copy.direction == TmaDirection::prefetch;
  const Mode& mode = pick(is_load || is_prefetch ? loads : stores);
  copy.mode = mode.name;
  copy.rank =
      mode.first_rank + static_cast<int>(below(static_cast<std::uint64_t>(mode.last_rank - mode.first_rank + 1)));
  const int offset_count = mode.offsets < 0 ? copy.rank - 2 : mode.offsets;
  const std::string coordinates =
      list(numbers(mode.coordinates == 0 ? copy.rank : mode.coordinates, 32, true), copy.coordinates);
  const std::string offsets = offset_count == 0 ? "" : ", " + list(numbers(offset_count, 16, false), copy.offsets);
  const std::string map = Text{"[%rd0, {}]", coordinates};
  const bool has_policy = below(3) == 0;
  const std::string hint = has_policy ? ".L2::cache_hint" : "", policy = has_policy ? ", %rd3" : "";
  const std::string form = copy.mode + " " + std::string(to_string(copy.direction));
  if (is_load) {
    const std::string to = pick({"shared::cta", "shared::cluster"});
    copy.forms = {copy.mode == "tile" || copy.mode == "im2col" ? form : form + " to " + to};
    std::string more, mask;
    if (to == "shared::cluster" && below(2)) {
      copy.mask_bits = below(4) == 0 ? 32 : 16;
      more +=
          copy.mask_bits == 32 ? ".multicast::cluster::32b" : pick({".multicast::cluster", ".multicast::cluster::16b"});
      mask = ", " + mask_operand(copy);
      copy.forms.push_back((copy.mask_bits == 32 ? "multicast::cluster::32b load to " : "multicast load to ") + to);
    }
    if (below(4) == 0) {
      copy.cta_group = 1 + static_cast<int>(below(2));
      more += Text{".cta_group::{}", copy.cta_group};
      copy.forms.push_back("cta_group load to " + to);
    }
    const std::string shared = shared_address(copy), barrier = barrier_address(copy);
    copy.statement = Text{"cp.async.bulk.tensor.{}d.{}.global.{}.mbarrier::complete_tx::bytes{}{} {}, {}, {}{}{}{};",
                          copy.rank,
                          to,
                          copy.mode,
                          more,
                          hint,
                          shared,
                          map,
                          barrier,
                          offsets,
                          mask,
                          policy};
    return;
  }
  copy.forms = {form};
  if (is_prefetch) {
    copy.statement = Text{
        "cp.async.bulk.prefetch.tensor.{}d.L2.global.{}{} {}{}{};", copy.rank, copy.mode, hint, map, offsets, policy};
    return;
  }
  if (copy.direction == TmaDirection::reduce) copy.operation = reduce_operations[below(8)];
  copy.statement = Text{"cp{}.async.bulk.tensor.{}d.global.shared::cta{}.{}.bulk_group{} {}, {}{};",
                        copy.operation.empty() ? "" : ".reduce",
                        copy.rank,
                        copy.operation.empty() ? "" : "." + copy.operation,
                        copy.mode,
                        hint,
                        map,
                        shared_address(copy),
                        policy};
}

void CopyWriter::bulk(DrawnCopy& copy) {
  const Operand size = number(32, false);
  copy.bytes = size.number;
  const bool has_policy = below(3) == 0;
  const std::string hint = has_policy ? ".L2::cache_hint" : "", policy = has_policy ? ", %rd3" : "";
  switch (below(6)) {
    case 0: {  // load
      const bool ignores = below(3) == 0;
      const std::string to = ignores ? "shared::cta" : pick({"shared::cta", "shared::cluster"});
      copy.forms = {std::string("bulk ") + (ignores ? "ignore_oob " : "") + "load to " + to};
      std::string more = ignores ? ".ignore_oob" : "", mask, ignored;
      if (ignores)
        for (const Operand& one : numbers(2, 32, false)) {
          ignored += ", " + one.text;
          copy.ignored.push_back(one.number);
        }
      if (to == "shared::cluster" && below(2)) {
        copy.mask_bits = below(4) == 0 ? 32 : 16;
        more += copy.mask_bits == 32 ? ".multicast::cluster::32b" : ".multicast::cluster";
        mask = ", " + mask_operand(copy);
        copy.forms.push_back(
            (copy.mask_bits == 32 ? "bulk multicast::cluster::32b load to " : "bulk multicast load to ") + to);
      }
      const std::string shared = shared_address(copy), barrier = barrier_address(copy);
      copy.statement = Text{"cp.async.bulk.{}.global.mbarrier::complete_tx::bytes{}{} {}, [%rd1], {}{}, {}{}{};",
                            to,
                            more,
                            hint,
                            shared,
                            size.text,
                            ignored,
                            barrier,
                            mask,
                            policy};
      return;
    }
    case 1: {  // store
      copy.direction = TmaDirection::store;
      copy.has_byte_mask = below(2) == 0;
      const std::string multimem = below(3) == 0 ? "multimem." : "";
      copy.forms = {(multimem.empty() ? "bulk " : "multimem bulk ") +
                    std::string(copy.has_byte_mask ? "cp_mask " : "") + "store"};
      std::string mask;
      if (copy.has_byte_mask) {
        const Operand bytes = number(16, false);
        copy.byte_mask = bytes.number;
        mask = ", " + bytes.text;
      }
      const std::string used_hint = multimem.empty() ? hint : "", used_policy = multimem.empty() ? policy : "";
      copy.statement = Text{"{}cp.async.bulk.global.shared::cta.bulk_group{}{} [%rd1], {}, {}{}{};",
                            multimem,
                            used_hint,
                            copy.has_byte_mask ? ".cp_mask" : "",
                            shared_address(copy),
                            size.text,
                            used_policy,
                            mask};
      return;
    }
    case 2: {  // reduction
      copy.direction = TmaDirection::reduce;
      const std::string operation = reduce_operations[below(8)];
      const std::string type = operation == "and" || operation == "or" || operation == "xor" ? "b32" : "u32";
      copy.operation = operation + "." + type;
      copy.forms = {"bulk reduce"};
      copy.statement = Text{"cp.reduce.async.bulk.global.shared::cta.bulk_group{}.{}.{} [%rd1], {}, {}{};",
                            hint,
                            operation,
                            type,
                            shared_address(copy),
                            size.text,
                            policy};
      return;
    }
    case 3: {  // reduction to another CTA
      copy.direction = TmaDirection::reduce;
      copy.operation = "inc.u32";
      copy.forms = {"bulk reduce to shared::cluster"};
      const std::string shared = shared_address(copy), barrier = barrier_address(copy);
      copy.statement = Text{
          "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc.u32 [%r3], "
          "{}, {}, {};",
          shared, size.text, barrier};
      return;
    }
    case 4: {  // copy to another CTA
      copy.direction = TmaDirection::copy;
      copy.forms = {"bulk copy to shared::cluster"};
      const std::string shared = shared_address(copy), barrier = barrier_address(copy);
      copy.statement = Text{"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r3], {}, {}, {};",
                            shared, size.text, barrier};
      return;
    }
    default:
      copy.direction = TmaDirection::prefetch;
      copy.forms = {"bulk prefetch"};
      copy.statement = Text{"cp.async.bulk.prefetch.L2.global{} [%rd1], {}{};", hint, size.text, policy};
  }
}

DrawnCopy CopyWriter::draw() {
  DrawnCopy copy;
  if (below(3) == 0) bulk(copy);
  else tensor(copy);
  copy.before = before_;
  return copy;
}

std::string kernel_of(const DrawnCopy& copy, const std::string& target, const std::string& directives) {
  return Text{
      ".version 9.5\n.target {}\n.address_size 64\n"
      ".visible .entry k(.param .align 64 .b8 m[128], .param .u64 g, .param .u32 pr, .param .u16 ph) {}\n{{\n"
      ".reg .b16 %h<90>; .reg .b32 %r<90>; .reg .b64 %rd<9>;\n"
      ".shared .align 1024 .b8 s[4096]; .shared .align 8 .b8 bar[32];\n"
      "mov.b64 %rd0, m; cvta.param.u64 %rd0, %rd0; ld.param.u64 %rd1, [g]; mov.b64 %rd3, 0;\n"
      "mov.u32 %r1, s; mov.u32 %r2, bar; mapa.shared::cluster.u32 %r3, %r1, 1;\n{}{}\nret;\n}}\n",
      target, directives, copy.before, copy.statement};
}

namespace {

std::string differs(const char* what) { return Text{"{} differs", what}; }

bool are_equal(const std::vector<std::optional<std::int64_t>>& drawn, const std::vector<SiteNumber>& read) {
  return std::ranges::equal(drawn, read, {}, {}, &SiteNumber::number);
}

std::optional<std::int64_t> offset_of(const std::optional<SiteAddress>& address, std::string_view symbol) {
  if (!address || address->symbol != symbol || !address->offset) return std::nullopt;
  return address->offset->count;
}

}  // namespace

std::string difference(const DrawnCopy& drawn, const TmaSite& site) {
  if (site.direction != drawn.direction) return differs("the direction");
  if (site.rank != drawn.rank) return differs("the rank");
  if (site.mode != drawn.mode) return differs("the mode");
  if (site.operation != drawn.operation) return differs("the operation");
  if (site.forms != drawn.forms) return differs("the form");
  if (site.cta_group != drawn.cta_group) return differs("the cta_group");
  if (!are_equal(drawn.coordinates, site.coordinates)) return differs("a coordinate");
  if (!are_equal(drawn.offsets, site.offsets)) return differs("an offset");
  if (!are_equal(drawn.ignored, site.ignored)) return differs("what is ignored");
  if (site.shared.has_value() != drawn.shared.has_value() || offset_of(site.shared, "s") != drawn.shared)
    return differs("the shared address");
  if (site.barrier.has_value() != drawn.barrier.has_value() || offset_of(site.barrier, "bar") != drawn.barrier)
    return differs("the barrier");
  if ((site.bytes ? std::optional(site.bytes->count) : std::nullopt) != drawn.bytes) return differs("the bytes");
  if (site.multicast != drawn.has_mask || site.mask.has_value() != drawn.has_mask) return differs("the multicast");
  if (site.mask && (site.mask->word.word != drawn.mask || site.mask->word.known != drawn.known ||
                    site.mask->bits != drawn.mask_bits))
    return differs("the mask");
  if (site.byte_mask.has_value() != drawn.has_byte_mask ||
      (site.byte_mask && site.byte_mask->number != drawn.byte_mask))
    return differs("the mask of bytes");
  return "";
}

const std::vector<ReaderFault> reader_faults = {
    {"the mask is lost",
     [](TmaSite& site) {
       const bool had = site.mask.has_value();
       site.mask.reset();
       return had;
     }},
    {"a mask that is partly known is taken for known",
     [](TmaSite& site) {
       if (!site.mask || site.mask->is_known()) return false;
       site.mask->word.known = low_mask(site.mask->bits);
       return true;
     }},
    {"the mask has 16 bits",
     [](TmaSite& site) {
       if (!site.mask || site.mask->bits == 16) return false;
       site.mask->bits = 16;
       return true;
     }},
    {"every form is a tile",
     [](TmaSite& site) {
       if (site.rank == 0 || site.mode == "tile") return false;
       site.mode = "tile";
       return true;
     }},
    {"every reduction adds",
     [](TmaSite& site) {
       if (site.operation.empty() || site.operation.starts_with("add")) return false;
       site.operation = "add";
       return true;
     }},
    {"the rows of a gather are left out",
     [](TmaSite& site) {
       if (site.coordinates.size() != 5 || site.rank != 2) return false;
       site.coordinates.resize(2);
       return true;
     }},
    {"coordinates are slowest first",
     [](TmaSite& site) {
       const auto before = site.coordinates;
       std::ranges::reverse(site.coordinates);
       return !std::ranges::equal(before, site.coordinates, {}, &SiteNumber::number, &SiteNumber::number);
     }},
    {"coordinates are unsigned",
     [](TmaSite& site) {
       for (SiteNumber& one : site.coordinates)
         if (one.number && *one.number < 0) {
           *one.number &= 0xffffffff;
           return true;
         }
       return false;
     }},
    {"what is not known is 0",
     [](TmaSite& site) {
       for (SiteNumber& one : site.coordinates)
         if (!one.number) {
           one.number = 0;
           return true;
         }
       return false;
     }},
    {"offsets are lost",
     [](TmaSite& site) {
       const bool had = !site.offsets.empty();
       site.offsets.clear();
       return had;
     }},
    {"the barrier is the operand before it",
     [](TmaSite& site) {
       if (!site.barrier) return false;
       site.barrier = site.shared;
       return true;
     }},
    {"a copy to another CTA is a load",
     [](TmaSite& site) {
       if (site.direction != TmaDirection::copy) return false;
       site.direction = TmaDirection::load;
       return true;
     }},
    {"the mask of bytes is lost",
     [](TmaSite& site) {
       const bool had = site.byte_mask.has_value();
       site.byte_mask.reset();
       return had;
     }},
};

}  // namespace swz
