#include "smem/walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "base/text.hpp"
#include "smem/walk_pieces.hpp"

namespace swz {

namespace {

using enum WalkOrder;

// Matrices side by side along rows and along k.
struct Block {
  std::int64_t rows = 1, k = 1;
};

// The first arrangement that divides the operand's rows x k of matrices.
Block block_of(int matrices, std::int64_t rows, std::int64_t k, const AccessInstruction& instruction) {
  static constexpr std::array<Block, 6> arrangements{{{2, 2}, {1, 4}, {4, 1}, {2, 1}, {1, 2}, {1, 1}}};
  for (const Block& b : arrangements)
    if (b.rows * b.k == matrices && rows % b.rows == 0 && k % b.k == 0) return b;
  throw Error(fmt::format("{} takes {} matrices at a time; the operand has {} x {} of them (rows x k)",
                          instruction.name, matrices, rows, k),
              matrices > 1 ? "take a form of fewer matrices" : "take another tile");
}

void walk_matrices(const Placement& p, const AccessInstruction& instruction, WarpSteps& steps) {
  if (!p.has_chunks())
    throw Error(
        fmt::format("{} reads rows of 16 bytes; the operand does not keep them together, or they do not begin "
                    "at multiples of 16",
                    instruction.name),
        "take ld.shared, or lines of a multiple of 16 bytes");
  const std::int64_t lines_each = instruction.matrix_rows;
  if (p.lines() % lines_each != 0)
    throw Error(
        fmt::format("{} takes {} lines at a time; the operand has {}", instruction.name, lines_each, p.lines()),
        "take a tile of whole matrices");
  const bool k_major = p.major() == Major::K;
  const std::int64_t line_blocks = p.lines() / lines_each, chunks = p.chunks_per_line();
  const std::int64_t row_count = k_major ? line_blocks : chunks, k_count = k_major ? chunks : line_blocks;
  const Block block = block_of(instruction.matrices(), row_count, k_count, instruction);
  for (std::int64_t k = 0; k < k_count; k += block.k)
    for (std::int64_t row = 0; row < row_count; row += block.rows)
      for (int j = 0; j < instruction.matrices(); ++j) {
        const std::int64_t row_block = row + j % block.rows, k_block = k + j / block.rows;
        const std::int64_t first_line = (k_major ? row_block : k_block) * lines_each;
        const std::int64_t along = (k_major ? k_block : row_block) * p.chunk_elements();
        for (std::int64_t line = first_line; line < first_line + lines_each; ++line)
          steps.add(k_major ? TileCoordinate{line, along} : TileCoordinate{along, line});
      }
}

// The pieces of a dimension: its extent, and the elements of one piece.
struct Run {
  std::int64_t extent = 0, step = 1;
};

void walk_box(const Run& outer, const Run& inner, std::int64_t inner_first, std::int64_t inner_last,
              bool inner_is_k, WarpSteps& steps) {
  for (std::int64_t o = 0; o < outer.extent; o += outer.step)
    for (std::int64_t i = inner_first; i < inner_last; i += inner.step)
      steps.add(inner_is_k ? TileCoordinate{o, i} : TileCoordinate{i, o});
}

void walk_pieces(const Placement& p, const Pieces& pieces, WalkOrder order, WarpSteps& steps) {
  const Run rows{p.extents().mn, pieces.along == Major::MN ? pieces.elements : 1};
  const Run k{p.extents().k, pieces.along == Major::K ? pieces.elements : 1};
  if (order == WalkOrder::rows) return walk_box(rows, k, 0, k.extent, true, steps);
  if (order == WalkOrder::columns) return walk_box(k, rows, 0, rows.extent, false, steps);
  const bool along_k = pieces.along == Major::K;
  const Run &line = along_k ? k : rows, &lines = along_k ? rows : k;
  const std::int64_t box = bank_row.count * 8 / p.element_bits();
  for (std::int64_t first = 0; first < line.extent; first += box)
    walk_box(lines, line, first, std::min(first + box, line.extent), along_k, steps);
}

// The instruction to take, narrower and narrower until its pieces hold together.
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

bool is_plain(AccessOp op) { return op == AccessOp::load || op == AccessOp::store || op == AccessOp::cp_async; }

[[noreturn]] void throw_unknown_order(const std::string& name) {
  const std::vector<std::string> names{"rows", "columns", "gmem", "tv"};
  throw Error(fmt::format("unknown order {}", quoted(name)),
              did_you_mean(name, names, "orders: " + join_and(names)));
}

WalkOrder order_of(const std::string& name) {
  for (const WalkOrder order : {rows, columns, gmem, tv})
    if (name == to_string(order)) return order;
  throw_unknown_order(name);
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t';
    if (!blank && !inside) words.emplace_back();
    if (!blank) words.back() += c;
    inside = !blank;
  }
  return words;
}

}  // namespace

std::vector<Access> parse_accesses(std::string_view text) {
  const std::vector<std::string> words = words_in(text);
  if (words.empty() || words.size() > 2)
    throw Error(fmt::format("cannot read {} as an access", quoted(text)),
                "an instruction, and for ld, st and cp.async an order: ldmatrix.x4, 'st.shared.b128 rows'");
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

Walk walk_steps(const Placement& placement, const Access& access, const std::optional<ThreadValueLayout>& tv) {
  Walk out{access, {}, 0, 0, 0, 0};
  if (access.order == WalkOrder::tv) {
    if (!tv)
      throw Error("order tv needs a layout (thread, value) -> index", "give --tv '((4,8),(2,2)):((32,1),(16,8))'");
    walk_thread_values(placement, *tv, out);
    return out;
  }
  if (access.order == matrices) {
    WarpSteps steps(placement, *access.instruction, out.steps);
    walk_matrices(placement, *access.instruction, steps);
    return out;
  }
  const Pieces pieces = pieces_for(placement, out.access);
  WarpSteps steps(placement, *out.access.instruction, out.steps);
  walk_pieces(placement, pieces, access.order, steps);
  steps.finish();
  return out;
}

Walk walk(const Placement& placement, const Access& access, const Target& target,
          const std::optional<ThreadValueLayout>& tv) {
  if (placement.end() > target.smem_window())
    throw Error(fmt::format("the operand ends at {:#x}, beyond the shared memory of {}, which ends at {:#x}",
                            placement.end().count, target.name, target.smem_window().count),
                "take a smaller operand or base, or another target");
  Walk out = walk_steps(placement, access, tv);
  for (std::size_t i = 0; i < out.steps.size(); ++i) {
    WalkStep& step = out.steps[i];
    step.count = count_wavefronts(step.pattern);
    out.wavefronts += step.count.wavefronts;
    out.ideal += step.count.ideal;
    out.pairing_steps += step.count.pairs != 0 ? 1 : 0;
    if (step.count.excess() > out.steps[out.worst].count.excess()) out.worst = i;
  }
  return out;
}

}  // namespace swz
