//! HTTP probes: a GET to a target itself, past the faults, with a JSONPath to the effects in the answer.

use std::io::Read as _;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use serde_json_path::JsonPath;
use ureq::Agent;

use crate::evidence::{Reading, excerpt};
use crate::manifest::{HttpProbe, compile_json_path};

use super::super::cancellation::Cancellation;
use super::super::client::agent;
use super::super::strict_json;
use super::{BYTE_CAP, lines};

/// How much of an answer that is no reading is shown, in characters.
const SHOWN: usize = 120;

/// What asks targets by HTTP, for all trials of a run.
#[derive(Clone, Debug)]
pub(in crate::execution) struct HttpAsker {
    agent: Arc<Agent>,
}

impl HttpAsker {
    /// A client that goes where it is told, and whose connections end when the run is forced to.
    pub(in crate::execution) fn new(cancellation: &Cancellation) -> Self {
        let agent = agent(None);
        let in_flight = agent.clone();
        cancellation.when_forced(move || in_flight.clone().shutdown());
        Self { agent: Arc::new(agent) }
    }

    /// Asks `url`. Every failure is a reading of its own, which names the target as `name`.
    pub(super) fn ask(&self, probe: &HttpProbe, url: &str, name: &str) -> Reading {
        let read = Effects::at(&probe.effects).and_then(|effects| match self.get(probe, url)? {
            None => Ok(Vec::new()),
            Some(body) => {
                let body = strict_json::parse(&body)
                    .map_err(|error| format!("{error}: {}", excerpt(&String::from_utf8_lossy(&body), SHOWN)))?;
                effects.of(&body)
            }
        });
        match read {
            Ok(effects) => Reading::Effects(effects),
            Err(reason) => Reading::Unreadable(format!("{name}: {reason}")),
        }
    }

    /// The body of the answer; `None` where the target says that there is nothing, and the probe lets that count.
    fn get(&self, probe: &HttpProbe, url: &str) -> Result<Option<Vec<u8>>, String> {
        let timeout = Duration::from_secs(probe.timeout_s);
        let mut request = self.agent.get(url).config().timeout_global(Some(timeout)).build();
        for (name, value) in &probe.headers {
            request = request.header(name, value);
        }
        let error = |error: ureq::Error| match error {
            ureq::Error::Timeout(_) => format!("it gave no whole answer within {} s", probe.timeout_s),
            other => other.to_string(),
        };
        let mut response = request.call().map_err(error)?;
        match response.status().as_u16() {
            200 => {}
            // A part of an answer, one that is still to come, or none (RFC 9110, section 15.3).
            status @ 201..=299 => {
                return Err(format!("it answered with the status {status}, which brings no whole answer"));
            }
            404 if probe.not_found_is_empty => return Ok(None),
            status => return Err(format!("it answered with the status {status}")),
        }
        let mut body = Vec::new();
        // One byte more than allowed, to tell a full answer from one that goes on.
        let limited = response.body_mut().with_config().limit(u64::MAX).reader().take(BYTE_CAP as u64 + 1);
        { limited }.read_to_end(&mut body).map_err(|failed| error(ureq::Error::from(failed)))?;
        if body.len() > BYTE_CAP {
            return Err(format!("its answer is longer than {BYTE_CAP} bytes"));
        }
        Ok(Some(body))
    }
}

/// Where the effects stand in an answer, and what must be there for it to be of the right form: one of another form would
/// otherwise read as one without effects.
struct Effects {
    path: JsonPath,
    /// Whether the path leads to one place. `null` there says that there is no effect.
    is_place: bool,
    /// The list that the path chooses from first.
    first: Option<(String, JsonPath)>,
    /// The list that the effects are the items of.
    last: Option<(String, JsonPath)>,
    /// The items of the innermost list, and what each of them must have.
    each: Option<[(String, JsonPath); 2]>,
    /// Whether the path searches at any depth: then nothing says what an answer without effects looks like.
    descends: bool,
}

impl Effects {
    fn at(path: &str) -> Result<Self, String> {
        let path = path.trim();
        let compiled = compile_json_path(path).map_err(|reason| format!("the path `{path}`: {reason}"))?;
        let list = |path: &str| Some((path.to_owned(), compile_json_path(path).ok()?));
        let choice = choice(path);
        let first = choice.filter(|at| path[*at..].starts_with('[')).and_then(|at| list(&path[..at]));
        let last = path.strip_suffix("[*]").filter(|list| !list.ends_with('.')).filter(|_| choice.is_some());
        let each = own_place(path).and_then(|(items, place)| Some([list(items)?, list(place)?]));
        let descends = choice.is_some() && path.contains("..");
        Ok(Self { path: compiled, is_place: choice.is_none(), first, last: last.and_then(list), each, descends })
    }

    fn of(&self, body: &Value) -> Result<Vec<serde_json::Map<String, Value>>, String> {
        let found = self.path.query(body).all();
        if self.is_place && matches!(found.as_slice(), [Value::Null]) {
            return Ok(Vec::new());
        }
        if let Some(missing) = self.missing(body, found.is_empty()) {
            return Err(format!("its answer has {missing}: {}", excerpt(&body.to_string(), SHOWN)));
        }
        lines::maps(found.into_iter().cloned().collect())
    }

    /// What an answer lacks that it would hold whether or not there are effects.
    fn missing(&self, body: &Value, finds_nothing: bool) -> Option<String> {
        let mut is_empty = false;
        if let Some((name, list)) = &self.first {
            match list.query(body).all().as_slice() {
                [Value::Array(items)] => is_empty = items.is_empty(),
                _ => return Some(format!("no list at `{name}`")),
            }
        }
        if let Some((name, list)) = &self.last {
            let lists = list.query(body).all();
            if (lists.is_empty() && !is_empty) || lists.iter().any(|found| !found.is_array()) {
                return Some(format!("no list at `{name}`"));
            }
        }
        if let Some([(items, all), (place, with)]) = &self.each
            && all.query(body).all().len() != with.query(body).all().len()
        {
            return Some(format!("not for each of `{items}` something at `{place}`"));
        }
        if self.descends && finds_nothing {
            return Some("nothing that the path finds, and one of another form would have neither".to_owned());
        }
        (self.is_place && finds_nothing).then(|| "nothing where the effect should stand".to_owned())
    }
}

/// Of a path through the items of a list: the path to these items, and that to the one place of each at which effects stand.
/// `None` where the effects are the items themselves, or are chosen among several places of one.
fn own_place(path: &str) -> Option<(&str, &str)> {
    let place = path.strip_suffix("[*]").unwrap_or(path);
    let at = place.rfind("[*]")? + "[*]".len();
    let (items, rest) = place.split_at(at);
    (!rest.is_empty() && choice(rest).is_none()).then_some((items, place))
}

/// Where a path first chooses among several places: by `*`, a filter, a slice, several names, or a descent. `None` where it
/// leads to one place. A name in quotes is passed over.
fn choice(path: &str) -> Option<usize> {
    let (mut quote, mut opened) = (None, None);
    let mut before = ' ';
    for (at, c) in path.char_indices() {
        match (quote, c) {
            (Some(_), _) if before == '\\' => before = ' ',
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => before = c,
            (None, '\'' | '"') => (quote, before) = (Some(c), ' '),
            (None, '[') => opened = Some(at),
            (None, ']') => opened = None,
            (None, '*' | '?' | ':' | ',') => return Some(opened.unwrap_or(at)),
            (None, '.') if path[at..].starts_with("..") => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;

    use serde_json::json;

    use super::*;

    fn probe(fields: Value) -> HttpProbe {
        let mut document = json!({"path": "/"});
        document.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        serde_json::from_value(document).unwrap()
    }

    /// What the probe reads from a target that answers with these bytes, and what it asked.
    fn ask_target(fields: Value, answer: &'static [u8], then: fn(&mut std::net::TcpStream)) -> (Reading, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/orders?key=secret", listener.local_addr().unwrap());
        let target = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = String::new();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            while !asked.ends_with("\r\n\r\n") && reader.read_line(&mut asked).unwrap() > 0 {}
            stream.write_all(answer).unwrap();
            then(&mut stream);
            asked
        });
        let reading = HttpAsker::new(&Cancellation::new().unwrap()).ask(&probe(fields), &url, "target/orders");
        (reading, target.join().unwrap())
    }

    fn ask_json(fields: Value, body: &'static str) -> Reading {
        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        ask_target(fields, answer.leak().as_bytes(), |_| {}).0
    }

    fn ended(answer: &'static [u8], fields: Value) -> String {
        match ask_target(fields, answer, |_| {}).0 {
            Reading::Unreadable(reason) => reason,
            Reading::Effects(effects) => panic!("read {effects:?}"),
        }
    }

    #[test]
    fn the_items_of_a_list_are_effects() {
        let Reading::Effects(effects) = ask_json(json!({}), r#"[{"id": 1}, {"id": 2}]"#) else { panic!("unreadable") };
        assert_eq!(json!(effects), json!([{"id": 1}, {"id": 2}]));
        let inside = ask_json(json!({"effects": "$.data.orders[*]"}), r#"{"data": {"orders": [{"id": 1}]}}"#);
        assert_eq!(json!(inside), json!({"effects": [{"id": 1}]}));
        let one = ask_json(json!({"effects": "$"}), r#"{"id": 1}"#);
        assert_eq!(json!(one), json!({"effects": [{"id": 1}]}));
    }

    #[test]
    fn the_headers_of_the_probe_are_sent() {
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]";
        let (reading, asked) = ask_target(json!({"headers": {"X-Key": "k-1"}}), answer, |_| {});
        assert_eq!(reading, Reading::Effects(Vec::new()));
        assert!(asked.starts_with("GET /orders?key=secret HTTP/1.1\r\n"), "{asked}");
        assert!(asked.to_lowercase().contains("\r\nx-key: k-1\r\n"), "{asked}");
    }

    #[test]
    fn an_answer_of_another_form_is_not_one_without_effects() {
        for (fields, body) in [
            (json!({}), r#"{"error": "no such view"}"#),
            (json!({}), "{}"),
            (json!({"effects": "$.orders[*]"}), "{}"),
            (json!({"effects": "$.orders[*]"}), r#"{"orders": null}"#),
            (json!({"effects": "$.orders[*]"}), r#"{"orders": {}}"#),
            (json!({"effects": "$.order"}), r#"{"items": [{"id": 1}]}"#),
            (json!({"effects": "$.order.made"}), r#"{"order": null}"#),
            (json!({"effects": "$['a[*]']"}), "{}"),
            (json!({"effects": "$.items[?@.id == 1]"}), r#"{"orders": []}"#),
            (json!({"effects": "$.items[0:9]"}), "{}"),
            (json!({"effects": "$..order"}), "{}"),
            (json!({"effects": "$.items[*].order"}), r#"{"items": [{"id": 1}]}"#),
            (json!({"effects": "$.items[*].order"}), r#"{"items": [{"order": {"id": 1}}, {"error": "gone"}]}"#),
            (json!({"effects": "$.items[*].orders[*]"}), r#"{"items": [{"orders": []}, {"error": "gone"}]}"#),
            (json!({"effects": "$.items[*].order"}), "{}"),
            (json!({"effects": "$.items[*].orders[*]"}), r#"{"items": [{}]}"#),
            (json!({"effects": "$..items[*]"}), "{}"),
            (json!({}), r#"[{"id": 1}, 2]"#),
            (json!({}), "<html>"),
            (json!({}), ""),
            (json!({}), r#"[{"id": 1, "id": 2}]"#),
        ] {
            assert!(matches!(ask_json(fields.clone(), body), Reading::Unreadable(_)), "{fields} {body}");
        }
    }

    #[test]
    fn an_answer_of_the_right_form_may_hold_none() {
        for (effects, body) in [
            ("$.order", r#"{"order": null}"#),
            ("$.items[?@.id == 2]", r#"{"items": [{"id": 1}]}"#),
            ("$.items[*].order", r#"{"items": []}"#),
            ("$.items[*].orders[*]", r#"{"items": []}"#),
            ("$.items[*].orders[*]", r#"{"items": [{"orders": []}, {"orders": []}]}"#),
            ("$.items[*]", r#"{"items": []}"#),
            ("$['a[*]']", r#"{"a[*]": null}"#),
        ] {
            assert_eq!(ask_json(json!({"effects": effects}), body), Reading::Effects(Vec::new()), "{effects} {body}");
        }
    }

    #[test]
    fn a_status_is_no_reading_but_a_404_that_may_mean_nothing() {
        let missing = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
        assert!(ended(missing, json!({})).ends_with("/orders: it answered with the status 404"));
        let (reading, _) = ask_target(json!({"not_found_is_empty": true}), missing, |_| {});
        assert_eq!(reading, Reading::Effects(Vec::new()));
        for answer in [
            &b"HTTP/1.1 500 Broken\r\ncontent-length: 2\r\n\r\n[]"[..],
            b"HTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\n[]",
            b"HTTP/1.1 206 Partial Content\r\ncontent-length: 2\r\n\r\n[]",
            b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 2\r\n\r\n[]",
        ] {
            assert!(ended(answer, json!({"not_found_is_empty": true})).contains("status"));
        }
    }

    #[test]
    fn an_answer_without_an_end_and_one_that_breaks_off_are_unreadable() {
        assert!(ended(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[]", json!({})).contains("/orders: "));
        assert!(ended(b"SSH-2.0-x\r\n", json!({})).contains("/orders: "));
        let stalls = ask_target(json!({"timeout_s": 1}), b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[]", |stream| {
            // Waits until the other side has given up.
            let _ = std::io::Read::read(stream, &mut [0; 1]);
        });
        assert!(matches!(stalls.0, Reading::Unreadable(reason) if reason.contains("within 1 s")));
        let endless =
            ask_target(
                json!({}),
                b"HTTP/1.1 200 OK\r\n\r\n",
                |stream| {
                    while stream.write_all(&[b' '; 64 * 1024]).is_ok() {}
                },
            );
        assert!(matches!(endless.0, Reading::Unreadable(reason) if reason.contains("longer than")));
        let headers =
            ask_target(json!({}), b"HTTP/1.1 200 OK\r\n", |stream| while stream.write_all(b"a: b\r\n").is_ok() {});
        assert!(matches!(headers.0, Reading::Unreadable(_)));
    }

    #[test]
    fn nobody_at_the_address_is_unreadable_and_no_secret_is_named() {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let asker = HttpAsker::new(&Cancellation::new().unwrap());
        let Reading::Unreadable(reason) = asker.ask(&probe(json!({})), &format!("http://{free}/x?key=secret"), "shop")
        else {
            panic!("read")
        };
        assert!(reason.starts_with("shop: ") && !reason.contains("secret"), "{reason}");
    }
}
