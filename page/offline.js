// SPDX-License-Identifier: Apache-2.0
// A service worker: after the first visit the page works without its server. It keeps the files of one build, all of them
// or none; another build has another name (scripts/page), and takes the place of this one at the next visit.
"use strict";

const build = "swz-BUILD";
const names = ["index.html", "style.css", "start.js", "cards.js", "engine.js", "line.js", "form.js", "answer.js", "page.js",
               "swz.wasm.gzip"];

addEventListener("install", event => {
  // Past the cache of the browser, which may hold files of an older build.
  const fresh = names.map(name => new Request(name, {cache: "reload"}));
  event.waitUntil(caches.open(build).then(kept => kept.addAll(fresh)).then(() => skipWaiting()));
});

addEventListener("activate", event => event.waitUntil((async () => {
  // Other pages of this origin have caches of their own.
  for (const name of await caches.keys()) if (name.startsWith("swz-") && name !== build) await caches.delete(name);
  await clients.claim();
})()));

// The folder is index.html; what follows "?" is for the page alone.
addEventListener("fetch", event => {
  const {origin, pathname, href} = new URL(event.request.url);
  const folder = new URL("./", location.href);
  if (event.request.method !== "GET" || origin !== location.origin || !pathname.startsWith(folder.pathname)) return;
  const name = pathname.slice(folder.pathname.length) || "index.html";
  if (!names.includes(name)) return;
  event.respondWith(caches.open(build).then(kept => kept.match(new URL(name, folder).href)).then(found => found ?? fetch(href)));
});
