// SPDX-License-Identifier: Apache-2.0
// Offsets as people write them: JSON, lines, numpy's arrays; what is refused names its line.
#include <doctest/doctest.h>

#include <cstring>

#include "base/error.hpp"
#include "identify/known_offsets.hpp"
#include "told.hpp"

using namespace swz;

namespace {

std::vector<std::int64_t> offsets_by_index(const KnownOffsets& known) {
  std::vector<std::int64_t> values;
  for (const KnownOffset& point : known.points) values.push_back(point.offset);
  return values;
}

// The message without its hint.
template <class F>
std::string told_by(const F& f) {
  const std::string all = told(f);
  return all.substr(0, all.find(" | "));
}

// A .npy file of version 1.
std::vector<std::byte> npy_file(const std::string& dictionary, const std::vector<unsigned char>& data) {
  std::string text = "\x93NUMPY";
  text += {'\1', '\0', static_cast<char>(dictionary.size() & 0xff), static_cast<char>(dictionary.size() >> 8)};
  text += dictionary;
  text.append(data.begin(), data.end());
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

}  // namespace

TEST_SUITE("identify") {
  TEST_CASE("a list, rows, and lines with coordinates") {
    const KnownOffsets list = read_known_offsets("0\n0x10\n# a comment\n -3, # and another\n");
    CHECK(list.shape == std::vector<std::int64_t>{3});
    CHECK(offsets_by_index(list) == std::vector<std::int64_t>{0, 16, -3});

    // Row by row; the index is colexicographic.
    const KnownOffsets rows = read_known_offsets(" [[0, 1, 2], [8, 9, 10]]");
    CHECK(rows.shape == std::vector<std::int64_t>{2, 3});
    CHECK(offsets_by_index(rows) == std::vector<std::int64_t>{0, 8, 1, 9, 2, 10});

    const KnownOffsets some = read_known_offsets("(1, 2): 10\n(0, 0): 0\n1 2 10\n");
    CHECK(some.shape == std::vector<std::int64_t>{2, 3});
    REQUIRE(some.points.size() == 2);
    CHECK(some.points[1].index == 5);
    CHECK(some.points[1].offset == 10);
    CHECK(some.coordinate(5) == std::vector<std::int64_t>{1, 2});
    CHECK(!some.is_complete());
  }

  TEST_CASE("what is refused") {
    const auto told = [](std::string_view text) { return told_by([&] { read_known_offsets(text); }); };
    CHECK(told("") == "no offset is given");
    CHECK(told("1\nx2\n") == "line 2: 'x2' is not a number");
    CHECK(told("1 2\n3\n") == "line 2: this line has 1 number, the first has 2");
    CHECK(told("0 5\n0 6\n") == "coordinate (0) has two offsets: 5 and 6");
    CHECK(told("-1 5\n") == "line 1: a coordinate is negative");
    CHECK(told("99999999999999999999\n") == "line 1: '99999999999999999999' is not a number");
    CHECK(told("1 2 3 4 5 6 7 8 9 10\n") == "line 1: a line has more than 9 numbers");
    CHECK(told("[[1, 2], [3]]") == "the JSON array has rows of 2 and of 1");
    CHECK(told("[[1, 2], 3]") == "the JSON array mixes numbers and rows");
    CHECK(told("[1, [2]]") == "the JSON array mixes numbers and rows");
    CHECK(told("[]") == "the JSON array has an empty row");
    CHECK(told("9223372036854775807 9223372036854775807 1\n").find("does not fit in 64 bits") != std::string::npos);
    CHECK(told("4294967295 4294967295 4294967295 1\n").find("does not fit in 64 bits") != std::string::npos);
  }

  TEST_CASE("numpy's arrays: both orders, both ends, signed") {
    const auto little =
        npy_file("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }\n", {0, 0, 1, 0, 0xfe, 0xff, 0, 1});
    CHECK(offsets_by_index(known_offsets_of(read_npy(little))) == std::vector<std::int64_t>{0, -2, 1, 256});
    const auto big = npy_file("{'descr': '>u2', 'fortran_order': True, 'shape': (2, 2), }\n", {0, 0, 0, 1, 1, 0, 0, 3});
    CHECK(offsets_by_index(known_offsets_of(read_npy(big))) == std::vector<std::int64_t>{0, 1, 256, 3});
    const auto flat = npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", {7, 8, 9});
    CHECK(known_offsets_of(read_npy(flat)).shape == std::vector<std::int64_t>{3});
  }

  TEST_CASE("numpy's arrays: what is refused") {
    const auto told = [](const std::string& dictionary, const std::vector<unsigned char>& data) {
      return told_by([&] { known_offsets_of(read_npy(npy_file(dictionary, data))); });
    };
    CHECK(told("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }", {0, 0, 1}) ==
          "the .npy file has 3 bytes of data, its shape needs 4");
    CHECK(told("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", {0, 0, 1, 0}) ==
          "a .npy file of type '<f4' holds no whole numbers");
    CHECK(told("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }", {0, 0, 1, 0}) ==
          "the header of the .npy file is not numpy's");
    CHECK(told("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", {}) == "a .npy file of type '|O'");
    CHECK(told("{'descr': '<u8', 'fortran_order': False, 'shape': (1,), }", {0, 0, 0, 0, 0, 0, 0, 0x80}) ==
          "9223372036854775808 does not fit in 63 bits");
    CHECK(told("{'descr': '<u1', 'fortran_order': False, 'shape': (0,), }", {}) == "the .npy file has no element");
    const std::string many = "999999999999999999";
    CHECK(told("{'descr': '<u8', 'fortran_order': False, 'shape': (" + many + ", " + many + "), }", {})
              .find("does not fit in 64 bits") != std::string::npos);
    CHECK(told_by([] { read_npy(std::as_bytes(std::span("\x93NUMPY\x01", 7))); }) ==
          "the .npy file ends in its header");
    CHECK(told_by([] { read_npy(std::as_bytes(std::span("text", 4))); }) == "this is not a .npy file");
  }
}
