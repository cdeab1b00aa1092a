//! What an event tells of a report, and what stays inside.

use crate::actors::noticeboard::Event;
use crate::domain::task::{KeptText, TaskRecord};
use crate::journal::samples::*;
use crate::journal::{Append, Seq};

/// What a report of a task is to who follows it, in each way that one can be made.
fn reports(message: &str) -> Vec<TaskRecord> {
    let agent = agent_id("fullstack-1");
    let (kept, hidden) = (KeptText::inline(message), KeptText::inline(SECRET));
    let evidence = Some(serde_json::json!(SECRET));
    let (diff, artifacts) = (Some(hidden), Vec::new());
    let expires_at = at(9);
    vec![
        TaskRecord::Progressed {
            agent: agent.clone(),
            message: message.to_owned(),
            phase: None,
            percent: Some(40),
            diff: diff.clone(),
            artifacts: artifacts.clone(),
            evidence: evidence.clone(),
            expires_at,
        },
        TaskRecord::Completed {
            agent: agent.clone(),
            message: kept.clone(),
            diff: diff.clone(),
            artifacts: artifacts.clone(),
            evidence: evidence.clone(),
            posted_to: None,
        },
        TaskRecord::Blocked {
            agent: agent.clone(),
            reason: "which one?".to_owned(),
            question: None,
            message: kept.clone(),
            diff,
            artifacts: artifacts.clone(),
            evidence,
        },
        TaskRecord::Submitted { agent, message: kept, diff: None, artifacts },
        TaskRecord::Remarked { comment: comment(message), posted_to: None },
        TaskRecord::Cancelled { reason: Some(message.to_owned()) },
    ]
}

const SECRET: &str = "hunter2";

fn event_of(record: TaskRecord) -> serde_json::Value {
    let kept = Append::new(at(1), by(), vec![task_entry(1, record)]).into_kept(Seq(1)).remove(0);
    serde_json::to_value(Event::of(&kept)).unwrap()
}

fn told(event: &serde_json::Value) -> &str {
    let texts = ["message", "text", "reason"].map(|name| event["data"][name].as_str());
    texts.into_iter().flatten().next().unwrap_or_else(|| panic!("{event}"))
}

#[test]
fn the_texts_of_tasks_diffs_and_evidence_stay_inside() {
    let mut secret = spec(1);
    secret.prompt = SECRET.to_owned();
    secret.spec = Some(SECRET.to_owned());
    secret.context = Some(serde_json::json!({ "password": SECRET }));
    for record in reports("done").into_iter().chain([created(secret)]) {
        let event = event_of(record).to_string();
        assert!(!event.contains(SECRET), "{event}");
    }
}

#[test]
fn a_report_is_told_whole_with_its_line_breaks() {
    let long = format!("{}\nand more", "x".repeat(265));
    for record in reports(&long) {
        let event = event_of(record);
        assert_eq!(told(&event), long, "{event}");
    }
}

#[test]
fn a_very_long_report_is_cut_where_one_sees_it_with_its_length() {
    let long = "ü".repeat(KeptText::INLINE_LIMIT);
    for record in reports(&long) {
        let event = event_of(record);
        let bytes = long.len();
        let mark = format!("\n[{} of {bytes} bytes are shown here]", KeptText::INLINE_LIMIT);
        assert!(told(&event).ends_with(&mark), "{event}");
        assert!(event.to_string().contains(&format!("Bytes\":{bytes}")), "{event}");
    }
    let stored = KeptText::Stored {
        blob: blob_id(1),
        head: "so".to_owned(),
        bytes: 99_000,
        digest: String::new(),
        sanitized: None,
    };
    let agent = agent_id("fullstack-1");
    let event = event_of(TaskRecord::Submitted { agent, message: stored, diff: None, artifacts: Vec::new() });
    assert_eq!(told(&event), "so\n[2 of 99000 bytes are shown here]");
}
