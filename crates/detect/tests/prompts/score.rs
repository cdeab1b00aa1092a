//! Counting: what was found, what was missed, and how sure one was.

use std::collections::BTreeMap;
use std::time::Duration;

use callboard_base::time::Timestamp;
use callboard_detect::danger::command_destroys;
use callboard_detect::prompt::{Host, InputPrompt, MIN_CONFIDENCE, PromptKind};
use callboard_detect::terminal::{TerminalSize, Watch};

use super::recordings::recording::{Moment, Observed, Recording};

/// What the detector is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Evidence {
    /// The screen, the clock, and what the host's kernel says.
    Host,
    /// The screen and the clock.
    Words,
}

impl Evidence {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Words => "words",
        }
    }
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
#[derive(Debug)]
pub(super) struct Score {
    pub(super) evidence: Evidence,
    pub(super) waits: Count,
    pub(super) danger: Count,
    /// Of the prompts of each kind: how many, how many found, how many of those of the right kind.
    pub(super) kinds: BTreeMap<PromptKind, [u32; 3]>,
    pub(super) unsafe_to_type: u32,
    /// By tenths of confidence: how many verdicts, and how many of them were right.
    pub(super) sure: [[u32; 2]; 10],
    pub(super) misses: Vec<String>,
    /// Every verdict, for comparing two versions of the rules.
    pub(super) verdicts: Vec<String>,
    /// By rule: of the programs that waited, how often what it said was of the right kind, and what it was else.
    pub(super) rules: BTreeMap<String, BTreeMap<&'static str, u32>>,
}

impl Score {
    pub(super) fn of(recordings: &[Recording], evidence: Evidence) -> Self {
        let mut score = Self {
            evidence,
            waits: Count::default(),
            danger: Count::default(),
            kinds: BTreeMap::new(),
            unsafe_to_type: 0,
            sure: Default::default(),
            misses: Vec::new(),
            verdicts: Vec::new(),
            rules: BTreeMap::new(),
        };
        recordings.iter().for_each(|recording| score.play(recording));
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

    /// What the figures are made of: waits (found, wrong, missed), kinds (found, right), danger (found, wrong, missed),
    /// unsafe verdicts. The counts of several groups can be added.
    pub(super) fn counts(&self) -> [u32; 9] {
        let [found, right] = self.kinds.values().fold([0, 0], |[found, right], [_, f, r]| [found + f, right + r]);
        let (waits, danger) = (self.waits, self.danger);
        [
            waits.found, waits.wrong, waits.missed, found, right, danger.found, danger.wrong, danger.missed,
            self.unsafe_to_type,
        ]
    }

    fn play(&mut self, recording: &Recording) {
        let mut watch = Watch::new(TerminalSize::new(recording.rows, recording.cols), 1_000);
        let destroys = command_destroys(last_command(&recording.command));
        let mut now = Timestamp(1_000_000);
        let mut at = 0;
        for moment in &recording.moments {
            watch.output(now, &recording.output[at..moment.at]);
            at = moment.at;
            if moment.answered && self.evidence == Evidence::Host {
                watch.input();
            }
            now = now + Duration::from_millis(moment.quiet_ms);
            let Observed { reader, echo, canonical } = moment.host;
            let host = match self.evidence {
                Evidence::Host => Host { reader, echo, canonical, destroys },
                Evidence::Words => Host::default(),
            };
            let seen = watch.look(now, host).map(|seen| seen.prompt);
            self.judge(recording, moment, seen.as_ref());
            now = now + Duration::from_secs(1);
        }
    }

    fn judge(&mut self, recording: &Recording, moment: &Moment, seen: Option<&InputPrompt>) {
        let (label, waiting) = (&moment.label, moment.label.waits());
        self.verdicts.push(format!("{} at {}: {}", recording.path(), moment.at, serde_json::json!(seen)));
        let said = seen.filter(|prompt| prompt.confidence >= MIN_CONFIDENCE);
        self.waits.add(waiting, said.is_some());
        if let Some(prompt) = seen {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a confidence is between 0 and 1"
            )]
            let tenth = ((prompt.confidence * 10.0) as usize).min(9);
            self.sure[tenth][0] += 1;
            self.sure[tenth][1] += u32::from(waiting);
            self.unsafe_to_type += u32::from(prompt.safe_to_type && !waiting);
        }
        let right_kind = said.is_some_and(|prompt| label.kinds.contains(&prompt.prompt_type));
        if waiting {
            let counts = self.kinds.entry(label.kinds[0]).or_default();
            counts[0] += 1;
            counts[1] += u32::from(said.is_some());
            counts[2] += u32::from(right_kind);
            if let Some(prompt) = said {
                let label = if right_kind { "right" } else { label.kinds[0].as_str() };
                *self.rules.entry(prompt.matched_pattern.to_string()).or_default().entry(label).or_default() += 1;
            }
        }
        let dangerous = said.is_some_and(|prompt| prompt.is_dangerous);
        if waiting && said.is_some() {
            self.danger.add(label.dangerous, dangerous);
        }
        let wrong = waiting != said.is_some()
            || waiting && (!right_kind || dangerous != label.dangerous)
            || seen.is_some_and(|prompt| prompt.safe_to_type) && !waiting;
        if wrong {
            let verdict = seen.map(|p| (&p.matched_pattern, p.confidence, p.is_dangerous, p.prompt_text.clone()));
            self.misses.push(format!(
                "{} at {}: {:?}{} but {verdict:?}",
                recording.path(),
                moment.at,
                label.kinds,
                if label.dangerous { " dangerous" } else { "" }
            ));
        }
    }
}

/// What a host would read of the program that asks: the last command of a scenario's script, without what it is sent.
fn last_command(script: &str) -> &str {
    let command = script.strip_prefix("bash --norc -c ").unwrap_or(script);
    let ends = ["; ", "&& ", "|| ", "| ", "\n"];
    let command = command.trim_end_matches([';', ' ', '\n']);
    let from = ends.iter().filter_map(|end| command.rfind(end).map(|at| at + end.len())).max().unwrap_or(0);
    command[from..].split(['<', '"', '\'']).next().unwrap_or_default().trim()
}
