//! What must be true of a story when it is over.

use std::collections::BTreeMap;

use callboard::domain::agent::AgentRecord;
use callboard::domain::task::TaskRecord;
use callboard::domain::workflow::run::{MatchedBy, StepStatus, WorkflowRun};
use callboard::journal::inspect::verify_reader;
use callboard::journal::memory::MemoryReader;
use callboard::journal::{Reader as _, Record, Seq, WorkflowFilter};

use super::play::{AgentKnowledge, words};
use super::plot::Plot;

/// Everything that is not so.
pub(super) fn the_whole(plot: &Plot, known: &AgentKnowledge, reader: &MemoryReader) -> Vec<String> {
    let mut findings = Vec::new();
    // J1, W1 to W5: the records come to the rows, and each keeps every promise.
    for finding in verify_reader(reader, |_, _| {}).unwrap().findings {
        findings.push(format!("{}: {}: {}", finding.promise, finding.subject, finding.sentence));
    }
    let runs = reader.workflows(&WorkflowFilter::default(), usize::MAX).unwrap();
    let [run] = runs.as_slice() else {
        findings.push(format!("one key came to {} runs", runs.len()));
        return findings;
    };
    effects(plot, known, run, reader, &mut findings);
    nothing_is_gone(known, run, &mut findings);
    if run.is_working() {
        findings.push(format!("{} was ended, and goes on: {}", run.id, run.status_message()));
    }
    findings
}

/// What was done was done once, whoever died meanwhile; and what is said to be done was.
fn effects(plot: &Plot, known: &AgentKnowledge, run: &WorkflowRun, reader: &MemoryReader, findings: &mut Vec<String>) {
    let mut done: BTreeMap<String, usize> = BTreeMap::new();
    for kept in reader.records(Seq(0), usize::MAX).unwrap() {
        match &kept.record {
            Record::Task(TaskRecord::Created { spec, .. }) => *done.entry(spec.prompt.clone()).or_default() += 1,
            Record::Agent(AgentRecord::NoticePosted { notice }) => *done.entry(notice.text.clone()).or_default() += 1,
            _ => {}
        }
    }
    let times = |words: &str| done.get(words).copied().unwrap_or_default();
    for (number, (deed, state)) in plot.steps.iter().zip(&run.steps).enumerate() {
        let (times, of_the_plan) =
            (times(&format!("step {number}")), |state: &callboard::domain::workflow::run::StepState| {
                state.outcome.as_ref().is_some_and(|outcome| outcome.matched_by == MatchedBy::Plan)
            });
        let must = deed.has_an_effect() && state.status == StepStatus::Completed && of_the_plan(state);
        if times > 1 || (must && times == 0) {
            findings.push(format!("step {number} ({deed:?}, {}) was done {times} times", state.status.as_str()));
        }
    }
    for (group, calls) in plot.calls.iter().enumerate() {
        for (place, (deed, _)) in calls.iter().enumerate().filter(|(_, (deed, _))| deed.has_an_effect()) {
            let (times, answered) = (times(&words((group, place))), known.answered.contains(&(group, place)));
            if times > 1 || (answered && times == 0) {
                findings
                    .push(format!("{} ({deed:?}, answered: {answered}) was done {times} times", words((group, place))));
            }
        }
    }
}

/// What the agent was answered is still so, unless a later result came over it.
fn nothing_is_gone(known: &AgentKnowledge, run: &WorkflowRun, findings: &mut Vec<String>) {
    for heard in &known.runs {
        if heard.id != run.id {
            findings.push(format!("one key was answered with {} and {}", heard.id, run.id));
        }
        for ((step, before), now) in run.plan.steps.iter().zip(&heard.steps).zip(&run.steps) {
            let Some(outcome) = &before.outcome else { continue };
            let newer = now.outcome.as_ref().is_some_and(|now| now == outcome || now.matched_by != MatchedBy::Plan);
            if !newer {
                findings.push(format!("what `{}` came to was answered, and is gone: {:?}", step.name, now.status));
            }
        }
    }
    for step in &known.recorded {
        let now = run.plan.steps.iter().zip(&run.steps).find(|(of, _)| of.name == *step);
        let kept = now.is_some_and(|(_, state)| {
            state.outcome.as_ref().is_some_and(|outcome| outcome.matched_by != MatchedBy::Plan)
        });
        if !kept {
            findings.push(format!("a result for `{step}` was said to be recorded, and is gone"));
        }
    }
}
