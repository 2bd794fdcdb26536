//! What was kept of a call, and the record that is concluded from it.
//!
//! While a call is passed on only what it consists of is kept, in few pieces: digests, identities and texts are concluded
//! when the trial is gathered, since nobody asks before, and the caller would wait for them.

use std::sync::Arc;

use hyper::http::request::Parts;
use hyper::{Method, Uri};

use crate::domain::{Digest, Digester};
use crate::evidence::{Delivered, Exchange, FaultLaid, Forwarded, Message, RequestSeen, WireMatch};

use super::connector::Connector;
use super::headers::{HeaderLines, SecretHeaders};

/// What was asked for.
#[derive(Debug, Default)]
pub(super) struct Asked {
    method: Method,
    target: String,
    matched: Option<WireMatch>,
    /// Headers that are not recorded and in which identities stand all the same.
    secrets: SecretHeaders,
}

/// What became of a call so far.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) course: Course,
    pub(super) request: Intake,
    pub(super) answer: Option<Intake>,
    pub(super) retry_after: Option<String>,
    pub(super) fault: Option<FaultLaid>,
    pub(super) problem: Option<String>,
}

/// How a call went, in figures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    /// When the head of the request may have begun to go out, and how often all of it has.
    pub(super) sent_us: Option<u64>,
    pub(super) sent_whole: u32,
    pub(super) status: Option<u16>,
    pub(super) answered_us: Option<u64>,
    pub(super) delivered: Delivered,
    pub(super) delivered_status: Option<u16>,
    pub(super) ended_us: Option<u64>,
}

/// What came in of a message so far.
#[derive(Debug, Default)]
pub(super) struct Intake {
    headers: HeaderLines,
    bytes: u64,
    kept: Vec<u8>,
    most_kept: usize,
    pub(super) is_whole: bool,
    /// Of all that came, once that is more than may be kept; until then it is the digest of what is kept.
    digester: Option<Box<Digester>>,
}

/// A call that is over.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) place: InTrial,
    pub(super) connector: Arc<Connector>,
    pub(super) asked: Asked,
    pub(super) draft: Draft,
}

/// Where a call stands in its trial, and how it ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct InTrial {
    pub(super) number: u32,
    pub(super) step: u32,
    pub(super) begun_us: u64,
    pub(super) ended_us: u64,
    /// What is wrong with how it ended, where nothing else went wrong before.
    pub(super) flaw: Option<&'static str>,
}

/// A call that is over, in the form in which it waits: its texts in one piece, since memory that nobody has touched yet
/// costs more than anything else that is done for a record.
#[derive(Debug)]
pub(super) struct Kept {
    place: InTrial,
    course: Course,
    connector: Arc<Connector>,
    method: Method,
    matched: Option<WireMatch>,
    /// Whether the request and the answer, where there is one, came as a whole.
    is_whole: (bool, Option<bool>),
    /// The target, then headers and body of the request, then those of the answer.
    texts: Box<[u8]>,
    ends: [usize; 4],
}

/// A call in the book.
#[derive(Debug)]
pub(super) enum Entry {
    /// What was kept of it.
    Kept(Box<Kept>),
    /// What is concluded from that.
    Concluded(Box<Exchange>),
}

impl Asked {
    pub(super) fn new(head: &Parts, target: String, matched: Option<WireMatch>) -> Self {
        let wire = matched.as_ref().map(WireMatch::wire);
        let places = wire.into_iter().flat_map(|wire| [&wire.intention, &wire.key]).flatten();
        let secrets = SecretHeaders::new(places.filter_map(|place| place.header.as_deref()), &head.headers);
        Self { method: head.method.clone(), target, matched, secrets }
    }

    /// Whether its operation's contract documents the status as a refusal.
    pub(super) fn is_refusal(&self, status: u16) -> bool {
        self.matched.as_ref().is_some_and(|matched| matched.wire().refused.contains(&status))
    }

    /// Whether identities stand in its body.
    pub(super) fn needs_body(&self) -> bool {
        self.matched.as_ref().is_some_and(WireMatch::needs_body)
    }
}

/// A request's target as it was sent.
pub(super) fn target(uri: &Uri) -> String {
    match uri.path_and_query() {
        Some(path) if uri.scheme().is_none() && uri.authority().is_none() => path.as_str().to_owned(),
        _ => uri.to_string(),
    }
}

impl Draft {
    pub(super) fn new(request: Intake) -> Self {
        Self {
            course: Course {
                sent_us: None,
                sent_whole: 0,
                status: None,
                answered_us: None,
                delivered: Delivered::No,
                delivered_status: None,
                ended_us: None,
            },
            request,
            answer: None,
            retry_after: None,
            fault: None,
            problem: None,
        }
    }

    /// What is wrong with how it ended, where its trial was over by then, or its caller had not left and yet got nothing.
    pub(super) fn how_it_ended(&self, is_cut_off: bool, is_gone: bool) -> Option<&'static str> {
        let Course { status, delivered, ended_us, .. } = self.course;
        let came_to_nothing = status.is_some() && delivered == Delivered::No && self.fault.is_none();
        match is_cut_off {
            true if ended_us.is_none() => Some("it was still under way when the trial ended"),
            false if came_to_nothing && !is_gone => Some("nothing of the target's answer could be passed back"),
            _ => None,
        }
    }
}

impl Course {
    fn forwarded(&self) -> Forwarded {
        match (self.sent_us, self.sent_whole) {
            (None, 0) => Forwarded::No,
            (Some(_), 0) => Forwarded::Partly,
            (_, 1) => Forwarded::Whole,
            _ => Forwarded::Twice,
        }
    }
}

impl Intake {
    pub(super) fn new(headers: HeaderLines, most_kept: usize) -> Self {
        Self { headers, most_kept, ..Self::default() }
    }

    /// One of which all is kept that came.
    fn of_whole(headers: &[u8], body: &[u8], is_whole: bool) -> Self {
        let headers = HeaderLines::from_bytes(headers);
        Self { bytes: body.len() as u64, kept: body.to_vec(), is_whole, ..Self::new(headers, body.len()) }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let room = self.most_kept.saturating_sub(self.kept.len());
        if bytes.len() > room {
            self.digester.get_or_insert_with(|| {
                let mut digester = Box::<Digester>::default();
                digester.add(&self.kept);
                digester
            });
        }
        if let Some(digester) = &mut self.digester {
            digester.add(bytes);
        }
        self.kept.extend_from_slice(&bytes[..room.min(bytes.len())]);
    }

    /// The digest of what came.
    fn digest(&mut self) -> Digest {
        self.digester.take().map_or_else(|| Digest::of(&self.kept), |digester| digester.finish())
    }

    /// The body, where all of it came and was kept.
    fn whole(&self) -> Option<&[u8]> {
        (self.is_whole && !self.is_too_long()).then_some(self.kept.as_slice())
    }

    /// Whether more came than may be kept.
    fn is_too_long(&self) -> bool {
        (self.kept.len() as u64) < self.bytes
    }

    /// The beginning of the body, where not all of it came or was kept.
    fn beginning(&self) -> Option<&[u8]> {
        self.whole().is_none().then_some(self.kept.as_slice())
    }

    /// Whether it takes no more room as it is than it will in the record.
    fn is_small(&self, most: usize) -> bool {
        !self.is_too_long() && self.kept.len() <= most && std::str::from_utf8(&self.kept).is_ok()
    }

    /// Its headers and what is kept of its body.
    fn texts(&self) -> [&[u8]; 2] {
        [self.headers.as_bytes(), &self.kept]
    }

    fn message(self, most: usize, digest: Digest) -> Message {
        let mut shown = self.kept;
        shown.truncate(most);
        Message {
            headers: self.headers.pairs(),
            bytes: self.bytes,
            digest: self.is_whole.then_some(digest),
            is_cut: (shown.len() as u64) < self.bytes,
            text: String::from_utf8(shown)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
        }
    }
}

impl Ended {
    /// The call for the book: it waits as it is if `may_wait` says so, nothing out of the way happened to it, and it takes
    /// no more room so than its record does.
    pub(super) fn entry(self, may_wait: bool) -> Entry {
        if may_wait && self.is_plain() {
            Entry::Kept(Box::new(self.keep()))
        } else {
            Entry::Concluded(Box::new(self.conclude()))
        }
    }

    fn is_plain(&self) -> bool {
        let Draft { request, answer, retry_after, fault, problem, .. } = &self.draft;
        [request].into_iter().chain(answer).all(|message| message.is_small(self.connector.record_bytes))
            && retry_after.is_none()
            && fault.is_none()
            && problem.is_none()
            && self.asked.secrets.is_empty()
    }

    /// All that a plain call consists of, in one piece.
    fn keep(self) -> Kept {
        let Draft { request, answer, .. } = &self.draft;
        let [headers, body] = request.texts();
        let [answer_headers, answer_body] = answer.as_ref().map_or([&[][..]; 2], Intake::texts);
        let pieces = [self.asked.target.as_bytes(), headers, body, answer_headers, answer_body];
        let mut end = 0;
        let ends = pieces.map(|piece| {
            end += piece.len();
            end
        });
        Kept {
            texts: pieces.concat().into_boxed_slice(),
            ends: [ends[0], ends[1], ends[2], ends[3]],
            is_whole: (request.is_whole, answer.as_ref().map(|answer| answer.is_whole)),
            place: self.place,
            course: self.draft.course,
            connector: self.connector,
            method: self.asked.method,
            matched: self.asked.matched,
        }
    }

    /// What the call was, and what became of it.
    fn conclude(self) -> Exchange {
        let Self { place, connector, asked, mut draft } = self;
        let course = draft.course;
        let digest = draft.request.digest();
        let lines = &draft.request.headers;
        let header = |name: &str| lines.first(name).or_else(|| asked.secrets.first(name)).map(str::to_owned);
        let (body, beginning) = (draft.request.whole(), draft.request.beginning());
        let request = RequestSeen { target: &asked.target, header: &header, body, beginning };
        let matched = asked.matched.as_ref();
        let intention = matched.map(|matched| matched.intention(&request, &digest));
        let key = match matched {
            Some(matched) => matched.key(&request),
            None => header("idempotency-key").filter(|key| !key.is_empty()),
        };
        let mut problem = draft.problem.take();
        if draft.request.is_too_long() && matched.is_some_and(|matched| matched.lacks_identity(&request)) {
            let looked_at = draft.request.kept.len();
            problem.get_or_insert_with(|| {
                format!(
                    "its identity stands in its body, and not within the {looked_at} bytes of it that are looked at"
                )
            });
        }
        let most = connector.record_bytes;
        Exchange {
            number: place.number,
            step: place.step,
            connector: connector.id.clone(),
            operation: matched.map(|matched| matched.operation().to_owned()),
            intention,
            key,
            begun_us: place.begun_us,
            sent_us: course.sent_us,
            answered_us: course.answered_us,
            ended_us: place.ended_us,
            method: asked.method.as_str().to_owned(),
            forwarded: course.forwarded(),
            request: draft.request.message(most, digest),
            target: asked.target,
            answer: draft.answer.map(|mut answer| {
                let digest = answer.digest();
                answer.message(most, digest)
            }),
            status: course.status,
            delivered: course.delivered,
            delivered_status: course.delivered_status,
            retry_after: draft.retry_after,
            fault: draft.fault,
            problem: problem.or_else(|| place.flaw.map(str::to_owned)),
        }
    }
}

impl Kept {
    /// Bytes of bodies.
    pub(super) fn body_bytes(&self) -> usize {
        let [_, headers, body, answer_headers] = self.ends;
        body - headers + self.texts.len() - answer_headers
    }

    /// As it was.
    fn ended(self) -> Ended {
        let mut begin = 0;
        let mut texts = self.ends.into_iter().chain([self.texts.len()]).map(|end| {
            let piece = &self.texts[begin..end];
            begin = end;
            piece
        });
        let mut next = || texts.next().unwrap_or_default();
        let target = String::from_utf8_lossy(next()).into_owned();
        let request = Intake::of_whole(next(), next(), self.is_whole.0);
        let answer = self.is_whole.1.map(|is_whole| Intake::of_whole(next(), next(), is_whole));
        Ended {
            place: self.place,
            connector: self.connector,
            asked: Asked { method: self.method, target, matched: self.matched, secrets: SecretHeaders::default() },
            draft: Draft { course: self.course, answer, ..Draft::new(request) },
        }
    }
}

impl Entry {
    pub(super) fn conclude(self) -> Exchange {
        match self {
            Self::Kept(kept) => kept.ended().conclude(),
            Self::Concluded(exchange) => *exchange,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hyper::Request;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::domain::PartId;
    use crate::proxy::ProxiedConnector;

    #[test]
    fn a_target_is_shown_as_it_was_sent() {
        for text in ["/", "/a?b=1", "/?", "*", "http://a/b", "a:80"] {
            assert_eq!(target(&text.parse().unwrap()), text);
        }
    }

    fn connector() -> Arc<Connector> {
        let wire = json!({"method": "POST", "path": "/{id}", "intention": {"body": "/id"}});
        let manifest = json!({
            "id": "shop", "kind": "connector", "version": "1", "release": "1",
            "operations": {"order": {"effect": "create", "wire": wire}},
        });
        let given = ProxiedConnector {
            id: PartId::from("shop"),
            upstream: "http://shop".to_owned(),
            manifest: Arc::new(serde_json::from_value(manifest).unwrap()),
            base_path: String::new(),
            record_headers: Vec::new(),
            record_bytes: 64,
            timeout: Duration::from_secs(1),
        };
        Arc::new(Connector::new(given, "http://here".to_owned()).unwrap())
    }

    /// A call of that method with these bodies and these faces of what can happen to it.
    fn ended(method: &str, body: &[u8], answer: Option<&[u8]>, is_whole: bool, retry_after: bool) -> Ended {
        let connector = connector();
        let request =
            Request::builder().method(method).uri("/7?a").header("idempotency-key", "k").header("accept", "x");
        let (head, ()) = request.body(()).unwrap().into_parts();
        let intake = |body: &[u8]| {
            let mut intake = Intake::new(connector.recorded.of(&head.headers), 64);
            intake.add(body);
            Intake { is_whole, ..intake }
        };
        let asked = Asked::new(&head, target(&head.uri), connector.find(method, "/7"));
        let mut draft = Draft { answer: answer.map(intake), ..Draft::new(intake(body)) };
        draft.course.status = answer.map(|_| 201);
        draft.course.sent_whole = 2;
        draft.retry_after = retry_after.then(|| "3".to_owned());
        let place = InTrial { number: 3, step: 2, begun_us: 5, ended_us: 9, flaw: Some("late") };
        Ended { place, asked, draft, connector }
    }

    #[test]
    fn what_waits_is_small_and_whatever_is_out_of_the_way_does_not_wait() {
        let waits = |ended: Ended| matches!(ended.entry(true), Entry::Kept(_));
        assert!(waits(ended("POST", b"{}", Some(b"ok"), true, false)));
        assert!(!waits(ended("POST", b"{}", Some(b"ok"), true, true)));
        assert!(!waits(ended("POST", &[b'x'; 65], None, true, false)));
        assert!(!waits(ended("POST", b"{}", Some(b"\xff"), true, false)));
        assert!(matches!(ended("POST", b"{}", None, true, false).entry(false), Entry::Concluded(_)));
        let Entry::Kept(kept) = ended("POST", b"{}", Some(b"abc"), true, false).entry(true) else { panic!("it waits") };
        assert_eq!(kept.body_bytes(), 5);
    }

    proptest! {
        #[test]
        fn a_call_that_waited_is_what_it_would_have_been_at_once(
            method in prop::sample::select(vec!["GET", "POST", "PURGE"]),
            body in ".{0,20}|\\{\"id\":[0-9]\\}",
            answer in prop::option::of(".{0,20}"),
            is_whole: bool,
        ) {
            let call = || ended(method, body.as_bytes(), answer.as_deref().map(str::as_bytes), is_whole, false);
            let later = call().entry(true).conclude();
            prop_assert_eq!(&later, &call().conclude());
            prop_assert_eq!(&later.request.text, &body);
            prop_assert_eq!(later.key.as_deref(), Some("k"));
        }

        #[test]
        fn a_message_is_the_same_in_whatever_pieces_it_comes_and_wherever_it_is_cut(
            body in prop::collection::vec(any::<u8>(), 0..40),
            cuts in prop::collection::vec(0_usize..40, 0..4),
            most_kept in 0_usize..50,
            most in 0_usize..50,
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(body.len())).chain([0, body.len()]).collect();
            cuts.sort_unstable();
            let mut intake = Intake::new(HeaderLines::default(), most_kept);
            for ends in cuts.windows(2) {
                intake.add(&body[ends[0]..ends[1]]);
            }
            intake.is_whole = true;
            prop_assert_eq!(intake.whole().is_some(), body.len() <= most_kept);
            prop_assert_eq!(intake.beginning().is_some(), body.len() > most_kept);
            let is_small = intake.is_small(most);
            let digest = intake.digest();
            prop_assert_eq!(&digest, &Digest::of(&body));
            let message = intake.message(most, digest);
            let shown = &body[..body.len().min(most_kept).min(most)];
            prop_assert_eq!(&message.text, &String::from_utf8_lossy(shown));
            prop_assert_eq!(message.is_cut, shown.len() < body.len());
            prop_assert_eq!(message.bytes, body.len() as u64);
            prop_assert_eq!(is_small, !message.is_cut && std::str::from_utf8(&body).is_ok());
        }
    }
}
