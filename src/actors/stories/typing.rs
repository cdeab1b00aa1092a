//! An answer that somebody gives through the hub: written down with who gave it and why before the terminal's host
//! hears of it, and with what came of it afterwards.

use std::time::Duration;

use super::hub::{Hub, Player};
use crate::actors::common::Fault;
use crate::actors::noticeboard::{Event, Posted, Subscription};
use crate::actors::terminal::{HostOrder, PretendHost, TerminalRef, TypeError, TypeOrder};
use crate::domain::ids::PrincipalId;
use crate::domain::principal::{By, Surface};
use crate::domain::terminal::{InputAsk, InputOrder, NotTyped, OrderEnd, TerminalKind};
use crate::journal::{EventFilter, IdempotencyKey};

const PROMPT: &str = "Delete 3 tables? (yes/no):";

fn ada() -> PrincipalId {
    PrincipalId::parse("person:ada").unwrap()
}

fn order(id: &str, text: &str) -> TypeOrder {
    let ask = InputAsk {
        text: text.to_owned(),
        prompt_text: PROMPT.to_owned(),
        file_position: None,
        by_person: true,
        reason: "they are needed".to_owned(),
    };
    let by = By { principal: ada(), surface: Surface::Page };
    TypeOrder { ask, order_id: id.to_owned(), by, request: Some("r-7".to_owned()), key: None }
}

/// The same under the key `k`, when what is asked comes to that digest.
fn keyed(id: &str, digest: &str) -> TypeOrder {
    let key = IdempotencyKey { principal: ada(), key: "k".to_owned(), digest: digest.to_owned() };
    TypeOrder { key: Some(key), ..order(id, "no") }
}

/// A hosted terminal whose program asks, and what is told of orders.
async fn asked(hub: &Hub) -> (Player, TerminalRef, Subscription) {
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    let session = agent.line.show().await.unwrap().agent.registration.unwrap().session;
    let owner = PrincipalId::parse("agent:fullstack-1").unwrap();
    let terminal = hub.hub.session_terminal(&session, &owner, TerminalKind::Hosted).await.unwrap().unwrap();
    PretendHost::asks(&terminal, &format!("{PROMPT} ")).await;
    let types = ["ordered", "injected", "declined"].map(|end| format!("session.input_{end}")).to_vec();
    let filter = EventFilter { types, ..EventFilter::default() };
    let told = hub.hub.noticeboard.subscribe(filter, None).await.unwrap();
    (agent, terminal, told)
}

/// The next event; none when there is none for long.
async fn next(told: &mut Subscription) -> Option<Event> {
    match tokio::time::timeout(Duration::from_secs(60), told.next()).await {
        Ok(Some(Posted::Event(event))) => Some((*event).clone()),
        Ok(Some(Posted::Gap { .. }) | None) | Err(_) => None,
    }
}

type Typed = tokio::task::JoinHandle<Result<InputOrder, TypeError>>;

/// The order is given, and the host has it.
async fn given(terminal: &TerminalRef, order: TypeOrder) -> (Typed, HostOrder) {
    let (mut orders, line) = (PretendHost::hosts(terminal).await, terminal.clone());
    #[expect(clippy::disallowed_methods, reason = "whoever asks waits beside the host")]
    let typed = tokio::spawn(async move { line.type_in(order).await });
    (typed, orders.recv().await.unwrap())
}

#[tokio::test(start_paused = true)]
async fn it_is_written_down_with_who_and_why_before_the_host_hears_of_it() {
    let hub = Hub::new().await;
    let (agent, terminal, mut told) = asked(&hub).await;
    let (typed, order) = given(&terminal, order("i_1", "no")).await;
    let ordered = next(&mut told).await.unwrap();
    assert_eq!((ordered.kind.as_str(), &ordered.data["orderId"]), ("session.input_ordered", &"i_1".into()));
    assert_eq!((&ordered.actor.principal, ordered.actor.surface), (&ada(), Surface::Page));
    assert_eq!((&ordered.data["inputText"], &ordered.data["promptText"]), (&"no".into(), &PROMPT.into()));
    assert_eq!((&ordered.data["reason"], &ordered.data["byPerson"]), (&"they are needed".into(), &true.into()));
    assert_eq!((&ordered.data["dangerous"], ordered.subject.agent), (&true.into(), Some(agent.id)));
    terminal.was_ordered(order, OrderEnd::Delivered);
    assert_eq!(typed.await.unwrap().unwrap().input_text, "no");
    let injected = next(&mut told).await.unwrap();
    assert_eq!((injected.kind.as_str(), &injected.data), ("session.input_injected", &ordered.data));
    assert_eq!((&injected.actor.principal, injected.request_id.as_deref()), (&ada(), Some("r-7")));
}

#[tokio::test(start_paused = true)]
async fn a_host_that_declines_says_why_and_one_that_is_lost_leaves_it_open() {
    let hub = Hub::new().await;
    let (_, terminal, mut told) = asked(&hub).await;
    let (typed, order_1) = given(&terminal, order("i_1", "no")).await;
    terminal.was_ordered(order_1, OrderEnd::Declined("the user is typing".to_owned()));
    assert_eq!(typed.await.unwrap(), Err(NotTyped::Host("the user is typing".to_owned()).into()));
    assert_eq!(next(&mut told).await.unwrap().kind, "session.input_ordered");
    let declined = next(&mut told).await.unwrap();
    assert_eq!(
        (declined.kind.as_str(), &declined.data["reason"]),
        ("session.input_declined", &"the user is typing".into())
    );
    assert_eq!(declined.data["orderId"], "i_1");
    let (typed, order_2) = given(&terminal, order("i_2", "no")).await;
    drop(order_2);
    assert!(matches!(typed.await.unwrap(), Err(TypeError::Fault(Fault::Unavailable(_)))), "nobody knows");
    assert_eq!(next(&mut told).await.unwrap().kind, "session.input_ordered");
    assert_eq!(next(&mut told).await, None);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_written_down_does_not_reach_the_host() {
    let hub = Hub::new().await;
    let (_, terminal, _) = asked(&hub).await;
    let mut orders = PretendHost::hosts(&terminal).await;
    hub.faults.break_down("the disk is gone");
    let typed = terminal.type_in(order("i_1", "no")).await;
    assert!(matches!(typed, Err(TypeError::Fault(Fault::Storage { .. }))), "{typed:?}");
    assert!(orders.try_recv().is_err());
}

#[tokio::test(start_paused = true)]
async fn without_a_host_that_types_nothing_is_ordered() {
    let hub = Hub::new().await;
    let (_, terminal, mut told) = asked(&hub).await;
    assert_eq!(terminal.type_in(order("i_1", "no")).await, Err(NotTyped::NoTypist.into()));
    drop(PretendHost::hosts(&terminal).await);
    assert_eq!(terminal.type_in(order("i_2", "no")).await, Err(NotTyped::NoTypist.into()), "it went away");
    PretendHost::types(&terminal).await;
    PretendHost::asks(&terminal, "\r\nName: ").await;
    assert_eq!(terminal.type_in(order("i_3", "no")).await, Err(NotTyped::AnotherPrompt.into()));
    assert_eq!(next(&mut told).await, None, "a refusal is no order");
}

#[tokio::test(start_paused = true)]
async fn an_order_is_given_once_under_its_key() {
    let hub = Hub::new().await;
    let (_, terminal, _) = asked(&hub).await;
    let mut orders = PretendHost::hosts(&terminal).await;
    let line = terminal.clone();
    #[expect(clippy::disallowed_methods, reason = "whoever asks waits beside the host")]
    let first = tokio::spawn(async move { line.type_in(keyed("i_1", "d")).await });
    terminal.was_ordered(orders.recv().await.unwrap(), OrderEnd::Delivered);
    assert!(first.await.unwrap().is_ok());
    assert_eq!(terminal.type_in(keyed("i_2", "d")).await, Err(TypeError::Repeated("i_1".to_owned())));
    assert_eq!(terminal.type_in(keyed("i_3", "other")).await, Err(TypeError::KeyReused));
    assert!(orders.try_recv().is_err(), "the host heard one order");
}
