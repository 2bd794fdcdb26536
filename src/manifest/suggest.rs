//! Words for hints: the nearest name, and lists of names.

/// The name nearest to `word`, where one is near enough to have been meant.
pub fn nearest<'n>(word: &str, names: &[&'n str]) -> Option<&'n str> {
    let lower = word.to_lowercase();
    names
        .iter()
        .map(|name| (strsim::damerau_levenshtein(&lower, &name.to_lowercase()), *name))
        .filter(|(distance, name)| *distance <= (name.chars().count() / 3).max(1))
        .min()
        .map(|(_, name)| name)
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list_of(names: &[&str], conjunction: &str) -> String {
    match names {
        [] => "none".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} {conjunction} {last}", first.join(", ")),
    }
}

/// A hint for a name that is not known: the nearest, or all of them, or that there are none.
pub(super) fn hint_for(word: &str, names: &[&str], what: &str) -> String {
    match nearest(word, names) {
        Some(name) => format!("did you mean `{name}`?"),
        None if names.is_empty() => format!("the project has no {what} yet"),
        None if names.len() > 12 => format!("the project has {} {what}, and none has a name like it", names.len()),
        None => format!("the project's {what}: {}", list_of(names, "and")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_suggested_and_a_far_one_is_not() {
        assert_eq!(nearest("contians", &["contains", "equals"]), Some("contains"));
        assert_eq!(nearest("Equals", &["contains", "equals"]), Some("equals"));
        assert_eq!(nearest("banana", &["contains", "equals"]), None);
        assert_eq!(nearest("x", &[]), None);
    }

    #[test]
    fn lists_read_as_a_sentence() {
        assert_eq!(list_of(&["a"], "or"), "a");
        assert_eq!(list_of(&["a", "b", "c"], "or"), "a, b or c");
    }
}
