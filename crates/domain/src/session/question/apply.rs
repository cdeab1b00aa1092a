//! Records into a question. Cannot fail.

use super::record::QuestionRecord;
use super::state::{Delivery, Question, QuestionState, ResolutionType};
use crate::time::Timestamp;

impl Question {
    pub fn apply(&mut self, at: Timestamp, record: &QuestionRecord) {
        match record {
            QuestionRecord::Asked { .. } => {}
            QuestionRecord::Reminded { percent, .. } => {
                let over = self.spec.reminders.iter().filter(|due| **due <= *percent).count();
                if let QuestionState::Open { reminded, .. } = &mut self.state {
                    *reminded = over.max(*reminded);
                }
            }
            QuestionRecord::Overdue { .. } => {
                let all = self.spec.reminders.len();
                if let QuestionState::Open { reminded, overdue_at } = &mut self.state {
                    *reminded = all;
                    *overdue_at = Some(at);
                }
            }
            QuestionRecord::Resolved { resolution, .. } => {
                // What the agent did itself it need not be told.
                let delivery = match resolution.kind {
                    ResolutionType::Cancelled if self.is_of(&resolution.by) => Delivery::Acknowledged,
                    ResolutionType::Human
                    | ResolutionType::Timeout
                    | ResolutionType::Cancelled
                    | ResolutionType::Superseded => Delivery::Undelivered,
                };
                let (resolution, late_answers) = (resolution.clone(), Vec::new());
                self.state = QuestionState::Resolved { resolution, late_answers, delivery, way: None, used: false };
            }
            QuestionRecord::Used { .. } => {
                if let QuestionState::Resolved { used, delivery, .. } = &mut self.state {
                    (*used, *delivery) = (true, Delivery::Acknowledged);
                }
            }
            QuestionRecord::AnsweredLate { answer, .. } => {
                if let QuestionState::Resolved { late_answers, .. } = &mut self.state {
                    late_answers.push((**answer).clone());
                }
            }
            QuestionRecord::DeliveryMoved { delivery: now, way: by, .. } => {
                if let QuestionState::Resolved { delivery, way, .. } = &mut self.state
                    && !matches!(delivery, Delivery::Acknowledged | Delivery::Undeliverable)
                {
                    *delivery = *now;
                    // What is acknowledged had come by the way before.
                    *way = if *now == Delivery::Acknowledged { by.or(*way) } else { *by };
                }
            }
        }
    }
}
