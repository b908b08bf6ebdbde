// SPDX-License-Identifier: Apache-2.0
// CopyOpcode: what the opcode of a bulk copy says, with or without a tensor map.
//
//   cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes.multicast::cluster
//     a load of rank 2 to shared::cluster, mode tile::gather4: 5 coordinates; multicast by a mask of 16 bits
//     forms "tile::gather4 load to shared::cluster", "multicast load to shared::cluster"
//   cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16
//     a reduction of a bf16 sum to global; form "bulk reduce"
//
// The forms are names of rows of arch/tma_form.hpp; a target has the instruction if it has each of them. A name without
// a row is of a form that no target has.
//
// Operands: the tensor map with the coordinates in its brackets, and the shared address, in the order of the two spaces;
// then the bytes (without a map), the bytes to ignore (.ignore_oob), the barrier, the offsets of im2col, the mask, the
// cache policy and the mask of bytes (.cp_mask), as far as the opcode asks for them.
//
// Used only inside src/ptx. Source: PTX ISA 9.4; ptxas 13.5.37 (tests/data/ptxas_tma.txt).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/kernel_report.hpp"
#include "ptx/opcode.hpp"

namespace swz {

struct CopyOpcode {
  TmaDirection direction = TmaDirection::load;
  int rank = 0;                // 0: without a tensor map
  std::string_view mode;       // "tile", "im2col::w"; empty without a map
  std::string_view to, from;   // "shared::cluster", "global"; of a prefetch "L2"
  std::string_view operation;  // of a reduction: "add"
  std::string_view type;       // of a reduction without a map: "bf16"
  int cta_group = 0;           // 0: not said
  int mask_bits = 0;           // of a multicast mask: 16 or 32
  bool has_cache_policy = false, ignores_oob = false, has_byte_mask = false, has_barrier = false;
  std::vector<std::string> forms;

  // -1: it is not in the operands.
  struct Places {
    int map = -1, shared = -1, remote = -1, bytes = -1, ignored = -1, barrier = -1, offsets = -1, mask = -1,
        byte_mask = -1;
  };
  Places places() const;
  // Of one copy; 0: any number, because the mode is not one that swz knows.
  int coordinates() const;
  // Filter offsets of im2col, with the halo of the wide modes.
  int offsets() const;
};

// nullopt: another instruction.
std::optional<CopyOpcode> copy_opcode(std::string_view opcode);

}  // namespace swz
