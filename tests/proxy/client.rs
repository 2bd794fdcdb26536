//! A client that sends exactly the bytes it is told to.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// Longer than anything here takes; what hangs shows as an error.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A raw connection.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    unread: Vec<u8>,
}

/// An answer as it came.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    /// The status line and the headers, without the empty line.
    pub(crate) head: String,
    /// The body, without its framing.
    pub(crate) body: Vec<u8>,
    /// What follows the last chunk.
    pub(crate) trailers: String,
}

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.head.split(' ').nth(1).unwrap().parse().unwrap()
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }
}

/// The first header of that name, whatever its letter case.
pub(crate) fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let lines = head.lines().skip(1).filter_map(|line| line.split_once(':'));
    lines.into_iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

impl Client {
    pub(crate) fn to(address: &str) -> Self {
        let stream = TcpStream::connect(host(address)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, unread: Vec::new() }
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.stream.write_all(bytes.as_ref()).unwrap();
        self
    }

    /// Sends a request and reads its answer.
    pub(crate) fn call(&mut self, method: &str, target: &str, headers: &str, body: &str) -> io::Result<Answer> {
        self.send(request(method, target, headers, body));
        self.read_answer_to(method)
    }

    /// Reads an answer to a request with a body.
    pub(crate) fn read_answer(&mut self) -> io::Result<Answer> {
        self.read_answer_to("GET")
    }

    pub(crate) fn read_answer_to(&mut self, method: &str) -> io::Result<Answer> {
        let head = self.read_head()?;
        let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut answer = Answer { head, body: Vec::new(), trailers: String::new() };
        if method == "HEAD" || status == 204 || status == 304 {
            return Ok(answer);
        }
        if answer.header("transfer-encoding").is_some_and(|coding| coding.ends_with("chunked")) {
            (answer.body, answer.trailers) = self.read_chunks()?;
        } else if let Some(length) = answer.header("content-length") {
            answer.body = self.take(length.parse().unwrap())?;
        } else {
            answer.body = self.read_to_end().0;
        }
        Ok(answer)
    }

    /// The head of the next message, without the empty line.
    pub(crate) fn read_head(&mut self) -> io::Result<String> {
        loop {
            if let Some(at) = find(&self.unread, b"\r\n\r\n") {
                let head = self.take(at + 4)?;
                return Ok(String::from_utf8_lossy(&head[..at]).into_owned());
            }
            self.more()?;
        }
    }

    fn read_chunks(&mut self) -> io::Result<(Vec<u8>, String)> {
        let mut body = Vec::new();
        loop {
            let line = self.read_line()?;
            let size = usize::from_str_radix(line.split(';').next().unwrap().trim(), 16).unwrap();
            if size == 0 {
                let mut trailers = String::new();
                loop {
                    let line = self.read_line()?;
                    if line.is_empty() {
                        return Ok((body, trailers));
                    }
                    trailers += &line;
                }
            }
            body.extend(self.take(size)?);
            assert_eq!(self.take(2)?, b"\r\n");
        }
    }

    fn read_line(&mut self) -> io::Result<String> {
        loop {
            if let Some(at) = find(&self.unread, b"\r\n") {
                let line = self.take(at + 2)?;
                return Ok(String::from_utf8_lossy(&line[..at]).into_owned());
            }
            self.more()?;
        }
    }

    fn take(&mut self, count: usize) -> io::Result<Vec<u8>> {
        while self.unread.len() < count {
            self.more()?;
        }
        let rest = self.unread.split_off(count);
        Ok(std::mem::replace(&mut self.unread, rest))
    }

    fn more(&mut self) -> io::Result<()> {
        let mut buffer = [0; 64 * 1024];
        let count = self.stream.read(&mut buffer)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.unread.extend_from_slice(&buffer[..count]);
        Ok(())
    }

    /// Everything up to the end of the connection, and how it ended.
    pub(crate) fn read_to_end(&mut self) -> (Vec<u8>, io::Result<()>) {
        loop {
            if let Err(error) = self.more() {
                let ended = if error.kind() == io::ErrorKind::UnexpectedEof { Ok(()) } else { Err(error) };
                return (std::mem::take(&mut self.unread), ended);
            }
        }
    }

    /// Closes its own side alone.
    pub(crate) fn finish_writing(&self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }
}

/// A request with a body of stated length, or none.
pub(crate) fn request(method: &str, target: &str, headers: &str, body: &str) -> String {
    let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
    format!("{method} {target} HTTP/1.1\r\nHost: proxy\r\n{headers}{length}\r\n{body}")
}

/// The host and port of an address.
pub(crate) fn host(address: &str) -> &str {
    address.trim_start_matches("http://").split('/').next().unwrap()
}

pub(crate) fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}
