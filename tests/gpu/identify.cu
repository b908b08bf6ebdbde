// SPDX-License-Identifier: Apache-2.0
// Tiles that a GPU wrote, for `swz identify`: TMA loads of random boxes in every mode and phase, stmatrix, plain stores.
//
//   nvcc -std=c++17 -arch=sm_90a -o identify identify.cu -lcuda && ./identify FOLDER 300
//
// Each case is a dump FOLDER/N.bin of shared memory from a multiple of 1,024 B, and a line of FOLDER/cases.jsonl with what the
// tile is. Elements are numbered row by row, modulo their width. What is not written holds 0xa5. tests/gpu/identify.py asks swz.
//
// Nothing here uses swz: TMA and stmatrix place the bytes; the plain stores use the XOR of the address as PTX defines it.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#define REQUIRE(call)                                                    \
  do {                                                                   \
    if (const auto result = (call); result != 0) {                       \
      std::fprintf(stderr, "%s: %d\n", #call, static_cast<int>(result)); \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

constexpr unsigned dump_bytes = 64 << 10;

struct Copy {
  int x, y;     // coordinate of the box, fastest dimension first
  unsigned to;  // bytes from the first of the dump
};

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ unsigned char* aligned(unsigned char* raw) { return raw + ((1024 - (shared_address(raw) & 1023)) & 1023); }

__device__ void fill(unsigned char* s) {
  for (unsigned i = threadIdx.x; i < dump_bytes; i += blockDim.x) s[i] = 0xa5;
  __syncthreads();
}
__device__ void give(const unsigned char* s, unsigned char* out) {
  __syncthreads();
  for (unsigned i = threadIdx.x; i < dump_bytes; i += blockDim.x) out[i] = s[i];
}

__global__ void load_boxes(const __grid_constant__ CUtensorMap map, const Copy* copies, int count, unsigned bytes,
                           unsigned char* out) {
  extern __shared__ unsigned char raw[];
  __shared__ alignas(8) std::uint64_t barrier;
  unsigned char* s = aligned(raw);
  fill(s);
  const unsigned bar = shared_address(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(bar), "r"(bytes)
                 : "memory");
    for (int i = 0; i < count; ++i)
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
          "[%4];" ::"r"(shared_address(s) + copies[i].to),
          "l"(&map), "r"(copies[i].x), "r"(copies[i].y), "r"(bar)
          : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(bar)
                 : "memory");
  give(s, out);
}

// Bits 7 to 9 of the address into bits 4 to 6, as many as the mode has.
__device__ unsigned swizzled(unsigned address, unsigned width) { return address ^ ((address >> 3) & (width - 16)); }

// rows x 64 of 16 bits, K-major: lines of `width` bytes, blocks of k in sequence.
__device__ unsigned place(unsigned base, unsigned rows, unsigned width, unsigned row, unsigned k) {
  const unsigned per_line = width / 2;
  return swizzled(base + (k / per_line) * rows * width + row * width + k % per_line * 2, width);
}

__global__ void plain_stores(unsigned offset, unsigned rows, unsigned width, unsigned char* out) {
  extern __shared__ unsigned char raw[];
  unsigned char* s = aligned(raw);
  fill(s);
  const unsigned first = shared_address(s);
  for (unsigned i = threadIdx.x; i < rows * 64; i += blockDim.x)
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(place(first + offset, rows, width, i / 64, i % 64)),
                 "h"(static_cast<std::uint16_t>(i))
                 : "memory");
  give(s, out);
}

// One warp: fragments of 16x16, as an MMA leaves them, by stmatrix.x4.
__global__ void stmatrix_stores(unsigned offset, unsigned rows, unsigned width, unsigned char* out) {
  extern __shared__ unsigned char raw[];
  unsigned char* s = aligned(raw);
  fill(s);
  const unsigned first = shared_address(s), lane = threadIdx.x;
  for (unsigned row = 0; row < rows; row += 16)
    for (unsigned k = 0; k < 64; k += 16) {
      unsigned pair[4];
      for (unsigned m = 0; m < 4; ++m) {
        const unsigned r = row + m % 2 * 8 + lane / 4, c = k + m / 2 * 8 + lane % 4 * 2;
        pair[m] = (r * 64 + c) | (r * 64 + c + 1) << 16;
      }
      const unsigned m = lane / 8;
      asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                       place(first + offset, rows, width, row + m % 2 * 8 + lane % 8, k + m / 2 * 8)),
                   "r"(pair[0]), "r"(pair[1]), "r"(pair[2]), "r"(pair[3])
                   : "memory");
    }
  give(s, out);
}

class Cases {
 public:
  explicit Cases(std::string folder) : folder_(std::move(folder)) {
    REQUIRE(cudaMalloc(&out_, dump_bytes));
    lines_ = std::fopen((folder_ + "/cases.jsonl").c_str(), "w");
    REQUIRE(lines_ == nullptr);
  }
  ~Cases() { std::fclose(lines_); }
  unsigned char* out() const { return out_; }

  void record(const char* by, const char* dtype, unsigned mn, unsigned k, const char* major, unsigned width,
              const char* order, unsigned base, unsigned bytes) {
    REQUIRE(cudaDeviceSynchronize());
    std::vector<unsigned char> dump(dump_bytes);
    REQUIRE(cudaMemcpy(dump.data(), out_, dump_bytes, cudaMemcpyDeviceToHost));
    // What the tile fills, to the next 1,024 B and one more.
    const unsigned size = std::min(dump_bytes, (base + bytes + 2047) / 1024 * 1024);
    std::FILE* file = std::fopen((folder_ + "/" + std::to_string(number_) + ".bin").c_str(), "wb");
    std::fwrite(dump.data(), 1, size, file);
    std::fclose(file);
    std::fprintf(
        lines_,
        "{\"file\":\"%d.bin\",\"by\":\"%s\",\"dtype\":\"%s\",\"tile\":\"%ux%u\",\"major\":\"%s\",\"swizzle\":\"%s\","
        "\"order\":%s%s%s,\"base\":%u}\n",
        number_++, by, dtype, mn, k, major, width == 16 ? "none" : (std::to_string(width) + "B").c_str(),
        order ? "\"" : "", order ? order : "null", order ? "\"" : "", base);
  }

 private:
  std::string folder_;
  std::FILE* lines_ = nullptr;
  unsigned char* out_ = nullptr;
  int number_ = 0;
};

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const int boxes = argc > 2 ? std::atoi(argv[2]) : 300;
  Cases cases(folder);
  std::mt19937 random(16);
  const auto pick = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  const unsigned room = dump_bytes + 1024;
  for (const auto kernel : {reinterpret_cast<const void*>(load_boxes), reinterpret_cast<const void*>(plain_stores),
                            reinterpret_cast<const void*>(stmatrix_stores)})
    REQUIRE(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(room)));

  struct Type {
    const char* name;
    unsigned bytes;
    CUtensorMapDataType map;
  };
  const Type types[] = {{"e4m3", 1, CU_TENSOR_MAP_DATA_TYPE_UINT8},
                        {"bf16", 2, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
                        {"tf32", 4, CU_TENSOR_MAP_DATA_TYPE_FLOAT32}};
  const CUtensorMapSwizzle modes[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
                                      CU_TENSOR_MAP_SWIZZLE_128B};
  for (int round = 0; round < boxes; ++round) {
    const Type& type = types[pick(3)];
    const unsigned mode = static_cast<unsigned>(round) % 4, width = 16u << mode, line = width / type.bytes;
    // MN-major: 16-bit types; others K-major, as wgmma reads them.
    const bool is_k_major = type.bytes != 2 || pick(2) == 0;
    // The dimension that is contiguous in lines, and the other one in groups of 8 lines.
    const unsigned lines = 8 * (1 + pick(16)), blocks = 1 + pick(4);
    const unsigned contiguous = line * blocks;
    if (lines * blocks * width > dump_bytes / 2) {
      --round;
      continue;
    }
    const unsigned mn = is_k_major ? lines : contiguous, k = is_k_major ? contiguous : lines;
    std::vector<unsigned char> matrix(static_cast<std::size_t>(mn) * k * type.bytes);
    for (unsigned i = 0; i < mn * k; ++i) {
      // Element (row, k) is row * K + k; in memory the contiguous dimension is fastest.
      const unsigned row = is_k_major ? i / k : i % mn, col = is_k_major ? i % k : i / mn, value = row * k + col;
      for (unsigned b = 0; b < type.bytes; ++b)
        matrix[static_cast<std::size_t>(i) * type.bytes + b] = static_cast<unsigned char>(value >> 8 * b);
    }
    void* global = nullptr;
    REQUIRE(cudaMalloc(&global, matrix.size()));
    REQUIRE(cudaMemcpy(global, matrix.data(), matrix.size(), cudaMemcpyHostToDevice));
    // One copy a block of lines, or one an atom.
    const bool by_atoms = pick(2) == 0;
    const unsigned box_lines = by_atoms ? 8 : lines;
    CUtensorMap map;
    const cuuint64_t dims[] = {contiguous, lines}, strides[] = {static_cast<cuuint64_t>(contiguous) * type.bytes};
    const cuuint32_t box[] = {line, box_lines}, steps[] = {1, 1};
    REQUIRE(cuTensorMapEncodeTiled(&map, type.map, 2, global, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                   modes[mode], CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    const bool lines_first = !by_atoms || pick(2) == 0;
    const unsigned base = 1024 * pick(4) + 128 * pick(8);
    std::vector<Copy> copies;
    for (unsigned group = 0; group < lines / box_lines; ++group)
      for (unsigned block = 0; block < blocks; ++block) {
        const unsigned atom = lines_first ? block * (lines / box_lines) + group : group * blocks + block;
        copies.push_back(
            {static_cast<int>(block * line), static_cast<int>(group * box_lines), base + atom * box_lines * width});
      }
    Copy* on_device = nullptr;
    REQUIRE(cudaMalloc(&on_device, copies.size() * sizeof(Copy)));
    REQUIRE(cudaMemcpy(on_device, copies.data(), copies.size() * sizeof(Copy), cudaMemcpyHostToDevice));
    load_boxes<<<1, 128, room>>>(map, on_device, static_cast<int>(copies.size()), static_cast<unsigned>(matrix.size()),
                                 cases.out());
    const bool has_order = blocks > 1 && lines > 8;
    cases.record("tma", type.name, mn, k, is_k_major ? "K" : "MN", width,
                 has_order ? (lines_first == is_k_major ? "mn-first" : "k-first") : nullptr, base,
                 static_cast<unsigned>(matrix.size()));
    REQUIRE(cudaFree(global));
    REQUIRE(cudaFree(on_device));
  }
  for (int round = 0; round < 40; ++round) {
    const unsigned width = 32u << pick(3), rows = 16 * (1 + pick(8)), base = 1024 * pick(4) + 128 * pick(8);
    if (round % 2 == 0) plain_stores<<<1, 128, room>>>(base, rows, width, cases.out());
    else stmatrix_stores<<<1, 32, room>>>(base, rows, width, cases.out());
    cases.record(round % 2 == 0 ? "st.shared" : "stmatrix", "bf16", rows, 64, "K", width,
                 width < 128 ? "mn-first" : nullptr, base, rows * 128);
  }
}
