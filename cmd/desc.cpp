// swz desc: the descriptor words of a tile, one an MMA; of a layout, or the reason why it has none.
#include "view/desc.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "emit_source.hpp"
#include "expr/evaluate.hpp"
#include "tile_options.hpp"
#include "view/cuda_source.hpp"

namespace swz {
namespace {

struct Request {
  TileOptions tile;
  std::string from;           // a layout; empty: not given
  std::string mma;            // empty: default_mma
  std::string operand = "a";  // which one of an m64n256k16
  std::string emit;           // "cuda" or empty
};

// What is asked, read once.
struct Asked {
  const Request& request;
  const Target& target;
  std::string format;

  bool emits() const { return !request.emit.empty(); }
};

std::string major_word(Major major) { return major == Major::K ? "k" : "mn"; }

// "f16_128x64_k_major_128B_descriptor"
std::string function_name(const DType& dtype, TileExtents extents, Major major, const SwizzleMode& mode) {
  return fmt::format("{}_{}_{}_major_{}_descriptor", dtype.name, to_string(extents), major_word(major), mode.name);
}

// The command line of the source: every option, so that no default of another version changes it.
std::string command_line(const Asked& asked, const DType& dtype, Packing packing, Major major,
                         const std::string& operand, TileExtents mma) {
  return fmt::format("swz desc --arch {} --dtype {}{} --major {} {} --mma {} --emit cuda", asked.target.name,
                     dtype.name, packing == Packing::slots ? " --slots" : "", major_word(major), operand,
                     to_string(mma));
}

DescViewOptions view_options(const Asked& asked) {
  DescViewOptions options;
  options.has_picture = asked.format == "svg" || asked.format == "png" || asked.format == "pdf";
  return options;
}

// What one MMA reads, where --mma says so.
std::optional<TileExtents> mma_of(const Asked& asked, const OperandChoice& choice, DescViewOptions& options) {
  if (asked.request.mma.empty()) return std::nullopt;
  const MmaOperand operand = parse_mma_operand(asked.request.mma, asked.request.operand, choice);
  if (operand.is_half)
    options.notes.push_back(note(
        "cta-pair",
        fmt::format("{} exists with cta_group::2 only: each CTA of the pair holds {} rows", asked.request.mma,
                    operand.extents.mn),
        "give the rows of the operand itself to say otherwise, for example --mma " + to_string(operand.extents)));
  return operand.extents;
}

Outcome of_tile(const Asked& asked) {
  const SmemTile tile = tile_of(asked.request.tile, asked.target);
  DescViewOptions options = view_options(asked);
  const std::optional<TileExtents> mma = mma_of(asked, operand_choice(tile, asked.target), options);
  const TileDescriptors words = tile_descriptors(tile, asked.target, mma.value_or(default_mma(tile)));
  if (asked.emits()) {
    const std::string operand = fmt::format("--tile {} --swizzle {} --order {}", to_string(tile.extents()),
                                            tile.swizzle().name, to_string(tile.order()));
    options.source =
        cuda_source(words, {function_name(tile.dtype(), tile.extents(), tile.major(), tile.swizzle()),
                            command_line(asked, tile.dtype(), tile.packing(), tile.major(), operand, words.mma),
                            describe_operand(tile)});
    if (asked.format != "json") return {source_alone(options.source)};
  }
  return {view_tile_descriptors(tile, words, options)};
}

Outcome of_layout(const Asked& asked) {
  const TileOptions& tile = asked.request.tile;
  LayoutOperand operand{.layout = parse_layout(asked.request.from),
                        .target = &asked.target,
                        .dtype = &require_dtype(tile.dtype),
                        .packing = tile.slots ? Packing::slots : Packing::packed,
                        .major = parse_major(tile.major),
                        .base = parse_base(tile.base)};
  DescViewOptions options = view_options(asked);
  // Where nothing is legal, that is the reason.
  const OperandChoice choice = readable_choice(operand);
  if (is_legal(choice)) operand.mma = mma_of(asked, choice, options);
  const LayoutDescriptors answer = layout_descriptors(operand);
  if (answer.descriptors && asked.emits()) {
    options.source =
        cuda_source(*answer.descriptors,
                    {function_name(*operand.dtype, answer.extents, operand.major, *answer.mode),
                     command_line(asked, *operand.dtype, operand.packing, operand.major,
                                  fmt::format("--from '{}'", to_string(operand.layout)), answer.descriptors->mma),
                     fmt::format("{}, mode {}", describe_operand(operand), answer.mode->name)});
    if (asked.format != "json") return {source_alone(options.source)};
  }
  return {view_layout_descriptors(operand, answer, options), answer.descriptors ? 0 : 1};
}

void check(const Asked& asked, const CLI::App& app) {
  const Request& request = asked.request;
  if (request.from.empty()) {
    if (request.tile.tile.empty())
      throw usage("no operand given", "a tile: --tile 128x64; or a layout: --from '(16,64):(1,16)'");
    return;
  }
  if (!request.tile.tile.empty()) throw usage("--tile and --from both name an operand", "give one of them");
  for (const char* option : {"--swizzle", "--order"})
    if (app.get_option(option)->count() > 0)
      throw usage(fmt::format("{} belongs to --tile", option), "a layout has its own swizzle and order");
}

}  // namespace

Action define_desc(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  add_tile_options(app, request->tile);
  app.add_option("--from", request->from, "a layout (MN,K) in CuTe's notation, instead of --tile")
      ->type_name("LAYOUT");
  app.add_option("--mma", request->mma,
                 "what one MMA reads: rows x K of the operand, 64x16, or an instruction, m64n256k16")
      ->type_name("SHAPE");
  app.add_option("--operand", request->operand, "which operand of an instruction the tile is (default: a)")
      ->check(CLI::IsMember(std::vector<std::string>{"a", "b"}));
  app.add_option("--emit", request->emit, "print a device function that makes the words")
      ->check(CLI::IsMember(std::vector<std::string>{"cuda"}));
  return [request, &app, &common] {
    const Asked asked{*request, target_of(common), common.format};
    require_source_format(request->emit, common);
    check(asked, app);
    return request->from.empty() ? of_tile(asked) : of_layout(asked);
  };
}

}  // namespace swz
