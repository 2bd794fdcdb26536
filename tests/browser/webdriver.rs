//! Chromium without a window, driven by chromedriver over the W3C WebDriver protocol.

use std::cell::RefCell;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Keys, as WebDriver names them.
pub(crate) const TAB: &str = "\u{e004}";
pub(crate) const ENTER: &str = "\u{e007}";
pub(crate) const SPACE: &str = " ";

/// Where screenshots are left for people to look at.
const SCREENSHOTS: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/screenshots");

/// The tallest picture, in pixels; what lies below is left out.
const TALLEST: u64 = 12_000;

/// How long a page may take until it is there.
const PATIENCE: Duration = Duration::from_secs(30);

/// A browser of its own for one test, on one page at a time. It ends with the test.
pub(crate) struct Browser {
    driver: Child,
    // Kept open, so that the driver can go on writing.
    _words: BufReader<ChildStdout>,
    agent: ureq::Agent,
    session: String,
    folder: TempDir,
    address: RefCell<String>,
}

impl Browser {
    /// A browser with nothing open.
    pub(crate) fn start() -> Self {
        let folder = TempDir::new().expect("a folder for the page");
        let mut driver = Command::new("chromedriver")
            .args(["--port=0", "--allowed-ips=127.0.0.1"])
            .env("HOME", folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is needed for these tests: apt-get install chromium-driver");
        let mut words = BufReader::new(driver.stdout.take().expect("its output is piped"));
        let port = port_in(&mut words);
        let config = ureq::Agent::config_builder().proxy(None).http_status_as_error(false).build();
        let mut browser = Self {
            driver,
            _words: words,
            agent: config.into(),
            session: format!("http://127.0.0.1:{port}/session"),
            folder,
            address: RefCell::default(),
        };
        let profile = format!("--user-data-dir={}", browser.folder.path().join("profile").display());
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-sync",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--window-size=1280,900",
            profile.as_str(),
        ];
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let answer = browser.send("POST", "", &wanted);
        let id = answer["sessionId"].as_str().expect("a session begins").to_owned();
        browser.session.push_str(&format!("/{id}"));
        browser
    }

    /// A browser on a page with this text.
    pub(crate) fn on(html: &str) -> Self {
        let browser = Self::start();
        browser.open(html, "");
        browser
    }

    /// Writes the page and goes there. `fragment` begins with `#` or is empty.
    pub(crate) fn open(&self, html: &str, fragment: &str) {
        let file = self.folder.path().join("page.html");
        fs::write(&file, html).expect("the page can be written");
        self.visit(&format!("file://{}", file.display()), fragment);
    }

    /// Goes to an address, loading it anew.
    pub(crate) fn visit(&self, address: &str, fragment: &str) {
        // A page that differs in its fragment alone would not be loaded again.
        self.send("POST", "/url", &json!({"url": "about:blank"}));
        self.send("POST", "/url", &json!({"url": format!("{address}{fragment}")}));
        address.clone_into(&mut self.address.borrow_mut());
        // On a busy machine a page was once asked before its own script had run, as it seems: the driver is not relied on alone.
        let is_loaded = format!("document.readyState === 'complete' && location.href.startsWith({})", json!(address));
        let began = Instant::now();
        while self.ask(&is_loaded) != true {
            assert!(began.elapsed() < PATIENCE, "the page does not load: {address}");
            sleep(Duration::from_millis(10));
        }
    }

    /// Loads the page that is open anew, at another fragment.
    pub(crate) fn reopen(&self, fragment: &str) {
        let address = self.address.borrow().clone();
        self.visit(&address, fragment);
    }

    /// What an expression in JavaScript comes to. It is the test's own: the page's policy does not apply to it.
    pub(crate) fn ask(&self, expression: &str) -> Value {
        self.run(&format!("return ({expression});"))
    }

    /// The same, as text.
    pub(crate) fn text(&self, expression: &str) -> String {
        match self.ask(expression) {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }

    /// What a function body in JavaScript returns; a promise is waited for.
    pub(crate) fn run(&self, body: &str) -> Value {
        self.send("POST", "/execute/sync", &json!({"script": body, "args": []}))
    }

    /// Presses a key, or types a text.
    pub(crate) fn press(&self, keys: &str) {
        let mut actions = Vec::new();
        for key in keys.chars() {
            actions.push(json!({"type": "keyDown", "value": key.to_string()}));
            actions.push(json!({"type": "keyUp", "value": key.to_string()}));
        }
        let keyboard = json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]});
        self.send("POST", "/actions", &keyboard);
    }

    /// The width of the window's page, in CSS pixels; 800 high.
    pub(crate) fn be_wide(&self, width: u32) {
        let metrics = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        self.command("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// What the reader's system prefers, and what it is shown on: `dark` or `light`, `screen` or `print`.
    pub(crate) fn prefer(&self, scheme: &str, medium: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.command("Emulation.setEmulatedMedia", &json!({"media": medium, "features": features}));
    }

    /// Turns the page's own scripts off, for what is opened from now on.
    pub(crate) fn scripts_off(&self) {
        self.command("Emulation.setScriptExecutionDisabled", &json!({"value": true}));
    }

    /// What the browser itself complained of since the last time: refused scripts above all.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let entries = self.send("POST", "/se/log", &json!({"type": "browser"}));
        let texts = entries.as_array().into_iter().flatten().filter_map(|entry| entry["message"].as_str());
        texts.map(str::to_owned).collect()
    }

    /// Leaves a picture of the whole page among the screenshots.
    pub(crate) fn screenshot(&self, name: &str, width: u32) -> PathBuf {
        let metrics = |height: u64| json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.command("Emulation.setDeviceMetricsOverride", &metrics(800));
        let height = self.ask("document.documentElement.scrollHeight").as_u64().expect("a height");
        self.command("Emulation.setDeviceMetricsOverride", &metrics(height.min(TALLEST)));
        let picture = self.send("GET", "/screenshot", &Value::Null);
        let bytes = STANDARD.decode(picture.as_str().expect("a picture")).expect("it is base64");
        fs::create_dir_all(SCREENSHOTS).expect("a folder for the pictures");
        let file = PathBuf::from(SCREENSHOTS).join(format!("{name}.png"));
        fs::write(&file, bytes).expect("the picture can be written");
        file
    }

    /// A command of the DevTools protocol.
    fn command(&self, name: &str, parameters: &Value) {
        self.send("POST", "/goog/cdp/execute", &json!({"cmd": name, "params": parameters}));
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let address = format!("{}{path}", self.session);
        let sent = match method {
            "GET" => self.agent.get(&address).call(),
            "DELETE" => self.agent.delete(&address).call(),
            _ => self.agent.post(&address).content_type("application/json").send(body.to_string()),
        };
        let mut answer = sent.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        let text =
            answer.body_mut().with_config().limit(64 << 20).read_to_string().expect("the driver answers in text");
        let value: Value = serde_json::from_str(&text).expect("the driver answers in JSON");
        assert!(answer.status().is_success(), "{method} {path}: {}", value["value"]["message"]);
        value["value"].clone()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends the browser; the driver is then ended as the process that it is.
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The driver says on which port it listens.
fn port_in(words: &mut impl BufRead) -> u16 {
    for line in words.lines() {
        let line = line.expect("the driver speaks");
        if let Some((_, rest)) = line.split_once("started successfully on port ") {
            return rest.trim_end_matches('.').parse().expect("a port");
        }
    }
    panic!("chromedriver ended before it listened");
}
