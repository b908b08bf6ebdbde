# SPDX-License-Identifier: Apache-2.0
"""What a hand does on the page, one step after the other, and what the page has to show for it.

Each function takes the open tab and the command, and yields once for each interaction: None, or what is wrong.
"""

import json
import shlex

LINE = "document.querySelector('#line').value"
TEXT = "document.querySelector('#text').textContent"
SHOWN = "+document.documentElement.dataset.shown"


def after(tab, action, *what):
    """Does it, and waits for the answer that it makes the page show."""
    before = tab.evaluate(SHOWN)
    action(*what)
    tab.wait(f"{SHOWN} > {before} && !document.querySelector('.stale')")


def expect(tab, script, wanted, what):
    seen = tab.evaluate(script)
    return None if seen == wanted else f"{what}: {seen!r:.400} instead of {wanted!r:.400}"


def holds(tab, script, what):
    return None if tab.evaluate(script) else f"{what}: {script} does not hold; the line is {tab.evaluate(LINE)!r}"


def write(tab, text):
    """The whole line, as if typed."""
    tab.evaluate("document.querySelector('#line').focus(), document.querySelector('#line').select()")
    after(tab, tab.type, text)


def click_text(tab, selector, text):
    """Clicks the element of this text."""
    tab.evaluate(f"""(() => {{
      for (const one of document.querySelectorAll('.to-click')) one.classList.remove('to-click');
      [...document.querySelectorAll({json.dumps(selector)})].find(one => one.textContent === {json.dumps(text)}).classList.add('to-click');
    }})()""")
    tab.click(".to-click")


def leave(tab):
    tab.evaluate("document.activeElement.blur()")


def plain_text(native, text):
    return native(shlex.split(text))[1].rstrip("\n")


def each_command(tab, native):
    """Each link of the list shows what the command answers to its first example."""
    start = json.loads(native(["--page"])[1])
    commands = [one for one in start["help"]["commands"] if one["name"] not in start["elsewhere"]]
    tab.resize(1600, 900)
    shown = tab.evaluate("[...document.querySelectorAll('#commands section')].map(group => [group.querySelector('h2').textContent,"
                         " ...[...group.querySelectorAll('a')].map(link => link.textContent)])")
    groups = [[one["question"], *(name for name in one["commands"] if name not in start["elsewhere"])]
              for one in start["help"]["questions"]]
    yield None if shown == [group for group in groups if len(group) > 1] else f"the groups of the list: {shown}"
    yield expect(tab, "[...document.querySelectorAll('#commands a, #command-list option, #examples code')].filter(one => "
                      "/^(swz )?(verify|gdb|page)\\b/.test(one.textContent)).length", 0, "what cannot run here is hidden")
    write(tab, "decode 0x42")
    leave(tab)
    after(tab, tab.press, "3")
    for command in commands:
        after(tab, click_text, tab, "#commands a", command["name"])
        first = command["examples"][0]["line"].removeprefix("swz ")
        yield (expect(tab, LINE, first, command["name"])
               or expect(tab, "document.querySelector('#commands [aria-current]').textContent", command["name"], "the list")
               or expect(tab, "[...document.querySelectorAll('#form > .row > label')].slice(0, %d).map(x => x.textContent).join()"
                         % len(command["arguments"] + command["options"]),
                         ",".join(max(row["name"].split(", "), key=len) for row in command["arguments"] + command["options"]),
                         f"the form of {command['name']}"))


def typing(tab, native):
    write(tab, "layout '(4,2):(2,1)' --color never")
    after(tab, tab.press, "Enter")
    leave(tab)
    yield expect(tab, TEXT, plain_text(native, "layout '(4,2):(2,1)'"), "the answer as text")
    write(tab, "layout (((")
    yield holds(tab, f"{TEXT}.includes('are not closed') && document.querySelector('#ask').matches('.wrong')", "an error")
    write(tab, "diff '(8,8):(8,1)' '64:1'")
    yield holds(tab, "document.querySelector('#status').title === 'exit 1' && document.querySelector('#status').textContent.startsWith('no') && "
                     "!document.querySelector('#ask').matches('.wrong')", "the answer is no")
    write(tab, "decode --achr sm_90a 0x42")
    yield holds(tab, f"{TEXT}.includes(\"did you mean '--arch'?\")", "a wrong option")
    write(tab, "$ swz layout '(4,2):(2,1)'")
    yield holds(tab, "document.querySelector('#status').title === 'exit 0'", "a line with its prompt")
    write(tab, "verify --quick")
    yield holds(tab, f"{TEXT}.includes('a page cannot ask a GPU')", "a GPU")


def completing(tab, native):
    tab.wait("document.querySelector('#completions').hidden")
    write(tab, "pla")
    tab.wait("!document.querySelector('#completions').hidden")
    yield expect(tab, "document.querySelector('#completions li').firstChild.textContent", "place", "the first completion")
    after(tab, tab.press, "Tab")
    yield expect(tab, LINE, "place ", "Tab")
    after(tab, tab.type, "--swizzle ")
    tab.wait("!document.querySelector('#completions').hidden")
    tab.press("ArrowDown")
    tab.press("ArrowDown")
    yield holds(tab, "document.querySelectorAll('#completions [aria-selected=true]').length === 1", "arrows choose")
    word = tab.evaluate("document.querySelector('#completions [aria-selected=true]').firstChild.textContent")
    after(tab, tab.press, "Enter")
    yield expect(tab, LINE, f"place --swizzle {word} ", "Enter takes the chosen one")
    after(tab, tab.type, "--ti")
    tab.wait("!document.querySelector('#completions').hidden")
    tab.press("Escape")
    yield holds(tab, "document.querySelector('#completions').hidden && document.activeElement.id === 'line'", "Escape")
    write(tab, "deco")
    tab.wait("!document.querySelector('#completions').hidden")
    leave(tab)
    yield holds(tab, "document.querySelector('#completions').hidden", "the list closes with the line, not later")
    write(tab, "place --dtype ")
    tab.wait("!document.querySelector('#completions').hidden")
    seen = "[...document.querySelectorAll('#completions li')].filter(one => one.offsetHeight)"
    yield holds(tab, f"document.querySelectorAll('#completions li').length > 10 && {seen}.length === 10", "a window of a long list")
    for _ in range(13):
        tab.press("ArrowDown")
    yield holds(tab, f"{seen}.length === 10 && {seen}.some(one => one.getAttribute('aria-selected') === 'true')",
                "the window follows the arrows")
    leave(tab)
    write(tab, "deco")
    tab.wait("!document.querySelector('#completions').hidden")
    after(tab, tab.click, "#completions li")
    yield expect(tab, LINE, "decode ", "a click on a completion")


def set_row(tab, label, value):
    """Gives the row of the form a text, as a hand does."""
    tab.evaluate(f"""(() => {{
      const row = [...document.querySelectorAll('#form .row')].find(one => one.querySelector('label').textContent === {json.dumps(label)});
      const field = [...row.querySelectorAll('input, select')].at(-1);
      field.focus();
      if (field.type === 'checkbox') field.checked = {json.dumps(bool(value))};
      else field.value = {json.dumps(value)};
      field.dispatchEvent(new Event('input', {{bubbles: true}}));
    }})()""")


def filling_the_form(tab, native):
    write(tab, "place")
    for label, value, wanted in (
            ("--tile", "8x64", "place --tile 8x64"),
            ("--order", "k-first", "place --tile 8x64 --order k-first"),
            ("--slots", True, "place --tile 8x64 --order k-first --slots"),
            ("--slots", False, "place --tile 8x64 --order k-first"),
            ("--beside", "linear", "place --tile 8x64 --order k-first --beside linear"),
            ("--beside", "none", "place --tile 8x64 --order k-first --beside linear --beside none"),
            ("--order", "", "place --tile 8x64 --beside linear --beside none"),
            ("--highlight", "rows 0-7", "place --tile 8x64 --beside linear --beside none --highlight 'rows 0-7'"),
            ("--palette", "viridis", "place --tile 8x64 --beside linear --beside none --highlight 'rows 0-7' --palette viridis")):
        after(tab, set_row, tab, label, value)
        yield expect(tab, LINE, wanted, f"{label} {value!r}")
    write(tab, "place --layout '(8,32):(32,1)'")
    yield holds(tab, "[...document.querySelectorAll('#form .row.out')].some(row => row.querySelector('label').textContent === '--tile'"
                     " && row.title === 'not together with --layout')", "what cannot go together is faint")
    write(tab, "desc --tile 64x64 --dtype f16")
    yield holds(tab, "document.querySelector('#form .row.given label') !== null && [...document.querySelectorAll('#form .row')]"
                     ".find(row => row.querySelector('label').textContent === '--tile').querySelector('input').value === '64x64'",
                "the line fills the form")


def views(tab, native):
    write(tab, "decode 0x4000004000010042")
    leave(tab)
    for key, script, what in (
            ("2", "!document.querySelector('#picture').hidden && document.querySelector('#text').hidden", "only the picture"),
            ("3", "document.querySelector('#picture').hidden && !document.querySelector('#text').hidden", "only the text"),
            ("5", f"{TEXT}.includes('usage: swz decode')", "help"),
            ("1", "!document.querySelector('#picture').hidden && !document.querySelector('#text').hidden", "both")):
        after(tab, tab.press, key)
        yield holds(tab, script, what)
    after(tab, tab.click, "[data-view=json]")
    yield expect(tab, f"{TEXT} + '\\n'", native(["decode", "0x4000004000010042", "-f", "json"])[1], "JSON")
    yield holds(tab, "location.hash === '#line=decode+0x4000004000010042&view=json'", "the address")
    write(tab, "decode 0x4000004000010042 -f svg")
    yield holds(tab, "document.querySelector('[data-view=picture]').getAttribute('aria-pressed') === 'true'", "-f svg is a picture")
    write(tab, "arch")
    leave(tab)
    after(tab, tab.press, "1")
    yield holds(tab, "document.querySelector('#picture').hidden", "a text is not shown twice")


def keys(tab, native):
    after(tab, click_text, tab, "#commands a", "decode")
    leave(tab)
    first = tab.evaluate(LINE)
    after(tab, tab.press, "]")
    second = tab.evaluate(LINE)
    yield None if second != first else "] stays at the first example"
    after(tab, tab.press, "[")
    yield expect(tab, LINE, first, "[ goes back")
    tab.press("/")
    yield holds(tab, "document.activeElement.id === 'line' && document.activeElement.selectionEnd > 0", "/ selects the line")
    tab.press("Escape")
    yield holds(tab, "document.activeElement.id !== 'line'", "Escape leaves the line")
    for theme in ("light", "dark", "auto"):
        after(tab, tab.press, "t")
        yield expect(tab, "document.querySelector('#theme').textContent", f"theme: {theme}", "T")
        want = "rgb(13, 17, 23)" if theme == "dark" else "rgb(255, 255, 255)"
        yield expect(tab, "getComputedStyle(document.body).backgroundColor", want, "the page")


def cell_at(tab, number):
    """The middle of a cell of the picture, and what it says."""
    return tab.evaluate(f"""(() => {{
      const frame = document.querySelector('#picture iframe:not(.coming)');
      frame.scrollIntoView({{block: 'center'}});
      const cell = frame.contentDocument.querySelectorAll('rect[data-says]')[{number}];
      const a = frame.getBoundingClientRect(), b = cell.getBoundingClientRect();
      return [a.x + b.x + b.width / 2, a.y + b.y + b.height / 2, cell.dataset.says];
    }})()""")


FRAME = "document.querySelector('#picture iframe:not(.coming)')"
SAID = "document.querySelector('#said').textContent"
PINNED = "document.querySelector('#picture iframe:not(.coming)').contentDocument.querySelectorAll('.pinned').length"


def pointing(tab, native):
    write(tab, "place --dtype bf16 --tile 8x64")
    leave(tab)
    for number in (0, 9, 42):
        x, y, says = cell_at(tab, number)
        tab.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        tab.wait(f"{SAID} === {json.dumps(says)}")
        yield None
    for kind in ("mousePressed", "mouseReleased"):
        tab.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
    yield expect(tab, PINNED, 1, "a click pins")
    yield holds(tab, f"{FRAME}.contentDocument.querySelector('#over').lastChild.matches('.at') && "
                     f"{FRAME}.contentDocument.querySelector('svg').lastElementChild.id === 'over'",
                "the outline of the pinned cell is above its neighbours")
    tab.press("Escape")
    yield expect(tab, PINNED, 0, "Escape lets it go")
    leave(tab)
    tab.press("p")
    tab.press("ArrowRight")
    yield holds(tab, "!document.querySelector('#said').matches('.help')", "P and an arrow move to a cell")
    tab.press("/")
    yield holds(tab, "document.activeElement.id === 'line'", "/ leaves the picture")


def in_sight(tab, native):
    """What a cell says, and the slider of the steps, stay in sight while the page scrolls past a long picture."""
    write(tab, "desc --dtype f16 --tile 128x64 --base 0x400")
    leave(tab)
    tab.resize(900, 420)
    x, y, says = cell_at(tab, 40)
    tab.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    tab.wait(f"{SAID} === {json.dumps(says)}")
    inside = "(box => box.top >= 0 && box.bottom <= innerHeight && box.height > 0)(document.querySelector('%s').getBoundingClientRect())"
    yield holds(tab, inside % "#said", "what the cell says")
    write(tab, "map 0x4000004000010040 0x4000004000010042 0x4000004000010044 0x4000004000010046 --dtype bf16")
    leave(tab)
    cell_at(tab, 60)
    yield holds(tab, inside % "#steps", "the slider")
    tab.evaluate("(() => { const slider = document.querySelector('#step'); slider.value = 2; slider.dispatchEvent(new Event('input')); })()")
    yield holds(tab, "document.querySelector('#shown').textContent.startsWith('step 2 of 4') && "
                     f"{FRAME}.contentDocument.querySelectorAll('.other').length > 0", "the slider shows a step")
    tab.resize(1600, 900)


# What start.js and cards.js have and the module answers otherwise: made from other sources.
MADE_BEFORE = """(async () => {
  const picture = ["-f", "svg", "--theme", "auto", "--no-title", "--no-caption", "--no-legend", "--width", "560px"];
  const asked = async words => (await engine.ask({words})).out;
  const stale = JSON.stringify(JSON.parse(await asked(["--page"]))) === JSON.stringify(swzStart) ? [] : ["start.js"];
  for (const {line: text} of swzStart.questions)
    if (await asked([...line.read(text).stages[0], ...picture]) !== swzCards[text]) stale.push(text);
  return stale;
})()"""


def landing(tab, native):
    """The questions without a line: a card for each, with the picture of its answer; the keyboard opens one."""
    start = json.loads(native(["--page"])[1])
    after(tab, tab.click, "#home")
    cards = tab.evaluate("[...document.querySelectorAll('.card')].map(card => [card.querySelector('span').textContent, card.dataset.line])")
    yield None if cards == [[one["asks"], one["line"]] for one in start["questions"]] else f"the cards: {cards}"
    yield holds(tab, "[...document.querySelectorAll('.card img')].every(image => image.complete && image.naturalWidth > 100)",
                "the pictures of the cards")
    yield holds(tab, "['#bar', '#text', '#picture', '#next', 'aside'].every(name => !document.querySelector(name).offsetHeight)",
                "nothing but cards")
    # A picture in the colours of both schemes takes those of the scheme that its element has.
    scheme = "getComputedStyle(document.querySelector('.card img')).colorScheme"
    after(tab, tab.press, "t")
    yield expect(tab, scheme, "light", "the scheme of the cards")
    after(tab, tab.press, "t")
    yield expect(tab, scheme, "dark", "the scheme of the cards")
    after(tab, tab.press, "t")
    yield expect(tab, MADE_BEFORE, [], "start.js and cards.js")
    tab.evaluate("document.querySelector('.card').focus()")
    after(tab, tab.press, "Enter")
    yield expect(tab, LINE, cards[0][1], "Enter on a card") or holds(tab, "document.querySelector('#landing').hidden", "an answer")


def next_questions(tab, native):
    """From one answer to the next by its links, which have its numbers."""
    write(tab, "decode 0x4000404000010042 --arch sm_100a")
    leave(tab)
    for asks, line in (("Which bytes does an MMA read with it?", "map 0x4000404000010042 --arch sm_100a"),
                       ("How does such a tile get there?", "story --arch sm_100a --dtype f16 --tile 128x64 --swizzle 128B")):
        after(tab, click_text, tab, "#next a span", asks)
        yield expect(tab, LINE, line, asks)
    after(tab, tab.press, "3")
    yield holds(tab, "document.querySelector('#next').hidden", "no links beside the text alone")
    after(tab, tab.press, "1")
    write(tab, "layout (((")
    leave(tab)
    yield holds(tab, "document.querySelector('#next').hidden", "no links after an error")


def policy(tab, native):
    """If the command forgot to escape a title, nothing would run, and nothing would be fetched."""
    html = native(["place", "--tile", "8x64", "-f", "html"])[1]
    slip = html.replace("</svg>", "</svg><img src=x onerror='parent.slipped = 1'><script>parent.slipped = 2</script>", 1)
    before = len(tab.faults)
    tab.evaluate("document.body.append(Object.assign(document.createElement('div'), {id: 'slip'}))")
    tab.evaluate(f"answer.picture(document.querySelector('#slip'), {json.dumps(slip)})")
    yield expect(tab, "window.slipped === undefined", True, "a script that slipped into a picture does not run")
    cells = "document.querySelector('#slip iframe').contentDocument.querySelectorAll('rect[data-says]').length"
    yield holds(tab, f"{cells} > 0", "the script of pictures does")
    tab.evaluate("document.querySelector('#slip').remove()")
    yield expect(tab, "fetch('https://example.com/').then(() => 'sent', () => 'kept')", "kept", "nothing is sent")
    said, tab.faults[before:] = tab.faults[before:], []
    yield None if len(said) >= 3 and all("Content Security Policy" in one for one in said) else f"the policy says: {said}"


def copying(tab, native):
    words = ["place", "--layout", "(8,32):(32,1)", "--dtype", "f16"]
    write(tab, "place --layout (8,32):(32,1) --dtype f16")
    clipboard = "navigator.clipboard.readText()"

    def take(kind):
        tab.evaluate("document.querySelector('#copied').textContent = 'Copy'")
        tab.click(f"[data-copy={kind}]")
        tab.wait("document.querySelector('#copied').textContent === 'copied'")

    for kind in ("text", "json", "svg", "tex"):
        take(kind)
        yield expect(tab, clipboard, native([*words, "-f", kind])[1], kind)
    take("command")
    yield expect(tab, clipboard, "swz place --layout '(8,32):(32,1)' --dtype f16", "the command")
    take("link")
    yield expect(tab, clipboard, tab.evaluate("location.href"), "the link")
    take("png")
    svg = native([*words, "-f", "svg"])[1]
    width, height = (float(svg.split(f' {side}="')[1].split('"')[0]) for side in ("width", "height"))
    yield expect(tab, """navigator.clipboard.read().then(async ([item]) => {
      const picture = await createImageBitmap(await item.getType("image/png"));
      return [picture.width, picture.height];
    })""", [int(2 * width + 0.5), int(2 * height + 0.5)], "the size of the PNG")
    write(tab, "place --layout (8,")
    tab.click("[data-copy=svg]")
    tab.wait("document.querySelector('#copied').matches('.failed')")
    yield None


def giving_input(tab, native):
    write(tab, "swz decode 0x4000004000010042 -f json | swz encode smem --from - --sbo 2048")
    leave(tab)
    after(tab, tab.press, "4")
    first = native(["decode", "0x4000004000010042", "-f", "json"])[1]
    yield expect(tab, f"{TEXT} + '\\n'", native(["encode", "smem", "--from", "-", "--sbo", "2048", "-f", "json"], first)[1], "a pipe")
    log = (native.root / "tests/data/cuda_gdb.log").read_text()
    write(tab, "decode @-")
    yield holds(tab, "!document.querySelector('#stdin').hidden", "standard input")
    tab.evaluate("document.querySelector('#stdin').focus(), document.querySelector('#stdin').select()")
    after(tab, tab.type, log)
    yield expect(tab, f"{TEXT} + '\\n'", native(["decode", "@-", "-f", "json"], log)[1], "what was pasted")
    write(tab, "kernel 2>&1 | swz tma check --paste")
    yield holds(tab, "document.querySelector('#note').textContent.includes('does not run in a page')", "another program")
    write(tab, "decode @cuda_gdb.log")
    yield holds(tab, "document.querySelector('#note').textContent.includes('choose cuda_gdb.log')", "a file that is not here")
    after(tab, tab.evaluate, f"""(() => {{
      const given = new DataTransfer();
      given.items.add(new File([{json.dumps(log)}], 'cuda_gdb.log'));
      dispatchEvent(new DragEvent('drop', {{dataTransfer: given, bubbles: true, cancelable: true}}));
      return new Promise(done => setTimeout(done, 50));
    }})()""")
    expected = native(["decode", "@tests/data/cuda_gdb.log", "-f", "json"])[1].replace("tests/data/cuda_gdb.log", "cuda_gdb.log")
    yield expect(tab, f"{TEXT} + '\\n'", expected, "a file that was dropped")


def links(tab, native):
    write(tab, "layout 'Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)' --at 3,5")
    after(tab, tab.press, "Enter")
    leave(tab)
    after(tab, tab.press, "4")
    address, text = tab.evaluate("location.href"), tab.evaluate(TEXT)
    other = tab.browser.open(address)
    other.wait("document.documentElement.dataset.shown")
    yield expect(other, TEXT, text, "a link opens the same view") or expect(other, "location.href", address, "its address")
    other.close()
    after(tab, click_text, tab, "#commands a", "map")
    second = tab.evaluate(LINE)
    after(tab, tab.evaluate, "history.back()")
    yield expect(tab, TEXT, text, "back")
    after(tab, tab.evaluate, "history.forward()")
    yield expect(tab, LINE, second, "forward")
    after(tab, tab.resize, 390, 800)
    after(tab, tab.evaluate, "(() => { const list = document.querySelector('#command-list'); list.value = 'banks';"
                             " list.dispatchEvent(new Event('change', {bubbles: true})); })()")
    yield holds(tab, f"{LINE}.startsWith('banks ')", "the list of commands on a phone")
    after(tab, tab.click, "#home")
    yield holds(tab, f"{LINE} === '' && !document.querySelector('#landing').hidden", "home")


INTERACTIONS = (each_command, typing, completing, filling_the_form, views, keys, pointing, in_sight, landing, next_questions, policy, copying, giving_input, links)
