#include "tmem/metadata.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {
namespace {

using enum MmaKind;

constexpr Source ptx{"PTX ISA 9.1, 9.7.16.10.8; CUTLASS 4.7 tmem_e_frg", Evidence::header};

constexpr SparseForm forms[] = {
    {kind_set({tf32}), 16, 2, true, 1, ptx},
    {kind_set({f16}), 32, 4, true, 1, ptx},
    {kind_set({f8f6f4, mxf8f6f4, i8}), 64, 4, false, 2, ptx},
    {kind_set({mxf4, mxf4nvf4}), 128, 8, false, 2, ptx},
};

}  // namespace

std::span<const SparseForm> sparse_forms() { return forms; }

const SparseForm* find_sparse_form(MmaKind kind) {
  for (const SparseForm& form : forms)
    if (contains(form.kinds, kind)) return &form;
  return nullptr;
}

const SparseForm& require_sparse_form(MmaKind kind) {
  if (const SparseForm* form = find_sparse_form(kind)) return *form;
  throw usage_error(fmt::format("kind {} is never sparse", row_of(kind).name), "take another --kind");
}

MetadataPlace metadata_place(const SparseForm& form, int row, int k, int mma) {
  const int half = form.k / 2, first_bit = k % half / form.chunk * 4;
  if (form.halves)
    return {row % 8 + 8 * (k / half) + 16 * (row / 16), mma, 16 * (row / 8 % 2) + first_bit, mma & ~1, mma & 1};
  return {row, 2 * mma + k / half, first_bit, 2 * mma, 0};
}

std::optional<Kept> kept_by(const SparseForm& form, unsigned nibble) {
  const int first = static_cast<int>(nibble & 3), second = static_cast<int>(nibble >> 2 & 3);
  // 1:2 of 32-bit elements: the two halves of one, as two elements of 16 bits.
  if (form.chunk == 2) {
    if (nibble == 0b0100) return Kept{{0}, 1};
    if (nibble == 0b1110) return Kept{{1}, 1};
    return {};
  }
  if (first >= second) return {};
  if (form.chunk == 4) return Kept{{first, second}, 2};
  return Kept{{2 * first, 2 * first + 1, 2 * second, 2 * second + 1}, 4};
}

}  // namespace swz
