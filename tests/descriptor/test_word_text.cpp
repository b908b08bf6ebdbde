// SPDX-License-Identifier: Apache-2.0
// Words in a text: every spelling in which people have a descriptor word, by itself and inside logs.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>
#include <string>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "descriptor/word_text.hpp"

namespace swz {
namespace {

using namespace std::string_view_literals;

std::string words_of(const std::vector<WordText>& words) {
  std::string out;
  for (const WordText& word : words) out += fmt::format("{}{}@{}", out.empty() ? "" : " ", hex64(word.word), word.line);
  return out;
}

std::string read(std::string_view text) { return words_of(read_words(text)); }
std::string found(std::string_view text) { return words_of(find_words(text).words); }

// Where the word is in each of these; nothing else is a word.
std::vector<std::string> spellings(std::uint64_t word) {
  const auto low = static_cast<std::uint32_t>(word), high = static_cast<std::uint32_t>(word >> 32);
  const auto as_signed = static_cast<std::int64_t>(word);
  return {
      fmt::format("{:#x}", word),
      fmt::format("{:#018x}", word),
      fmt::format("{:016x}", word),
      fmt::format("{:016X}", word),
      fmt::format("0X{:X}", word),
      fmt::format("{:#x}ull", word),
      fmt::format("{}", word),
      fmt::format("{}", as_signed),
      fmt::format("0b{:064b}", word),
      fmt::format("{:064b}", word),
      fmt::format("$3 = {}", word),
      fmt::format("$3 = {}", as_signed),
      fmt::format("$12 = {:#x}", word),
      fmt::format("$1 = (uint64_t) {:#x}", word),
      fmt::format("desc = {:#x}", word),
      fmt::format("desc_a={:016x}", word),
      fmt::format("desc: {}", as_signed),
      fmt::format("0x7fffe0000a00:\t{:#018x}", word),
      fmt::format("0x7fffe0000a00 <descs>:\t{:#018x}", word),
      fmt::format("0xa00:\t{:#010x}\t{:#010x}", low, high),
      fmt::format("mov.b64 %rd1, {};", as_signed),
      fmt::format("mov.u64 \t%rd14, {:#x};", word),
      fmt::format("{{lo = {}, hi = {}}}", low, high),
      fmt::format("$2 = {{hi = {}, lo = {}}}", high, low),
      fmt::format("$2 = {{x = {}, y = {}}}", low, high),
      fmt::format("lo: {:#x} hi: {:#x}", low, high),
      // CUTLASS's union of the descriptor
      fmt::format("$1 = {{desc_ = {}, reg32_ = {{{}, {}}}, reg16_ = {{{}, {}, {}, {}}}, bitfield = "
                  "{{start_address_ = {}}}}}",
                  word, low, high, low & 0xffff, low >> 16, high & 0xffff, high >> 16, word & 0x3fff),
  };
}

constexpr std::uint64_t known[] = {0x4000004000010042, 0xc000001000010040, 0x8000008000200040, 0x0000000800800040,
                                   0x4000404000010040, 0x2000408000200040, 0x4010404000480046, 0xc000008000100040};

TEST_CASE("every spelling of a word, as an argument and in a log") {
  for (const std::uint64_t word : known)
    for (const std::string& text : spellings(word)) {
      CAPTURE(text);
      CHECK(read(text) == hex64(word) + "@1");
      CHECK(found(text) == hex64(word) + "@1");
      CHECK(found("Breakpoint 1, gemm<<<(132,1,1),(384,1,1)>>> ()\n" + text +
                  "\n64 128 0x40 -1 3.5 0x7fffe0000a00\r\n") == hex64(word) + "@2");
    }
}

TEST_CASE("random legal words are found in every spelling") {
  std::mt19937_64 random(std::random_device{}());
  for (int i = 0; i < 2000; ++i) {
    const SwizzleMode& mode = swizzle_modes()[1 + random() % 3];
    const auto bytes = [&](std::uint64_t chunks) { return Bytes{static_cast<std::int64_t>(random() % chunks * 16)}; };
    const SmemDescriptorValues values{
        .start_address = Bytes{static_cast<std::int64_t>(random() % 200 * 1024)},
        .leading_byte_offset = bytes(4096),
        .stride_byte_offset = Bytes{mode.atom().count * (1 + static_cast<std::int64_t>(random() % 15))},
        .swizzle = mode.name};
    const Target& target = require_target(i % 2 == 0 ? "sm_90a" : "sm_100a");
    const std::uint64_t word = SmemDescriptor::encode(values, target).word();
    for (const std::string& text : spellings(word)) {
      INFO(text);
      REQUIRE(read(text) == hex64(word) + "@1");
      REQUIRE(found(text) == hex64(word) + "@1");
    }
  }
}

TEST_CASE("a cuda-gdb session") {
  const WordLog log = find_words(
      R"([Switching focus to CUDA kernel 0, grid 1, block (0,0,0), thread (0,0,0), device 0, sm 0, warp 0, lane 0]

Thread 1 "gemm" hit Breakpoint 1, gemm_kernel<<<(132,1,1),(128,1,1)>>> (a=0x7fffc7a00000, n=4096) at gemm.cu:133
133	    wgmma_m64n128k16(d, desc_a, desc_b);
(cuda-gdb) p desc_a
$1 = 4611686293305360448
(cuda-gdb) p/x desc_a
$2 = 0x4000004000010040
(cuda-gdb) p desc_b
$3 = -4611685743549480896
(cuda-gdb) x/4gx &descs
0x7fffe0000a00:	0x4000004000010042	0x4000004000010044
0x7fffe0000a10:	0x4000004000010046	0x00007fffc7a00000
(cuda-gdb) x/2wx $sp
0x7fffe0000b00 <stack+16>:	0x00010042	0x40000040
(cuda-gdb) info registers R4 R5
R4             0x10240             66112
R5             0x40000040          1073741888
(cuda-gdb) p smem
$4 = (float *) 0x7fffc7a00400
#1  0x00005555555d1a2b in main () at gemm.cu:201
clock 1718033121998877665 hash 9f86d081884c7d65
)");
  CHECK(log.lines == 22);
  CHECK(words_of(log.words) ==
        "0x4000004000010040@6 0xc000004000000040@10 0x4000004000010042@12 0x4000004000010044@12 "
        "0x4000004000010046@13 0x4000004000010240@17");
  CHECK(log.words[0].count == 2);
  CHECK(log.words[0].text == "4611686293305360448");
  CHECK(log.words[2].count == 2);
  CHECK(log.words[5].spelling == Spelling::halves);
  std::string addresses;
  for (const Address& address : log.addresses)
    addresses += fmt::format("{}: {} {}\n", address.line, address.text, address.why);
  CHECK(addresses ==
        "12: 0x7fffe0000a00 a colon follows it\n"
        "13: 0x7fffe0000a10 a colon follows it\n"
        "15: 0x7fffe0000b00 a symbol follows\n"
        "20: 0x7fffc7a00400 a pointer\n"
        "21: 0x00005555555d1a2b of a stack frame\n");
  // a=0x7f…, the pointer in the dump, the clock and the hash
  CHECK(log.others == 4);
}

TEST_CASE("numbers that are no descriptors are not claimed") {
  for (const std::string text : {"0x7fffc7a00000",
                                 "0x302000000",
                                 "0x7f1234000000",
                                 "0x55d3f1a2b2c0",
                                 "0x4000000000000000",
                                 "0xc000000000000000",
                                 "0x3ff0000000000000",
                                 "0x8000000000000000",
                                 "0xffffffffffffffff",
                                 "0xdeadbeefdeadbeef",
                                 "18446744073709551615",
                                 "0x3c003c003c003c00",
                                 "0x4000400040004000",
                                 "0x3f8000003f800000",
                                 "1718033121998877665",
                                 "64 128",
                                 "(1, 2, 3)",
                                 "0x3f800000 0x40000000",
                                 "0x38003800 0x40004000",
                                 "4294967296 8589934592",
                                 "12:30:01.5",
                                 "1e10",
                                 "0x1.8p3",
                                 "%r1073741888 %r65602",
                                 "v4611686293305360450x",
                                 "4000004000010042.5",
                                 "",
                                 "\n\n",
                                 "0x"}) {
    CAPTURE(text);
    CHECK(found(text).empty());
  }
  // What a target does not have, it does not claim.
  CHECK(find_words("0x4000404000010040", {&require_target("sm_90a")}).words.empty());
  CHECK(find_words("0x4000404000010040", {&require_target("sm_100a")}).words.size() == 1);
}

TEST_CASE("instruction descriptors in a log") {
  const WordLog log = find_words("m 128 n 256 idesc 0x08400490\n138413200 0x08400491 7 0x40", {.is_idesc = true});
  CHECK(words_of(log.words) == "0x0000000008400490@1 0x0000000008400491@2");
  CHECK(log.words[0].count == 2);
  CHECK(find_words("0x08400490", {.is_idesc = true, .kind = &require_mma_kind("tf32")}).words.empty());
}

TEST_CASE("arguments: what is a number is a word, sane or not") {
  CHECK(read("0x42") == "0x0000000000000042@1");
  CHECK(read(" 66\n") == "0x0000000000000042@1");
  CHECK(read("-1") == "0xffffffffffffffff@1");
  CHECK(read("-9223372036854775808") == "0x8000000000000000@1");
  CHECK(read("$3 = 66") == "0x0000000000000042@1");
  CHECK(read("desc[0] = 0x42") == "0x0000000000000042@1");
  CHECK(read("0x7ffe00: 0x0000000000000042 0x0000000000000043") == "0x0000000000000042@1 0x0000000000000043@1");
  CHECK(read("a = 0x4000004000010040, b = 0x4000004000010042") == "0x4000004000010040@1 0x4000004000010042@1");
  CHECK(read("4000004000010042u") == hex64(4000004000010042) + "@1");
}

TEST_CASE("what an argument cannot be") {
  const auto message = [](std::string_view text) -> std::string {
    try {
      return read(text);
    } catch (const Error& e) {
      return e.message() + " | " + e.hint;
    }
  };
  const std::string forms = "write a number, for example 0x4000004000010042, 0b1010 or 4611686293305360450";
  CHECK(message("") == "a descriptor word is empty | " + forms);
  CHECK(message("+5") == "'+5' has a sign, but a descriptor word is a pattern of bits | " + forms);
  CHECK(message("0x4000 0040 0001 0042") ==
        "'0x4000 0040 0001 0042' is not a hexadecimal number: ' ' is not a hexadecimal digit | write the word in one "
        "piece, "
        "or separate its digits with _ or '");
  CHECK(message("-9223372036854775809").starts_with("'-9223372036854775809' has a sign"));
  CHECK(message("desc = nothing").starts_with("'desc = nothing' holds no number"));
  CHECK(message("hello 0x42").starts_with("'hello 0x42' is not a decimal number"));
}

std::string refused(std::string_view text) {
  try {
    return read(text);
  } catch (const Error& e) {
    return e.message() + " | " + e.hint;
  }
}

TEST_CASE("a sign: the 64 bits of the negative number, or a refusal, never the number without it") {
  CHECK(read("-0x4000004000010042") == "0xbfffffbffffeffbe@1");
  CHECK(read("desc = -0x4000004000010042") == "0xbfffffbffffeffbe@1");
  CHECK(read("-1234567812345678") == hex64(0 - std::uint64_t{1234567812345678}) + "@1");
  CHECK(read("descriptor-0x4000004000010042") == "0x4000004000010042@1");
  CHECK(read("log - 0x4000004000010042") == "0x4000004000010042@1");
  CHECK(refused("~0x4000004000010042") ==
        "'~0x4000004000010042' is an expression, and a word is a number | let cuda-gdb's p/x or Python's hex() compute "
        "it; swz encode smem makes a word of bytes");
  CHECK(refused("start_address_ = ~66, leading_byte_offset_ = 1, stride_byte_offset_ = 64, layout_type_ = 1") ==
        "'~66' is an expression, and a word is made of numbers | give the number that it computes");
  CHECK(find_words("-0x4000004000010042").words.empty());
  CHECK(find_words("~0x4000004000010042").words.empty());
  CHECK(find_words("x ~0x4000004000010042").addresses.size() == 1);
}

TEST_CASE("a number that cannot be read is not replaced by another one") {
  const std::string whole = " | write the word in one piece, with 0x before a hexadecimal number: 0x4000004000010042";
  const std::string names =
      " | give only the word, or the word with its name: desc = 0x4000004000010042, {lo = 66, hi = 64}, "
      "{start_address_ = 66, …}";
  const std::string not_hex = "'0x4000004000010042h' is not a hexadecimal number: 'h' is not a hexadecimal digit";
  CHECK(refused("desc = 0x4000004000010042h, stage = 64") == not_hex + whole);
  CHECK(refused("value 0x4000004000010042h, stage = 64") == not_hex + whole);
  CHECK(refused("desc = 64'h4000004000010042") ==
        "'64'h4000004000010042' is not a decimal number: 'h' is not a decimal digit" + whole);
  CHECK(refused("desc = 0x14000004000010042, k: 66") == "'0x14000004000010042' does not fit in 64 bits" + whole);
  CHECK(refused("desc=18446744073709551616 k=5") == "'18446744073709551616' does not fit in 64 bits" + whole);
  CHECK(refused("desc: 0001 0042 4000 0040") == "'0001' begins with 0: is it hexadecimal, octal or decimal?" + whole);
  CHECK(refused("desc = %rd5, k = 66") == "'desc = %rd5, k = 66' holds k = 66, and no number for 'desc'" + names);
  CHECK(refused("CUDA error: 700") == "'CUDA error: 700' holds error = 700, which is not a descriptor" + names);
  CHECK(refused("0x0045:0x0025") ==
        "'0x0045:0x0025' holds 0x0045 and 0x0025, and nothing shows which of them is the word" + names);
  CHECK(refused("start_address_ = 1056 bytes, leading_byte_offset_ = 1, stride_byte_offset_ = 64, layout_type_ = 1") ==
        "'start_address_ = 1056 bytes' has a unit, and start_address_ is the number in the field | give the number in "
        "the field; swz encode smem takes bytes");
  CHECK(read("tma descriptor: 128x64 box, desc = 0x4000004000010042") == "0x4000004000010042@1");
  CHECK(read("k = 66") == "0x0000000000000042@1");
}

TEST_CASE("halves are joined only with their own other half") {
  const std::string two = "0x00010042 0x40000040 0x00010044 0x40000040",
                    words = "0x4000004000010042@1 0x4000004000010044@1";
  for (const std::string lead : {"", "desc: ", "tid 5 desc: "}) CHECK(read(lead + two) == words);
  CHECK(refused("desc: 0x00010042 0x40000040 0x00010044") ==
        "'desc = 0x00010042' begins 3 numbers of 32 bits, and a word has 2 | give all of one word, the low one first");
  CHECK(found("desc: 0x00010042 0x40000040 0x00010044").empty());
  CHECK(found("t0 lo = 0x10042\nt1 lo = 0x10044\nt0 hi = 0x40000040\nt1 hi = 0x40000080\n").empty());
  CHECK(found("t0 lo = 0x10042\nt0 hi = 0x40000040\n") == "0x4000004000010042@1");
  CHECK(found("first lo = 0x10042\nthen hi = 0x40000040\n") == "0x4000004000010042@1");
}

TEST_CASE("halves: two arguments of 32 bits are one word where that word has no lint") {
  const auto joined = [](const std::vector<std::string>& texts) {
    std::vector<WordText> words;
    for (const std::string& text : texts)
      for (const WordText& word : read_words(text)) words.push_back(word);
    return words_of(join_halves(words));
  };
  CHECK(joined({"0x00010042", "0x40000040"}) == "0x4000004000010042@1");
  CHECK(joined({"0x40000040", "0x00010042"}) == "0x4000004000010042@1");
  CHECK(joined({"65602", "1073741888"}) == "0x4000004000010042@1");
  CHECK(joined({"0x00010042", "0x40000040", "0x00010044", "0x40000040"}) ==
        "0x4000004000010042@1 0x4000004000010044@1");
  CHECK(joined({"0x00800040", "0x00000008"}) == "0x0000000800800040@1");
  CHECK(joined({"0x40", "0x42"}) == "0x0000000000000040@1 0x0000000000000042@1");
  CHECK(joined({"0x4000004000010042", "0x40"}) == "0x4000004000010042@1 0x0000000000000040@1");
  CHECK(joined({"0x08400490", "0x08200490"}) == "0x0000000008400490@1 0x0000000008200490@1");
}

TEST_CASE("a list has one word in each line and nothing else") {
  const auto list = [](std::string_view text) {
    const auto words = word_list(text);
    return words ? words_of(*words) : std::string("none");
  };
  CHECK(list("# k loop\n0x42  # first\n\n 67\r\n") == "0x0000000000000042@2 0x0000000000000043@4");
  CHECK(list("0x42 0x43") == "none");
  CHECK(list("$1 = 0x42") == "none");
  CHECK(list("# nothing\n") == "none");
  CHECK(list("") == "none");
}

TEST_CASE("bounds: so many different words and no more; a long line is read in one go") {
  const auto log_of = [](std::size_t words) {
    std::string text;
    for (std::size_t i = 0; i < words; ++i) text += fmt::format("{:#x} ", 0x4000004000010000 + i);
    return text;
  };
  constexpr auto most = static_cast<std::size_t>(limits::words.most);
  CHECK(find_words(log_of(most)).words.size() == most);
  CHECK_THROWS_WITH_AS(find_words(log_of(most + 1)), "swz decode: 257 words are more than the limit of 256", Error);
  std::string numbers;
  for (int i = 0; i < 200000; ++i) numbers += "1 0x7fffe0000a00: ";
  const WordLog log = find_words(numbers);
  CHECK(log.words.empty());
  CHECK(log.others == 200000);
}

TEST_CASE("how a word was read is said") {
  const auto note = [](std::string_view text) { return read_as(read_words(text).front()); };
  CHECK(note("0x42").empty());
  CHECK(note("4611686293305360450").empty());
  CHECK(note("c000004000010042") == "16 digits without 0x are read as hexadecimal");
  CHECK(note("4000004000010042") ==
        "16 digits without 0x are read as hexadecimal; as a decimal number they would be 0x000e35fb81854f3a");
  CHECK(note("-4611685743549480896") == "a negative number is read as the 64 bits of a signed integer");
  CHECK(note("{lo = 65602, hi = 1073741888}") == "65602 1073741888 are read as the two 32-bit halves of one word");
}

// ---- one number

TEST_CASE("every accepted spelling of a word") {
  const std::string_view spellings[] = {"0x4000004000010042",
                                        "0X4000004000010042",
                                        "4611686293305360450",
                                        "0x4000004000010042ull",
                                        "0x4000004000010042UL",
                                        "0x4000'0040'0001'0042",
                                        "0x4000_0040_0001_0042LLU",
                                        " 0x4000004000010042\n",
                                        "0b100000000000000000000000100000000000000000000010000000001000010"};
  for (const std::string_view text : spellings) {
    CAPTURE(text);
    CHECK(parse_word64(text) == 0x4000004000010042ULL);
  }
  CHECK(parse_word64("0") == 0);
  CHECK(parse_word64("0u") == 0);
  CHECK(parse_word64("0xffffffffffffffff") == ~0ULL);
  CHECK(parse_word64("18446744073709551615") == ~0ULL);
  CHECK(parse_word32("0xffffffff") == 0xffffffffU);
  CHECK(parse_word32("4294967295") == 0xffffffffU);
  CHECK(parse_word32("0x00000000'08400490") == 0x08400490U);
}

struct Refused {
  std::string_view text, message, hint;
};

constexpr std::string_view forms = "write a number, for example 0x4000004000010042, 0b1010 or 4611686293305360450";

void check_refused(const Refused& refused, bool narrow = false) {
  CAPTURE(refused.text);
  try {
    if (narrow) parse_word32(refused.text);
    else parse_word64(refused.text);
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.message() == refused.message);
    CHECK(e.hint == refused.hint);
    CHECK(e.kind == ErrorKind::input);
  }
}

TEST_CASE("whole messages of refused words") {
  const std::string_view wide = "a shared-memory descriptor has 64 bits, at most 16 hexadecimal digits";
  const Refused all[] = {
      {"", "a descriptor word is empty", forms},
      {" \t", "a descriptor word is empty", forms},
      {"0x", "'0x' has no digits", forms},
      {"0b", "'0b' has no digits", forms},
      {"-1", "'-1' has a sign, but a descriptor word is a pattern of bits", forms},
      {"+5", "'+5' has a sign, but a descriptor word is a pattern of bits", forms},
      {"0x10000000000000000", "'0x10000000000000000' does not fit in 64 bits", wide},
      {"0x0000000000004000004000010042", "'0x0000000000004000004000010042' has 28 digits, more than a word of 64 bits",
       wide},
      {"18446744073709551616", "'18446744073709551616' does not fit in 64 bits", wide},
      {"0x12g4", "'0x12g4' is not a hexadecimal number: 'g' is not a hexadecimal digit", forms},
      {"0b102", "'0b102' is not a binary number: '2' is not a binary digit", forms},
      {"c000001000010040", "'c000001000010040' is not a decimal number: 'c' is not a decimal digit",
       "hexadecimal: 0xc000001000010040"},
      {"0000000800800040", "'0000000800800040' begins with 0: is it hexadecimal, octal or decimal?",
       "hexadecimal: 0x0000000800800040"},
      {"00010042_40000040", "'00010042_40000040' begins with 0: is it hexadecimal, octal or decimal?",
       "hexadecimal: 0x00010042_40000040"},
      {"0820'0490", "'0820'0490' begins with 0: is it hexadecimal, octal or decimal?", "hexadecimal: 0x0820'0490"},
      {"0x4000 0040 0001 0042", "'0x4000 0040 0001 0042' is not a hexadecimal number: ' ' is not a hexadecimal digit",
       "write the word in one piece, or separate its digits with _ or '"},
      {"hello", "'hello' is not a decimal number: 'h' is not a decimal digit", forms},
      {"12\0"sv, "'12\\x00' is not a decimal number: '\\x00' is not a decimal digit", forms},
      {"\xff", "'\xff' is not a decimal number: '\xff' is not a decimal digit", forms},
      {"u", "'u' is not a decimal number: 'u' is not a decimal digit", forms},
      {"1.5", "'1.5' is not a decimal number: '.' is not a decimal digit", forms},
  };
  for (const Refused& refused : all) check_refused(refused);
  for (const char* text : {"0x_1", "0x1_", "1__2", "'1", "0x1_u"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_word64(text), Error);
  }
  check_refused({"1__2", "'1__2' is not a decimal number: a separator must be between two digits", forms});
}

TEST_CASE("digits without a prefix are binary only as a debugger pads them") {
  const auto refused = [](const std::string& text) {
    try {
      read_words(text);
      return std::string("accepted");
    } catch (const Error& e) {
      return e.message();
    }
  };
  const std::string word = "100000000000000000000000100000000000000000000010000000001000010";  // p/t: no leading zero
  CHECK(read(word) == "0x4000004000010042@1");
  CHECK(read("0" + word) == "0x4000004000010042@1");  // x/1gt
  CHECK(read(std::string(64, '0')) == "0x0000000000000000@1");
  CHECK(refused("00" + word).starts_with("'00"));
  const std::string zeros(30, '0');
  CHECK(refused(zeros) == "'" + zeros + "' begins with 0: is it hexadecimal, octal or decimal?");
  CHECK(refused("0x" + zeros) == "'0x" + zeros + "' has 30 digits, more than a word of 64 bits");
  CHECK(refused("0b" + std::string(65, '0')).find("has 65 digits, more than a word of 64 bits") != std::string::npos);
  CHECK(find_words("0x" + zeros + "4000004000010042 " + zeros).words.empty());
}

TEST_CASE("32-bit words: 33 bits are too many, and where CUTLASS keeps the word") {
  const std::string_view hint =
      "an instruction descriptor has 32 bits; CUTLASS's idescE holds it in the upper half of 64 bits";
  check_refused({"0x100000000", "'0x100000000' does not fit in 32 bits", hint}, true);
  check_refused({"0x0840049000000000", "'0x0840049000000000' does not fit in 32 bits", hint}, true);
  check_refused({"4294967296", "'4294967296' does not fit in 32 bits", hint}, true);
}

TEST_CASE("a word is of the operand that its names say") {
  const auto operands = [](std::string_view text) {
    std::string out;
    for (const WordText& word : read_words(text))
      out += !word.operand ? "-" : *word.operand == OperandRole::a ? "a" : "b";
    return out;
  };
  const std::string word = "0x4000004000010042";
  for (const char* name :
       {"desc_a", "a_desc", "descA", "sA", "smem_desc_a", "desc_a0", "a", "A_desc_1", "tCsA", "this.a_desc"})
    CHECK_MESSAGE(operands(fmt::format("{} = {}", name, word)) == "a", name);
  for (const char* name : {"desc_b", "b_desc", "descB", "sB", "B3"})
    CHECK_MESSAGE(operands(fmt::format("{}: {}", name, word)) == "b", name);
  for (const char* name : {"desc", "base_desc", "ab_desc", "a_or_b", "batch", "Alpha", "desc_ab", "bar"})
    CHECK_MESSAGE(operands(fmt::format("{} = {}", name, word)) == "-", name);
  CHECK(operands(word) == "-");
  CHECK(operands("desc_a = {lo = 0x10042, hi = 0x40000040}, desc_b = {lo = 0x10442, hi = 0x40000040}") == "ab");
  const WordLog log =
      find_words("k 0: desc_a=0x4000004000010040 desc_b=0x4000004000010440\nlo=0x10042 hi=0x40000040\n");
  REQUIRE(log.words.size() == 3);
  CHECK(log.words[0].operand == OperandRole::a);
  CHECK(log.words[1].operand == OperandRole::b);
  CHECK_FALSE(log.words[2].operand);
}

TEST_CASE("a long text is answered, not kept") {
  for (const char digit : {'0', '1'}) try {
      parse_word64("0x" + std::string(1 << 20, digit));
      FAIL("no error");
    } catch (const Error& e) {
      CHECK(e.message().size() < 200);
    }
}

// Each mark opens what another one ends. If the end were looked for in the whole line, 4 MiB would take minutes.
TEST_CASE("a line of marks that are never closed is read once") {
  for (const std::string mark : {"(", "[", "0x1 <", "0x1 '", "/*"}) {
    std::string line;
    while (line.size() < 4 << 20) line += mark;
    CHECK_MESSAGE(find_words(line).words.size() <= 1, mark);
  }
}

}  // namespace
}  // namespace swz
