//! What `on_call` does, tried.

use super::*;
use crate::task::Usd;

#[test]
fn a_message_reads_as_it_was_written() {
    let run = RunId::parse("run_01abcdef").unwrap();
    let usage = Usage { input_tokens: Some(3), cost_usd: Usd::of(0.25), ..Usage::default() };
    let ended = Ended {
        run,
        process: 1,
        reason: RunEnd::NoReport,
        exit: Some(0),
        tail: None,
        usage: Some(usage),
        limited: None,
    };
    let sent = Numbered { number: 7, message: FromHost::Ended(ended) };
    let text = serde_json::to_string(&sent).unwrap();
    assert_eq!(serde_json::from_str::<Numbered>(&text).unwrap(), sent);
    assert!(text.contains(r#""type":"ended","run":"run_01abcdef","process":1,"reason":"no_report""#), "{text}");
    assert!(text.contains(r#""outputTokens":null"#), "unknown is no number: {text}");
    assert!(text.contains(r#""costUsd":0.25"#), "{text}");
}

#[test]
fn an_older_end_may_leave_fields_out() {
    let text = r#"{"type":"welcome","slots":["fs-1"],"linger":60000,"silence":600000}"#;
    let welcome = serde_json::from_str::<ToHost>(text).unwrap();
    let ToHost::Welcome { slots, linger, runs, .. } = welcome else { panic!("{welcome:?}") };
    assert_eq!((slots.len(), linger, runs.len()), (1, Duration::from_secs(60), 0));
    let text = r#"{"type":"ended","run":"run_01abcdef","process":1,"reason":"killed"}"#;
    let FromHost::Ended(ended) = serde_json::from_str(text).unwrap() else { panic!("it ended") };
    assert_eq!((ended.exit, ended.usage), (None, None));
}

#[test]
fn sums_of_a_conversation_are_taken_apart() {
    let tokens = |input, output| Usage { input_tokens: input, output_tokens: output, ..Usage::default() };
    assert_eq!(tokens(Some(30), Some(5)).since(&tokens(Some(10), None)), tokens(Some(20), Some(5)));
    assert_eq!(tokens(None, Some(5)).since(&tokens(Some(10), Some(9))), tokens(None, Some(5)), "5 is no sum with 9");
}

#[test]
fn what_is_no_money_is_none() {
    for dollars in [-0.01, f64::NAN, f64::INFINITY, 1e12] {
        assert_eq!(Usd::of(dollars), None, "{dollars}");
    }
    assert_eq!(Usd::of(0.1 + 0.2), Some(Usd(300_000)));
}

#[test]
fn a_token_is_not_shown() {
    assert_eq!(format!("{:?}", RunToken("cb_r_1".to_owned())), "RunToken([secret])");
}

#[test]
fn a_slot_says_how_it_stands_and_why_it_takes_nothing() {
    let run = || RunId::parse("run_01abcdef").unwrap();
    let now = Timestamp(1_800_000_000_000);
    let paused = SlotState::Paused { until: now, reason: RunEnd::Crashed };
    let cases = [
        (SlotState::Away, None, "away", Some("has not said")),
        (SlotState::Free, None, "free", None),
        (SlotState::Free, Some(now), "limited", Some("at its limit")),
        (SlotState::Working { run: run() }, None, "working", None),
        (SlotState::Waiting { run: run() }, None, "waiting", Some("waits for an answer")),
        (paused, None, "paused", Some("pauses it until")),
    ];
    for (slot, limited_until, state, why) in cases {
        let (agent_id, client, host) = ("fs-1".to_owned(), "codex".to_owned(), "here".to_owned());
        let view = SlotView { agent_id, client, host, account: None, limited_until, slot };
        assert_eq!((view.state(), view.is_free()), (state, state == "free"));
        assert!(SlotView::STATES.contains(&state));
        let said = view.why_not(now);
        assert_eq!(said.as_deref().map(|said| why.is_some_and(|why| said.contains(why))), why.map(|_| true));
    }
}
