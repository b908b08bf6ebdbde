// SPDX-License-Identifier: Apache-2.0
#include "smem/walk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

using enum WalkOrder;

// Deals addresses to the lanes of warps, one instruction after another.
class WarpSteps {
 public:
  WarpSteps(const Placement& placement, const AccessInstruction& instruction, std::vector<WalkStep>& out)
      : placement_(placement), instruction_(instruction), out_(out) {}

  // The next lane accesses the piece that begins here.
  void deal(TileCoordinate first) {
    if (next_ == instruction_.addresses) {
      require_within(limits::walked_instructions, static_cast<std::int64_t>(out_.size()) + 1);
      out_.push_back({{&instruction_, 0, {}}, {}, {}});
      next_ = 0;
    }
    WalkStep& step = out_.back();
    const auto lane = static_cast<std::size_t>(next_);
    step.pattern.active |= std::uint32_t{1} << next_++;
    step.pattern.address[lane] = static_cast<std::uint32_t>(placement_.byte(first.row, first.k).count);
    step.element[lane] = static_cast<std::int32_t>(first.row * placement_.extents().k + first.k);
  }
  // The next lanes begin a new instruction; the remaining lanes of this one are inactive.
  void finish() { next_ = instruction_.addresses; }

 private:
  const Placement& placement_;
  const AccessInstruction& instruction_;
  std::vector<WalkStep>& out_;
  int next_ = instruction_.addresses;  // lane
};

// ---- matrices

// How many matrices of one instruction are next to each other along rows and along k: the first arrangement that
// divides the matrices of the operand.
TileExtents block_of(const AccessInstruction& instruction, TileExtents all) {
  const int matrices = instruction.matrices();
  for (const TileExtents b : {TileExtents{2, 2}, {1, 4}, {4, 1}, {2, 1}, {1, 2}, {1, 1}})
    if (b.mn * b.k == matrices && all.mn % b.mn == 0 && all.k % b.k == 0) return b;
  throw Error(fmt::format("{} takes {} matrices at a time; the operand has {} x {} of them (rows x k)",
                          instruction.name, matrices, all.mn, all.k),
              matrices > 1 ? "take a form of fewer matrices" : "take another tile");
}

void walk_matrices(const Placement& p, const AccessInstruction& instruction, WarpSteps& steps) {
  if (!p.has_chunks())
    throw Error(fmt::format("{} reads rows of 16 bytes; the operand does not keep them together, or they do not begin "
                            "at multiples of 16",
                            instruction.name),
                "take ld.shared, or lines of a multiple of 16 bytes");
  const std::int64_t lines_each = instruction.matrix_rows;
  if (p.lines() % lines_each != 0)
    throw Error(fmt::format("{} takes {} lines at a time; the operand has {}", instruction.name, lines_each, p.lines()),
                "take a tile of whole matrices");
  const bool k_major = p.major() == Major::K;
  const std::int64_t line_blocks = p.lines() / lines_each, chunks = p.chunks_per_line();
  const TileExtents all = k_major ? TileExtents{line_blocks, chunks} : TileExtents{chunks, line_blocks};
  const TileExtents block = block_of(instruction, all);
  for (std::int64_t k = 0; k < all.k; k += block.k)
    for (std::int64_t row = 0; row < all.mn; row += block.mn)
      for (int j = 0; j < instruction.matrices(); ++j) {
        const TileCoordinate matrix{row + j % block.mn, k + j / block.mn};
        const std::int64_t first_line = matrix.line(p.major()) * lines_each;
        for (std::int64_t line = first_line; line < first_line + lines_each; ++line)
          steps.deal(TileCoordinate::of(p.major(), line, matrix.along(p.major()) * p.chunk_elements()));
      }
}

// ---- pieces

// The number of elements in a piece; 0 if it does not contain whole elements.
std::int64_t elements_in(const Placement& p, int bytes) {
  return bytes * 8 % p.element_bits() == 0 ? bytes * 8 / p.element_bits() : 0;
}

// The pieces of this size; none if they are not contiguous.
std::optional<Pieces> pieces_of(const Placement& p, int bytes) {
  const std::int64_t elements = elements_in(p, bytes);
  if (elements == 0) return std::nullopt;
  for (const Major along : {p.major(), other_major(p.major())})
    if (p.extents().along(along) % elements == 0 && !p.first_torn(along, bytes)) return Pieces{along, elements};
  return std::nullopt;
}

// Walks along the inner dimension first; gmem takes 128 bytes of it from every line, then the next 128.
void walk_pieces(const Placement& p, const Pieces& pieces, WalkOrder order, WarpSteps& steps) {
  const TileExtents whole = p.extents();
  const TileExtents piece = run_extents(pieces.along, pieces.elements);
  const Major inner = order == WalkOrder::rows ? Major::K : order == columns ? Major::MN : pieces.along;
  const std::int64_t length = whole.along(inner);
  const std::int64_t box = order == gmem ? bank_row.count * 8 / p.element_bits() : length;
  for (std::int64_t first = 0; first < length; first += box)
    for (std::int64_t line = 0; line < whole.across(inner); line += piece.across(inner))
      for (std::int64_t at = first; at < std::min(first + box, length); at += piece.along(inner))
        steps.deal(TileCoordinate::of(inner, line, at));
}

// Chooses the instruction, narrower and narrower until its pieces are contiguous.
Pieces pieces_for(const Placement& p, Access& access) {
  if (access.instruction != nullptr) return require_pieces(p, *access.instruction);
  const int element_bytes = std::max(1, p.element_bits() / 8);
  for (int bytes = access.one_element ? element_bytes : 16; bytes >= 1; bytes /= 2) {
    access.instruction = find_access(access.op, bytes);
    if (access.instruction == nullptr) break;
    if (const auto pieces = pieces_of(p, bytes)) return *pieces;
  }
  throw Error("no access of 1 to 16 bytes takes whole elements of this operand", "take another element type");
}

// ---- thread-value layouts

constexpr std::int64_t most_values = std::int64_t{1} << 20;  // threads times values

// The coordinates of the tile that a thread-value layout names, thread by thread.
struct Values {
  std::int64_t threads = 0, values = 0;
  std::vector<TileCoordinate> at;  // [thread * values + value]

  TileCoordinate operator()(std::int64_t thread, std::int64_t value) const {
    return at[static_cast<std::size_t>(thread * values + value)];
  }
};

Values values_of(const ThreadValueLayout& tv) {
  const Layout& l = tv.layout;
  if (rank(l) != 2)
    throw Error(
        fmt::format("a thread-value layout has two modes, threads and values; {} has {}", to_string(l), rank(l)),
        "for example ((4,8),(2,2)):((32,1),(16,8))");
  if (l.size() > most_values)
    throw Error(fmt::format("a thread-value layout of {} values; at most {} are walked", l.size(), most_values),
                "take a smaller tile and let it repeat");
  Values out{size(mode(l, 0)), size(mode(l, 1)), {}};
  out.at.reserve(static_cast<std::size_t>(l.size()));
  for (std::int64_t thread = 0; thread < out.threads; ++thread)
    for (std::int64_t value = 0; value < out.values; ++value) {
      const std::int64_t index = l(thread + value * out.threads);
      if (index < 0 || index >= tv.tile.mn * tv.tile.k)
        throw Error(fmt::format("{} at thread {}, value {} is {}: beyond a tile of {}", to_string(l), thread, value,
                                index, to_string(tv.tile)),
                    "an index is row + k * rows of the tile");
      out.at.push_back({index % tv.tile.mn, index / tv.tile.mn});
    }
  return out;
}

// Whether the values value, value + 1, … of every thread are contiguous, `count` at a time, at every place of the tile.
bool hold(const Placement& p, const ThreadValueLayout& tv, const Values& values, std::int64_t count, int bytes) {
  for (std::int64_t k0 = 0; k0 < p.extents().k; k0 += tv.tile.k)
    for (std::int64_t row0 = 0; row0 < p.extents().mn; row0 += tv.tile.mn)
      for (std::int64_t thread = 0; thread < values.threads; ++thread)
        for (std::int64_t value = 0; value < values.values; ++value) {
          const TileCoordinate first = values(thread, value - value % count), at = values(thread, value);
          const std::int64_t begin = p.bit(row0 + first.row, k0 + first.k).count;
          const std::int64_t here = p.bit(row0 + at.row, k0 + at.k).count;
          if (begin % (bytes * 8) != 0 || here != begin + value % count * p.element_bits()) return false;
        }
  return true;
}

// The number of values in one access of `bytes`; 0 if they are not contiguous.
std::int64_t values_per_access(const Placement& p, const ThreadValueLayout& tv, const Values& values, int bytes) {
  const std::int64_t count = elements_in(p, bytes);
  return count != 0 && values.values % count == 0 && hold(p, tv, values, count, bytes) ? count : 0;
}

std::int64_t choose_access(const Placement& p, const ThreadValueLayout& tv, const Values& values, Access& access) {
  int widest = 0;
  for (int bytes = 16; bytes >= 1 && widest == 0; bytes /= 2)
    if (find_access(access.op, bytes) != nullptr && values_per_access(p, tv, values, bytes) != 0) widest = bytes;
  if (access.instruction == nullptr && widest != 0) access.instruction = find_access(access.op, widest);
  if (access.instruction != nullptr)
    if (const std::int64_t count = values_per_access(p, tv, values, access.instruction->bytes); count != 0)
      return count;
  throw Error(fmt::format("the values of a thread do not lie together {} B at a time, at multiples of it",
                          access.instruction == nullptr ? 1 : access.instruction->bytes),
              widest == 0 ? "no access of 1 to 16 bytes takes them"
                          : fmt::format("the widest that fits is {}", find_access(access.op, widest)->name));
}

// Fills the steps and, if the access has no instruction, the instruction.
void walk_thread_values(const Placement& placement, const ThreadValueLayout& tv, Walk& out) {
  const TileExtents whole = placement.extents();
  if (tv.tile.mn < 1 || tv.tile.k < 1 || whole.mn % tv.tile.mn != 0 || whole.k % tv.tile.k != 0)
    throw Error(fmt::format("a thread-value tile of {} does not divide {}", to_string(tv.tile), to_string(whole)),
                "the tile is repeated over the operand");
  const Values values = values_of(tv);
  const std::int64_t tiles = whole.mn / tv.tile.mn * (whole.k / tv.tile.k);
  if (tiles * values.threads * values.values > 2 * most_values)
    throw Error(fmt::format("{} thread-value tiles of {} values; at most {} values are walked", tiles,
                            values.threads * values.values, 2 * most_values),
                "take a part of the operand");
  const std::int64_t count = choose_access(placement, tv, values, out.access);
  WarpSteps steps(placement, *out.access.instruction, out.steps);
  for (std::int64_t k0 = 0; k0 < whole.k; k0 += tv.tile.k)
    for (std::int64_t row0 = 0; row0 < whole.mn; row0 += tv.tile.mn)
      for (std::int64_t warp = 0; warp < values.threads; warp += warp_lanes)
        for (std::int64_t value = 0; value < values.values; value += count) {
          const std::int64_t last = std::min<std::int64_t>(warp + warp_lanes, values.threads);
          for (std::int64_t thread = warp; thread < last; ++thread) {
            const TileCoordinate at = values(thread, value);
            steps.deal({row0 + at.row, k0 + at.k});
          }
          steps.finish();
        }
}

// ---- the notation of accesses

bool is_plain(AccessOp op) { return op != AccessOp::ldmatrix && op != AccessOp::stmatrix; }

WalkOrder order_of(const std::string& name) {
  std::vector<std::string> names;
  for (const WalkOrder order : {rows, columns, gmem, tv}) {
    if (name == to_string(order)) return order;
    names.emplace_back(to_string(order));
  }
  throw Error(fmt::format("unknown order {}", quoted(name)), did_you_mean(name, names, "orders: " + join_and(names)));
}

std::vector<std::string> words_in(std::string text) {
  std::ranges::replace(text, '\t', ' ');
  std::vector<std::string> words = split(text, ' ');
  std::erase(words, "");
  return words;
}

// If elements have gaps, a lane with fewer bytes gets other elements than those of these slots.
void require_whole_chunks(const Placement& placement, const AccessInstruction& instruction) {
  if (!placement.has_gaps() || instruction.bytes == chunk.count) return;
  throw Error(fmt::format("{} moves {} B a lane; 16 elements of {} bits lie in {} of every 16 B, with a gap after them",
                          instruction.name, instruction.bytes, placement.form()->bits,
                          chunk.count - placement.form()->gap_bytes()),
              "take an access of 16 B a lane: ldmatrix, ld.shared.b128, st.shared.b128 or cp.async of 16 B");
}

}  // namespace

std::vector<Access> parse_accesses(std::string_view text) {
  const std::vector<std::string> words = words_in(std::string(text));
  if (words.empty() || words.size() > 2)
    throw Error(fmt::format("cannot read {} as an access", quoted(text)),
                "an instruction, and for ld, st, cp.async and atomics an order: ldmatrix.x4, 'st.shared.b128 rows'");
  if (words[0] == "transpose") {
    if (words.size() == 2) throw Error("transpose has an order already: it writes rows and reads columns", "");
    return {{nullptr, AccessOp::store, rows, true}, {nullptr, AccessOp::load, columns, true}};
  }
  Access access;
  if (words[0] == "ld.shared" || words[0] == "st.shared") {
    access.op = words[0] == "ld.shared" ? AccessOp::load : AccessOp::store;
  } else {
    access.instruction = &require_access(words[0]);
    access.op = access.instruction->op;
  }
  if (!is_plain(access.op)) access.order = matrices;
  else if (access.op == AccessOp::cp_async) access.order = gmem;
  if (words.size() == 1) return {access};
  if (!is_plain(access.op))
    throw Error(fmt::format("{} takes no order: it walks matrices of 8 rows", words[0]), "leave the order out");
  access.order = order_of(words[1]);
  return {access};
}

std::string to_string(const Access& access) {
  const std::string_view any = access.op == AccessOp::load ? "ld.shared" : "st.shared";
  std::string text(access.instruction == nullptr ? any : access.instruction->name);
  if (access.order != matrices) text += fmt::format(" {}", to_string(access.order));
  return text;
}

Pieces require_pieces(const Placement& placement, const AccessInstruction& instruction) {
  if (const auto pieces = pieces_of(placement, instruction.bytes)) return *pieces;
  const std::int64_t elements = elements_in(placement, instruction.bytes);
  if (elements == 0)
    throw Error(fmt::format("{} moves {} B a lane; an element has {} bits", instruction.name, instruction.bytes,
                            placement.element_bits()),
                "take an access that moves whole elements");
  const Major along = placement.major();
  const std::string_view name = along == Major::K ? "k" : "the rows";
  if (placement.extents().along(along) % elements != 0)
    throw Error(fmt::format("{} moves {} elements along {} a lane, which does not divide {}", instruction.name,
                            elements, name, placement.extents().along(along)),
                "take a narrower access");
  const TileCoordinate torn = *placement.first_torn(along, instruction.bytes);
  throw Error(fmt::format("{} moves {} B a lane: at ({},{}), byte {:#x}, the {} elements along {} do not lie together "
                          "at a multiple of {}",
                          instruction.name, instruction.bytes, torn.row, torn.k, placement.byte(torn.row, torn.k).count,
                          elements, name, instruction.bytes),
              "a misaligned address is a fault; take a narrower access, or ld.shared for the widest that fits");
}

Walk walk(const Placement& placement, const Access& access, const std::optional<ThreadValueLayout>& tv) {
  Walk out;
  out.access = access;
  if (access.order == WalkOrder::tv) {
    if (!tv)
      throw Error("order tv needs a layout (thread, value) -> index", "give --tv '((4,8),(2,2)):((32,1),(16,8))'");
    walk_thread_values(placement, *tv, out);
  } else {
    std::optional<Pieces> pieces;
    if (access.order != matrices) pieces = pieces_for(placement, out.access);
    WarpSteps steps(placement, *out.access.instruction, out.steps);
    if (pieces) walk_pieces(placement, *pieces, access.order, steps);
    else walk_matrices(placement, *access.instruction, steps);
  }
  require_whole_chunks(placement, *out.access.instruction);
  for (std::size_t i = 0; i < out.steps.size(); ++i) {
    WalkStep& step = out.steps[i];
    step.count = count_wavefronts(step.pattern);
    out += step.count;
    out.pairing_steps += step.count.pairs != 0 ? 1 : 0;
    if (step.count.excess() > out.steps[out.worst].count.excess()) out.worst = i;
  }
  return out;
}

Walk walk(const Placement& placement, const Access& access, const Target& target,
          const std::optional<ThreadValueLayout>& tv) {
  if (placement.end() > target.smem_window())
    throw Error(fmt::format("the operand ends at {:#x}, beyond the shared memory of {}, which ends at {:#x}",
                            placement.end().count, target.name, target.smem_window().count),
                "take a smaller operand or base, or another target");
  return walk(placement, access, tv);
}

}  // namespace swz
