# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium, driven over its debugging pipe: one command out, one answer in, without a library.

    with Chromium("/usr/bin/chromium") as browser:
        tab = browser.open("https://…", width=900)
        tab.evaluate("document.title")          the value, awaited where it is a promise
        tab.press("Tab"), tab.type("decode 0x42"), tab.click("#theme")
        tab.wait("document.querySelector('#text').textContent !== ''")
        tab.faults                              what the console said of errors

Messages are JSON that ends with a NUL, on the descriptors 3 and 4 of the browser.
"""

import base64
import json
import os
import subprocess
import tempfile
import threading

KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
        "Backspace": 8}
# What it says of every picture. A script could take the sandbox off, but the policy of the page lets none run in it.
SANDBOX = "An iframe which has both allow-scripts and allow-same-origin"
PATIENCE = 30  # seconds until a page that does not answer fails the test


class Chromium:
    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs, self.commands = os.pipe()
        self.answers, ours = os.pipe()
        # The browser wants them as 3 and 4, which this process may use for something else.
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                 "--force-color-profile=srgb", "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}"]
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec 3<&{theirs} 4>&{ours}; exec "$@"', "sh", program, *flags], pass_fds=(theirs, ours),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs)
        os.close(ours)
        self.number = 0
        self.waiting = {}  # id of a command: [its answer, an event that it is there]
        self.tabs = {}     # session: Tab
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()

    def _read(self):
        rest = b""
        while block := os.read(self.answers, 1 << 20):
            *messages, rest = (rest + block).split(b"\0")
            for message in map(json.loads, messages):
                if "id" in message:
                    place = self.waiting.pop(message["id"])
                    place[0] = message
                    place[1].set()
                elif message.get("sessionId") in self.tabs:
                    self.tabs[message["sessionId"]].notice(message["method"], message["params"])

    def ask(self, method, session=None, **parameters):
        self.number += 1
        place = self.waiting[self.number] = [None, threading.Event()]
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        if not place[1].wait(PATIENCE):
            raise TimeoutError(f"the browser does not answer to {method}")
        if "error" in place[0]:
            raise RuntimeError(f"{method}: {place[0]['error']['message']}")
        return place[0]["result"]

    def open(self, address, width=1280, height=900, dark=False):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Tab(self, target, session, address, width, height, dark)


class Tab:
    def __init__(self, browser, target, session, address, width, height, dark):
        self.browser, self.target, self.session = browser, target, session
        self.faults = []
        browser.tabs[session] = self
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Page.navigate", url=address)

    def ask(self, method, **parameters):
        return self.browser.ask(method, self.session, **parameters)

    def notice(self, method, said):
        if method == "Runtime.exceptionThrown":
            details = said["exceptionDetails"]
            self.faults.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and said["type"] in ("error", "warning", "assert"):
            self.faults.append(" ".join(str(one.get("value", one.get("description"))) for one in said["args"]))
        elif method == "Log.entryAdded" and said["entry"]["level"] in ("error", "warning") and SANDBOX not in said["entry"]["text"]:
            self.faults.append(said["entry"]["text"])

    def close(self):
        self.browser.ask("Target.closeTarget", targetId=self.target)

    def resize(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                 mobile=width < 500)

    def evaluate(self, script):
        answer = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']['exception']['description']}")
        return answer["result"].get("value")

    def wait(self, condition):
        """Until it holds, on a page that may be on its way."""
        self.evaluate(f"""new Promise((fine, late) => {{
          const stop = setTimeout(() => late(new Error('it does not come')), {1000 * (PATIENCE - 5)});
          const holds = () => {{ try {{ return {condition}; }} catch {{ return false; }} }};
          const look = () => {{ if (holds()) {{ clearTimeout(stop); fine(); }} else setTimeout(look, 10); }};
          look();
        }})""")

    def type(self, text):
        self.ask("Input.insertText", text=text)

    def press(self, key):
        named = {"key": key, "windowsVirtualKeyCode": KEYS.get(key, ord(key[0].upper()))}
        if key not in KEYS or key == "Enter":
            named["text"] = "\r" if key == "Enter" else key
        self.ask("Input.dispatchKeyEvent", type="keyDown", **named)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **named)

    def click(self, selector):
        place = self.evaluate(f"""(() => {{
          const found = document.querySelector({json.dumps(selector)});
          found.scrollIntoView({{block: 'center'}});
          const {{x, y, width, height}} = found.getBoundingClientRect();
          return [x + width / 2, y + height / 2];
        }})()""")
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def screenshot(self, path, whole=False):
        shot = self.ask("Page.captureScreenshot", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
