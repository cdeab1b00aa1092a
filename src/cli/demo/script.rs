//! The round: three concurrent scripts that meet only through the hub, but for the moments of the latencies.

use std::cell::Cell;
use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use super::agent::{Agent, Era};
use super::asker;
use super::ledger::{Ledger, Step};
use super::scene::{
    ANSWER, ASKED, DEFAULT, DELEGATED, DONE, FIRST, MOMENT, OTHERWISE, PROGRESS, Part, QUESTION, SECOND, TESTED,
    UNANSWERED,
};
use crate::cli::client::HubClient;
use crate::cli::output::cell::{at, str_at};
use crate::cli::problem::Problem;
use crate::domain::ids::AgentId;
use crate::hub::Hub;
use crate::transport::tokens::NewToken;

const LIMIT: Duration = Duration::from_secs(30);
/// How long a wait of the round blocks, in seconds: longer than the round.
const WAIT: u64 = 45;

/// What is there when the round is over: both agents are still connected.
pub(crate) struct Played {
    pub(crate) task: String,
    pub(super) first: Agent,
    pub(super) second: Agent,
}

impl Played {
    pub(crate) async fn over(self) {
        self.first.leaves().await;
        self.second.leaves().await;
    }
}

/// The hub is asked for its address and tokens; all else goes over its port. Fails with what is missing.
pub(crate) async fn play(hub: &Hub) -> Result<Played, Problem> {
    let ledger = Ledger::default();
    let end = tokio::time::timeout(LIMIT, round(hub, &ledger)).await;
    let missing = ledger.missing().join(", ");
    match end {
        Ok(Ok(played)) if missing.is_empty() => Ok(played),
        Ok(Ok(_)) => Err(Problem::failed(format!("the round is not whole: missing are {missing}"))),
        Ok(Err(problem)) => Err(problem.also(&format!("missing are: {missing}"))),
        Err(_) => {
            Err(Problem::failed(format!("the round took longer than {LIMIT:?}"))
                .because(format!("missing are: {missing}")))
        }
    }
}

/// What the scripts share: who they are, and from when latencies count.
struct Round<'a> {
    hub: HubClient,
    ledger: &'a Ledger,
    called_at: Cell<Instant>,
    asked_at: Cell<Instant>,
    answered_at: Cell<Instant>,
    progressed_at: Cell<Instant>,
    delegated_at: Cell<Instant>,
    reported_at: Cell<Instant>,
    completed_at: Cell<Instant>,
    task: watch::Sender<Option<String>>,
    part: watch::Sender<Option<String>>,
}

async fn round(hub: &Hub, ledger: &Ledger) -> Result<Played, Problem> {
    let asker = operator_of(hub)?;
    let (first, second) = (token_for(hub, FIRST)?, token_for(hub, SECOND)?);
    let first = Agent::connect(FIRST, hub.url(), &first, Era::Session);
    let first = enters(first, ledger, Step::FirstRegistered).await?;
    let second = Agent::connect(SECOND, hub.url(), &second, Era::Stateless);
    let second = enters(second, ledger, Step::SecondRegistered).await?;
    let now = Instant::now();
    let round = Round {
        hub: asker,
        ledger,
        called_at: Cell::new(now),
        asked_at: Cell::new(now),
        answered_at: Cell::new(now),
        progressed_at: Cell::new(now),
        delegated_at: Cell::new(now),
        reported_at: Cell::new(now),
        completed_at: Cell::new(now),
        task: watch::Sender::new(None),
        part: watch::Sender::new(None),
    };
    let (task, (), ()) = tokio::try_join!(round.asker(), round.first(&first), round.second(&second))?;
    drop(round);
    Ok(Played { task, first, second })
}

/// The operator, by the token that the hub wrote down for the command line.
pub(super) fn operator_of(hub: &Hub) -> Result<HubClient, Problem> {
    let token = std::fs::read_to_string(hub.operator_token())?;
    HubClient::at(hub.url(), SecretString::from(token.trim()))
}

/// Returns once each of these agents is parked.
pub async fn all_wait(hub: &Hub, agents: &[&str]) -> Result<(), Problem> {
    asker::all_wait(&operator_of(hub)?, agents).await
}

/// Makes a token for an agent. Fails when the token cannot be kept.
pub fn token_for(hub: &Hub, part: Part) -> Result<String, Problem> {
    let agent = AgentId::parse(part.id).map_err(|error| Problem::failed(error.to_string()))?;
    let made = hub.tokens().create(&NewToken::Agent(agent), None, hub.lines().clock.machine_now());
    made.map(|(token, _)| token).map_err(|error| Problem::failed(error.to_string()))
}

async fn enters(
    connecting: impl Future<Output = Result<Agent, Problem>>,
    ledger: &Ledger,
    step: Step,
) -> Result<Agent, Problem> {
    let began = Instant::now();
    let agent = connecting.await?;
    let part = agent.part;
    let known = agent.registers().await?;
    expect(&known, "agentId", part.id)?;
    expect(&known, "role", part.role)?;
    ledger.observed(step, began, &format!("{} as {}, over MCP {}", part.id, part.role, agent.version()))?;
    Ok(agent)
}

impl Round<'_> {
    async fn asker(&self) -> Result<String, Problem> {
        let (hub, ledger) = (&self.hub, self.ledger);
        let began = Instant::now();
        asker::all_wait(hub, &[FIRST.id, SECOND.id]).await?;
        ledger.observed(Step::Waiting, began, &format!("{} and {} are parked", FIRST.id, SECOND.id))?;
        let before = hub.position().await?;

        let began = Instant::now();
        self.called_at.set(began);
        let task = asker::asks(hub, FIRST.id, ASKED).await?;
        ledger.observed(Step::Called, began, &format!("the asker wants of {}: {ASKED} (task {task})", FIRST.id))?;
        self.task.send_replace(Some(task.clone()));

        asker::hears(hub, before, "question.asked", &task).await?;
        let question = asker::question_of(hub, &task).await?;
        expect(&question, "question", QUESTION)?;
        ledger.observed(Step::Asked, self.asked_at.get(), &format!("{} asks: {QUESTION}", FIRST.id))?;
        self.answered_at.set(Instant::now());
        asker::answers(hub, &question, ANSWER).await?;

        asker::hears(hub, before, "task.progressed", &task).await?;
        let view = asker::reads(hub, &task).await?;
        expect(&view, "progress.message", PROGRESS)?;
        ledger.observed(Step::Progress, self.progressed_at.get(), &format!("the asker reads: {PROGRESS}"))?;

        asker::hears(hub, before, "task.completed", &task).await?;
        let view = asker::reads(hub, &task).await?;
        expect(&view, "state", "COMPLETED")?;
        let message = view.pointer("/attempts/0/message").and_then(Value::as_str);
        if message != Some(DONE) {
            return Err(differs("the asker's result", DONE, message));
        }
        ledger.observed(Step::Result, self.completed_at.get(), &format!("the asker reads: {DONE}"))?;
        Ok(task)
    }

    async fn first(&self, me: &Agent) -> Result<(), Problem> {
        let ledger = self.ledger;
        let offer = me.calls("wait_for_prompt", json!({ "timeout": WAIT })).await?;
        let arrived = self.called_at.get();
        let task = known(&self.task).await?;
        expect(&offer, "status", "TASK")?;
        expect(&offer, "taskId", &task)?;
        expect(&offer, "prompt", ASKED)?;
        ledger.observed(Step::Delivered, arrived, &format!("{} got: {ASKED}", me.part.id))?;

        let began = Instant::now();
        let epoch = at(&offer, "leaseEpoch").cloned().unwrap_or(Value::Null);
        me.calls("ack_task", json!({ "taskId": task, "leaseEpoch": epoch })).await?;
        expect(&asker::reads(&self.hub, &task).await?, "state", "IN_PROGRESS")?;
        ledger.observed(Step::Acknowledged, began, &format!("{} holds it, lease {epoch}", me.part.id))?;
        self.asks_people(me).await?;
        let progress = json!({ "taskId": task, "status": "PROGRESS", "message": PROGRESS });
        self.progressed_at.set(Instant::now());
        me.calls("send_response", progress).await?;

        let began = Instant::now();
        self.delegated_at.set(began);
        let receipt = me.calls("assign_task", json!({ "targetAgentId": SECOND.id, "prompt": DELEGATED })).await?;
        let part = str_at(&receipt, "taskId").unwrap_or_default().to_owned();
        ledger.observed(Step::Delegated, began, &format!("{} wants of {}: {DELEGATED}", me.part.id, SECOND.id))?;
        self.part.send_replace(Some(part.clone()));

        let outcome = me.calls("wait_for_task", json!({ "taskId": part, "timeout": WAIT })).await?;
        expect(&outcome, "state", "COMPLETED")?;
        while !me.has_heard(&part, TESTED) {
            // The notice comes with the result of any call, and the hub limits how often one may ask.
            tokio::time::sleep(Duration::from_millis(25)).await;
            me.calls("get_task_context", json!({ "taskId": task })).await?;
        }
        ledger.observed(Step::Heard, self.reported_at.get(), &format!("{} hears by notice: {TESTED}", me.part.id))?;

        let began = Instant::now();
        self.completed_at.set(began);
        let report = json!({ "taskId": task, "status": "COMPLETED", "message": DONE, "leaseEpoch": epoch });
        me.calls("send_response", report).await?;
        ledger.observed(Step::Completed, began, &format!("{} reports: {DONE}", me.part.id))
    }

    /// One question is answered by a person, another one by nobody: each time the agent is told which it was.
    async fn asks_people(&self, me: &Agent) -> Result<(), Problem> {
        let ledger = self.ledger;
        self.asked_at.set(Instant::now());
        let question = json!({ "question": QUESTION, "options": [OTHERWISE, ANSWER], "default_action": OTHERWISE });
        let answered = me.calls("request_input", question).await?;
        expect(&answered, "state", "resolved")?;
        expect(&answered, "resolution.type", "human")?;
        expect(&answered, "resolution.value", ANSWER)?;
        ledger.observed(Step::Answered, self.answered_at.get(), &format!("{} hears: {ANSWER}", me.part.id))?;

        let began = Instant::now();
        let question = json!({ "question": UNANSWERED, "default_action": DEFAULT, "timeout_minutes": MOMENT });
        let answered = me.calls("request_input", question).await?;
        expect(&answered, "resolution.type", "timeout")?;
        expect(&answered, "resolution.value", DEFAULT)?;
        let message = str_at(&answered, "message").unwrap_or_default();
        ledger.observed(Step::Defaulted, began, &format!("{} hears: {message}", me.part.id))
    }

    async fn second(&self, me: &Agent) -> Result<(), Problem> {
        let ledger = self.ledger;
        let offer = me.calls("wait_for_prompt", json!({ "timeout": WAIT })).await?;
        let arrived = self.delegated_at.get();
        let part = known(&self.part).await?;
        expect(&offer, "status", "TASK")?;
        expect(&offer, "taskId", &part)?;
        expect(&offer, "prompt", DELEGATED)?;
        expect(&offer, "from.kind", "agent")?;
        expect(&offer, "from.id", FIRST.id)?;
        ledger.observed(Step::DelegateDelivered, arrived, &format!("{} got: {DELEGATED}", me.part.id))?;

        let began = Instant::now();
        let epoch = at(&offer, "leaseEpoch").cloned().unwrap_or(Value::Null);
        self.reported_at.set(began);
        let report = json!({ "taskId": part, "status": "COMPLETED", "message": TESTED, "leaseEpoch": epoch });
        me.calls("send_response", report).await?;
        expect(&asker::reads(&self.hub, &part).await?, "state", "COMPLETED")?;
        ledger.observed(Step::DelegateCompleted, began, &format!("{} reports: {TESTED}", me.part.id))
    }
}

/// An id, once its receipt has come: an offer may overtake it.
async fn known(id: &watch::Sender<Option<String>>) -> Result<String, Problem> {
    let mut id = id.subscribe();
    let found = id.wait_for(Option::is_some).await.map_err(|_| Problem::failed("the round ended early"))?;
    Ok(found.clone().unwrap_or_default())
}

/// Compares what came with what had to come. Fails when they differ.
pub fn expect(value: &Value, path: &str, wanted: &str) -> Result<(), Problem> {
    let found = str_at(value, path);
    if found == Some(wanted) { Ok(()) } else { Err(differs(path, wanted, found)) }
}

fn differs(what: &str, wanted: &str, found: Option<&str>) -> Problem {
    Problem::failed(format!("`{what}` had to be `{wanted}` and is `{}`", found.unwrap_or("not there")))
}
