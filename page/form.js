// SPDX-License-Identifier: Apache-2.0
// The form: one row for each argument and option of a command, made of what `swz help -f json` says of them.
//
//   form.show(parsed, help, texts => …)   draws the rows once for a command, then sets them to the line's values; a change
//                                         calls back with (row, its new texts)
//
// A flag is a box; a row with a few words and no others is a list, otherwise a field that offers the words; a row that may be
// repeated has a field more than values. What cannot go with the line's other options is faint, and says why.
"use strict";

const form = (() => {
  // What the page itself does: -f are its views, -o its copies; colours are those of the page.
  const ours = ["--format", "--output", "--color", "--help", "--version"];
  const box = () => document.getElementById("form");
  let drawnFor = null, rows = [], changed = null;

  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  function field(row, i) {
    const id = `row-${i}`;
    if (line.isFlag(row) && row.name[0] === "-") return element("input", {type: "checkbox", id});
    if (row.choices && !row.other_values && !row.repeats) {
      const none = row.default || row.default_note || "";
      return element("select", {id}, element("option", {value: "", textContent: none ? `· ${none}` : "·"}),
                     ...row.choices.map(word => element("option", {value: word, textContent: word})));
    }
    const made = element("input", {type: "text", id, spellcheck: false, autocapitalize: "off",
                                   placeholder: row.default || row.value || ""});
    if (row.choices) made.setAttribute("list", `words-${i}`);
    return made;
  }

  const values = holder => {
    const inputs = [...holder.querySelectorAll("input, select")];
    if (inputs[0].type === "checkbox") return inputs[0].checked ? [""] : [];
    return inputs.map(input => input.value).filter(text => text !== "");
  };

  function drawRow(row, i) {
    const what = [row.description, row.unit ? `in ${row.unit}` : "", row.required ? "required" : "",
                  row.default_note && !row.choices ? `default: ${row.default_note}` : ""].filter(Boolean);
    const holder = element("div", {className: "row"},
                           element("label", {htmlFor: `row-${i}`, textContent: line.longName(row)}),
                           element("div", {}, field(row, i)), element("small", {textContent: what.join("; ")}));
    if (row.choices && !(row.choices && !row.other_values && !row.repeats))
      holder.append(element("datalist", {id: `words-${i}`}, ...row.choices.map(word => element("option", {value: word}))));
    holder.addEventListener("input", () => changed(row, values(holder)));
    return {row, holder};
  }

  function draw(parsed, help) {
    drawnFor = parsed.command;
    const {command} = parsed;
    const own = [...command.arguments, ...command.options];
    const title = help.options.findIndex(row => line.longName(row) === "--title");
    const shared = help.options.map((row, i) => ({row, isPicture: i >= title}))
      .filter(({row}) => parsed.rows.includes(row) && row.description && !ours.includes(line.longName(row)));
    rows = [...own, ...shared.filter(one => !one.isPicture).map(one => one.row),
            ...shared.filter(one => one.isPicture).map(one => one.row)].map(drawRow);
    const pictures = shared.filter(one => one.isPicture).length, all = rows.map(one => one.holder);
    const more = element("details", {}, element("summary", {textContent: "Options of every picture"}),
                         ...all.slice(all.length - pictures));
    box().replaceChildren(...all.slice(0, all.length - pictures), more);
  }

  // Sets a row's fields to the texts, as few as may be: the one under the cursor is not changed if it has the same value.
  function fill({row, holder}, texts, i) {
    const inputs = [...holder.querySelectorAll("input, select")];
    if (inputs[0].type === "checkbox") {
      inputs[0].checked = texts.length > 0;
      return;
    }
    if (!row.repeats) {
      const text = texts.at(-1) ?? "", input = inputs[0];
      if (input.tagName === "SELECT" && text && ![...input.options].some(option => option.value === text))
        input.append(element("option", {value: text, textContent: text}));
      if (input.value !== text) input.value = text;
      return;
    }
    if (values(holder).join("\0") === texts.join("\0") && inputs.length > texts.length) return;
    const place = holder.querySelector("div");
    while (place.children.length < texts.length + 1) place.append(field(row, i));
    while (place.children.length > texts.length + 1 && place.lastChild !== document.activeElement) place.lastChild.remove();
    [...place.children].forEach((input, j) => { if (input.value !== (texts[j] ?? "")) input.value = texts[j] ?? ""; });
  }

  function show(parsed, help, whenChanged) {
    changed = whenChanged;
    if (!parsed.command) {
      drawnFor = null;
      box().replaceChildren(element("small", {textContent: "Choose a command."}));
      return;
    }
    if (drawnFor !== parsed.command) draw(parsed, help);
    const given = parsed.values.map(value => line.longName(value.row));
    rows.forEach((one, i) => {
      const {row, holder} = one, name = line.longName(row);
      fill(one, parsed.values.filter(value => value.row === row).map(value => value.text), i);
      const isGiven = given.includes(name);
      const against = given.filter(other => (row.excludes || []).includes(other) ||
        parsed.values.some(value => line.longName(value.row) === other && (value.row.excludes || []).includes(name)));
      const needs = (row.needs || []).length && !row.needs.some(other => given.includes(other));
      holder.classList.toggle("given", isGiven);
      holder.classList.toggle("out", !isGiven && (against.length > 0 || needs));
      holder.title = against.length ? `not together with ${against.join(", ")}` : needs ? `with ${row.needs.join(" or ")}` : "";
    });
  }

  return {show, element};
})();
