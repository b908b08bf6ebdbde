// SPDX-License-Identifier: Apache-2.0
// The picture of the way of a scale factor: the numbers of its answer, at any width, without a text on another.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "answers.hpp"
#include "asked.hpp"
#include "render/picture.hpp"
#include "render/scene_laws.hpp"

using namespace swz;

TEST_CASE("sf way: four stages with the numbers of the answer") {
  for (const char* line : {"sf way --kind mxf4nvf4 --vec 16 --operand b --n 256 --k 256 --row 200 --kb 6",
                           "sf way --kind mxf8f6f4 --operand a --m 128 --n 128 --k 512 --row 5 --kb 15",
                           "sf way --kind mxf4 --vec 32 --operand a --m 256 --cta-group 2 --k 256 --row 77 --kb 3"}) {
    CAPTURE(std::string(line));
    const nlohmann::json json = json_of(words_of(line));
    const Document document = asked(words_of(line)).document;
    for (const double width : {900.0, 400.0, 325.0}) {
      const Scene scene = picture_of(document, {.width = {width}});
      std::string faults;
      for (const std::string& fault : faults_of(scene)) faults += fault + "\n";
      CHECK(faults == "");
      CHECK(scene.width <= width + 0.01);
      CHECK(scene.height <= 2 * width);
      const std::vector<Label> labels = items_of<Label>(scene);
      const auto says = [&](const std::string& text) { return std::ranges::count(labels, text, &Label::text) > 0; };
      CHECK(says(fmt::format("byte {:#x}", json["gmem"].get<int>())));
      CHECK(says(fmt::format("byte {:#x} of it", json["smem"].get<int>())));
      CHECK(says("cp " + std::to_string(json["copy"].get<int>())));
      CHECK(says("column " + std::to_string(json["column"].get<int>()) + ", byte " +
                 std::to_string(json["byte"].get<int>())));
      CHECK(says("4. MMA " + std::to_string(json["mma"].get<int>())));
      CHECK(says("idesc " + json["idesc"].get<std::string>()));
    }
  }
}
