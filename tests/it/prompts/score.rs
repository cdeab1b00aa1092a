//! Counting: what was found, what was missed, and how sure one was.

use std::collections::BTreeMap;

use callboard::domain::prompt::{Host, InputPrompt, MIN_CONFIDENCE, PromptKind};
use callboard::domain::time::Timestamp;
use callboard::terminal::{TerminalSize, Watch};

use super::case::{Case, State};

/// What the detector is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Evidence {
    /// The screen, the clock, and what the host's kernel says.
    Host,
    /// The screen and the clock.
    Words,
}

/// Right and wrong yeses, and wrong noes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) found: u32,
    pub(super) wrong: u32,
    pub(super) missed: u32,
}

impl Count {
    pub(super) fn add(&mut self, is: bool, said: bool) {
        match (is, said) {
            (true, true) => self.found += 1,
            (false, true) => self.wrong += 1,
            (true, false) => self.missed += 1,
            (false, false) => {}
        }
    }

    pub(super) fn precision(self) -> f64 {
        share(self.found, self.found + self.wrong)
    }

    pub(super) fn recall(self) -> f64 {
        share(self.found, self.found + self.missed)
    }
}

pub(super) fn share(part: u32, whole: u32) -> f64 {
    if whole == 0 { 1.0 } else { f64::from(part) / f64::from(whole) }
}

/// The figures of some recordings.
#[derive(Debug, Default)]
pub(super) struct Score {
    pub(super) waits: Count,
    pub(super) danger: Count,
    /// Of the prompts of each kind: how many, how many found, how many of those of the right kind.
    pub(super) kinds: BTreeMap<PromptKind, [u32; 3]>,
    pub(super) unsafe_to_type: u32,
    /// By tenths of confidence: how many verdicts, and how many of them were right.
    pub(super) sure: [[u32; 2]; 10],
    pub(super) misses: Vec<String>,
    /// By rule: of the programs that waited, how often what it said was of the right kind, and what it was else.
    pub(super) rules: BTreeMap<String, BTreeMap<&'static str, u32>>,
}

impl Score {
    #[expect(single_use_lifetimes, reason = "a lifetime in `impl Trait` has to be named")]
    pub(super) fn of<'a>(cases: impl IntoIterator<Item = &'a Case>, evidence: Evidence) -> Self {
        let mut score = Self::default();
        for case in cases {
            score.play(case, evidence);
        }
        score
    }

    pub(super) fn f1(&self) -> f64 {
        let (precision, recall) = (self.waits.precision(), self.waits.recall());
        2.0 * precision * recall / (precision + recall)
    }

    /// Of the prompts that were found, how many of the right kind.
    pub(super) fn kind_accuracy(&self) -> f64 {
        let [found, right] = self.kinds.values().fold([0, 0], |[found, right], [_, f, r]| [found + f, right + r]);
        share(right, found)
    }

    fn play(&mut self, case: &Case, evidence: Evidence) {
        let mut watch = Watch::new(TerminalSize::new(case.rows, case.cols), 1_000);
        let mut now = Timestamp(1_000_000);
        let mut at = 0;
        for state in &case.states {
            watch.output(now, &case.output[at..state.at]);
            at = state.at;
            if state.answered && evidence == Evidence::Host {
                watch.input();
            }
            now = now + state.quiet;
            let host = if evidence == Evidence::Host { state.host } else { Host::default() };
            let seen = watch.look(now, host).map(|seen| seen.prompt);
            self.judge(case, state, seen.as_ref());
            now = now + std::time::Duration::from_secs(1);
        }
    }

    fn judge(&mut self, case: &Case, state: &State, seen: Option<&InputPrompt>) {
        let said = seen.filter(|prompt| prompt.confidence >= MIN_CONFIDENCE);
        self.waits.add(state.waiting, said.is_some());
        if let Some(prompt) = seen {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a confidence is between 0 and 1"
            )]
            let tenth = ((prompt.confidence * 10.0) as usize).min(9);
            self.sure[tenth][0] += 1;
            self.sure[tenth][1] += u32::from(state.waiting);
            self.unsafe_to_type += u32::from(prompt.safe_to_type && !state.waiting);
        }
        let right_kind = said.is_some_and(|prompt| state.kinds.contains(&prompt.prompt_type));
        if state.waiting {
            let counts = self.kinds.entry(state.kinds[0]).or_default();
            counts[0] += 1;
            counts[1] += u32::from(said.is_some());
            counts[2] += u32::from(right_kind);
            if let Some(prompt) = said {
                let label = if right_kind { "right" } else { state.kinds[0].name() };
                *self.rules.entry(prompt.matched_pattern.to_string()).or_default().entry(label).or_default() += 1;
            }
        }
        let dangerous = said.is_some_and(|prompt| prompt.is_dangerous);
        if state.waiting && said.is_some() {
            self.danger.add(state.dangerous, dangerous);
        }
        let wrong = state.waiting != said.is_some()
            || state.waiting && (!right_kind || dangerous != state.dangerous)
            || seen.is_some_and(|prompt| prompt.safe_to_type) && !state.waiting;
        if wrong {
            let verdict = seen.map(|p| (&p.matched_pattern, p.confidence, p.is_dangerous, p.prompt_text.clone()));
            self.misses.push(format!(
                "{}/{} at {}: {:?}{} but {verdict:?}",
                case.program,
                case.name,
                state.at,
                state.kinds,
                if state.dangerous { " dangerous" } else { "" }
            ));
        }
    }
}
