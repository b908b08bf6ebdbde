// SVG: whole files of small scenes, and what may not be in any.
#include <doctest/doctest.h>

#include "render/scene.hpp"

using namespace swz;

TEST_CASE("a scene as SVG, whole") {
  Scene scene{40.5, 20, "one & two", {}};
  scene.items.push_back(Box{0, 0, 40.5, 20, {Ink::page}});
  scene.items.push_back(Box{1, 2, 10.25, 8, {Ink::tint, {3, 1}}, {Ink::line}, 1, true, "row 0\nk 8"});
  scene.items.push_back(Rule{0, 0.004, 5, 5, {Ink::border}, 1.75});
  scene.items.push_back(Label{6, 9, 11, "<3>", {Ink::on_tint}, Label::Anchor::middle});
  scene.items.push_back(Label{6, 9, 10, "k", {Ink::soft, {}, true}, Label::Anchor::end, Label::Face::sans_bold});
  CHECK(
      svg_text(scene) ==
      R"(<svg xmlns="http://www.w3.org/2000/svg" role="img" width="40.5" height="20" viewBox="0 0 40.5 20" font-size="11">
<title>one &amp; two</title>
<style>text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre;pointer-events:none}.f{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,'DejaVu Sans',sans-serif}.w{font-weight:600}.m{text-anchor:middle}.e{text-anchor:end}.n{fill:none}.p{fill:#ffffff}.h3b{fill:#ee96b9}.o{fill:#14181d}.s{fill:#57606a}.kl{stroke:#8c959f}.kb{stroke:#24292f}@media (prefers-color-scheme:dark){.p{fill:#0d1117}.h3b{fill:#85485b}.o{fill:#f0f4f8}.s{fill:#9ba6b2}.kl{stroke:#5b6570}.kb{stroke:#c9d1d9}}</style>
<rect class="p" x="0" y="0" width="40.5" height="20"/>
<rect class="h3b kl" x="1" y="2" width="10.25" height="8"><title>row 0
k 8</title></rect>
<path class="kb" d="M0 0L5 5" stroke-width="1.75"/>
<text class="o m" x="6" y="9">&lt;3&gt;</text>
<text class="s f w e" x="6" y="9" font-size="10" opacity="0.35">k</text>
</svg>
)");
}

TEST_CASE("what XML cannot hold is written as it is printed elsewhere, or left out") {
  Scene scene{10, 10, std::string("nul \0 bell \a", 12), {}};
  scene.items.push_back(Label{0, 9, 11, "\x1b[31m \xff \xef\xbf\xbe \xef\xbf\xbf ü", {}});
  const std::string svg = svg_text(scene);
  for (const char c : svg) CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
  CHECK(svg.find("nul \\x00 bell \\x07") != std::string::npos);
  CHECK(svg.find("\\x1b[31m \\xff") != std::string::npos);
  CHECK(svg.find("\xef\xbf\xbe") == std::string::npos);
  CHECK(svg.find("\xef\xbf\xbf") == std::string::npos);
  CHECK(svg.find("ü") != std::string::npos);
}
