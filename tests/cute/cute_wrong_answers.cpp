// SPDX-License-Identifier: Apache-2.0
#include "answer.hpp"
#include "wrong_answers.hpp"

namespace {
using namespace cute;

template <int... N>
using S = Shape<Int<N>...>;
template <int... N>
using D = Stride<Int<N>...>;

}  // namespace

std::vector<swz::ReportedCase> swz::reported_cases() {
  const auto answer = [](auto a) { return answer_of(a); };
  return {
      {"(4,6,8):(2,3,5) o 6:3", "NVIDIA/cutlass#3177",
       answer(composition(Layout<S<4, 6, 8>, D<2, 3, 5>>{}, Layout<_6, _3>{}))},
      {"(6,2):(1,7) o (3,2):(2,3)", "NVIDIA/cutlass#2955",
       answer(composition(Layout<S<6, 2>, D<1, 7>>{}, Layout<S<3, 2>, D<2, 3>>{}))},
      {"(2,3):(1,2) o (2,3):(3,1)", "NVIDIA/cutlass#1353",
       answer(composition(Layout<S<2, 3>, D<1, 2>>{}, Layout<S<2, 3>, D<3, 1>>{}))},
      {"(10,2):(16,4) o (3,4):(1,5)", "NVIDIA/cutlass#2113",
       answer(composition(Layout<S<10, 2>, D<16, 4>>{}, Layout<S<3, 4>, D<1, 5>>{}))},
      {"(5,2):(6,22) o (4,4):(3,10)", "",
       answer(composition(Layout<S<5, 2>, D<6, 22>>{}, Layout<S<4, 4>, D<3, 10>>{}))},
      {"logical_divide((8,2):(2,1),3:1)", "", answer(logical_divide(Layout<S<8, 2>, D<2, 1>>{}, Layout<_3, _1>{}))},
      {"complement((2,2):(1,3),12)", "", answer(complement(Layout<S<2, 2>, D<1, 3>>{}, _12{}))},
      {"logical_product(2:7,(4,4):(1,4))", "",
       answer(logical_product(Layout<_2, Int<7>>{}, Layout<S<4, 4>, D<1, 4>>{}))},
      {"left_inverse((12,4):(3,3))", "", answer(left_inverse(Layout<S<12, 4>, D<3, 3>>{}))},
      {"upcast((2,2):(1,1),2)", "", answer(upcast<2>(Layout<S<2, 2>, D<1, 1>>{}))},
      {"downcast((8,1):(1,1),8)", "", answer(downcast<8>(Layout<S<8, 1>, D<1, 1>>{}))},
      {"upcast((Sw<2,0,-3> o 0 o (2,128):(1,2)),8)", "",
       answer(upcast<8>(ComposedLayout<Swizzle<2, 0, -3>, Int<0>, Layout<S<2, 128>, D<1, 2>>>{}))},
      {"right_inverse((Sw<1,1,2> o 0 o (4,2):(2,1)))", "",
       answer(right_inverse(ComposedLayout<Swizzle<1, 1, 2>, Int<0>, Layout<S<4, 2>, D<2, 1>>>{}))},
      {"cosize((Sw<1,0,2> o 0 o 5:1))", "NVIDIA/cutlass#1497",
       answer(cosize(ComposedLayout<Swizzle<1, 0, 2>, Int<0>, Layout<_5, _1>>{}))},
      {"max_common_vector((Sw<1,2,2> o 1 o 8:1),8:1)", "",
       answer(max_common_vector(ComposedLayout<Swizzle<1, 2, 2>, Int<1>, Layout<_8, _1>>{}, Layout<_8, _1>{}))},
  };
}
