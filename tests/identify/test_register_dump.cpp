// SPDX-License-Identifier: Apache-2.0
// read_registers: every form of random registers is read back, whole messages for what is not one.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <random>
#include <string>

#include "base/error.hpp"
#include "identify/register_dump.hpp"

namespace swz {
namespace {

RegisterDump read(const std::string& text, int passes = 1, int threads = 0) {
  return read_registers(std::as_bytes(std::span(text)), passes, threads);
}

std::string bytes_of_words(const std::vector<std::uint32_t>& words) {
  std::string bytes;
  for (const std::uint32_t word : words)
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(word >> shift & 255));
  return bytes;
}

std::string npy_of(const std::string& data, const std::string& shape) {
  std::string header = fmt::format("{{'descr': '<u4', 'fortran_order': False, 'shape': {}, }}", shape);
  header.resize(118, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + data;
}

TEST_CASE("registers: what is printed of random registers is read back, in every form") {
  std::mt19937 random(7);
  for (const int passes : {1, 2})
    for (const int threads : {32, 128})
      for (const int registers : {1, 4, 7}) {
        std::vector<std::uint32_t> words(static_cast<std::size_t>(passes * threads * registers));
        for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random());
        words[0] = 0;
        const auto row = [&](int i) {
          return std::span(words).subspan(static_cast<std::size_t>(i * registers), static_cast<std::size_t>(registers));
        };
        std::string lines = "# what the kernel printed\n\n", three, list = "[";
        for (int i = 0; i < passes * threads; ++i) {
          lines += fmt::format("block 3 thread {}: {:#x}\n", 64 + i % threads, fmt::join(row(i), ", "));
          list += fmt::format("{}[{}]", i == 0 ? "" : ", ", fmt::join(row(i), ","));
          for (int reg = 0; reg < registers; ++reg) {
            const auto word = row(i)[static_cast<std::size_t>(reg)];
            three += i % 2 == 0 ? fmt::format("{} {} {}\n", i % threads, reg, word)
                                : fmt::format("({},{}) = {}\r\n", i % threads, reg, static_cast<std::int32_t>(word));
          }
        }
        const std::string bytes = bytes_of_words(words);
        const RegisterDump dumps[] = {
            read(lines, passes),
            read(three, passes),
            read(list + "]", passes),
            read(bytes, passes, threads),
            read(npy_of(bytes, fmt::format("({}, {})", passes * threads, registers)), passes),
            read(npy_of(bytes, fmt::format("({},)", passes * threads * registers)), passes, threads)};
        CHECK(dumps[0].first_thread == 64);
        for (const RegisterDump& dump : dumps) {
          CAPTURE(dump.form);
          CHECK(dump.threads == threads);
          CHECK(dump.registers == registers);
          CHECK(dump.passes == passes);
          CHECK(dump.words == words);
        }
      }
  std::string object = "{";
  for (int thread = 31; thread >= 0; --thread)
    object += fmt::format("\"{}\": [{}, {}]{}", thread, thread, -thread, thread == 0 ? "}" : ", ");
  const RegisterDump dump = read(object);
  CHECK(dump.form == "JSON");
  for (int thread = 0; thread < 32; ++thread) {
    CHECK(dump.value(thread, 0, 32) == static_cast<std::uint64_t>(thread));
    CHECK(dump.value(thread, 32, 16) == (static_cast<std::uint64_t>(-thread) & 0xffff));
    CHECK(dump.value(thread, 0, 64) ==
          (static_cast<std::uint64_t>(static_cast<std::uint32_t>(-thread)) << 32 | static_cast<unsigned>(thread)));
  }
}

TEST_CASE("registers: what is no dump is refused, with the line") {
  const auto told = [](const std::string& text, int passes = 1, int threads = 0) {
    try {
      read(text, passes, threads);
    } catch (const Error& e) {
      return e.message() + " | " + e.hint;
    }
    return std::string("read");
  };
  const std::string forms = " | 'thread 5: 0x00010000 0x00090008', or 'thread register value': 5 1 17";
  std::string warp, twice;
  for (int thread = 0; thread < 32; ++thread) warp += fmt::format("{} 0 7\n", thread);
  CHECK(told(warp) == "read");
  CHECK(told("") == "the dump is empty" + forms);
  CHECK(told("# nothing\n") == "the dump is empty" + forms);
  CHECK(told(warp + "thread 5 of 32\n") == "line 33: this line has 4 words without a colon, not 3" + forms);
  CHECK(told("thread 5: 0.25\n") == "line 1: '0.25' is not a register of 32 bits" + forms);
  CHECK(told("thread 5: 0x100000000\n") == "line 1: '0x100000000' is not a register of 32 bits" + forms);
  CHECK(told("thread 5:\n") == "line 1: this line does not name a thread and its registers" + forms);
  CHECK(told("thread 5000: 1\n") == "line 1: '5000' is not a thread" + forms);
  CHECK(told("5 5000 1\n") == "line 1: '5000' is not the number of a register" + forms);
  CHECK(told(warp + "5 0 8\n") ==
        "register 0 of thread 5 is in the dump more than once | the dump of one fragment; several passes are for "
        "--expect codes");
  CHECK(told(warp + "33 0 8\n") ==
        "register 0 of thread 32 is not in the dump | all registers of all threads of a warp or warpgroup");
  CHECK(told(warp + "31 1 8\n") ==
        "register 1 of thread 0 is not in the dump | all registers of all threads of a warp or warpgroup");
  CHECK(told(warp + "32 0 8\n") ==
        "the dump has threads 0 to 32: not whole warps | all 32 threads of each warp, the first of them a multiple of "
        "32");
  CHECK(told(warp, 2) ==
        "register 0 of thread 0 is not in the dump 2 times, once in each pass | all registers of all threads of a warp "
        "or warpgroup");
  CHECK(told("{\"five\": [1]}") ==
        "a key of the JSON object is not a thread of a CTA | {\"0\": [65536, 589832], \"1\": …}, up to 1023");
  CHECK(told("[[4294967296]]") ==
        "4294967296 does not fit in the 32 bits of a register | an element of 64 bits takes two, its low half first");
  CHECK(
      told("[1, 2]") ==
      "thread 0 has no list of at most 1024 registers | {\"0\": [65536, 589832], \"1\": …}, or a list for each thread");
  CHECK(told(std::string(128, '\1')) ==
        "bytes do not show how many threads they belong to | --threads 32 for a warp, --threads 128 for a warpgroup");
  CHECK(told(std::string(130, '\1'), 1, 32) ==
        "130 B are not words of 32 bits of 32 threads | all threads have the same registers, 4 B each");
  CHECK(told(npy_of(std::string(128, '\1'), "(32,)")) ==
        "the array has 1 dimension, not threads x registers | array.reshape(threads, -1), or --threads");
}

}  // namespace
}  // namespace swz
