//! Small pieces that are written together.

use std::io::IoSlice;

/// Bytes that are written in one piece where they come in several: to copy them costs less than to have the system gather
/// them.
pub(super) const SMALL: usize = 2048;

/// All the pieces in a row, where they fit into `room`.
pub(super) fn gathered<'r>(pieces: &[IoSlice<'_>], room: &'r mut [u8; SMALL]) -> Option<&'r [u8]> {
    let mut end = 0_usize;
    for piece in pieces {
        room.get_mut(end..end.checked_add(piece.len())?)?.copy_from_slice(piece);
        end += piece.len();
    }
    Some(&room[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_put_together_in_its_order_and_what_does_not_is_left() {
        let gather = |pieces: &[&[u8]]| {
            let pieces: Vec<_> = pieces.iter().map(|piece| IoSlice::new(piece)).collect();
            gathered(&pieces, &mut [1; SMALL]).map(<[u8]>::to_vec)
        };
        assert_eq!(gather(&[b"ab", b"", b"c"]).as_deref(), Some(&b"abc"[..]));
        assert_eq!(gather(&[]).as_deref(), Some(&b""[..]));
        assert_eq!(gather(&[&[7; SMALL - 1], b"8"]).map(|all| all.len()), Some(SMALL));
        assert_eq!(gather(&[&[7; SMALL - 1], b"89"]), None);
    }
}
