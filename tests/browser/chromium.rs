//! Chromium without a window, on one file.

use std::fs;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The names that the browser has on the systems we know.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// A page on disk, and a profile of its own for the browser that opens it.
pub(crate) struct Page {
    folder: TempDir,
}

impl Page {
    /// The page with this text.
    pub(crate) fn of(html: &str) -> Self {
        let folder = TempDir::new().expect("a folder for the page");
        fs::write(folder.path().join("page.html"), html).expect("the page can be written");
        Self { folder }
    }

    /// The document after the page has loaded and its scripts have run. `fragment` begins with `#` or is empty.
    pub(crate) fn dom(&self, fragment: &str, flags: &[&str]) -> String {
        let address = format!("file://{}{fragment}", self.folder.path().join("page.html").display());
        let profile = format!("--user-data-dir={}", self.folder.path().join("profile").display());
        let output = Command::new(installed())
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"])
            .args(["--virtual-time-budget=5000", "--window-size=1280,900"])
            .args(flags)
            .args([&profile, "--dump-dom", &address])
            .stdin(Stdio::null())
            .output()
            .expect("Chromium can be started");
        let dom = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && dom.contains("<html"),
            "Chromium gave no document: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        dom
    }

    /// The title that the page has in the end.
    pub(crate) fn title(&self, fragment: &str) -> String {
        let dom = self.dom(fragment, &[]);
        let title = dom.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
        title.expect("the page has a title").0.to_owned()
    }

    /// The answer to a question in JavaScript about `inner`, the page's document in a frame with these attributes. In a
    /// frame the page can be as narrow as a telephone, and its scripts can be off while the frame's owner still asks.
    pub(crate) fn answer_of_frame(&self, attributes: &str, question: &str) -> String {
        let page = fs::read_to_string(self.folder.path().join("page.html")).expect("the page can be read");
        let escaped = page.replace('&', "&amp;").replace('"', "&quot;");
        let owner = format!(
            "<title>-</title><iframe {attributes} height=800 style=\"border:0\" srcdoc=\"{escaped}\"></iframe><script>\
             onload = () => {{ const inner = document.querySelector('iframe').contentDocument; document.title = {question}; }}\
             </script>"
        );
        Self::of(&owner).title("")
    }
}

/// The browser's name on this system.
fn installed() -> &'static str {
    let answers = |name: &&&str| {
        Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|s| s.success())
    };
    NAMES.iter().find(answers).expect("Chromium is needed for these tests: apt-get install chromium")
}
