// SPDX-License-Identifier: Apache-2.0
// What a probe of tcgen05.mma and tensor memory writes before the instruction, and the codes that it reads after it.
//
//   shared memory of a CTA    A at 0, B at 16 KiB, both K-major without a swizzle
//   tensor memory             columns 0-255 D; from 256 on A (16), scale factors of A (16) and B (24), metadata (8)
//
// What is not probed leaves the products unchanged: scale factors of 1, metadata that keep the first of each chunk.
#pragma once

#include "probe/tmem_mma_probe.hpp"

namespace swz {

inline constexpr Bytes tmem_mma_operand{16 * 1024};  // room for A, then as much for B
inline constexpr int tmem_image_column = 256, tmem_image_columns = 64;

// The first column of each part.
inline constexpr int tmem_a_column = 256, tmem_scale_a_column = 272, tmem_scale_b_column = 288,
                     tmem_metadata_column = 312;

// The number of passes of a plan. The blocks of a plan are its selections, and each has all passes.
int passes_of(const TmemMmaPlan& plan);
int blocks_of(const TmemMmaPlan& plan);
// For d: the passes that show the rows of A; the rest show the rows of B.
int row_passes(const TmemMmaPlan& plan);

// The images of all CTAs, one after another. Shared memory depends on the selection, and on the pass if it has the
// codes; tensor memory depends on the pass.
ByteBuffer smem_image(const TmemMmaPlan& plan, int selection, int pass, Hypothesis hypothesis = Hypothesis::none);
ByteBuffer tmem_image(const TmemMmaPlan& plan, int pass);

// The column of each part of N from which on B is an identity: 0, or, with a small step of N, such that the last
// column shows the last k.
int identity_begin(const TmemMmaPlan& plan);
// The k of a stored element of A for the metadata that are written if metadata are not probed.
int logical_k(const TmemMmaInstruction& instruction, int stored);

// The nibbles of metadata that are codes: two for 1:2, otherwise four.
std::span<const std::uint8_t> nibble_codes(const SparseForm& form);
// The digit that a scale factor shows, as f32.
std::optional<std::int64_t> scale_digit(const TmemMmaPlan& plan, std::uint32_t bits);
// The elements of D that show a scale factor: for A each row in two columns, for B each column in four rows of a CTA.
std::vector<Coordinate> scale_readers(const TmemMmaPlan& plan);
// MN-major without a swizzle; even if read K-major it stays in the room of A.
SmemDescriptor mn_major_descriptor(Bytes start);

}  // namespace swz
