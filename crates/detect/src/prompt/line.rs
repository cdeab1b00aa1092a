//! The open line: what stands between the last line end and the cursor, rows that were too narrow joined.

use super::forms;
use super::screen_view::ScreenView;

/// The most bytes of a line that are looked at. Its end is what counts.
const MOST: usize = 512;
/// The most rows that one line may fill.
const MOST_ROWS: usize = 16;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OpenLine {
    /// As it stands, up to the cursor, its last blanks included.
    pub(super) text: String,
    /// Without blanks at its ends, in lower case.
    pub(super) lower: String,
    /// What stands right of the cursor in its row: a default, a placeholder.
    pub(super) after: String,
    pub(super) top: usize,
}

impl OpenLine {
    pub(super) fn of(sight: &ScreenView) -> Self {
        let mut top = sight.cursor_row;
        let wrapped = |row: usize| sight.wrapped.get(row).copied().unwrap_or_default();
        while top > 0 && wrapped(top - 1) && sight.cursor_row - top < MOST_ROWS {
            top -= 1;
        }
        let above = sight.rows.get(top..sight.cursor_row).unwrap_or_default();
        let mut text = above.concat();
        let begins = above.first().map_or(sight.before.as_str(), String::as_str);
        if let Some(broken) = broken(sight, top, begins) {
            top -= 1;
            text = format!("{} {text}", broken.trim());
        }
        text.push_str(&sight.before);
        let text = without_lost_marks(last_bytes(&text, MOST));
        let lower = text.trim().to_lowercase();
        Self { text, lower, after: sight.after.trim().to_owned(), top }
    }

    /// Whether nothing stands in it: the cursor is on a fresh line.
    pub(super) fn is_blank(&self) -> bool {
        self.lower.is_empty()
    }

    /// The line without blanks at its ends.
    pub(super) fn trimmed(&self) -> &str {
        self.text.trim()
    }

    /// The line in lower case, with a blank at its end where one separates it from what is to be typed.
    pub(super) fn lower_with_room(&self) -> String {
        format!("{}{}", self.lower, if self.makes_room() { " " } else { "" })
    }

    /// Whether a blank separates it from what is to be typed.
    pub(super) fn makes_room(&self) -> bool {
        self.text.ends_with([' ', '\t', '\u{a0}'])
    }
}

/// The fewest letters of a row at whose end a library breaks a question.
const EDGE: usize = 60;

/// The row above, where a question that is marked as one was broken at a blank because the terminal is too narrow.
fn broken<'a>(sight: &'a ScreenView, top: usize, begins: &str) -> Option<&'a str> {
    let above = sight.rows.get(top.checked_sub(1)?)?.trim_end();
    let marked = above.starts_with("? ") && above.chars().count() >= EDGE;
    // An item of a list, or another question, is none of it; a blank that did not fit is.
    let next = begins.chars().next();
    let goes_on = next.is_some_and(|c| c.is_alphanumeric() || "([/'\"`~".contains(c))
        || next == Some(' ') && (begins.trim().is_empty() && begins.len() <= 2 || goes_on_set_in(begins));
    (marked && goes_on).then_some(above)
}

/// ` 2.0.0 (2 packages)? (y/N)`: the blank at which it was broken stands in the next row.
fn goes_on_set_in(begins: &str) -> bool {
    let one = begins.strip_prefix(' ').unwrap_or_default();
    one.starts_with(char::is_alphanumeric) && one.contains("? ")
}

/// The text without what is left of a colour's mark that lost its escape: `[31mDelete it? [0m`. What a terminal is told
/// by an escape is never on its screen.
fn without_lost_marks(text: &str) -> String {
    forms::without("lost-mark", text)
}

/// The last bytes of a text, from a character's beginning.
pub(super) fn last_bytes(text: &str, most: usize) -> &str {
    let from = text.len().saturating_sub(most);
    let from = (from..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[from..]
}

/// The last clause of a line: what stands behind the last full stop or semicolon that is followed by a blank.
pub(super) fn last_clause(lower: &str) -> &str {
    let ends = [". ", "; ", "! ", "? "];
    let body = lower.trim_end_matches([' ', ':', '?', '>', '.', '!', ';', '›', '‣', '»', '…']);
    let from = ends.iter().filter_map(|end| body.rfind(end).map(|at| at + end.len())).max().unwrap_or(0);
    lower[from..].trim_start()
}

/// What stands behind a shell's sign in a row: `$ git push`, `root@box:~# apt purge a`, `bash-5.2# make`, `❯ npm ci`.
pub(super) fn given_to_a_shell(row: &str) -> Option<&str> {
    forms::parts("given", row).map(|found| found.part("command"))
}

/// A prompt with an answer behind it, or one of a shell, a debugger or a REPL with a command.
pub(super) fn is_answered(row: &str) -> bool {
    // `   $ rmlint .` is told of, and was not typed.
    let told = row.starts_with("  ");
    let row = row.trim();
    let lower = row.to_lowercase();
    let answer = lower.rsplit([' ', ':', '?']).next().unwrap_or_default();
    let short = matches!(answer, "y" | "n" | "yes" | "no");
    let asked = row.contains(['?', ':']) && (lower.contains('[') || lower.contains('(') || lower.contains('?'));
    let given = || {
        given_to_a_shell(row).is_some()
            || ["(gdb) ", "(parted) ", ">>> ", "% ", "# "].iter().any(|sign| row.starts_with(sign))
    };
    // `◇  Overwrite it?`: a frame that was filled in.
    short && asked || !told && given() || row.starts_with('◇')
}

/// Words, without what stands between them.
pub(super) fn words(lower: &str) -> impl DoubleEndedIterator<Item = &str> {
    lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '_')
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
}
