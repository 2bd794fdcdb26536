//! Texts that look like secrets: tokens whose makers gave them a form, keys, passwords in addresses, and what stands under a
//! name that says so. Pure, and the one home of these forms.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;

/// How every text begins that stands for a secret.
pub const REDACTED: &str = "[redacted:";

/// A form: what it is called, what it looks like, and in which group the secret stands; all of it where there is none.
struct Shape {
    name: &'static str,
    pattern: &'static str,
}

/// In the order in which they are looked for. Where letters may stand before a form that begins like a word, what stands
/// before it is a part of the pattern, with the beginnings of line breaks that are written as `\n` in a text in a text.
const SHAPES: [Shape; 15] = [
    Shape {
        name: "private key",
        pattern: r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    },
    Shape { name: "signed token", pattern: r"eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*" },
    Shape { name: "GitHub token", pattern: r"(?:github_pat_[A-Za-z0-9_]{20,}|gh[pousr]_[A-Za-z0-9]{20,})" },
    Shape { name: "GitLab token", pattern: r"glpat-[A-Za-z0-9_-]{16,}" },
    Shape { name: "Slack token", pattern: r"(?:xox[a-z]-|xapp-)[A-Za-z0-9-]{10,}" },
    Shape { name: "Slack webhook", pattern: r"(?P<before>hooks\.slack\.com/services/)(?P<secret>[A-Za-z0-9/_-]{8,})" },
    Shape { name: "Hugging Face token", pattern: r"hf_[A-Za-z0-9]{20,}" },
    Shape { name: "npm token", pattern: r"npm_[A-Za-z0-9]{30,}" },
    Shape { name: "AWS key", pattern: r"(?:AKIA|ASIA)[0-9A-Z]{16}" },
    Shape { name: "Google key", pattern: r"AIza[0-9A-Za-z_-]{30,}" },
    Shape { name: "Stripe key", pattern: r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}" },
    Shape { name: "key", pattern: r"(?P<before>^|[^A-Za-z0-9_-]|\\[nrt])(?P<secret>sk-[A-Za-z0-9_-]{16,})" },
    // All of what stands behind the name: of `Token abc` the scheme alone would be taken for it.
    Shape {
        name: AUTHORIZATION,
        pattern: r#"(?P<before>(?i:authorization)\\*["']?\s*[:=]\s*\\*["']?)(?P<scheme>[A-Za-z][A-Za-z0-9_-]*)[ \t]+(?P<secret>[A-Za-z0-9._~+/:=-]{4,})"#,
    },
    Shape {
        name: "bearer token",
        pattern: r"(?P<before>(?i:bearer|basic)(?:[ \t]+|%20))(?P<secret>[A-Za-z0-9._~+/-]{8,}=*)",
    },
    Shape {
        name: "address's password",
        pattern: r#"(?P<before>[A-Za-z][A-Za-z0-9+.-]*://)(?P<secret>[^\s/?#@:"'\\\[\]]*:[^\s/?#@"'\\\[\]]+)(?P<after>@)"#,
    },
];

/// What the header is called that holds a scheme and a secret.
const AUTHORIZATION: &str = "Authorization";

/// Names that say so only where nothing stands before them, and of a text alone.
const WHOLE_NAMES: [&str; 9] =
    ["cookie", "setcookie", "sid", "sessionid", "sig", "signature", "pass", "auth", "bearer"];

/// Those of them that are words of any sentence, so that in one they say nothing.
const WORDS: [&str; 3] = ["pass", "auth", "bearer"];

/// How the names end under which a secret stands, in lower case and without what stands between their words: `PGPASSWORD`, `aws_secret_access_key`.
const NAMES: [&str; 25] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "clientsecret",
    "sharedsecret",
    "token",
    "accesstoken",
    "refreshtoken",
    "idtoken",
    "authtoken",
    "apitoken",
    "bearertoken",
    "sessiontoken",
    "csrftoken",
    "apikey",
    "xapikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "authorization",
    "proxyauthorization",
    "credential",
    "credentials",
];

/// The names that in the plural mean something else: tokens are counted, and many a thing is authorized.
const NO_PLURAL: [&str; 4] = ["token", "idtoken", "authorization", "proxyauthorization"];

/// How the names end under which a number is a secret, too.
const NAMES_OF_NUMBERS: [&str; 4] = ["password", "passwd", "pwd", "passphrase"];

/// The fields that hold a name, in an object that has what it names beside it.
const NAMING: [&str; 3] = ["name", "key", "header"];

/// The shapes, made once. That they can be is what a test shows; one that could not would be left out.
static COMPILED: LazyLock<Vec<(&'static str, Regex)>> =
    LazyLock::new(|| SHAPES.iter().filter_map(|shape| Some((shape.name, Regex::new(shape.pattern).ok()?))).collect());

/// A field of an object in a text: its name in quotes, and its value in quotes or up to where it ends. Quotes may themselves
/// be escaped, as in JSON that is a text in JSON.
static FIELD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r#"(?P<before>\\*["'](?P<name>[A-Za-z][A-Za-z_. -]{1,40})\\*["']\s*[:=]\s*)(?:(?P<open>\\*["'])(?P<secret>[^"'\\]+(?:\\+[^"'\\][^"'\\]*)*)|(?P<bare>[^\s"'\\,\[\]{}]{4,}))"#;
    Regex::new(pattern).ok()
});

/// `name=value`, as in a query and in settings.
static SETTING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r#"(?P<before>(?:^|[\s?&;,({"']|\\[nrt])(?P<name>[A-Za-z][A-Za-z_.-]{1,40})=)(?P<secret>[^\s"'\\&;,)}\[\]]{4,})"#;
    Regex::new(pattern).ok()
});

/// `name: value` and `name = value`, as in files of settings and in sentences.
static TOLD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let pattern = r#"(?P<before>(?:^|[\s?&;,({`"']|\\[nrt])(?P<name>[A-Za-z][A-Za-z_.-]{1,40})(?:[ \t]*:|[ \t]+=)[ \t]*)(?P<told>[^\s"'`\\&;,)}\[\]]{4,})"#;
    Regex::new(pattern).ok()
});

/// The text with each secret that it seems to hold replaced by `[redacted:WHAT]`.
pub fn conceal_text(text: &str) -> Cow<'_, str> {
    let mut concealed = Cow::Borrowed(text);
    for (name, shape) in COMPILED.iter() {
        let replaced = shape.replace_all(&concealed, |found: &Captures<'_>| of_shape(name, found)).into_owned();
        if *concealed != *replaced {
            concealed = Cow::Owned(replaced);
        }
    }
    for named in [FIELD.as_ref(), SETTING.as_ref(), TOLD.as_ref()].into_iter().flatten() {
        let replaced = named.replace_all(&concealed, |found: &Captures<'_>| of_field(found)).into_owned();
        if *concealed != *replaced {
            concealed = Cow::Owned(replaced);
        }
    }
    concealed
}

/// What a name says of what stands under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    /// Nothing.
    Nothing,
    /// A text under it is a secret.
    Text,
    /// Whatever is below it is one.
    All,
}

/// The same of every text in a value, and of what stands under a name that says that it is a secret.
pub fn conceal_json(value: &Value) -> Value {
    conceal(value, None)
}

/// `all_of` is a name above the value that says so of every text below it, whatever its own name.
fn conceal(value: &Value, all_of: Option<&str>) -> Value {
    match (value, all_of) {
        (Value::String(text), Some(name)) if !is_empty(text) => Value::String(mark(name)),
        (Value::String(text), _) => Value::String(conceal_text(text).into_owned()),
        (Value::Array(items), _) => items.iter().map(|item| conceal(item, all_of)).collect(),
        (Value::Object(fields), _) => {
            let named = NAMING.iter().find_map(|naming| fields.get(*naming)?.as_str());
            let concealed = fields.iter().map(|(key, value)| {
                let name = named.filter(|_| key == "value").unwrap_or(key);
                let value = if all_of.is_some() { conceal(value, all_of) } else { under(name, value) };
                (conceal_text(key).into_owned(), value)
            });
            Value::Object(concealed.collect())
        }
        (plain, _) => plain.clone(),
    }
}

/// What stands under a name.
fn under(name: &str, value: &Value) -> Value {
    let is_password = || NAMES_OF_NUMBERS.iter().any(|end| plain(name).ends_with(end));
    match (says(name), value) {
        (Says::All, Value::Number(_)) if is_password() => Value::String(mark(name)),
        (Says::All, _) | (Says::Text, Value::String(_)) => conceal(value, Some(name)),
        _ => conceal(value, None),
    }
}

fn of_shape(name: &str, found: &Captures<'_>) -> String {
    let part = |name: &str| found.name(name).map_or("", |part| part.as_str());
    // `basic` and `bearer` are words, too: what follows them is a token where it is none.
    let is_word = |text: &str| text.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '.');
    let is_sentence = match name {
        "bearer token" => is_word(part("secret")),
        AUTHORIZATION => is_word(part("scheme")) && is_word(part("secret")) && !is_scheme(part("scheme")),
        _ => false,
    };
    if is_sentence {
        return found[0].to_owned();
    }
    format!("{}{}{}", part("before"), mark(name), part("after"))
}

fn of_field(found: &Captures<'_>) -> String {
    let part = |name: &str| found.name(name).map_or("", |part| part.as_str());
    let is_plain = matches!(part("bare"), "null" | "true" | "false");
    // In a sentence, words may follow: a password that is a plain word is not told from them.
    let is_words =
        !part("told").is_empty() && part("told").chars().all(|c| c.is_ascii_lowercase() || !c.is_alphanumeric());
    let is_nothing = is_empty(part("secret")) && part("bare").is_empty() && part("told").is_empty();
    let is_word = !part("told").is_empty() && WORDS.contains(&plain(part("name")).as_str());
    if says(part("name")) == Says::Nothing || is_plain || is_words || is_word || is_nothing {
        return found[0].to_owned();
    }
    format!("{}{}{}", part("before"), part("open"), mark(part("name")))
}

/// Nothing, or something that stands for a secret already.
fn is_empty(text: &str) -> bool {
    text.trim().is_empty() || text.starts_with(REDACTED)
}

fn mark(name: &str) -> String {
    format!("{REDACTED}{name}]")
}

fn says(name: &str) -> Says {
    let plain = plain(name);
    let ends = |plain: &str| NAMES.iter().filter(|name| plain.ends_with(*name)).max_by_key(|name| name.len());
    let ends_plural = |singular: &str| ends(singular).is_some_and(|name| !NO_PLURAL.contains(name));
    if plain.ends_with("authorization") || WHOLE_NAMES.contains(&plain.as_str()) {
        Says::Text
    } else if ends(&plain).is_some() || plain.strip_suffix('s').is_some_and(ends_plural) {
        Says::All
    } else {
        Says::Nothing
    }
}

/// A name in lower case, without what stands between its words.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// Whether a word is the name of a way to be authorized, in a header of that name.
fn is_scheme(word: &str) -> bool {
    ["bearer", "basic", "token", "digest", "apikey", "negotiate"].contains(&plain(word).as_str())
}

/// A text that was cut, without the words that stand at a cut (`…`): of a secret that lost its beginning or its end nobody could
/// say any more what it is.
pub fn without_cut_words(text: &str) -> String {
    let ends_word = |c: char| c.is_whitespace() || matches!(c, '`' | '(');
    let mut pieces = text.split('…');
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for after in pieces {
        whole
            .truncate(whole.rfind(ends_word).map_or(0, |at| at + whole[at..].chars().next().map_or(0, char::len_utf8)));
        whole.push('…');
        let word = after.strip_prefix(' ').unwrap_or(after);
        let rest = if word.starts_with('(') { after } else { &word[word.find(ends_word).unwrap_or(word.len())..] };
        whole.push_str(rest);
    }
    whole
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// A secret of any of the shapes, and the text in which its maker or its protocol writes it.
    fn planted() -> impl Strategy<Value = (String, String)> {
        let whole = |pattern: &str| {
            proptest::string::string_regex(pattern).unwrap().prop_map(|secret| (secret.clone(), secret)).boxed()
        };
        let within = |before: &'static str, pattern: &str, after: &'static str| {
            let secret = proptest::string::string_regex(pattern).unwrap();
            secret.prop_map(move |secret| (secret.clone(), format!("{before}{secret}{after}"))).boxed()
        };
        proptest::strategy::Union::new([
            whole("sk-[A-Za-z0-9]{20,48}"),
            whole("sk-(proj|ant-api03)-[A-Za-z0-9_-]{20,48}"),
            whole("gh[pousr]_[A-Za-z0-9]{36}"),
            whole("github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
            whole("glpat-[A-Za-z0-9_-]{20}"),
            whole("xox[bpoa]-[0-9]{10,12}-[A-Za-z0-9]{24}"),
            whole("AKIA[A-Z0-9]{16}"),
            whole("AIza[A-Za-z0-9_-]{35}"),
            whole("sk_live_[A-Za-z0-9]{24}"),
            whole("eyJ[A-Za-z0-9_-]{20,40}\\.eyJ[A-Za-z0-9_-]{20,60}\\.[A-Za-z0-9_-]{43}"),
            within("Authorization: Bearer ", "[A-Z][A-Za-z0-9._~+/-]{15,40}", ""),
            within("postgres://", "[a-z]{1,8}:[A-Za-z0-9!$*+~-]{4,20}", "@db.example/orders"),
            within(
                "-----BEGIN RSA PRIVATE KEY-----\n",
                "[A-Za-z0-9+/]{64}\n[A-Za-z0-9+/]{64}",
                "\n-----END RSA PRIVATE KEY-----",
            ),
            within("{\"password\": \"", "[A-Za-z0-9!$%*#]{5,20}", "\", \"user\": 1}"),
            within("{'api_key': '", "[A-Za-z0-9!$%*#]{5,20}", "'}"),
            within("{\\\"client_secret\\\":\\\"", "[A-Za-z0-9!$%*#]{5,20}", "\\\"}"),
            within("https://a.example/?x=1&access_token=", "[A-Za-z0-9._-]{5,20}", "&y=2"),
            within("https://a.example/?x=1&sig=", "[A-Za-z0-9._-]{5,20}", "&y=2"),
            within("https://hooks.slack.com/services/", "T[A-Z0-9]{8}/B[A-Z0-9]{8}/[A-Za-z0-9]{24}", ""),
            whole("hf_[A-Za-z0-9]{34}"),
            whole("npm_[A-Za-z0-9]{36}"),
            within("password: ", "[a-z]{4,8}[0-9]{1,4}", ""),
            within("api_key = ", "[A-Z][A-Za-z0-9]{8,20}", ""),
            within("aws_secret_access_key=", "[A-Z][A-Za-z0-9/+]{20,39}", ""),
            within("PGPASSWORD=", "[a-z0-9]{5,12}", ""),
        ])
    }

    /// What may stand before and behind a secret: anything that does not go on with it.
    fn around() -> impl Strategy<Value = (String, String)> {
        let some = |pattern: &str| proptest::string::string_regex(pattern).unwrap();
        (some("([ a-z,.;:(){}\\n]{0,20}[ \\n(,;])?"), some("([ \\n),;][ a-z,.;:(){}\\n]{0,20})?"))
    }

    proptest! {
        #[test]
        fn no_planted_secret_survives_in_a_text_or_in_any_place_of_a_value(
            (secret, written) in planted(), (before, behind) in around(),
        ) {
            let text = format!("{before}{written}{behind}");
            let concealed = conceal_text(&text);
            prop_assert!(!concealed.contains(&secret), "{}\n{}", text, concealed);
            prop_assert!(concealed.contains(REDACTED) && concealed.starts_with(&before) && concealed.ends_with(&behind));
            prop_assert_eq!(&*conceal_text(&concealed), &*concealed, "what is concealed stays as it is");
            let value = json!({"a": [{"note": &text}], "as JSON": json!({"inner": &text}).to_string(), &text: 1});
            let told = conceal_json(&value).to_string();
            let as_written = serde_json::to_string(&secret).unwrap();
            prop_assert!(!told.contains(as_written.trim_matches('"')), "{}\n{}", value, told);
        }

        #[test]
        fn whatever_stands_under_a_name_that_says_so_is_concealed(secret in "[^\\[ \\t\\n][^\"]{0,30}") {
            prop_assume!(!secret.trim().is_empty());
            for name in ["password", "API-Key", "client_secret", "accessToken", "Authorization", "pass", "secrets"] {
                let concealed = conceal_json(&json!({"user": "me", name: &secret}));
                prop_assert_eq!(concealed, json!({"user": "me", name: mark(name)}));
            }
            for name in ["password", "token", "api_key", "api_keys", "passwords", "credentials"] {
                let shapes: [fn(&str) -> serde_json::Value; 3] =
                    [|text| json!([text]), |text| json!({"value": text}), |text| json!({"bob": [{"is": text}]})];
                for shape in shapes {
                    let concealed = conceal_json(&json!({name: shape(&secret)}));
                    prop_assert_eq!(concealed, json!({name: shape(&mark(name))}));
                }
            }
            let listed = conceal_json(&json!([{"name": "X-Api-Key", "value": &secret}, {"name": "Accept", "value": "a/b"}]));
            prop_assert_eq!(listed, json!([{"name": "X-Api-Key", "value": mark("X-Api-Key")}, {"name": "Accept", "value": "a/b"}]));
        }
    }

    #[test]
    fn every_shape_can_be_looked_for() {
        assert_eq!(COMPILED.len(), SHAPES.len());
        assert!(FIELD.is_some() && SETTING.is_some() && TOLD.is_some());
    }

    #[test]
    fn words_at_a_cut_are_left_out_and_all_others_stay() {
        for (cut, whole) in [
            ("found `… j-AAAABBBB and then refused…` in it", "found `… and then …` in it"),
            ("`ghp_AAAABBBB… (93 more)` is missing", "`… (93 more)` is missing"),
            ("one two… three four", "one … four"),
            ("nothing was cut", "nothing was cut"),
            ("…", "…"),
            ("sk-proj-AAAA…", "…"),
        ] {
            assert_eq!(without_cut_words(cut), whole, "{cut}");
        }
    }

    #[test]
    fn what_only_sounds_like_a_secret_is_left_as_it_is() {
        for text in [
            "The token is valid for ten minutes, and the password must have ten letters.",
            "A basic understanding of bearer instruments-and-other.things",
            "risk-assessment-procedures and task-force-for-everything",
            "https://user@host.example/path, http://127.0.0.1:8080/invoke, mailto:a@b.example",
            "{\"token\": null, \"tokens\": \"many\", \"password\": \"\"}",
            "ghost_writer eyJ AKIA sk-short [redacted:OPENAI_API_KEY]",
            "{\"password\": \"[redacted:DB_PASSWORD]\"}",
            "The password: ask whoever runs the desk. Your token = nothing.",
            "authorization: needs approval by a lead. Pass: Nobody. auth: Later",
        ] {
            assert_eq!(conceal_text(text), text);
        }
        let counted = json!({
            "token": 5, "secret": true, "password": "", "tokens": ["Good", "morning"], "total_tokens": 7,
            "authorization": {"id": "au-7", "by": ["R. Viewer"]}, "name": "Authorization",
        });
        assert_eq!(conceal_json(&counted), counted);
    }

    #[test]
    fn an_authorization_is_concealed_with_its_scheme() {
        for told in
            ["Token 0123456789abcdef", "Bearer zztextzz", "bearer zztextzz", "AWS4-HMAC-SHA256 Credential=AKID/2026"]
        {
            assert_eq!(
                conceal_text(&format!("Authorization: {told}\nAccept: a/b")),
                "Authorization: [redacted:Authorization]\nAccept: a/b"
            );
            let quoted = conceal_text(&format!("{{\"authorization\": \"{told}\"}}")).into_owned();
            assert!(!quoted.contains(&told[told.len() - 6..]), "{quoted}");
        }
        let numbers = json!({"password": 987_654_321, "n": 5});
        assert_eq!(conceal_json(&numbers), json!({"password": "[redacted:password]", "n": 5}));
    }

    #[test]
    fn what_stands_around_a_secret_says_what_it_was() {
        assert_eq!(
            conceal_text("GET https://me:hunter2@api.example/x with Bearer AbCd1234EfGh5678"),
            "GET https://[redacted:address's password]@api.example/x with Bearer [redacted:bearer token]"
        );
        assert_eq!(
            conceal_text("{\"api_key\": \"abcdef\", \"n\": 1}"),
            "{\"api_key\": \"[redacted:api_key]\", \"n\": 1}"
        );
    }
}
