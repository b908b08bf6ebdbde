// SPDX-License-Identifier: Apache-2.0
#include "descriptor/smem_descriptor.hpp"

#include <fmt/format.h>

#include <bit>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

const DescriptorFormat& format_for(const Target& target) {
  if (target.descriptor != SmemDescriptorKind::none) return smem_format(target);
  throw Error(fmt::format("{} does not read 64-bit SMEM descriptors", target.name),
              fmt::format("wgmma: {}; tcgen05: {}", join_and(target_names(SmemDescriptorKind::wgmma)),
                          join_and(target_names(SmemDescriptorKind::tcgen05))));
}

SmemReading read(std::uint64_t word, const Target& target) {
  const SmemDescriptor descriptor(word, target);
  return {descriptor, lint(descriptor)};
}

std::string fit(const SmemReading& reading) {
  std::vector<std::string> names;
  for (const Finding& finding : reading.findings)
    if (finding.severity == Severity::format) names.push_back(finding.rule);
  return names.empty() ? "fits" : "breaks " + join_and(names);
}

// ---- properties of a word that the rules use

using D = SmemDescriptor;

bool is_legal(const D& d) { return d.swizzle() != nullptr; }
bool is_swizzled(const D& d) { return is_legal(d) && d.swizzle()->bits > 0; }
bool is_plain(const D& d) { return is_legal(d) && d.swizzle()->bits == 0; }
bool has_chunk_16(const D& d) { return is_legal(d) && d.swizzle()->family == SwizzleFamily::chunk_16; }
bool is_tcgen05(const D& d) { return d.kind() == SmemDescriptorKind::tcgen05; }

std::int64_t start(const D& d) { return d.start_address().count; }
std::int64_t lbo(const D& d) { return d.leading_byte_offset().count; }
std::int64_t sbo(const D& d) { return d.stride_byte_offset().count; }
std::int64_t atom(const D& d) { return d.swizzle()->atom().count; }
std::int64_t span(const D& d) { return d.swizzle()->span.count; }

std::string address(std::int64_t a) { return fmt::format("{:#x} ({} B)", a, a); }

std::string atom_text(const D& d) {
  const SwizzleMode& mode = *d.swizzle();
  return fmt::format("{} B atom ({} lines of {} B)", atom(d), mode.lines, span(d));
}

// What SBO steps over for either major: "groups of 8 rows (K-major) or groups of 8 k (MN-major)".
std::string stepped(const D& d) {
  const SwizzleFamily family = d.swizzle()->family;
  return fmt::format("{} (K-major) or {} (MN-major)", stride_roles(Major::K, family).group,
                     stride_roles(Major::MN, family).group);
}

// Bytes from the last place at which the pattern has phase 0 to the start. The base offset moves that place by lines.
std::int64_t offset_in_pattern(const D& d) {
  const std::int64_t pattern = d.swizzle()->pattern().count;
  return (start(d) + pattern - bank_row.count * d.base_offset() % pattern) % pattern;
}

// Whether the operand starts in the first line of the atom.
bool starts_in_first_line(const D& d) { return offset_in_pattern(d) < span(d); }

// A dense MMA reads 32 bytes of K from every row.
constexpr std::int64_t k_bytes = 32;

// A tcgen05.cp of 128 bits per row (scale factors, metadata) reads one chunk of each row and never uses LBO: CuTe
// writes 16 B, DeepGEMM writes 0.
bool may_be_one_chunk_copy(const D& d) {
  return is_tcgen05(d) && is_plain(d) && !d.absolute_lbo() && sbo(d) == atom(d) && lbo(d) <= chunk.count;
}

// True for tiles whose SBO really is 16 atoms: K-major, stacked k-first, with 16 atoms along K; LBO is not used.
bool may_stack_16_along_k(const D& d) { return has_chunk_16(d) && lbo(d) <= chunk.count; }

bool is_sbo_in_bytes(const D& d) { return is_legal(d) && sbo(d) == 16 * atom(d); }

// Whether the 32 bytes of K that a dense MMA reads of the first row run past the end of the line.
bool passes_span(const D& d) {
  return has_chunk_16(d) && !d.absolute_lbo() && starts_in_first_line(d) && offset_in_pattern(d) + k_bytes > span(d);
}

// ---- the rules

Advice tell_swizzle_code(const D& d) {
  std::vector<std::string> legal;
  for (const SwizzleMode& mode : swizzle_modes())
    if (const auto code = mode.code(d.kind())) legal.push_back(fmt::format("{} {}", *code, mode.name));
  return {fmt::format("swizzle code {} is illegal", d.raw(FieldId::swizzle)),
          fmt::format("legal codes: {}; wgmma and TMA number the modes differently", join_and(legal))};
}

Advice tell_off_pattern(const D& d) {
  const std::int64_t pattern = d.swizzle()->pattern().count;
  const bool has_base_offset = (d.base_offset() & d.swizzle()->line_mask()) != 0;
  const std::string_view right = has_base_offset ? "what TMA wrote is read right with base offset 0"
                                                 : "right only if the writer swizzles by absolute address, as TMA does";
  const std::string move =
      d.swizzle()->family == SwizzleFamily::chunk_32
          ? fmt::format("must move to a multiple of {} B (no base offset is documented for 128B_32B)", pattern)
      : start(d) % bank_row.count < span(d)
          ? fmt::format("needs base offset {} (address >> 7 & 7)", (start(d) >> 7) & 7)  // the documented formula

          : "must move to a multiple of 128 B, for the base offset counts lines of 128 B";
  return {fmt::format("the start address {} with base offset {} lies {} B past a {} B pattern boundary, outside the "
                      "first {} B line of the atom",
                      address(start(d)), d.base_offset(), offset_in_pattern(d), pattern, span(d)),
          fmt::format("{}; a tile that begins here {}; a K-advance stays below {} B, then goes to the next k atom",
                      right, move, span(d))};
}

Advice tell_stride_overlap(const D& d) {
  const bool shifted_twice = sbo(d) * 16 == atom(d);
  return {fmt::format("SBO is {} B, less than the {}: successive {} start inside each other", sbo(d), atom_text(d),
                      stepped(d)),
          fmt::format("packed atoms need SBO {} B, field {}{}", atom(d), atom(d) / 16,
                      shifted_twice ? "; was it shifted by 4 twice?" : "")};
}

Advice tell_in_bytes(std::string_view name, const D& d) {
  return {fmt::format("the {} field holds {}, the size of the atom in bytes; it means {} x 16 = {} B, 16 times the {}",
                      name, atom(d), atom(d), 16 * atom(d), atom_text(d)),
          fmt::format("the field counts 16 bytes: store {} >> 4 = {}", atom(d), atom(d) / 16)};
}

Advice tell_leading_ignored(const D& d) {
  const bool is_short = may_pass_span(*d.swizzle());
  std::string message = fmt::format("LBO ({} B) is ignored in mode {} when the operand is K-major{}", lbo(d),
                                    d.swizzle()->name, is_short ? " and the MMA dense" : "");
  if (lbo(d) == 0) message += fmt::format("; MN-major it must not be 0 beyond one block of {} B", span(d));
  return {message, is_short ? fmt::format("B of a sparse MMA has rows of {} B: after each {} B of K LBO is stepped "
                                          "over (wgmma, measured on H200)",
                                          longest_k.count, span(d))
                            : ""};
}

Advice tell_absolute_xor(const D& d) {
  const auto bits = static_cast<std::uint64_t>(d.swizzle()->byte_swizzle().read_mask());
  return {fmt::format("the swizzle reads the absolute shared-memory address ({} {}), after all offsets",
                      d.swizzle()->bits == 1 ? "bit" : "bits", bit_ranges(bits)),
          ""};
}

Advice tell_k_advance(const D& d) {
  const std::int64_t offset = offset_in_pattern(d);
  return {fmt::format("the start lies {} B inside the first {} B line of its atom: {} the base offset does not change",
                      offset, span(d),
                      passes_span(d) ? "too far for the 32 B of K of a K-major operand;" : "a K-advance when K-major;"),
          fmt::format("MN-major: right when all rows of the MMA lie in the {} B that are left of the line",
                      span(d) - offset)};
}

constexpr Source format_doc{"PTX ISA 9.1, 9.7.15.5.1.2.2 and 9.7.16.4.1"};
constexpr Source version_doc{"PTX ISA 9.1, 9.7.16.4.1 table 40"};
constexpr Source lbo_mode_doc{"PTX ISA 9.1, 9.7.16.3.1.2"};
constexpr Source lbo_mode_targets{"PTX ISA 9.1, 9.7.16.3.1.2, and 9.4, table 49"};
constexpr Source words_of_107{"PTX ISA 9.4, table 49"};
constexpr Source measured{"H200, 4608 wgmma descriptors; swz verify", Evidence::measured};
constexpr Source strides_doc{"PTX ISA 9.1, 9.7.15.5.1.2.1 and 9.7.16.3"};
constexpr Source arithmetic{"14-bit field of 16-byte units; packed atoms", Evidence::derived};
constexpr Source smem_size{"swz arch targets", Evidence::derived};
constexpr Source line_end{"H200: a k chunk lies 16 B after the one before", Evidence::derived};
constexpr Source tvm{"TVM notes on B200", Evidence::claimed};

using enum Severity;

// clang-format off
constexpr DescriptorRule<D> rules[] = {
    {"reserved-bits", format, "bits that must be 0 are set",
     [](const D& d) { return d.reserved_set() != 0; },
     [](const D& d) { return Advice{fmt::format("bits that {} keeps 0 are set: {}", d.format().name,
          bit_ranges(d.reserved_set())),
        reserved_hint(d) + (is_tcgen05(d) ? "" : "; the H200 ignores them, another target may "
          "not")}; }, format_doc},
    {"version-missing", format, "tcgen05: version bit 46 is 0",
     [](const D& d) { return d.has(FieldId::version) && d.raw(FieldId::version) == 0; },
     [](const D& d) { return Advice{"the version bit 46 is 0; tcgen05 wants 0b001 in bits 46-48",
        fmt::format("set bit 46: {}; a word for wgmma is read with --arch sm_90a", hex64(d.word() | (1ULL <<
          46)))}; }, version_doc},
    {"version-unknown", format, "tcgen05: bits 46-48 are not 0b001",
     [](const D& d) { return d.raw(FieldId::version) > 1; },
     [](const D& d) { return Advice{fmt::format("the version in bits 46-48 is 0b{:03b}; tcgen05 wants 0b001",
          d.raw(FieldId::version)),
        "an SBO stored without >> 4 spills into bits 46 and 47"}; }, version_doc},
    {"swizzle-code", format, "no swizzle mode has this code",
     [](const D& d) { return !is_legal(d); }, tell_swizzle_code, format_doc},
    {"absolute-lbo-target", format, "absolute LBO mode outside sm_103a and sm_107a",
     [](const D& d) { return d.absolute_lbo() && !d.target().has_absolute_lbo; },
     [](const D& d) { return Advice{fmt::format("bit 52 asks for an absolute LBO, which {} does not have",
          d.target().name),
        "it exists on sm_103a and sm_107a only: --arch sm_103a, or clear bit 52"}; }, lbo_mode_targets},
    {"absolute-lbo-swizzle", lint, "absolute LBO mode in a mode other than 128B",
     [](const D& d) { return d.absolute_lbo() && is_legal(d) && d.swizzle()->name != "128B"; },
     [](const D& d) { return Advice{fmt::format("absolute LBO with swizzle mode {}; it works with 128B only",
          d.swizzle()->name),
        "use mode 128B with 16-byte atoms, or a relative LBO"}; }, lbo_mode_doc},
    {"absolute-lbo-base-offset", lint, "absolute LBO mode with a base offset",
     [](const D& d) { return d.absolute_lbo() && d.base_offset() != 0; },
     [](const D& d) { return Advice{fmt::format("absolute LBO with base offset {}; it must be 0", d.base_offset()),
        "place the tile on a multiple of 1024 B"}; }, lbo_mode_doc},
    {"absolute-lbo-address", lint, "absolute LBO past the end of shared memory",
     [](const D& d) { return d.absolute_lbo() && d.leading_byte_offset() >= d.target().smem_window(); },
     [](const D& d) { return Advice{fmt::format("the second K chunk at {} lies outside the {} B of shared memory "
          "of {}", address(lbo(d)), d.target().smem_window().count, d.target().name),
        "LBO holds an address >> 4 in this mode"}; }, smem_size},
    {"start-outside", lint, "start address past the end of shared memory",
     [](const D& d) { return d.start_address() >= d.target().smem_window(); },
     [](const D& d) { return Advice{fmt::format("the start address {} lies outside the {} B of shared memory of {}",
          address(start(d)), d.target().smem_window().count, d.target().name),
        "the field holds the shared-memory address >> 4; was the shift forgotten, or a generic address "
          "used?"}; }, smem_size},
    {"start-off-pattern", lint, "start address not in the first line of a pattern, and no base offset for it",
     [](const D& d) { return is_swizzled(d) && !starts_in_first_line(d); }, tell_off_pattern, measured},
    // LBO 16 is what CuTe writes into the words of swizzled K-major operands; for MN-major it would make blocks
    // overlap.
    {"k-advance-past-span", lint, "the 32 B of K an MMA reads run past the end of the line",
     [](const D& d) { return passes_span(d) && lbo(d) == chunk.count; },
     [](const D& d) { return Advice{fmt::format("the start is {} B into a {} B line: the {} B of K that a dense "
          "MMA reads run past its end", offset_in_pattern(d), span(d), k_bytes),
        "K-major: step to the next k atom, not along the line"}; }, line_end},
    {"base-offset-unused", lint, "base offset in mode none",
     [](const D& d) { return is_plain(d) && d.base_offset() != 0; },
     [](const D& d) { return Advice{fmt::format("base offset {} has no effect in swizzle mode none",
          d.base_offset()),
        "set it to 0"}; }, measured},
    {"stride-zero", lint, "SBO is 0",
     [](const D& d) { return is_legal(d) && sbo(d) == 0; },
     [](const D& d) { return Advice{fmt::format("SBO is 0: all {} coincide", stepped(d)),
        fmt::format("packed atoms need SBO {} B, field {}; only an operand of one group can do without", atom(d),
          atom(d) / 16)}; }, strides_doc},
    {"stride-overlap", lint, "SBO is smaller than the atom",
     [](const D& d) { return is_legal(d) && sbo(d) > 0 && sbo(d) < atom(d); }, tell_stride_overlap, strides_doc},
    // With an LBO of one atom, SBO of 16 atoms is any tile with 16 atoms along its fast direction.
    {"stride-in-bytes", lint, "SBO is 16 times the atom, LBO that of no packed tile: a forgotten >> 4",
     [](const D& d) { return is_sbo_in_bytes(d) && lbo(d) != atom(d) && !may_stack_16_along_k(d); },
     [](const D& d) { return tell_in_bytes("SBO", d); }, arithmetic},
    {"leading-zero", lint, "LBO is 0 in mode none, which uses it",
     [](const D& d) { return is_plain(d) && !d.absolute_lbo() && lbo(d) == 0 && !may_be_one_chunk_copy(d); },
     [](const D&) { return Advice{"LBO is 0, and mode none uses it: the two k chunks (K-major) or the two groups "
          "of 8 k (MN-major) of an MMA coincide",
        "128 B when the core matrices are packed along K; 16 B x rows when they are packed along rows "
          "first"}; }, strides_doc},
    {"leading-overlap", lint, "LBO is smaller than the core matrix in mode none",
     [](const D& d) { return is_plain(d) && !d.absolute_lbo() && lbo(d) > 0 && lbo(d) < atom(d) &&
          !may_be_one_chunk_copy(d); },
     [](const D& d) { return Advice{fmt::format("LBO is {} B, less than the {} of mode none: core matrices overlap",
          lbo(d), atom_text(d)),
        "mode none wants core matrices of 8 x 16 contiguous bytes, 128 B or more apart"}; }, strides_doc},
    // With an SBO of one atom, LBO of 16 atoms is a packed tile of 128 rows or 128 k: not a lint.
    {"leading-in-bytes", lint, "LBO is 16 times the atom: a forgotten >> 4",
     [](const D& d) { return is_legal(d) && !d.absolute_lbo() && lbo(d) == 16 * atom(d) && sbo(d) > atom(d); },
     [](const D& d) { return tell_in_bytes("LBO", d); }, arithmetic},

    {"bits-of-107", note, "bits that only sm_107 has",
     [](const D& d) { return bits_of_107(d) != 0; }, [](const D& d) { return tell_bits_of_107(d); }, words_of_107},
    {"major", note, "the major is not in the word",
     [](const D& d) { return is_legal(d) && !d.absolute_lbo(); },
     [](const D& d) { return Advice{is_tcgen05(d) ? "the major is not in this word but in bits 15 and 16 of the "
          "instruction descriptor" : "the major is not in this word but in the instruction (imm-trans-a, "
          "imm-trans-b)", ""}; }, strides_doc},
    {"leading-ignored", note, "LBO is ignored by swizzled K-major operands of dense MMAs",
     [](const D& d) { return has_chunk_16(d) && !d.absolute_lbo(); }, tell_leading_ignored, measured},
    {"one-chunk-copy", note, "LBO 0 or 16 in mode none: a copy of 16 bytes per row, or wrong",
     may_be_one_chunk_copy,
     [](const D& d) { return Advice{fmt::format("LBO is {}: fine for a tcgen05.cp of one 16-byte chunk per row (scale "
          "factors, metadata), which does not use it; wrong for an MMA operand, whose two k chunks would {}", lbo(d),
          lbo(d) == 0 ? "coincide" : "overlap"),
        fmt::format("'swz tmem cp 32x128b.warpx4 --word {}' shows the copy; an MMA wants 128 B when the core matrices are "
          "packed along K", hex64(d.word()))}; }, {"DeepGEMM scale-factor copies; CuTe's utccp descriptors",
          Evidence::header}},
    {"stride-of-16-atoms", note, "SBO is 16 times the atom: stacked k-first, or a forgotten >> 4",
     [](const D& d) { return is_sbo_in_bytes(d) && may_stack_16_along_k(d); },
     [](const D& d) { return Advice{fmt::format("SBO is {} B, 16 times the {}: a K-major tile with 16 atoms along "
          "K, {} B, stacked k-first; or a forgotten >> 4: the field holds {}, the size of the atom in bytes",
          sbo(d), atom_text(d), 16 * span(d), atom(d)),
        fmt::format("atoms stacked mn-first: store {} >> 4 = {}", atom(d), atom(d) / 16)}; }, arithmetic},
    {"k-advance", note, "start address inside the first line of its atom",
     [](const D& d) { return is_swizzled(d) && starts_in_first_line(d) && offset_in_pattern(d) > 0; },
     tell_k_advance, measured},
    {"base-offset", note, "what the base offset does",
     [](const D& d) { return is_swizzled(d) && d.base_offset() != 0; },
     [](const D& d) { return Advice{fmt::format("base offset {} is subtracted from the number of the 128-byte "
          "line: the pattern starts at line {} (mod {})", d.base_offset(), d.base_offset() &
          d.swizzle()->line_mask(), d.swizzle()->line_mask() + 1), ""}; }, measured},
    {"absolute-address", note, "the XOR takes bits of the absolute address (wgmma)",
     [](const D& d) { return is_swizzled(d) && !is_tcgen05(d); }, tell_absolute_xor, measured},
    {"absolute-address", note, "the XOR takes bits of the absolute address (tcgen05)",
     [](const D& d) { return is_swizzled(d) && is_tcgen05(d); }, tell_absolute_xor, tvm},
    {"k-major-disputed", note, "whether 128B_32B takes K-major operands is disputed",
     [](const D& d) { return is_legal(d) && d.swizzle()->family == SwizzleFamily::chunk_32; },
     [](const D&) { return Advice{"whether a K-major operand can have mode 128B_32B is disputed; MN-major tf32 has "
          "it",
        "K-major: PTX table 54 (9.7.16.10.3) allows all swizzle modes, table 55 lists no K-major atom of this "
          "mode, and CUTLASS has none; nothing here was measured"}; }, {"PTX ISA 9.1, 9.7.16.10.3 table 54 against "
          "table 55", Evidence::claimed}},
};
// clang-format on

}  // namespace

SmemDescriptor::SmemDescriptor(std::uint64_t word, const Target& target)
    : DescriptorWord(word, format_for(target), target) {}

SmemDescriptor SmemDescriptor::encode(const SmemDescriptorValues& values, const Target& target) {
  const DescriptorFormat& format = format_for(target);
  const SwizzleMode& mode = *values.swizzle;
  const std::optional<int> code = mode.code(target.descriptor);
  if (!code)
    throw Error(fmt::format("{} has no swizzle mode {}", target.name, mode.name),
                "128B_32B exists in the tcgen05 descriptor only");
  if (values.absolute_lbo && !target.has_absolute_lbo)
    throw Error(fmt::format("{} has no absolute LBO mode", target.name), "it exists on sm_103a and sm_107a only");

  std::uint64_t word = 0;
  const auto put = [&](FieldId id, std::uint64_t raw) { word = with_field(word, format, id, raw); };
  for (const auto& [id, value] : {std::pair{FieldId::start_address, values.start_address.count},
                                  {FieldId::leading_byte_offset, values.leading_byte_offset.count},
                                  {FieldId::stride_byte_offset, values.stride_byte_offset.count},
                                  {FieldId::base_offset, std::int64_t{values.base_offset}}})
    put(id, raw_of(*format.find(id), value));
  put(FieldId::swizzle, static_cast<std::uint64_t>(*code));
  if (const FieldRow* version = format.find(FieldId::version)) put(FieldId::version, version->usual);
  if (values.absolute_lbo) put(FieldId::lbo_mode, 1);
  if (values.b_segment.count != 0)
    put(FieldId::b_segment, raw_of(*tcgen05_smem_format_107.find(FieldId::b_segment), values.b_segment.count));
  return SmemDescriptor(word, target);
}

DecodedField decoded_field(const SmemDescriptor& descriptor, const FieldRow& row) {
  DecodedField field = descriptor.number_field(row);
  if (row.id == FieldId::lbo_mode) field.value = std::string(descriptor.absolute_lbo() ? "absolute" : "relative");
  if (row.id != FieldId::swizzle) return field;
  const SwizzleMode* mode = descriptor.swizzle();
  if (mode) field.value = std::string(mode->name);
  field.meaning = mode == nullptr   ? "an illegal code"
                  : mode->bits == 0 ? "no swizzle: core matrices of 8 x 16 B"
                                    : fmt::format("atom of {} x {} B, {} on byte addresses", mode->lines,
                                                  mode->span.count, to_string(mode->byte_swizzle()));
  return field;
}

SmemDecoding decode_smem(std::uint64_t word, const Target* target) {
  if (target) return {{read(word, *target)}, ""};

  // Bits that both formats keep 0 do not decide between them.
  const std::uint64_t shared = word & wgmma_smem_format.reserved_mask() & tcgen05_smem_format.reserved_mask();
  const auto decisive = [&](const Target& t) { return read(word & ~shared, t); };
  const SmemReading wgmma = decisive(default_target());
  const SmemReading sm_100a = decisive(swz::sm_100a());
  const SmemReading sm_103a = decisive(require_target("sm_103a"));
  const SmemReading& tcgen05 = sm_103a.broken() < sm_100a.broken() ? sm_103a : sm_100a;

  SmemDecoding decoding;
  decoding.why = fmt::format("bit 46 is {}, bit 61 is {}: as wgmma the word {}, as tcgen05 it {}", (word >> 46) & 1,
                             (word >> 61) & 1, fit(wgmma), fit(tcgen05));
  if (shared != 0) decoding.why += fmt::format("; bits {}, which both keep 0, do not decide", bit_ranges(shared));
  const bool fits_one = (wgmma.broken() == 0) != (tcgen05.broken() == 0);
  for (const SmemReading& reading : {wgmma, tcgen05})
    if (!fits_one || reading.broken() == 0) decoding.readings.push_back(read(word, reading.descriptor.target()));
  const SmemReading sm_107a = read(word, require_target("sm_107a"));
  const SmemReading& last = decoding.readings.back();
  if (is_tcgen05(last.descriptor) && last.broken() > 0 && sm_107a.broken() == 0) {
    decoding.why += fmt::format("; {} {} a meaning on sm_107 only", bits_text(word & only_on_107(tcgen05_smem_format)),
                                std::popcount(word & only_on_107(tcgen05_smem_format)) == 1 ? "has" : "have");
    decoding.readings.push_back(sm_107a);
  }
  return decoding;
}

std::span<const DescriptorRule<SmemDescriptor>> smem_rules() { return rules; }

std::vector<Finding> lint(const SmemDescriptor& descriptor) { return findings(smem_rules(), descriptor); }

}  // namespace swz
