//! The journal's actor: collects appends into transactions, and answers their senders.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ractor::{Actor, ActorCell, ActorRef, RpcReplyPort, SpawnErr};
use tokio::task::JoinHandle;

use super::deadlines::Deadlines;
use super::handle::JournalRef;
use super::indexing::Indexing;
use super::mending::Mending;
use super::message::{Asker, JournalMessage, Waiting};
use super::outlet::{Outlet, has_deliveries, with_deliveries};
use super::perform::{self, Ended, PruneEnded};
use super::pruning::Retention;
use super::reads::JournalReads;
use super::view::{JournalView, Log, Spread};
use crate::actors::common::ActorResult;
use crate::domain::time::Timestamp;
use crate::journal::search::SearchIndex;
use crate::journal::{Append, Kept, Pruned, Seq, Store, StoreReport, WriteError, Written};

/// Who hears of each durable batch, in order. Called on the actor's own thread: must neither block nor wait.
pub type Sink = Box<dyn Fn(Vec<Kept>) + Send + Sync>;

#[derive(Debug)]
pub struct JournalActor;

pub struct JournalArgs {
    pub store: Box<dyn Store>,
    pub reads: JournalReads,
    /// `journal.batch`: the most appends of one transaction.
    pub batch: usize,
    /// `limits.mailbox`: the most appends that may wait.
    pub mailbox: usize,
    pub sink: Sink,
    pub search: Option<SearchIndex>,
    /// Who knows what of an append must reach the outside, where anybody does.
    pub outlet: Option<Box<dyn Outlet>>,
}

pub struct JournalState {
    reads: JournalReads,
    batch: usize,
    limit: usize,
    sink: Sink,
    outlet: Option<Box<dyn Outlet>>,
    indexing: Option<Indexing>,
    unanswered: Arc<AtomicUsize>,
    position: Seq,
    waiting: VecDeque<Waiting>,
    /// What is to be let go of, and who asked for that last; nobody, where it is time for it.
    pruning: Option<(Timestamp, Option<PruneReply>)>,
    retention: Option<Retention>,
    deadlines: Deadlines,
    store: Whereabouts,
    log: Log,
    mending: Mending,
}

type PruneReply = RpcReplyPort<Result<Pruned, WriteError>>;

/// Where the store is.
enum Whereabouts {
    /// With the actor: nothing is under way.
    Here(Box<dyn Store>),
    /// With a thread that writes; these wait for what it brings back.
    Away { ended: JoinHandle<Ended>, askers: Vec<Asker> },
    /// With a thread that lets go of what is old.
    Pruning { ended: JoinHandle<PruneEnded>, reply: Option<PruneReply> },
    /// Lost by a panic.
    Lost,
}

impl JournalArgs {
    pub async fn start(self, supervisor: Option<ActorCell>) -> Result<JournalRef, SpawnErr> {
        let (reads, limit) = (self.reads.clone(), self.mailbox);
        let unanswered = Arc::new(AtomicUsize::new(0));
        let args = (self, Arc::clone(&unanswered));
        let (actor, _) = match supervisor {
            Some(supervisor) => Actor::spawn_linked(None, JournalActor, args, supervisor).await?,
            None => Actor::spawn(None, JournalActor, args).await?,
        };
        Ok(JournalRef::new(actor, reads, unanswered, limit))
    }
}

impl JournalState {
    /// Lets go of what is old, if the store is here and somebody asked for it; then it is the appends' turn again.
    fn begin_pruning(&mut self, myself: &ActorRef<JournalMessage>) {
        let Some((before, reply)) = self.pruning.take() else { return };
        match std::mem::replace(&mut self.store, Whereabouts::Lost) {
            Whereabouts::Here(store) if store.blocks() => {
                let ended = perform::aside(myself.clone(), move || perform::prune(store, before));
                self.store = Whereabouts::Pruning { ended, reply };
            }
            Whereabouts::Here(store) => self.settle_pruning(perform::prune(store, before), reply),
            away @ (Whereabouts::Away { .. } | Whereabouts::Pruning { .. } | Whereabouts::Lost) => {
                self.store = away;
                self.pruning = Some((before, reply));
            }
        }
    }

    fn settle_pruning(&mut self, ended: PruneEnded, reply: Option<PruneReply>) {
        self.store = Whereabouts::Here(ended.store);
        match (reply, &mut self.retention) {
            (Some(reply), _) => drop(reply.send(ended.pruned)),
            (None, Some(retention)) => retention.ended(self.deadlines.now(), &ended.pruned),
            (None, None) => {}
        }
    }

    /// Begins the next transaction, if the store is here and somebody waits.
    fn begin(&mut self, myself: &ActorRef<JournalMessage>) {
        self.begin_pruning(myself);
        while !self.waiting.is_empty() {
            match std::mem::replace(&mut self.store, Whereabouts::Lost) {
                Whereabouts::Here(mut store) => {
                    let (batch, askers) = self.next_batch();
                    if store.blocks() {
                        let ended = perform::aside(myself.clone(), move || perform::write(store, batch));
                        self.store = Whereabouts::Away { ended, askers };
                    } else if let Some(waits) = store.waits(&batch) {
                        let ended = perform::write_slowly(store, batch, waits, myself.clone());
                        self.store = Whereabouts::Away { ended, askers };
                    } else {
                        self.settle(perform::write(store, batch), askers);
                    }
                }
                away @ (Whereabouts::Away { .. } | Whereabouts::Pruning { .. } | Whereabouts::Lost) => {
                    self.store = away;
                    return;
                }
            }
        }
    }

    /// Takes the store back from a write that ended or is about to.
    async fn end(&mut self) -> ActorResult {
        match std::mem::replace(&mut self.store, Whereabouts::Lost) {
            Whereabouts::Away { ended, askers } => match ended.await {
                Ok(ended) => self.settle(ended, askers),
                Err(panicked) => {
                    let fault = WriteError::Fault("its writer panicked".to_owned());
                    askers.into_iter().for_each(|asker| asker.answer(Err(fault.clone())));
                    return Err(format!("the journal's writer panicked: {panicked}").into());
                }
            },
            Whereabouts::Pruning { ended, reply } => match ended.await {
                Ok(ended) => self.settle_pruning(ended, reply),
                Err(panicked) => return Err(format!("the journal's writer panicked: {panicked}").into()),
            },
            here @ (Whereabouts::Here(_) | Whereabouts::Lost) => self.store = here,
        }
        Ok(())
    }

    fn next_batch(&mut self) -> (Vec<Append>, Vec<Asker>) {
        let size = self.batch.min(self.waiting.len());
        let outlet = self.outlet.as_deref();
        let batch = self.waiting.drain(..size).map(|waiting| with_deliveries(outlet, waiting));
        batch.map(|waiting| (waiting.append, waiting.asker)).unzip()
    }

    /// Answers a batch, and hands on what was kept.
    fn settle(&mut self, ended: Ended, askers: Vec<Asker>) {
        let Ended { store, batch, answers, took } = ended;
        self.position = store.position();
        self.store = Whereabouts::Here(store);
        self.note(&batch, &answers, took);
        let goes_out = batch.iter().zip(&answers).any(|(append, answer)| answer.is_ok() && has_deliveries(append));
        let kept: Vec<Kept> = batch
            .into_iter()
            .zip(&answers)
            .filter_map(|(append, answer)| Some(append.into_kept(answer.as_ref().ok()?.first)))
            .flatten()
            .collect();
        // The noticeboard first: who has the answer may look there at once.
        if !kept.is_empty() {
            if let Some(indexing) = &mut self.indexing {
                indexing.hear(self.deadlines.now(), &kept);
            }
            (self.sink)(kept);
        }
        if goes_out && let Some(outlet) = &self.outlet {
            outlet.written();
        }
        askers.into_iter().zip(answers).for_each(|(asker, answer)| asker.answer(answer));
    }

    fn note(&mut self, batch: &[Append], answers: &[Result<Written, WriteError>], took: Duration) {
        let fault = answers.iter().find_map(|answer| match answer {
            Err(fault @ (WriteError::Full | WriteError::Fault(_))) => Some(fault.to_string()),
            Err(WriteError::Repeated { .. } | WriteError::KeyReused | WriteError::Moved(_)) | Ok(_) => None,
        });
        match fault {
            Some(reason) => {
                let at = batch.last().map(|append| append.at).unwrap_or_default();
                self.mending.failed(at, &reason, batch);
                self.log.failed(at, reason);
            }
            None => {
                self.mending.wrote(batch);
                self.log.wrote(batch.len(), answers.iter().filter(|answer| answer.is_ok()).count(), took);
            }
        }
    }

    fn view(&self, store: Option<StoreReport>) -> JournalView {
        JournalView {
            position: self.position,
            depth: self.unanswered.load(Ordering::Acquire),
            limit: self.limit,
            in_flight: match &self.store {
                Whereabouts::Away { askers, .. } => askers.len(),
                Whereabouts::Here(_) | Whereabouts::Pruning { .. } | Whereabouts::Lost => 0,
            },
            batches: self.log.batches,
            appends: self.log.appends,
            batch_size: Spread::of(&self.log.sizes),
            write_micros: Spread::of(&self.log.micros),
            last_fault: self.log.last_fault.clone(),
            failing: self.log.failing,
            store,
        }
    }
}

impl Actor for JournalActor {
    type Msg = JournalMessage;
    type State = JournalState;
    type Arguments = (JournalArgs, Arc<AtomicUsize>);

    async fn pre_start(
        &self,
        myself: ActorRef<Self::Msg>,
        (args, unanswered): Self::Arguments,
    ) -> ActorResult<JournalState> {
        let mut state = JournalState {
            reads: args.reads,
            batch: args.batch.max(1),
            limit: args.mailbox,
            sink: args.sink,
            outlet: args.outlet,
            indexing: args.search.map(Indexing::new),
            unanswered,
            position: args.store.position(),
            waiting: VecDeque::new(),
            pruning: None,
            retention: None,
            deadlines: Deadlines::default(),
            store: Whereabouts::Here(args.store),
            log: Log::default(),
            mending: Mending::default(),
        };
        let position = state.position;
        state.deadlines.settle(state.indexing.as_mut(), None, position, &myself);
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<Self::Msg>,
        message: JournalMessage,
        state: &mut JournalState,
    ) -> ActorResult {
        match message {
            JournalMessage::Append(waiting) => state.waiting.push_back(*waiting),
            JournalMessage::WriteEnded => {
                state.end().await?;
                if let Whereabouts::Here(store) = &state.store
                    && let Some(why) = store.over()
                {
                    return Err(why.into());
                }
            }
            JournalMessage::Prune { before, reply } => state.pruning = Some((before, Some(reply))),
            JournalMessage::CatchUp { reply } => match &mut state.indexing {
                Some(indexing) => indexing.ask(state.position, reply),
                None => drop(reply.send(())),
            },
            JournalMessage::Indexed(ended) => {
                let now = state.deadlines.now();
                state.indexing.iter_mut().zip([ended]).for_each(|(indexing, ended)| indexing.ended(now, ended));
            }
            JournalMessage::Timing { alarm, clock } => state.deadlines.keep(alarm, clock, &myself),
            JournalMessage::KeepToRetention { settings } => {
                state.retention = Some(Retention::new(settings, state.deadlines.now()));
            }
            JournalMessage::Tick => state.deadlines.rang(),
            JournalMessage::Try => state.waiting.extend(state.mending.attempt(&state.unanswered)),
            JournalMessage::View { reply } => {
                let report = state.reads.clone().read(|reader| reader.report()).await;
                let _ = reply.send(state.view(report.ok()));
            }
        }
        let now = state.deadlines.now();
        if let Some(before) = state.retention.as_mut().and_then(|retention| retention.due(now)) {
            state.pruning.get_or_insert((before, None));
        }
        state.begin(&myself);
        state.mending.arm(&myself);
        let position = state.position;
        state.deadlines.settle(state.indexing.as_mut(), state.retention.as_ref(), position, &myself);
        Ok(())
    }

    /// Drained: what was accepted is written before the actor ends.
    async fn post_stop(&self, myself: ActorRef<Self::Msg>, state: &mut JournalState) -> ActorResult {
        state.end().await?;
        while !state.waiting.is_empty() {
            state.begin(&myself);
            state.end().await?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for JournalArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JournalArgs").field("batch", &self.batch).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for JournalState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JournalState").field("position", &self.position).finish_non_exhaustive()
    }
}
