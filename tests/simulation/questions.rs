//! Questions of an agent at work, on stopped time, from a seed: asked, waited for or not, answered by a person while
//! the disk fails to read the session back. Whatever was answered with success is heard within a minute.

use std::time::Duration;

use callboard::actors::journal::JournalReads;
use callboard::actors::session::SessionOrder;
use callboard::actors::{Backstage, BackstageArgs, HubRef};
use callboard::broken::{self, Break};
use callboard::clock::Clock;
use callboard::domain::ids::{AgentId, PrincipalId, QuestionId, SessionId};
use callboard::domain::principal::{By, Principal, PrincipalKind, Scope, Surface};
use callboard::domain::session::SessionCommand;
use callboard::domain::session::question::Answerer;
use callboard::domain::task::{Origin, OriginKind};
use callboard::domain::time::Timestamp;
use callboard::domain::trace::Trace;
use callboard::ids::Ids;
use callboard::journal::memory;
use callboard::tools::{Caller, Follows, call};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

/// Stories of a run.
const STORIES: u64 = 24;
const MINUTE: Duration = Duration::from_secs(60);

/// What differs from story to story.
#[derive(Debug, Clone, Copy)]
struct Plot {
    /// The agent waits for the answer when it comes; else it asks what there is to hear afterwards.
    waits: bool,
    /// The question's deadline has passed, and only a person may answer.
    overdue: bool,
    /// How long after the question the answer comes, in seconds.
    after: u64,
    /// What is answered: one of the options, or, where the default is dangerous, no.
    refuses: bool,
}

impl Plot {
    const fn of(seed: u64) -> Self {
        Self { waits: seed & 1 == 0, overdue: seed & 2 == 0, refuses: seed & 4 == 0, after: seed / 8 * 7 }
    }
}

#[test]
fn every_answer_is_heard_although_the_session_cannot_be_read_back() {
    for seed in 0..STORIES {
        assert_eq!(play(Plot::of(seed), None), None, "story {seed}");
        assert_eq!(play(Plot::of(seed), Some(Break::NeverReadsBack)), None, "story {seed}, on a disk that fails");
    }
}

/// Shows that the judge bites.
#[test]
fn a_hub_that_tells_only_what_it_could_read_back_is_found_out() {
    let found = (0..STORIES).find_map(|seed| play(Plot::of(seed), Some(Break::TellsAfterReading)));
    assert!(found.as_ref().is_some_and(|words| words.contains("was never heard")), "{found:?}");
}

/// What is wrong, if anything is.
fn play(plot: Plot, fault: Option<Break>) -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let story = runtime.block_on(Story::begins(plot));
    let finish = || runtime.block_on(story.finishes(plot));
    match fault {
        Some(fault) => broken::with(fault, finish),
        None => finish(),
    }
}

/// A hub, an agent at work, and its question.
struct Story {
    hub: HubRef,
    agent: Caller,
    session: SessionId,
    question: QuestionId,
    _backstage: Backstage,
}

impl Story {
    async fn begins(plot: Plot) -> Self {
        let (store, reader) = memory::open();
        let args = BackstageArgs::alone(
            Box::new(store),
            JournalReads::new(reader),
            Clock::starting_at(Timestamp(1_800_000_000_000)),
            Ids::seeded(7),
        );
        let backstage = Backstage::start(args).await.unwrap();
        let hub = backstage.hub.clone();
        let id = AgentId::parse("coder-1").unwrap();
        let agent = caller(&hub, "agent:coder-1", PrincipalKind::Agent { agent: id }, Scope::Agent);
        let operator = caller(&hub, "operator", PrincipalKind::Person, Scope::Operate);
        let says = async |who: &Caller, tool: &str, arguments: Value| -> Value {
            call(&hub, who, tool, arguments).await.map(|reply| json!(reply.structured())).unwrap()
        };
        let registered = says(&agent, "register_agent", json!({"agentId": "coder-1", "role": "full-stack-engineer"}));
        let session = SessionId::parse(registered.await["sessionId"].as_str().unwrap()).unwrap();
        says(&operator, "assign_task", json!({"targetAgentId": "coder-1", "prompt": "Build it."})).await;
        let task = says(&agent, "wait_for_prompt", json!({})).await["taskId"].clone();
        says(&agent, "ack_task", json!({ "taskId": task })).await;
        let asked = json!({"question": "Drop the old table?", "options": ["yes", "no"], "default_action": "yes",
            "dangerous": plot.overdue, "timeout_minutes": 1, "wait_seconds": 0});
        let asked = says(&agent, "request_input", asked).await;
        let question = QuestionId::parse(asked["question_id"].as_str().unwrap()).unwrap();
        if plot.overdue {
            sleep(MINUTE + MINUTE).await;
        }
        Self { hub, agent, session, question, _backstage: backstage }
    }

    async fn finishes(&self, plot: Plot) -> Option<String> {
        let waits = async {
            let arguments = json!({"question_id": self.question, "timeout": 90});
            let heard = timeout(2 * MINUTE, call(&self.hub, &self.agent, "wait_for_answer", arguments)).await;
            heard.ok()?.ok().map(|reply| json!(reply.structured())["state"].clone())
        };
        let answers = async {
            sleep(Duration::from_secs(plot.after)).await;
            self.answered(if plot.refuses { "no" } else { "yes" }).await;
        };
        let heard = if plot.waits {
            let (heard, ()) = tokio::join!(waits, answers);
            heard == Some(json!("resolved"))
        } else {
            answers.await;
            let told = timeout(MINUTE, call(&self.hub, &self.agent, "wait_for_prompt", json!({"timeout": 30})));
            let told = told.await.ok().and_then(Result::ok).map(|reply| json!(reply.structured()).to_string());
            told.is_some_and(|told| told.contains("answered your question"))
        };
        (!heard).then(|| format!("an answer that is on disk was never heard: {plot:?}"))
    }

    /// A person answers; what they are told is not the agent's concern.
    async fn answered(&self, value: &str) {
        let principal = PrincipalId::parse("person:ada").unwrap();
        let by = Answerer { principal: principal.clone(), display_name: "ada".to_owned(), surface: Surface::Page };
        let order = SessionOrder {
            command: SessionCommand::Answer {
                question: self.question.clone(),
                value: value.to_owned(),
                own_words: false,
                by,
            },
            by: By { principal, surface: Surface::Page },
            who: Origin { kind: OriginKind::Page, id: "person:ada".to_owned(), display_name: "ada".to_owned() },
            request: None,
            blobs: Vec::new(),
            key: None,
        };
        let line = self.hub.supervisor.session(&self.session).await.unwrap().unwrap();
        drop(line.order(order).await);
    }
}

fn caller(hub: &HubRef, id: &str, kind: PrincipalKind, scope: Scope) -> Caller {
    Caller {
        principal: Principal {
            id: PrincipalId::parse(id).unwrap(),
            display_name: id.to_owned(),
            kind,
            scopes: [scope].into(),
        },
        surface: Surface::Api,
        client: None,
        instance: None,
        session: None,
        request: hub.ids.request(),
        trace: Trace::begun(hub.ids.trace()),
        peer: None,
        reports: None,
        follows: Follows::default(),
    }
}
