// SPDX-License-Identifier: Apache-2.0
// RegisterDump: the registers of consecutive threads, as a kernel printed them or a debugger wrote them.
//
//   thread 5: 0x00010000 0x00090008     all registers of a thread; the last number before the colon is the thread
//   5 1 17                              thread, register, value
//   {"5": [65536, 589832], …}           JSON; or one list per thread: [[65536, 589832], …]
//   a .npy of threads x elements        the bytes of a row are the registers of a thread
//   any other dump, --threads 128       words of 32 bits, thread by thread (dump_text.hpp)
//   thread 5: 0.0 1.0 128.0 129.0       values of elements, as %f prints them: bf16 fills two registers with them
//
// A register has 32 bits; an element of 64 bits takes two, its low half first. Codes need several passes: each thread
// then occurs once per pass.
//
// Invariants (tested): threads are consecutive, whole warps, the first a multiple of 32; all have the same registers.
// Random registers that are printed are read back as these registers, in every form.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "identify/dump_text.hpp"

namespace swz {

struct RegisterDump {
  std::string_view form = "lines";  // "JSON", "npy", "words"
  int first_thread = 0;
  int threads = 0, registers = 0;  // registers per thread
  int passes = 1;
  std::vector<std::uint32_t> words;             // pass by pass, thread by thread
  NumberMeaning meaning = NumberMeaning::bits;  // of the printed numbers

  // The value of all passes, the first in the low bits. first_bit + bits <= 32 * registers, bits <= 64.
  std::uint64_t value(int thread, int first_bit, int bits) const;
};

// `threads` is the number of threads for words in `form`, which do not name their thread; 0 if the dump names them.
// Throws Error with the line if the text has none of these forms.
RegisterDump read_registers(std::span<const std::byte> input, int passes, int threads = 0,
                            std::optional<DumpForm> form = std::nullopt);
// The same for each possible meaning of the numbers, registers first; otherwise each is an element of this type,
// `bits` wide in a register.
std::vector<RegisterDump> read_register_meanings(std::span<const std::byte> input, int passes, int threads,
                                                 std::optional<DumpForm> form, const DType& type, int bits);

}  // namespace swz
