//! What `standing` does, tried.

use rstest::rstest;

use super::*;

const TEXT: &str = "[callboard] Ada answered your question q_1: staging (notice n_00000001)";

/// A screen, with `▮` where its cursor is; hidden where there is none.
fn screen(drawn: &str) -> ScreenView {
    let mut sight = ScreenView { cursor_hidden: true, ..ScreenView::default() };
    for (at, row) in drawn.split('\n').enumerate() {
        if let Some((before, _)) = row.split_once('▮') {
            sight = ScreenView { cursor_row: at, before: before.to_owned(), cursor_hidden: false, ..sight };
        }
        sight.rows.push(row.replace('▮', ""));
    }
    sight
}

fn typed(text: &str, before: &str, shown: &str) -> TypedLine {
    TypedLine::find(text, &screen(before), &screen(shown)).unwrap()
}

const CLAUDE: [&str; 2] = ["────────\n❯ ", "\n────────\n  ? for shortcuts"];
const CODEX: [&str; 2] = ["› ", "\n\n  gpt-5 default · 100% context left"];
const QWEN: [&str; 2] = ["╭──────╮\n│ > ", " │\n╰──────╯\n~/work  no sandbox"];
const OPENCODE: [&str; 2] = ["┃\n┃  ", "\n┃\n┃  Build  model\n╹▀▀▀▀▀▀\n  ctrl+p commands"];

/// The box as it was, as it is with the line in it, as it took Enter for a line end, and as it sent the line.
#[rstest]
#[case::claude(CLAUDE, "❯ {}\n\n✻ Thinking… (1s · esc to interrupt)\n\n", "\n  ")]
#[case::codex(CODEX, "› {}\n\n\n• Working (0s • esc to interrupt)\n\n", "\n  ")]
#[case::qwen(QWEN, "  > {}\n\n⠏ Thinking (esc to cancel, 1s)\n", " │\n│   ")]
#[case::opencode(OPENCODE, "┃\n┃  {}\n┃\n\n   Build · model\n\n", "\n┃  ")]
fn a_line_stands_in_a_box_until_the_box_is_drawn_below_it(
    #[case] drawn: [&str; 2],
    #[case] sent: &str,
    #[case] line_end: &str,
) {
    let [above, below] = drawn;
    for (caret, broken) in [("▮", 0), ("", 0), ("▮", 40)] {
        if caret.is_empty() && above.ends_with("┃  ") {
            // Without a sign and a cursor nobody can tell.
            continue;
        }
        // A box that is too narrow goes on in the next row.
        let (head, tail) = TEXT.split_at(broken);
        let wrapped = if broken > 0 { format!("{head}{line_end}{tail}") } else { TEXT.to_owned() };
        let empty = format!("{above}{caret}{below}");
        let full = format!("{above}{wrapped}{caret}{below}");
        let standing = typed(TEXT, &empty, &full);
        assert_eq!(standing.judge(&screen(&full), false), Whether::Stands, "{full}");
        let pasted = format!("{above}{wrapped}{line_end}{caret}{below}");
        assert_eq!(standing.judge(&screen(&pasted), false), Whether::Stands, "{pasted}");
        let taken = format!("{}{empty}", sent.replace("{}", &wrapped));
        assert_eq!(standing.judge(&screen(&taken), false), Whether::Left, "{taken}");
        assert_eq!(standing.judge(&screen(&empty), false), Whether::Left);
    }
}

#[test]
fn a_dialog_that_came_up_is_no_reason_to_press_enter_again() {
    let [above, below] = CLAUDE;
    let full = format!("{above}{TEXT}{below}");
    let standing = typed(TEXT, &format!("{above}{below}"), &full);
    let asks = format!("❯ {TEXT}\n\nBash command\n  rm -rf build\nDo you want to proceed?\n❯ 1. Yes\n  2. No");
    assert_eq!(standing.judge(&screen(&asks), false), Whether::Left);
    let hinted = format!("{full} · 12% left");
    assert_eq!(standing.judge(&screen(&hinted), false), Whether::Unclear);
}

#[rstest]
#[case::entered("Name: bob\n▮", true)]
#[case::with_words("Name: bob\nhello bob\n▮", true)]
#[case::asked_again("Name: bob\nName: ▮", true)]
#[case::gone("▮", true)]
#[case::with_its_letters_in_what_follows("Name: bob\nIs it not bob▮", true)]
#[case::not_yet("Name: bob▮", false)]
#[case::a_line_end_of_its_own("Name: bob\n      ▮", false)]
fn a_line_that_is_edited_is_over_when_the_cursor_leaves_it(#[case] after: &str, #[case] over: bool) {
    let standing = typed("bob", "Name: ▮", "Name: bob▮");
    assert_eq!(standing.judge(&screen(after), false) == Whether::Left, over, "{after}");
}

#[test]
fn a_terminal_of_lines_takes_one_wherever_its_cursor_goes() {
    let drawn = "Name: bob\n▮footer";
    let standing = typed("bob", "Name: ▮\nfooter", "Name: bob▮\nfooter");
    assert_eq!(standing.judge(&screen(drawn), true), Whether::Left);
}

#[test]
fn the_same_answer_as_before_is_found_at_the_cursor_and_one_that_is_not_shown_is_not_found() {
    let standing = typed("yes", "Go on? yes\nGo on? ▮", "Go on? yes\nGo on? yes▮");
    assert_eq!(standing.judge(&screen("Go on? yes\nGo on? yes\n▮"), true), Whether::Left);
    let before = screen("yes, we can\n> ▮");
    assert!(TypedLine::find("yes", &before, &before).is_none());
    assert!(TypedLine::find("yes", &before, &screen("yes, we can\n> ***▮")).is_none());
}

#[test]
fn a_long_text_is_found_by_what_is_shown_for_it() {
    let [above, below] = CLAUDE;
    let folded = format!("{above}[Pasted text #1 +3 lines]{below}");
    let standing = typed(&"lorem ipsum ".repeat(90), &format!("{above}{below}"), &folded);
    assert_eq!(standing.judge(&screen(&folded), false), Whether::Stands);
    assert_eq!(standing.judge(&screen(&format!("❯ lorem ipsum\n\n{above}{below}")), false), Whether::Left);
}

#[test]
fn enter_alone_is_taken_when_anything_moves() {
    let standing = typed("", "", "Name: [bob] ▮");
    assert_eq!(standing.judge(&screen("Name: [bob] ▮"), true), Whether::Unclear);
    assert_eq!(standing.judge(&screen("Name: [bob] \n▮"), true), Whether::Left);
}
