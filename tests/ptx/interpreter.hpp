// SPDX-License-Identifier: Apache-2.0
// PtxInterpreter: one warp runs one kernel, with random values for all that the text does not say.
//
//   PtxInterpreter warp(module, kernel);
//   warp.run(seed, 1000, watcher);       watcher sees each instruction before and after it, with the lanes that are there
//   warp.value(operand, lane)            what the operand holds in a lane now
//
// Each lane is at an instruction; the first of these is executed by the lanes that are there, so that lanes that part at
// a branch meet again after it. Random are: what launches it (the extents of the block and of the grid, which warp of the
// block, which block), the parameters, where variables lie (disjoint, within their alignment), what a load finds, what a
// register holds before it is written, what a call gives, and what instructions give that concrete.hpp does not know. The same
// seed is the same run. What must be the same twice is so: a parameter of the kernel, a load of one address by several lanes at
// once, a floating-point operation on the same operands. Each lane has local memory, arguments and results of its own.
// Source: PTX ISA 9.1, chapters 9.7 and 10.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "ptx/concrete.hpp"
#include "ptx/module.hpp"

namespace swz {

struct PtxStep {
  std::uint32_t instruction = 0;
  std::uint32_t here = 0;    // lanes, as bits
  std::uint32_t active = 0;  // those whose guard lets them execute it
};

struct PtxWatcher {
  virtual void before(const PtxStep&) {}
  virtual void after(const PtxStep&) {}
  virtual ~PtxWatcher() = default;
};

class PtxInterpreter {
 public:
  // Both must outlive it. threads: of the block, if the kernel does not give them.
  PtxInterpreter(const PtxModule& module, const PtxKernel& kernel,
                 std::optional<std::array<std::int64_t, 3>> threads = {});

  // Up to `most` instructions of the warp; true: all lanes came to an end. Of one seed all warps of the block have the same
  // parameters, variables and special registers. warp: none for a random one.
  bool run(std::uint64_t seed, int most, PtxWatcher& watcher, std::optional<std::int64_t> warp = {});

  // A register as it is now; a number as 64 bits; a symbol's address; of brackets the address with what is added.
  std::uint64_t value(const PtxOperand& operand, int lane) const;
  std::uint64_t reg(std::uint32_t id, int lane) const { return registers_[id * 32 + static_cast<std::uint32_t>(lane)]; }
  // All that the register was computed of had been written. Of others nothing is claimed, and a lane that branches by one ends.
  bool is_defined(std::uint32_t id, int lane) const { return (defined_[id] >> lane & 1) != 0; }
  bool is_defined(const PtxOperand& operand, int lane) const;
  // Lanes that ended so.
  std::uint32_t lost() const { return lost_; }
  // The registers that an instruction writes, and sinks in their places.
  const std::vector<PtxOperand>& results(std::uint32_t instruction) const { return decoded_[instruction].results; }
  // The same for all lanes that are in the same pass of the same loops of the text.
  std::uint64_t pass(int lane) const { return passes_[static_cast<std::size_t>(lane)].hash; }
  std::array<std::int64_t, 3> threads() const { return threads_; }
  std::uint64_t param(std::uint32_t symbol, std::int64_t byte, int bytes) const;
  // Where the window of shared memory lies in generic addresses.
  std::uint64_t shared_window() const { return window_; }

 private:
  enum class Does : std::uint8_t {
    integers,
    move,
    load,
    shuffle,
    vote,
    elect,
    activemask,
    to_address,
    branch,
    branch_table,
    end,
    function,
    function_of_warp,
    anything
  };
  struct Decoded {
    Does does = Does::anything;
    ConcreteOpcode opcode;
    std::vector<PtxOperand> results;         // registers and sinks, in order
    std::vector<PtxOperand> sources;         // with the parts of lists in their places
    std::array<std::uint8_t, 3> space = {};  // of a load: the first letter of its space, 'u' for a generic address
  };
  struct Loop {
    std::uint32_t first = 0, last = 0;  // instructions
  };
  struct Pass {
    std::vector<std::uint32_t> counts;  // of each loop
    std::uint64_t hash = 0;
  };

  void decode(const PtxInstruction& instruction, Decoded& out) const;
  std::vector<std::uint32_t> targets_of(const Decoded& branch) const;
  void find_loops();
  void launch(std::optional<std::int64_t> warp);
  void place_variables();
  std::uint64_t special(const PtxSymbol& symbol, int lane);
  std::uint64_t random();
  std::uint64_t interesting();
  std::uint64_t mixed(std::initializer_list<std::uint64_t> parts) const;
  bool is_guard_defined(const PtxStep& step, int lane) const;
  void execute_lanes(const PtxStep& step);
  void execute_lane(const PtxStep& step, const Decoded& one, int lane);
  void shuffle(const PtxStep& step, const Decoded& one);
  void load(const PtxStep& step, const Decoded& one, int lane);
  void write(const PtxOperand& result, int lane, std::uint64_t value);
  void go_to(int lane, std::uint32_t next);
  void lose(int lane);

  const PtxModule& module_;
  const PtxKernel& kernel_;
  std::optional<std::array<std::int64_t, 3>> given_threads_;
  std::vector<Decoded> decoded_;
  std::vector<Loop> loops_;
  std::vector<std::uint32_t> named_;  // symbols that the kernel names

  std::uint64_t seed_ = 0, state_ = 0, window_ = 0, local_window_ = 0;
  std::uint64_t time_ = 0;
  std::uint32_t lost_ = 0;
  std::array<std::int64_t, 3> threads_ = {}, grid_ = {}, block_ = {};
  std::int64_t first_thread_ = 0;
  std::vector<std::uint64_t> registers_, symbols_;
  std::vector<std::uint32_t> defined_;  // of each register: lanes
  bool defines_ = true;                 // the current instruction, in the current lane
  std::array<std::uint32_t, 32> at_ = {};
  std::array<bool, 32> carry_ = {};
  std::array<Pass, 32> passes_ = {};
};

}  // namespace swz
