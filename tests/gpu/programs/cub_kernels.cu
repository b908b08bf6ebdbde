// SPDX-License-Identifier: Apache-2.0
// What CUB makes of its device-wide and block-wide algorithms; PART says which fifth is compiled (cub_library.py).
#include <cstdint>
#include <cub/cub.cuh>

namespace {

constexpr int count = 1 << 18;

template <class T>
T* numbers(int n = count) {
  T* data = nullptr;
  cudaMalloc(&data, sizeof(T) * n);
  cudaMemset(data, 0x35, sizeof(T) * n);
  return data;
}

template <class Call>
void twice(Call call) {
  std::size_t bytes = 0;
  call(nullptr, bytes);
  void* place = nullptr;
  cudaMalloc(&place, bytes + 256);
  call(place, bytes);
  cudaDeviceSynchronize();
}

struct IsOdd {
  template <class T>
  __device__ bool operator()(const T& x) const {
    return (static_cast<int>(x) & 1) != 0;
  }
};
struct Less {
  template <class T>
  __device__ bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};

#if PART == 0
template <class T>
void reduce() {
  T *in = numbers<T>(), *out = numbers<T>(4096);
  int* begin = numbers<int>(4097);
  int ends[4097];
  for (int i = 0; i <= 4096; ++i) ends[i] = i * (count / 4096);
  cudaMemcpy(begin, ends, sizeof ends, cudaMemcpyHostToDevice);
  twice([&](void* p, std::size_t& n) { cub::DeviceReduce::Sum(p, n, in, out, count); });
  twice([&](void* p, std::size_t& n) { cub::DeviceReduce::Max(p, n, in, out, count); });
  auto* where = numbers<cub::KeyValuePair<int, T>>(1);
  twice([&](void* p, std::size_t& n) { cub::DeviceReduce::ArgMin(p, n, in, where, count); });
  twice([&](void* p, std::size_t& n) { cub::DeviceSegmentedReduce::Sum(p, n, in, out, 4096, begin, begin + 1); });
  T *keys = numbers<T>(), *unique = numbers<T>(), *sums = numbers<T>();
  int* runs = numbers<int>(1);
  twice([&](void* p, std::size_t& n) {
    cub::DeviceReduce::ReduceByKey(p, n, keys, unique, in, sums, runs, ::cuda::maximum<>{}, count);
  });
}
void part() {
  reduce<int>(), reduce<float>(), reduce<double>(), reduce<unsigned char>(), reduce<long long>(), reduce<short>();
}
#elif PART == 1
template <class T>
void scan() {
  T *in = numbers<T>(), *out = numbers<T>(), *keys = numbers<T>();
  int* number = numbers<int>(1);
  unsigned char* flags = numbers<unsigned char>();
  twice([&](void* p, std::size_t& n) { cub::DeviceScan::InclusiveSum(p, n, in, out, count); });
  twice([&](void* p, std::size_t& n) { cub::DeviceScan::ExclusiveSum(p, n, in, out, count); });
  twice([&](void* p, std::size_t& n) { cub::DeviceScan::InclusiveSumByKey(p, n, keys, in, out, count); });
  twice([&](void* p, std::size_t& n) { cub::DeviceSelect::If(p, n, in, out, number, count, IsOdd{}); });
  twice([&](void* p, std::size_t& n) { cub::DeviceSelect::Flagged(p, n, in, flags, out, number, count); });
  twice([&](void* p, std::size_t& n) { cub::DeviceSelect::Unique(p, n, in, out, number, count); });
  twice([&](void* p, std::size_t& n) { cub::DevicePartition::If(p, n, in, out, number, count, IsOdd{}); });
  int* lengths = numbers<int>();
  twice([&](void* p, std::size_t& n) { cub::DeviceRunLengthEncode::Encode(p, n, in, out, lengths, number, count); });
  twice([&](void* p, std::size_t& n) { cub::DeviceAdjacentDifference::SubtractLeftCopy(p, n, in, out, count); });
}
void part() { scan<int>(), scan<double>(), scan<unsigned char>(), scan<short>(); }
#elif PART == 2
template <class K, class V>
void sort() {
  K *in = numbers<K>(), *out = numbers<K>();
  V *from = numbers<V>(), *to = numbers<V>();
  twice([&](void* p, std::size_t& n) { cub::DeviceRadixSort::SortKeys(p, n, in, out, count); });
  twice([&](void* p, std::size_t& n) { cub::DeviceRadixSort::SortPairs(p, n, in, out, from, to, count); });
  twice([&](void* p, std::size_t& n) { cub::DeviceRadixSort::SortKeys(p, n, in, out, 2000); });
  twice([&](void* p, std::size_t& n) { cub::DeviceMergeSort::SortKeys(p, n, in, count, Less{}); });
  twice([&](void* p, std::size_t& n) { cub::DeviceMergeSort::SortPairs(p, n, in, from, count, Less{}); });
}
void part() {
  sort<unsigned, float>(), sort<unsigned long long, int>(), sort<unsigned char, double>(), sort<short, unsigned char>();
}
#elif PART == 3
template <class T>
void histogram() {
  T* in = numbers<T>();
  int *bins = numbers<int>(4096), *more[3] = {numbers<int>(4096), numbers<int>(4096), numbers<int>(4096)};
  int levels[3] = {129, 129, 129};
  T low[3] = {0, 0, 0}, high[3] = {100, 100, 100};
  twice(
      [&](void* p, std::size_t& n) { cub::DeviceHistogram::HistogramEven(p, n, in, bins, 257, T(0), T(100), count); });
  twice([&](void* p, std::size_t& n) {
    cub::DeviceHistogram::MultiHistogramEven<4, 3>(p, n, in, more, levels, low, high, count / 4);
  });
  int* begin = numbers<int>(513);
  int ends[513];
  for (int i = 0; i <= 512; ++i) ends[i] = i * (count / 512);
  cudaMemcpy(begin, ends, sizeof ends, cudaMemcpyHostToDevice);
  T* out = numbers<T>();
  twice([&](void* p, std::size_t& n) {
    cub::DeviceSegmentedSort::SortKeys(p, n, in, out, count, 512, begin, begin + 1);
  });
  twice([&](void* p, std::size_t& n) {
    cub::DeviceSegmentedRadixSort::SortKeys(p, n, in, out, count, 512, begin, begin + 1);
  });
}
void part() { histogram<unsigned char>(), histogram<int>(), histogram<float>(), histogram<unsigned short>(); }
#else
// Block-wide algorithms, each of its own kernel.
template <class T, int threads, int items, cub::BlockLoadAlgorithm load, cub::BlockStoreAlgorithm store>
__global__ void __launch_bounds__(threads) load_store(const T* in, T* out) {
  using Load = cub::BlockLoad<T, threads, items, load>;
  using Store = cub::BlockStore<T, threads, items, store>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
  } place;
  T x[items];
  Load(place.load).Load(in + blockIdx.x * threads * items, x);
  __syncthreads();
  for (T& one : x) one = static_cast<T>(one + 1);
  Store(place.store).Store(out + blockIdx.x * threads * items, x);
}
template <class T, int threads, int items>
__global__ void __launch_bounds__(threads) exchange(const T* in, T* out, const int* ranks) {
  using Exchange = cub::BlockExchange<T, threads, items>;
  __shared__ typename Exchange::TempStorage place;
  T x[items];
  int rank[items];
  for (int i = 0; i < items; ++i)
    x[i] = in[threadIdx.x + i * threads], rank[i] = ranks[threadIdx.x + i * threads] % (threads * items);
  Exchange(place).StripedToBlocked(x);
  __syncthreads();
  Exchange(place).BlockedToStriped(x);
  __syncthreads();
  Exchange(place).BlockedToWarpStriped(x);
  __syncthreads();
  Exchange(place).ScatterToStriped(x, rank);
  for (int i = 0; i < items; ++i) out[threadIdx.x + i * threads] = x[i];
}
template <class T, int threads, int items, cub::BlockScanAlgorithm how>
__global__ void __launch_bounds__(threads) scan_block(const T* in, T* out) {
  using Scan = cub::BlockScan<T, threads, how>;
  __shared__ typename Scan::TempStorage place;
  T x[items];
  for (int i = 0; i < items; ++i) x[i] = in[threadIdx.x * items + i];
  Scan(place).InclusiveSum(x, x);
  for (int i = 0; i < items; ++i) out[threadIdx.x * items + i] = x[i];
}
template <class T, int threads, cub::BlockReduceAlgorithm how>
__global__ void __launch_bounds__(threads) reduce_block(const T* in, T* out) {
  using Reduce = cub::BlockReduce<T, threads, how>;
  __shared__ typename Reduce::TempStorage place;
  const T sum = Reduce(place).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
template <class T, int threads, int items>
__global__ void __launch_bounds__(threads) sort_block(const T* in, T* out) {
  using Sort = cub::BlockRadixSort<T, threads, items>;
  __shared__ typename Sort::TempStorage place;
  T x[items];
  for (int i = 0; i < items; ++i) x[i] = in[threadIdx.x * items + i];
  Sort(place).SortBlockedToStriped(x);
  for (int i = 0; i < items; ++i) out[threadIdx.x + i * threads] = x[i];
}
template <class T, int threads, int items>
void blocks_of() {
  T *in = numbers<T>(), *out = numbers<T>();
  int* ranks = numbers<int>();
  load_store<T, threads, items, cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE><<<4, threads>>>(in, out);
  load_store<T, threads, items, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE>
      <<<4, threads>>>(in, out);
  load_store<T, threads, items, cub::BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED, cub::BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED>
      <<<4, threads>>>(in, out);
  exchange<T, threads, items><<<1, threads>>>(in, out, ranks);
  scan_block<T, threads, items, cub::BLOCK_SCAN_RAKING><<<1, threads>>>(in, out);
  scan_block<T, threads, items, cub::BLOCK_SCAN_WARP_SCANS><<<1, threads>>>(in, out);
  reduce_block<T, threads, cub::BLOCK_REDUCE_RAKING><<<4, threads>>>(in, out);
  reduce_block<T, threads, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY><<<4, threads>>>(in, out);
  reduce_block<T, threads, cub::BLOCK_REDUCE_WARP_REDUCTIONS><<<4, threads>>>(in, out);
  sort_block<T, threads, items><<<1, threads>>>(in, out);
  cudaDeviceSynchronize();
}
template <class T>
void blocks() {
  blocks_of<T, 128, 4>(), blocks_of<T, 256, 7>(), blocks_of<T, 64, 8>(), blocks_of<T, 96, 5>();
}
void part() { blocks<int>(), blocks<double>(), blocks<unsigned char>(), blocks<short>(); }
#endif

}  // namespace

extern "C" int run() {
  part();
  return static_cast<int>(cudaGetLastError());
}
