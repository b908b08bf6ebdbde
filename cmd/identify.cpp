// SPDX-License-Identifier: Apache-2.0
// swz identify DUMP: the tile in a dump of shared memory or of registers, or the mistake that was made in writing it.
#include "view/identify/identify.hpp"

#include "base/text.hpp"
#include "dump_request.hpp"
#include "identify/content_search.hpp"
#include "identify/fill_source.hpp"
#include "operand_request.hpp"
#include "view/identify/identify_registers.hpp"

namespace swz {
namespace {

struct Request {
  std::string dump;
  TileRequest tile;
  std::string expected;
  std::optional<DumpForm> form;
  Bytes address;
  bool has_address = false;
  int number_bits = 0;  // 0: those of the element
  bool makes = false;
  std::string of;  // empty: a tile in shared memory
  std::optional<Operand> operand;
  int threads = 0;  // 0: the dump gives them
};

Options options_of(Request& r) {
  return {
      argument("DUMP", r.dump, "a file, @- for standard input: bytes, .npy, hexadecimal, gdb's x/ and print, numbers")
          .file(),
      dtype_option(r.tile.dtype).by_default("f16").noting(r.tile.has_dtype),
      option("--tile", "MNxK", r.tile.extents, "rows and K of the tile").in("elements").required(),
      slots_option(r.tile.stated),
      option("--expect", "FILE|iota|values|codes", r.expected,
             "what the tile holds, row by row: element i is i as bits, or as a value, or i in several passes; or the "
             "bytes of FILE")
          .by_default_note("each that explains the dump: bits and values of i, of an arange, of row and k"),
      option("--address", "BYTES", r.address, "shared-memory address of the dump's first byte")
          .in("bytes")
          .by_default_note("taken from the text, otherwise a multiple of 1,024")
          .noting(r.has_address),
      dump_form_option(r.form),
      number("--number-bits", "BITS", r.number_bits, 1, 64, "width of each number, if its text does not show it")
          .by_default_note("that of an element"),
      one_of<bool>("--make", "LANGUAGE", r.makes, {{"cuda", true}},
                   "print CUDA source that fills a tile so that one dump identifies it, and writes that dump")
          .excluding({"--of"}),
      option("--of", "fragment|tmem|NAME", r.of,
             "DUMP is registers by thread: find the fragment, or what tensor memory holds, or the mistake if they "
             "should hold NAME")
          .by_default_note("shared memory")
          .excluding({"--address", "--number-bits"}),
      one_of<Operand>("--operand", "OPERAND", r.operand,
                      {{"a", Operand::a},
                       {"b", Operand::b},
                       {"c", Operand::c},
                       {"d", Operand::d},
                       {"sfa", Operand::sfa},
                       {"sfb", Operand::sfb}},
                      "operand of NAME; sfa, sfb: scale factors of A and B")
          .needing({"--of"}),
      number("--threads", "N", r.threads, 32, 1024,
             "DUMP is words of 32 bits, thread after thread, of this many threads")
          .by_default_note("those that DUMP names")
          .needing({"--of"})};
}

LogicalTile expected_tile(const Request& r, const ElementType& type, const Context& context) {
  const TileExtents extents = *r.tile.extents;
  if (r.expected == "iota") return iota_tile(type, extents);
  if (r.expected == "values") {
    const auto contents = numbered_contents(*r.tile.dtype, extents, TileContent::As::values);
    return contents.empty() ? iota_tile(type, extents) : content_tile(type, extents, contents.front()).value();
  }
  if (r.expected == "codes") return code_tile(type, extents);
  const std::string text = read_dump_file(r.expected, context);
  if (is_npy(bytes_of(text))) return tile_of_array(type, extents, read_npy(bytes_of(text)));
  return tile_of_bytes(type, extents, bytes_of(text));
}

// The tile that was given; none if the dump shows what it contains.
std::optional<LogicalTile> given_tile(const Request& r, const ElementType& type, const Context& context) {
  return r.expected.empty() ? std::nullopt : std::optional(expected_tile(r, type, context));
}

std::string input_text(const Request& r, const DumpText& dump, const SharedDump& shared) {
  return fmt::format("{} of {}, {} B at {:#x}{}", to_string(dump.form), dump_name(r.dump), shared.size(),
                     shared.address().count, shared.passes() == 1 ? "" : fmt::format(", {} passes", shared.passes()));
}

RegisterMeaning meaning_of(const Request& r) {
  if (r.of == "fragment" || r.of == "tmem") {
    if (r.operand)
      throw usage_error("--operand needs the name of a fragment", "give it with --of NAME, as swz frag takes it");
    return {r.of == "tmem", "", ""};
  }
  const bool is_input = r.operand == Operand::a || r.operand == Operand::b;
  const Fragment meant = find_fragment({r.of, is_input ? std::string(r.tile.dtype->name) : "", r.operand, ""});
  const bool is_scale = r.operand == Operand::sfa || r.operand == Operand::sfb;
  // A, B, C and D of a block-scaled MMA are those of the MMA of its shape. C has the same layout as D.
  return {false, is_scale ? meant.name : meant.name.substr(0, meant.name.find(".kind::")),
          !r.operand ? "" : std::string(to_string(r.operand == Operand::c ? Operand::d : *r.operand))};
}

Answer answer_registers(const Request& r, const Context& context) {
  const RegisterMeaning meaning = meaning_of(r);
  if (r.form && r.threads == 0)
    throw usage_error("--as is for words without thread numbers", "give the number of threads with --threads");
  const ElementType type = register_element(*r.tile.dtype);
  const auto expected = given_tile(r, type, context);
  std::vector<RegisterDump> readings;
  {
    const std::string text = read_dump_file(r.dump, context);
    readings = read_register_meanings(bytes_of(text), expected ? expected->passes : 1, r.threads, r.form, *r.tile.dtype,
                                      type.slot_bits());
  }
  std::vector<RegisterAnswer> all;
  if (expected) all.push_back(identify_given(readings, *expected, meaning));
  else all = identify_contents(readings, *r.tile.dtype, *r.tile.extents, meaning);
  RegisterAnswer first = std::move(all.front());
  all.erase(all.begin());
  const RegisterDump& dump = readings[first.reading];
  const int exit_code = first.found.is_exact ? 0 : 1;
  return {view_registers({std::move(first.expected), std::string(r.tile.dtype->name),
                          fmt::format("{} of {}, {} threads x {}{}", dump.form, dump_name(r.dump), dump.threads,
                                      plural(dump.registers, "register"),
                                      dump.passes == 1 ? "" : fmt::format(", {} passes", dump.passes)),
                          dump.first_thread, std::move(first.found),
                          expected ? std::nullopt : std::optional(first.content), std::move(all), dump}),
          exit_code};
}

Answer answer_tile(const Request& r, const ElementType& type, const Context& context) {
  const auto expected = given_tile(r, type, context);
  std::vector<DumpText> texts;
  {
    const std::string text = read_dump_file(r.dump, context);
    // Numbers of another width than the elements are not their values.
    if (r.number_bits == 0) texts = read_dump_meanings(bytes_of(text), type.slot_bits(), *r.tile.dtype, r.form);
    else texts.push_back(read_dump(bytes_of(text), r.number_bits, r.form));
  }
  std::vector<SharedDump> dumps;
  std::vector<DumpReading> readings;
  dumps.reserve(texts.size());
  for (const DumpText& text : texts) {
    dumps.emplace_back(text.bytes, r.has_address ? r.address : text.address.value_or(Bytes{0}),
                       expected ? expected->passes : 1, context.arch);
    readings.push_back({&dumps.back(), text.meaning});
  }
  std::vector<TileAnswer> all;
  if (expected) all.push_back(identify_given(readings, *expected));
  else all = identify_contents(readings, type, *r.tile.extents);
  TileAnswer first = std::move(all.front());
  all.erase(all.begin());
  const SharedDump& shared = dumps[first.reading];
  std::vector<IndexRange> unowned;
  if (first.found.tile) unowned = unowned_bytes(shared, *first.found.tile);
  std::vector<std::int64_t> in_place;
  if (const auto compared = compared_tile(first.found); compared && !first.found.is_exact)
    in_place = chunks_in_place(shared, first.expected, *compared);
  const int exit_code = first.found.is_exact ? 0 : 1;
  return {view_identify({std::move(first.expected), input_text(r, texts[first.reading], shared), shared.address(),
                         std::move(first.found), std::move(unowned), &target_of(r.tile, context),
                         expected ? std::nullopt : std::optional(first.content), std::move(all), std::move(in_place)}),
          exit_code};
}

Answer answer(const Request& r, const Context& context) {
  const TileExtents extents = *r.tile.extents;
  const ElementType type{*r.tile.dtype, r.tile.packing()};
  const Bytes window = smem_window(context.arch);
  if (extents.mn < 1 || extents.k < 1 || extents.mn > window.count * 8 || extents.k > window.count * 8 ||
      extents.mn * extents.k > window.count * 8 / type.slot_bits())
    throw Error(fmt::format("a tile of {} {} does not fit into {} B of shared memory", to_string(extents),
                            r.tile.dtype->name, window.count),
                "take a smaller tile");
  if (r.makes) {
    Document d;
    d.source = fill_source(type, extents);
    return {d};
  }
  if (r.dump.empty()) throw usage_error("no dump given", "a file, or - for standard input");
  if (!r.of.empty()) return answer_registers(r, context);
  return answer_tile(r, type, context);
}

}  // namespace

Commands identify_commands() {
  return {{.name = "identify",
           .summary = "the tile or fragment in a dump, or the mistake made; exit 1 when not exact",
           .details = R"(Finds a tile in a dump: the byte at which it begins, its swizzle mode, major and
stacking order, its layout from the dump's first byte, the descriptor words that
read it, and the TMA box that makes it. Without --expect, element i may hold the
number i, as bits or as a value that the type rounds, an arange of any start and
step, or codes of row and k; the answer lists all of these that explain the
dump. If values repeat, the answer lists what they leave open.

If no canonical tile has every element in place, the answer is the nearest one,
the first element that differs, and the mistake that explains all of them:
tile-relative-swizzle, other-mode, element-unit-swizzle, pitch, transposed,
strides-exchanged, chunk-order, stale, byte-order or wrong-lane.

With --of, DUMP is registers by thread: 'thread 5: 0x00010000 0x00090008', or '5
1 17' (thread, register, value), JSON, .npy of threads x registers, or with
--threads words of 32 bits. The answer is the fragment that they hold, as 'swz
frag' names it, or what tensor memory holds ('swz tmem d'). Numbers may be
values as %f prints them, one for each element. --of NAME names the fragment
that they should hold; its mistakes are transposed, register-order,
element-order, warp-order, other-fragment, wrong-lane, wrong-warp and stale.

The dump's first byte lies on a multiple of 1,024 B unless --address or the text
says otherwise. -f svg and the other picture formats draw the tile.)",
           .examples = {{"swz identify @dump.txt --dtype bf16 --tile 8x64", "a tile filled with its element numbers"},
                        {"swz identify @registers.txt --of fragment --dtype bf16 --tile 16x16",
                         "registers that a kernel printed"},
                        {"swz identify --make cuda --dtype e4m3 --tile 128x128", "how to fill and dump a tile"}},
           .next = {{"Where should each element lie?", "place {--dtype,--tile,--slots}"}},
           .prepare = [] { return prepare(options_of, answer); }}};
}

}  // namespace swz
