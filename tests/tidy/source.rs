//! The project's files, and Rust text taken apart far enough for the rules.

use std::path::Path;

/// Folders that are no part of the project's text.
const SKIPPED: [&str; 5] = [".git", "target", ".holdpoint", "reports", "__pycache__"];

const TEST_ATTRIBUTE: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];

/// A file of the project.
#[derive(Clone, Debug)]
pub(crate) struct SourceFile {
    /// Its path from the project's folder, with `/`.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
    /// Whether a `#[cfg(test)] mod …;` elsewhere declares it.
    pub(crate) declared_as_test: bool,
}

impl SourceFile {
    /// A made-up file.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned(), declared_as_test: false }
    }

    /// The room of a file below `src/`: its first folder, or its own name.
    pub(crate) fn room(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("src/")?;
        let first = inside.split('/').next()?;
        let name = first.strip_suffix(".rs").unwrap_or(first);
        (!matches!(name, "lib" | "main")).then_some(name)
    }

    /// Whether the whole file is test code.
    pub(crate) fn is_test(&self) -> bool {
        self.declared_as_test
            || self.path.starts_with("tests/")
            || self.path.ends_with("/tests.rs")
            || self.path.contains("/tests/")
    }

    /// The files that this one declares as modules for tests alone.
    fn declared_tests(&self) -> Vec<String> {
        let folder = match self.path.strip_suffix("/mod.rs") {
            Some(folder) => folder,
            None => self.path.trim_end_matches(".rs"),
        };
        let all = tokens(&self.text);
        let declared = all.windows(10).filter(|window| {
            let texts: Vec<&str> = window.iter().map(|token| token.text.as_str()).collect();
            texts[..7] == TEST_ATTRIBUTE && texts[7] == "mod" && texts[9] == ";"
        });
        declared.map(|window| format!("{folder}/{}.rs", window[8].text)).collect()
    }

    /// The tokens of the code, without those of test modules.
    pub(crate) fn product_tokens(&self) -> Vec<Token> {
        if self.is_test() { Vec::new() } else { without_test_modules(&tokens(&self.text)) }
    }
}

/// Every UTF-8 file of the project, sorted by path.
pub(crate) fn project_files() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(root, root, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    mark_declared_tests(&mut files);
    files
}

fn mark_declared_tests(files: &mut [SourceFile]) {
    let rust = files.iter().filter(|file| file.path.ends_with(".rs"));
    let tests: Vec<String> = rust.flat_map(SourceFile::declared_tests).collect();
    for file in files {
        file.declared_as_test = tests.contains(&file.path);
    }
}

/// The Rust files below these folders. None at all is a failure: a check that finds nothing checks nothing.
pub(crate) fn rust_files(prefixes: &[&str]) -> Vec<SourceFile> {
    let mut files = project_files();
    files.retain(|file| file.path.ends_with(".rs") && prefixes.iter().any(|prefix| file.path.starts_with(prefix)));
    assert!(files.len() > 10, "only {} Rust files found below {prefixes:?}", files.len());
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<SourceFile>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the project can be listed") {
        let path = entry.expect("an entry can be read").path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_symlink() || SKIPPED.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, files);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let relative = path.strip_prefix(root).expect("it lies in the project");
            files.push(SourceFile::new(&relative.to_string_lossy(), &text));
        }
    }
}

/// An identifier, `::`, or one character of punctuation, with its line from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// The text.
    pub(crate) text: String,
    /// The line.
    pub(crate) line: usize,
}

/// Takes Rust text apart. Comments, text literals and character literals are left out.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < chars.len() {
        let end = skip_silent(&chars, at);
        if end > at {
            line += chars[at..end].iter().filter(|c| **c == '\n').count();
            at = end;
            continue;
        }
        let end = token_end(&chars, at);
        found.push(Token { text: chars[at..end].iter().collect(), line });
        at = end;
    }
    found
}

fn token_end(chars: &[char], at: usize) -> usize {
    if is_word(chars[at]) {
        run(chars, at, is_word)
    } else if chars[at] == ':' && chars.get(at + 1) == Some(&':') {
        at + 2
    } else {
        at + 1
    }
}

/// The end of the white space, comment or literal that begins at `at`; `at` itself where there is none.
fn skip_silent(chars: &[char], at: usize) -> usize {
    let next = chars.get(at + 1).copied();
    match chars[at] {
        c if c.is_whitespace() => at + 1,
        '/' if next == Some('/') => run(chars, at, |c| c != '\n'),
        '/' if next == Some('*') => block_comment_end(chars, at),
        '"' => text_end(chars, at),
        'r' | 'b' | 'c' => prefixed_literal_end(chars, at),
        '\'' if next == Some('\\') => run(chars, at + 3, |c| c != '\'') + 1,
        '\'' if chars.get(at + 2) == Some(&'\'') => at + 3,
        _ => at,
    }
}

fn run(chars: &[char], from: usize, wanted: impl Fn(char) -> bool) -> usize {
    (from..chars.len()).find(|at| !wanted(chars[*at])).unwrap_or(chars.len())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn block_comment_end(chars: &[char], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0);
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn text_end(chars: &[char], quote: usize) -> usize {
    let mut at = quote + 1;
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

/// `r"…"`, `r#"…"#`, `b"…"`, `br#"…"#`, `b'…'`; `at` itself for a word that merely begins with such a letter.
fn prefixed_literal_end(chars: &[char], at: usize) -> usize {
    if at > 0 && is_word(chars[at - 1]) {
        return at;
    }
    let prefix_end = run(chars, at, |c| matches!(c, 'r' | 'b' | 'c'));
    let hashes_end = run(chars, prefix_end, |c| c == '#');
    if chars.get(prefix_end) == Some(&'\'') && chars[at] == 'b' {
        return skip_silent(chars, prefix_end);
    }
    if chars.get(hashes_end) != Some(&'"') {
        return at;
    }
    if !chars[at..prefix_end].contains(&'r') {
        return text_end(chars, hashes_end);
    }
    let hashes = hashes_end - prefix_end;
    let closes = |quote: &usize| {
        chars[*quote] == '"' && chars[quote + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes
    };
    (hashes_end + 1..chars.len()).find(closes).map_or(chars.len(), |quote| quote + 1 + hashes)
}

/// Leaves out what `#[cfg(test)]` stands on.
fn without_test_modules(all: &[Token]) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < all.len() {
        let here = all[at..].iter().take(TEST_ATTRIBUTE.len()).map(|token| token.text.as_str());
        if here.eq(TEST_ATTRIBUTE) {
            at = item_end(all, at + TEST_ATTRIBUTE.len());
        } else {
            kept.push(all[at].clone());
            at += 1;
        }
    }
    kept
}

/// The end of the item that begins at `from`: after its `;`, or after the brace that closes its first block.
pub(crate) fn item_end(all: &[Token], from: usize) -> usize {
    let mut depth = 0_usize;
    for (offset, token) in all[from..].iter().enumerate() {
        match token.text.as_str() {
            ";" if depth == 0 => return from + offset + 1,
            "{" | "[" | "(" => depth += 1,
            "}" | "]" | ")" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && token.text == "}" {
                    return from + offset + 1;
                }
            }
            _ => {}
        }
    }
    all.len()
}

fn texts(text: &str) -> Vec<String> {
    tokens(text).into_iter().map(|token| token.text).collect()
}

#[test]
fn comments_and_literals_are_no_code() {
    let text = r###"a /* b /* c */ d */ e // f
        "g \" h" r#"i " j"# b'k' 'l' '\'' 'm: n r"o" bare 'p'"###;
    assert_eq!(texts(text), ["a", "e", "'", "m", ":", "n", "bare"]);
}

#[test]
fn a_token_knows_its_line() {
    let found = tokens("a\n\"b\n\"\n/* c\n*/ d::e");
    assert_eq!(found.iter().map(|token| token.line).collect::<Vec<_>>(), [1, 5, 5, 5]);
}

#[test]
fn test_modules_are_left_out_and_what_follows_them_is_not() {
    let file = SourceFile::new("src/a/b.rs", "x #[cfg(test)] mod tests { fn f() { [1]; } } y #[cfg(test)] mod t; z");
    let kept: Vec<String> = file.product_tokens().into_iter().map(|token| token.text).collect();
    assert_eq!(kept, ["x", "y", "z"]);
}

#[test]
fn a_module_that_is_declared_for_tests_alone_is_test_code() {
    let mut files = [
        SourceFile::new("src/a/mod.rs", "#[cfg(test)]\nmod specimen;\nmod product;"),
        SourceFile::new("src/a/specimen.rs", "x"),
        SourceFile::new("src/a/product.rs", "#[cfg(test)] mod more;"),
        SourceFile::new("src/a/product/more.rs", "x"),
    ];
    mark_declared_tests(&mut files);
    assert_eq!(files.map(|file| file.is_test()), [false, true, false, true]);
}
