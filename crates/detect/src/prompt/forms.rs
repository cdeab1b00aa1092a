//! Lines that ask by their form: regular expressions in `words/forms.txt`, with what each says and an example.
//!
//! `[STAGE KIND.FORM STRENGTH]` opens a section of the forms that say this, `[STAGE none]` one of those that ask for
//! nothing, and `[STAGE]` one that a rule asks for by name. Of a stage the first form in the file that fits decides.
//! Each form is followed by examples (`= mysql> |`, with the cursor at its end), which have to fit it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::guess::{Guess, Strength};
use super::rule_id::RuleId;

const FORMS: &str = include_str!("../../words/forms.txt");

/// A form, and what it says.
struct LineForm {
    regex: Regex,
    says: Option<(RuleId, Strength)>,
}

static STAGES: LazyLock<BTreeMap<&'static str, Vec<LineForm>>> = LazyLock::new(|| {
    let mut stages: BTreeMap<&str, Vec<LineForm>> = BTreeMap::new();
    for (header, line) in lines().filter(|(_, line)| !line.starts_with("= ")) {
        let (stage, verdict) = header.split_once(' ').unwrap_or((header, ""));
        if let Ok(regex) = Regex::new(line) {
            stages.entry(stage).or_default().push(LineForm { regex, says: says(verdict) });
        }
    }
    stages
});

/// Each form and each example of the file, with the header of its section.
fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut header = "";
    FORMS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).filter_map(move |line| {
        let opened = line.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
        header = opened.unwrap_or(header);
        opened.is_none().then_some((header, line))
    })
}

fn says(verdict: &str) -> Option<(RuleId, Strength)> {
    let (rule, strength) = verdict.split_once(' ')?;
    let strengths = [Strength::Weak, Strength::Fair, Strength::Likely, Strength::Sure];
    let strength = strengths.into_iter().find(|it| format!("{it:?}").eq_ignore_ascii_case(strength))?;
    Some((RuleId::parse(rule), strength))
}

fn first(stage: &str, text: &str) -> Option<&'static LineForm> {
    STAGES.get(stage)?.iter().find(|form| form.regex.is_match(text))
}

/// What the first form of a stage that a text has says.
pub(super) fn read(stage: &str, text: &str) -> Option<Guess> {
    match first(stage, text)?.says.as_ref()? {
        (RuleId::Built(kind, form), strength) => Some(Guess::new(*kind, *form, *strength)),
        (RuleId::Own(_) | RuleId::Other(_), _) => None,
    }
}

/// Whether a text has one of the forms of a stage.
pub(super) fn fits(stage: &str, text: &str) -> bool {
    first(stage, text).is_some()
}

/// The parts of a text that the first form of a stage which fits names.
pub(super) fn parts<'a>(stage: &str, text: &'a str) -> Option<Named<'a>> {
    STAGES.get(stage)?.iter().find_map(|form| form.regex.captures(text)).map(Named)
}

/// Each place in a text that has the first form of a stage, as its named parts.
pub(super) fn each<'a>(stage: &str, text: &'a str) -> impl Iterator<Item = Named<'a>> {
    let form = STAGES.get(stage).and_then(|forms| forms.first());
    form.into_iter().flat_map(move |form| form.regex.captures_iter(text).map(Named))
}

pub(super) struct Named<'a>(Captures<'a>);

impl<'a> Named<'a> {
    /// The part of this name, which may be missing.
    pub(super) fn part(&self, name: &str) -> &'a str {
        self.0.name(name).map_or("", |part| part.as_str())
    }
}

/// A text without what has the first form of a stage.
pub(super) fn without(stage: &str, text: &str) -> String {
    let form = STAGES.get(stage).and_then(|forms| forms.first());
    form.map_or_else(|| text.to_owned(), |form| form.regex.replace_all(text, "").into_owned())
}

#[cfg(test)]
mod tests;
