//! What a comparison of this size could have shown at all, in words.

use super::statistics::{least_flips, percent};

/// The power of the paired test over `cases` cases at the level `alpha`: how many flips one way are the least that could show
/// a regression.
pub fn power_sentence(cases: usize, alpha: f64) -> String {
    let least = least_flips(alpha);
    let test = format!("McNemar's exact test at {} %", percent(alpha));
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
}
