//! From what is seen to a verdict.

use super::at_work;
use super::danger;
use super::input_prompt::InputPrompt;
use super::kind::{MOST_TEXT, PromptKind, Signal};
use super::line::OpenLine;
use super::paragraph;
use super::patterns::Patterns;
use super::rule::{self, Guess, Strength, View};
use super::rule_id::{Form, Typing};
use super::screen_view::{Moment, Reader, ScreenView};
use super::veto;
use super::weigh;

/// What counts as detected where nobody says otherwise.
pub const MIN_CONFIDENCE: f64 = 0.70;

/// What a host must say for typing to be safe.
const SAFE: f64 = 0.95;

/// What waits here, as likely as its confidence says; `None` where nothing speaks for a prompt.
///
/// Linear in the rows of the screen, of which at most one line's last 512 bytes are read closely.
pub fn detect(sight: &ScreenView, moment: &Moment) -> Option<InputPrompt> {
    detect_with(sight, moment, Patterns::NONE)
}

/// The same where an operator added prompts and words of danger.
pub fn detect_with(sight: &ScreenView, moment: &Moment, patterns: &Patterns) -> Option<InputPrompt> {
    if moment.host.reader == Reader::Gone || moment.host.reader == Reader::Busy && !weigh::may_look_by_itself(moment) {
        return None;
    }
    let line = OpenLine::of(sight);
    let view = View { sight, line: &line, patterns };
    let guess = guess(view, moment)?;
    if at_work::is_at_work(view, &guess) {
        return None;
    }
    let vetoed = veto::of(view, &guess);
    let confidence = weigh::confidence(&guess, vetoed, moment, sight.alternate);
    if confidence < LEAST {
        return None;
    }
    let question = guess.question.clone().unwrap_or_else(|| line.trimmed().to_owned());
    let is_dangerous = danger::is_dangerous(view, &guess, &question, moment.host.destroys);
    Some(InputPrompt {
        confidence,
        prompt_type: guess.kind,
        is_dangerous,
        signals: signals(view, &guess, moment, is_dangerous),
        safe_to_type: is_safe(&guess, confidence, moment),
        prompt_text: paragraph::whole(view, &question).chars().take(MOST_TEXT).collect(),
        matched_pattern: guess.rule(),
        choices: guess.choices,
    })
}

/// Below this there is nothing worth saying.
const LEAST: f64 = 0.05;

fn guess(view: View<'_>, moment: &Moment) -> Option<Guess> {
    let by_rule = rule::first(view);
    if moment.host.hides() && matches!(moment.host.reader, Reader::Reads | Reader::Unknown) && !moment.answered {
        let asks = by_rule.as_ref().is_some_and(|guess| guess.kind == PromptKind::Password);
        return if asks { by_rule } else { Some(rule::hidden()) };
    }
    match (by_rule, moment.host.reader) {
        (Some(guess), _) => Some(guess),
        // Who shows how a machine does takes keys, and waits for none.
        (None, Reader::Polls) if rule::watches(view) => None,
        (None, Reader::Reads | Reader::Polls) => Some(known_to_wait(view, moment)),
        // Who takes the whole screen and is quiet waits for keys, unless it only shows how a machine does.
        (None, Reader::Unknown) if view.sight.alternate && !rule::watches(view) => Some(rule::silent(view, None)),
        (None, Reader::Unknown | Reader::Gone | Reader::Busy) => None,
    }
}

/// What is asked where no rule knows it, and the host says that somebody waits.
fn known_to_wait(view: View<'_>, moment: &Moment) -> Guess {
    let (reads, lines) = (moment.host.reader == Reader::Reads, moment.host.canonical);
    // Who looks for lines now and then prints much else.
    let told = || rule::kept(rule::tells(view)).filter(|_| reads || lines == Some(false));
    let labelled = || rule::kept(rule::labelled(view, lines == Some(true))).filter(|_| reads);
    let by_sign = || rule::kept(rule::by_sign(view));
    let found = if view.line.is_blank() {
        rule::kept(rule::above(view)).or_else(by_sign).or_else(told)
    } else {
        let prefilled = || rule::kept(rule::prefilled(view)).filter(|_| reads || lines == Some(false));
        told().or_else(by_sign).or_else(prefilled).or_else(labelled)
    };
    found.unwrap_or_else(|| rule::silent(view, lines))
}

fn signals(view: View<'_>, guess: &Guess, moment: &Moment, is_dangerous: bool) -> Vec<Signal> {
    let words = guess.strength > Strength::Weak;
    let known = [
        (moment.host.reader == Reader::Reads, Signal::TtyRead),
        (moment.host.reader == Reader::Polls, Signal::TtyPoll),
        (moment.host.hides(), Signal::EchoOff),
        (guess.form == Form::ShellMark, Signal::ShellMark),
        (!view.line.is_blank(), Signal::NoNewline),
        (words && guess.form != Form::EchoOff, Signal::Pattern),
        (guess.is_menu, Signal::Menu),
        (view.sight.alternate, Signal::FullScreen),
        (moment.quiet.is_some_and(|quiet| quiet >= weigh::QUIET), Signal::Quiet),
        (is_dangerous && moment.host.destroys, Signal::Command),
    ];
    known.into_iter().filter_map(|(holds, signal)| holds.then_some(signal)).collect()
}

/// A secret is for a person to type, whatever the host says; and where nobody knows what is asked for, nothing fits. A
/// menu and a pager take keys and no line.
fn is_safe(guess: &Guess, confidence: f64, moment: &Moment) -> bool {
    let takes = match moment.host.reader {
        Reader::Reads => true,
        Reader::Polls => guess.strength >= Strength::Likely,
        Reader::Unknown | Reader::Gone | Reader::Busy => false,
    };
    let fits = !matches!(guess.kind, PromptKind::Password | PromptKind::Unknown)
        && !guess.is_menu
        && match guess.form.typing() {
            Typing::Line => true,
            Typing::LineIfSure => guess.strength > Strength::Weak,
            Typing::Keys | Typing::Unasked | Typing::Elsewhere => false,
        };
    takes && fits && !moment.answered && !moment.host.hides() && confidence >= SAFE
}

impl Patterns {
    /// Of which kind a prompt is by its own words, and whether its answer may destroy something.
    pub fn judge(&self, prompt_text: &str) -> (PromptKind, bool) {
        let found = detect_with(&ScreenView::of_text(&format!("{prompt_text} ")), &Moment::default(), self);
        let dangerous = self.destroys(prompt_text) || found.as_ref().is_some_and(|found| found.is_dangerous);
        (found.map_or(PromptKind::Unknown, |found| found.prompt_type), dangerous)
    }

    /// Whether a text asks for something that destroys or cannot be taken back.
    pub fn destroys(&self, text: &str) -> bool {
        danger::destroys(text) || self.names_danger(text)
    }
}
