//! What git puts into a folder for what is committed, where that is not the same: its own mark, and pointers of Git LFS. Pure.

use crate::domain::Digest;

use super::listing::ObjectId;

/// How a file begins that only points at its content in Git LFS (its specification, version 1).
pub(super) const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";

/// Whether `on_disk` is what a checkout of `committed`, whose name is `id`, gives for certain. What any other filter would make
/// of it nobody can tell without running it.
pub(super) fn checked_out_as(committed: &[u8], id: ObjectId, on_disk: &[u8]) -> bool {
    is_content_of(committed, on_disk) || with_marks(committed, id) == on_disk
}

/// Whether a pointer names this content.
fn is_content_of(pointer: &[u8], content: &[u8]) -> bool {
    let named = pointer.starts_with(LFS_POINTER).then(|| String::from_utf8_lossy(pointer));
    let digest = named.as_deref().and_then(|text| text.lines().find_map(|line| line.strip_prefix("oid ")));
    digest.is_some_and(|digest| digest == Digest::of(content).as_str())
}

/// Every `$Id$` with the name of the content in it, as the attribute `ident` asks for.
fn with_marks(committed: &[u8], id: ObjectId) -> Vec<u8> {
    const MARK: &[u8] = b"$Id$";
    let expanded = format!("$Id: {id} $");
    let (mut marked, mut rest) = (Vec::with_capacity(committed.len()), committed);
    while let Some(position) = rest.windows(MARK.len()).position(|window| window == MARK) {
        marked.extend_from_slice(&rest[..position]);
        marked.extend_from_slice(expanded.as_bytes());
        rest = &rest[position + MARK.len()..];
    }
    marked.extend_from_slice(rest);
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_counts_only_as_git_itself_writes_it() {
        let id = ObjectId::from_hex("ce013625030ba8dba906f756967f9e9ca394464a").unwrap();
        let marked = format!("a $Id: {id} $ b $Id: {id} $");
        assert!(checked_out_as(b"a $Id$ b $Id$", id, marked.as_bytes()));
        assert!(!checked_out_as(b"a $Id$ b $Id$", id, b"a $Id: go away$ b $Id$"));
        assert!(checked_out_as(b"plain", id, b"plain") && !checked_out_as(b"plain", id, b"other"));
    }

    #[test]
    fn a_pointer_stands_for_the_content_that_it_names() {
        let id = ObjectId::from_hex("ce013625030ba8dba906f756967f9e9ca394464a").unwrap();
        let digest = Digest::of(b"content");
        let pointer = format!("version https://git-lfs.github.com/spec/v1\noid {digest}\nsize 7\n");
        assert!(checked_out_as(pointer.as_bytes(), id, b"content"));
        assert!(!checked_out_as(pointer.as_bytes(), id, b"other"));
    }
}
