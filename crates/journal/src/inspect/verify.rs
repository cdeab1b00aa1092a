//! Whether a journal keeps its promises: its records follow one another, and come to its rows.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::InspectError;
use super::deliveries::Deliveries;
use crate::domain::ids::PatternId;
use crate::domain::invariants::{self, Broken};
use crate::domain::prompt::book::KeptPattern;
use crate::entry::{Kept, Seq};
use crate::finding::REPLAY;
use crate::learned::Learned;
use crate::page::{Page, QuestionFilter, ReviewFilter, TaskFilter, WorkflowFilter};
use crate::replay::{Finding, Replay};
use crate::sqlite;
use crate::store::{ReadError, Reader};

/// Records replayed between two calls of `progress`.
const STRIDE: usize = 1_000;

/// Findings that are listed; the rest is counted.
const LISTED: usize = 100;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifyReport {
    pub position: Seq,
    /// The number of the last record that was pruned, 0 when none was.
    pub horizon: Seq,
    pub records: u64,
    /// Tasks, open and closed.
    pub tasks: usize,
    pub agents: usize,
    pub sessions: usize,
    pub reviews: usize,
    pub patterns: usize,
    /// Promises that are broken, at most 100 of them.
    pub findings: Vec<Finding>,
    pub findings_in_all: usize,
}

impl VerifyReport {
    pub const fn is_sound(&self) -> bool {
        self.findings_in_all == 0
    }
}

/// Checks the journal at `path`. `progress` hears how many records of how many are done. Fails when the file cannot be
/// opened or read at all; what is wrong inside it comes in the report.
pub fn verify(path: &Path, progress: impl FnMut(u64, u64)) -> Result<VerifyReport, InspectError> {
    // Read before the journal: a hub that writes meanwhile only adds to it.
    let marked = sqlite::marked(path);
    let parts = sqlite::check_parts(path);
    let reader = sqlite::open_read_only(path)?.snapshot()?;
    let mut damages = reader.damages()?;
    damages.extend(parts.err().map(|error| error.to_string()));
    let mut report = verify_reader(&reader, progress)?;
    if report.position < marked {
        let found = report.position;
        let path = path.to_owned();
        damages.push(sqlite::OpenError::CutShort { path, found, marked }.to_string());
    }
    for sentence in damages {
        let finding = Finding { promise: "file", subject: path.display().to_string(), sentence };
        report.findings.insert(0, finding);
        report.findings_in_all += 1;
    }
    Ok(report)
}

/// Checks what a reader shows. Nothing must be written meanwhile.
pub fn verify_reader(reader: &dyn Reader, mut progress: impl FnMut(u64, u64)) -> Result<VerifyReport, ReadError> {
    let position = reader.position()?;
    let mut replay = reader.base()?;
    let horizon = replay.position();
    let (mut findings, mut outbox) = (Vec::new(), Deliveries::default());
    // Tasks and sessions are held against what they had come to when their rows were written.
    let rows = reader.rows_up_to()?.min(position);
    let mut records =
        advance(reader, &mut replay, &mut outbox, rows, &mut findings, |done| progress(done, position.0))?;
    let rows = Page::all(|page| reader.tasks(&TaskFilter::default(), page))?
        .into_iter()
        .map(|task| (task.spec.id.clone(), task))
        .collect();
    compare("task", &rows, replay.tasks(), &mut findings);
    let rows = reader.sessions()?.into_iter().map(|session| (session.id.clone(), session)).collect();
    compare("session", &rows, replay.sessions(), &mut findings);
    records += advance(reader, &mut replay, &mut outbox, position, &mut findings, |done| progress(done, position.0))?;
    let rows = Page::all(|page| reader.reviews(&ReviewFilter::default(), page))?
        .into_iter()
        .map(|review| (review.task.clone(), review))
        .collect();
    compare("review", &rows, replay.reviews(), &mut findings);
    let rows = reader.agents()?.into_iter().map(|agent| (agent.id.clone(), agent)).collect();
    compare("agent", &rows, replay.agents(), &mut findings);
    let rows = Page::all(|page| reader.questions(&QuestionFilter::default(), page))?
        .into_iter()
        .map(|question| (question.spec.id.clone(), question))
        .collect();
    compare("question", &rows, replay.questions(), &mut findings);
    compare_learned(reader.patterns()?, replay.learned(), &mut findings);
    let rows = reader.workflows(&WorkflowFilter::default(), usize::MAX)?;
    let rows = rows.into_iter().map(|run| (run.id.clone(), run)).collect();
    compare("workflow", &rows, replay.workflows(), &mut findings);
    agree(&replay, &mut findings);
    outbox.agree(reader, (horizon, position), &mut findings)?;
    let findings_in_all = findings.len();
    findings.truncate(LISTED);
    Ok(VerifyReport {
        position,
        horizon,
        records,
        tasks: replay.tasks().len(),
        agents: replay.agents().len(),
        sessions: replay.sessions().len(),
        reviews: replay.reviews().len(),
        patterns: replay.learned().patterns().len(),
        findings,
        findings_in_all,
    })
}

/// Goes on with the replay up to this record. How many records it took.
fn advance(
    reader: &dyn Reader,
    replay: &mut Replay,
    outbox: &mut Deliveries,
    up_to: Seq,
    findings: &mut Vec<Finding>,
    mut progress: impl FnMut(u64),
) -> Result<u64, ReadError> {
    let mut taken = 0;
    while replay.position() < up_to {
        match next(reader, replay.position())? {
            Next::Records(kept) if kept.first().is_none_or(|kept| kept.seq > up_to) => break,
            Next::Records(kept) => {
                for kept in kept.iter().take_while(|kept| kept.seq <= up_to) {
                    taken += 1;
                    replay.take(kept, findings);
                    outbox.take(kept, findings);
                }
            }
            Next::Damaged(seq, sentence) => {
                replay.skip(seq);
                findings.push(Finding { promise: REPLAY, subject: format!("record {seq}"), sentence });
            }
        }
        progress(replay.position().0);
    }
    Ok(taken)
}

enum Next {
    Records(Vec<Kept>),
    Damaged(Seq, String),
}

/// The next records; or the one that cannot be read, when it is the very next.
fn next(reader: &dyn Reader, after: Seq) -> Result<Next, ReadError> {
    if let Ok(kept) = reader.records(after, STRIDE) {
        return Ok(Next::Records(kept));
    }
    match reader.records(after, 1) {
        Ok(kept) => Ok(Next::Records(kept)),
        Err(ReadError::Fault(sentence)) => Ok(Next::Damaged(after.next(), sentence)),
        Err(error @ ReadError::Cursor { .. }) => Err(error),
    }
}

/// S1, Q3 and Q6: what sessions, tasks and agents say of one another at the end.
fn agree(replay: &Replay, findings: &mut Vec<Finding>) {
    let mut find = |subject: String, broken: Broken| {
        findings.push(Finding { promise: broken.name, subject, sentence: broken.what });
    };
    for session in replay.sessions().values() {
        let task = session.task.as_ref().and_then(|task| replay.tasks().get(task));
        if let Some(task) = task
            && let Err(broken) = invariants::s1_task_and_session_agree(task, session)
        {
            find(format!("session:{}", session.id), broken);
        }
    }
    for question in replay.questions().values() {
        let agent = replay.agents().get(&question.spec.agent_id);
        let delivered = invariants::q3_answer_delivered(question, agent);
        let task = question.spec.task_id.as_ref().and_then(|task| replay.tasks().get(task));
        let needed = task.map_or(Ok(()), |task| invariants::q6_open_is_needed(question, task));
        for broken in [delivered, needed].into_iter().filter_map(Result::err) {
            find(format!("question:{}", question.spec.id), broken);
        }
    }
}

/// J1: what the rows say is what the records come to.
fn compare<K: Ord + Display, T: PartialEq + Serialize>(
    what: &str,
    rows: &BTreeMap<K, T>,
    lives: &BTreeMap<K, T>,
    findings: &mut Vec<Finding>,
) {
    let mut find = |id: &K, sentence: String| {
        findings.push(Finding { promise: REPLAY, subject: format!("{what}:{id}"), sentence });
    };
    for (id, life) in lives {
        match rows.get(id) {
            None => find(id, "it has records and no row".to_owned()),
            Some(row) if row != life => {
                find(id, format!("its row is not what its records come to: {}", difference(row, life)));
            }
            Some(_) => {}
        }
    }
    for id in rows.keys().filter(|id| !lives.contains_key(id)) {
        find(id, "it has a row and no records".to_owned());
    }
}

/// The same for what was learned. Where answers were let go of before anybody folded them, there is nothing to tell by.
fn compare_learned(rows: Vec<KeptPattern>, learned: &Learned, findings: &mut Vec<Finding>) {
    if !learned.is_whole() {
        return;
    }
    let mut find = |id: &PatternId, sentence: &str| {
        findings.push(Finding { promise: REPLAY, subject: format!("pattern:{id}"), sentence: sentence.to_owned() });
    };
    let mut lives = learned.patterns().clone();
    for row in rows {
        match lives.remove(&row.id) {
            // Where they differ would tell what was typed.
            Some(life) if !row.agrees(&life) => find(&row.id, "its row is not what its answers come to"),
            Some(_) => {}
            None => find(&row.id, "it has a row and no answers"),
        }
    }
    lives.keys().for_each(|id| find(id, "it has answers and no row"));
}

/// Where two states differ first. Names the place and never the contents: those may be anybody's texts.
pub(crate) fn difference<T: Serialize>(one: &T, other: &T) -> String {
    let place = match (serde_json::to_value(one), serde_json::to_value(other)) {
        (Ok(one), Ok(other)) => first_difference(&one, &other, String::new()).unwrap_or_default(),
        (Err(_), _) | (_, Err(_)) => String::new(),
    };
    format!("they differ at `{place}`")
}

fn first_difference(one: &Value, other: &Value, place: String) -> Option<String> {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let keys: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            keys.into_iter().find_map(|key| {
                let (one, other) = (one.get(key).unwrap_or(&Value::Null), other.get(key).unwrap_or(&Value::Null));
                first_difference(one, other, format!("{place}/{key}"))
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => one
            .iter()
            .zip(other)
            .enumerate()
            .find_map(|(n, (one, other))| first_difference(one, other, format!("{place}/{n}"))),
        (one, other) => (one != other).then_some(place),
    }
}
