// SPDX-License-Identifier: Apache-2.0
// RandomCopy: one bulk copy of any form as PTX, with what each operand holds as it was drawn; and the ways in which a
// reader of it may be wrong.
//
//   seed 7    mov.u16 %h4, 0x5; …
//             cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster
//                 [s+256], [%rd0, {%r10, 7, %r12}], [bar+8], {%h1}, %h4;
//             coordinates not known, 7, 12; mask 0x5, all bits known; barrier bar + 8; …
//
// An operand is a literal, a register with a constant, a register that nothing is known of, or (a mask) one of which some
// bits are known. What is drawn is the truth: nothing of it comes from the reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/kernel_report.hpp"
#include "ptx/random_text.hpp"

namespace swz {

struct DrawnCopy {
  std::string before, statement;  // registers that are set, and the copy
  TmaDirection direction = TmaDirection::load;
  int rank = 0;
  std::string mode, operation;
  std::vector<std::string> forms;  // as tests/data/ptxas_tma.txt calls them, without its underscores
  int cta_group = 0;
  std::optional<std::int64_t> shared, barrier;  // offsets in s and bar; of `shared` none: there is no such operand
  std::vector<std::optional<std::int64_t>> coordinates, offsets, ignored;
  std::optional<std::int64_t> bytes;
  bool has_mask = false;
  int mask_bits = 16;
  std::uint64_t mask = 0, known = 0;
  bool has_byte_mask = false;
  std::optional<std::int64_t> byte_mask;
};

class CopyWriter : private RandomDraws {
 public:
  explicit CopyWriter(std::uint64_t seed) : RandomDraws(seed) {}
  DrawnCopy draw();

 private:
  struct Operand {
    std::string text;
    std::optional<std::int64_t> number;
  };
  Operand number(int bits, bool is_signed);
  std::vector<Operand> numbers(int count, int bits, bool is_signed);
  std::string list(const std::vector<Operand>& all, std::vector<std::optional<std::int64_t>>& into);
  std::string shared_address(DrawnCopy& copy);
  std::string barrier_address(DrawnCopy& copy);
  std::string mask_operand(DrawnCopy& copy);
  void tensor(DrawnCopy& copy);
  void bulk(DrawnCopy& copy);

  std::string before_;
  int registers_ = 0;
};

// The kernel around it.
std::string kernel_of(const DrawnCopy& copy, const std::string& target, const std::string& directives = "");

// Empty, or the first thing in which a site differs from what was drawn.
std::string difference(const DrawnCopy& drawn, const TmaSite& site);

// A mistake of a reader. False: this site does not show it.
struct ReaderFault {
  const char* name;
  bool (*spoil)(TmaSite& site);
};
extern const std::vector<ReaderFault> reader_faults;

}  // namespace swz
