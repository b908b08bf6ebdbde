// SPDX-License-Identifier: Apache-2.0
// JAX Mosaic: the figures of the fact sheet, the formulas at every coordinate, round trips, messages and notes. Its own
// code is asked by golden_mosaic.py.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "arch/dtype.hpp"
#include "dialect/dialect.hpp"
#include "dialect/mosaic.hpp"
#include "expr/evaluate.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

Given given_of(ArrayShape shape, const char* dtype = "bf16") {
  return {std::move(shape), dtype == nullptr ? nullptr : &require_dtype(dtype)};
}

LayoutForm read_mosaic(std::string_view text, const Given& given) {
  return require_dialect("mosaic").read(text, given).form;
}
std::string cute_of(std::string_view text, const Given& given) {
  return require_dialect("cute").write(read_mosaic(text, given)).text;
}
Written written_in_mosaic(const LayoutForm& form) { return require_dialect("mosaic").write(form); }

// "message | hint | what the caret marks"
std::string refusal(std::string_view text, const Given& given) {
  try {
    (void)translate(text, given, &require_dialect("mosaic"));
    return "read";
  } catch (const Error& e) {
    return fmt::format("{} | {} | {}", e.message(), e.hint, text.substr(e.span.begin, e.span.end - e.span.begin));
  }
}

std::int64_t pick(std::mt19937_64& random, std::int64_t first, std::int64_t last) {
  return first + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(last - first + 1));
}

bool is_same_form(const LayoutForm& a, const LayoutForm& b) {
  if (a.index() != b.index()) return false;
  if (const auto* shared = std::get_if<SharedForm>(&a)) return is_same_function(*shared, std::get<SharedForm>(b));
  return is_same_function(std::get<RegisterForm>(a), std::get<RegisterForm>(b));
}

}  // namespace

TEST_CASE("mosaic: the lines of the fact sheet") {
  struct {
    const char* text;
    ArrayShape shape;
    const char* cute;
  } const rows[] = {
      {"WGMMA_LAYOUT", {64, 8}, "((4,8,4),(2,2)):((128,1,16),(64,8))"},
      {"plgpu.Layout.WGMMA", {64, 8}, "((4,8,4),(2,2)):((128,1,16),(64,8))"},
      {"WGMMA_LAYOUT", {64, 64}, "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))"},
      {"TCGEN05_LAYOUT", {128, 16}, "registers: ((4,8,4),(2,4,2)):((256,1,32),(128,8,1024))"},
      {"TMEM_NATIVE_LAYOUT", {128, 16}, "registers: (128,16):(1,128)"},
      {"plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)",
       {64, 128},
       "Sw<3,3,3> o 0 o ((8,8),(64,2)):((64,1024),(1,512))"},
      {"TileTransform((8, 64)), swizzle=128", {64, 128}, "Sw<3,3,3> o 0 o ((8,8),(64,2)):((64,1024),(1,512))"},
      {"#mosaic_gpu.tile<8, 64>, #mosaic_gpu.swizzle<128>",
       {64, 128},
       "Sw<3,3,3> o 0 o ((8,8),(64,2)):((64,1024),(1,512))"},
      {"[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]", {64, 64}, "Sw<3,3,3> o 0 o (64,64):(64,1)"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(cute_of(row.text, given_of(row.shape)) == row.cute);
    CHECK(recognised_dialect(row.text).name == "mosaic");
  }
  // One column block: Mosaic, CuTe and Triton agree. Of more, CuTe's default is another layout, and (2,1) is Mosaic's.
  const ComposedLayout own = parse_layout("tile_to_shape(K_SW128<bf16>, (64,128), (2,1))").plain();
  CHECK(to_string(own) == "Sw<3,3,3> o 0 o ((8,8),(64,2)):((64,1024),(1,512))");
}

TEST_CASE("mosaic: a tile and a swizzle at every coordinate") {
  for (const char* dtype : {"e2m1", "s8", "bf16", "f32", "f64"})
    for (const std::int64_t swizzle : {16, 32, 64, 128})
      for (const std::int64_t t0 : {1, 4, 8, 12})
        for (const std::int64_t rows : {1, 3})
          for (const std::int64_t blocks : {1, 2, 3}) {
            const std::int64_t bits = require_dtype(dtype).memory_bits, t1 = 8 * swizzle / bits;
            const std::int64_t height = t0 * rows, width = t1 * blocks;
            const std::string text =
                fmt::format("gmem_transform=mgpu.TileTransform(({}, {})), swizzle={}", t0, t1, swizzle);
            const LayoutForm form = read_mosaic(text, given_of({height, width}, dtype));
            const std::vector<std::int64_t> offsets = offsets_of(std::get<SharedForm>(form));
            bool is_right = true;
            for (std::int64_t r = 0; r < height; ++r)
              for (std::int64_t c = 0; c < width; ++c) {
                const std::int64_t x = ((r / t0) * blocks + c / t1) * t0 * t1 + r % t0 * t1 + c % t1;
                const std::int64_t bit = x * bits, byte = bit / 8;
                const std::int64_t moved = (byte ^ (((byte >> 7) & (swizzle / 16 - 1)) << 4)) * 8 + bit % 8;
                is_right = is_right && offsets[static_cast<std::size_t>(r * width + c)] == moved / bits;
              }
            CAPTURE(text);
            CHECK(is_right);
          }
}

// ---- registers, by TiledLayout's own definition: the tiled indices of each element say who holds it

namespace {

std::vector<std::int64_t> numbers_by_definition(const TiledLayout& l, const ArrayShape& shape) {
  const auto tiled_index = [&](std::vector<std::int64_t> index) {
    for (const MosaicTile& tile : l.tiles) {
      const std::size_t first = index.size() - tile.size();
      std::vector<std::int64_t> rest;
      for (std::size_t i = 0; i < tile.size(); ++i) {
        rest.push_back(index[first + i] % tile[i]);
        index[first + i] /= tile[i];
      }
      index.insert(index.end(), rest.begin(), rest.end());
    }
    return index;
  };
  ArrayShape extents;  // the last element has the largest index in every dimension
  for (std::int64_t i : tiled_index(coordinate_of(element_count(shape) - 1, shape))) extents.push_back(i + 1);
  const auto place = [&](std::int64_t d) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(extents.size()) + d);
  };
  std::vector<bool> is_register(extents.size(), true);
  is_register[place(l.vector)] = false;
  for (const auto* dims : {&l.warps, &l.lanes})
    for (const ThreadDim& d : *dims)
      if (!d.is_copy) is_register[place(d.number)] = false;

  std::int64_t copies = 1;
  for (const auto* dims : {&l.warps, &l.lanes})
    for (const ThreadDim& d : *dims) copies *= d.is_copy ? d.number : 1;
  const std::int64_t values = element_count(shape) * copies / 128;
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(128 * values), -1);
  for (std::int64_t n = 0; n < element_count(shape); ++n) {
    const std::vector<std::int64_t> index = tiled_index(coordinate_of(n, shape));
    std::int64_t value = 0;
    for (std::size_t i = 0; i < extents.size(); ++i)
      if (is_register[i]) value = value * extents[i] + index[i];
    value = value * extents[place(l.vector)] + index[place(l.vector)];
    for (std::int64_t thread = 0; thread < 128; ++thread) {
      std::int64_t rest = thread;
      bool is_mine = true;
      for (const auto* dims : {&l.lanes, &l.warps})
        for (std::size_t i = dims->size(); i-- > 0;) {
          const ThreadDim& d = (*dims)[i];
          const std::int64_t extent = d.is_copy ? d.number : extents[place(d.number)];
          is_mine = is_mine && (d.is_copy || rest % extent == index[place(d.number)]);
          rest /= extent;
        }
      if (is_mine) numbers[static_cast<std::size_t>(thread * values + value)] = n;
    }
  }
  return numbers;
}

// One that Mosaic takes: tiles that divide each other, threads on some of their dimensions and copies for the rest.
TiledLayout random_tiled_layout(std::mt19937_64& random) {
  while (true) {
    TiledLayout l;
    MosaicTile tile(static_cast<std::size_t>(pick(random, 1, 3)));
    for (std::int64_t& d : tile) d = (std::int64_t{1} << pick(random, 0, 5)) * (pick(random, 0, 12) == 0 ? 3 : 1);
    l.tiles = {tile};
    for (std::int64_t n = pick(random, 0, 4); n > 0; --n) {
      tile.erase(tile.begin(), tile.end() - pick(random, 1, static_cast<std::int64_t>(tile.size())));
      for (std::int64_t& d : tile) do {
          const std::int64_t divisor = pick(random, 1, d);
          if (d % divisor == 0) {
            d = divisor;
            break;
          }
        } while (true);
      l.tiles.push_back(tile);
    }
    TiledDims dims = whole_dims(l.tiles[0]);
    for (const MosaicTile& t : l.tiles) dims = split_by(dims, t);
    std::vector<std::int64_t> free(dims.size() - l.tiles[0].size());
    std::iota(free.begin(), free.end(), -static_cast<std::int64_t>(free.size()));
    std::shuffle(free.begin(), free.end(), random);
    l.vector = pick(random, 0, 2) == 0 ? free[0] : -1;
    std::erase(free, l.vector);
    for (const auto& [part, threads] : {std::pair{&l.warps, std::int64_t{4}}, std::pair{&l.lanes, std::int64_t{32}}}) {
      std::int64_t left = threads;
      std::erase_if(free, [&, of = part](std::int64_t d) {
        const std::int64_t extent = dims[dims.size() - static_cast<std::size_t>(-d)].extent;
        if (extent == 1 || left % extent != 0 || pick(random, 0, 4) == 0) return false;
        of->push_back({false, d});
        left /= extent;
        return true;
      });
      if (left > 1)
        part->insert(part->begin() + pick(random, 0, static_cast<std::int64_t>(part->size())), {true, left});
    }
    try {
      return canonical(l);
    } catch (const Error&) {
      // As in Mosaic, the way to the canonical form may take one dimension of extent 1 for another.
    }
  }
}

ArrayShape random_multiple(const TiledLayout& l, std::mt19937_64& random, std::int64_t largest) {
  while (true) {
    ArrayShape shape = l.tiles[0];
    for (std::int64_t& d : shape) d *= pick(random, 0, 2) == 0 ? pick(random, 1, 3) : 1;
    if (pick(random, 0, 9) == 0) shape.insert(shape.begin(), pick(random, 1, 3));
    if (std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies()) <= largest) return shape;
    if (std::accumulate(l.tiles[0].begin(), l.tiles[0].end(), std::int64_t{1}, std::multiplies()) > largest) return {};
  }
}

}  // namespace

TEST_CASE("mosaic: who holds which element, by the definition of TiledLayout") {
  std::mt19937_64 random(1);
  int compared = 0;
  for (long round = 0; round < rounds_of(400, 10); ++round) {
    const TiledLayout l = random_tiled_layout(random);
    const ArrayShape shape = random_multiple(l, random, 1 << 10);
    if (shape.empty()) continue;
    const std::string text = to_string(l);
    CAPTURE(text);
    REQUIRE(numbers_of(layout_of(l, shape, {})) == numbers_by_definition(l, shape));
    ++compared;
  }
  CHECK(compared > at_least(200, 10));
}

TEST_CASE("mosaic: registers read back as they were, 20,000 TiledLayouts") {
  std::mt19937_64 random(2);
  int written = 0;
  while (written < rounds_of(20000, 40)) {
    const TiledLayout l = random_tiled_layout(random);
    const ArrayShape shape = random_multiple(l, random, 1 << 11);
    if (shape.empty()) continue;
    const std::string text = to_string(l);
    CAPTURE(text);
    const Given given = given_of(shape);
    const LayoutForm form = read_mosaic(text, given);
    REQUIRE(is_same_form(form, LayoutForm(layout_of(l, shape, element_width(given)))));
    const Written w = written_in_mosaic(form);
    CAPTURE(w.why);
    REQUIRE_FALSE(w.text.empty());
    CAPTURE(w.text);
    REQUIRE(is_same_form(read_mosaic(w.text, given), form));
    ++written;
  }
}

TEST_CASE("mosaic: shared memory reads back as it was, 20,000 dense layouts with and without a swizzle") {
  std::mt19937_64 random(3);
  const char* const dtypes[] = {"e2m1", "s8", "bf16", "f32", "f64"};
  int swizzled = 0;
  for (long round = 0; round < rounds_of(20000, 40); ++round) {
    // Leaves of random extents, dealt to the dimensions, in a random order of strides.
    const auto dimensions = static_cast<std::size_t>(pick(random, 1, 3));
    const DType& dtype = require_dtype(dtypes[pick(random, 0, 4)]);
    const std::int64_t swizzle = pick(random, 0, 2) == 0 ? 0 : std::int64_t{16} << pick(random, 1, 3);
    std::vector<std::vector<FlatMode>> leaves(dimensions);
    std::vector<std::pair<std::size_t, std::size_t>> order;
    const std::int64_t count = pick(random, 1, 5);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto d = static_cast<std::size_t>(pick(random, 0, static_cast<std::int64_t>(dimensions) - 1));
      order.push_back({d, leaves[d].size()});
      leaves[d].push_back({pick(random, 0, 5) == 0 ? 3 : std::int64_t{1} << pick(random, 0, 3), 0});
    }
    std::shuffle(order.begin(), order.end(), random);
    if (swizzle != 0) leaves[order[0].first][order[0].second].extent = 8 * swizzle / dtype.memory_bits;
    std::int64_t stride = 1;
    for (const auto& [d, i] : order) {
      leaves[d][i].stride = stride;
      stride *= leaves[d][i].extent;
    }
    ArrayShape shape;
    std::vector<Layout> modes;
    for (const auto& of : leaves) {
      const Layout mode(coalesce_modes(of));
      shape.push_back(mode.size());
      modes.push_back(mode);
    }
    const Layout layout = array_layout(modes);
    const ComposedLayout map =
        swizzle == 0 ? ComposedLayout(layout) : ComposedLayout(swizzle_of_bytes(swizzle, dtype.memory_bits), 0, layout);
    const SharedForm form = shared_form(shape, width_of(dtype), map);
    const Written w = written_in_mosaic(form);
    CAPTURE(to_string(map));
    CAPTURE(shape_text(shape));
    CAPTURE(dtype.name);
    CAPTURE(w.why);
    REQUIRE_FALSE(w.text.empty());
    CAPTURE(w.text);
    const SharedForm back = std::get<SharedForm>(read_mosaic(w.text, {shape, &dtype}));
    REQUIRE(offsets_of(back) == offsets_of(form));
    swizzled += swizzle != 0;
  }
  CHECK(swizzled > at_least(10000, 40));
}

TEST_CASE("mosaic: every name is what it writes for itself, in each spelling") {
  for (const auto& [name, pallas, shape] : {std::tuple{"WGMMA_LAYOUT", "WGMMA", ArrayShape{128, 24}},
                                            {"TCGEN05_LAYOUT", "TCGEN05", {128, 24}},
                                            {"TMEM_NATIVE_LAYOUT", "TCGEN05_TMEM_NATIVE", {256, 24}},
                                            {"WGMMA_LAYOUT_8BIT", "WGMMA_8BIT", {64, 48}},
                                            {"WGMMA_LAYOUT_UPCAST_2X", "WGMMA_UPCAST_2X", {64, 48}},
                                            {"WGMMA_LAYOUT_UPCAST_4X", "WGMMA_UPCAST_4X", {64, 96}},
                                            {"WGMMA_TRANSPOSED_LAYOUT", "WGMMA_TRANSPOSED", {64, 24}},
                                            {"TCGEN05_TRANSPOSED_LAYOUT", "TCGEN05_TRANSPOSED", {128, 24}},
                                            {"TMA_INDICES_LAYOUT", "TMA_INDICES", {48}},
                                            {"TMA_INDICES_4_LAYOUT", "TMA_INDICES_4", {12}}}) {
    const std::string spelled = name;
    CAPTURE(spelled);
    const Given given = given_of(shape);
    const LayoutForm form = read_mosaic(spelled, given);
    CHECK(written_in_mosaic(form).text == spelled);
    CHECK(is_same_form(read_mosaic("mgpu." + spelled, given), form));
    CHECK(is_same_form(read_mosaic(std::string("plgpu.Layout.") + pallas, given), form));
  }
  // The same functions under other names.
  CHECK(written_in_mosaic(read_mosaic("WGMMA_LAYOUT_ACC_32BIT", given_of({64, 8}))).text == "WGMMA_LAYOUT");
  CHECK(written_in_mosaic(read_mosaic("tcgen05.COL_LAYOUT", given_of({24}))).text == "WGMMA_COL_LAYOUT");
  CHECK(written_in_mosaic(read_mosaic("plgpu.Layout.WGMMA.reduce(1)", given_of({128}))).text == "WGMMA_ROW_LAYOUT");
  CHECK(written_in_mosaic(read_mosaic("plgpu.Layout.WGMMA.reduce((0,))", given_of({24}))).text == "WGMMA_COL_LAYOUT");
}

TEST_CASE("mosaic: spellings of one layout") {
  const Given given = given_of({64, 128});
  const LayoutForm wanted = read_mosaic("plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)", given);
  for (const char* text : {"transforms=(plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))",
                           "[plgpu.TilingTransform(tiling=(8, 64)), plgpu.SwizzleTransform(swizzle=128)]",
                           "gmem_transform=mgpu.TileTransform((8, 64)), swizzle=128",
                           "gmem_transform=(TileTransform((8, 64)),), swizzle=mgpu.SwizzlingMode.k128ByteSwizzle",
                           "plgpu.SMEM((64, 128), jnp.bfloat16, transforms=(plgpu.TilingTransform((8, 64)), "
                           "plgpu.SwizzleTransform(128)))",
                           "plgpu.BlockSpec((64, 128), lambda i: (i, 0), transforms=[plgpu.TilingTransform((8, 64)), "
                           "plgpu.SwizzleTransform(128)])",
                           "[#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]"}) {
    CAPTURE(text);
    CHECK(is_same_form(read_mosaic(text, given), wanted));
    CHECK(recognised_dialect(text).name == "mosaic");
  }
  // A buffer says its own shape and type.
  CHECK(is_same_form(read_mosaic("plgpu.SMEM((64, 128), jnp.bfloat16, transforms=(plgpu.TilingTransform((8, 64)), "
                                 "plgpu.SwizzleTransform(128)))",
                                 {}),
                     wanted));
  const LayoutForm registers = read_mosaic("WGMMA_LAYOUT", given);
  for (const char* text :
       {"TiledLayout(Tiling(((64, 8), (16, 8), (8, 8), (2,))), (-7,), (-3, -2), -1)",
        "TiledLayout(tiling=Tiling((64, 8)(16, 8)(8, 8)(2,)), warp_dims=(-7,), lane_dims=(-3, -2), vector_dim=-1)",
        "plgpu.Layout.TILED(plgpu.Tiling(((64, 8), (16, 8), (8, 8), (2,))), (-7,), (-3, -2), -1)",
        "#mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], "
        "vector_dim = "
        "-1>"}) {
    CAPTURE(text);
    CHECK(is_same_form(read_mosaic(text, given), registers));
  }
  // Element i * 128 * v + t * v + k.
  const LayoutForm strided = read_mosaic("WGStridedFragLayout(shape=(64, 64), vec_size=8)", {});
  const std::vector<std::int64_t> numbers = numbers_of(std::get<RegisterForm>(strided));
  for (std::int64_t t = 0; t < 128; ++t)
    for (std::int64_t v = 0; v < 32; ++v)
      CHECK(numbers[static_cast<std::size_t>(t * 32 + v)] == v / 8 * 1024 + t * 8 + v % 8);
  CHECK(is_same_form(read_mosaic("#mosaic_gpu.WGStridedFragLayout<[64, 64], 8>", {}), strided));
  CHECK(written_in_mosaic(strided).text == "WGStridedFragLayout(shape=(64, 64), vec_size=8)");
  // A Tiling alone is the order of the tiled array: XLA's notation for memory.
  CHECK(cute_of("Tiling((8, 64)(8,))", given_of({64, 128})) == "((8,8),(64,2)):((64,1024),(1,512))");
}

TEST_CASE("mosaic: what it refuses, with the place and the way out") {
  const Given given = given_of({64, 128});
  CHECK(refusal("plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128)", given) ==
        "a swizzle of 128 bytes takes rows of 64 bf16; the last dimension after tiling has 32 | "
        "TilingTransform((8, 64)) | plgpu.SwizzleTransform(128)");
  CHECK(refusal("mgpu.TileTransform((8, 48))", given) ==
        "the tile (8, 48) does not divide the array: 128 is not a multiple of 48 | each extent must be a multiple "
        "of its "
        "tile | mgpu.TileTransform((8, 48))");
  CHECK(refusal("plgpu.TilingTransform((8, 8)), plgpu.SwizzleTransform(16)", given) ==
        "a swizzle of 16 bytes | Pallas takes 32, 64 and 128; without a swizzle leave SwizzleTransform out | "
        "plgpu.SwizzleTransform(16)");
  CHECK(refusal("mgpu.TransposeTransform((0, 0))", given) ==
        "(0, 0) is not a permutation of 2 dimensions | it names each of 0 to 1 once | mgpu.TransposeTransform((0, "
        "0))");
  CHECK(refusal("WGMMA_LAYOUT", given_of({})) ==
        "this text does not say the shape of the array | add it: --shape 64x8, or multiples of it | ");
  CHECK(refusal("plgpu.Layout.WGMMA", given_of({60, 8})) ==
        "the tile (64, 8) does not divide the array: 60 is not a multiple of 64 | each extent must be a multiple "
        "of its "
        "tile | plgpu.Layout.WGMMA");
  CHECK(refusal("TiledLayout(Tiling(((64, 8), (16, 8), (8, 8), (2,))), (-7,), (-3,), -1)", given) ==
        "the lane dimensions number 8, not 32 | a warpgroup has 4 warps of 32 lanes; Replicated(n) stands for n "
        "copies | "
        "TiledLayout(Tiling(((64, 8), (16, 8), (8, 8), (2,))), (-7,), (-3,), -1)");
  CHECK(refusal("TiledLayout(Tiling(((64, 8), (16, 8), (8, 8), (1, 2))), (-8,), (-4, -3), -1)", given)
            .find("Mosaic takes TiledLayout(tiling=Tiling(tiles=((64, 8), (16, 8), (8, 8), (2,))), warp_dims=(-7,), "
                  "lane_dims=(-3, -2), vector_dim=-1)") != std::string::npos);
  CHECK(refusal("WGSplatFragLayout((64, 64))", given).starts_with("a splat has one value in every thread"));
  CHECK(refusal("WGStridedFragLayout((64, 64), 3)", {}) ==
        "4096 elements do not spread over 128 threads in vectors of 3 | their number must be a multiple of 128 * 3 | "
        "WGStridedFragLayout((64, 64), 3)");

  const auto why = [](const char* layout, const char* dtype = "bf16") {
    return translate(layout, given_of({}, dtype), &require_dialect("cute")).forms[5].written.why;
  };
  CHECK(why("(64,64):(72,1)") ==
        "padding, or elements that share an offset: a Mosaic array has every offset once; nearest: a swizzle "
        "instead of "
        "padding");
  CHECK(why("Sw<3,4,3> o 0 o (64,64):(64,1)") ==
        "Sw<3,4,3> on elements of 16 bits is none of the swizzles 32, 64 and 128: nearest is Sw<3,3,3>");
  CHECK(why("Sw<3,3,3> o 0 o (64,64):(64,1)", nullptr) ==
        "Mosaic's swizzles count bytes: the element type decides, for example --dtype bf16");
  CHECK(why("Sw<3,3,3> o 0 o (64,32):(32,1)") ==
        "a swizzle of 128 bytes takes runs of 64 elements: nearest is TilingTransform((8, 64))");
}

TEST_CASE("mosaic: column blocks, LBO and swizzle 16 are said") {
  const auto rules = [](const char* text, const ArrayShape& shape) {
    std::vector<std::string> names;
    for (const Finding& f : translate(text, given_of(shape), &require_dialect("mosaic")).notes)
      if (f.rule.starts_with("mosaic-")) names.push_back(f.rule);
    return names;
  };
  const char* const tile = "plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128)";
  CHECK(rules(tile, {64, 128}) == std::vector<std::string>{"mosaic-blocks", "mosaic-lbo"});
  CHECK(rules(tile, {64, 64}) == std::vector<std::string>{"mosaic-lbo"});
  CHECK(rules(tile, {8, 128}) == std::vector<std::string>{"mosaic-lbo"});
  CHECK(rules("mgpu.TileTransform((8, 8)), swizzle=16", {64, 8}) == std::vector<std::string>{"mosaic-swizzle-16"});
  CHECK(rules("#mosaic_gpu.transpose<[1, 0]>", {64, 8}) == std::vector<std::string>{"mosaic-transpose"});
  const Translation read = translate(tile, given_of({64, 128}), &require_dialect("mosaic"));
  CHECK(read.notes[0].message ==
        "Mosaic sets the 2 column blocks inside each row block; Triton, TileLang, ThunderKittens and CuTe's "
        "default order "
        "set all row blocks inside a column block, which is another layout (SBO 2048 B in Mosaic, 1024 B in the "
        "others)");
  // To Mosaic as well: CuTe's default order takes a transpose there.
  const Written w = written_in_mosaic(
      read_layout("Sw<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))", given_of({}), &require_dialect("cute")).form);
  CHECK(w.text == "gmem_transform=(mgpu.TileTransform((8, 64)), mgpu.TransposeTransform((1, 0, 2, 3))), swizzle=128");
  REQUIRE(w.notes.size() == 1);
  CHECK(w.notes[0].rule == "mosaic-blocks");
}

TEST_CASE("mosaic: tensor memory, by its formulas") {
  std::map<std::string_view, Reading> readings;  // each text is read once
  const auto address = [&](std::string_view text, const ArrayShape& shape, const char* dtype, std::int64_t row,
                           std::int64_t column) {
    auto known = readings.find(text);
    if (known == readings.end())
      known =
          readings.emplace(text, read_layout(text, {shape, &require_dtype(dtype)}, &require_dialect("mosaic"))).first;
    const auto& form = std::get<TensorForm>(known->second.form);
    const std::int64_t at = form.layout(row + column * shape[0]), per = form.elements_per_column;
    return std::array{at / per / 65536, at / per % 65536, at % per};  // lane, column, element of the column
  };
  for (std::int64_t r = 0; r < 64; ++r)
    for (std::int64_t c = 0; c < 64; ++c) {
      // Rows 16 q to 16 q + 15 in quarter q, the right half 16 lanes further.
      REQUIRE(address("tcgen05.tmem_half_lane_layout(64, packing=2)", {64, 64}, "bf16", r, c) ==
              std::array{r / 16 * 32 + r % 16 + c / 32 * 16, c % 32 / 2, c % 2});
      REQUIRE(address("tmem_m64_collective_layout(columns=64)", {64, 64}, "bf16", r, c) ==
              std::array<std::int64_t, 3>{r + c / 32 * 64, c % 32, 0});
      REQUIRE(address("tmem_default_layout(packing=4)", {128, 64}, "e4m3", 2 * r, c) ==
              std::array{2 * r, c / 4, c % 4});
      // A second block of 128 rows is to the right of the first.
      REQUIRE(address("tmem_default_layout()", {256, 64}, "f32", 4 * r, c) ==
              std::array<std::int64_t, 3>{4 * r % 128, 4 * r / 128 * 64 + c, 0});
      // Scale factors: 32 rows a lane, the four of a row in a column.
      REQUIRE(address("plgpu.TMEMLayout.SCALES_LAYOUT", {128, 8}, "ue8m0", 2 * r, c / 8) ==
              std::array{2 * r % 32, c / 8 / 4 * 4 + 2 * r / 32, c / 8 % 4});
    }
}

TEST_CASE("mosaic: tensor memory is written by name, Triton's as well, or refused") {
  const auto written = [](const char* text, const ArrayShape& shape, const char* dtype) {
    const Written w = require_dialect("mosaic").write(read_layout(text, {shape, &require_dtype(dtype)}).form);
    return w.text.empty() ? w.why : w.text;
  };
  CHECK(written("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>", {128, 64}, "f32") ==
        "tcgen05.tmem_default_layout(packing=1)");
  CHECK(written("#ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 1>", {64, 64}, "bf16") ==
        "tcgen05.tmem_half_lane_layout(64, packing=2)");
  CHECK(written("#ttng.tensor_memory_scales_encoding<>", {128, 8}, "ue8m0") == "tcgen05.scales_layout()");
  CHECK(written("TMEMLayout(tiling=Tiling(tiles=((256, 4), (128, 4), (32, 4))), warp_dims=(Replicated(times=2), -6), "
                "lane_dims=(-2,), vector_dim=-1)",
                {256, 4}, "ue8m0") == "tcgen05.b_scales_m64_collective_layout()");
  CHECK(written("#ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>", {128, 64}, "f32")
            .starts_with("neither an accumulator of 128 or 64 rows"));
}

TEST_CASE("mosaic: what its tensor memory refuses, with the way out") {
  const auto refused = [](const char* text, const Given& given) {
    try {
      (void)read_layout(text, given);
      return std::string("read");
    } catch (const Error& e) {
      return fmt::format("{} | {}", e.message(), e.hint);
    }
  };
  const Given f32{{128, 64}, &require_dtype("f32")};
  CHECK(refused("tcgen05.tmem_default_layout(packing=2)", f32) ==
        "a vector of 2 elements of 32 bits | a column has 32 bits: the packing of this type is 1");
  CHECK(refused("tcgen05.tmem_default_layout(packing=3)", f32) == "a packing of 3 | a power of two, at most 32");
  CHECK(refused("tcgen05.tmem_half_lane_layout(24)", f32) == "24 columns | columns must be a multiple of 16");
  CHECK(refused("tcgen05.sparse_meta_layout()", f32) ==
        "tcgen05.sparse_meta_layout does not say where the metadata lies: Mosaic compares it, and nothing else | swz "
        "tmem shows the metadata of a sparse MMA");
  CHECK(refused("tcgen05.tmem_default_layout()", {{128, 1024}, f32.dtype}) ==
        "1024 columns are more than the 512 of tensor memory | take a smaller array, or pack its elements");
  CHECK(refused("tcgen05.tmem_default_layout()", {{128, 64}, nullptr}) ==
        "this text does not say the element type | add it, for example --dtype f32");
  CHECK(refused("tcgen05.tmem_default_layout()", {{128}, f32.dtype}).starts_with("an array of 1 dimensions"));
}
