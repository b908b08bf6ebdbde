// SPDX-License-Identifier: Apache-2.0
// swz banks: the wavefronts of accesses to an operand, or of one instruction with raw addresses.
#include "view/banks/banks.hpp"

#include "base/number.hpp"
#include "expr/evaluate.hpp"
#include "highlight.hpp"
#include "operand_request.hpp"
#include "smem/swizzle_find.hpp"

namespace swz {

namespace {

struct Request {
  OperandRequest operand;
  std::vector<AccessText> accesses;
  bool lists_accesses = false;
  std::optional<Layout> tv;
  std::optional<TileExtents> tv_tile;
  Words compare;                                   // compared with the first operand
  std::optional<std::vector<std::int64_t>> lanes;  // their addresses, lane 0 first
  std::optional<std::uint32_t> active;
  std::string highlight;  // the number of wavefronts depends on the answer
  bool shows_counters = false;
};

std::vector<std::int64_t> lane_addresses(const std::string& text) {
  std::vector<std::int64_t> addresses;
  for (const std::string& word : entries_of(text, ", \t\n")) {
    const std::uint64_t address = parse_unsigned(
        word, 64,
        {"byte addresses with commas between them, lane 0 first: 0,16,32,48", "shared-memory addresses have 32 bits"});
    addresses.push_back(static_cast<std::int64_t>(std::min<std::uint64_t>(address, INT64_MAX)));
  }
  return addresses;
}

Options options_of(Request& r) {
  Option access =
      option("--access", "ACCESS", r.accesses, "access: 'st.shared.b128 rows', transpose, …; list shows all")
          .repeated(limits::accesses)
          .by_default_note("ldmatrix.x4");
  access.set = [&r](const std::string& text) {
    if (text == "list") r.lists_accesses = true;
    else read_value(text, r.accesses);
  };
  Option compare{"--compare", "VARIANTS", "placements to compare with: 'linear;Sw<3,4,3>;pad 16;64B'",
                 [&r](const std::string& text) {
                   r.compare = pieces_of(text, ";");
                   require_within(limits::compared_variants, static_cast<std::int64_t>(r.compare.size()));
                 }};
  return operand_options(r.operand) +
         Options{std::move(access),
                 option("--tv", "LAYOUT", r.tv, "layout (thread,value) -> row + k * rows, for ld and st"),
                 option("--tv-tile", "MNxK", r.tv_tile, "the tile of --tv, repeated over the operand")
                     .in("elements")
                     .needing({"--tv"})
                     .by_default_note("all of it"),
                 std::move(compare),
                 option("--lanes", "ADDRESSES", r.lanes, "raw addresses instead of an operand, lane 0 first: 0,16,32",
                        lane_addresses)
                     .in("bytes")
                     .excluding({"--tile", "--layout", "--swizzle", "--compare", "--tv", "--tv-tile"}),
                 number("--active", "MASK", r.active, 0, 0xffffffff, "mask of the lanes that execute the instruction")
                     .needing({"--lanes"})
                     .by_default_note("those of --lanes"),
                 option("--highlight", "WHAT", r.highlight,
                        "mark cells of the picture: 'lanes 0-7; wavefronts 0; banks 4-7'"),
                 flag("--counters", r.shows_counters, "the counters of Nsight Compute too, as --full shows them")};
}

// --- raw addresses

RawBanksReport raw_report(const Request& r, const Target& target) {
  const AccessInstruction& instruction = require_access(r.accesses.front().text);
  const std::size_t given = r.lanes->size();
  const std::uint32_t all = given >= warp_lanes ? 0xffffffffU : (std::uint32_t{1} << given) - 1;
  const AccessPattern pattern = access_pattern(instruction, *r.lanes, r.active.value_or(all), target);
  return {&target, wavefront_report(pattern, target), static_cast<int>(given), false, r.accesses.front().text};
}

// --- an operand

std::vector<Access> accesses_of(const Request& r) {
  std::vector<AccessText> texts = r.accesses;
  if (texts.empty()) read_value(r.tv ? "ld.shared" : "ldmatrix.x4", texts);
  std::vector<Access> out;
  for (const AccessText& text : texts)
    for (Access access : text.accesses) {
      if (r.tv && !text.has_order() && access.order != WalkOrder::matrices) access.order = WalkOrder::tv;
      out.push_back(access);
    }
  return out;
}

// "Sw<3,4,3>"; none if the text has another form.
std::optional<Swizzle> swizzle_in(const std::string& text) {
  if (!text.starts_with("Sw<") && !text.starts_with("S<")) return std::nullopt;
  const Value value = evaluate(text).value;
  const auto* swizzle = std::get_if<Swizzle>(&value);
  return swizzle == nullptr ? std::nullopt : std::optional(*swizzle);
}

// The first operand with another swizzle: its layout without its own, or the lines of a tile in order.
PlacedOperand unswizzled(const std::string& name, const PlacedOperand& first, const Swizzle& bytes) {
  const Layout& layout = first.tile ? linear_layout(first.placement) : first.layout.layout();
  return placed_layout(name, ComposedLayout::smem_ptr(bytes, first.placement.element_bits(), layout), first);
}

PlacedOperand padded(const std::string& name, const PlacedOperand& first) {
  const std::int64_t bytes = read_number(name.substr(name.find(' ') + 1), 0, 4096);
  const std::int64_t element = first.placement.element_bits();
  if (bytes * 8 % element != 0)
    throw usage_error(fmt::format("the padding must be whole elements of {} bits", element),
                      "give the bytes after each line: pad 16");
  const Layout& layout = first.layout.layout();
  const auto line = line_mode(layout);
  const std::int64_t padding = bytes * 8 / element;
  return placed_layout(name, line ? padded(layout, *line, padding) : linear_layout(first.placement, padding), first);
}

PlacedOperand variant_of(const std::string& text, const PlacedOperand& first, const OperandRequest& operand) {
  if (const auto swizzle = swizzle_in(text)) return unswizzled(text, first, *swizzle);
  if (text.starts_with("pad ")) return padded(text, first);
  return placed_beside(text.starts_with("mode ") ? text.substr(5) : text, first, operand);
}

WalkedOperand walked(PlacedOperand operand, const std::vector<Access>& accesses,
                     const std::optional<ThreadValueLayout>& tv, const Target& target) {
  WalkedOperand out{std::move(operand), {}};
  for (const Access& access : accesses) out.walks.push_back(walk(out.operand.placement, access, target, tv));
  return out;
}

// The accesses line after line; none if that is not possible.
std::optional<WavefrontTotal> linear_total(const PlacedOperand& first, const std::vector<Access>& accesses,
                                           const std::optional<ThreadValueLayout>& tv, const OperandRequest& operand,
                                           const Target& target) {
  WavefrontTotal total;
  try {
    for (const Walk& w : walked(variant_of("linear", first, operand), accesses, tv, target).walks) total += w;
  } catch (const Error&) {
    return std::nullopt;
  }
  return total;
}

BanksReport operand_report(const Request& r, const Target& target) {
  const PlacedOperand first = placed_operand(r.operand, target);
  std::optional<ThreadValueLayout> tv;
  if (r.tv) tv = ThreadValueLayout{*r.tv, r.tv_tile.value_or(first.placement.extents())};
  BanksReport report{&target, &dtype_of(r.operand), {}};
  report.variants.push_back(walked(first, accesses_of(r), tv, target));
  // Accesses without a width have the width of the first operand in every variant.
  std::vector<Access> settled;
  for (const Walk& w : report.variants.front().walks) settled.push_back(w.access);
  for (const std::string& text : r.compare) {
    try {
      report.variants.push_back(walked(variant_of(text, first, r.operand), settled, tv, target));
    } catch (const Error& error) {
      report.impossible.push_back(lint("impossible-variant", fmt::format("{}: {}", text, error.message()), error.hint,
                                       to_string(Source{"swz banks --access list", Evidence::derived})));
    }
  }
  if (first.tile && first.tile->swizzle().family == SwizzleFamily::none)
    report.linear = linear_total(first, settled, tv, r.operand, target);
  // If no variant is possible, the first reason is the error.
  if (report.variants.size() == 1 && !report.impossible.empty())
    throw usage_error(report.impossible.front().message, report.impossible.front().hint);
  return report;
}

Answer answer(const Request& asked, const Context& context) {
  const Request r = with_layout(asked, &Request::operand);
  if (r.lists_accesses) return {view_access_list()};
  if (r.lanes && r.accesses.size() != 1)
    throw usage_error("raw addresses need one --access",
                      "for example --access ld.shared.b128; --access list shows them");
  const Target& target = r.lanes ? context.target() : target_of(r.operand.tile, context);
  const auto view = [&](auto report) {
    report.asks_counters = r.shows_counters;
    return view_banks(report, parse_highlight(r.highlight, [&] { return highlight_kinds(report); }));
  };
  Document document = r.lanes ? view(raw_report(r, target)) : view(operand_report(r, target));
  const bool has = has_lints(document);
  if (!r.lanes) document = with_form(std::move(document), r.operand, dtype_of(r.operand), context);
  return {std::move(document), 0, has};
}

}  // namespace

Commands banks_commands() {
  return {
      {.name = "banks",
       .summary = "the bank conflicts of an access pattern: wavefronts, ideal, colliding lanes",
       .details = R"(Counts the wavefronts that shared memory needs for every warp instruction that
reads or writes an operand, next to the ideal: the number without collisions.
The worst instruction is shown lane by lane, with its banks. Conflicts are
lints: --strict makes the exit code 1.

ldmatrix and stmatrix go through the operand as a loop of MMAs does. ld.shared,
st.shared, cp.async and atomics (red.shared.add.u32) go by rows, by columns, in
the order of GMEM (gmem), or by a layout (thread,value) -> row + k * rows
(--tv); 'transpose' writes rows and reads columns. --access list shows all.

--compare repeats the accesses in other placements: linear (line after line,
without a swizzle), Sw<B,M,S> (that swizzle on the bytes of linear), 'pad N' (N
bytes of padding after each line), a swizzle mode (none means core matrices), or
a layout. Impossible placements are listed; the others are compared.

--highlight marks cells of the picture by lane, wavefront and bank; the others
turn faint.

--lanes takes the byte addresses of one instruction instead of an operand.

An atomic serves the lanes that share a word one at a time. Its ideal is the
largest number of lanes that share one word: this is contention, which no
swizzle removes. The answer also shows the count if the warp combines its lanes
first. ATOMS.POPC.INC.32, which ptxas takes to add the constant 1, serves them
at once.

The rule was measured on H200: it explains the profiler's counts of 2,750 of
2,750 patterns. The rule of atomics was measured on H100, at 97 of 97 places.)",
       .examples =
           {{"swz banks --dtype bf16 --tile 128x64 --swizzle 128B --access ldmatrix.x4 --compare 'linear;pad 16'",
             "what a swizzle and padding achieve"},
            {"swz banks --layout '(32,32):(32,1)' --dtype f32 --access transpose", "write rows, read columns"},
            {"swz banks --layout '(16,8):(8,1)' --access ld.shared --tv '((4,8),(2,2)):((32,1),(16,8))'",
             "by a thread-value layout"},
            {"swz banks --access ld.shared.b128 --lanes 0,16,32,48,1024", "raw addresses, lane 0 first"}},
       .next =
           {{"Which swizzle is without conflicts?",
             "swizzle find {?operand} {--dtype,--tile,--major,--slots,--kind,--layout,--shape} --reads {=--access}"},
            {"Where does each chunk lie?", "place {?operand} {operand}"},
            {"Which words does an MMA need?", "desc {?operand} {!--layout} {operand}"},
            {"What does Nsight Compute count?",
             "banks {operand} {--access,--tv,--tv-tile,--lanes,--active} --counters"}},
       .prepare = [] { return prepare(options_of, answer); }}};
}

}  // namespace swz
