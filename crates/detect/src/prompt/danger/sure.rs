//! `Are you sure you want to create these versions?`: who asks so of anything but to go on, to leave or to let somebody
//! in, thinks that it cannot be taken back.
//!
//! Of such questions on the recordings 31 of 32 were dangerous. To leave a program is not.

use super::super::line::words;

/// How it is asked.
const SURE: [&str; 8] = [
    "are you sure you want to ",
    "are you sure you would like to ",
    "are you sure that you want to ",
    "are you absolutely sure you want to ",
    "are you really sure you want to ",
    "are you sure you wish to ",
    "do you really want to ",
    "really want to ",
];
/// What harms nobody, and is asked so all the same.
const HARMLESS: &str = "\
    continue proceed go do perform quit exit leave close connect log logout sign allow trust accept use keep undo \
    restore recover cancel abort restart stop skip try retry see show view print open start run enter return be have \
    know read download copy view join associate add link set import export install enable build it this that \
    initialize initialise init generate";

/// Whether a question asks for something twice that other rules know no harm of.
pub(super) fn asks_twice(question: &str) -> bool {
    let lower = question.to_lowercase();
    let verb = SURE.iter().find_map(|words| lower.split_once(words)).map(|(_, rest)| first_word(rest));
    verb.is_some_and(|verb| !verb.is_empty() && !HARMLESS.split_ascii_whitespace().any(|harmless| harmless == verb))
}

/// Whether a question asks whether somebody is sure. Where it says nothing else, 31 of 32 on recordings were about what
/// cannot be taken back, whatever stood above them.
pub(super) fn doubts(question: &str) -> bool {
    const SURE: [&str; 14] = [
        "sure",
        "really",
        "certain",
        "sicher",
        "wirklich",
        "sûr",
        "sûre",
        "seguro",
        "segura",
        "sicuro",
        "sicura",
        "zeker",
        "уверены",
        "уверен",
    ];
    let lower = question.to_lowercase();
    let leaves = words(&lower).any(|word| matches!(word, "exit" | "quit" | "leave" | "cancel" | "abort"));
    !leaves && words(&lower).any(|word| SURE.contains(&word))
}

fn first_word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default()
}
