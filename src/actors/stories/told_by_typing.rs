//! What an agent does not fetch is typed into its terminal: once, where that is safe, with a record before and after.

use std::time::Duration;

use tokio::sync::mpsc::Receiver;

use super::asking::person;
use super::hub::{Hub, Player};
use crate::actors::agent::{AnswerGuard, WaitEnd};
use crate::actors::noticeboard::{Event, Posted, Subscription};
use crate::actors::terminal::{HostOrder, PretendHost, TerminalRef};
use crate::domain::agent::Notice;
use crate::domain::ids::{PrincipalId, QuestionId};
use crate::domain::principal::Surface;
use crate::domain::session::question::{AnswerRoute, Delivery};
use crate::domain::terminal::{OrderEnd, TerminalKind};
use crate::journal::EventFilter;

/// Longer than anything that nobody fetches lies before it is typed.
const LONG: Duration = Duration::from_secs(60);

/// An agent that works in a hosted terminal, at its input box, whose host types notices.
struct Scene {
    hub: Hub,
    agent: Player,
    terminal: TerminalRef,
    orders: Receiver<HostOrder>,
}

impl Scene {
    async fn new() -> Self {
        Self::at(Hub::new().await, "You: ").await
    }

    async fn at(hub: Hub, prompt: &str) -> Self {
        let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
        let terminal = terminal(&hub, &agent).await;
        PretendHost::asks(&terminal, prompt).await;
        let orders = PretendHost::talks_to(&terminal, &agent.line).await;
        Self { hub, agent, terminal, orders }
    }

    /// The next order that its host gets; none when there is none for long.
    async fn order(&mut self) -> Option<HostOrder> {
        tokio::time::timeout(LONG, self.orders.recv()).await.ok().flatten()
    }

    async fn types(&mut self) -> String {
        let order = self.order().await.unwrap();
        let text = order.order.input_text.clone();
        self.says(order, OrderEnd::Delivered).await;
        text
    }

    /// Its host says what came of an order, and everybody has heard it.
    async fn says(&self, order: HostOrder, done: OrderEnd) {
        self.terminal.was_ordered(order, done);
        self.terminal.view().await.unwrap();
        self.agent.line.show().await.unwrap();
    }

    /// What the agent hears with the result of a call.
    async fn hears(&self) -> Vec<Notice> {
        self.agent.line.called(None).await.unwrap();
        let mut guard = AnswerGuard::new(self.agent.line.clone(), self.hub.hub.next_call());
        let heard = guard.collect(None).await;
        guard.leaves();
        heard
    }

    async fn events(&self) -> Subscription {
        let types = ["session.input_ordered", "session.input_injected", "session.input_declined", "agent.notice_moved"];
        let filter = EventFilter { types: types.map(str::to_owned).to_vec(), ..EventFilter::default() };
        self.hub.hub.noticeboard.subscribe(filter, None).await.unwrap()
    }

    fn delivery(&self, id: &QuestionId) -> (Delivery, Option<AnswerRoute>) {
        let view = self.hub.question(id).view();
        (view.delivery, view.delivered_by)
    }
}

async fn terminal(hub: &Hub, agent: &Player) -> TerminalRef {
    let session = agent.line.show().await.unwrap().agent.registration.unwrap().session;
    let owner = PrincipalId::parse("agent:fullstack-1").unwrap();
    hub.hub.session_terminal(&session, &owner, TerminalKind::Hosted).await.unwrap().unwrap()
}

async fn next(told: &mut Subscription) -> Event {
    match tokio::time::timeout(LONG, told.next()).await {
        Ok(Some(Posted::Event(event))) => (*event).clone(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_fetches_is_typed_once_and_its_question_says_which_way_it_went() {
    let mut scene = Scene::new().await;
    let id = scene.hub.asked_by(&scene.agent, None).await;
    scene.hub.answered(&id, "old", person("ada", Surface::Page)).await.unwrap();
    let mut told = scene.events().await;
    let before = scene.hub.hub.clock.now();
    let text = scene.types().await;
    assert!(text.starts_with("[callboard] ada answered your question") && text.contains(": old (notice n_"), "{text}");
    let waited = scene.hub.hub.clock.now().since(before);
    assert!(waited >= Duration::from_secs(20), "it was typed after {waited:?}");
    assert_eq!(scene.delivery(&id), (Delivery::Delivered, Some(AnswerRoute::Terminal)));
    let kinds = ["session.input_ordered", "agent.notice_moved", "agent.notice_moved", "session.input_injected"];
    let mut events = Vec::new();
    for _ in kinds {
        events.push(next(&mut told).await);
    }
    let mut found: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
    found.sort_unstable();
    let mut kinds = kinds;
    kinds.sort_unstable();
    assert_eq!(found, kinds);
    let ordered = events.iter().find(|event| event.kind == "session.input_ordered").unwrap();
    assert_eq!((ordered.actor.surface, &ordered.data["byPerson"]), (Surface::Hub, &false.into()));
    assert!(ordered.data["reason"].as_str().unwrap().contains("ada"), "{:?}", ordered.data);
    assert!(ordered.data["noticeId"].as_str().unwrap().starts_with("n_"), "{:?}", ordered.data);
    assert!(scene.order().await.is_none(), "once");
    scene.hub.is_sound();
}

#[tokio::test(start_paused = true)]
async fn it_is_told_a_last_time_with_the_next_call_marked_and_wakes_no_wait() {
    let mut scene = Scene::new().await;
    scene.agent.hears("look at the other page").await;
    scene.types().await;
    let end = scene.agent.waits().await;
    assert!(matches!(end, WaitEnd::Idle), "{end:?}");
    let heard = scene.hears().await;
    assert_eq!(heard.len(), 1);
    assert!(heard[0].typed_at.is_some() && heard[0].text == "look at the other page", "{heard:?}");
    assert!(scene.hears().await.is_empty(), "it was heard");
    scene.hub.is_sound();
}

#[tokio::test(start_paused = true)]
async fn whoever_calls_or_waits_hears_by_that_and_nothing_is_typed() {
    let mut scene = Scene::new().await;
    let wait = scene.agent.parks();
    tokio::time::sleep(LONG).await;
    scene.agent.hears("by the wait").await;
    assert!(matches!(wait.await.unwrap(), WaitEnd::Notices(_)));
    scene.agent.hears("by the call").await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    let heard = scene.hears().await;
    assert_eq!(heard.last().unwrap().text, "by the call");
    assert!(heard.iter().all(|notice| notice.typed_at.is_none()), "{heard:?}");
    assert!(scene.order().await.is_none(), "what left with a result is on its way");
}

#[tokio::test(start_paused = true)]
async fn while_it_is_being_typed_no_result_brings_it_and_after_a_refusal_the_next_does() {
    let mut scene = Scene::new().await;
    scene.agent.hears("look at the other page").await;
    let order = scene.order().await.unwrap();
    assert!(scene.hears().await.is_empty(), "two ways at a time");
    scene.says(order, OrderEnd::Declined("the user is typing".to_owned())).await;
    let heard = scene.hears().await;
    assert_eq!((heard.len(), heard[0].typed_at), (1, None));
}

#[tokio::test(start_paused = true)]
async fn a_host_that_declines_is_asked_three_times_and_no_more() {
    let mut scene = Scene::new().await;
    scene.agent.hears("look at the other page").await;
    for number in 1..=3 {
        let order = scene.order().await.unwrap();
        assert!(order.order.order_id.ends_with(&format!(".{number}")), "{}", order.order.order_id);
        scene.says(order, OrderEnd::Declined("the user is typing".to_owned())).await;
    }
    assert!(scene.order().await.is_none());
    assert_eq!(scene.hears().await[0].typed_at, None);
}

#[tokio::test(start_paused = true)]
async fn what_nobody_knows_is_never_typed_again_and_comes_with_the_next_call() {
    let mut scene = Scene::new().await;
    scene.agent.hears("look at the other page").await;
    drop(scene.order().await.unwrap());
    let wait = scene.agent.parks();
    let WaitEnd::Notices(told) = wait.await.unwrap() else { panic!("it waits no longer for the host") };
    let mut guard = AnswerGuard::new(scene.agent.line.clone(), scene.hub.hub.next_call());
    guard.carries(told.into_iter().map(|notice| notice.id));
    guard.lost();
    assert!(scene.order().await.is_none(), "it may stand there");
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_dies_before_it_hears_what_came_of_it_never_types_it_again() {
    let mut scene = Scene::new().await;
    scene.agent.hears("look at the other page").await;
    let order = scene.order().await.unwrap();
    let hub = scene.hub.dies_for(LONG).await;
    drop(order);
    let mut scene = Scene::at(hub, "You: ").await;
    assert!(scene.order().await.is_none(), "it may stand there");
    let heard = scene.hears().await;
    assert_eq!((heard.len(), heard[0].typed_at), (1, None), "{heard:?}");
}

#[tokio::test(start_paused = true)]
async fn what_was_typed_is_known_to_be_after_a_restart() {
    let mut scene = Scene::new().await;
    scene.agent.hears("look at the other page").await;
    scene.types().await;
    let hub = scene.hub.dies_for(LONG).await;
    let mut scene = Scene::at(hub, "You: ").await;
    assert!(scene.order().await.is_none());
    assert!(scene.hears().await[0].typed_at.is_some());
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_written_down_is_not_typed() {
    let mut scene = Scene::new().await;
    scene.agent.hears("look at the other page").await;
    scene.hub.faults.break_down("the disk is gone");
    assert!(scene.order().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn nothing_is_typed_where_anything_else_waits() {
    for prompt in ["Password: ", "Go on? [y/n] ", "ada@host:~$ ", "File name: ", ">>> ", "Delete 3 tables? (yes/no): "]
    {
        let mut scene = Scene::at(Hub::new().await, prompt).await;
        scene.agent.hears("look at the other page").await;
        assert!(scene.order().await.is_none(), "{prompt}");
        assert_eq!(scene.hears().await[0].typed_at, None);
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_typed_for_who_was_sent_away_or_where_no_host_gives_leave() {
    let mut scene = Scene::new().await;
    scene.agent.hears("look at the other page").await;
    scene.agent.is_sent_away().await;
    assert!(scene.order().await.is_none());
    let mut scene = Scene::new().await;
    scene.orders = PretendHost::hosts(&scene.terminal).await;
    scene.agent.hears("look at the other page").await;
    assert!(scene.order().await.is_none());
}
