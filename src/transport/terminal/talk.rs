//! One connection of a host: what it sends, in its order, to the terminal; orders to type, to the host.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::terminal_caller::TerminalCaller;
use crate::actors::HubRef;
use crate::actors::learner::Track;
use crate::actors::terminal::{Arrival, HostOrder, Output, TerminalRef};
use crate::domain::ids::{AgentId, SessionId, TerminalId};
use crate::domain::prompt::learn::{InputSource, Provenance};
use crate::domain::prompt::redact::kept_input;
use crate::domain::prompt::{Host, PromptKind, Reader};
use crate::domain::terminal::{OrderEnd, TrackedInput};
use crate::domain::time::Millis;
use crate::domain::wire::{Answer, HostWord, HubWord};
use crate::terminal::TerminalSize;
use crate::tools::{Refusal, hosted_already, refuse};
use crate::transport::ws::{Ending, Socket, SocketEvent};

/// How long a host may take to say who it is.
const INTRODUCTION: Duration = Duration::from_secs(5);

/// How many orders to type may wait.
const ORDERS: usize = 4;

/// Of how many orders at most a host may leave untold what came of them.
const UNTOLD: usize = 64;

pub(super) struct Talk {
    hub: HubRef,
    visitor: TerminalCaller,
}

/// One that is known.
struct Stream {
    hub: HubRef,
    agent: AgentId,
    session: SessionId,
    visitor: TerminalCaller,
    terminal: TerminalRef,
    /// What comes with the next output.
    size: Option<TerminalSize>,
    reset: bool,
    has_ended: bool,
    /// Orders to type of which the host has said nothing yet.
    typing: BTreeMap<String, HostOrder>,
}

impl Talk {
    pub(super) const fn new(hub: HubRef, visitor: TerminalCaller) -> Self {
        Self { hub, visitor }
    }

    /// Goes on until either side ends it.
    pub(super) async fn goes_on(self, mut socket: Socket, end: CancellationToken) {
        let good = self.visitor.pass.ended();
        let ending = tokio::select! {
            ending = self.talk(&mut socket) => ending,
            () = good => Ending::Revoked,
            () = end.cancelled_owned() => Ending::GoingDown,
        };
        tracing::debug!("a host's WebSocket ends: {ending:?}");
        socket.end(&ending).await;
    }

    async fn talk(self, socket: &mut Socket) -> Ending {
        let introduced = timeout(INTRODUCTION, hear(socket)).await;
        let Ok(SocketEvent::Text(text)) = introduced else { return Ending::Silent };
        let Ok(HostWord::Hello { host, agent, session, inject, messages, waited }) = serde_json::from_str(&text) else {
            return Ending::Binary;
        };
        let (input_writer, mut orders) = mpsc::channel(ORDERS);
        let connection = self.hub.ids.request();
        // Without its line the agent is not told by typing, and hears by its next call.
        let reader = if inject && messages { self.hub.agent(&agent).await.ok().flatten() } else { None };
        let input_writer = inject.then_some(input_writer);
        let arrival = Arrival { host, connection: connection.clone(), input_writer, reader, waited };
        let found = match self.visitor.terminal(&self.hub, &agent, session.as_deref()).await {
            Ok((session, terminal)) => {
                welcome(&session, &terminal, arrival).await.map(|word| (word, session, terminal))
            }
            Err(refusal) => Err(refusal),
        };
        let (session, terminal) = match found {
            Ok((word, session, terminal)) => {
                say(socket, &word);
                (session, terminal)
            }
            Err(refusal) => {
                let code = refusal.code.to_owned();
                tracing::debug!("a host of agent `{agent}` is refused: {code}");
                say(socket, &HubWord::Refused { code, message: refusal.message, next: refusal.prompt });
                // It ends the connection itself, once it has read why.
                while !matches!(hear(socket).await, SocketEvent::Ended(_)) {}
                return Ending::Closed;
            }
        };
        let mut stream = Stream {
            hub: self.hub,
            agent,
            session,
            visitor: self.visitor,
            terminal,
            size: None,
            reset: false,
            has_ended: false,
            typing: BTreeMap::new(),
        };
        let ending = loop {
            let heard = tokio::select! {
                heard = hear(socket) => heard,
                Some(order) = orders.recv() => {
                    say(socket, &stream.orders(order));
                    continue;
                }
            };
            match heard {
                SocketEvent::Text(text) => stream.hears(&text, socket).await,
                SocketEvent::Bytes(bytes) => stream.prints(bytes.into()).await,
                SocketEvent::Read(_) | SocketEvent::Alive => {}
                SocketEvent::Ended(ending) => break ending,
            }
        };
        // With `orders` goes whoever types.
        stream.terminal.host_left(connection, stream.has_ended);
        ending
    }
}

async fn welcome(session: &SessionId, terminal: &TerminalRef, arrival: Arrival) -> Result<HubWord, Refusal> {
    let position = terminal.print(Output::default()).await.map_err(refuse::fault)?;
    if !terminal.hosted(arrival).await.map_err(refuse::fault)? {
        return Err(hosted_already(session));
    }
    Ok(HubWord::Welcome { session: session.to_string(), position })
}

impl Stream {
    async fn prints(&mut self, bytes: Vec<u8>) {
        let output = Output { bytes, size: self.size.take(), reset: std::mem::take(&mut self.reset), host: None };
        if let Err(fault) = self.terminal.print(output).await {
            tracing::debug!("output of a host is not drawn: {fault}");
        }
    }

    async fn hears(&mut self, text: &str, socket: &mut Socket) {
        let word = match serde_json::from_str(text) {
            Ok(word) => word,
            // A newer host may say more than this hub knows.
            Err(error) => return tracing::debug!("a word of a host is not understood: {error}"),
        };
        match word {
            HostWord::Size { rows, cols } => {
                self.size = Some(TerminalSize::new(rows, cols));
                self.prints(Vec::new()).await;
            }
            HostWord::Signals { host } => {
                self.terminal.host(host);
            }
            HostWord::Typed => {
                self.terminal.typed();
            }
            HostWord::Reset { missed } => {
                tracing::debug!("{missed} bytes of a terminal are lost");
                self.reset = true;
                // Another program begins: what the last one asked goes now, not when this one prints.
                if missed == 0 {
                    self.prints(Vec::new()).await;
                }
            }
            HostWord::Answered { answer } => self.is_answered(answer).await,
            HostWord::Ended { code } => {
                tracing::debug!("a hosted program ended with {code}");
                self.has_ended = true;
                self.terminal.host(Host { reader: Reader::Gone, ..Host::default() });
                say(socket, &HubWord::Goodbye {});
            }
            HostWord::Injected { id } => self.was_ordered(&id, OrderEnd::Delivered),
            HostWord::Undelivered { id, why } => self.was_ordered(&id, OrderEnd::Undelivered(why)),
            HostWord::Declined { id, why } => self.was_ordered(&id, OrderEnd::Declined(why)),
            HostWord::Hello { .. } => {}
        }
    }

    fn orders(&mut self, given: HostOrder) -> HubWord {
        if self.typing.len() >= UNTOLD {
            self.typing.pop_first();
        }
        let order = &given.order;
        let word = HubWord::Type {
            id: order.order_id.clone(),
            text: order.input_text.clone(),
            prompt_text: order.prompt_text.clone(),
            by_person: order.by_person,
            notice: order.notice.is_some(),
        };
        self.typing.insert(order.order_id.clone(), given);
        word
    }

    /// The host says what came of an order.
    fn was_ordered(&mut self, id: &str, done: OrderEnd) {
        if let Some(order) = self.typing.remove(id) {
            self.terminal.was_ordered(order, done);
        }
    }

    /// The host saw a person type this.
    async fn is_answered(&self, answer: Answer) {
        // The host knows no `patterns.yaml`: what its hub takes for a secret goes no further than here.
        let (own_kind, dangerous) = self.hub.settings().patterns.judge(&answer.prompt_text);
        let kind = if own_kind == PromptKind::Password { own_kind } else { answer.prompt_type };
        let input_text = kept_input(&answer.prompt_text, &answer.input_text, Some(kind), Host::default()).into_owned();
        let input = TrackedInput {
            prompt_text: answer.prompt_text,
            prompt_type: kind,
            dangerous: answer.is_dangerous || dangerous,
            input_text,
            success: answer.success,
            source: InputSource::UserTyped,
            provenance: Provenance::Attested,
            response_time: Millis(answer.response_time_ms),
            workspace: self.hub.workspace_of(&self.agent).await.ok().flatten(),
            pattern: None,
        };
        let (terminal, agent) = (TerminalId::from(&self.session), Some(self.agent.clone()));
        let (by, request) = (self.visitor.by(), Some(self.visitor.request()));
        if let Err(fault) = self.hub.learner.track(Track { terminal, agent, input, by, request }).await {
            tracing::debug!("what was typed is not kept: {fault}");
        }
    }
}

async fn hear(socket: &mut Socket) -> SocketEvent {
    poll_fn(|cx| socket.poll_heard(cx, true)).await
}

fn say(socket: &mut Socket, word: &HubWord) {
    // Words are made of texts and numbers, which JSON can always hold.
    if let Ok(text) = serde_json::to_string(word) {
        socket.say(Utf8Bytes::from(text), None);
    }
}
