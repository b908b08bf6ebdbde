// SPDX-License-Identifier: Apache-2.0
// Lines: the contents of the input line, as words and back, and which option of a command each word belongs to.
//
//   line.read("swz layout '(8,64):(64,1)'")         {stages: [["layout", "(8,64):(64,1)"]], before: []}
//   line.read("log | swz tma check --paste")        {stages: [["tma", "check", "--paste"]], before: ["log"]}
//   line.text(["layout", "(8,64):(64,1)"])          "layout '(8,64):(64,1)'", as a shell takes it
//   line.parse(["place", "--tile", "8x64"], help)   {command, name: 1, values: [{row, text, first: 1, count: 2}], …}
//   line.set(words, parsed, row, ["16x64"])         ["place", "--tile", "16x64"]
//
// `help` is the answer to `swz help -f json`: every command with its rows. Nothing here knows an option by itself but -f
// and -o, which the page answers by showing every format and by files that are saved.
"use strict";

const line = (() => {
  const isBlank = letter => letter === " " || letter === "\t" || letter === "\n";

  // The words of a shell line: quotes '…' and "…", backslash, # begins a comment, | alone begins another stage. An open
  // quote ends with the line: someone is still typing.
  function words(text) {
    const pipe = [[]];
    let at = 0;
    while (at < text.length) {
      if (isBlank(text[at])) { ++at; continue; }
      if (text[at] === "#") break;
      const begin = at;
      let word = "", quote = "";
      for (; at < text.length && (quote || !isBlank(text[at])); ++at) {
        const letter = text[at];
        if (quote && letter === quote) quote = "";
        else if (!quote && (letter === "'" || letter === '"')) quote = letter;
        else if (letter === "\\" && quote !== "'" && at + 1 < text.length &&
                 (!quote || '"\\$`'.includes(text[at + 1]))) word += text[++at];
        else word += letter;
      }
      if (text.slice(begin, at) === "|") pipe.push([]);
      else pipe.at(-1).push(word);
    }
    return pipe;
  }

  // The words of each swz in a pipe, and those before the first. A line without a pipe need not name swz.
  function read(text) {
    const pipe = words(text.replace(/^\s*\$\s/, ""));
    const first = Math.max(0, pipe.length > 1 ? pipe.findIndex(stage => stage[0] === "swz") : 0);
    const stages = pipe.slice(first).map(stage => stage[0] === "swz" ? stage.slice(1) : stage);
    return {stages, before: pipe.slice(0, first).flat()};
  }

  const quoted = word => /^[A-Za-z0-9_@%+=:,.\/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
  const text = list => list.map(quoted).join(" ");

  const names = row => row.name.split(/,\s*/);
  const longName = row => names(row).reduce((a, b) => b.length > a.length ? b : a);
  const isOption = word => word.length > 1 && word[0] === "-" && word !== "--" && !/[0-9(]/.test(word[1]);
  const isFlag = row => !row.value;

  // The row that a word names, with the value that is written into the word.
  function named(word, rows) {
    const equals = word.startsWith("--") ? word.indexOf("=") : -1;
    const name = equals < 0 ? word : word.slice(0, equals);
    const row = rows.find(one => names(one).includes(name));
    if (row) return {row, value: equals < 0 ? null : word.slice(equals + 1)};
    const short = rows.find(one => names(one).includes(word.slice(0, 2)) && !isFlag(one));
    return short && word[1] !== "-" ? {row: short, value: word.slice(2)} : null;
  }

  // The values that the words give to rows, in their order; `first` and `count` say which words each of them is. `name` is
  // how many words the command's name has, `unknown` holds the words that belong to nothing.
  function parse(list, help) {
    const common = help.options;
    const values = [], free = [], unknown = [];
    // The name decides which rows there are: it is looked for first, between options of every command.
    let command = null, nameAt = [];
    for (let i = 0; i < list.length && !command; ++i) {
      if (isOption(list[i])) {
        const found = named(list[i], common);
        if (found && found.value === null && !isFlag(found.row)) ++i;
        continue;
      }
      const next = list.findIndex((word, j) => j > i && !isOption(word));
      const two = help.commands.find(one => one.name === `${list[i]} ${list[next]}`);
      command = two || help.commands.find(one => one.name === list[i]) || null;
      nameAt = two ? [i, next] : [i];
      break;
    }
    const own = command ? [...command.options] : [];
    const rows = own.concat(common.filter(row => !own.some(mine => names(mine).some(name => names(row).includes(name)))));
    for (let i = 0; i < list.length; ++i) {
      if (command && nameAt.includes(i)) continue;
      if (list[i] === "--") {
        for (let j = i + 1; j < list.length; ++j) free.push(j);
        break;
      }
      if (!isOption(list[i])) { free.push(i); continue; }
      const found = named(list[i], rows);
      if (!found) { unknown.push(i); continue; }
      const {row, value} = found;
      const takesNext = value === null && !isFlag(row) && i + 1 < list.length &&
                        !(row.value_optional && isOption(list[i + 1]));
      values.push({row, text: value ?? (takesNext ? list[i + 1] : isFlag(row) ? "" : "-"), first: i,
                   count: takesNext ? 2 : 1});
      if (takesNext) ++i;
    }
    const places = command ? command.arguments : [];
    free.forEach((at, i) => {
      const row = places[Math.min(i, places.length - 1)];
      if (row && (i < places.length || row.repeats)) values.push({row, text: list[at], first: at, count: 1});
      else unknown.push(at);
    });
    return {command, name: nameAt.length, nameAt, rows, values, unknown};
  }

  // The words where the row has these texts and no others; of a flag [] or [""].
  function set(list, parsed, row, texts) {
    const old = parsed.values.filter(value => value.row === row);
    const made = texts.flatMap(value => !row.value && row.name[0] !== "-" ? [value]
                                      : isFlag(row) ? [longName(row)]
                                      : value[0] === "-" && value !== "-" ? [`${longName(row)}=${value}`]
                                      : [longName(row), value]);
    const gone = new Set(old.flatMap(({first, count}) => Array.from({length: count}, (_, i) => first + i)));
    const end = list.indexOf("--");
    const isArgument = row.name[0] !== "-";
    // In the old place; otherwise an argument before the options, and an option after all words.
    const behindName = Math.max(-1, ...parsed.nameAt, ...parsed.values.filter(value => value.row.name[0] !== "-")
                                                          .map(value => value.first)) + 1;
    const place = old.length ? old[0].first : isArgument ? behindName : end < 0 ? list.length : end;
    const out = [];
    for (let i = 0; i <= list.length; ++i) {
      if (i === place) out.push(...made);
      if (i < list.length && !gone.has(i)) out.push(list[i]);
    }
    return out;
  }

  // The words without the options of these names.
  function without(list, parsed, ...dropped) {
    const gone = new Set();
    for (const {row, first, count} of parsed.values)
      if (dropped.includes(longName(row))) for (let i = 0; i < count; ++i) gone.add(first + i);
    return list.filter((_, i) => !gone.has(i));
  }

  const has = (parsed, name) => parsed.values.some(value => longName(value.row) === name);
  const value = (parsed, name) => parsed.values.find(one => longName(one.row) === name)?.text;

  return {read, text, quoted, parse, set, without, has, value, names, longName, isFlag};
})();
