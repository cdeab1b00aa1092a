//! What a question decides for itself: whether an answer counts, what its time has come for.

use super::check::{LIMITS, QuestionRefusal};
use super::record::QuestionRecord;
use super::state::{Answerer, LateAnswer, Question, QuestionState, Resolution, ResolutionType};
use crate::time::{Deadline, Timestamp};

impl Question {
    /// The record that an answer makes: the first is the resolution, every later one is kept as late, also a repeat.
    /// Fails when it comes from no human, is none of the only options, or is later than the last that is kept.
    pub fn answer(
        &self,
        now: Timestamp,
        value: &str,
        own_words: bool,
        by: &Answerer,
    ) -> Result<QuestionRecord, QuestionRefusal> {
        if !by.is_human() {
            return Err(QuestionRefusal::NotAHuman { principal: by.principal.to_string() });
        }
        let value = self.spec.read_answer(value, own_words)?;
        let (id, by) = (self.spec.id.clone(), by.clone());
        match &self.state {
            QuestionState::Open { .. } => Ok(self.resolve(ResolutionType::Human, value, by, now)),
            QuestionState::Resolved { resolution, late_answers, .. } if is_full(late_answers, &value) => {
                Err(QuestionRefusal::TooManyLate { first: resolution.clone() })
            }
            QuestionState::Resolved { .. } => {
                Ok(QuestionRecord::AnsweredLate { id, answer: Box::new(LateAnswer { value, by, at: now }) })
            }
        }
    }

    pub fn resolve(&self, kind: ResolutionType, value: String, by: Answerer, at: Timestamp) -> QuestionRecord {
        let resolution = Box::new(Resolution { kind, value, by, at });
        QuestionRecord::Resolved { id: self.spec.id.clone(), resolution }
    }

    /// What its time has come for: the deadline before any reminder, of several reminders the last.
    pub fn due(&self, now: Timestamp) -> Option<Due> {
        let QuestionState::Open { reminded, overdue_at: None } = &self.state else { return None };
        if self.spec.expires_at <= now {
            return Some(if self.spec.is_dangerous() { Due::Overdue } else { Due::Default });
        }
        let coming = self.spec.reminders.iter().skip(*reminded);
        coming.filter(|percent| self.reminder_at(**percent) <= now).max().map(|percent| Due::Reminder(*percent))
    }

    /// When it acts by itself, and why. What is overdue waits for people alone.
    pub fn next_deadline(&self) -> Option<Deadline> {
        let QuestionState::Open { reminded, overdue_at: None } = &self.state else { return None };
        let end = Deadline {
            at: self.spec.expires_at,
            reason: if self.spec.is_dangerous() {
                "nobody answered: the session becomes blocked"
            } else {
                "nobody answered: the question's default applies"
            },
        };
        let reminder = self
            .spec
            .reminders
            .get(*reminded)
            .map(|percent| Deadline { at: self.reminder_at(*percent), reason: "people are reminded of the question" });
        reminder.into_iter().chain([end]).min_by_key(|deadline| deadline.at)
    }

    fn reminder_at(&self, percent: u8) -> Timestamp {
        let span = self.spec.expires_at.since(self.spec.asked_at);
        self.spec.asked_at + span * u32::from(percent.min(100)) / 100
    }
}

/// Whether one more late answer is more than is kept.
fn is_full(late: &[LateAnswer], value: &str) -> bool {
    let bytes = late.iter().map(|answer| answer.value.len()).sum::<usize>();
    late.len() >= LIMITS.late_answers || bytes + value.len() > LIMITS.late_bytes
}

/// What the time has come for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// People are reminded: so many percent of its time are gone.
    Reminder(u8),
    Default,
    /// The default is too dangerous to apply.
    Overdue,
}
