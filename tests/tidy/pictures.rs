//! README's pictures: each is there in light and in dark, small, and shown.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Bytes of one picture at the most: whoever clones the repository gets all of them.
const MOST_BYTES: usize = 150_000;

#[test]
fn every_picture_is_shown_in_light_and_in_dark_and_every_one_shown_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let mut shown = BTreeSet::new();
    for picture in readme.split("<picture>").skip(1) {
        let picture = picture.split("</picture>").next().unwrap();
        let address = |before: &str| picture.split(before).nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        let dark = address("media=\"(prefers-color-scheme: dark)\" srcset=\"");
        let light = address("<img src=\"");
        assert_eq!(dark.replace("-dark.", "-light."), light, "two of the same");
        assert!(address("alt=\"").len() > 20, "{light} is not told to those who cannot see it");
        shown.extend([dark.to_owned(), light.to_owned()]);
    }
    assert!(shown.len() >= 4, "README shows what a report looks like");
    let names = fs::read_dir(root.join("docs/images")).unwrap().map(|entry| entry.unwrap().file_name());
    let there: BTreeSet<String> = names.map(|name| format!("docs/images/{}", name.to_str().unwrap())).collect();
    assert_eq!(there, shown, "docs/reference-report --pictures takes them");
    for name in there {
        let bytes = fs::read(root.join(&name)).unwrap();
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
        assert!(bytes.len() <= MOST_BYTES, "{name} has {} bytes", bytes.len());
    }
}
