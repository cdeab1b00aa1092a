//! What must be true in the end: once nothing fails any more, and people have retried what was a dead letter.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};

use super::stage::Stage;
use crate::actors::outbox::{OrderError, OrderRequest, OutboxOrder};
use crate::domain::ids::{PullId, QuestionId};
use crate::domain::outbox::{Delivery, DeliveryRefusal, DeliveryStateName};
use crate::domain::principal::{By, Surface};
use crate::domain::pull::PullRecord;
use crate::domain::review::ReviewRecord;
use crate::domain::session::question::QuestionRecord;
use crate::domain::task::TaskRecord;
use crate::journal::{DeliveryFilter, HubRecord, Kept, PageRequest, Reader as _, Record, Seq};

type Judged = Result<(), String>;

/// What was asked for, as the journal has it: this, and no more, must stand outside in the end.
#[derive(Debug, Default)]
pub(super) struct ExpectedOutside {
    /// Pull requests, with the text that was asked for last.
    pub(super) pulls: BTreeMap<String, String>,
    /// Questions on the work item, with what they ask.
    pub(super) questions: Vec<(QuestionId, String)>,
    /// Comments and summaries, in their order.
    comments: Vec<String>,
}

/// How much happened in a story.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tale {
    hubs: u64,
    pulls: u64,
    merged: u64,
    questions: u64,
    comments: u64,
    retried: u64,
}

impl Tale {
    pub(super) const fn counts(self) -> [u64; 6] {
        [self.hubs, self.pulls, self.merged, self.questions, self.comments, self.retried]
    }
}

/// Whether a reviewer of the hub had approved this when it was sent, and nobody wanted changes or handed it in anew.
fn agreed_here(records: &[Kept], id: &PullId, commit: &str, base: &str) -> bool {
    // By task: whether what it was handed in with last is this, and whether that is agreed with.
    let mut agreed: BTreeMap<String, bool> = BTreeMap::new();
    for kept in records {
        let task = format!("{:?}", kept.stream);
        if let Record::Review(ReviewRecord::Submitted { round }) = &kept.record {
            let change = &round.change;
            let is_it = change.pull.as_ref() == Some(id)
                && change.commit.as_deref() == Some(commit)
                && change.base.as_deref() == Some(base);
            agreed.remove(&task);
            agreed.extend(is_it.then_some((task, false)));
        } else if let Record::Review(ReviewRecord::Approved { verdict }) = &kept.record {
            let own = verdict.grounds.as_ref().is_some_and(|grounds| grounds.given && grounds.forge_login.is_none());
            agreed.entry(task).and_modify(|agreed| *agreed |= own);
        } else if let Record::Review(ReviewRecord::ChangesRequested { .. } | ReviewRecord::Withdrawn { .. }) =
            &kept.record
        {
            agreed.remove(&task);
        } else if let Record::Pull(PullRecord::MergeSent { id: of, sent }) = &kept.record
            && (of == id && sent.head == commit && agreed.values().any(|agreed| *agreed))
        {
            return true;
        }
    }
    false
}

impl Stage {
    /// The world becomes kind, people retry, everything goes out. Then it is judged.
    pub(super) async fn end(mut self) -> Result<Tale, String> {
        self.calms_down().await;
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_secs(4 * 60 * 60)).await;
            for row in self.rows(&[DeliveryStateName::DeadLetter]) {
                let by = By { principal: super::stage::operator().principal.id, surface: Surface::Api };
                let asked = OrderRequest { id: row.id, order: OutboxOrder::Retry, by, request: None, key: None };
                match self.backstage.hub.outbox.order(asked).await {
                    // The one before it succeeded, and nobody needs this any more.
                    Ok(_) | Err(OrderError::Refused(DeliveryRefusal::Over { .. })) => {}
                    Err(error) => return Err(error.to_string()),
                }
            }
        }
        tokio::time::sleep(Duration::from_secs(60 * 60)).await;
        let judged = self.judged().await;
        self.backstage.end(Duration::from_secs(5)).await;
        judged
    }

    pub(super) fn asked(&self) -> ExpectedOutside {
        let mut asked = ExpectedOutside::default();
        for kept in self.reader.records(Seq(0), 100_000).unwrap() {
            if let Record::Pull(PullRecord::Requested { id, spec, .. }) = &kept.record {
                asked.pulls.insert(id.to_string(), spec.body.clone());
            } else if let Record::Pull(PullRecord::ChangeRequested { id, change, .. }) = &kept.record {
                asked.pulls.extend(change.body.clone().map(|body| (id.to_string(), body)));
            } else if let Record::Question(QuestionRecord::Asked { spec }) = &kept.record {
                let on_item = spec.work_item.is_some().then(|| (spec.id.clone(), spec.question.clone()));
                asked.questions.extend(on_item);
            } else if let Record::Task(TaskRecord::Remarked { comment, posted_to: Some(_) }) = &kept.record {
                asked.comments.push(comment.text.clone());
            } else if let Record::Task(TaskRecord::Completed { message, posted_to: Some(_), .. }) = &kept.record {
                asked.comments.push(message.head().to_owned());
            }
        }
        asked
    }

    fn rows(&self, states: &[DeliveryStateName]) -> Vec<Delivery> {
        let filter = DeliveryFilter { states: states.to_vec(), ..DeliveryFilter::default() };
        self.reader.deliveries(&filter, &PageRequest { limit: 500, cursor: None }).unwrap().items
    }

    async fn judged(&self) -> Result<Tale, String> {
        if let Some(row) = self.rows(&[DeliveryStateName::Pending, DeliveryStateName::Sending]).first() {
            return Err(format!("{} ({}) is still under way: {:?}", row.id, row.summary, row.last_error));
        }
        // What a person retried may go out of its order.
        let records = self.reader.records(Seq(0), 100_000).unwrap();
        let out_of_order: BTreeSet<String> = records
            .iter()
            .filter_map(|kept| {
                let Record::Hub(HubRecord::DeliveryRetried { delivery, .. }) = &kept.record else { return None };
                Some(*delivery)
            })
            .filter_map(|id| Some(self.reader.delivery(id).unwrap()?.lane))
            .collect();
        let merged = self.judge_pulls(&out_of_order).await?;
        self.judge_merges()?;
        self.judge_comments(&out_of_order)?;
        let (asked, count) = (self.asked(), |length: usize| u64::try_from(length).unwrap());
        Ok(Tale {
            hubs: self.hubs,
            pulls: count(asked.pulls.len()),
            merged,
            questions: count(asked.questions.len()),
            comments: count(asked.comments.len()),
            retried: count(out_of_order.len()),
        })
    }

    async fn judge_pulls(&self, out_of_order: &BTreeSet<String>) -> Result<u64, String> {
        let listed = self.says("list_prs", json!({})).await;
        let known: Vec<Value> = listed["prs"].as_array().cloned().unwrap_or_default();
        let repository = self.repository();
        let there: Vec<String> = (1..=u64::try_from(self.github.count(&repository)).unwrap())
            .filter_map(|number| self.github.text_of(&repository, number).map(|(_, body)| body))
            .collect();
        let asked = self.asked();
        for (id, text) in &asked.pulls {
            let mark = format!("<!-- callboard {id} -->");
            let standing: Vec<&String> = there.iter().filter(|body| body.contains(&mark)).collect();
            let state = known.iter().find(|pr| pr["pr_id"] == json!(id)).map(|pr| pr["status"].clone());
            // Its agent was told, or a person is.
            let dead = self
                .rows(&[DeliveryStateName::DeadLetter, DeliveryStateName::Dropped])
                .iter()
                .any(|row| row.lane == *id);
            match (standing.as_slice(), state.as_ref().and_then(Value::as_str)) {
                ([], Some("failed")) if dead => {}
                ([_], Some("failed")) => return Err(format!("{id} is FAILED although it stands there")),
                ([], _) => return Err(format!("{id} is lost: it is {state:?} here and nowhere there")),
                ([body], Some("open" | "merged")) => {
                    if !out_of_order.contains(id) && !body.starts_with(text.as_str()) {
                        return Err(format!("the change of {id} to “{text}” is lost: {body}"));
                    }
                }
                ([_], _) => return Err(format!("{id} stands there, and is {state:?} here")),
                (_, _) => return Err(format!("{id} stands {} times", standing.len())),
            }
        }
        if there.len() > asked.pulls.len() {
            return Err(format!("{} pull requests stand there, and {} were asked for", there.len(), asked.pulls.len()));
        }
        Ok(u64::try_from(known.iter().filter(|pr| pr["status"] == "merged").count()).unwrap())
    }

    /// F1, from outside: what was merged was approved on the forge by somebody who may write there, or in the hub, in
    /// exactly that commit and for exactly that base.
    fn judge_merges(&self) -> Judged {
        let records = self.reader.records(Seq(0), 100_000).map_err(|error| error.to_string())?;
        for merge in self.github.merges_asked().into_iter().filter(|merge| !merge.approved) {
            let of = |kept: &Kept| {
                let Record::Pull(PullRecord::Created { id, number, .. }) = &kept.record else { return None };
                (*number == Some(merge.number)).then(|| id.clone())
            };
            let id = records.iter().find_map(of).ok_or_else(|| format!("#{} is nobody's", merge.number))?;
            if !agreed_here(&records, &id, &merge.commit, &merge.base) {
                return Err(format!("{id} was merged unapproved, at {} into {}", merge.commit, merge.base));
            }
        }
        Ok(())
    }

    fn judge_comments(&self, out_of_order: &BTreeSet<String>) -> Judged {
        let item = format!("{}#1", self.repository());
        let there: Vec<_> = self.issues.comments().into_iter().filter(|comment| comment.item == item).collect();
        let standing = |text: &str| {
            let ids: Vec<_> = there.iter().filter(|comment| comment.body.contains(text)).collect();
            match ids.as_slice() {
                [one] => Ok(*one),
                [] => Err(format!("“{text}” is lost")),
                more => Err(format!("“{text}” stands {} times", more.len())),
            }
        };
        let asked = self.asked();
        for (id, text) in &asked.questions {
            let comment = standing(text)?;
            let question = self.reader.question(id).map_err(|error| error.to_string())?;
            let question = question.ok_or_else(|| format!("{id} is lost here"))?;
            let shown_open = comment.body.contains("Answer with a comment");
            if shown_open != question.is_open() {
                return Err(format!("the comment of {id} does not show where it stands: {}", comment.body));
            }
        }
        let mut last = 0;
        for text in &asked.comments {
            let id = standing(text)?.id;
            if id < last && !out_of_order.contains(&item) {
                return Err(format!("“{text}” is out of order"));
            }
            last = id;
        }
        let asked = asked.questions.len() + asked.comments.len();
        if there.len() > asked {
            return Err(format!("{} comments stand there, and {asked} were asked for", there.len()));
        }
        Ok(())
    }
}
