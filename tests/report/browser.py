"""A headless Chromium, driven through its WebDriver."""

import base64
import json
import socket
import subprocess
import time
import urllib.request


class Browser:
    """Opens pages; what they write to the console and what they ask the network for is seen."""

    def __init__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                if self.call("GET", "/status")["ready"]:
                    break
            except OSError:
                time.sleep(0.1)
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{session['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from None

    def open(self, file, width=1200, height=900):
        self.call("POST", self.session + "/window/rect", {"width": width, "height": height})
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.log("browser"), self.log("performance")
        self.call("POST", self.session + "/url", {"url": f"file://{file}"})

    def run(self, script, *arguments):
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self.call("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def media(self, **features):
        """Emulates media features, such as prefers-color-scheme."""
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": k.replace("_", "-"), "value": v} for k, v in features.items()])

    def log(self, kind):
        return self.call("POST", self.session + "/se/log", {"type": kind})

    def complaints(self):
        """What went wrong on the page, by its console."""
        return [entry["message"] for entry in self.log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """What the page asked for besides itself."""
        asked = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        urls = [m["params"]["request"]["url"] for m in asked if m["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith(("file:", "data:"))] + [url for url in urls if url.startswith("file:")][1:]

    def press(self, *keys):
        """Presses keys one after the other, by their names: Tab, ArrowRight, …"""
        for key in keys:
            for kind in ("keyDown", "keyUp"):
                codes = {"Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "Enter": 13, " ": 32}
                text = {"Enter": "\r", " ": " "}.get(key)
                self.devtools("Input.dispatchKeyEvent", type=kind, key=key, code="Space" if key == " " else key,
                              windowsVirtualKeyCode=codes.get(key, 0), **({"text": text} if text and kind == "keyDown" else {}))

    def screenshot(self, file, whole=True):
        shot = self.devtools("Page.captureScreenshot", captureBeyondViewport=whole)
        with open(file, "wb") as out:
            out.write(base64.b64decode(shot["data"]))

    def pdf(self):
        return base64.b64decode(self.call("POST", self.session + "/print", {}))
