//! What a comparison of this size could have shown at all, in words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::statistics::{least_flips, percent};

/// At what level a test is held, and over how many sets together (Holm).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestLevel {
    /// The level of all of them together.
    pub alpha: f64,
    /// How many sets.
    pub sets: usize,
}

impl TestLevel {
    /// The least number of one-way flips in one of the sets that could show anything: the strictest of them is held to its
    /// share of the level.
    pub fn least_flips(self) -> usize {
        least_flips(self.alpha / super::statistics::real(self.sets.max(1)))
    }
}

/// The power of the paired test over `cases` cases at this level: how many flips one way are the least that could show a
/// regression.
pub fn power_sentence(cases: usize, level: TestLevel) -> String {
    let least = level.least_flips();
    let over = if level.sets > 1 { format!(", Holm over {} sets", level.sets) } else { String::new() };
    let test = format!("McNemar's exact test at {} %{over}", percent(level.alpha));
    if cases < least {
        let compared = if cases == 1 { "1 case".to_owned() } else { format!("{cases} cases") };
        return format!(
            "With {compared} on both sides no result could show a regression: {} one-way flips are the least that could \
             ({test}).",
            in_words(least)
        );
    }
    format!("{} one-way flips are the least that could show a regression here ({test}).", capitalised(&in_words(least)))
}

fn in_words(count: usize) -> String {
    const WORDS: [&str; 13] =
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    WORDS.get(count).map_or_else(|| count.to_string(), |word| (*word).to_owned())
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + characters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_one_way_flips_are_the_least_at_five_percent() {
        let power_sentence = |cases, alpha| power_sentence(cases, TestLevel { alpha, sets: 1 });
        assert_eq!(
            power_sentence(20, 0.05),
            "Six one-way flips are the least that could show a regression here (McNemar's exact test at 5 %)."
        );
        assert!(power_sentence(6, 0.05).starts_with("Six"));
        assert!(
            power_sentence(5, 0.05).starts_with("With 5 cases on both sides no result could show a regression: six")
        );
        assert!(power_sentence(1, 0.01).starts_with("With 1 case on both sides"));
        assert!(power_sentence(100, 0.000_2).starts_with("14 one-way flips"));
    }

    #[test]
    fn over_several_sets_together_it_takes_more() {
        assert_eq!(
            power_sentence(20, TestLevel { alpha: 0.05, sets: 2 }),
            "Seven one-way flips are the least that could show a regression here (McNemar's exact test at 5 %, Holm over 2 \
             sets)."
        );
        let least = |sets| TestLevel { alpha: 0.05, sets }.least_flips();
        assert_eq!((least(0), least(1), least(2), least(3), least(4)), (6, 6, 7, 7, 8));
    }
}
