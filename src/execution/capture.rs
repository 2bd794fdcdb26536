//! What a program prints, read without blocking and kept within a bound.

use std::io::{self, Read};

use super::answer::plain_text;

/// Which part of a stream is kept when it is longer than its cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// The beginning. What follows is dropped, and [`Capture::overflowed`] tells of it.
    Beginning,
    /// The end: for diagnostics, where the last lines say most.
    End,
}

/// Bytes kept within a bound.
pub(super) struct Kept {
    bytes: Vec<u8>,
    dropped: u64,
    cap: usize,
    keep: Keep,
}

impl Kept {
    pub(super) fn new(cap: usize, keep: Keep) -> Self {
        Self { bytes: Vec::new(), dropped: 0, cap, keep }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        match self.keep {
            Keep::Beginning => {
                let room = self.cap.saturating_sub(self.bytes.len()).min(bytes.len());
                self.bytes.extend_from_slice(&bytes[..room]);
                self.dropped += (bytes.len() - room) as u64;
            }
            Keep::End => {
                self.bytes.extend_from_slice(bytes);
                // Cut only now and then: moving the rest to the front for every chunk would be quadratic.
                if self.bytes.len() > 2 * self.cap {
                    self.cut_beginning();
                }
            }
        }
    }

    fn cut_beginning(&mut self) {
        let excess = self.bytes.len().saturating_sub(self.cap);
        self.bytes.drain(..excess);
        self.dropped += excess as u64;
    }

    /// All that was kept.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        if self.keep == Keep::End {
            self.cut_beginning();
        }
        self.bytes
    }

    /// What was kept as text, with a line before it that tells how much of the beginning is missing.
    pub(super) fn to_text(&self) -> String {
        let excess = if self.keep == Keep::End { self.bytes.len().saturating_sub(self.cap) } else { 0 };
        let text = plain_text(&self.bytes[excess..]);
        match self.dropped + excess as u64 {
            0 => text,
            left_out => format!("[{left_out} bytes left out]\n{text}"),
        }
    }
}

/// One stream of a program. The pipe must be in non-blocking mode.
pub(super) struct Capture<R> {
    pipe: Option<R>,
    kept: Kept,
}

impl<R: Read> Capture<R> {
    pub(super) fn new(pipe: Option<R>, cap: usize, keep: Keep) -> Self {
        Self { pipe, kept: Kept::new(cap, keep) }
    }

    /// The pipe, until its end was read.
    pub(super) fn pipe(&self) -> Option<&R> {
        self.pipe.as_ref()
    }

    /// Whether more came than is kept.
    pub(super) fn overflowed(&self) -> bool {
        self.kept.dropped > 0
    }

    /// Reads what is there now, at most a few chunks so that one busy stream cannot keep the others waiting.
    /// A stream that cannot be read counts as ended.
    pub(super) fn read_available(&mut self) {
        const CHUNK: usize = 16 * 1024;
        const CHUNKS: usize = 16;
        let mut chunk = [0; CHUNK];
        for _ in 0..CHUNKS {
            let Some(pipe) = &mut self.pipe else { return };
            match pipe.read(&mut chunk) {
                Ok(0) => self.pipe = None,
                Ok(length) => {
                    self.kept.push(&chunk[..length]);
                    if length < CHUNK {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.pipe = None,
            }
        }
    }

    /// Closes the pipe and leaves what was kept.
    pub(super) fn finish(&mut self) -> Kept {
        self.pipe = None;
        let (cap, keep) = (self.kept.cap, self.kept.keep);
        std::mem::replace(&mut self.kept, Kept::new(cap, keep))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(input: &[u8], cap: usize, keep: Keep) -> (Vec<u8>, bool) {
        let mut capture = Capture::new(Some(input), cap, keep);
        while capture.pipe().is_some() {
            capture.read_available();
        }
        let overflowed = capture.overflowed();
        (capture.finish().into_bytes(), overflowed)
    }

    #[test]
    fn a_stream_of_exactly_the_cap_is_whole() {
        assert_eq!(captured(b"12345", 5, Keep::Beginning), (b"12345".to_vec(), false));
        assert_eq!(captured(b"12345", 5, Keep::End), (b"12345".to_vec(), false));
    }

    #[test]
    fn a_longer_stream_keeps_the_side_that_was_asked_for() {
        assert_eq!(captured(b"123456", 5, Keep::Beginning), (b"12345".to_vec(), true));
        assert_eq!(captured(b"123456", 5, Keep::End).0, b"23456");
        let long: Vec<u8> = (0..100_000_u32).map(|n| (n % 251) as u8).collect();
        assert_eq!(captured(&long, 1000, Keep::End).0, &long[99_000..]);
    }

    #[test]
    fn a_text_that_lost_its_beginning_says_so() {
        let mut kept = Kept::new(3, Keep::End);
        kept.push(b"abc");
        assert_eq!(kept.to_text(), "abc");
        kept.push(b"de");
        assert_eq!(kept.to_text(), "[2 bytes left out]\ncde");
        kept.push(b"fgh\0");
        assert_eq!(kept.to_text(), "[6 bytes left out]\ngh\u{fffd}");
    }
}
