// SPDX-License-Identifier: Apache-2.0
// Cuts a tile into MMA operands and asks CuTe for the descriptor of each.
//
//   TileOf<half_t, Layout_K_SW128_Atom<half_t>, Major::K, both>::cut<4, Cut<128, 64>>(names, out)
//     two tiles of 128 x 64, atoms stacked MN first and K first, four steps of K 16; MMAs of 64 rows: 8 words each
//
// One cut costs 0.2 s to compile, however many words it has. What only has to be a type stays one: code for
// tile_to_shape and flat_divide would cost half as much again.
#pragma once

#include "shared_memory.hpp"
// Shared memory comes first.
#include <cute/atom/mma_traits_sm100.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>
#include <cute/tensor.hpp>
#include <initializer_list>

#include "descriptors.hpp"

namespace swz {

enum class Ask { gmma = 1, umma = 2, both = 3 };
constexpr bool asks(Ask ask, Ask what) { return (int(ask) & int(what)) != 0; }

// swz's name of a type of CuTe; several for the types that CuTe keeps as uint8_t in shared memory.
struct TypeName {
  const char* dtype;
  bool in_slots = false;
};
using TypeNames = std::initializer_list<TypeName>;

// A tile of `rows` along MN, `mma_rows` of them for each MMA.
template <int rows, int mma_rows>
struct Cut {
  static constexpr int mn = rows, mma_mn = mma_rows;
};

template <class T, class Atom, cute::UMMA::Major major, Ask ask>
class TileOf {
 public:
  TileOf(const char* swizzle, TypeNames names, CuteTiles& out) : swizzle_(swizzle), names_(names), out_(out) {}

  template <int k_steps, class... Cuts>
  void cut() const {
    (cut_both_ways<k_steps, Cuts>(), ...);
  }

 private:
  static constexpr int mma_k = 256 / cute::sizeof_bits<T>::value;
  static constexpr bool is_mn = major == cute::UMMA::Major::MN;

  template <int k_steps, class C>
  void cut_both_ways() const {
    add<k_steps, C, cute::Step<cute::_1, cute::_2>>(false);
    add<k_steps, C, cute::Step<cute::_2, cute::_1>>(true);
  }

  template <int k_steps, class C, class Order>
  void add(bool is_k_first) const {
    using namespace cute;
    constexpr auto gmma_major = is_mn ? SM90::GMMA::Major::MN : SM90::GMMA::Major::K;
    const auto begin = make_tensor(make_smem_ptr<T>(shared_memory + cute_tile_base), Atom{}).data();
    using Layout = decltype(tile_to_shape(Atom{}, Shape<Int<C::mn>, Int<k_steps * mma_k>>{}, Order{}));
    using Tile = decltype(make_tensor(begin, Layout{}.layout_b()));
    using Operands = decltype(flat_divide(std::declval<Tile>(), Shape<Int<C::mma_mn>, Int<mma_k>>{}));
    using Operand = decltype(std::declval<Operands>()(_, _, 0, 0));
    CuteTile t{"", false, is_mn, swizzle_, is_k_first, C::mn, k_steps * mma_k, C::mma_mn, mma_k, {}, {}};
    for (int k = 0; k < k_steps; ++k) {
      for (int m = 0; m < C::mn / C::mma_mn; ++m) {
        const typename Operand::engine_type at{begin + typename Operands::layout_type{}(0, 0, m, k)};
        const Operand operand(at, typename Operand::layout_type{});
        if constexpr (asks(ask, Ask::gmma))
          t.gmma.push_back(std::uint64_t(SM90::GMMA::make_gmma_desc<gmma_major>(operand)));
        if constexpr (asks(ask, Ask::umma)) t.umma.push_back(std::uint64_t(UMMA::make_umma_desc<major>(operand)));
      }
    }
    for (const TypeName& name : names_) {
      t.dtype = name.dtype;
      t.in_slots = name.in_slots;
      out_.push_back(t);
    }
  }

  const char* swizzle_;
  TypeNames names_;
  CuteTiles& out_;
};

// Operands of 8 rows up to the whole tile, a number of rows that is not a power of two, and steps of K that stay in an
// atom and that leave it.
template <class T, Ask ask>
void add_k_major(TypeNames names, CuteTiles& out) {
  using namespace cute::UMMA;
  const auto add = [&]<class Atom, int one_atom, int several>(const char* swizzle) {
    const TileOf<T, Atom, Major::K, ask> tile(swizzle, names, out);
    tile.template cut<one_atom, Cut<8, 8>, Cut<192, 96>, Cut<256, 256>>();
    tile.template cut<several, Cut<64, 8>, Cut<120, 24>, Cut<256, 64>, Cut<256, 128>>();
  };
  add.template operator()<Layout_K_INTER_Atom<T>, 1, 5>("none");
  add.template operator()<Layout_K_SW32_Atom<T>, 1, 5>("32B");
  add.template operator()<Layout_K_SW64_Atom<T>, 2, 6>("64B");
  add.template operator()<Layout_K_SW128_Atom<T>, 4, 8>("128B");
}

// For one more type of a width: one tile for each atom.
template <class T, Ask ask>
void add_k_major_sample(TypeNames names, CuteTiles& out) {
  using namespace cute::UMMA;
  TileOf<T, Layout_K_INTER_Atom<T>, Major::K, ask>("none", names, out).template cut<4, Cut<128, 64>>();
  TileOf<T, Layout_K_SW32_Atom<T>, Major::K, ask>("32B", names, out).template cut<4, Cut<128, 64>>();
  TileOf<T, Layout_K_SW64_Atom<T>, Major::K, ask>("64B", names, out).template cut<4, Cut<128, 64>>();
  TileOf<T, Layout_K_SW128_Atom<T>, Major::K, ask>("128B", names, out).template cut<8, Cut<128, 64>>();
}

template <class T, Ask ask>
void add_mn_major_sample(TypeNames names, CuteTiles& out) {
  using namespace cute::UMMA;
  TileOf<T, Layout_MN_INTER_Atom<T>, Major::MN, ask>("none", names, out).template cut<4, Cut<256, 128>>();
  TileOf<T, Layout_MN_SW32_Atom<T>, Major::MN, ask>("32B", names, out).template cut<4, Cut<256, 128>>();
  TileOf<T, Layout_MN_SW64_Atom<T>, Major::MN, ask>("64B", names, out).template cut<4, Cut<256, 128>>();
  TileOf<T, Layout_MN_SW128_Atom<T>, Major::MN, ask>("128B", names, out).template cut<4, Cut<256, 256>>();
}

// Operands inside one atom, of one, of several, of the whole tile.
template <class T, Ask ask>
void add_mn_major(TypeNames names, CuteTiles& out) {
  using namespace cute::UMMA;
  constexpr int chunk = 128 / cute::sizeof_bits<T>::value;
  const auto add = [&]<class Atom, int lines>(const char* swizzle) {
    const TileOf<T, Atom, Major::MN, ask> tile(swizzle, names, out);
    constexpr int atom = lines * chunk;
    tile.template cut<1, Cut<atom, atom>, Cut<2 * atom, chunk>, Cut<256, 256>>();
    tile.template cut<4, Cut<2 * atom, lines == 1 ? atom : atom / 2>, Cut<3 * atom, atom>, Cut<256, 128>>();
  };
  add.template operator()<Layout_MN_INTER_Atom<T>, 1>("none");
  add.template operator()<Layout_MN_SW32_Atom<T>, 2>("32B");
  add.template operator()<Layout_MN_SW64_Atom<T>, 4>("64B");
  add.template operator()<Layout_MN_SW128_Atom<T>, 8>("128B");
}

}  // namespace swz
