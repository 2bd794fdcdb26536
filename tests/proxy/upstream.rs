//! A server that answers exactly the bytes it is told to, and remembers what it got.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::client::{PATIENCE, find, header};

/// A raw server on a port of its own. Its threads end with the test's process.
#[derive(Clone)]
pub(crate) struct Upstream {
    pub(crate) address: String,
    seen: Arc<Mutex<Vec<Got>>>,
    connections: Arc<AtomicUsize>,
}

/// A request, or as much of it as came.
#[derive(Clone, Debug)]
pub(crate) struct Got {
    /// The request line and the headers, without the empty line.
    pub(crate) head: String,
    /// The body, without its framing.
    pub(crate) body: Vec<u8>,
    pub(crate) trailers: String,
    pub(crate) is_whole: bool,
    pub(crate) at: Instant,
}

impl Got {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    pub(crate) fn line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }
}

impl Upstream {
    /// Answers each request with what `answer` gives for it, on connections that stay open.
    pub(crate) fn answering(answer: impl Fn(&Got) -> String + Send + Sync + 'static) -> Self {
        Self::acting(move |got, stream| stream.write_all(answer(got).as_bytes()).is_ok())
    }

    /// Answers every request with the same bytes.
    pub(crate) fn saying(answer: &str) -> Self {
        let answer = answer.to_owned();
        Self::answering(move |_| answer.clone())
    }

    /// Does whatever `act` does after each request; the connection ends when it gives `false`.
    pub(crate) fn acting(act: impl Fn(&Got, &mut TcpStream) -> bool + Send + Sync + 'static) -> Self {
        Self::before_and_after(|_, _| true, act)
    }

    /// As `acting`, with something done between the head of a request and its body.
    pub(crate) fn before_and_after(
        before: impl Fn(&str, &mut TcpStream) -> bool + Send + Sync + 'static,
        after: impl Fn(&Got, &mut TcpStream) -> bool + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let upstream = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            seen: Arc::default(),
            connections: Arc::default(),
        };
        let served = upstream.clone();
        let acts = Arc::new((before, after));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (acts, served) = (Arc::clone(&acts), served.clone());
                served.connections.fetch_add(1, Ordering::SeqCst);
                thread::spawn(move || served.serve(stream.unwrap(), &acts.0, &acts.1));
            }
        });
        upstream
    }

    /// The same, to be looked for at another address.
    pub(crate) fn at(self, address: String) -> Self {
        Self { address, ..self }
    }

    fn serve(
        &self,
        mut stream: TcpStream,
        before: &impl Fn(&str, &mut TcpStream) -> bool,
        after: &impl Fn(&Got, &mut TcpStream) -> bool,
    ) {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let mut unread = Vec::new();
        loop {
            let Some(head) = read_head(&mut stream, &mut unread) else { return };
            if !before(&head, &mut stream) {
                self.seen.lock().unwrap().push(Got {
                    head,
                    body: Vec::new(),
                    trailers: String::new(),
                    is_whole: false,
                    at: Instant::now(),
                });
                return;
            }
            let got = read_body(head, &mut stream, &mut unread);
            let is_whole = got.is_whole;
            self.seen.lock().unwrap().push(got.clone());
            if !is_whole || !after(&got, &mut stream) {
                return;
            }
        }
    }

    /// The requests so far, those that broke off among them.
    pub(crate) fn got(&self) -> Vec<Got> {
        self.seen.lock().unwrap().clone()
    }

    /// How many whole requests came so far.
    pub(crate) fn whole(&self) -> usize {
        self.got().iter().filter(|got| got.is_whole).count()
    }

    /// How many connections were made so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Waits until so many requests, whole or not, have come.
    pub(crate) fn wait_for(&self, count: usize) {
        let begun = Instant::now();
        while self.got().len() < count {
            assert!(begun.elapsed() < PATIENCE, "only {} of {count} requests came", self.got().len());
            thread::sleep(Duration::from_millis(2));
        }
    }
}

fn read_head(stream: &mut TcpStream, unread: &mut Vec<u8>) -> Option<String> {
    loop {
        if let Some(at) = find(unread, b"\r\n\r\n") {
            let rest = unread.split_off(at + 4);
            let head = std::mem::replace(unread, rest);
            return Some(String::from_utf8_lossy(&head[..at]).into_owned());
        }
        more(stream, unread)?;
    }
}

fn read_body(head: String, stream: &mut TcpStream, unread: &mut Vec<u8>) -> Got {
    let mut got = Got { head, body: Vec::new(), trailers: String::new(), is_whole: true, at: Instant::now() };
    if got.header("transfer-encoding").is_some() {
        got.is_whole = read_chunks(&mut got, stream, unread).is_some();
    } else if let Some(length) = got.header("content-length").map(|length| length.parse().unwrap()) {
        while unread.len() < length && got.is_whole {
            got.is_whole = more(stream, unread).is_some();
        }
        let rest = unread.split_off(length.min(unread.len()));
        got.body = std::mem::replace(unread, rest);
    }
    got.at = Instant::now();
    got
}

fn read_chunks(got: &mut Got, stream: &mut TcpStream, unread: &mut Vec<u8>) -> Option<()> {
    loop {
        let line = line(stream, unread)?;
        let size = usize::from_str_radix(&line, 16).unwrap();
        while size > 0 && unread.len() < size + 2 {
            more(stream, unread)?;
        }
        if size == 0 {
            loop {
                let trailer = self::line(stream, unread)?;
                if trailer.is_empty() {
                    return Some(());
                }
                got.trailers += &trailer;
            }
        }
        let rest = unread.split_off(size + 2);
        got.body.extend_from_slice(&std::mem::replace(unread, rest)[..size]);
    }
}

fn line(stream: &mut TcpStream, unread: &mut Vec<u8>) -> Option<String> {
    loop {
        if let Some(at) = find(unread, b"\r\n") {
            let rest = unread.split_off(at + 2);
            let line = std::mem::replace(unread, rest);
            return Some(String::from_utf8_lossy(&line[..at]).into_owned());
        }
        more(stream, unread)?;
    }
}

fn more(stream: &mut TcpStream, unread: &mut Vec<u8>) -> Option<()> {
    let mut buffer = [0; 64 * 1024];
    let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
    unread.extend_from_slice(&buffer[..count]);
    Some(())
}

/// A JSON answer of stated length.
pub(crate) fn ok(body: &str) -> String {
    answer("200 OK", "Content-Type: application/json\r\n", body)
}

/// An answer of stated length.
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
}
