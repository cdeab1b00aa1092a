//! What everybody in a life of the hub holds: the hub, the ledger, and how a call is made of both.

use std::cell::RefCell;
use std::rc::Rc;

use callboard::actors::HubRef;
use callboard::actors::common::Fault;
use callboard::actors::noticeboard::Posted;
use callboard::actors::task::{ActError, TaskAct, TaskReceipt};
use callboard::domain::ids::{PrincipalId, TaskId};
use callboard::domain::principal::{By, Surface};
use callboard::domain::task::{Cause, Origin, OriginKind, TaskCommand};
use callboard::domain::time::Timestamp;
use callboard::journal::EventFilter;
use tokio::task::spawn_local;

use crate::ledger::Ledger;
use crate::script::{CAST, HubSetup};
use crate::store::Pulse;
use crate::traps::Trap;

#[derive(Clone)]
pub(crate) struct Stage {
    pub(crate) hub: HubRef,
    pub(crate) ledger: Rc<RefCell<Ledger>>,
    pub(crate) pulse: Pulse,
    pub(crate) trap: Option<Trap>,
    pub(crate) house: HubSetup,
    /// When this life began.
    pub(crate) began_at: Timestamp,
}

/// Who speaks: an agent of the cast, or an operator.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Voice {
    Agent(usize),
    Operator,
}

impl Stage {
    pub(crate) fn now(&self) -> Timestamp {
        self.hub.clock.now()
    }

    /// Writes into the ledger; nothing that a dead hub said is heard.
    pub(crate) fn note<T>(&self, write: impl FnOnce(&mut Ledger) -> T) -> Option<T> {
        (!self.pulse.is_dead()).then(|| write(&mut self.ledger.borrow_mut()))
    }

    /// Somebody reads every event, and goes on in the next life where it was.
    pub(crate) fn reads_events(self) {
        let after = self.ledger.borrow().events;
        drop(spawn_local(async move {
            let Ok(mut events) = self.hub.noticeboard.subscribe(EventFilter::default(), Some(after)).await else {
                return;
            };
            while let Some(posted) = events.next().await {
                self.note(|ledger| match posted {
                    Posted::Event(event) => ledger.sees_event(event.seq),
                    Posted::Gap { missed, .. } => ledger.find(format!("E1: a quick reader missed {missed} events")),
                });
            }
        }));
    }

    /// One of everything that anybody heard of.
    pub(crate) fn some_task(&self, pick: usize) -> Option<TaskId> {
        let ledger = self.ledger.borrow();
        ledger.tasks.get(pick.checked_rem(ledger.tasks.len())?).cloned()
    }

    /// One more of these happened.
    pub(crate) fn count(&self, what: impl Into<String>) {
        self.note(|ledger| ledger.coverage.count(what));
    }

    /// A fault is only for times of trouble.
    pub(crate) fn faulted(&self, what: &str, fault: &Fault) {
        let now = self.now();
        self.note(|ledger| {
            if matches!(fault, Fault::Busy { .. }) {
                ledger.coverage.count("refused BUSY");
            }
            if ledger.is_calm(now) {
                ledger.find(format!("{what} failed while nothing was broken: {fault}"));
            }
        });
    }

    pub(crate) async fn order(&self, voice: Voice, task: &TaskId, command: TaskCommand) -> Option<Ordered> {
        let what = format!("{voice:?} orders {task}");
        let outcome = self.hub.order(task, self.act(voice, command)).await;
        Some(match outcome {
            Ok(Some(receipt)) => Ordered::Done(receipt),
            Ok(None) => {
                self.note(|ledger| ledger.find(format!("J2: {task} was heard of, and is not there")));
                return None;
            }
            Err(ActError::Refused(refusal)) => self.refusal(refusal.code()),
            Err(ActError::Review(refusal)) => self.refusal(refusal.code()),
            Err(ActError::Declined(refusal)) => self.refusal(refusal.code),
            Err(ActError::Fault(fault)) => {
                self.faulted(&what, &fault);
                return None;
            }
            // Its actor is being built anew.
            Err(ActError::Moved(_) | ActError::ChangedHands(_)) => {
                self.faulted(&what, &Fault::Unavailable("nobody is there".to_owned()));
                return None;
            }
            Err(error @ (ActError::Repeated(_) | ActError::KeyReused)) => {
                self.note(|ledger| ledger.find(format!("{what}: {error}")));
                return None;
            }
        })
    }

    /// A refusal was heard.
    pub(crate) fn says_no(&self, code: &'static str) {
        self.count(format!("refused {code}"));
    }

    fn refusal(&self, code: &'static str) -> Ordered {
        self.says_no(code);
        Ordered::Refused(code)
    }

    pub(crate) fn act(&self, voice: Voice, command: TaskCommand) -> TaskAct {
        let notices = (0..Cause::NOTICES).map(|_| self.hub.ids.notice()).collect();
        let cause = Cause { by: voice.by(), who: voice.origin(), notices };
        TaskAct { command, cause, request: None, blobs: Vec::new(), key: None, note: None, part: None, judged: None }
    }
}

/// What an order came to, when an answer came.
pub(crate) enum Ordered {
    Done(TaskReceipt),
    Refused(&'static str),
}

impl Voice {
    pub(crate) fn by(self) -> By {
        let (name, surface) = match self {
            Self::Agent(agent) => (format!("agent:{}", CAST[agent].0), Surface::Agent),
            Self::Operator => ("operator".to_owned(), Surface::Api),
        };
        By { principal: PrincipalId::parse(&name).unwrap(), surface }
    }

    pub(crate) fn origin(self) -> Origin {
        let (kind, id) = match self {
            Self::Agent(agent) => (OriginKind::Agent, CAST[agent].0),
            Self::Operator => (OriginKind::Api, "operator"),
        };
        Origin { kind, id: id.to_owned(), display_name: id.to_owned() }
    }
}
