//! What a program prints, read without blocking and kept within a bound.

use std::io::{self, Read};

/// Which part of a stream is kept when it is longer than its cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// The beginning. What follows is dropped, and [`Capture::overflowed`] tells.
    Beginning,
    /// The end: for diagnostics, where the last lines say most.
    End,
}

/// One stream of a program. The pipe must be in non-blocking mode.
pub(super) struct Capture<R> {
    pipe: Option<R>,
    kept: Vec<u8>,
    dropped: u64,
    cap: usize,
    keep: Keep,
}

impl<R: Read> Capture<R> {
    pub(super) fn new(pipe: Option<R>, cap: usize, keep: Keep) -> Self {
        Self { pipe, kept: Vec::new(), dropped: 0, cap, keep }
    }

    /// The pipe, until its end was read.
    pub(super) fn pipe(&self) -> Option<&R> {
        self.pipe.as_ref()
    }

    /// Whether more came than is kept.
    pub(super) fn overflowed(&self) -> bool {
        self.dropped > 0
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
                    self.take(&chunk[..length]);
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

    fn take(&mut self, bytes: &[u8]) {
        match self.keep {
            Keep::Beginning => {
                let room = self.cap.saturating_sub(self.kept.len()).min(bytes.len());
                self.kept.extend_from_slice(&bytes[..room]);
                self.dropped += (bytes.len() - room) as u64;
            }
            Keep::End => {
                self.kept.extend_from_slice(bytes);
                // Cut only now and then: moving the rest to the front for every chunk would be quadratic.
                if self.kept.len() > 2 * self.cap {
                    self.cut_beginning();
                }
            }
        }
    }

    fn cut_beginning(&mut self) {
        let excess = self.kept.len().saturating_sub(self.cap);
        self.kept.drain(..excess);
        self.dropped += excess as u64;
    }

    /// All that was kept, and how many bytes were dropped.
    pub(super) fn finish(mut self) -> (Vec<u8>, u64) {
        if self.keep == Keep::End {
            self.cut_beginning();
        }
        (self.kept, self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(input: &[u8], cap: usize, keep: Keep) -> (Vec<u8>, u64) {
        let mut capture = Capture::new(Some(input), cap, keep);
        while capture.pipe().is_some() {
            capture.read_available();
        }
        capture.finish()
    }

    #[test]
    fn a_stream_of_exactly_the_cap_is_whole() {
        assert_eq!(captured(b"12345", 5, Keep::Beginning), (b"12345".to_vec(), 0));
        assert_eq!(captured(b"12345", 5, Keep::End), (b"12345".to_vec(), 0));
    }

    #[test]
    fn a_longer_stream_keeps_the_side_that_was_asked_for() {
        assert_eq!(captured(b"123456", 5, Keep::Beginning), (b"12345".to_vec(), 1));
        assert_eq!(captured(b"123456", 5, Keep::End), (b"23456".to_vec(), 1));
        let long: Vec<u8> = (0..100_000_u32).map(|n| (n % 251) as u8).collect();
        let (kept, dropped) = captured(&long, 1000, Keep::End);
        assert_eq!((kept.as_slice(), dropped), (&long[99_000..], 99_000));
    }
}
