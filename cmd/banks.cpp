// swz banks: the wavefronts of accesses to an operand, or of one instruction with raw addresses.
#include "view/banks.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "descriptor/word.hpp"
#include "expr/evaluate.hpp"
#include "expr/value.hpp"
#include "placed.hpp"

namespace swz {
namespace {

struct Request {
  OperandOptions operand;
  std::vector<std::string> accesses;
  std::string tv, tv_tile, compare, lanes, active;
};

// The pieces of a text between `separators`, without blanks around them; empty ones are left out.
std::vector<std::string> split(const std::string& text, const char* separators) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    std::string piece = text.substr(at, end - at);
    piece.erase(0, piece.find_first_not_of(" \t"));
    piece.erase(piece.find_last_not_of(" \t") + 1);
    if (!piece.empty()) out.push_back(std::move(piece));
    at = end + 1;
  }
  return out;
}

// --- raw addresses

std::uint32_t active_of(const Request& request, std::size_t given) {
  if (request.active.empty()) return given >= warp_lanes ? 0xffffffffU : (std::uint32_t{1} << given) - 1;
  const std::uint64_t mask = parse_word64(request.active);
  if (mask > 0xffffffff) throw usage(fmt::format("--active {} has more than 32 lanes", request.active), "");
  return static_cast<std::uint32_t>(mask);
}

RawBanksReport raw_report(const CLI::App& app, const Request& request, const Common& common) {
  for (const char* option : {"--tile", "--layout", "--swizzle", "--compare", "--tv", "--tv-tile"})
    if (app.count(option) != 0)
      throw usage(fmt::format("{} and --lanes both say which bytes are accessed", option), "leave one of them out");
  if (request.accesses.size() != 1)
    throw usage("raw addresses need one --access", "for example --access ld.shared.b128; --access list names them");
  const AccessInstruction& instruction = require_access(request.accesses.front());
  std::vector<std::int64_t> addresses;
  for (const std::string& word : split(request.lanes, ", \t\n")) {
    const std::uint64_t address = parse_word64(word);
    addresses.push_back(address > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(address));
  }
  const Target& target = target_of(common);
  const AccessPattern pattern =
      access_pattern(instruction, addresses, active_of(request, addresses.size()), target);
  return {&target, wavefront_report(pattern, target), static_cast<int>(addresses.size())};
}

// --- an operand

std::vector<Access> accesses_of(const Request& request) {
  std::vector<std::string> texts = request.accesses;
  if (texts.empty()) texts.emplace_back(request.tv.empty() ? "ldmatrix.x4" : "ld.shared");
  std::vector<Access> out;
  for (const std::string& text : texts)
    for (Access access : parse_accesses(text)) {
      const bool has_order = split(text, " \t").size() > 1;
      if (!request.tv.empty() && !has_order && access.order != WalkOrder::matrices) access.order = WalkOrder::tv;
      out.push_back(access);
    }
  return out;
}

std::optional<ThreadValueLayout> thread_values(const Request& request, const Placement& placement) {
  if (request.tv.empty()) {
    if (!request.tv_tile.empty()) throw usage("--tv-tile is the tile of --tv, which is missing", "give --tv");
    return std::nullopt;
  }
  const TileExtents tile =
      request.tv_tile.empty() ? placement.extents() : parse_extents(request.tv_tile, "the tile of --tv");
  return ThreadValueLayout{as_layout(evaluate(request.tv).value), tile};
}

// "Sw<3,4,3>"; none: not of this form.
std::optional<Swizzle> parse_swizzle(const std::string& text) {
  if (text.starts_with("Sw<") || text.starts_with("S<")) {
    const Value value = evaluate(text).value;
    if (const auto* swizzle = std::get_if<Swizzle>(&value)) return *swizzle;
  }
  return std::nullopt;
}

// What a swizzle is put on, and what stays when it is taken away: the layout that was given, or the lines of a tile
// one after the other.
PlacedOperand unswizzled(const std::string& name, const PlacedOperand& first, const Swizzle& bytes) {
  const Layout& layout = first.tile ? linear_layout(first.placement) : first.layout.layout();
  return placed_layout(name, ComposedLayout::smem_ptr(bytes, first.placement.element_bits(), layout), first);
}

PlacedOperand padded(const std::string& name, const PlacedOperand& first) {
  const std::uint64_t bytes = parse_word64(name.substr(name.find(' ') + 1));
  const auto element = static_cast<std::uint64_t>(first.placement.element_bits());
  if (bytes > 4096 || bytes * 8 % element != 0)
    throw usage(fmt::format("the padding is whole elements of {} bits, at most 4096 B", element),
                "in bytes after each line: pad 16");
  return placed_layout(name, linear_layout(first.placement, static_cast<std::int64_t>(bytes * 8 / element)), first);
}

PlacedOperand variant_of(const std::string& text, const PlacedOperand& first, const TileOptions& options) {
  if (text == "none") return unswizzled(text, first, Swizzle());
  if (const auto swizzle = parse_swizzle(text)) return unswizzled(text, first, *swizzle);
  if (text.starts_with("pad ")) return padded(text, first);
  return placed_beside(text.starts_with("mode ") ? text.substr(5) : text, first, options);
}

WalkedOperand walked(PlacedOperand operand, const std::vector<Access>& accesses,
                     const std::optional<ThreadValueLayout>& tv, const Target& target) {
  WalkedOperand out{std::move(operand), {}};
  for (const Access& access : accesses) out.walks.push_back(walk(out.operand.placement, access, target, tv));
  return out;
}

BanksReport operand_report(const CLI::App& app, Request& request, const Common& common) {
  if (!request.active.empty()) throw usage("--active is the mask of --lanes, which is missing", "give --lanes");
  const Target& target = target_of(common);
  const PlacedOperand first = placed_operand(app, request.operand, common);
  const std::vector<Access> accesses = accesses_of(request);
  const std::optional<ThreadValueLayout> tv = thread_values(request, first.placement);
  BanksReport report{&target, &require_dtype(request.operand.tile.dtype), {}};
  report.variants.push_back(walked(first, accesses, tv, target));
  // Widths that were left open are those of the operand, for every variant.
  std::vector<Access> settled;
  for (const Walk& w : report.variants.front().walks) settled.push_back(w.access);
  for (const std::string& text : split(request.compare, ";")) {
    try {
      report.variants.push_back(walked(variant_of(text, first, request.operand.tile), settled, tv, target));
    } catch (const Error& error) {
      throw usage(fmt::format("{}: {}", text, error.message()), error.hint);
    }
  }
  return report;
}

template <class Report>
Outcome outcome_of(const Report& report, const Common& common) {
  return {view_banks(report, common.format != "json"), 0, has_lints(report)};
}

Outcome answer(const CLI::App& app, Request& request, const Common& common) {
  if (request.accesses == std::vector<std::string>{"list"}) return {view_access_list()};
  if (app.count("--lanes") != 0) return outcome_of(raw_report(app, request, common), common);
  return outcome_of(operand_report(app, request, common), common);
}

}  // namespace

Action define_banks(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  add_operand_options(app, request->operand);
  app.add_option("--access", request->accesses, "ldmatrix.x4 (default), 'st.shared.b128 rows', transpose, list; …")
      ->type_name("ACCESS")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--tv", request->tv, "layout (thread,value) -> row + k * rows, by which ld and st go")
      ->type_name("LAYOUT");
  app.add_option("--tv-tile", request->tv_tile, "the tile of --tv, repeated over the operand (default: all of it)")
      ->type_name("MNxK");
  app.add_option("--compare", request->compare, "variants beside it: 'none;Sw<3,4,3>;pad 16;64B'")
      ->type_name("VARIANTS");
  app.add_option("--lanes", request->lanes, "raw addresses instead of an operand, lane 0 first: 0,16,32")
      ->type_name("ADDRESSES");
  app.add_option("--active", request->active, "mask of the lanes that execute it (default: those of --lanes)")
      ->type_name("MASK");
  return [request, &common, &app] { return answer(app, *request, common); };
}

}  // namespace swz
