#include "command.hpp"

namespace swz {

const Commands& commands() {
  static const Commands table{
      decode_command(),        encode_smem_command(),  encode_idesc_command(), desc_command(),
      map_command(),           phase_command(),        layout_command(),       diff_command(),
      place_command(),         banks_command(),        choose_command(),       swizzle_explain_command(),
      swizzle_find_command(),  swizzle_lint_command(), frag_command(),         tiles_command(),
      verify_command(),        verify_tma_command(),   verify_tile_command(),  verify_desc_command(),
      verify_layout_command(), tma_check_command(),    tma_encode_command(),   tma_place_command(),
      tma_plan_command(),      arch_command(),         batch_command()};
  return table;
}

}  // namespace swz
