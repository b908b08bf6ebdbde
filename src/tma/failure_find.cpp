#include "tma/failure_find.hpp"

#include <fmt/format.h>

#include "arch/cuda_result.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

std::size_t chosen_block(const FailureDialect& dialect, const std::vector<FailureBlock>& blocks,
                         const std::vector<FailureCode>& codes) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (dialect.prints_every_map && i > 0 && !codes.empty() && blocks[i].begin > codes[0].at) break;
    if (blocks[i].is_complete(dialect)) {
      best = i;
      if (!dialect.prints_every_map) return i;
    } else if (!blocks[best].is_complete(dialect) && blocks[i].part_count() > blocks[best].part_count()) {
      best = i;
    }
  }
  return best;
}

FoundFailure find(std::string_view clean, const std::vector<FailureCode>& codes) {
  FoundFailure best;
  std::size_t best_score = 0;
  for (const FailureDialect& dialect : failure_dialects()) {
    std::vector<FailureBlock> blocks = find_failure_blocks(clean, dialect);
    if (blocks.empty()) continue;
    const std::size_t chosen = chosen_block(dialect, blocks, codes);
    const auto& dims = blocks[chosen].at(FailurePart::dims);
    const bool opens = dialect.list_opens != 0 && dims && dims->opens == dialect.list_opens;
    const std::size_t score = 2 * blocks[chosen].part_count() + (opens ? 1 : 0);
    if (score <= best_score) continue;
    best_score = score;
    best.dialect = &dialect;
    best.blocks = std::move(blocks);
    best.chosen = chosen;
  }
  return best;
}

[[noreturn]] void throw_nothing(std::string_view clean, const std::vector<FailureCode>& codes) {
  std::vector<std::string> programs;
  for (const FailureDialect& dialect : failure_dialects()) programs.emplace_back(dialect.program);
  if (clean.find_first_not_of(" \t\n") == std::string_view::npos)
    throw Error("nothing was pasted", fmt::format("paste what {} printed", join_and(programs)));
  if (codes.empty())
    throw Error("no arguments of cuTensorMapEncodeTiled are in this text",
                fmt::format("swz knows the blocks of {}: from 'TMA Desc Addr' to 'oobFill', or from 'tmaFormat' to "
                            "'swizzleType'",
                            join_and(programs)));
  const CudaResultRow* row = find_cuda_result(codes[0].code);
  throw Error(fmt::format("the text has the code {}{} but no arguments", codes[0].code,
                          row == nullptr ? "" : fmt::format(" ({})", full_name(*row))),
              "paste the lines around it as well, from 'TMA Desc Addr' or 'tmaFormat' on");
}

void require_whole(const FoundFailure& found) {
  const FailureBlock& block = found.block();
  for (const auto& part : block.parts)
    if (part && !part->is_readable)
      throw Error(fmt::format("{} cannot be read: {}", part->word, quoted(part->text)),
                  "have the lines of several processes run into each other? print from one");
  const std::vector<std::string> missing = block.missing(*found.dialect);
  if (missing.empty()) return;
  throw Error(fmt::format("the block has no {}: it is half pasted", join_and(missing)),
              fmt::format("paste everything from '{}' to '{}'", found.dialect->keys.front().word,
                          found.dialect->keys.back().word));
}

std::optional<int> code_of(const FoundFailure& found, const std::vector<FailureCode>& codes) {
  const std::size_t begin = found.block().begin, end = found.block().end;
  const std::size_t from = found.chosen == 0 ? 0 : found.blocks[found.chosen - 1].end;
  const std::size_t to = found.chosen + 1 == found.blocks.size() ? SIZE_MAX : found.blocks[found.chosen + 1].begin;
  std::optional<int> before, behind;
  for (const FailureCode& code : codes) {
    if (code.at >= from && code.at < begin) before = code.code;
    if (code.at >= end && code.at < to && !behind) behind = code.code;
  }
  if (found.dialect->code_stands_before) return before ? before : behind;
  return behind ? behind : before;
}

}  // namespace

FoundFailure find_failure(std::string_view text) {
  const std::string clean = clean_failure_text(text);
  const std::vector<FailureCode> codes = find_failure_codes(clean);
  FoundFailure found = find(clean, codes);
  if (found.dialect == nullptr) throw_nothing(clean, codes);
  require_whole(found);
  found.code = code_of(found, codes);
  return found;
}

}  // namespace swz
