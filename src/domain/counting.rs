//! Counts in words.

use std::fmt::Display;

/// `1 case`, `2 cases`.
pub fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// `a, b`, and how many more there are where they are more than `most`: `a, b and 3 more`.
pub fn some_of<T: Display>(names: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>, most: usize) -> String {
    let names = names.into_iter();
    let more = names.len().saturating_sub(most);
    let shown: Vec<String> = names.take(most).map(|name| name.to_string()).collect();
    let shown = shown.join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_names_are_some_and_a_count() {
        assert_eq!(some_of(["a", "b"], 2), "a, b");
        assert_eq!(some_of(["a", "b", "c", "d"], 2), "a, b and 2 more");
        assert_eq!(some_of([""; 0], 2), "");
    }
}
