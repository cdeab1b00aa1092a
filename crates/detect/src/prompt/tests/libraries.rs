//! What libraries draw that ask in a terminal, and what coding agents draw before they act: by words alone, and by a
//! host that says somebody waits for keys. The screens are in `libraries.txt`.

use std::time::Duration;

use super::super::*;

const SCREENS: &str = include_str!("../../../../../tests/fixtures/screens/libraries.txt");

/// Somebody waits for single keys.
const RAW: Host = Host { reader: Reader::Polls, echo: Some(false), canonical: Some(false), destroys: false };

struct Drawn<'a> {
    whose: &'a str,
    kind: Option<PromptKind>,
    dangerous: bool,
    rows: Vec<&'a str>,
}

fn all() -> Vec<Drawn<'static>> {
    let screens = SCREENS.split("\n=== ").skip(1).map(|screen| {
        let (head, rows) = screen.split_once('\n').unwrap();
        let [whose, kind, danger] = head.split(" | ").collect::<Vec<_>>()[..] else { panic!("`{head}`") };
        let kind = (kind != "none").then(|| PromptKind::parse(kind).unwrap());
        assert!(matches!(danger, "safe" | "dangerous"), "`{head}`");
        Drawn { whose, kind, dangerous: danger == "dangerous", rows: rows.trim_end_matches('\n').split('\n').collect() }
    });
    screens.collect()
}

impl Drawn<'_> {
    fn sight(&self) -> ScreenView {
        let rows = &self.rows;
        let cursor = rows.iter().position(|row| row.contains('█'));
        let cursor_row = cursor.unwrap_or(rows.len() - 1);
        let (before, after) = rows[cursor_row].split_once('█').unwrap_or((rows[cursor_row], ""));
        ScreenView {
            wrapped: vec![false; rows.len()],
            rows: rows.iter().map(|row| row.replace('█', "")).collect(),
            cursor_row,
            before: before.to_owned(),
            after: after.to_owned(),
            cursor_hidden: cursor.is_none(),
            ..ScreenView::default()
        }
    }

    fn seen(&self, host: Host) -> Option<InputPrompt> {
        let moment = Moment { host, quiet: Some(Duration::from_secs(1)), answered: false };
        detect(&self.sight(), &moment).filter(|prompt| prompt.confidence >= MIN_CONFIDENCE)
    }

    /// What is told of it that is not so.
    fn missed_by(&self, host: Host) -> Option<String> {
        let found = self.seen(host);
        let told = found.as_ref().map(|prompt| (prompt.prompt_type, prompt.is_dangerous));
        (told != self.kind.map(|kind| (kind, self.dangerous))).then(|| format!("{}: {found:?}", self.whose))
    }
}

#[test]
fn what_libraries_and_agents_draw_is_known_by_its_words() {
    let all = all();
    assert!(all.len() >= 90, "{}", all.len());
    let missed: Vec<String> = all.iter().filter_map(|drawn| drawn.missed_by(Host::default())).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn the_frame_of_an_input_box_is_none_of_its_words() {
    let all = all();
    let gemini = all.iter().find(|drawn| drawn.whose == "gemini idle").unwrap();
    assert_eq!(gemini.seen(RAW).unwrap().prompt_text, ">");
}

#[test]
fn what_libraries_and_agents_draw_is_known_where_somebody_waits_for_keys() {
    let missed: Vec<String> =
        all().iter().filter(|drawn| drawn.kind.is_some()).filter_map(|drawn| drawn.missed_by(RAW)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Only what agents ask leave for is asked, and not what they said before.
#[test]
fn the_answers_of_a_menu_are_its_items_alone() {
    let all = all();
    let codex = all.iter().find(|drawn| drawn.whose == "codex, a build").unwrap().seen(RAW).unwrap();
    assert_eq!(codex.prompt_text, "Would you like to run the following command? $ cargo build --release");
    assert_eq!(codex.choices.len(), 3, "{codex:?}");
    let copilot = all.iter().find(|drawn| drawn.whose == "copilot").unwrap().seen(RAW).unwrap();
    assert_eq!((copilot.prompt_text.as_str(), copilot.choices.len()), ("Do you want to run this command?", 3));
}

/// No rule knows what is asked here; somebody waits for keys, and nothing moved for a while.
#[test]
fn who_waits_for_keys_is_believed_and_nothing_is_typed() {
    let drawn = Drawn { whose: "", kind: None, dangerous: false, rows: vec!["✔ Name: ada█"] };
    let found = drawn.seen(RAW).unwrap();
    assert_eq!((found.prompt_type, found.safe_to_type), (PromptKind::Command, false));
    assert_eq!(drawn.seen(Host::default()), None);
    let moment = Moment { host: RAW, quiet: Some(Duration::from_millis(300)), answered: false };
    assert!(detect(&drawn.sight(), &moment).is_none_or(|prompt| prompt.confidence < MIN_CONFIDENCE), "it may go on");
    let sign = Drawn { whose: "", kind: None, dangerous: false, rows: vec!["C-Kermit>█"] };
    let reads = Host { reader: Reader::Reads, ..RAW };
    let found = sign.seen(reads).unwrap();
    assert_eq!((found.prompt_type, found.safe_to_type), (PromptKind::Command, false), "a sign alone is a guess");
    let shows = Drawn { whose: "", kind: None, dangerous: false, rows: vec!["load average: 0.1", "  1 init", "█"] };
    assert_eq!(shows.seen(RAW), None, "it shows how a machine does");
}

/// The last sign on a screen, where no rule knows what is asked.
#[test]
fn what_no_rule_knows_is_told_by_the_last_sign() {
    let reads = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(false), destroys: false };
    let drawn = |rows: &[&'static str]| Drawn { whose: "", kind: None, dangerous: false, rows: rows.to_vec() };
    for (rows, rule) in [
        (vec!["C-Kermit>█"], "command.no_room"),
        (vec!["ada@host:~$█"], "command.no_room"),
        (vec!["at 42%█"], "command.silent"),
        (vec!["Which one?", "red [0], blue [1]", "█"], "choice.marked"),
        (vec!["Which one?", "red [1]", "█"], "command.silent"),
        (vec!["? Go on with it? [y", "/n] › yes", "", "hint: none"], "yes_no.marked"),
        (vec!["? Which of them", "something of it", "", "hint: none"], "choice.marked"),
        (vec!["? Which of them", "something of it"], "text.marked"),
        (vec!["❯ What is it called?", "_"], "text.marked"),
        (vec!["█? Settings file ‣ a.js"], "path.marked"),
        (vec!["█? Settings ‣ a.js"], "text.marked"),
        (vec!["> draft.txt█"], "text.offered"),
        (vec!["+----+", "| a red one |", "| green |", "█| none of them |"], "choice.boxed"),
        (vec!["+----+", "| a red one |", "█| none of them |"], "command.silent"),
        (vec!["+----+", "| red: |", "| green: |", "█| none of them |"], "command.silent"),
        (vec!["? Which of them", "something of it", "", "more█"], "text.marked"),
        (vec!["What is this ?", "and that", "> red and green and blue█"], "text.offered"),
        (vec!["nothing", "> red and green and blue█"], "command.silent"),
    ] {
        let found = drawn(&rows).seen(reads).unwrap();
        assert_eq!((&*found.matched_pattern.to_string(), found.safe_to_type), (rule, false), "{rows:?}");
    }
    let full = ScreenView { alternate: true, ..drawn(&["C-Kermit>█"]).sight() };
    let moment = Moment { host: reads, quiet: Some(Duration::from_secs(1)), answered: false };
    assert_eq!(detect(&full, &moment).unwrap().matched_pattern.to_string(), "command.full_screen");
    let framed = ["┃ Remove it?", "┃", "┃   Yes     No", "", "←/→ toggle • enter submit"];
    let full = ScreenView { alternate: true, ..drawn(&framed).sight() };
    assert_ne!(detect(&full, &moment).unwrap().matched_pattern.to_string(), "yes_no.buttons");
}
