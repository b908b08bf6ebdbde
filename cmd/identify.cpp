// swz identify DUMP: which tile a dump of shared memory holds, or which mistake was made in writing it.
#include "view/identify.hpp"

#include <sys/stat.h>

#include "files.hpp"
#include "identify/dump_text.hpp"
#include "identify/fill_source.hpp"
#include "operand_request.hpp"

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
};

Options options_of(Request& r) {
  return {argument("DUMP", r.dump, "a file, @- for standard input: bytes, .npy, hexadecimal, gdb's x/ and print, numbers").file(),
          dtype_option(r.tile.dtype).by_default("f16").noting(r.tile.has_dtype),
          option("--tile", "MNxK", r.tile.extents, "rows and K of the tile").in("elements").required(),
          slots_option(r.tile.stated),
          option("--expect", "FILE|iota|codes", r.expected,
                 "what the tile holds, row after row: element i is i, i in several passes, or the bytes of FILE")
              .by_default("iota"),
          option("--address", "BYTES", r.address, "shared-memory address of the dump's first byte")
              .in("bytes")
              .by_default_note("what the text says, else a multiple of 1,024")
              .noting(r.has_address),
          one_of<DumpForm>("--as", "FORM", r.form,
                           {{"bytes", DumpForm::bytes},
                            {"npy", DumpForm::npy},
                            {"gdb", DumpForm::gdb},
                            {"hex", DumpForm::hex},
                            {"numbers", DumpForm::numbers}},
                           "the form of DUMP")
              .by_default_note("recognised"),
          number("--number-bits", "BITS", r.number_bits, 1, 64, "the width of a number that does not show it")
              .by_default_note("that of an element"),
          one_of<bool>("--make", "LANGUAGE", r.makes, {{"cuda", true}},
                       "print a source that fills a tile so that one dump decides, and writes the dump")};
}

// Whole; refused by its size before it is read.
std::string read_whole(const std::string& name, const Context& context, const Limit& limit) {
  const std::string path = name.starts_with('@') ? name.substr(1) : name;
  struct stat file = {};
  if (path != "-" && stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode)) require_within(limit, file.st_size);
  return read_text(path, context,
                   {static_cast<std::size_t>(limit.most), limit.what, "DUMP names a file; - is standard input"});
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

LogicalTile expected_tile(const Request& r, const ElementType& type, const Context& context) {
  const TileExtents extents = *r.tile.extents;
  if (r.expected == "iota") return iota_tile(type, extents);
  if (r.expected == "codes") return code_tile(type, extents);
  const std::string text = read_whole(r.expected, context, limits::dump_bytes);
  if (is_npy(bytes_of(text))) return tile_of_array(type, extents, read_npy(bytes_of(text)));
  return tile_of_bytes(type, extents, bytes_of(text));
}

std::string input_text(const Request& r, const DumpText& dump, const SharedDump& shared) {
  const std::string name = r.dump == "-" || r.dump == "@-" ? "standard input" : r.dump;
  return fmt::format("{} of {}, {} B at {:#x}{}", to_string(dump.form), name, shared.size(), shared.address().count,
                     shared.passes() == 1 ? "" : fmt::format(", {} passes", shared.passes()));
}

Answer answer(const Request& r, const Context& context) {
  const TileExtents extents = *r.tile.extents;
  const ElementType type{*r.tile.dtype, r.tile.packing()};
  const Bytes window = largest_smem_window();
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
  const LogicalTile expected = expected_tile(r, type, context);
  DumpText dump;
  {
    const std::string text = read_whole(r.dump, context, limits::dump_bytes);
    dump = read_dump(bytes_of(text), r.number_bits != 0 ? r.number_bits : type.slot_bits(), r.form);
  }
  const SharedDump shared(dump.bytes, r.has_address ? r.address : dump.address.value_or(Bytes{0}), expected.passes);
  TileIdentification found = identify_tile(shared, expected);
  std::vector<IndexRange> unowned;
  if (found.tile) unowned = unowned_bytes(shared, *found.tile);
  const int exit_code = found.is_exact ? 0 : 1;
  return {view_identify({expected, input_text(r, dump, shared), shared.address(), std::move(found), std::move(unowned),
                         &target_of(r.tile, context)}),
          exit_code};
}

}  // namespace

Commands identify_commands() {
  return {{.name = "identify",
           .summary = "the tile in a dump of shared memory, or the mistake made; exit 1 when not exact",
           .details = R"(Finds where in a dump a tile lies, and how: swizzle mode, major, stacking order
and the byte at which it begins; its layout from the dump's first byte, the
descriptor words that read it, the TMA box that makes it. The tile holds what
--expect says, in logical order; values may repeat. What the data leave open is
listed.

If no canonical tile has every element in place, the answer is the nearest one,
the first element that differs, and the mistake that explains all of them:
tile-relative-swizzle, other-mode, other-unit, pitch, transposed,
strides-exchanged, chunk-order, stale, byte-order or wrong-lane.

The dump's first byte lies on a multiple of 1,024 B unless --address or the text
says otherwise. -f svg and the other picture formats draw the tile.)",
           .examples = {{"swz identify @dump.txt --dtype bf16 --tile 8x64", "a tile filled with its element numbers"},
                        {"swz identify --make cuda --dtype e4m3 --tile 128x128", "how to fill and dump a tile"}},
           .prepare = [] { return prepare(options_of, answer); }}};
}

}  // namespace swz
