// SPDX-License-Identifier: Apache-2.0
// Address lint: what a hand-written address function does, and how it differs from what the hardware does.
//
//   addr ^ (((addr >> 4 & 7) ^ (addr >> 7 & 7)) << 4) on 1024 bytes
//     bits 4-6 are XORed with themselves, so they are lost: 128 different values
//     first two inputs that collide: 0 and 16 both become 0
//
// Inputs are the numbers below `inputs`; inputs and values count units of the same size. Two methods give the same
// report: enumeration of a table, and elimination if the function is affine over GF(2).
//
// Invariant (tested): lint_affine(f) == lint_values(table of f).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/swizzle_mode.hpp"
#include "layout/swizzle.hpp"

namespace swz {

// Where the hardware reads an input. `value` must be linear over GF(2) for lint_affine.
struct AddressReference {
  const SwizzleMode* mode = nullptr;
  std::string layout;  // of a tile: "K-major, mn-first"; empty for an address
  std::function<std::uint64_t(std::uint64_t)> value;
};

// The XOR of the address in each mode, on units of 2^log2_unit bytes.
std::vector<AddressReference> mode_references(int log2_unit);

struct WrongAddress {
  std::uint64_t input = 0, value = 0, expected = 0;
  bool operator==(const WrongAddress&) const = default;
};

struct AddressCollision {
  std::uint64_t first = 0, second = 0, value = 0;
  bool operator==(const AddressCollision&) const = default;
};

struct AddressComparison {
  std::uint64_t wrong = 0;  // inputs where it differs
  std::optional<WrongAddress> first = {};
  int mode_bits = 0;  // of the reference: how many bits its mode changes
  bool operator==(const AddressComparison&) const = default;
};

struct AddressLint {
  std::uint64_t inputs = 0;
  std::uint64_t values = 0;                        // number of different values
  std::optional<AddressCollision> collision = {};  // with the smallest second input
  std::optional<std::uint64_t> outside = {};       // the first input whose value is not below `inputs`
  std::uint64_t piece = 1;                         // largest power of two of a whole, aligned, ordered piece
  std::optional<WrongAddress> torn = {};           // the first input that leaves its 16-byte chunk
  std::optional<AffineMap> affine = {};            // none if it is not affine
  std::optional<Swizzle> swizzle = {};             // on the same units
  std::vector<AddressComparison> comparisons;      // in the order of the references

  bool is_injective() const { return !collision; }
  // Whether it is a permutation of the numbers below `inputs`.
  bool is_bijective() const { return !collision && !outside; }
  // The first reference that equals it, or the one with the fewest differences: of several the first of the largest mode,
  // for what swizzles is rarely meant to be row by row. None if there are no references.
  std::optional<std::size_t> nearest() const;
  bool operator==(const AddressLint&) const = default;
};

// Lints a table. `values` are those of the inputs 0, 1, 2, …, at least one. chunk_units is the number of units in 16
// bytes.
AddressLint lint_values(std::span<const std::uint64_t> values, std::uint64_t chunk_units,
                        const std::vector<AddressReference>& references);
// Lints an affine map on the inputs below 2^f.linear.bits(), at most 62 bits.
AddressLint lint_affine(const AffineMap& f, std::uint64_t chunk_units, const std::vector<AddressReference>& references);

// The smallest power of two P such that the number XORed into an address depends only on the address modulo P, and is
// below P. None if 2P inputs would be needed to see it.
std::optional<std::uint64_t> xor_period(std::span<const std::uint64_t> values);
// The same for all inputs of f; none if it is not below 2^f.linear.bits().
std::optional<std::uint64_t> xor_period(const AffineMap& f);

}  // namespace swz
