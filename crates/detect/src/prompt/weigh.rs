//! How likely a guess is, given what else is known. The figures are frequencies, counted on recordings.
//!
//! *The kernel is believed.* A program that is seen to wait for input waits, also where no rule knows what it asks. Of
//! such moments with 0.7 s of silence on the recordings 15 of 16 were prompts. Their kind is what the last sign on the
//! screen says (`rule/told.rs`) or, without one, how the terminal is set: whole lines are `text`, single keys are a
//! `command` (right for 28 of 38 on the recordings; calling them `unknown` was right for 24). A full screen that no
//! rule knows is a `command` too: most of them are programs that are operated by keys. Any of these may be a dialog all
//! the same, so nothing is typed there, and they need a person.
//!
//! *Busy is not always at work.* Some programs that take single keys look for them again and again, and sleep on
//! nothing in between. A terminal that takes single keys, a prompt that rules know, 0.7 s of silence and nothing typed
//! say that such a program waits: with 0.80 at most, and never safe to type. A program that takes whole lines reads
//! them, and is believed to be busy when it does not.

use std::time::Duration;

use super::kind::PromptKind;
use super::rule::{Guess, Strength};
use super::rule_id::Form;
use super::screen_view::{Moment, Reader};
use super::veto::Veto;

/// The most that is believed of a program that nothing but its screen says to wait.
const BY_ITSELF: f64 = 0.80;
/// From when on a pause says something.
pub(super) const QUIET: Duration = Duration::from_millis(200);
/// A pause that a program which goes on by itself rarely makes.
const LONG_QUIET: Duration = Duration::from_millis(700);

pub(super) fn confidence(guess: &Guess, veto: Option<Veto>, moment: &Moment, full_screen: bool) -> f64 {
    let quiet = moment.quiet.is_none_or(|quiet| quiet >= QUIET);
    match moment.host.reader {
        Reader::Gone => 0.0,
        Reader::Busy if guess.strength >= Strength::Likely => words_alone(guess, veto, quiet, moment).min(BY_ITSELF),
        Reader::Busy => 0.0,
        Reader::Reads => reads(guess, moment),
        Reader::Polls => polls(guess, veto, moment, full_screen),
        Reader::Unknown if moment.host.hides() && !moment.answered => 0.96,
        Reader::Unknown => words_alone(guess, veto, quiet, moment),
    }
}

/// The kernel is sure. What stands on the screen only tells for what.
fn reads(guess: &Guess, moment: &Moment) -> f64 {
    match (guess.strength, moment.answered) {
        (Strength::Sure | Strength::Likely, false) => 0.99,
        (Strength::Fair, false) => 0.98,
        (Strength::Weak, false) => 0.97,
        // It read what was typed and reads on, without a word: `cat`, or a prompt that shows nothing.
        (_, true) => 0.93,
    }
}

/// The program would notice a key, but may be doing something else meanwhile.
fn polls(guess: &Guess, veto: Option<Veto>, moment: &Moment, full_screen: bool) -> f64 {
    if veto.is_some() {
        return 0.15;
    }
    let long = moment.quiet.is_none_or(|quiet| quiet >= LONG_QUIET);
    let raw = moment.host.canonical == Some(false);
    let known = match guess.strength {
        Strength::Sure => 0.98,
        Strength::Likely => 0.97,
        Strength::Fair => 0.93,
        Strength::Weak if is_dumb(guess) => match (raw, long, full_screen) {
            (true, true, true) => 0.85,
            (true, true, false) => 0.80,
            (_, false, _) | (false, true, _) => 0.45,
        },
        Strength::Weak => 0.88,
    };
    if moment.answered { known * 0.5 } else { known }
}

fn is_dumb(guess: &Guess) -> bool {
    guess.kind == PromptKind::Unknown || matches!(guess.form, Form::Silent | Form::FullScreen)
}

/// Nothing but the screen and the clock.
fn words_alone(guess: &Guess, veto: Option<Veto>, quiet: bool, moment: &Moment) -> f64 {
    let long = moment.quiet.is_none_or(|quiet| quiet >= LONG_QUIET);
    let (after_pause, at_once) = match guess.strength {
        Strength::Sure => (0.97, 0.95),
        Strength::Likely => (0.92, 0.66),
        Strength::Fair => (0.78, 0.55),
        Strength::Weak if guess.form == Form::FullScreen => (if long { 0.75 } else { 0.45 }, 0.30),
        Strength::Weak => (0.45, 0.30),
    };
    let known = if quiet { after_pause } else { at_once };
    let known = match veto {
        Some(Veto::Outright) => 0.1,
        Some(Veto::Doubt) => known * 0.6,
        None => known,
    };
    if moment.answered { known * 0.3 } else { known }
}

/// Whether a program that does not sleep on its terminal may look for keys again and again by itself: it takes keys and
/// no lines, has been quiet for long, and nothing was typed. On recordings six such moments were of a prompt that
/// rules know; at 13 others the program worked, and none of these had one.
pub(super) fn may_look_by_itself(moment: &Moment) -> bool {
    let long = moment.quiet.is_none_or(|quiet| quiet >= LONG_QUIET);
    long && !moment.answered && moment.host.canonical == Some(false)
}
