// SPDX-License-Identifier: Apache-2.0
// The engine: asks swz, which is swz.wasm, as a shell would ask it. Every question is a process of its own: words,
// standard input, files and variables go in; the exit code and what was written come out.
//
//   await engine.ask({words: ["decode", "0x42", "-f", "json"]})
//   → {exit: 0, out: '{"descriptors":[…', err: "", ms: 1.4}
//   await engine.script("cards.js")     a script beside the page, once it has run
//   engine.load()                       fetches the module before the first question, which otherwise does
//
// It runs in a worker, so that the page answers keys during any question. Questions of one `kind` replace each other:
// an older one that still waits is answered by null, one that has run for more than `patience` is ended. Of those without
// a kind each is answered.
"use strict";

const engine = (() => {
  // What the program finds of a system: WASI preview 1, as far as swz uses it. Runs in the worker, by itself.
  function system() {
    const errno = {fine: 0, badFile: 8, noEntry: 44, readOnly: 69, notSeekable: 70, missing: 52};
    const encode = text => new TextEncoder().encode(text);

    // One process. files: {name: Uint8Array}, all in the directory /, which is descriptor 3.
    function run(module, {words, stdin = "", files = {}, variables = {}}) {
      const written = {1: [], 2: []};
      const open = new Map([[0, {bytes: encode(stdin), at: 0}]]);
      let memory = null, next = 4;
      const view = () => new DataView(memory.buffer);
      const bytes = (at, size) => new Uint8Array(memory.buffer, at, size);
      const text = (at, size) => new TextDecoder().decode(bytes(at, size));
      const strings = list => list.map(item => encode(item + "\0"));
      const sizes = list => (count, size) => {
        view().setUint32(count, list.length, true);
        view().setUint32(size, list.reduce((sum, item) => sum + item.length, 0), true);
        return errno.fine;
      };
      const fill = list => (pointers, at) => {
        for (const item of list) {
          view().setUint32(pointers, at, true);
          bytes(at, item.length).set(item);
          pointers += 4;
          at += item.length;
        }
        return errno.fine;
      };
      // The buffers of one read or write.
      const vectors = (at, count) => Array.from({length: count}, (_, i) =>
        bytes(view().getUint32(at + 8 * i, true), view().getUint32(at + 8 * i + 4, true)));
      const status = (at, type, size) => {
        bytes(at, 64).fill(0);
        view().setUint8(at + 16, type);
        view().setBigUint64(at + 32, BigInt(size), true);
        return errno.fine;
      };
      const directory = 3, types = {device: 2, directory: 3, file: 4};
      const find = (at, size) => files[text(at, size).replace(/^(\.?\/)+/, "")];
      const argv = strings(["swz", ...words]);
      const environ = strings(Object.entries(variables).map(([name, value]) => `${name}=${value}`));
      const calls = {
        args_sizes_get: sizes(argv), args_get: fill(argv),
        environ_sizes_get: sizes(environ), environ_get: fill(environ),
        fd_write(fd, at, count, size) {
          if (!written[fd]) return errno.badFile;
          let sum = 0;
          for (const part of vectors(at, count)) {
            written[fd].push(part.slice());
            sum += part.length;
          }
          view().setUint32(size, sum, true);
          return errno.fine;
        },
        fd_read(fd, at, count, size) {
          const file = open.get(fd);
          if (!file) return errno.badFile;
          let sum = 0;
          for (const to of vectors(at, count)) {
            const part = file.bytes.subarray(file.at, file.at + to.length);
            to.set(part);
            file.at += part.length;
            sum += part.length;
          }
          view().setUint32(size, sum, true);
          return errno.fine;
        },
        fd_close: fd => open.delete(fd) ? errno.fine : errno.badFile,
        fd_seek: () => errno.notSeekable,
        fd_fdstat_get(fd, at) {
          if (fd > directory && !open.has(fd)) return errno.badFile;
          bytes(at, 24).fill(0);
          view().setUint8(at, fd === directory ? types.directory : fd > directory ? types.file : types.device);
          view().setBigUint64(at + 8, ~0n, true);
          view().setBigUint64(at + 16, ~0n, true);
          return errno.fine;
        },
        fd_fdstat_set_flags: () => errno.fine,
        fd_filestat_get: (fd, at) => status(at, fd > directory ? types.file : types.device, 0),
        fd_prestat_get(fd, at) {
          if (fd !== directory) return errno.badFile;
          view().setUint32(at, 0, true);
          view().setUint32(at + 4, 1, true);
          return errno.fine;
        },
        fd_prestat_dir_name(fd, at) {
          bytes(at, 1).set(encode("/"));
          return errno.fine;
        },
        path_open(fd, follow, at, size, flags, rights, inherited, mode, to) {
          const create = 1;
          const found = find(at, size);
          if (!found) return flags & create ? errno.readOnly : errno.noEntry;
          open.set(next, {bytes: found, at: 0});
          view().setUint32(to, next++, true);
          return errno.fine;
        },
        path_filestat_get(fd, follow, at, size, to) {
          const found = find(at, size);
          return found ? status(to, types.file, found.length) : errno.noEntry;
        },
        clock_time_get(clock, precision, at) {
          view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
          return errno.fine;
        },
        proc_exit(code) { throw {code}; },
      };
      const imports = {};
      for (const {name} of WebAssembly.Module.imports(module)) imports[name] = calls[name] || (() => errno.missing);
      const joined = parts => new TextDecoder().decode(joinBytes(parts));
      let exit = 0, failure = "";
      try {
        const instance = new WebAssembly.Instance(module, {wasi_snapshot_preview1: imports});
        memory = instance.exports.memory;
        instance.exports._start();
      } catch (thrown) {
        exit = typeof thrown.code === "number" ? thrown.code : 2;
        if (typeof thrown.code !== "number")
          failure = `swz: error: a page has not enough memory or stack for this input (${thrown})\n` +
                    "hint: an installed swz has more\n";
      }
      return {exit, out: joined(written[1]), err: joined(written[2]) + failure};
    }

    function joinBytes(parts) {
      const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
      let at = 0;
      for (const part of parts) {
        all.set(part, at);
        at += part.length;
      }
      return all;
    }

    let module = null;
    onmessage = ({data}) => {
      if (data.module) module = data.module;
      else {
        const begun = performance.now();
        const answer = run(module, data);
        postMessage({...answer, id: data.id, ms: performance.now() - begun});
      }
    };
  }

  const patience = 150;  // ms
  const source = URL.createObjectURL(new Blob([`(${system})()`], {type: "text/javascript"}));

  // The module comes packed by gzip, and is unpacked and compiled as it comes. A page that is opened from a file may read
  // only scripts: for it, swz.js holds the same in base64. From a server the file takes a quarter less; a folder of an
  // installed package has the script only.
  const served = () => location.protocol === "file:" ? null : fetch("swz.wasm.gzip").catch(() => null);
  const script = name => new Promise((done, failed) => document.head.append(
    Object.assign(document.createElement("script"), {src: name, onload: done, onerror: failed})));
  async function fetchModule() {
    let packed = await served();
    if (!packed?.ok) {
      await script("swz.js");
      packed = await fetch(`data:application/gzip;base64,${swzModule}`);
    }
    const headers = {"content-type": "application/wasm"};
    return WebAssembly.compileStreaming(new Response(packed.body.pipeThrough(new DecompressionStream("gzip")), {headers}));
  }

  let loaded = null;
  const load = () => loaded ??= fetchModule();
  let worker = null, running = null, waiting = [], next = 0;

  async function start() {
    const mine = worker = new Worker(source);
    mine.onmessage = ({data}) => {
      if (mine !== worker || !running || running.id !== data.id) return;
      const done = running;
      running = null;
      done.answer(data);
      step();
    };
    mine.postMessage({module: await load()});
  }

  function step() {
    if (running || !waiting.length) return;
    running = waiting.shift();
    running.begun = performance.now();
    const {id, question} = running;
    worker.postMessage({id, ...question});
  }

  function end() {
    running.answer(null);
    running = null;
    worker.terminate();
    started = start();
    started.then(step);
  }

  async function ask(question, kind) {
    await (started ??= start());
    return new Promise(answer => {
      if (kind) {
        for (const old of waiting.filter(other => other.kind === kind)) old.answer(null);
        waiting = waiting.filter(other => other.kind !== kind);
        const old = running && running.kind === kind ? running : null;
        if (old) setTimeout(() => { if (running === old) end(); }, patience - (performance.now() - old.begun));
      }
      waiting.push({id: ++next, question, kind, answer});
      started.then(step);
    });
  }

  let started = null;
  return {ask, script, load};
})();
