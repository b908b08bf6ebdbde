// SPDX-License-Identifier: Apache-2.0
// HTML: one file with the picture and the tooltips of its cells, which needs no network.
//
//   pointer on a cell, or arrow keys    the tooltip of the cell is shown below the picture; cells of other panels with
//                                       the same tooltip are highlighted with it
//   click, tap or Enter                 pins it; Escape releases it
//   slider, or N and P                  for a picture with steps: all of them, as it opens, or the cells of one; the
//                                       others are faint
//
// The picture is that of svg_text. The script reads the tooltips, so that both show the same.
#include <fmt/format.h>

#include "render/scene.hpp"

namespace swz {
namespace {

constexpr std::string_view page_style = R"css(
body{margin:0;padding:1rem;font:15px/1.4 system-ui,sans-serif;background:var(--page);color:var(--text)}
svg{max-width:100%;height:auto;display:block;touch-action:manipulation}
#said{position:sticky;bottom:0;min-height:2.8em;margin:.5rem 0 0;padding:.4rem 0;white-space:pre-line;
  background:var(--page);font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:13px}
#over rect{fill:none;stroke:var(--accent);stroke-width:3;pointer-events:none}
#over rect.at{stroke:var(--alarm);stroke-width:4}
#said.help{color:var(--soft);font-family:system-ui,sans-serif}
#steps{position:sticky;top:0;display:flex;gap:.75rem;align-items:center;margin:0 0 .5rem;padding:.4rem 0;
  background:var(--page)}
#step{flex:0 1 16rem;accent-color:var(--accent)}
)css";

constexpr std::string_view page_script = R"js(
const svg = document.querySelector('svg'), said = document.getElementById('said');
const help = matchMedia('(hover: none)').matches ? said.dataset.tap : said.dataset.help;
const cells = [...svg.querySelectorAll('rect > title')].map(title => {
  const rect = title.parentNode, says = title.textContent;
  title.remove();
  rect.dataset.says = says;
  return rect;
});
const alike = new Map();
for (const rect of cells) {
  if (!alike.has(rect.dataset.says)) alike.set(rect.dataset.says, []);
  alike.get(rect.dataset.says).push(rect);
}
// The outlines of lit cells are painted last, so that no neighbour covers them.
const over = document.createElementNS('http://www.w3.org/2000/svg', 'g');
over.id = 'over';
svg.append(over);
function outline(rect, name) {
  const copy = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  for (const key of ['x', 'y', 'width', 'height']) copy.setAttribute(key, rect.getAttribute(key));
  if (name) copy.setAttribute('class', name);
  over.append(copy);
}
said.hidden = !cells.length && !document.getElementById('steps');
let current = null, pinned = null;
function light(rect) {
  for (const lit of svg.querySelectorAll('.lit')) lit.classList.remove('lit');
  current = rect;
  const shown = rect || pinned;
  over.replaceChildren();
  if (shown) for (const same of alike.get(shown.dataset.says)) { same.classList.add('lit'); outline(same); }
  if (pinned) outline(pinned, 'at');
  said.textContent = shown ? shown.dataset.says : help;
  said.classList.toggle('help', !shown);
}
function pin(rect) {
  if (pinned) pinned.classList.remove('pinned');
  pinned = rect && rect !== pinned ? rect : null;
  if (pinned) pinned.classList.add('pinned');
  light(pinned);
}
const cellOf = event => event.target.closest && event.target.closest('rect[data-says]');
svg.addEventListener('pointerover', event => { if (!pinned) light(cellOf(event)); });
svg.addEventListener('pointerleave', () => { if (!pinned) light(null); });
svg.addEventListener('click', event => pin(cellOf(event)));
const middle = rect => [+rect.getAttribute('x') + rect.getAttribute('width') / 2,
                        +rect.getAttribute('y') + rect.getAttribute('height') / 2];
// The nearest cell in a direction; what lies aside counts double.
function next(from, right, down) {
  const [x, y] = middle(from);
  let best = null, least = Infinity;
  for (const rect of cells) {
    const [a, b] = middle(rect), along = (a - x) * right + (b - y) * down, aside = Math.abs((a - x) * down) + Math.abs((b - y) * right);
    if (along > 0.5 && along + 2 * aside < least) { least = along + 2 * aside; best = rect; }
  }
  return best || from;
}
// At position 0 of the slider all steps are seen, at position i those of class q(i-1).
const slider = document.getElementById('step'), names = slider ? slider.dataset.names.split('\n') : [];
const stepName = document.getElementById('shown');
function show(position) {
  const text = position ? names[position - 1] : 'all steps';
  slider.value = position;
  slider.setAttribute('aria-valuetext', text);
  stepName.textContent = text;
  names.forEach((_, i) => {
    for (const item of svg.querySelectorAll('.q' + i)) item.classList.toggle('other', position > 0 && i !== position - 1);
  });
}
if (slider) {
  slider.addEventListener('input', () => show(+slider.value));
  show(0);
}
const arrows = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]}, turns = {n: 1, p: -1};
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const turn = turns[event.key.toLowerCase()];
  if (event.key === 'Escape') { pin(null); light(null); }
  else if (slider && turn) show(Math.min(Math.max(+slider.value + turn, 0), names.length));
  else if (event.target === slider) return;
  else if (event.key === 'Enter' && current) pin(current);
  else if (arrows[event.key] && cells.length) {
    event.preventDefault();
    const from = pinned || current, to = from ? next(from, ...arrows[event.key]) : cells[0];
    if (pinned) { pin(null); pin(to); } else light(to);
  }
});
light(null);
)js";

constexpr std::string_view cell_help =
    "Point at a cell, or move with the arrow keys; click or Enter pins it, Escape lets it go.";
constexpr std::string_view tap_help = "Tap a cell; another tap lets it go.";
constexpr std::string_view step_help = " N and P go to the next step and to the previous one.";

std::string slider_of(const Scene& scene) {
  if (scene.steps.empty()) return "";
  std::string names;
  for (const std::string& name : scene.steps) names += (names.empty() ? "" : "\n") + xml_text(name);
  return fmt::format(
      "<p id=\"steps\"><input type=\"range\" id=\"step\" min=\"0\" max=\"{}\" value=\"0\" autocomplete=\"off\" "
      "aria-label=\"step\" data-names=\"{}\"><output id=\"shown\" for=\"step\"></output></p>\n",
      scene.steps.size(), names);
}

// "--page:#ffffff;--text:…" for one page.
std::string variables(const Scene& scene, Page page) {
  struct Variable {
    const char* name;
    Ink ink;
  };
  constexpr Variable all[] = {
      {"page", Ink::page}, {"text", Ink::text}, {"soft", Ink::soft}, {"accent", Ink::accent}, {"alarm", Ink::alarm}};
  std::string out;
  for (const Variable& variable : all)
    out += fmt::format("--{}:{};", variable.name, hex_of({variable.ink}, page, scene.palette));
  return out;
}

}  // namespace

std::string html_text(const Scene& scene, const Outliner& outline) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n<style>",
      xml_text(scene.title.empty() ? "swz" : scene.title));
  out += fmt::format(":root{{{}}}", variables(scene, page_of(scene.theme)));
  if (follows_page(scene.theme))
    out += fmt::format("@media (prefers-color-scheme:dark){{:root{{{}}}}}", variables(scene, Page::dark));
  out.append(page_style);
  if (!scene.steps.empty())
    out += fmt::format(".other{{opacity:{}}}.other.lit,.other.pinned{{opacity:1}}\n", faint_opacity);
  out.append("</style>\n").append(slider_of(scene)).append(svg_text(scene, {.marks_steps = true, .outline = outline}));
  out += fmt::format(
      "<p id=\"said\" class=\"help\" aria-live=\"polite\" data-tap=\"{2}\" data-help=\"{0}{1}\">{0}{1}</p>\n<script>",
      cell_help, scene.steps.empty() ? "" : step_help, tap_help);
  return out.append(page_script).append("</script>\n</html>\n");
}

}  // namespace swz
