"""A headless Chromium in which pages are opened, and what it says about them."""

import json
import os
import pathlib
import shutil
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

# A folder in which pictures of the pages are kept to be looked at. Taking them takes longer than the tests.
SCREENSHOTS = os.environ.get("DCUBE_SCREENSHOTS")


def found(*names):
    """The first of the programs that is installed; a test without a browser is no test."""
    paths = [path for name in names if (path := shutil.which(name))]
    if not paths:
        raise RuntimeError(f"no {' or '.join(names)} is installed (Debian: chromium, chromium-driver)")
    return paths[0]


def start():
    options = Options()
    options.binary_location = found("chromium", "google-chrome")
    # No name has an address, so whatever a page asks of a network fails and is seen to fail.
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,900",
                 "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND"):  # fmt: skip
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(found("chromedriver")), options=options)


class Page:
    """A page that has been opened."""

    def __init__(self, driver, path):
        self.driver = driver
        driver.get_log("browser")
        driver.get_log("performance")
        begin = time.monotonic()
        driver.get(path.resolve().as_uri())
        self.wait_for("return Boolean(window.dcube_report)")
        self.load_s = time.monotonic() - begin

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait_for(self, script, seconds=60):
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                raise AssertionError(f"never came true: {script}; console: {self.driver.get_log('browser')}")
            time.sleep(0.02)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def click(self, selector):
        element = self.find(selector)
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.innerText ?? e.textContent)", selector)

    def choose(self, selector, value):
        self.run(
            "const s = document.querySelector(arguments[0]); s.value = arguments[1];"
            "s.dispatchEvent(new Event('change'))", selector, value)  # fmt: skip

    def complaints(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Addresses that the page asked for, itself left out."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [url for url in asked if not url.startswith(("file:", "data:"))]

    def painted(self, selector):
        """Share of a chart's pixels that are drawn on."""
        return self.run(
            "const c = document.querySelector(arguments[0] + ' canvas');"
            "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
            "let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0 ? 1 : 0; return 4 * n / d.length", selector)  # fmt: skip

    def screenshot(self, name, width=1280):
        """The whole page, however long, when somebody wants to look at it."""
        if not SCREENSHOTS:
            return
        self.resize(width, 900)
        height = self.run("return document.documentElement.scrollHeight")
        self.resize(width, height)
        folder = pathlib.Path(SCREENSHOTS)
        folder.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(folder / f"{name}.png"))
        self.resize_back()

    def show_as(self, media="", scheme="light"):
        """On the screen or in print, by day or in the dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
        self.paint()

    def pale_texts(self):
        """Texts whose contrast with what is behind them is below 4.5, and the contrast (WCAG 2)."""
        return self.run("""
            const parts = (colour) => colour.match(/[\d.]+/g).map(Number);
            const luminance = (colour) => {
              const [r, g, b] = parts(colour).map((part) => part <= 10 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);
              return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const behind = (e) => {
              while (e && (parts(getComputedStyle(e).backgroundColor)[3] ?? 1) === 0) e = e.parentElement;
              return e ? getComputedStyle(e).backgroundColor : 'rgb(255, 255, 255)';
            };
            const contrast = (ink, paper) => {
              const [low, high] = [luminance(ink), luminance(paper)].sort((a, b) => a - b);
              return (high + 0.05) / (low + 0.05);
            };
            const named = (colour) => { const e = document.createElement('i'); e.style.color = colour; document.body.append(e);
              const text = getComputedStyle(e).color; e.remove(); return text; };
            const pale = [];
            const look = (text, ink, paper) => { const found = contrast(ink, paper); if (found < 4.5) pale.push([text, ink, paper, found]); };
            for (const e of document.querySelectorAll('body *')) {
              if (![...e.childNodes].some((c) => c.nodeType === 3 && c.data.trim()) || e.closest('script, noscript, option, .cross') || !e.getClientRects().length) continue;
              const square = e instanceof SVGElement && e.style.fill ? e.previousElementSibling : null;
              look(e.textContent, e instanceof SVGElement ? getComputedStyle(e).fill : getComputedStyle(e).color,
                   square ? getComputedStyle(square).fill : behind(e));
            }
            const chart = document.getElementById('embedding-chart');
            for (const node of chart?.view?.data('nodes') ?? []) look(`node ${node.label}`, named(node.ink), named(node.colour));
            return pale""")  # fmt: skip

    def cut_off(self):
        """What reaches out of its box, and so is not on paper."""
        return self.run(
            "return [...document.querySelectorAll('.wide, .chart, html')].filter((e) => e.scrollWidth > e.clientWidth + 1)"
            ".map((e) => e.outerHTML.slice(0, 80))")  # fmt: skip

    def resize(self, width, height):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.wait_for(f"return innerWidth === {width} && innerHeight === {height}")
        self.paint()

    def resize_back(self):
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.paint()

    def paint(self):
        """Charts are drawn anew in the frame after the one that sees a change."""
        self.driver.execute_async_script(
            "const done = arguments[0]; let left = 4;"
            "const next = () => left-- > 0 ? requestAnimationFrame(next) : done(); next()")  # fmt: skip

    def frame_times(self, seconds, each_frame=""):
        """Milliseconds between frames while `each_frame` is done in every one, ascending."""
        self.driver.set_script_timeout(seconds + 120)
        return sorted(self.driver.execute_async_script(
            "const [length, work, done] = arguments; const each = new Function('frame', work);"
            "const times = []; const begin = performance.now(); let last = begin, frame = 0;"
            "const next = (now) => { times.push(now - last); last = now; each(frame++);"
            "now - begin < length ? requestAnimationFrame(next) : done(times.slice(1)); };"
            "requestAnimationFrame(next)", 1000 * seconds, each_frame))  # fmt: skip
