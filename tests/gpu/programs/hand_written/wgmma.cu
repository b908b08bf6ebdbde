// SPDX-License-Identifier: Apache-2.0
// Hopper's wgmma fed without TMA: swizzled stores and descriptors by hand, and bulk copies that mbarriers wait for.
#include "common.cuh"

using Wide = unsigned long long;

// Rows of 16, 32, 64 or 128 bytes along k; 16 means core matrices of 8 x 16 bytes in sequence.
template <int row_bytes>
struct KMajor {
  static constexpr int chunks = 8;  // 64 halves of k in a tile
  static constexpr Wide mode = row_bytes == 128 ? 1 : row_bytes == 64 ? 2 : row_bytes == 32 ? 3 : 0;
  // Where chunk `chunk` of row `row` is, in bytes; a tile has `rows` rows.
  __device__ static int at(int row, int chunk, int rows) {
    constexpr int in_row = row_bytes / 16;
    const int panel = chunk / in_row * rows * row_bytes, inside = chunk % in_row;
    return panel + row * row_bytes + (inside ^ (row / (8 / in_row) & (in_row - 1))) * 16;
  }
  __device__ static Wide descriptor(unsigned tile, int k16, int rows) {
    const unsigned start = tile + k16 * 32 / row_bytes * rows * row_bytes + k16 * 32 % row_bytes;
    const Wide between_chunks = row_bytes == 16 ? rows * 16 : 16, between_rows = 8 * row_bytes;
    return (start & 0x3ffff) >> 4 | between_chunks >> 4 << 16 | between_rows >> 4 << 32 | mode << 62;
  }
};

// B as it comes, k rows of 64 halves of n, in swizzled rows of 128 bytes.
struct NMajor {
  __device__ static int at(int row, int chunk) { return row * 128 + (chunk ^ (row & 7)) * 16; }
  __device__ static Wide descriptor(unsigned tile, int k16) {
    return ((tile + k16 * 2048) & 0x3ffff) >> 4 | Wide{1} << 16 | Wide{1024 >> 4} << 32 | Wide{1} << 62;
  }
};

__device__ void begin_products() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ void end_products() {
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#define SUMS                                                                                                   \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, " \
  "%23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define SUMS_OF(d)                                                                                            \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), \
      "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),  \
      "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), \
      "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])

template <int b_transposed>
__device__ void multiply(float (&d)[32], Wide a, Wide b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " SUMS ", %32, %33, 1, 1, 1, 0, %34;"
               : SUMS_OF(d)
               : "l"(a), "l"(b), "n"(b_transposed)
               : "memory");
}
__device__ void multiply(float (&d)[32], const unsigned (&a)[4], Wide b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " SUMS ", {%32, %33, %34, %35}, %36, 1, 1, 1, 0;"
               : SUMS_OF(d)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)
               : "memory");
}
__device__ void multiply_e4m3(float (&d)[32], Wide a, Wide b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 " SUMS ", %32, %33, 1, 1, 1;"
               : SUMS_OF(d)
               : "l"(a), "l"(b)
               : "memory");
}

// 64 x 64 floats of a warpgroup to rows of n.
__device__ void give(float* c, int n, const float (&d)[32]) {
  const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
  for (int j = 0; j < 8; ++j)
    for (int h = 0; h < 2; ++h)
      *reinterpret_cast<float2*>(&c[(warp * 16 + h * 8 + lane / 4) * n + j * 8 + lane % 4 * 2]) =
          make_float2(d[j * 4 + h * 2], d[j * 4 + h * 2 + 1]);
}

// C[n][n] = A[n][k] Bt[n][k]; tiles by vectors of 16 bytes through registers.
template <int row_bytes>
__global__ void __launch_bounds__(128) wgmma_k_major(const uint4* a, const uint4* bt, float* c, int n, int k) {
  using Place = KMajor<row_bytes>;
  __shared__ __align__(1024) unsigned char as[64 * 128], bs[64 * 128];
  const int t = threadIdx.x;
  a += blockIdx.y * 64 * k / 8, bt += blockIdx.x * 64 * k / 8;
  float sums[32] = {};
  for (int at = 0; at < k; at += 64) {
#pragma unroll
    for (int i = t; i < 512; i += 128) {
      *reinterpret_cast<uint4*>(&as[Place::at(i / 8, i % 8, 64)]) = a[(i / 8 * k + at) / 8 + i % 8];
      *reinterpret_cast<uint4*>(&bs[Place::at(i / 8, i % 8, 64)]) = bt[(i / 8 * k + at) / 8 + i % 8];
    }
    begin_products();
#pragma unroll
    for (int i = 0; i < 4; ++i)
      multiply<0>(sums, Place::descriptor(address_of(as), i, 64), Place::descriptor(address_of(bs), i, 64));
    end_products();
    __syncthreads();
  }
  give(c + blockIdx.y * 64 * n + blockIdx.x * 64, n, sums);
}

// B[k][n] as it comes; three stages by cp.async; two warpgroups with 64 rows each.
__global__ void __launch_bounds__(256) wgmma_n_major(const __half* a, const __half* b, float* c, int n, int k) {
  extern __shared__ __align__(1024) unsigned char tiles[];
  constexpr int stages = 3, a_bytes = 128 * 128, b_bytes = 64 * 128;
  const int t = threadIdx.x, group = t / 128;
  a += blockIdx.y * 128 * k, b += blockIdx.x * 64;
  const auto fetch = [&](int step) {
    if (step * 64 < k) {
      unsigned char *as = tiles + step % stages * a_bytes, *bs = tiles + stages * a_bytes + step % stages * b_bytes;
#pragma unroll
      for (int i = t; i < 1024; i += 256)
        copy_async(as + KMajor<128>::at(i / 8, i % 8, 128), a + i / 8 * k + step * 64 + i % 8 * 8);
#pragma unroll
      for (int i = t; i < 512; i += 256)
        copy_async(bs + NMajor::at(i / 8, i % 8), b + (step * 64 + i / 8) * n + i % 8 * 8);
    }
    commit();
  };
  float sums[32] = {};
  fetch(0), fetch(1);
  for (int step = 0; step * 64 < k; ++step) {
    wait_for_all_but<1>();
    begin_products();
    const unsigned as = address_of(tiles) + step % stages * a_bytes + group * 64 * 128;
    const unsigned bs = address_of(tiles) + stages * a_bytes + step % stages * b_bytes;
#pragma unroll
    for (int i = 0; i < 4; ++i) multiply<1>(sums, KMajor<128>::descriptor(as, i, 128), NMajor::descriptor(bs, i));
    end_products();
    fetch(step + 2);  // over the stage of the step before
  }
  give(c + (blockIdx.y * 128 + group * 64) * n + blockIdx.x * 64, n, sums);
}

// A from registers, by ldmatrix of a padded tile; B swizzled by 64 bytes.
__global__ void __launch_bounds__(128) wgmma_a_in_registers(const uint4* a, const uint4* bt, float* c, int n, int k) {
  __shared__ __align__(16) __half as[64][72];
  __shared__ __align__(1024) unsigned char bs[64 * 128];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  a += blockIdx.y * 64 * k / 8, bt += blockIdx.x * 64 * k / 8;
  float sums[32] = {};
  for (int at = 0; at < k; at += 64) {
#pragma unroll
    for (int i = t; i < 512; i += 128) {
      *reinterpret_cast<uint4*>(&as[i / 8][i % 8 * 8]) = a[(i / 8 * k + at) / 8 + i % 8];
      *reinterpret_cast<uint4*>(bs + KMajor<64>::at(i / 8, i % 8, 64)) = bt[(i / 8 * k + at) / 8 + i % 8];
    }
    __syncthreads();
    unsigned x[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) load_matrices(x[i], &as[warp * 16 + lane % 16][i * 16 + lane / 16 * 8]);
    begin_products();
#pragma unroll
    for (int i = 0; i < 4; ++i) multiply(sums, x[i], KMajor<64>::descriptor(address_of(bs), i, 64));
    end_products();
    __syncthreads();
  }
  give(c + blockIdx.y * 64 * n + blockIdx.x * 64, n, sums);
}

// e4m3, the result as halves by stmatrix through the tile of A.
__global__ void __launch_bounds__(128) wgmma_e4m3(const uint4* a, const uint4* bt, uint4* c, int n, int k) {
  using Place = KMajor<128>;
  __shared__ __align__(1024) unsigned char as[64 * 128], bs[64 * 128];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  a += blockIdx.y * 64 * k / 16, bt += blockIdx.x * 64 * k / 16;
  float sums[32] = {};
  for (int at = 0; at < k; at += 128) {
#pragma unroll
    for (int i = t; i < 512; i += 128) {
      *reinterpret_cast<uint4*>(as + Place::at(i / 8, i % 8, 64)) = a[(i / 8 * k + at) / 16 + i % 8];
      *reinterpret_cast<uint4*>(bs + Place::at(i / 8, i % 8, 64)) = bt[(i / 8 * k + at) / 16 + i % 8];
    }
    begin_products();
#pragma unroll
    for (int i = 0; i < 4; ++i)
      multiply_e4m3(sums, Place::descriptor(address_of(as), i, 64), Place::descriptor(address_of(bs), i, 64));
    end_products();
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const float* s = sums + j * 8;
    store_matrices(as + Place::at(warp * 16 + lane % 16, j * 2 + lane / 16, 64), two_halves(s[0], s[1]),
                   two_halves(s[2], s[3]), two_halves(s[4], s[5]), two_halves(s[6], s[7]));
  }
  __syncthreads();
  for (int i = t; i < 512; i += 128)
    c[((blockIdx.y * 64 + i / 8) * n + blockIdx.x * 64) / 8 + i % 8] =
        *reinterpret_cast<const uint4*>(as + Place::at(i / 8, i % 8, 64));
}

__device__ void begin_barrier(Wide* barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(barrier)), "r"(count) : "memory");
}
__device__ void expect(Wide* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(barrier)), "r"(bytes)
               : "memory");
}
__device__ void arrive(Wide* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address_of(barrier)) : "memory");
}
__device__ void copy_bulk(void* to, const void* from, int bytes, Wide* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address_of(to)),
      "l"(from), "r"(bytes), "r"(address_of(barrier))
      : "memory");
}
__device__ void wait(Wide* barrier, int parity) {
  asm volatile("{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra WAIT;\n}" ::"r"(
                   address_of(barrier)),
               "r"(parity)
               : "memory");
}

// Rows come in stages by bulk copies, their sums go out.
template <class T, int stages>
__global__ void __launch_bounds__(128) sum_of_bulk_rows(const T* in, T* out, int rows) {
  __shared__ __align__(128) T row[stages][512];
  __shared__ Wide full[stages], empty[stages];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int i = 0; i < stages; ++i) begin_barrier(&full[i], 1), begin_barrier(&empty[i], 128);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (t == 0)
    for (int i = 0; i < stages && i < rows; ++i)
      expect(&full[i], sizeof row[i]), copy_bulk(row[i], in + i * 512, sizeof row[i], &full[i]);
  T sums[4] = {};
  for (int i = 0; i < rows; ++i) {
    const int stage = i % stages, parity = i / stages & 1;
    wait(&full[stage], parity);
#pragma unroll
    for (int j = 0; j < 4; ++j) sums[j] += row[stage][j * 128 + t];
    arrive(&empty[stage]);
    if (t == 0 && i + stages < rows) {
      wait(&empty[stage], parity);
      expect(&full[stage], sizeof row[stage]);
      copy_bulk(row[stage], in + (i + stages) * 512, sizeof row[stage], &full[stage]);
    }
  }
  for (int j = 0; j < 4; ++j) out[j * 128 + t] = sums[j];
}

// A bulk copy in, the rows turned round in registers, a bulk copy out.
__global__ void __launch_bounds__(256) reverse_by_bulk_copies(const float4* in, float4* out) {
  __shared__ __align__(128) float4 s[512];
  __shared__ Wide barrier;
  const int t = threadIdx.x;
  if (t == 0) {
    begin_barrier(&barrier, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    expect(&barrier, sizeof s);
    copy_bulk(s, in + blockIdx.x * 512, sizeof s, &barrier);
  }
  __syncthreads();
  wait(&barrier, 0);
  const float4 x = s[511 - t], y = s[255 - t];
  __syncthreads();
  s[t] = make_float4(x.w, x.z, x.y, x.x), s[t + 256] = make_float4(y.w, y.z, y.y, y.x);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + blockIdx.x * 512),
                 "r"(address_of(s)), "r"(static_cast<int>(sizeof s))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}

extern "C" int run() {
  constexpr int n = 128, k = 256;
  __half *a = numbers<__half>(n * k), *b = numbers<__half>(n * k);
  float* c = numbers<float>(n * n);
  const auto *wide_a = reinterpret_cast<const uint4*>(a), *wide_b = reinterpret_cast<const uint4*>(b);
  wgmma_k_major<128><<<dim3(2, 2), 128>>>(wide_a, wide_b, c, n, k);
  wgmma_k_major<64><<<dim3(2, 2), 128>>>(wide_a, wide_b, c, n, k);
  wgmma_k_major<32><<<dim3(2, 2), 128>>>(wide_a, wide_b, c, n, k);
  wgmma_k_major<16><<<dim3(2, 2), 128>>>(wide_a, wide_b, c, n, k);
  constexpr int bytes = 3 * (128 + 64) * 128;
  allow(wgmma_n_major, bytes);
  wgmma_n_major<<<dim3(2, 1), 256, bytes>>>(a, b, c, n, k);
  wgmma_a_in_registers<<<dim3(2, 2), 128>>>(wide_a, wide_b, c, n, k);
  wgmma_e4m3<<<dim3(2, 2), 128>>>(wide_a, wide_b, numbers<uint4>(n * n / 8), n, k);
  float *in = numbers<float>(16 * 512), *out = numbers<float>(16 * 512);
  sum_of_bulk_rows<float, 2><<<1, 128>>>(in, out, 16);
  sum_of_bulk_rows<double, 3><<<1, 128>>>(numbers<double>(16 * 512), numbers<double>(512), 16);
  reverse_by_bulk_copies<<<4, 256>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out));
  return finish();
}
