//! The typed door to one agent.

use super::message::{
    AgentError, AgentMessage, AgentStanding, Called, ClientGone, Collected, EvictRequest, PostRequest, RegisterRequest,
    Registered, TypingOrder, WaitEnd, WaitRequest,
};
use crate::actors::common::{ActorHandle, MailboxMetrics, Result};
use crate::domain::agent::{CallId, Eviction, ToType};
use crate::domain::ids::{NoticeId, QuestionId};
use crate::domain::principal::By;
use crate::domain::terminal::OrderEnd;

#[derive(Debug, Clone)]
pub struct AgentRef(ActorHandle<AgentMessage>);

impl AgentRef {
    pub const fn new(line: ActorHandle<AgentMessage>) -> Self {
        Self(line)
    }

    /// Registers it; durable when it returns. Fails with a fault; the call may be repeated.
    pub async fn register(&self, request: RegisterRequest) -> Result<Registered, AgentError> {
        self.0.ask(|reply| AgentMessage::Register { request: Box::new(request), reply }).await?
    }

    /// A call of any kind begins: a heartbeat, and the sign that earlier results arrived. Fails with `Superseded` or
    /// `Evicted`: the call must not be carried out.
    pub async fn called(&self, instance: Option<String>) -> Result<Called, AgentError> {
        self.0.ask(|reply| AgentMessage::Called { instance, reply }).await?
    }

    pub(super) async fn collect(&self, call: CallId, answers: Option<QuestionId>) -> Collected {
        // Mostly nothing is to be heard, and the agent is not asked; but the notice of an answer may be on its way.
        if answers.is_none() && !self.0.mailbox_metrics().is_raised() {
            return Collected::default();
        }
        self.0.ask(|reply| AgentMessage::Collect { call, answers, reply }).await.unwrap_or_default()
    }

    pub(super) async fn ask_to_wait(&self, request: WaitRequest) -> Result<WaitEnd, AgentError> {
        self.0.ask(|reply| AgentMessage::Wait { request, reply }).await?
    }

    /// A client of it is connected, whatever its silence: a heartbeat, and nothing more.
    pub fn is_present(&self, instance: Option<String>, connection: CallId) {
        self.0.tell(AgentMessage::Present { instance, connection });
    }

    /// A client of it went away: what that one did not acknowledge goes to the next, and others see that it ended.
    pub fn client_gone(&self, gone: ClientGone) {
        self.0.tell(AgentMessage::ClientGone(gone));
    }

    /// Tells it something; durable when it returns. Fails with `Repeated` and the first notice, `KeyReused`, a fault.
    pub async fn post(&self, request: PostRequest) -> Result<NoticeId, AgentError> {
        self.0.ask(|reply| AgentMessage::Post { request: Box::new(request), reply }).await?
    }

    /// Sends it away; whatever it holds goes back at once. Fails with `NotRegistered`, or a fault.
    pub async fn evict(&self, eviction: Eviction, by: By) -> Result<(), AgentError> {
        self.evict_once(EvictRequest { eviction, by, request: None, key: None }).await.map(drop)
    }

    /// The same for a request that may have a key: says how it was sent away, this time or the first. Fails with
    /// `NotRegistered`, `KeyReused`, or a fault.
    pub async fn evict_once(&self, request: EvictRequest) -> Result<Eviction, AgentError> {
        self.0.ask(|reply| AgentMessage::Evict { request: Box::new(request), reply }).await?
    }

    /// What may be typed into its terminal, since nobody fetches it.
    pub async fn to_type(&self) -> Result<ToType> {
        self.0.ask(|reply| AgentMessage::ToType { reply }).await
    }

    /// Whether the notice that is about to be typed is on disk, and so may be typed. On a fault it is not to be typed.
    pub async fn order_typing(&self, order: TypingOrder) -> Result<bool, AgentError> {
        self.0.ask(|reply| AgentMessage::OrderTyping { order: Box::new(order), reply }).await?
    }

    /// What came of such an order. False when nobody is there.
    pub fn end_typing(&self, order: TypingOrder, done: OrderEnd) -> bool {
        self.0.tell(AgentMessage::EndTyping { order: Box::new(order), done })
    }

    pub fn mailbox_metrics(&self) -> &MailboxMetrics {
        self.0.mailbox_metrics()
    }

    pub async fn show(&self) -> Result<AgentStanding> {
        self.0.ask(|reply| AgentMessage::Show { reply }).await
    }

    pub fn send(&self, message: AgentMessage) -> bool {
        self.0.tell(message)
    }
}
