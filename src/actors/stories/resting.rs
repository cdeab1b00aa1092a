//! A terminal that was left alone lies on disk alone; whoever wants something of it notices nothing of that.

use std::time::Duration;

use serde_json::Value;

use super::hub::{Hub, Player};
use crate::actors::terminal::{Output, PretendHost, TerminalRef, Transcript};
use crate::domain::ids::{PrincipalId, SessionId};
use crate::domain::prompt::PromptKind;
use crate::domain::terminal::TerminalKind;
use crate::terminal::TerminalSize;

const MS: Duration = Duration::from_millis(1);
/// Longer than `monitor.restAfter`.
const LONG: Duration = Duration::from_secs(11 * 60);

async fn session_of(agent: &Player) -> SessionId {
    agent.line.show().await.unwrap().agent.registration.unwrap().session
}

async fn terminal_of(hub: &Hub, agent: &Player) -> TerminalRef {
    let owner = PrincipalId::parse("agent:fullstack-1").unwrap();
    let opened = hub.hub.session_terminal(&session_of(agent).await, &owner, TerminalKind::Hosted).await;
    opened.unwrap().unwrap()
}

async fn prints(terminal: &TerminalRef, text: &str) {
    terminal.print(Output::of(text)).await.unwrap();
}

/// What it shows of its memory: whether it rests, and how many bytes its history takes.
async fn rests(terminal: &TerminalRef) -> (bool, u64) {
    let detail = terminal.actor_view().await.unwrap().detail;
    (detail["rests"] == Value::Bool(true), detail["historyBytes"].as_u64().unwrap())
}

/// It is left alone until it rests.
async fn is_left_alone(terminal: &TerminalRef) {
    tokio::time::sleep(LONG).await;
    assert_eq!(rests(terminal).await, (true, 0));
}

#[tokio::test(start_paused = true)]
async fn what_was_left_alone_gives_its_memory_back_and_has_all_of_it_when_it_is_asked() {
    let hub = Hub::new().await;
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    let terminal = terminal_of(&hub, &agent).await;
    let size = Some(TerminalSize::new(30, 90));
    terminal.print(Output { size, ..Output::of("first of all\r\n") }).await.unwrap();
    let lines: String = (0..12_000).map(|line| format!("\x1b[3{}mline {line}\x1b[0m of ß\r\n", line % 8)).collect();
    prints(&terminal, &lines).await;
    prints(&terminal, "Delete 3 tables? (yes/no): ").await;
    tokio::time::sleep(2_000 * MS).await;
    let known = async |terminal: &TerminalRef| -> (Transcript, _, _, _) {
        let read = terminal.read(None, usize::MAX).await.unwrap();
        let view = terminal.view().await.unwrap();
        (terminal.transcript().await.unwrap(), read, view, terminal.detect().await.unwrap())
    };
    let before = known(&terminal).await;
    assert!(rests(&terminal).await.1 > 150_000 && before.0.text.lines().count() > 10_000);
    is_left_alone(&terminal).await;
    assert_eq!(terminal.view().await.unwrap(), before.2, "a view needs no screen");
    assert!(rests(&terminal).await.0);
    assert_eq!(known(&terminal).await, before);
    assert!(!rests(&terminal).await.0);
    is_left_alone(&terminal).await;
    prints(&terminal, "no\r\nkept\r\n").await;
    let after = known(&terminal).await.0;
    assert_eq!(after.file_position, before.0.file_position + 10);
    let tail = "line 11999 of ß\nDelete 3 tables? (yes/no): no\nkept";
    assert!(after.text.ends_with(tail), "{:?}", &after.text[after.text.len() - 200..]);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_more_and_who_orders_an_answer_find_it_there() {
    let hub = Hub::new().await;
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    let terminal = terminal_of(&hub, &agent).await;
    PretendHost::types(&terminal).await;
    PretendHost::asks(&terminal, "Name: ").await;
    let end = terminal.view().await.unwrap().file_position;
    let wakes = async {
        is_left_alone(&terminal).await;
        let seen = terminal.detect().await.unwrap().unwrap();
        assert!(seen.safe_to_type && seen.prompt_text == "Name:", "its host still says what it said: {seen:?}");
        is_left_alone(&terminal).await;
        prints(&terminal, "bob\r\n").await;
    };
    let (more, ()) = tokio::join!(terminal.grown(end), wakes);
    more.unwrap();
    assert_eq!(terminal.read(Some(end), usize::MAX).await.unwrap().text, "bob\n");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_program_that_took_the_whole_screen_finds_the_one_below_it_again() {
    let hub = Hub::new().await;
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    let terminal = terminal_of(&hub, &agent).await;
    let lines: String = (0..100).map(|line| format!("line {line}\r\n")).collect();
    prints(&terminal, &lines).await;
    prints(&terminal, "\x1b[?1049hall of it").await;
    is_left_alone(&terminal).await;
    prints(&terminal, "\x1b[?1049l$ ").await;
    let text = terminal.transcript().await.unwrap().text;
    assert!(text.starts_with("line 0\nline 1\n") && text.ends_with("line 98\nline 99\n$ "), "{text}");
    // As package managers do: the last row is theirs, the others scroll.
    prints(&terminal, "\x1b[2J\x1b[1;3r\x1b[24;1Hprogress\x1b[1;1H").await;
    is_left_alone(&terminal).await;
    prints(&terminal, "a\r\nb\r\nc\r\nd").await;
    let screen = terminal.transcript().await.unwrap();
    let rows: Vec<&str> = screen.text.lines().collect();
    assert_eq!(rows[rows.len() - 24..][..3], ["b", "c", "d"], "{:?}", screen.text);
    assert_eq!(rows.last(), Some(&"progress"));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_is_typed_after_a_rest_is_taken_out_all_the_same() {
    let hub = Hub::new().await;
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    let terminal = terminal_of(&hub, &agent).await;
    prints(&terminal, "Password: ").await;
    is_left_alone(&terminal).await;
    prints(&terminal, "hunt").await;
    is_left_alone(&terminal).await;
    prints(&terminal, "er2\r\nwelcome\r\n").await;
    let transcript = terminal.transcript().await.unwrap();
    assert!(transcript.text.contains("welcome"), "{}", transcript.text);
    let told = format!("{transcript:?} {:?}", terminal.read(None, usize::MAX).await.unwrap());
    assert!(!told.contains("hunt") && !told.contains("er2"), "{told}");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_was_let_go_of_meanwhile_is_gone_and_the_terminal_goes_on() {
    let hub = Hub::new().await;
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    let terminal = terminal_of(&hub, &agent).await;
    prints(&terminal, "long ago\r\n").await;
    is_left_alone(&terminal).await;
    let cleaned = hub.hub.shelf.clean(hub.hub.clock.now(), crate::transcripts::Whose::All, false).await.unwrap();
    assert_eq!(cleaned.terminals.len(), 1);
    prints(&terminal, "Password: ").await;
    assert_eq!(terminal.transcript().await.unwrap().text.trim(), "Password:");
    assert_eq!(terminal.detect().await.unwrap().unwrap().prompt_type, PromptKind::Password);
    hub.ends().await;
}
