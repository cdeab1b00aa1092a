//! `patterns.yaml`: what is so short or so much that it would be found everywhere, or take long.

use crate::patterns::PatternsFile;
use crate::source::node::Node;
use crate::source_location::ConfigFault;

/// The most prompts, and the most words of danger.
const MOST: usize = 200;
/// How many characters an end of a line, or a word of danger, has at least and at most.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=128;

pub(crate) fn check_patterns(patterns: &PatternsFile, tree: &Node, faults: &mut Vec<ConfigFault>) {
    let fits = |text: &str| LENGTHS.contains(&text.trim().chars().count()) && !text.chars().any(char::is_control);
    let (least, most) = (LENGTHS.start(), LENGTHS.end());
    for (name, prompt) in &patterns.prompts {
        if !fits(&prompt.ends) {
            let place = tree.place_of(&["prompts", name, "ends"]);
            let message = format!("`prompts.{name}.ends` must have {least} to {most} characters on one line");
            faults.push(place.fault(message));
        }
        let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
        if name.is_empty() || name.len() > 64 || !name.chars().all(letters) {
            let place = tree.key_place_of(&["prompts", name]).unwrap_or_else(|| tree.place_of(&["prompts"]));
            faults.push(place.fault(format!("`prompts.{name}` must be a name of small letters, digits, `-` and `_`")));
        }
    }
    for words in patterns.danger_words.iter().filter(|words| !fits(words)) {
        let place = super::agents::place_of_item(tree, &["dangerWords"], words);
        let message = format!("`dangerWords` names `{words}`, which must have {least} to {most} characters");
        faults.push(place.fault(message));
    }
    for (key, count) in [("prompts", patterns.prompts.len()), ("dangerWords", patterns.danger_words.len())] {
        if count > MOST {
            faults.push(tree.place_of(&[key]).fault(format!("`{key}` has {count} entries; {MOST} is the most")));
        }
    }
}
