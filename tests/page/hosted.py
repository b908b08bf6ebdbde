# SPDX-License-Identifier: Apache-2.0
"""The page as others open it: by a link of the terminal, inside of another page, on a slow line, without its server, by a
hostile address. Each function yields what is wrong."""

import functools
import http.server
import json
import shlex
import threading

WORD = "decode 0x4000004000010042"
SHOWN = "document.documentElement.dataset.shown"
SLOW = 10_000_000 / 8  # bytes per second
MOST_BYTES = 2_900_000
# Without the module: a second and a half on the slow line would be 1,875,000.
MOST_START_BYTES = 900_000


class Server:
    """A folder at an address, until it is stopped."""

    def __init__(self, folder):
        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/index.html"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def link_faults(tab, native, examples):
    """--link of every example: the page reads the same words from the address, and shows the view of -f."""
    links = []
    for example in examples:
        *before, last = example.split(" | ")
        words = shlex.split(last)[1:]
        if any(word.startswith(("-o", "--output")) for word in words):
            continue
        exit_code, out, err = native(["--link", *words], "text" if before else "")
        if exit_code:
            if "the page cannot run" not in err:
                yield f"{example} --link: {err:.300}"
            continue
        link = json.loads(out)["link"] if out.startswith("{") else out.splitlines()[0]
        links.append((example, words, link.split("#", 1)[1]))
    script = """(fragments => fragments.map(fragment => {
      const parts = new URLSearchParams(fragment);
      return [line.read(parts.get("line")).stages.at(-1), parts.get("view")];
    }))"""
    for (example, words, _), (read, view) in zip(links, tab.evaluate(f"{script}({json.dumps([one[2] for one in links])})")):
        kept, formats = [], []
        for at, word in enumerate(words):
            if word == "-f" or (at and words[at - 1] == "-f"):
                formats.append(word)
            else:
                kept.append(word)
        wanted = {"text": "text", "json": "json"}.get(formats[1], "picture") if formats else None
        if read != kept or view != wanted:
            yield f"{example} --link: the page reads {read}, view {view}"
    print(f"links: {len(links)}")
    if len(links) < 100:
        yield f"only {len(links)} links"


def embedded_faults(browser, page):
    """One line of HTML in a page of another origin shows the answer, and nothing around it."""
    server = Server(page)
    tab = browser.open(server.address.replace("index.html", f"index.html?embed#line={WORD.replace(' ', '+')}"), 600, 500)
    tab.wait(SHOWN)
    seen = tab.evaluate("""["header", "nav", "#ask", "#bar", "#next", "aside", "footer", "#picture", "#embedded"].filter(name =>
      document.querySelector(name).offsetHeight)""")
    if seen != ["#picture", "#embedded"]:
        yield f"embedded, the page shows {seen}"
    if tab.evaluate("document.querySelector('#embedded a').href") != f"{server.address}#line={WORD.replace(' ', '+')}":
        yield "embedded, the link leads elsewhere"
    tab.ask("Page.navigate", url="data:text/html," + f"<iframe src='{server.address}?embed%23line={WORD.replace(' ', '+')}'></iframe>")
    tab.wait("document.querySelector('iframe') && location.protocol === 'data:'")
    yield from (f"embedded, the console says: {fault}" for fault in tab.faults)
    tab.close()
    server.stop()


LOADED = ("performance.getEntriesByType('resource').filter(one => one.name.startsWith('http') && %s)"
          ".reduce((sum, one) => sum + one.encodedBodySize, 0)")


def slow_visit(browser, page, fragment, ready, counted):
    """One visit on a line of 10 Mbit per second, to an address for which no cache and no service worker keeps files: the
    milliseconds to the first paint and until it is ready, and the bytes of the files that are counted."""
    server = Server(page)
    tab = browser.open("about:blank")
    tab.ask("Network.enable")
    tab.ask("Network.setCacheDisabled", cacheDisabled=True)
    tab.ask("Network.emulateNetworkConditions", offline=False, latency=20, downloadThroughput=SLOW, uploadThroughput=SLOW)
    tab.ask("Page.navigate", url=server.address + fragment)
    tab.wait(ready)
    done = tab.evaluate("performance.now()")
    paint = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
    loaded = tab.evaluate(LOADED % counted)
    tab.close()
    server.stop()
    return paint, done, loaded


def slow_faults(browser, page):
    """What the questions and the first answer load. The times are printed, not judged: the machine may be busy."""
    drawn = "document.querySelector('.card') && [...document.querySelectorAll('.card img')].every(one => one.naturalWidth > 100)"
    for what, most, visit in (
            ("the questions with their pictures", MOST_START_BYTES, ("", drawn, "!one.name.includes('swz.wasm')")),
            ("the first answer", MOST_BYTES, (f"#line={WORD.replace(' ', '+')}", SHOWN, "true"))):
        paint, done, loaded = slow_visit(browser, page, *visit)
        print(f"slow: {what}: {loaded:,} bytes, first paint {paint:.0f} ms, whole {done:.0f} ms at 10 Mbit/s")
        if not 0 < loaded < most:
            yield f"{what}: {loaded} bytes are loaded"


def offline_faults(browser, page, native):
    """After one visit it answers without its server."""
    server = Server(page)
    tab = browser.open(f"{server.address}#line=arch")
    tab.wait(SHOWN)
    tab.evaluate("navigator.serviceWorker.ready.then(() => true)")
    server.stop()
    tab.ask("Page.navigate", url=f"{server.address}?again#line={WORD.replace(' ', '+')}&view=json")
    tab.wait(f"location.search === '?again' && {SHOWN}")
    if tab.evaluate("document.querySelector('#text').textContent") + "\n" != native([*WORD.split(), "-f", "json"])[1]:
        yield "without its server the page answers otherwise"
    yield from (f"without its server the console says: {fault}" for fault in tab.faults)
    tab.close()


def hostile_faults(browser, address):
    """An address from anyone runs no script, reads and writes no file."""
    script = "<img src=x onerror=\"window.slipped = 1\"><script>window.slipped = 2</script>"
    for line, wanted in ((script, ""), (f"layout '{script}'", "error"), (f"place --tile 8x64 --title '{script}'", ""),
                         ("decode 0x42 -o /etc/x.json", ""), ("decode @/etc/passwd", "cannot open"),
                         ("layout " + 40_000 * "(", "missing")):
        tab = browser.open(address)
        tab.wait(SHOWN)
        before = tab.evaluate(f"+{SHOWN}")
        tab.evaluate(f"location.hash = new URLSearchParams({{line: {json.dumps(line)}, in: {json.dumps(script)}, view: '__proto__'}})")
        tab.wait(f"+{SHOWN} > {before}")
        slipped = tab.evaluate("[window, ...[...document.querySelectorAll('iframe')].map(one => one.contentWindow)]"
                               ".some(one => one.slipped !== undefined)")
        said = tab.evaluate("document.querySelector('#text').textContent")
        if slipped or tab.evaluate("document.querySelectorAll('#text :is(img, script), #note :is(img, script)').length"):
            yield f"a script in the address runs: {line:.80}"
        if wanted not in said:
            yield f"the address {line:.80} is answered by {said:.200}"
        yield from (f"{line:.60}: the console says: {fault}" for fault in tab.faults)
        tab.close()
