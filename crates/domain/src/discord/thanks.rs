//! Words that ask for nothing: nobody needs an answer to them.

/// Separated by white space.
const WORDS: &str = include_str!("thanks.txt");

/// Whether a text says thanks, or that all is well, and nothing else.
pub fn is_thanks(text: &str) -> bool {
    let known = |word: &str| WORDS.split_whitespace().any(|one| one == word);
    let lower = text.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.all(known) && !text.contains('?')
}

#[cfg(test)]
mod tests;
