// SPDX-License-Identifier: Apache-2.0
// Answers as the page shows and copies them: coloured text, a picture that can be pointed at, a PNG.
//
//   answer.colored("\x1b[1mfield\x1b[0m")       a fragment with <span class="b">field</span>
//   answer.picture(holder, html)                what `swz -f html` wrote, in a frame of its own
//   await answer.png(svg)                       a Blob, twice as many pixels as the SVG states
//   await answer.copy("text/plain", text, name)  to the clipboard, or into a file
"use strict";

const answer = (() => {
  // What a terminal makes of the numbers after ESC [.
  const classes = {1: "b", 2: "d", 31: "bad", 32: "good", 33: "warn", 36: "accent"};
  const cube = [0, 95, 135, 175, 215, 255];

  // One of the 256 colours of a terminal; swz uses those from 16 on.
  function terminalColor(number) {
    if (number >= 232) return `rgb(${Array(3).fill(8 + 10 * (number - 232))})`;
    const i = number - 16;
    return `rgb(${[cube[Math.floor(i / 36)], cube[Math.floor(i / 6) % 6], cube[i % 6]]})`;
  }

  function colored(text) {
    const out = document.createDocumentFragment();
    let span = null;
    for (const piece of text.split(/(\x1b\[[0-9;]*m)/)) {
      if (!piece.startsWith("\x1b[")) {
        if (span) span.append(piece);
        out.append(span || piece);
        continue;
      }
      const numbers = piece.slice(2, -1).split(";").map(Number);
      if (numbers[0] === 0) { span = null; continue; }
      span = document.createElement("span");
      for (let i = 0; i < numbers.length; ++i) {
        const isColor = numbers[i] === 38 || numbers[i] === 48;
        if (isColor) span.style[numbers[i] === 38 ? "color" : "background"] = terminalColor(numbers[i + 2]);
        else if (classes[numbers[i]]) span.classList.add(classes[numbers[i]]);
        if (isColor) i += 2;
      }
    }
    return out;
  }

  // The new picture is drawn behind the old one, which it replaces when it is there: nothing flickers. It is as high as it
  // is: only the page scrolls. Its slider and the line that says what is pointed at move from the frame into the page, where
  // they stay in sight; its script goes on using them.
  function picture(holder, html) {
    for (const waiting of holder.querySelectorAll(".coming")) waiting.remove();
    const frame = document.createElement("iframe");
    frame.title = "picture";
    frame.className = "coming";
    frame.scrolling = "no";
    // It may do nothing but draw and run the one script that the policy in index.html names; this page measures it.
    frame.sandbox = "allow-scripts allow-same-origin";
    frame.srcdoc = html;
    holder.append(frame);
    return new Promise(done => frame.addEventListener("load", () => {
      if (!frame.isConnected) return done();
      const page = frame.contentDocument;
      page.documentElement.style.background = "transparent";
      page.body.style.margin = page.body.style.padding = "0";
      page.addEventListener("keydown", event => { if (event.key === "/") document.getElementById("line").focus(); });
      for (const old of [...holder.children]) if (old !== frame) old.remove();
      const steps = page.getElementById("steps"), said = page.getElementById("said");
      if (steps) holder.prepend(steps);
      if (said) holder.append(said);
      frame.className = "";
      fit(holder);
      done();
    }));
  }

  function fit(holder) {
    const frame = holder.querySelector("iframe:not(.coming)");
    if (frame?.contentDocument?.body) frame.style.height = `${Math.ceil(frame.contentDocument.body.offsetHeight)}px`;
  }

  async function png(svg) {
    const [, width, height] = svg.match(/<svg[^>]* width="([0-9.]+)" height="([0-9.]+)"/).map(Number);
    // A browser draws no canvas of more than about 16,000 pixels on a side.
    const scale = Math.min(2, 16000 / Math.max(width, height));
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"),
                                 {width: Math.round(width * scale), height: Math.round(height * scale)});
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise(done => canvas.toBlob(done, "image/png"));
  }

  // content: a promise of text or of a Blob; the clipboard is asked at once, while the click still counts. What cannot go
  // there (from a page of plain http, say) is saved as a file. Returns "copied" or "saved".
  async function copy(type, content, name) {
    const blob = content.then(what => what instanceof Blob ? what : new Blob([what], {type}));
    try {
      await navigator.clipboard.write([new ClipboardItem({[type]: blob})]);
      return "copied";
    } catch {
      const link = Object.assign(document.createElement("a"), {href: URL.createObjectURL(await blob), download: name});
      link.click();
      URL.revokeObjectURL(link.href);
      return "saved";
    }
  }

  return {colored, picture, fit, png, copy};
})();
