// SPDX-License-Identifier: Apache-2.0
// The layouts of scale factors as the projects write them, one formula each, without digits: the other way to say what
// src/scale says. R rows, C factors of a row, B batches; bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace swz {

using std::int64_t;
inline int64_t up(int64_t x, int64_t a) { return (x + a - 1) / a * a; }
inline int64_t tile_128x4(int64_t r, int64_t k) { return 16 * (r % 32) + 4 * (r % 128 / 32) + k % 4; }

struct ScaleFormula {
  std::string name;
  int rows_of, factors_of;
  int64_t most_rows;
  std::function<int64_t(int64_t R, int64_t C, int64_t b, int64_t r, int64_t k, int64_t B)> offset;
  std::function<int64_t(int64_t R, int64_t C, int64_t B)> bytes;
};

inline int64_t hopper(int64_t nw, int64_t R, int64_t C, int64_t b, int64_t r, int64_t k) {
  const int64_t A = 32 * nw, q = r % A, P = (C + 1) / 2;
  return b * up(R, A) * 2 * P + ((r / A * nw + q / 16 % nw) * P + k / 2) * 64 + 32 * (q / (16 * nw)) + 4 * (q % 8) +
         2 * (k % 2) + q / 8 % 2;
}

inline int64_t marlin_row(int64_t r) { return 64 * (r / 64) + 8 * (r % 8) + r % 64 / 8; }

// Positions 1 and 2 of every 4 change places.
inline int64_t swap_middle(int64_t position) {
  const int64_t in = position % 4;
  return position - in + (in == 1 ? 2 : in == 2 ? 1 : in);
}

inline std::vector<ScaleFormula> scale_formulas() {
  using I = int64_t;
  const auto kt = [](I C) { return (C + 3) / 4; };
  const auto rt = [](I R) { return (R + 127) / 128; };
  const auto plain = [](I R, I C, I B) { return B * R * C; };
  const auto f32 = [](I R, I C, I B) { return 4 * B * R * C; };
  return {
      {"linear", 1, 1, 0, [](I R, I C, I b, I r, I k, I) { return (b * R + r) * C + k; }, plain},
      {"linear_f32", 1, 1, 0, [](I R, I C, I b, I r, I k, I) { return 4 * ((b * R + r) * C + k); }, f32},
      {"k_pad4_f32", 1, 1, 0, [](I R, I C, I b, I r, I k, I) { return 4 * ((b * R + r) * up(C, 4) + k); },
       [](I R, I C, I B) { return 4 * B * R * up(C, 4); }},
      {"mn_major_f32", 1, 1, 0, [](I R, I C, I b, I r, I k, I) { return 4 * ((b * C + k) * R + r); }, f32},
      {"mn_major_tma_f32", 1, 1, 0, [](I R, I C, I b, I r, I k, I) { return 4 * ((b * C + k) * up(R, 4) + r); },
       [](I R, I C, I B) { return 4 * B * up(R, 4) * C; }},
      {"deepgemm_packed", 1, 1, 0,
       [=](I R, I C, I b, I r, I k, I) { return 4 * ((b * kt(C) + k / 4) * up(R, 4) + r) + k % 4; },
       [=](I R, I C, I B) { return 4 * B * up(R, 4) * kt(C); }},
      {"deepgemm_utccp", 128, 4, 0,
       [](I R, I C, I b, I r, I k, I) { return ((b * C / 4 + k / 4) * (R / 128) + r / 128) * 512 + tile_128x4(r, k); },
       plain},
      {"128x4", 1, 1, 0,
       [=](I R, I C, I b, I r, I k, I) { return ((b * rt(R) + r / 128) * kt(C) + k / 4) * 512 + tile_128x4(r, k); },
       [=](I R, I C, I B) { return B * rt(R) * kt(C) * 512; }},
      {"128x4_k8", 1, 1, 0,
       [=](I R, I C, I b, I r, I k, I) {
         return ((b * rt(R) + r / 128) * 2 * ((C + 7) / 8) + k / 4) * 512 + tile_128x4(r, k);
       },
       [=](I R, I C, I B) { return B * rt(R) * 2 * ((C + 7) / 8) * 512; }},
      {"128x4_stage", 1, 1, 0,
       [=](I R, I C, I b, I r, I k, I) { return ((b * kt(C) + k / 4) * rt(R) + r / 128) * 512 + tile_128x4(r, k); },
       [=](I R, I C, I B) { return B * rt(R) * kt(C) * 512; }},
      {"8x4", 1, 1, 0,
       [=](I R, I C, I b, I r, I k, I) {
         return ((b * ((R + 7) / 8) + r / 8) * kt(C) + k / 4) * 32 + 4 * (r % 8) + k % 4;
       },
       [=](I R, I C, I B) { return B * ((R + 7) / 8) * kt(C) * 32; }},
      {"8x16", 1, 1, 0,
       [](I R, I C, I b, I r, I k, I) {
         return ((b * ((R + 7) / 8) + r / 8) * ((C + 15) / 16) + k / 16) * 128 + 16 * (r % 8) + k % 16;
       },
       [](I R, I C, I B) { return B * ((R + 7) / 8) * ((C + 15) / 16) * 128; }},
      {"64x4", 64, 4, 0,
       [=](I R, I C, I b, I r, I k, I) {
         return ((b * R / 64 + r / 64) * kt(C) + k / 4) * 256 + 16 * (r % 16) + 4 * (r % 64 / 16) + k % 4;
       },
       [=](I R, I C, I B) { return B * R * 4 * kt(C); }},
      {"64x1_fold8_bf16", 64, 1, 0,
       [](I R, I C, I b, I r, I k, I) { return 2 * (((b * R / 64 + r / 64) * C + k) * 64 + 8 * (r % 8) + r % 64 / 8); },
       [](I R, I C, I B) { return 2 * B * R * C; }},
      {"kv_v_4x4", 4, 4, 0, [](I R, I C, I b, I t, I s, I) { return b * R * C + 4 * C * (t / 4) + 4 * s + t % 4; },
       plain},
      {"kv_v_4x4_nhd", 4, 4, 0,
       [](I, I C, I b, I t, I s, I B) {
         const I token = 4 * (t / 4) + s / (C / 4), scale = 4 * (s % (C / 4)) + t % 4;
         return (token * B + b) * C + scale;
       },
       plain},
      {"te_rowwise", 1, 1, 0, [](I R, I C, I b, I r, I k, I) { return (b * up(R, 128) + r) * up(C, 4) + k; },
       [](I R, I C, I B) { return B * up(R, 128) * up(C, 4); }},
      {"te_columnwise", 1, 1, 0, [](I R, I C, I b, I r, I k, I) { return (b * up(C, 4) + k) * up(R, 128) + r; },
       [](I R, I C, I B) { return B * up(R, 128) * up(C, 4); }},
      {"hopper_mx_4", 1, 1, 0, [](I R, I C, I b, I r, I k, I) { return hopper(4, R, C, b, r, k); },
       [](I R, I C, I B) { return B * up(R, 128) * 2 * ((C + 1) / 2); }},
      {"hopper_mx_8", 1, 1, 0, [](I R, I C, I b, I r, I k, I) { return hopper(8, R, C, b, r, k); },
       [](I R, I C, I B) { return B * up(R, 256) * 2 * ((C + 1) / 2); }},
      {"b_m64_collective", 64, 4, 256,
       [](I R, I C, I b, I r, I k, I) {
         const I c = R / 64, h = r / (32 * c), q = r % (32 * c);
         return b * 256 * C + 1024 * (k / 4) + 512 * h + 16 * (q % 32) + 4 * (q / 32) + k % 4;
       },
       [](I, I C, I B) { return B * 256 * C; }},
      {"tilelang_chunk_kmajor", 32, 4, 0,
       [](I R, I C, I b, I r, I k, I) { return b * R * C + 4 * ((k / 4) * R + (r % 32) * (R / 32) + r / 32) + k % 4; },
       plain},
      {"marlin_group", 64, 1, 0, [](I R, I C, I b, I r, I k, I) { return b * R * C + k * R + marlin_row(r); }, plain},
      {"marlin_group_fp4", 64, 1, 0,
       [](I R, I C, I b, I r, I k, I) { return b * R * C + k * R + swap_middle(marlin_row(r)); }, plain},
      {"ggml_mxfp4", 1, 1, 0, [](I R, I C, I b, I r, I k, I) { return 17 * ((b * R + r) * C + k); },
       [](I R, I C, I B) { return 17 * B * R * C; }},
      {"ggml_nvfp4", 1, 4, 0, [](I R, I C, I b, I r, I k, I) { return 36 * ((b * R + r) * C / 4 + k / 4) + k % 4; },
       [](I R, I C, I B) { return 9 * B * R * C; }},
      {"cdna4_mx_scale", 32, 8, 0,
       [](I R, I C, I b, I r, I k, I) {
         return (b * R / 32 + r / 32) * 32 * C + 256 * (k / 8) + 64 * (k % 4) + 4 * (r % 16) + 2 * (k / 4 % 2) +
                r / 16 % 2;
       },
       plain},
  };
}

// A new row for each source row, of M rows.
struct OrderFormula {
  std::string name;
  std::function<int64_t(int64_t r, int64_t M)> place;
};

inline std::vector<OrderFormula> order_formulas() {
  using I = int64_t;
  return {
      {"shuffle32", [](I r, I) { return 32 * (r / 32) + 8 * (r % 4) + r % 32 / 4; }},
      {"shuffle16", [](I r, I) { return 16 * (r / 16) + 8 * (r % 2) + r % 16 / 2; }},
      {"gated", [](I r, I M) { return r < M / 2 ? 2 * r : 2 * (r - M / 2) + 1; }},
      {"interleave8",
       [](I r, I M) {
         const I up_row = r - M / 2;
         return r < M / 2 ? 16 * (r / 8) + r % 8 : 16 * (up_row / 8) + 8 + up_row % 8;
       }},
      {"swap_halves", [](I r, I M) { return (r + M / 2) % M; }},
      {"attention_tokens",
       [](I r, I) {
         // The sheet gives the source of each place.
         for (I place = r / 32 * 32;; ++place) {
           const I in = place % 32;
           if (32 * (place / 32) + 2 * (in / 8) + 8 * (in % 8 / 2) + place % 2 == r) return place;
         }
       }},
  };
}

}  // namespace swz
