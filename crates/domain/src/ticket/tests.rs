//! The tickets, step by step.

use serde_json::json;

use super::*;

const DAY: u64 = 24 * 60 * 60 * 1000;

fn id(number: usize) -> TicketId {
    TicketId::parse(&format!("h_{number:08}")).expect("a ticket's id")
}

fn owner(name: &str) -> PrincipalId {
    PrincipalId::parse(name).expect("a principal")
}

fn wait() -> TicketCall {
    TicketCall { verb: "wait_for_prompt".to_owned(), arguments: json!({}), alone: true }
}

fn watch(task: usize) -> TicketCall {
    TicketCall { verb: "wait_for_task".to_owned(), arguments: json!({ "taskId": task }), alone: false }
}

/// Does it, and holds the promises; the ticket that it was about.
fn does(book: &mut TicketBook, at: u64, command: &TicketCommand) -> Result<Option<TicketId>, TicketRefusal> {
    let before = book.clone();
    let decision = book.decide(Timestamp(at), command)?;
    assert_eq!(*book, before, "deciding changes nothing");
    decision.records.iter().for_each(|record| book.apply(record));
    assert_eq!(h1_one_answer(&before, book), Ok(()));
    assert_eq!(h2_owners_few(book), Ok(()));
    Ok(decision.about)
}

fn issue(number: usize, owner: &str, call: TicketCall) -> TicketCommand {
    TicketCommand::Issue { id: id(number), owner: self::owner(owner), call }
}

fn state(book: &TicketBook, number: usize) -> Option<TicketState> {
    book.get(&id(number)).map(|ticket| ticket.state)
}

#[test]
fn a_ticket_is_answered_once_and_not_after_it_was_cancelled() {
    let mut book = TicketBook::default();
    does(&mut book, 1, &issue(1, "agent:a", watch(1))).expect("a ticket");
    does(&mut book, 1, &issue(2, "agent:a", watch(2))).expect("a ticket");
    does(&mut book, 2, &TicketCommand::Answer(id(1))).expect("its answer");
    does(&mut book, 2, &TicketCommand::Cancel(id(2))).expect("its end");
    for number in [1, 2, 3] {
        let not_open = Err(TicketRefusal::NotOpen { id: id(number) });
        for command in [TicketCommand::Answer(id(number)), TicketCommand::Cancel(id(number))] {
            assert_eq!(does(&mut book, 3, &command), not_open);
        }
        assert_eq!(does(&mut book, 3, &TicketCommand::Keep(id(number))), not_open);
    }
    assert_eq!((state(&book, 1), state(&book, 2)), (Some(TicketState::Answered), Some(TicketState::Cancelled)));
}

#[test]
fn who_asks_the_same_again_has_the_same_ticket_and_only_its_own() {
    let mut book = TicketBook::default();
    assert_eq!(does(&mut book, 1, &issue(1, "agent:a", watch(7))), Ok(Some(id(1))));
    assert_eq!(does(&mut book, 2, &issue(2, "agent:a", watch(7))), Ok(Some(id(1))));
    assert_eq!(does(&mut book, 2, &issue(3, "agent:a", watch(8))), Ok(Some(id(3))));
    assert_eq!(does(&mut book, 2, &issue(4, "agent:b", watch(7))), Ok(Some(id(4))));
    does(&mut book, 3, &TicketCommand::Answer(id(1))).expect("its answer");
    assert_eq!(does(&mut book, 4, &issue(5, "agent:a", watch(7))), Ok(Some(id(5))), "the first has its answer");
}

#[test]
fn a_newer_wait_for_work_ends_the_one_before_and_nobody_elses() {
    let mut book = TicketBook::default();
    does(&mut book, 1, &issue(1, "agent:a", wait())).expect("a ticket");
    does(&mut book, 1, &issue(2, "agent:b", wait())).expect("a ticket");
    does(&mut book, 1, &issue(3, "agent:a", watch(1))).expect("a ticket");
    assert_eq!(does(&mut book, 2, &issue(4, "agent:a", wait())), Ok(Some(id(4))));
    let states = [1, 2, 3, 4].map(|number| state(&book, number));
    let open = Some(TicketState::Open);
    assert_eq!(states, [Some(TicketState::Cancelled), open, open, open]);
}

#[test]
fn a_ticket_that_is_asked_for_has_no_end_and_one_that_is_not_has() {
    let mut book = TicketBook::default();
    does(&mut book, 0, &issue(1, "agent:a", wait())).expect("a ticket");
    does(&mut book, 0, &issue(2, "agent:a", watch(1))).expect("a ticket");
    let soon = book.decide(Timestamp(DAY / 4), &TicketCommand::Keep(id(1))).expect("it is open");
    assert_eq!(soon.records, [], "it is kept for long enough already");
    for half_days in 1..10 {
        let now = half_days * DAY / 2;
        does(&mut book, now, &TicketCommand::Keep(id(1))).expect("it is open");
        does(&mut book, now, &TicketCommand::Tick).expect("a tick");
    }
    assert_eq!((state(&book, 1), state(&book, 2)), (Some(TicketState::Open), None));
    assert_eq!(book.next_deadline().map(|deadline| deadline.at), Some(Timestamp(9 * DAY / 2 + DAY)));
    does(&mut book, 9 * DAY / 2 + DAY - 1, &TicketCommand::Tick).expect("a tick");
    assert_eq!(state(&book, 1), Some(TicketState::Open), "nothing is due yet");
    does(&mut book, 9 * DAY / 2 + DAY, &TicketCommand::Tick).expect("a tick");
    assert_eq!((state(&book, 1), book.next_deadline()), (None, None));
}

#[test]
fn nobody_has_more_than_so_many_open_and_what_ended_makes_room_oldest_first() {
    let mut book = TicketBook::default();
    for number in 0..OPEN {
        does(&mut book, 1, &issue(number, "agent:a", watch(number))).expect("a ticket");
    }
    let more = issue(OPEN, "agent:a", watch(OPEN));
    assert_eq!(does(&mut book, 1, &more), Err(TicketRefusal::TooMany { owner: owner("agent:a") }));
    does(&mut book, 1, &issue(OPEN + 1, "agent:b", watch(1))).expect("another's");
    for number in 0..OPEN {
        does(&mut book, 2, &TicketCommand::Answer(id(number))).expect("its answer");
    }
    for number in 1000..1000 + ENDED {
        let at = u64::try_from(number).expect("a number");
        does(&mut book, at, &issue(number, "agent:a", watch(number))).expect("a ticket");
        does(&mut book, at, &TicketCommand::Cancel(id(number))).expect("its end");
    }
    let ended = book.all().filter(|ticket| ticket.owner == owner("agent:a")).count();
    assert!(ended <= ENDED + 1, "{ended}");
    assert_eq!((state(&book, 0), state(&book, 1000)), (None, Some(TicketState::Cancelled)));
}

#[test]
fn a_ticket_that_changes_after_its_end_or_becomes_another_owners_is_seen() {
    let mut book = TicketBook::default();
    does(&mut book, 1, &issue(1, "agent:a", watch(1))).expect("a ticket");
    let open = book.get(&id(1)).expect("a ticket").clone();
    let ended = Ticket { state: TicketState::Answered, ..open.clone() };
    let became = |before: &Ticket, after: Ticket| {
        h1_one_answer(&TicketBook::of(vec![before.clone()]), &TicketBook::of(vec![after]))
    };
    assert_eq!(became(&open, ended.clone()), Ok(()));
    for broken in [
        became(&open, Ticket { owner: owner("agent:b"), ..open.clone() }),
        became(&open, Ticket { call: watch(2), ..open.clone() }),
        became(&ended, Ticket { state: TicketState::Cancelled, ..ended.clone() }),
        became(&ended, open.clone()),
    ] {
        assert_eq!(broken.map_err(|broken| broken.name), Err("H1 one-answer"));
    }
}

#[test]
fn an_owner_of_too_many_and_an_agent_that_waits_twice_are_seen() {
    let mut book = TicketBook::default();
    does(&mut book, 1, &issue(0, "agent:a", watch(1))).expect("a ticket");
    let one = book.get(&id(0)).expect("a ticket").clone();
    let of = |count: usize, state: TicketState, call: &TicketCall| {
        let ticket = |number| Ticket { id: id(number), state, call: call.clone(), ..one.clone() };
        h2_owners_few(&TicketBook::of((0..count).map(ticket).collect())).map_err(|broken| broken.name)
    };
    let broken = Err("H2 owners-few");
    assert_eq!(of(OPEN, TicketState::Open, &watch(1)), Ok(()));
    assert_eq!(of(OPEN + 1, TicketState::Open, &watch(1)), broken);
    assert_eq!(of(ENDED + OPEN, TicketState::Answered, &watch(1)), Ok(()));
    assert_eq!(of(ENDED + OPEN + 1, TicketState::Answered, &watch(1)), broken);
    assert_eq!(of(1, TicketState::Open, &wait()), Ok(()));
    assert_eq!(of(2, TicketState::Open, &wait()), broken);
}
