// SPDX-License-Identifier: Apache-2.0
// The page: what the line says is asked while it is typed, and shown. The address holds line, view and standard input, so
// that a link opens the same view:
//
//   index.html#line=decode+0x4000004000010042&view=text
//
// Every answer is swz's own (engine.js): text with the colours of a terminal, the picture of -f html, JSON, and the lines
// that one asks next (cmd/page_answer.hpp). The page adds --color, --theme and --width where the line does not have them,
// and leaves -f and -o to its views and copies. Without a line it shows questions as cards, each with the picture of its
// answer: these and the help are files (page/start.py), so that they do not wait for the module.
"use strict";

(() => {
  const at = id => document.getElementById(id);
  const {element} = form;
  const views = ["answer", "picture", "text", "json", "help"];
  const files = {};  // name: Uint8Array, those that were chosen or dropped
  const state = {view: "answer", theme: "auto", format: ""};
  // Every command with its rows, the answer to swz help -f json; the cards {asks, line}.
  const {help, questions} = swzStart;
  const elsewhere = new Set(swzStart.elsewhere);  // what a page cannot do: names of commands, lines of examples

  // --- the line

  const read = () => {
    const whole = line.read(at("line").value);
    const words = whole.stages.at(-1), parsed = line.parse(words, help);
    // What printf prints in the examples is known without a shell.
    const printed = whole.before[0] === "printf" && whole.before[1] === "%s\\n"
                  ? whole.before.slice(2).map(word => `${word}\n`).join("") : null;
    const plain = words.length ? line.without(words, parsed, "--format", "--output") : ["help"];
    return {...whole, words, parsed, plain, printed};
  };

  // Answers the last swz of the line's pipe, with more words after it; null if a newer question took its place.
  async function ask(now, more, {kind, variables = {}, words = now.plain} = {}) {
    const stages = [...now.stages.slice(0, -1), [...words, ...more]];
    let stdin = now.printed ?? at("stdin").value, last = null;
    for (const stage of stages) {
      last = await engine.ask({words: stage, stdin, files, variables}, kind);
      if (!last || last.exit > 1) return last;
      stdin = last.out;
    }
    return last;
  }

  const commandLine = now => [...(now.before.length ? [line.text(now.before)] : []),
                              ...now.stages.map(words => `swz ${line.text(words)}`)].join(" | ");

  // --- what is shown

  const isDark = () => (state.theme === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : state.theme === "dark");
  const columns = () => {
    const ruler = element("span", {textContent: "0".repeat(50)});
    at("text").append(ruler);
    const wide = ruler.getBoundingClientRect().width / 50;
    ruler.remove();
    return Math.floor(at("text").clientWidth / wide);
  };
  const has = (now, name) => line.has(now.parsed, name);
  const pictureWords = now => {
    const room = at("ask").clientWidth || document.body.clientWidth - 16, isWide = has(now, "--full") || has(now, "--cols");
    return [...themeWords(now), ...(has(now, "--width") || (room >= 900 && !isWide) ? [] : ["--width", `${room}px`])];
  };
  const themeWords = now => has(now, "--theme") ? [] : ["--theme", isDark() ? "dark" : "light"];

  const verdicts = ["", "no · ", "error · ", "cannot · "];
  function showText(given, text) {
    at("text").replaceChildren(answer.colored(text.replace(/\n$/, "")));
    at("text").classList.remove("stale");
    at("status").textContent = `${verdicts[given.exit] ?? ""}${given.ms.toFixed(given.ms < 10 ? 1 : 0)} ms`;
    at("status").title = `exit ${given.exit}`;
    at("status").className = given.exit === 0 ? "" : given.exit === 1 ? "no" : "wrong";
    at("ask").classList.toggle("wrong", given.exit === 2);
  }
  const textOf = given => given.exit < 2 || given.out ? given.out + given.err : given.err;

  const hidePicture = () => {
    at("picture").classList.remove("stale");
    at("picture").hidden = true;
    at("picture").replaceChildren();
  };

  async function showPicture(html) {
    at("picture").hidden = false;
    await answer.picture(at("picture"), html);
    at("picture").classList.remove("stale");
  }

  // What the views ask besides the line's words, and how it is shown: [text, html or null].
  const asks = {
    answer: now => ["--page", ...now.plain, ...colorWords(now), ...pictureWords(now)],
    picture: now => [...now.plain, "-f", "html", ...pictureWords(now)],
    text: now => [...now.plain, ...colorWords(now)],
    json: now => [...now.plain, "-f", "json"],
    help: now => [...now.parsed.nameAt.map(i => now.words[i]), "--help", ...colorWords(now)],
  };
  const colorWords = now => has(now, "--color") ? [] : ["--color", "always"];
  function partsOf(given, view) {
    if (given.exit > 1) return [textOf(given), null];
    if (view === "picture") return ["", given.out];
    // What writes by itself (batch) is no object of the page.
    if (view !== "answer" || !given.out.startsWith('{"text":')) return [textOf(given), null];
    const {text, picture} = JSON.parse(given.out);
    return [text + given.err, picture];
  }

  const answerTo = (now, view) =>
    ask(now, [], {kind: "answer", words: asks[view](now), variables: view === "json" ? {} : {COLUMNS: String(columns())}});

  // The promise is that the picture is there.
  function display(given, view) {
    const [text, picture] = partsOf(given, view);
    at("text").hidden = !text;
    showText(given, text);
    return picture ? showPicture(picture) : hidePicture();
  }

  let shown = 0;
  async function show() {
    at("embedded").firstElementChild.href = `index.html${location.hash}`;
    at("embedded").querySelector("code").textContent = at("line").value;
    const turn = ++shown, now = read(), view = state.view, isStart = !now.words.length && !now.before.length;
    at("landing").hidden = !isStart;
    document.body.classList.toggle("start", isStart);
    at("bar").hidden = isStart;
    showGuides(now);
    at("next").hidden = true;
    if (isStart) {
      hidePicture();
      at("text").hidden = at("given").hidden = at("note").hidden = true;
      at("ask").classList.remove("wrong");
      at("text").classList.remove("stale");
      await showCards();
    } else {
      at("text").classList.add("stale");
      at("picture").classList.add("stale");
      form.show(now.parsed, help, changeRow);
      const given = await answerTo(now, view);
      if (!given || turn !== shown) return;
      showNote(now, given);
      await display(given, view);
      if (turn === shown && view === "answer" && given.exit < 2) await showNext(now, turn);
    }
    if (turn === shown) document.documentElement.dataset.shown = String(turn);  // for the tests: this answer is whole
  }

  // The questions that follow, with the numbers of this answer: the program knows them.
  async function showNext(now, turn) {
    const given = await ask(now, [], {kind: "next", words: ["--page-next", ...now.plain]});
    if (!given || given.exit > 1 || turn !== shown || !given.out.startsWith('{"next":')) return;
    const {next} = JSON.parse(given.out);
    at("next").hidden = !next.length;
    at("next").replaceChildren(element("h2", {textContent: "Next"}), ...next.map(({asks, line: text}) =>
      lineLink(text, element("span", {textContent: asks}), codeOf(text))));
  }

  // --- the questions without a line

  let cards = null;  // a promise of swzCards
  async function showCards() {
    if (!at("landing").children.length)
      at("landing").replaceChildren(
        element("p", {textContent: "Choose a question and change its numbers, or type: what is pasted is recognised."}),
        ...questions.map(({asks, line: text}) => {
          const card = lineLink(text, element("div", {}, element("img", {alt: ""})), element("span", {textContent: asks}), codeOf(text));
          return Object.assign(card, {className: "card"});
        }));
    await (cards ??= engine.script("cards.js"));
    for (const card of at("landing").querySelectorAll(".card"))
      card.querySelector("img").src ||= `data:image/svg+xml,${encodeURIComponent(swzCards[card.dataset.line])}`;
    engine.load();
  }

  // --- what is around it

  // As high as its text, which does not scroll.
  function growStdin() {
    at("stdin").style.height = "auto";
    if (at("stdin").scrollHeight) at("stdin").style.height = `${at("stdin").scrollHeight + 2}px`;
  }

  function showNote(now, given) {
    const missing = given.err.match(/cannot open '([^']+)'/);
    const reads = now.words.some(word => word === "-" || word === "@-") || now.before.length > 0 ||
                  now.parsed.values.some(({row, text}) => row.value_optional && text === "-");
    const note = missing ? `A page reads the files that it is given: choose ${missing[1]}, or drop it here.`
               : now.before.length && now.printed === null
               ? `${line.text(now.before)} does not run in a page: put what it prints into standard input.` : "";
    at("note").textContent = note;
    at("note").hidden = !note;
    at("given").hidden = !(reads || missing || Object.keys(files).length);
    at("stdin").hidden = at("stdin-label").hidden = !reads;
    at("stdin").readOnly = now.printed !== null;
    if (now.printed !== null) at("stdin").value = now.printed;
    growStdin();
    at("file-names").textContent = Object.entries(files).map(([name, bytes]) => `${name}, ${bytes.length} B`).join(" · ");
  }

  const addressOf = (text, view = state.view, stdin = "") => {
    const parts = new URLSearchParams({line: text});
    if (view !== "answer") parts.set("view", view);
    if (stdin) parts.set("in", stdin);
    return `#${parts}`;
  };
  const mark = (link, isCurrent) =>
    isCurrent ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
  const bare = example => example.includes(" | ") ? example : example.replace(/^swz /, "");

  const lineLink = (text, ...children) => {
    const link = element("a", {href: addressOf(text, "answer")}, ...children);
    link.dataset.line = text;
    return link;
  };
  // A line breaks between words, not after the hyphens of an option.
  const codeOf = text => element("code", {}, ...text.split(" ").flatMap(word => [element("i", {textContent: word}), " "]));

  let guidesFor;
  function showGuides({parsed: {command}}) {
    for (const link of at("examples").querySelectorAll("a"))
      mark(link, link.dataset.line === bare(at("line").value));
    if (guidesFor === command) return;
    guidesFor = command;
    const name = command ? command.name : "";
    for (const link of at("commands").querySelectorAll("a")) mark(link, link.textContent === name);
    at("command-list").value = name;
    at("tagline").textContent = command ? command.summary : "shared-memory layouts of NVIDIA tensor cores";
    document.title = name ? `swz ${name}` : "swz";
    const examples = (command ? [command] : commandsHere()).flatMap(one => command ? one.examples : one.examples.slice(0, 1))
      .filter(one => !elsewhere.has(one.line));
    at("examples").replaceChildren(...examples.map(({line: example, says}) => {
      const link = lineLink(bare(example), codeOf(example), element("span", {textContent: says}));
      mark(link, bare(example) === bare(at("line").value));
      return element("li", {}, link);
    }));
  }

  // How a command is begun: its first example, or its name.
  const beginning = command => bare(command.examples.length ? command.examples[0].line : command.name);
  const commandsHere = () => help.commands.filter(command => !elsewhere.has(command.name));

  // In the groups of the help: the question that they answer, and their names.
  function drawCommands() {
    const groups = help.questions.map(({question, commands}) =>
      ({question, commands: commandsHere().filter(command => commands.includes(command.name))})).filter(group => group.commands.length);
    at("commands").replaceChildren(...groups.map(({question, commands}) =>
      element("section", {}, element("h2", {textContent: question}), ...commands.map(command =>
        Object.assign(lineLink(beginning(command), command.name), {title: command.summary})))));
    at("command-list").replaceChildren(element("option", {value: "", textContent: "command…"}),
      ...groups.map(({question, commands}) => element("optgroup", {label: question},
        ...commands.map(command => element("option", {value: command.name, textContent: command.name})))));
  }

  // --- changes

  function setView(view) {
    state.view = view;
    for (const button of at("views").children) button.setAttribute("aria-pressed", String(button.dataset.view === view));
  }

  // The format that a line asks for decides the view when it appears.
  function followFormat() {
    const {parsed} = read();
    const suffix = (line.value(parsed, "--output") || "").match(/\.(\w+)$/);
    const format = line.value(parsed, "--format") || (suffix ? suffix[1] : "");
    const view = {json: "json", text: "text", txt: "text"}[format] || (format ? "picture" : null);
    if (view && format !== state.format) setView(view);
    state.format = format;
  }

  const address = () => addressOf(at("line").value, state.view, at("given").hidden ? "" : at("stdin").value);
  // Typing changes the address in place; Enter, an example or a view makes a step that "back" undoes.
  function changed(isStep) {
    if (location.hash !== address()) history[isStep ? "pushState" : "replaceState"](null, "", address());
    return show();
  }

  // Takes a whole line, in the view that is open.
  function take(text) {
    at("line").value = text;
    followFormat();
    closeList();
    return changed(true);
  }

  function changeRow(row, texts) {
    const {before, stages, words, parsed} = read();
    const pipe = [...stages.slice(0, -1), line.set(words, parsed, row, texts)];
    at("line").value = [...(before.length ? [line.text(before)] : []),
                        ...pipe.map((one, i) => `${before.length || pipe.length > 1 ? "swz " : ""}${line.text(one)}`)].join(" | ");
    changed(false);
  }

  function open() {
    const parts = new URLSearchParams(location.hash.slice(1));
    // The line is one line: a browser would drop the ends of others, and join their words.
    at("line").value = (parts.get("line") ?? "").replaceAll("\n", " ");
    at("stdin").value = parts.get("in") ?? "";
    const view = parts.get("view");
    state.format = "";
    setView("answer");
    followFormat();
    if (views.includes(view)) setView(view);
    closeList();
    return show();
  }

  // --- completions, which the program gives as it gives them to a shell

  const list = at("completions");
  let chosen = -1;
  function closeList() {
    list.hidden = true;
    chosen = -1;
    at("line").setAttribute("aria-expanded", "false");
    at("line").removeAttribute("aria-activedescendant");
  }

  async function complete() {
    const input = at("line"), text = input.value;
    if (input.selectionStart !== text.length) return closeList();
    const words = line.read(text).stages.at(-1);
    const isNew = /\s$/.test(text), last = isNew ? "" : words.at(-1) ?? "";
    const given = await engine.ask({words: ["--complete", "fish", ...words, ...(isNew ? [""] : [])]}, "completions");
    if (!given || input.value !== text) return;
    const found = given.out.split("\n").filter(one => one && one[0] !== ":").map(one => one.split("\t"));
    const isValue = found.length && !found[0][0].startsWith("-");
    if (!found.length || (!last && !isValue) || !words.length || (found.length === 1 && found[0][0] === last) ||
        found.some(([word]) => word === last)) return closeList();
    list.replaceChildren(...found.slice(0, 60).map(([word, says], i) =>
      element("li", {id: `completion-${i}`, role: "option"}, word, element("span", {textContent: says || ""}))));
    list.hidden = false;
    chosen = -1;
    showWindow();
    input.setAttribute("aria-expanded", "true");
  }

  // Of a long list those near the chosen one: the list does not scroll.
  const seen = 10;
  function showWindow() {
    const items = [...list.children], first = Math.min(Math.max(0, chosen - seen / 2), Math.max(0, items.length - seen));
    items.forEach((item, i) => { item.hidden = i < first || i >= first + seen; });
    list.dataset.more = Math.max(0, items.length - first - seen) || "";
  }

  function choose(step) {
    chosen = (chosen + step + list.children.length) % list.children.length;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === chosen)));
    showWindow();
    at("line").setAttribute("aria-activedescendant", `completion-${chosen}`);
  }

  function accept(item) {
    const text = at("line").value, word = item.firstChild.textContent;
    at("line").value = `${text.slice(0, text.search(/\S*$/))}${word}${word.endsWith("=") ? "" : " "}`;
    closeList();
    followFormat();
    changed(false);
    complete();
  }

  // --- copies

  const kinds = {text: [], json: ["-f", "json"], svg: ["-f", "svg"], tex: ["-f", "tex"]};
  async function contentOf(kind) {
    const now = read();
    if (kind === "command") return commandLine(now);
    if (kind === "link") return location.href;
    const more = kind === "png" ? ["-f", "svg", ...themeWords(now)] : kinds[kind];
    const given = await ask(now, more);
    if (given.exit > 1) throw new Error("there is an error, and nothing to copy");
    return kind === "png" ? answer.png(given.out) : given.out;
  }

  async function copy(kind) {
    const names = {command: "swz.txt", link: "swz.txt", text: "swz.txt"}, said = at("copied");
    try {
      const type = kind === "png" ? "image/png" : "text/plain";
      said.textContent = await answer.copy(type, contentOf(kind), names[kind] || `swz.${kind}`);
      said.className = "done";
    } catch (failure) {
      said.textContent = failure.message;
      said.className = "failed";
    }
    setTimeout(() => Object.assign(said, {textContent: "Copy", className: ""}), 2000);
  }

  // --- files

  async function takeFiles(given) {
    for (const file of given) files[file.name] = new Uint8Array(await file.arrayBuffer());
    show();
  }

  // --- theme

  function setTheme(theme) {
    state.theme = theme;
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    at("theme").textContent = `theme: ${theme}`;
  }
  // A page that is opened from a file may have no storage.
  const stored = (() => { try { return localStorage.getItem("swz-theme"); } catch { return null; } })();
  function nextTheme() {
    const themes = ["auto", "light", "dark"];
    setTheme(themes[(themes.indexOf(state.theme) + 1) % themes.length]);
    try { localStorage.setItem("swz-theme", state.theme); } catch { /* it is forgotten */ }
    show();
  }

  // --- events

  at("line").addEventListener("input", () => { followFormat(); changed(false); complete(); });
  at("line").addEventListener("blur", closeList);
  at("line").addEventListener("keydown", event => {
    if (list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(event.key === "ArrowDown" ? 1 : chosen < 0 ? 0 : -1);
    } else if ((event.key === "Tab" && !event.shiftKey) || (event.key === "Enter" && chosen >= 0)) {
      event.preventDefault();
      accept(list.children[Math.max(chosen, 0)]);
    } else if (event.key === "Escape") {
      event.stopPropagation();
      closeList();
    }
  });
  list.addEventListener("mousedown", event => {
    const item = event.target.closest("li");
    event.preventDefault();  // the line keeps the focus, and with it the list
    if (item) accept(item);
  });
  at("ask").addEventListener("submit", event => { event.preventDefault(); closeList(); changed(true); });
  at("form").addEventListener("submit", event => event.preventDefault());
  at("stdin").addEventListener("input", () => { growStdin(); changed(false); });
  at("views").addEventListener("click", ({target}) => {
    if (!target.dataset.view) return;
    setView(target.dataset.view);
    changed(true);
  });
  at("copies").addEventListener("click", ({target}) => { if (target.dataset.copy) copy(target.dataset.copy); });
  at("command-list").addEventListener("change", ({target}) => {
    const command = help.commands.find(one => one.name === target.value);
    if (command) take(beginning(command));
  });
  addEventListener("click", event => {
    const link = event.target.closest("a[data-line]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    take(link.dataset.line);
  });
  at("theme").addEventListener("click", nextTheme);
  at("choose-file").addEventListener("click", () => at("file").click());
  at("file").addEventListener("change", ({target}) => takeFiles(target.files));
  addEventListener("dragover", event => event.preventDefault());
  addEventListener("drop", event => { event.preventDefault(); takeFiles(event.dataTransfer.files); });
  addEventListener("hashchange", open);
  let width = innerWidth;
  addEventListener("resize", () => {
    answer.fit(at("picture"));
    if (width !== innerWidth) show();
    width = innerWidth;
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { setTheme(state.theme); show(); });
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input:not([type=checkbox]), textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const examples = [...at("examples").querySelectorAll("a")];
    const current = examples.findIndex(link => link.hasAttribute("aria-current"));
    const step = {"[": -1, "]": 1}[event.key];
    if (event.key === "/") { event.preventDefault(); at("line").select(); at("line").focus(); }
    else if (event.key >= "1" && event.key <= String(views.length)) { setView(views[event.key - 1]); changed(true); }
    else if (event.key.toLowerCase() === "t") nextTheme();
    else if (event.key.toLowerCase() === "p") at("picture").querySelector("iframe")?.focus();
    else if (step && examples.length) examples[(Math.max(current, 0) + (current < 0 ? 0 : step) + examples.length) % examples.length].click();
  });

  // An answer inside of another page: nothing but it, and a link to the whole page.
  if (new URLSearchParams(location.search).has("embed")) document.body.classList.add("embed");
  if (location.protocol !== "file:") navigator.serviceWorker?.register("offline.js").catch(() => { /* it needs its server */ });

  setTheme(["light", "dark"].includes(stored) ? stored : "auto");
  at("version").textContent = `swz ${swzStart.version}`;
  drawCommands();
  if (innerWidth < 1088) at("examples-box").open = at("options-box").open = false;
  open();
})();
