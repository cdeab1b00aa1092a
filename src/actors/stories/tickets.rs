//! Tickets on stopped time: how long they live, what ends them, and what a crash, a disk and a crowd leave of them.

use std::time::Duration;

use serde_json::json;

use super::hub::Hub;
use crate::actors::common::Fault;
use crate::actors::tickets::TicketWatch;
use crate::domain::ids::{PrincipalId, TicketId};
use crate::domain::principal::{By, Surface};
use crate::domain::ticket::{ENDED, KEPT, OPEN, Ticket, TicketCall, TicketState};

/// A moment, as far as a deadline is concerned.
const MOMENT: Duration = Duration::from_secs(2);

fn owner(name: &str) -> PrincipalId {
    PrincipalId::parse(&format!("agent:{name}")).expect("a principal")
}

fn by(name: &str) -> By {
    By { principal: owner(name), surface: Surface::Agent }
}

fn waits_for(task: usize) -> TicketCall {
    TicketCall { verb: "wait_for_task".to_owned(), arguments: json!({ "taskId": task }), alone: false }
}

fn waits_for_work() -> TicketCall {
    TicketCall { verb: "wait_for_prompt".to_owned(), arguments: json!({}), alone: true }
}

impl Hub {
    async fn issues(&self, who: &str, call: TicketCall) -> Option<Ticket> {
        self.hub.tickets.issue(owner(who), call, by(who), None).await.expect("the tickets are there")
    }

    async fn is_asked(&self, who: &str, ticket: &Ticket) -> Option<TicketWatch> {
        self.hub.tickets.ask(ticket.id.clone(), owner(who)).await.expect("the tickets are there")
    }

    async fn state_of(&self, who: &str, ticket: &Ticket) -> Option<TicketState> {
        self.is_asked(who, ticket).await.map(|asked| asked.ticket.state)
    }

    async fn answers(&self, who: &str, ticket: &Ticket, answer: &str) -> Result<Option<Ticket>, Fault> {
        self.hub.tickets.answer(ticket.id.clone(), answer.to_owned(), by(who), None).await
    }

    async fn calls_off(&self, who: &str, ticket: &Ticket) -> bool {
        let called = self.hub.tickets.cancel(ticket.id.clone(), owner(who), by(who), None).await;
        called.expect("the tickets are there")
    }

    async fn answer_of(&self, ticket: &Ticket) -> Option<String> {
        let id: TicketId = ticket.id.clone();
        self.hub.journal.read(move |reader| reader.ticket_answer(&id)).await.expect("the journal is there")
    }
}

#[tokio::test(start_paused = true)]
async fn a_ticket_lives_for_as_long_as_it_is_asked_for_and_a_day_more() {
    let hub = Hub::new().await;
    let asked_for = hub.issues("a1", waits_for(1)).await.expect("a ticket");
    let forgotten = hub.issues("a1", waits_for(2)).await.expect("a ticket");
    let other = hub.issues("a1", waits_for(3)).await.expect("a ticket");
    assert!(hub.calls_off("a1", &other).await);
    for _ in 0..3 {
        tokio::time::sleep(KEPT * 2 / 3).await;
        assert_eq!(hub.state_of("a1", &asked_for).await, Some(TicketState::Open));
    }
    assert_eq!(hub.state_of("a1", &forgotten).await, None, "nobody asked for it in a day");
    assert_eq!(hub.state_of("a1", &other).await, None, "what ended is kept for a day too");
    tokio::time::sleep(KEPT - MOMENT).await;
    let kept = hub.is_asked("a1", &asked_for).await.expect("not yet");
    tokio::time::sleep(KEPT + MOMENT).await;
    assert!(kept.ended.is_cancelled(), "whoever still asks hears that it is over");
    assert_eq!(hub.state_of("a1", &asked_for).await, None);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn whoever_asks_hears_of_a_cancel_and_no_answer_comes_after_it() {
    let hub = Hub::new().await;
    let ticket = hub.issues("a1", waits_for(1)).await.expect("a ticket");
    let asked = hub.is_asked("a1", &ticket).await.expect("it is theirs");
    assert!(!hub.calls_off("a2", &ticket).await, "to anybody else it is not there");
    assert!(hub.is_asked("a2", &ticket).await.is_none());
    assert!(!asked.ended.is_cancelled());
    assert!(hub.calls_off("a1", &ticket).await);
    assert!(asked.ended.is_cancelled());
    assert_eq!(hub.answers("a1", &ticket, "late").await, Ok(None));
    assert!(hub.calls_off("a1", &ticket).await, "twice is as good as once");
    assert_eq!(hub.state_of("a1", &ticket).await, Some(TicketState::Cancelled));
    assert_eq!(hub.answer_of(&ticket).await, None);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_newer_wait_for_work_takes_the_place_of_the_older_one_and_the_same_question_is_one() {
    let hub = Hub::new().await;
    let first = hub.issues("a1", waits_for_work()).await.expect("a ticket");
    let asked = hub.is_asked("a1", &first).await.expect("it is theirs");
    let second = hub.issues("a1", waits_for_work()).await.expect("a ticket");
    assert!(asked.ended.is_cancelled());
    assert_eq!(hub.state_of("a1", &first).await, Some(TicketState::Cancelled));
    assert_eq!(hub.state_of("a1", &second).await, Some(TicketState::Open));
    let (one, again) = (hub.issues("a1", waits_for(1)).await, hub.issues("a1", waits_for(1)).await);
    assert_eq!(one.map(|ticket| ticket.id), again.map(|ticket| ticket.id));
    // Of two who ask for one ticket the later one is the one that counts.
    let (earlier, later) = (hub.is_asked("a1", &second).await, hub.is_asked("a1", &second).await);
    for (asked, last) in [(earlier, false), (later, true)] {
        let turn = asked.expect("it is open").turn;
        assert_eq!(hub.hub.tickets.is_last(second.id.clone(), turn).await, Ok(last));
    }
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_restart_keeps_tickets_answers_and_deadlines() {
    let hub = Hub::new().await;
    let open = hub.issues("a1", waits_for(1)).await.expect("a ticket");
    let answered = hub.issues("a1", waits_for(2)).await.expect("a ticket");
    let cancelled = hub.issues("a1", waits_for(3)).await.expect("a ticket");
    let ended = hub.answers("a1", &answered, "it is so").await;
    assert!(ended.is_ok_and(|ticket| ticket.is_some_and(|ticket| ticket.state == TicketState::Answered)));
    assert!(hub.calls_off("a1", &cancelled).await);
    let hub = hub.dies_for(MOMENT).await;
    assert_eq!(hub.state_of("a1", &answered).await, Some(TicketState::Answered));
    assert_eq!(hub.answer_of(&answered).await.as_deref(), Some("it is so"));
    assert_eq!(hub.answers("a1", &answered, "it is otherwise").await, Ok(None), "the first answer stays");
    assert_eq!(hub.state_of("a1", &cancelled).await, Some(TicketState::Cancelled));
    assert_eq!(hub.state_of("a1", &open).await, Some(TicketState::Open));
    // What fell due while no hub was there falls due at once.
    let hub = hub.rests_for(KEPT + MOMENT).await;
    tokio::time::sleep(MOMENT).await;
    for ticket in [&open, &answered, &cancelled] {
        assert_eq!(hub.state_of("a1", ticket).await, None);
    }
    assert_eq!(hub.answer_of(&answered).await, None, "the answer goes with its ticket");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn nobody_has_more_tickets_than_it_may_and_one_principals_crowd_is_its_own_affair() {
    let hub = Hub::new().await;
    let mut open = Vec::new();
    for task in 0..OPEN {
        open.push(hub.issues("a1", waits_for(task)).await.expect("there is room"));
    }
    assert_eq!(hub.issues("a1", waits_for(OPEN)).await, None);
    assert!(hub.issues("a2", waits_for(0)).await.is_some());
    assert!(hub.calls_off("a1", &open[0]).await);
    assert!(hub.issues("a1", waits_for(OPEN)).await.is_some(), "an end makes room");
    let mut first_ended = None;
    for task in 0..ENDED {
        let next = hub.issues("a2", waits_for(1_000 + task)).await.expect("there is room");
        assert!(hub.calls_off("a2", &next).await);
        tokio::time::sleep(Duration::from_millis(1)).await;
        first_ended.get_or_insert(next);
    }
    let first_ended = first_ended.expect("there is one");
    assert_eq!(hub.state_of("a2", &first_ended).await, Some(TicketState::Cancelled));
    let one_more = hub.issues("a2", waits_for(2_000)).await.expect("there is room");
    assert!(hub.calls_off("a2", &one_more).await);
    assert!(hub.issues("a2", waits_for(2_001)).await.is_some());
    assert_eq!(hub.state_of("a2", &first_ended).await, None, "the oldest that ended makes room");
    assert_eq!(hub.state_of("a1", &open[0]).await, Some(TicketState::Cancelled), "and nobody else's");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_disk_that_takes_nothing_ends_no_ticket_and_gives_none_out() {
    let hub = Hub::new().await;
    let ticket = hub.issues("a1", waits_for(1)).await.expect("a ticket");
    hub.faults.fail_next("the disk is full");
    assert!(hub.answers("a1", &ticket, "lost").await.is_err());
    assert_eq!(hub.state_of("a1", &ticket).await, Some(TicketState::Open));
    hub.faults.fail_next("the disk is full");
    let none = hub.hub.tickets.issue(owner("a1"), waits_for(2), by("a1"), None).await;
    assert!(none.is_err(), "{none:?}");
    assert!(hub.answers("a1", &ticket, "kept").await.is_ok_and(|ticket| ticket.is_some()));
    assert_eq!(hub.answer_of(&ticket).await.as_deref(), Some("kept"));
    hub.ends().await;
}
