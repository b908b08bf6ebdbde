#include <fmt/format.h>

#include "base/text.hpp"
#include "view/figure.hpp"
#include "view/tile.hpp"

namespace swz {

namespace {

std::string numbers_text(const std::vector<int>& values) {
  std::vector<std::string> names;
  for (const int value : values) names.push_back(std::to_string(value));
  return join_and(names);
}

Json count_json(const PhaseCount& count) { return {{"wrong", count.wrong.count}, {"bytes", count.of.count}}; }

std::string count_text(const PhaseCount& count) {
  const std::string all = fmt::format("{} of {} B", count.wrong.count, count.of.count);
  return count.wrong == count.of ? "all: " + all : count.wrong.count == 0 ? "none: " + all : all;
}

Tone count_tone(const PhaseCount& count) { return count.wrong.count == 0 ? Tone::good : Tone::bad; }

void add_position(Document& d, const Phase& p) {
  const SwizzleMode& mode = *p.mode;
  const bool is_plain = mode.bits == 0;
  d.field("swizzle", "mode", mode.name,
          is_plain ? "none  no pattern: every base has phase 0"
                   : fmt::format("{}  {} on byte addresses, repeats every {} B", mode.name,
                                 to_string(mode.byte_swizzle()), mode.pattern().count));
  d.field("base", "base", p.base.count,
          fmt::format("{:#x} = {}, line {}", p.base.count, p.base.count, p.base.count / bank_row.count));
  d.json("pattern_bytes", mode.pattern().count);
  const std::int64_t rest = p.bytes.count % bank_row.count;
  d.field("phase_bytes", "phase", p.bytes.count,
          p.is_aligned() ? "0  the pattern begins at the base"
                         : fmt::format("{} B after the beginning of the pattern: {} of 128 B{}", p.bytes.count,
                                       plural(p.lines(), "line"), rest == 0 ? "" : fmt::format(" and {} B", rest)),
          p.is_aligned() ? Tone::good : Tone::accent);
  d.json("phase_lines", p.lines()).json("aligned", p.is_aligned());
  const std::string nearest = fmt::format("{:#x} and {:#x}", p.below.count, p.above.count);
  d.field("below", p.is_aligned() ? "" : "aligned at", p.below.count, nearest);
  d.json("above", p.above.count);
}

std::string element_at(const SmemTile& tile, Bytes address) {
  const auto at = tile.at(address);
  return at ? fmt::format(", element ({}, {})", at->row, at->k) : "";
}

void add_wrong(Document& d, const Phase& p, const std::optional<SmemTile>& tile) {
  d.line("absolute", "TMA, and an MMA with base offset 0: they agree at every base", Tone::good);
  d.add(Paragraph{"a reader or writer that counts from the tile's own beginning", Tone::strong});
  d.field("pattern", "wrong in one pattern", count_json(p.over_pattern), count_text(p.over_pattern),
          count_tone(p.over_pattern));
  if (p.over_tile)
    d.field("tile", "wrong in the tile", count_json(*p.over_tile), count_text(*p.over_tile),
            count_tone(*p.over_tile));
  else d.json("tile", nullptr);
  if (!p.first_wrong) {
    d.json("first_wrong", nullptr);
    return;
  }
  const MisplacedChunk& m = *p.first_wrong;
  d.field("first_wrong", "first",
          {{"offset", m.offset.count}, {"lies_at", m.lies_at.count}, {"looked_for", m.looked_for.count}},
          fmt::format("offset {}{}: lies at {:#x}, looked for at {:#x}", m.offset.count,
                      tile ? element_at(*tile, m.lies_at) : "", m.lies_at.count, m.looked_for.count));
}

void add_base_offsets(Document& d, const Phase& p) {
  const Json documented = p.documented_base_offset;
  d.json(
      "base_offsets",
      {{"absolute", p.absolute_base_offsets}, {"relative", p.relative_base_offsets}, {"documented", documented}});
  d.add(Paragraph{"base offset of the descriptor (bits 49-51)", Tone::strong});
  d.line("absolute data", numbers_text(p.absolute_base_offsets));
  if (!p.relative_base_offsets.empty()) {
    d.line("tile-relative data",
           p.mode->bits == 0 ? numbers_text(p.relative_base_offsets) + ": it has no effect"
                             : fmt::format("{}; PTX: ({:#x} >> 7) & 7 = {}", numbers_text(p.relative_base_offsets),
                                           p.base.count, p.documented_base_offset));
    return;
  }
  d.line("tile-relative data",
         "none: the base is not a multiple of 128 B, and the base offset counts lines of 128 B", Tone::bad);
}

Notes notes(const Phase& p) {
  Notes out{"notes"};
  const SwizzleMode& mode = *p.mode;
  if (!p.is_aligned())
    out.add(
        note("move-the-tile",
             fmt::format("at {:#x} or {:#x} absolute and tile-relative are the same", p.below.count, p.above.count),
             fmt::format("align the buffer to {} B: extern __shared__ __align__({})", mode.pattern().count,
                         mode.pattern().count),
             ""));
  if (!p.stays_inside())
    out.add(
        note("spills",
             fmt::format("the XOR moves chunks inside aligned lines of {} B: {} B at {:#x} occupy {:#x} to {:#x}",
                         mode.span.count, p.size.count, p.base.count, p.lowest.count, p.end.count - 1),
             fmt::format("a multiple of {} B keeps the bytes inside", mode.span.count), ""));
  if (mode.bits != 0 && !p.base.is_multiple_of(bank_row))
    out.add(note("tma-alignment", "TMA cannot write here: its shared-memory address is a multiple of 128 B", "",
                 "PTX ISA 9.1, 9.7.9.27 (documented)"));
  if (mode.family == SwizzleFamily::chunk_32)
    out.add(note("not-run",
                 "base offset in mode 128B_32B: neither documented nor measured, taken as in the other modes", "",
                 ""));
  return out;
}

// One cell for each chunk of a pattern, "2.5": chunk 5 of line 2 of the tile.
void put(Grid& grid, std::int64_t first_line, Bytes at, Bytes offset, Mark mark, const std::string& tip) {
  const std::int64_t line = at.count / bank_row.count - first_line;
  const std::int64_t position = at.count % bank_row.count / chunk.count;
  const std::int64_t in_line = offset.count % bank_row.count / chunk.count;
  grid.squares[static_cast<std::size_t>(line)][static_cast<std::size_t>(position)] = {
      fmt::format("{}.{}", offset.count / bank_row.count, in_line), {static_cast<int>(in_line), 0}, mark, tip};
}

Figure figure(const Phase& p) {
  const SwizzleMode& mode = *p.mode;
  // An XOR inside lines keeps the bytes in these.
  const std::int64_t first = p.base.count / bank_row.count;
  const std::int64_t count = (p.base.count + pattern_shown(mode).count - 1) / bank_row.count - first + 1;
  Grid lies = smem_lines("where the chunks lie: XOR of the address", "line\\bank", first, count);
  Grid looked = smem_lines("where a tile-relative reader looks for them", "line\\bank", first, count);
  bool has_wrong = false;
  for (std::int64_t i = 0; i < pattern_shown(mode).count; i += chunk.count) {
    const Bytes offset{i}, there = absolute_byte(mode, p.base, offset), here = relative_byte(mode, p.base, offset);
    const bool is_wrong = there != here;
    has_wrong = has_wrong || is_wrong;
    const std::string tip =
        fmt::format("offset {}\nlies at {:#x}\nlooked for at {:#x}", i, there.count, here.count);
    put(lies, first, there, offset, Mark::none, tip);
    put(looked, first, here, offset, is_wrong ? Mark::colliding : Mark::none, tip);
  }
  Figure out;
  out.title = fmt::format("mode {} at {:#x}", mode.name, p.base.count);
  out.panels = {{std::move(lies), std::move(looked)}};
  out.caption = "2.5 is chunk 5 of line 2, counted from the base before the XOR; colour: the chunk in that line";
  if (has_wrong) out.legend.push_back({"another chunk lies there", {}, Mark::colliding});
  return out;
}

}  // namespace

Document view_phase(const Phase& p, const std::optional<SmemTile>& tile) {
  Document d(tile ? fmt::format("{} {} {} at {:#x}, mode {}", tile->dtype().name, to_string(tile->extents()),
                                to_string(tile->major()), p.base.count, p.mode->name)
                  : fmt::format("a tile at {:#x}, mode {}", p.base.count, p.mode->name));
  add_position(d, p);
  add_wrong(d, p, tile);
  add_base_offsets(d, p);
  d.json("lowest", p.lowest.count).json("highest", p.end.count - 1);
  d.add(drawing([p] { return figure(p); }));
  d.add(notes(p));
  return d;
}

}  // namespace swz
