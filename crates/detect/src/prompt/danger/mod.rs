//! Whether the answer to a prompt may destroy something. The words are those of `danger`; what is read is the
//! question, and what stands above it since the last prompt that was answered: all of that where the question says
//! nothing itself (`Proceed?`), and what is announced there (`all data will be lost`) where it does.

mod above;
mod bare;
mod sure;
mod there;
mod typed;

use super::kind::PromptKind;
use super::line::words;
use super::rule::{Guess, View, is_no, is_yes};
use super::rule_id::Form;
use crate::danger::{self, Reading};
use crate::lists::List;

/// How an answer begins that lets something go.
static TAKES_IT: List = List::of("answers takes-it");
/// How the entry of a menu begins besides.
static DOES_IT: List = List::of("answers does-it");

/// Whether a text asks for something that destroys or cannot be taken back.
///
/// To restart a program is neither: what it served is served again. (A person who is asked whether an agent may restart
/// a server is asked for more than that.)
pub fn destroys(text: &str) -> bool {
    danger::find(&text.to_lowercase().replace("restart", "")).is_some() || asks(text, Reading::Question)
}

/// `started`: whether what waits was started by a command that destroys.
pub(super) fn is_dangerous(view: View<'_>, guess: &Guess, question: &str, started: bool) -> bool {
    if let Some(said) = guess.dangerous {
        return said;
    }
    // A list that fills the screen tells its keys, and asks nothing where it has no title.
    if guess.is(PromptKind::Choice, Form::FullScreen) && guess.question.is_none() {
        return false;
    }
    // An operator's words count in whatever is asked; a shell's prompt asks nothing. A screen of no known form may ask.
    if (guess.kind != PromptKind::Command || guess.is_unasked()) && view.patterns.names_danger(question) {
        return true;
    }
    let any_key = matches!(guess.form, Form::AnyKey | Form::AnyKeyAbove);
    let confirms = match guess.kind {
        PromptKind::YesNo | PromptKind::Choice => true,
        // A dialog that asks, or only tells what will be.
        PromptKind::Text if guess.form == Form::Dialog => question.contains('?') || asks(question, Reading::Announced),
        PromptKind::Text => guess.form == Form::TypedConfirmation || is_typed_again(question),
        PromptKind::Unknown => any_key,
        PromptKind::Path => return names_what_goes(question),
        // Asking for a secret or a command destroys nothing by itself.
        PromptKind::Password | PromptKind::Command => false,
    };
    if !confirms {
        return false;
    }
    let asked = without_answers(question, guess);
    if any_key && only_leaves(&asked) {
        return false;
    }
    // `Press any key to go on or 'q' to terminate!`
    let asked = if guess.form == Form::AnyKey { before_or(&asked) } else { asked };
    // Nobody wants capital letters for what does no harm.
    let doubts = || sure::doubts(&asked) && bare::is_bare(&asked);
    let twice = guess.kind == PromptKind::YesNo
        && (sure::asks_twice(&asked) || doubts() || asked.contains("in capital letters"));
    if twice || asks(&asked, Reading::Question) || takes_the_place(view, question, guess) || says_yes_to_it(guess) {
        return true;
    }
    if guess.kind == PromptKind::Choice
        && !guess.is_menu
        && let Some(text) = above::over_a_list(view, is_yes).filter(|_| above::over_a_list(view, is_no).is_some())
    {
        let (rest, row) = text.rsplit_once('\n').unwrap_or(("", &text));
        return asks(row, Reading::Question) || bare::is_bare(row) && asks(rest, Reading::Above);
    }
    if is_headed(view, guess) || guess.kind == PromptKind::Choice && above::all_take(view, takes_it) {
        return true;
    }
    if guess.form == Form::TypedConfirmation && names_what_goes(question) {
        return true;
    }
    if guess.marked.as_deref().is_some_and(takes_it) || guess.kind == PromptKind::YesNo && sends_a_report(&asked) {
        return true;
    }
    // `Would remove the following items:`, and a menu: one of its answers does it.
    if guess.kind == PromptKind::Choice && above::would(view, |text| asks(text, Reading::Question)) {
        return true;
    }
    // A full screen tells much that is not about its key.
    let told = guess.form == Form::AnyKey && view.sight.alternate;
    if told || !leans(question, guess) {
        return false;
    }
    let context = above::since_answered(view, guess);
    if bare::is_bare(&asked) && (started || typed::destroys(view) || agreed_before(view, guess)) {
        return true;
    }
    if grants_terms(question, &context) {
        return false;
    }
    // A question that goes on from the row above says nothing without it.
    let goes_on = asked.starts_with(char::is_lowercase) && !asked.contains(": ");
    let reading = if goes_on || guess.form == Form::TypedConfirmation || bare::is_bare(&asked) {
        Reading::Above
    } else {
        Reading::Announced
    };
    view.patterns.names_danger(&context) || asks(&context, reading) || there::says(&context, question, &asked, reading)
}

/// `Press any key to cancel the wipe`; `Press any key to terminate.`, which ends who asks.
fn only_leaves(asked: &str) -> bool {
    let lower = asked.to_lowercase();
    let cancels = ["key to cancel", "key to abort", "seconds to cancel"];
    let ends = ["key to terminate", "key to stop", "key to kill", "will terminate this program"];
    let itself = lower.trim_end_matches(['.', '!', ' ']);
    cancels.iter().any(|words| lower.contains(words)) || ends.iter().any(|words| itself.ends_with(words))
}

/// `Delete which session?`, its list, and `Choose an option:`.
fn is_headed(view: View<'_>, guess: &Guess) -> bool {
    if guess.kind != PromptKind::Choice || guess.is_menu {
        return false;
    }
    let text = above::over_a_list(view, |_| true).unwrap_or_default();
    let heading = text.lines().next_back().filter(|row| row.ends_with('?') && row.contains("hich"));
    heading.is_some_and(|heading| asks(heading, Reading::Question))
}

/// `Yes, delete it`: what a yes is called.
fn says_yes_to_it(guess: &Guess) -> bool {
    let yes = || guess.choices.iter().filter(|choice| choice.contains(' ') && above::gives_leave(choice));
    guess.kind == PromptKind::YesNo && yes().any(|choice| asks(choice, Reading::Question))
}

/// `Send bug report to bugs@example.org?`: everybody reads it there. That reports are welcome asks nothing.
fn sends_a_report(asked: &str) -> bool {
    let lower = asked.to_lowercase();
    let says = |list: &[&str]| words(&lower).any(|word| list.contains(&word));
    says(&["send", "submit", "submission", "post"]) && says(&["bug", "bugs"])
}

/// `❯ Delete`, `▶  [publish] Publish packages`: what Enter does to a menu as it stands.
fn takes_it(entry: &str) -> bool {
    let entry = entry.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '[');
    let entry = entry.strip_prefix('[').and_then(|tagged| tagged.split_once("] ")).map_or(entry, |(_, said)| said);
    let first = entry.split_whitespace().next().unwrap_or_default().to_lowercase();
    let nothing = entry.contains("nothing") || entry.contains("none");
    !nothing && (TAKES_IT.contains(&first.as_str()) || DOES_IT.contains(&first.as_str()))
}

fn asks(text: &str, reading: Reading) -> bool {
    danger::asked_by_program(text, reading).is_some()
}

/// `Delete it? [y/N]: y`, and right below it the same once more: `Type the word 'yes' to confirm:`.
fn agreed_before(view: View<'_>, guess: &Guess) -> bool {
    if !guess.is(PromptKind::YesNo, Form::Typed) {
        return false;
    }
    let answered = view.above().next().and_then(|row| row.trim_end().rsplit_once([' ', ':', '?']));
    answered.is_some_and(|(question, answer)| {
        matches!(answer.to_lowercase().as_str(), "y" | "yes") && asks(question, Reading::Question)
    })
}

/// `Re-enter its name for immediate termination:`: what has to be typed out so that it is the right one that goes.
fn is_typed_again(question: &str) -> bool {
    let lower = question.to_lowercase();
    let again = ["re-enter", "retype", "re-type", "type the name", "enter the name", "type its name"];
    again.iter().any(|words| lower.contains(words)) && asks(question, Reading::Question)
}

/// What the first of two keys does.
fn before_or(asked: &str) -> String {
    asked.split_once(" or ").map_or(asked, |(first, _)| first).to_owned()
}

/// What a list offers is not what is asked: `(A)dd, (D)elete, (Q)uit?`.
fn without_answers(question: &str, guess: &Guess) -> String {
    // `Type DELETE to confirm`: the word is for itself.
    if guess.form == Form::TypedConfirmation {
        return question.replacen(" to ", ", to ", 1);
    }
    if guess.kind != PromptKind::Choice {
        return question.to_owned();
    }
    // A library's mark is no key.
    let question = question.trim_start_matches("[?] ");
    if guess.form == Form::Slashes || question.starts_with('[') && ends_with_group(question) {
        return String::new();
    }
    let lists = question.find(['(', '[', '{']).filter(|at| question[..*at].split_whitespace().count() >= 1);
    let begins_with_key =
        question.starts_with(['(', '[']) && question[1..].chars().nth(1).is_some_and(|c| ")]".contains(c));
    match lists {
        Some(at) if !begins_with_key => question[..at].to_owned(),
        Some(_) | None if begins_with_key => String::new(),
        Some(_) | None => question.to_owned(),
    }
}

/// Whether the group in brackets that a question begins with is all there is.
fn ends_with_group(question: &str) -> bool {
    question.rfind([']', ')']).is_some_and(|at| question[at + 1..].chars().all(|c| !c.is_alphanumeric()))
        && question.matches('[').count() == 1
}

/// Something is there already, and one of the answers puts something else in its place; or what is not chosen goes.
fn takes_the_place(view: View<'_>, question: &str, guess: &Guess) -> bool {
    let lower = question.to_lowercase();
    let replaces = ["verwrite", "(r)eplace", "[r]eplace", "clobber"].iter().any(|words| lower.contains(words));
    let keeps = ["keep which", "preserve which", "preserve files", "which to keep", "files to keep", "to be kept"]
        .iter()
        .any(|words| lower.contains(words));
    // A menu that has it among its answers.
    let there =
        || ["exists", "not empty", "conflict", "data loss", "data-loss"].iter().any(|words| lower.contains(words));
    let first = |choice: &String| choice.split_whitespace().next().unwrap_or_default().to_lowercase();
    let offers = || guess.choices.iter().any(|choice| TAKES_IT.contains(&first(choice).as_str()));
    let over = || above::over_a_list(view, |word| TAKES_IT.contains(&word));
    let numbered = || over().is_some_and(|rows| there::last_rows(&rows).to_lowercase().contains("exist"));
    // The keys began in a row above: `(O)verwrite, Overwrite (A)ll,`.
    let keyed = matches!(guess.form, Form::Keys | Form::Letters);
    let began = || keyed && view.above().take(2).any(|row| row.to_lowercase().contains("(o)verwrite"));
    // `Keep foo? [Ynp?]`: what is not kept goes.
    guess.kind == PromptKind::Choice
        && (replaces || keeps || began() || lower.starts_with("keep ") || there() && offers() || numbered())
}

/// `Type "ghost" to confirm:`, `type the name of the site to confirm`: who has to show that he knows which one is asked
/// before it goes. A word that only says yes shows nothing of that.
fn names_what_goes(question: &str) -> bool {
    static YES: List = List::of("answers yes");
    let lower = question.to_lowercase();
    if !lower.contains("confirm") || ["mail", "phone", "address", "again"].iter().any(|what| lower.contains(what)) {
        return false;
    }
    let quoted = lower.split(['"', '\'', '`', '“', '”', '‘', '’']).nth(1).map(str::trim);
    let literal = quoted.and_then(|quoted| quoted.split_whitespace().next());
    literal.map_or_else(
        || {
            lower.contains("type")
                && (lower.contains("the name")
                    || lower.contains(" name of ")
                    || lower.contains("the exact ")
                    || its_name(&lower))
        },
        |literal| !YES.iter().copied().any(|yes| yes == literal),
    )
}

/// `type the project name`
fn its_name(lower: &str) -> bool {
    lower.split_once("type the ").is_some_and(|(_, what)| what.contains(" name"))
}

/// `Do you accept?` under what a licence says of harm.
fn grants_terms(question: &str, context: &str) -> bool {
    let says = |text: &str, words: &[&str]| words.iter().any(|word| text.to_lowercase().contains(word));
    says(question, &["accept", "agree"]) && says(context, &["licen", "agreement", "liable", "warrant", "terms of"])
}

/// A list to choose from says much that is not asked; a bare "Continue?" leans on what stands above it.
fn leans(question: &str, guess: &Guess) -> bool {
    // What a licence says of harm is no order.
    let terms = ["licen", "terms", "agreement"].iter().any(|word| question.to_lowercase().contains(word));
    if terms {
        return false;
    }
    let leave = guess.choices.iter().any(|choice| above::gives_leave(choice));
    guess.kind != PromptKind::Choice || leave || guess.form == Form::Letters
}
