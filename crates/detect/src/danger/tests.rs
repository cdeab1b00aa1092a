//! Both ways: no dangerous question of the fixtures is missed, and false alarms are counted and held under a bound.

use super::{find, find_in};

/// `label`, `sort`, `language`, `text`, by tabs.
const QUESTIONS: [(&str, &str); 3] = [
    ("dangerous.tsv", include_str!("../../../../tests/fixtures/danger/dangerous.tsv")),
    ("safe.tsv", include_str!("../../../../tests/fixtures/danger/safe.tsv")),
    ("unseen.tsv", include_str!("../../../../tests/fixtures/danger/unseen.tsv")),
];

/// Of a hundred harmless questions, at most so many may ask for a person.
const FALSE_ALARMS_PERCENT: usize = 5;

struct Labelled {
    place: String,
    dangerous: bool,
    language: &'static str,
    text: &'static str,
}

fn questions() -> Vec<Labelled> {
    let mut all = Vec::new();
    for (file, text) in QUESTIONS {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.is_empty()) {
            let place = format!("{file}:{}", number + 1);
            let parts: Vec<&str> = line.split('\t').collect();
            let [label, _, language, text] = parts[..] else { panic!("{place} has not four columns") };
            let dangerous = match label {
                "dangerous" => true,
                "safe" => false,
                other => panic!("{place}: `{other}` is no label"),
            };
            all.push(Labelled { place, dangerous, language, text });
        }
    }
    all
}

#[test]
fn no_dangerous_question_of_the_fixtures_is_missed() {
    let missed: Vec<String> = questions()
        .iter()
        .filter(|question| question.dangerous && find(question.text).is_none())
        .map(|question| format!("{} ({}): {}", question.place, question.language, question.text))
        .collect();
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn false_alarms_are_few() {
    let safe: Vec<Labelled> = questions().into_iter().filter(|question| !question.dangerous).collect();
    let alarms: Vec<String> = safe
        .iter()
        .filter_map(|question| {
            let found = find(question.text)?;
            Some(format!(
                "{} ({}): {} — {}/{}",
                question.place, question.language, question.text, found.language, found.words
            ))
        })
        .collect();
    let most = safe.len() * FALSE_ALARMS_PERCENT / 100;
    assert!(alarms.len() <= most, "{} false alarms of {}:\n{}", alarms.len(), safe.len(), alarms.join("\n"));
}

#[test]
fn the_fixtures_are_many_and_of_many_languages() {
    let all = questions();
    let languages: std::collections::BTreeSet<&str> = all.iter().map(|question| question.language).collect();
    assert!(all.len() >= 300, "{}", all.len());
    assert!(languages.len() >= 6, "{languages:?}");
    assert!(all.iter().filter(|question| question.dangerous).count() >= 150);
}

#[test]
fn what_is_chosen_is_not_taken_away() {
    for text in ["Which database do we take?", "Which server should I take for the tests?"] {
        assert_eq!(find(text), None, "{text}");
    }
    for text in ["Which server do we take offline?", "Shall I take the production database away?"] {
        assert!(find(text).is_some(), "{text}");
    }
}

#[test]
fn the_words_that_were_found_are_named() {
    assert_eq!(find("Drop the users table?").map(|found| found.words), Some("drop … users".to_owned()));
    assert_eq!(find("Run `git push --force`?").map(|found| found.language), Some("command"));
    assert_eq!(find("Undo delete?"), None);
}

#[test]
fn no_text_is_too_long_or_too_strange_to_be_looked_at() {
    for text in
        ["", "\u{0}", "\"", "``", "'''", "删", "не", "\u{202e}", "¿", &"delet ".repeat(200_000), &"\"".repeat(9_999)]
    {
        let _ = find(text);
    }
}

#[test]
fn one_dangerous_text_among_several_is_found() {
    assert_eq!(find_in(&["Which colour?", "Go on?"]), None);
    let found = find_in(&["Which colour?", "Delete the database?"]);
    assert_eq!(found, find("Delete the database?"));
    assert!(found.is_some());
}

/// A command in Chinese or Japanese words has no blanks around it: the sign before it says that it is carried out.
#[test]
fn a_command_that_is_named_is_one_that_is_carried_out() {
    for text in ["运行 rm -rf / 吗？", "実行 rm -rf / ?"] {
        assert!(find(text).is_some(), "{text}");
    }
}

/// `Why not delete?` asks for it; `do not hesitate to` urges; what is forbidden is forbidden through a word between.
#[test]
fn what_only_sounds_like_a_negation_is_none() {
    for (text, dangerous) in [
        ("Why not delete the database?", true),
        ("Shouldn't we delete the database?", true),
        ("Couldn’t delete the database: delete it by hand?", true),
        ("Do not hesitate to delete the database", true),
        ("Don't delete the database", false),
        ("Never ever delete the database", false),
        ("Why would you never delete the database?", true),
    ] {
        assert_eq!(find(text).is_some(), dangerous, "{text}");
    }
}
