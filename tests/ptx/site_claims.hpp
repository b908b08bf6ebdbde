// SPDX-License-Identifier: Apache-2.0
// SiteWatcher: compares what the report says of a site with what the interpreter holds when it comes by.
//
//   wgmma … %rd4, %rd5       word 0x4000004000010000, …c000 of it known    the bits that %rd4 holds
//   start smem + 16384*i     a multiple of 1024                                 the field of %rd4 times 16
//
//   words       the known bits of both descriptors, of the instruction descriptor and of a multicast mask
//   number      each coordinate, offset and number of bytes of a bulk copy that is said to be constant
//   alignment   of each start and of each address, in shared memory
//   offset      as an integer: an address that lies in the window is the symbol and the offset, none of them folded
//   text        read as a sum again, it is the address modulo 2^18, its constant the one that JSON has
//
// It is a ClaimWatcher too, which knows what the terms of a sum hold.
#pragma once

#include <string_view>
#include <vector>

#include "ptx/claims.hpp"
#include "ptx/kernel_report.hpp"

namespace swz {

class SiteWatcher : public ClaimWatcher {
 public:
  SiteWatcher(const PtxInterpreter& warp, const PtxValues& values);

  void before(const PtxStep& step) override;

  long words = 0, numbers = 0, addresses = 0, offsets = 0, texts = 0;  // that were compared

 private:
  struct Word {
    std::uint32_t operand = 0;
    KnownWord said;
  };
  struct Address {
    std::uint32_t operand = 0;
    SiteAddress said;
    int shift = 0;
  };
  struct Number {
    std::uint32_t operand = 0;
    std::int64_t said = 0;
    int bits = 32;
    bool is_signed = false;
  };
  void add_copy(const TmaSite& site);
  void add_operand(const MmaSite& site, std::uint32_t place, const MmaOperandSite& operand);
  std::uint32_t operand_of(const PtxSite& site, std::uint32_t place) const;
  void compare_word(const PtxStep& step, const Word& word, int lane);
  void compare_number(const PtxStep& step, const Number& number, int lane);
  void compare_address(const PtxStep& step, const Address& address, int lane);
  void compare_text(const PtxStep& step, const Address& address);
  // What the name of a term means. nullopt: it is not known, it means several things, or the address has no such term.
  std::optional<std::uint64_t> named(ValueId address, int shift, std::string_view name, bool& is_term);
  void tell(const PtxStep& step, int lane, const std::string& what);

  const PtxInterpreter& interpreter_;
  const PtxValues& all_;
  std::vector<std::vector<Word>> words_;         // of each instruction
  std::vector<std::vector<Number>> numbers_;     // of each instruction
  std::vector<std::vector<Address>> addresses_;  // of each instruction
};

}  // namespace swz
