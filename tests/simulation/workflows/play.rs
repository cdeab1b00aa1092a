//! Plays a story: life after life of a hub over the journal in memory.

use std::collections::BTreeSet;
use std::time::Duration;

use callboard::actors::journal::JournalReads;
use callboard::actors::{Backstage, BackstageArgs, HubRef};
use callboard::clock::Clock;
use callboard::domain::ids::{AgentId, PrincipalId, WorkflowId};
use callboard::domain::principal::{Principal, PrincipalKind, Scope, Surface};
use callboard::domain::time::Timestamp;
use callboard::domain::trace::Trace;
use callboard::domain::workflow::Plan;
use callboard::domain::workflow::run::{RunStatus, WorkflowRun};
use callboard::ids::Ids;
use callboard::journal::memory::{self, MemoryReader};
use callboard::tools::workflow::{PlanRequest, Resources, prompt};
use callboard::tools::{Caller, Follows, Refusal, Reply, call};
use serde_json::{Map, Value, json};
use tokio::task::LocalSet;

use super::judge;
use super::plot::{Cut, Deed, Plot};
use crate::errors::{LoggedErrors, hearing};
use crate::store::{Cutter, Disk, Pulse, cutting};

/// The agent whose run it is, and one that is only told things.
const AGENTS: [(&str, &str); 2] = [("coder-1", "full-stack-engineer"), ("manager-1", "project-manager")];

/// What a story came to.
pub(crate) struct Came {
    pub(crate) findings: Vec<String>,
    pub(crate) trace: Vec<String>,
    /// How often the hub was killed.
    pub(crate) cuts: usize,
}

/// What the agent knows, from life to life.
#[derive(Default)]
pub(super) struct AgentKnowledge {
    /// Every state of the run that it was answered with, in order.
    pub(super) runs: Vec<WorkflowRun>,
    /// The calls that were answered, by group and place.
    pub(super) answered: BTreeSet<(usize, usize)>,
    /// The steps in which its own results were recorded, as it was told.
    pub(super) recorded: BTreeSet<String>,
    /// It was answered that the run is over.
    pub(super) ended: bool,
    pub(super) findings: Vec<String>,
    pub(super) trace: Vec<String>,
}

pub(crate) fn play(plot: &Plot) -> Came {
    hearing(|heard| {
        Story { plot, plan: plot.plan(), ids: Ids::seeded(plot.seed), heard, known: AgentKnowledge::default() }.plays()
    })
}

struct Story<'a> {
    plot: &'a Plot,
    plan: Plan,
    ids: Ids,
    heard: &'a LoggedErrors,
    known: AgentKnowledge,
}

impl Story<'_> {
    fn plays(mut self) -> Came {
        let (mut disk, mut cuts, mut wall) = (memory::open(), 0, Timestamp(1_800_000_000_000));
        // The last life ends by itself.
        for cut in self.plot.cuts.iter().copied().map(Some).chain([None]) {
            let (left, killed, ended_at) = self.lives(disk, cut, wall);
            (disk, wall) = (left, ended_at + Duration::from_secs(2));
            cuts += usize::from(killed);
        }
        self.known.findings.extend(self.heard.take().into_iter().map(|line| format!("logged: {line}")));
        let more = judge::the_whole(self.plot, &self.known, &disk.1);
        self.known.findings.extend(more);
        Came { findings: self.known.findings, trace: self.known.trace, cuts }
    }

    fn lives(&mut self, disk: Disk, cut: Option<Cut>, wall: Timestamp) -> (Disk, bool, Timestamp) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        LocalSet::new().block_on(&runtime, async {
            let reader = disk.1.clone();
            let (store, cutter) = cutting(disk, None);
            let args = BackstageArgs::alone(
                store,
                JournalReads::new(reader.clone()),
                Clock::starting_at(wall),
                self.ids.clone(),
            );
            let backstage = Backstage::start(args).await.unwrap();
            let hub = backstage.hub.clone();
            for (name, role) in AGENTS {
                let arguments = json!({"agentId": name, "role": role});
                let registered = call(&hub, &agent(&hub, name, Follows::Nothing), "register_agent", arguments).await;
                registered.map(drop).unwrap();
            }
            if let Some(cut) = cut {
                cutter.cut_after(cut.writes, cut.kept);
            }
            self.known.trace.push(format!("-- a life begins, to be killed: {cut:?}"));
            self.acts(&hub, &reader, &cutter.pulse()).await;
            self.ends(&hub, reader, &cutter)
        })
    }

    fn ends(&self, hub: &HubRef, reader: MemoryReader, cutter: &Cutter) -> (Disk, bool, Timestamp) {
        let left = cutter.left();
        let killed = left.is_some();
        (left.unwrap_or_else(|| reader.reopened()), killed, hub.clock.now())
    }

    /// What the agent does in this life; it goes on where the one before was cut off.
    async fn acts(&mut self, hub: &HubRef, reader: &MemoryReader, pulse: &Pulse) {
        let caller = agent(hub, AGENTS[0].0, Follows::Unsaid);
        let ask = || prompt(hub, &caller, self.asked(), &Nothing);
        let answers = match self.plot.doubled {
            true => {
                let (one, other) = tokio::join!(ask(), ask());
                vec![one, other]
            }
            false => vec![ask().await],
        };
        for answer in answers {
            if pulse.is_dead() {
                return;
            }
            self.answered(answer);
        }
        let Some(run) = self.known.runs.last().cloned() else { return };
        for (group, calls) in self.plot.calls.iter().enumerate() {
            let left = calls.iter().enumerate().filter(|(place, _)| !self.known.answered.contains(&(group, *place)));
            let left: Vec<_> = left.map(|(place, (deed, named))| (place, *deed, *named)).collect();
            let made = left.iter().map(|(place, deed, named)| makes(hub, &run.id, (group, *place), *deed, *named));
            let came = futures_util::future::join_all(made).await;
            if pulse.is_dead() {
                return;
            }
            for ((place, ..), reply) in left.iter().zip(came) {
                self.known.answered.insert((group, *place));
                self.told(reply);
            }
            self.looks(hub, reader, &run.id).await;
        }
        if run.is_working() && !self.known.ended {
            self.finishes(hub, &caller, &run.id, pulse).await;
        }
        if !pulse.is_dead() {
            self.looks(hub, reader, &run.id).await;
        }
    }

    fn asked(&self) -> PlanRequest<'_> {
        PlanRequest { plan: &self.plan, arguments: Default::default(), key: Some("the key".to_owned()) }
    }

    fn answered(&mut self, answer: Result<WorkflowRun, Refusal>) {
        match answer {
            Ok(run) => {
                self.known.trace.push(format!("prompt: {} {}", run.id, run.status_message()));
                if run.is_working() && !run.handed_over {
                    self.known.findings.push(format!("{} was answered while the hub goes on with it", run.id));
                }
                self.known.runs.push(run);
            }
            Err(refusal) => self.known.findings.push(format!("the prompt was refused: {}", refusal.message)),
        }
    }

    /// What a call said of the run that it goes on with.
    fn told(&mut self, reply: Result<Reply, Refusal>) {
        let told = match reply {
            Ok(reply) => reply.workflow,
            Err(refusal) => refusal.workflow,
        };
        let Some(told) = told else { return };
        self.known.trace.push(format!("call: {told}"));
        if told["recorded"] == true {
            self.known.recorded.extend(told["step"].as_str().map(ToOwned::to_owned));
        } else if told["reason"] != "ended" {
            self.known.findings.push(format!("a call that named its run was not recorded: {told}"));
        }
    }

    async fn finishes(&mut self, hub: &HubRef, caller: &Caller, id: &WorkflowId, pulse: &Pulse) {
        let over = if self.plot.cancels {
            use callboard::domain::workflow::run::WorkflowCommand::Cancel;
            hub.order_workflow(id, Cancel, caller.by(), None).await.map(drop).map_err(|error| error.to_string())
        } else {
            let arguments = json!({"task": id, "result": {"all": "well"}, "idempotencyKey": "the end"});
            call(hub, caller, "workflow_complete", arguments).await.map(drop).map_err(|refusal| refusal.message)
        };
        if pulse.is_dead() {
            return;
        }
        self.known.trace.push(format!("the end: {over:?}"));
        // It may have been done in a life whose answer nobody heard.
        self.known.ended = over.is_ok() || over.as_ref().is_err_and(|why| why.contains("already"));
        if !self.known.ended {
            self.known.findings.push(format!("{id} could not be ended: {over:?}"));
        }
    }

    /// J1 while it lives: the run is what is on disk.
    async fn looks(&mut self, hub: &HubRef, reader: &MemoryReader, id: &WorkflowId) {
        use callboard::journal::Reader as _;
        let (shown, kept) = (hub.workflow(id).await.ok().flatten(), reader.workflow(id).unwrap());
        if shown != kept {
            let status = |run: &Option<WorkflowRun>| run.as_ref().map(|run| (run.status, run.status_message()));
            let (alive, kept) = (status(&shown), status(&kept));
            self.known.findings.push(format!("J1: {id} is {kept:?} on disk, and {alive:?} alive"));
        }
        self.known.ended |= shown.is_some_and(|run| run.status != RunStatus::Working);
    }
}

/// A call of the agent's own, under a key where the tool takes one.
async fn makes(
    hub: &HubRef,
    run: &WorkflowId,
    place: (usize, usize),
    deed: Deed,
    named: bool,
) -> Result<Reply, Refusal> {
    let words = words(place);
    let (tool, arguments) = deed.call(&words);
    let mut arguments = Map::from_iter(arguments);
    if deed.takes_a_key() {
        arguments.insert("idempotencyKey".to_owned(), json!(format!("key of {words}")));
    }
    let follows = if named { Follows::Named(run.to_string()) } else { Follows::Unsaid };
    call(hub, &agent(hub, AGENTS[0].0, follows), tool, Value::Object(arguments)).await
}

/// By which the effect of a call is known.
pub(super) fn words((group, place): (usize, usize)) -> String {
    format!("call {place} of group {group}")
}

fn agent(hub: &HubRef, name: &str, follows: Follows) -> Caller {
    let agent = AgentId::parse(name).unwrap();
    Caller {
        principal: Principal {
            id: PrincipalId::parse(&format!("agent:{name}")).unwrap(),
            display_name: name.to_owned(),
            kind: PrincipalKind::Agent { agent },
            scopes: BTreeSet::from([Scope::Agent]),
        },
        surface: Surface::Agent,
        client: None,
        instance: None,
        session: None,
        request: hub.ids.request(),
        trace: Trace::begun(hub.ids.trace()),
        peer: None,
        reports: None,
        follows,
    }
}

/// No step reads a resource here.
struct Nothing;

impl Resources for Nothing {
    async fn read(&self, uri: &str) -> Result<String, String> {
        Err(format!("{uri} is not there"))
    }
}
