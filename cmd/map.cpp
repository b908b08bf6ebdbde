// swz map WORD: the bytes that an MMA reads of one operand, and whether a tile put its elements there.
#include "view/map.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "descriptor/word.hpp"
#include "expr/evaluate.hpp"
#include "options.hpp"
#include "smem/legality.hpp"
#include "tile_options.hpp"
#include "words.hpp"

namespace swz {
namespace {

struct Request {
  std::string word, mma, operand, start, against, at;
  TileOptions tile;  // dtype, major, slots and base; those of --against begin with them
};

std::optional<OperandRole> role_of(const Request& request) {
  if (request.operand.empty()) return std::nullopt;
  return request.operand == "a" ? OperandRole::a : OperandRole::b;
}

// The word, in the format of --arch or the one it fits.
SmemDescriptor descriptor_of(const Request& request, const Common& common, std::vector<Finding>& remarks) {
  const std::uint64_t word = parse_word64(request.word);
  const Target* target = common.arch.empty() ? nullptr : &require_target(common.arch);
  const SmemDecoding decoding = decode_smem(word, target);
  const SmemDescriptor& descriptor = decoding.readings.front().descriptor;
  if (target == nullptr)
    remarks.push_back(note("reading", fmt::format("read for {}: {}", descriptor.target().name, decoding.why),
                           "--arch chooses the format"));
  if (request.start.empty()) return descriptor;
  const std::uint64_t start = parse_word64(request.start);
  const BitField field = descriptor.format().find(FieldId::start_address)->bits;
  const std::uint64_t scale = static_cast<std::uint64_t>(chunk.count);
  if (start % scale != 0 || start / scale > field.max())
    throw usage(fmt::format("--start {} has no place in the start address", request.start),
                fmt::format("multiples of 16 up to {:#x}", field.max() * scale));
  return SmemDescriptor(with_field(word, descriptor.format(), FieldId::start_address, start / scale),
                        descriptor.target());
}

bool is_tile_options(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  return first != std::string::npos && text[first] == '-';
}

// Words as in a shell: --tile 128x64 --swizzle 128B
TileOptions parse_tile_options(const std::string& text, const TileOptions& defaults) {
  TileOptions options = defaults;
  CLI::App app;
  app.set_help_flag();
  add_tile_options(app, options);
  try {
    parse(app, words_of_line(text), "map");
  } catch (const Error& error) {
    throw usage("in --against: " + error.message(), error.hint);
  }
  return options;
}

StoredOperand stored_operand(const Request& request, int element_bits, const Target& target) {
  if (is_tile_options(request.against))
    return swz::stored_operand(tile_of(parse_tile_options(request.against, request.tile), target));
  return swz::stored_operand(parse_layout(request.against), element_bits, parse_base(request.tile.base));
}

// "64,16", a row and a k.
std::optional<TileCoordinate> parse_at(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto comma = text.find_first_of(",x");
  if (comma == std::string::npos || comma == 0 || comma + 1 == text.size())
    throw usage(fmt::format("cannot read --at {}", swz::quoted(text)), "the first row and k of the block: 64,16");
  const auto number = [](const std::string& digits) {
    const std::uint64_t n = parse_word64(digits);
    return static_cast<std::int64_t>(std::min<std::uint64_t>(n, std::uint64_t{1} << 32));
  };
  return TileCoordinate{number(text.substr(0, comma)), number(text.substr(comma + 1))};
}

struct Asked {
  OperandChoice choice;
  int bits = 0;
};

Asked asked_of(const Request& request, const SmemDescriptor& word) {
  const DType& dtype = require_dtype(request.tile.dtype);
  const Packing packing = request.tile.slots ? Packing::slots : Packing::packed;
  return {{&word.target(), &dtype, packing, parse_major(request.tile.major), &require_swizzle(word)},
          element_bits(dtype, packing)};
}

// --mma, or 64 rows, fewer when what it is compared with has fewer.
TileExtents extents_of(const Request& request, const Asked& asked, const std::optional<StoredOperand>& stored,
                       std::vector<Finding>& remarks) {
  TileExtents extents{64, dense_mma_k(asked.bits)};
  if (stored) extents.mn = std::min(extents.mn, stored->extents.mn);
  if (!request.mma.empty()) {
    const MmaOperand operand = parse_mma_operand(request.mma, request.operand, asked.choice);
    if (operand.is_half)
      remarks.push_back(note("cta-pair",
                             fmt::format("{} exists with cta_group::2 only: each CTA of the pair holds {} rows",
                                         request.mma, operand.extents.mn),
                             "give the rows of the operand itself to say otherwise"));
    extents = operand.extents;
  }
  require_operand_rows(extents, asked.bits);
  return extents;
}

MapAnswer answer(const Request& request, const Common& common) {
  if (request.against.empty() && !request.at.empty())
    throw usage("--at says which block of --against, which is missing", "give --against, or leave --at out");
  std::vector<Finding> remarks;
  const SmemDescriptor word = descriptor_of(request, common, remarks);
  const Asked asked = asked_of(request, word);
  require_legal(asked.choice);
  std::optional<StoredOperand> stored;
  if (!request.against.empty()) stored = stored_operand(request, asked.bits, word.target());
  const TileExtents extents = extents_of(request, asked, stored, remarks);
  const OperandMap map = operand_map(word, extents, asked.bits, asked.choice.major);

  MapAnswer out{operand_report(word, map), asked.choice.dtype, role_of(request),
                std::move(remarks),        std::move(stored),  {}};
  if (out.stored) out.comparison = compare(word, map, *out.stored, parse_at(request.at));
  return out;
}

}  // namespace

Action define_map(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  app.add_option("WORD", request->word, "descriptor word: 0x…, 0b… or decimal")->required();
  app.add_option("--mma", request->mma,
                 "MMA shape, m64n256k16, or rows and K of the operand, 64x16 (default: 64 rows)")
      ->type_name("SHAPE");
  app.add_option("--operand", request->operand, "which operand of the MMA: a has M rows, b has N")
      ->check(CLI::IsMember(std::vector<std::string>{"a", "b"}));
  app.add_option("--dtype", request->tile.dtype, "element type (default: f16)")->type_name("TYPE");
  app.add_option("--major", request->tile.major, "contiguous dimension, k or mn (default: k)")->type_name("k|mn");
  app.add_flag("--slots", request->tile.slots, "4- and 6-bit types in 8-bit slots, as kind::f8f6f4 reads them");
  app.add_option("--start", request->start, "start address in place of the one in the word")->type_name("ADDRESS");
  app.add_option("--against", request->against, "tile options in one word, or a layout: are these its bytes?")
      ->type_name("TILE|LAYOUT");
  app.add_option("--base", request->tile.base, "shared-memory address of --against (default: 0)")
      ->type_name("ADDRESS");
  app.add_option("--at", request->at, "first row and k of the block of --against (default: where the word points)")
      ->type_name("ROW,K");
  return [request, &common] {
    const MapAnswer a = answer(*request, common);
    const bool is_other = a.comparison && !a.comparison->is_same();
    return Outcome{view_map(a, common.format != "json"), is_other ? 1 : 0, has_lints(a)};
  };
}

}  // namespace swz
