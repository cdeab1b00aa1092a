//! Terminals: a prompt is told once, in time, to whoever has to answer it; over a crash, too.

use std::time::Duration;

use super::hub::{Hub, Player};
use crate::actors::noticeboard::{Event, Posted, Subscription};
use crate::actors::terminal::{Arrival, Output, PretendHost, TerminalRef};
use crate::domain::ids::{PrincipalId, SessionId};
use crate::domain::inbox::InboxKind;
use crate::domain::prompt::{Host, Reader};
use crate::domain::terminal::TerminalKind;
use crate::journal::EventFilter;

const MS: Duration = Duration::from_millis(1);

async fn session_of(agent: &Player) -> SessionId {
    agent.line.show().await.unwrap().agent.registration.unwrap().session
}

/// An agent, its terminal, and what is told of it.
async fn watched(hub: &Hub) -> (Player, TerminalRef, Subscription) {
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    let terminal = terminal_of(hub, &agent).await;
    let types = ["session.input_prompt_detected", "session.input_prompt_gone"].map(str::to_owned).to_vec();
    let filter = EventFilter { types, ..EventFilter::default() };
    let told = hub.hub.noticeboard.subscribe(filter, None).await.unwrap();
    (agent, terminal, told)
}

async fn terminal_of(hub: &Hub, agent: &Player) -> TerminalRef {
    let owner = PrincipalId::parse("agent:fullstack-1").unwrap();
    let opened = hub.hub.session_terminal(&session_of(agent).await, &owner, TerminalKind::Pushed).await;
    opened.unwrap().unwrap()
}

async fn prints(terminal: &TerminalRef, text: &str) {
    terminal.print(Output::of(text)).await.unwrap();
}

/// What is told within this time, and how long that took.
async fn told_within(told: &mut Subscription, time: Duration) -> Option<(Event, Duration)> {
    let began = tokio::time::Instant::now();
    match tokio::time::timeout(time, told.next()).await {
        Ok(Some(Posted::Event(event))) => Some(((*event).clone(), began.elapsed())),
        Ok(Some(Posted::Gap { .. }) | None) | Err(_) => None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_prompt_is_told_once_within_a_quarter_of_a_second_and_so_is_its_end() {
    let hub = Hub::new().await;
    let (agent, terminal, mut told) = watched(&hub).await;
    for (printed, kind) in [("Password: ", "password"), ("\r\nEnter your name: ", "text"), ("bob\r\n$ ", "command")] {
        prints(&terminal, printed).await;
        let mut events = Vec::new();
        while let Some((event, took)) = told_within(&mut told, 2_000 * MS).await {
            assert!(took <= 250 * MS, "{} took {took:?}", event.kind);
            events.push(event);
        }
        let detected = events.last().unwrap();
        assert_eq!(detected.kind, "session.input_prompt_detected", "{printed}");
        assert_eq!(detected.data["prompt"]["prompt_type"], kind, "{printed}");
        assert_eq!(detected.subject.session, Some(session_of(&agent).await));
        assert_eq!(detected.subject.agent.as_ref(), Some(&agent.id));
        let before = if kind == "password" { 0 } else { 1 };
        assert_eq!(events.len(), before + 1, "gone once, detected once: {events:?}");
    }
    prints(&terminal, "make\r\nCompiling a crate\r\n").await;
    let (gone, _) = told_within(&mut told, 250 * MS).await.unwrap();
    assert_eq!((gone.kind.as_str(), &gone.data["promptText"]), ("session.input_prompt_gone", &"$".into()));
    assert!(told_within(&mut told, 60_000 * MS).await.is_none(), "nothing more for as long as nothing happens");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_cut_into_pieces_is_one_prompt_and_what_streams_by_is_none() {
    let hub = Hub::new().await;
    let (_agent, terminal, mut told) = watched(&hub).await;
    for piece in ["Are you ", "sure? (yes/", "no): "] {
        prints(&terminal, piece).await;
        tokio::time::sleep(5 * MS).await;
    }
    let (event, _) = told_within(&mut told, 250 * MS).await.unwrap();
    assert_eq!(event.data["prompt"]["prompt_text"], "Are you sure? (yes/no):");
    prints(&terminal, "yes\r\n").await;
    assert_eq!(told_within(&mut told, 250 * MS).await.unwrap().0.kind, "session.input_prompt_gone");
    for line in 0..200 {
        prints(&terminal, &format!("checking whether file {line} is there: ok\r\nstep {line}: ")).await;
        tokio::time::sleep(20 * MS).await;
    }
    prints(&terminal, "\r\ndone\r\n").await;
    assert!(told_within(&mut told, 5_000 * MS).await.is_none());
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn what_the_host_knows_counts_at_once() {
    let hub = Hub::new().await;
    let (_agent, terminal, mut told) = watched(&hub).await;
    let reads = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(true), destroys: false };
    prints(&terminal, "Name: ").await;
    terminal.host(reads);
    let (event, took) = told_within(&mut told, 250 * MS).await.unwrap();
    assert!(took <= 50 * MS && event.data["prompt"]["safe_to_type"] == true, "{took:?} {event:?}");
    assert_eq!(event.data["prompt"]["signals"][0], "tty_read");
    terminal.typed();
    terminal.host(Host { reader: Reader::Busy, ..reads });
    assert_eq!(told_within(&mut told, 250 * MS).await.unwrap().0.kind, "session.input_prompt_gone");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn who_is_on_the_way_from_its_question_to_the_read_does_not_take_it_back() {
    let hub = Hub::new().await;
    let (_agent, terminal, mut told) = watched(&hub).await;
    let reads = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(true), destroys: false };
    prints(&terminal, "Continue? [y/N] ").await;
    assert_eq!(told_within(&mut told, 250 * MS).await.unwrap().0.kind, "session.input_prompt_detected");
    terminal.host(Host { reader: Reader::Busy, ..reads });
    tokio::time::sleep(10 * MS).await;
    terminal.host(reads);
    assert!(told_within(&mut told, 250 * MS).await.is_none(), "it waits as before");
    terminal.host(Host { reader: Reader::Busy, ..reads });
    assert_eq!(told_within(&mut told, 50 * MS).await.unwrap().0.kind, "session.input_prompt_gone");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_prompt_needs_a_person_while_its_agent_works_and_not_while_it_waits() {
    let hub = Hub::new().await;
    let (agent, terminal, _told) = watched(&hub).await;
    prints(&terminal, "Delete 3 tables? (yes/no): ").await;
    tokio::time::sleep(300 * MS).await;
    let items = hub.hub.inbox().await.unwrap();
    let item = items.iter().find(|item| item.kind == InboxKind::InputPrompt).unwrap();
    assert_eq!((item.title.as_str(), item.dangerous), ("Delete 3 tables? (yes/no):", true));
    assert_eq!((&item.agent_id, &item.options), (&Some("fullstack-1".to_owned()), &vec!["yes".into(), "no".into()]));
    let waiting = agent.parks();
    tokio::time::sleep(10 * MS).await;
    assert!(hub.hub.inbox().await.unwrap().is_empty(), "an agent that waits is not held up by its shell");
    waiting.abort();
    prints(&terminal, "no\r\nkept\r\n").await;
    tokio::time::sleep(300 * MS).await;
    assert!(hub.hub.inbox().await.unwrap().iter().all(|item| item.kind != InboxKind::InputPrompt));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn after_a_crash_the_transcript_goes_on_and_the_prompt_is_not_told_again() {
    let hub = Hub::new().await;
    let (agent, terminal, _told) = watched(&hub).await;
    prints(&terminal, &(0..100).map(|line| format!("line {line}\n")).collect::<String>()).await;
    prints(&terminal, "Name: ").await;
    tokio::time::sleep(2_000 * MS).await;
    let before = terminal.transcript().await.unwrap();
    let hub = hub.dies_for(Duration::from_secs(60)).await;
    let terminal = terminal_of(&hub, &agent).await;
    let filter = EventFilter::default();
    let mut told = hub.hub.noticeboard.subscribe(filter, None).await.unwrap();
    tokio::time::sleep(2_000 * MS).await;
    assert!(told_within(&mut told, 2_000 * MS).await.is_none());
    assert_eq!(terminal.transcript().await.unwrap().text, before.text);
    assert_eq!(terminal.view().await.unwrap().input_prompt.unwrap().prompt_text, "Name:");
    prints(&terminal, "bob\nhello bob\n").await;
    assert_eq!(told_within(&mut told, 2_000 * MS).await.unwrap().0.kind, "session.input_prompt_gone");
    let after = terminal.transcript().await.unwrap();
    assert!(after.text.contains("line 99\nName: bob\nhello bob"), "{}", after.text);
    assert_eq!(after.file_position, before.file_position + 14);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_terminal_that_is_built_anew_shows_what_it_showed() {
    let hub = Hub::new().await;
    let (_agent, terminal, mut told) = watched(&hub).await;
    prints(&terminal, "one\ntwo\nPassword: ").await;
    let (detected, _) = told_within(&mut told, 250 * MS).await.unwrap();
    tokio::time::sleep(2_000 * MS).await;
    let name = format!("terminal:{}", detected.subject.session.unwrap());
    hub.hub.supervisor.restart(&name).await.unwrap().unwrap();
    tokio::time::sleep(2_000 * MS).await;
    assert!(terminal.transcript().await.unwrap().text.contains("one\ntwo\nPassword:"));
    assert!(told_within(&mut told, 1_000 * MS).await.is_none(), "it is the same prompt");
    let actor_view = hub.hub.supervisor.actor_view(&name).await.unwrap().unwrap();
    assert_eq!((actor_view.state.as_str(), actor_view.restarts.count), ("waits: password", 1));
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_fails_delays_a_prompt_and_loses_none() {
    let hub = Hub::new().await;
    let (_agent, terminal, mut told) = watched(&hub).await;
    hub.faults.break_down("the disk is gone");
    prints(&terminal, "Password: ").await;
    tokio::time::sleep(3_000 * MS).await;
    assert_eq!(terminal.view().await.unwrap().input_prompt, None, "nothing is shown that is not on disk");
    hub.faults.mend();
    let (event, took) = told_within(&mut told, 5_000 * MS).await.unwrap();
    assert!(event.kind == "session.input_prompt_detected" && took <= 2_000 * MS, "{took:?}");
    hub.ends().await;
}

/// Whether this host gets the terminal, by this connection.
async fn comes(terminal: &TerminalRef, host: &str, connection: &str) -> bool {
    let arrival = Arrival { connection: connection.to_owned(), ..PretendHost::arrives(host, None, None) };
    terminal.hosted(arrival).await.unwrap()
}

/// A prompt of a hosted program is told, and its host is lost.
async fn lost(hub: &Hub) -> (TerminalRef, Subscription) {
    let (_, terminal, mut told) = watched(hub).await;
    assert!(comes(&terminal, "host", "one").await);
    PretendHost::asks(&terminal, "Go on? (yes/no) ").await;
    assert_eq!(told_within(&mut told, 250 * MS).await.unwrap().0.kind, "session.input_prompt_detected");
    terminal.host_left("one".to_owned(), false);
    (terminal, told)
}

#[tokio::test(start_paused = true)]
async fn a_prompt_whose_host_is_lost_and_does_not_come_back_is_gone_after_a_minute() {
    let hub = Hub::new().await;
    let (_terminal, mut told) = lost(&hub).await;
    let (gone, took) = told_within(&mut told, 120_000 * MS).await.unwrap();
    assert_eq!((gone.kind.as_str(), took.as_secs()), ("session.input_prompt_gone", 60));
    let inbox = hub.hub.terminal_views(|_| true).await.unwrap();
    assert!(inbox.iter().all(|view| view.input_prompt.is_none()), "{inbox:?}");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_comes_back_by_another_connection_keeps_its_prompt() {
    let hub = Hub::new().await;
    let (terminal, mut told) = lost(&hub).await;
    assert!(comes(&terminal, "host", "two").await);
    // The end of the first connection is heard late.
    terminal.host_left("one".to_owned(), false);
    assert!(told_within(&mut told, 120_000 * MS).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_prompt_whose_host_does_not_come_back_after_a_crash_of_the_hub_is_gone() {
    let hub = Hub::new().await;
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    let owner = PrincipalId::parse("agent:fullstack-1").unwrap();
    let session = session_of(&agent).await;
    let terminal = hub.hub.session_terminal(&session, &owner, TerminalKind::Hosted).await.unwrap().unwrap();
    PretendHost::asks(&terminal, "Go on? (yes/no) ").await;
    tokio::time::sleep(3_000 * MS).await;
    let hub = hub.dies_for(3_000 * MS).await;
    let shown = async || hub.hub.terminal_views(|_| true).await.unwrap().iter().any(|view| view.input_prompt.is_some());
    assert!(shown().await, "it comes back with its prompt");
    tokio::time::sleep(59_000 * MS).await;
    assert!(shown().await);
    tokio::time::sleep(2_000 * MS).await;
    assert!(!shown().await);
}

#[tokio::test(start_paused = true)]
async fn who_waited_for_another_host_lets_it_come_back_first() {
    let hub = Hub::new().await;
    let (terminal, _told) = lost(&hub).await;
    let waiting = || Arrival { waited: true, ..PretendHost::arrives("second", None, None) };
    assert!(!terminal.hosted(waiting()).await.unwrap(), "the first is looked for");
    assert!(comes(&terminal, "host", "two").await);
    terminal.host_left("two".to_owned(), false);
    tokio::time::sleep(61_000 * MS).await;
    assert!(terminal.hosted(waiting()).await.unwrap(), "it did not come back");
}

#[tokio::test(start_paused = true)]
async fn a_terminal_has_one_host_at_a_time() {
    let hub = Hub::new().await;
    let (_, terminal, mut told) = watched(&hub).await;
    assert!(comes(&terminal, "first", "one").await);
    PretendHost::asks(&terminal, "Go on? (yes/no) ").await;
    assert_eq!(told_within(&mut told, 250 * MS).await.unwrap().0.kind, "session.input_prompt_detected");
    assert!(!comes(&terminal, "second", "two").await);
    assert!(told_within(&mut told, 2_000 * MS).await.is_none(), "the prompt of the first stays");
    assert!(comes(&terminal, "first", "three").await, "it may come back before its end was heard");
    terminal.host_left("one".to_owned(), false);
    assert!(!comes(&terminal, "second", "four").await, "an old connection ends, and the host is there");
    terminal.host_left("three".to_owned(), true);
    assert!(comes(&terminal, "second", "five").await, "the first has ended");
    terminal.host_left("five".to_owned(), false);
    assert!(comes(&terminal, "third", "six").await, "nobody waits for a host that may never come");
}

/// Whether something stands under "Needs you".
async fn needs_somebody(hub: &Hub) -> bool {
    hub.hub.inbox().await.unwrap().iter().any(|item| item.kind == InboxKind::InputPrompt)
}

#[tokio::test(start_paused = true)]
async fn a_prompt_of_a_hosted_terminal_needs_somebody_also_when_its_agent_is_not_heard_of() {
    let hub = Hub::new().await;
    let (_, terminal, _) = watched(&hub).await;
    assert!(comes(&terminal, "host", "one").await);
    PretendHost::asks(&terminal, "Go on? (yes/no) ").await;
    tokio::time::sleep(3_000 * MS).await;
    assert!(needs_somebody(&hub).await);
    let hub = hub.dies_for(3_000 * MS).await;
    assert!(needs_somebody(&hub).await, "a hub that began anew has heard of nobody");
    let opened = hub.hub.supervisor.terminals().await.unwrap();
    assert!(comes(&opened[0], "host", "two").await);
    tokio::time::sleep(3_600_000 * MS).await;
    assert!(needs_somebody(&hub).await, "the agent makes no calls while it stands there");
    PretendHost::asks(&opened[0], "no\r\n$ ").await;
    tokio::time::sleep(3_000 * MS).await;
    assert!(!needs_somebody(&hub).await, "a shell holds nobody up");
    opened[0].host_left("two".to_owned(), true);
    hub.ends().await;
}
