//! The typed door to one terminal.

use super::message::{Arrival, HostOrder, Output, TerminalMessage, TypeError, TypeOrder, Updates};
use super::view::{TerminalView, Transcript};
use crate::actors::common::{ActorHandle, ActorView, MailboxMetrics, Result};
use crate::domain::principal::By;
use crate::domain::prompt::Host;
use crate::domain::terminal::{InputOrder, OrderEnd, SeenPrompt};

#[derive(Debug, Clone)]
pub struct TerminalRef(ActorHandle<TerminalMessage>);

impl TerminalRef {
    pub const fn new(line: ActorHandle<TerminalMessage>) -> Self {
        Self(line)
    }

    pub fn mailbox_metrics(&self) -> &MailboxMetrics {
        self.0.mailbox_metrics()
    }

    /// Draws what a program printed; the place of the next byte when it is drawn.
    pub async fn print(&self, output: Output) -> Result<u64> {
        self.0.ask(|reply| TerminalMessage::Print { output, reply: Some(reply) }).await
    }

    /// What its host knows now. False when nobody is there.
    pub fn host(&self, host: Host) -> bool {
        self.0.tell(TerminalMessage::Host { host })
    }

    /// Somebody typed something into it. False when nobody is there.
    pub fn typed(&self) -> bool {
        self.0.tell(TerminalMessage::Typed)
    }

    /// It is hosted from now on; false while another host is there. It takes orders to type while its line is open.
    pub async fn hosted(&self, arrival: Arrival) -> Result<bool> {
        self.0.ask(|reply| TerminalMessage::Hosted { arrival, reply }).await
    }

    /// That connection ended, after its program or before. False when nobody is there.
    pub fn host_left(&self, connection: String, ended: bool) -> bool {
        self.0.tell(TerminalMessage::HostLeft { connection, ended })
    }

    /// Has a text typed at the prompt that waits, if its host says that this is safe; what was typed.
    pub async fn type_in(&self, order: TypeOrder) -> Result<InputOrder, TypeError> {
        let order = Box::new(order);
        self.0.ask(|reply| TerminalMessage::Type { order, reply }).await?
    }

    /// What came of an order that its host was given. False when nobody is there.
    pub fn was_ordered(&self, order: HostOrder, done: OrderEnd) -> bool {
        self.0.tell(TerminalMessage::WasOrdered { order: Box::new(order), done })
    }

    /// What waits now, as likely as its confidence says.
    pub async fn detect(&self) -> Result<Option<SeenPrompt>> {
        self.0.ask(|reply| TerminalMessage::Detect { reply }).await
    }

    /// What was printed from a place on, at most `most` bytes.
    pub async fn read(&self, since: Option<u64>, most: usize) -> Result<Updates> {
        self.0.ask(|reply| TerminalMessage::Read { since, most, reply }).await
    }

    /// Waits until something was printed behind this place. Dropping the future ends the wait.
    pub async fn grown(&self, since: u64) -> Result<()> {
        self.0.ask(|reply| TerminalMessage::Await { since, reply }).await
    }

    pub async fn transcript(&self) -> Result<Transcript> {
        self.0.ask(|reply| TerminalMessage::Transcript { reply }).await
    }

    pub async fn view(&self) -> Result<TerminalView> {
        self.0.ask(|reply| TerminalMessage::Show { reply }).await
    }

    /// Follows its file from now on; how it stands.
    pub async fn begin(&self, by: By, request: Option<String>) -> Result<TerminalView> {
        self.0.ask(|reply| TerminalMessage::Begin { by, request, reply }).await?
    }

    pub async fn flush(&self) -> Result<()> {
        self.0.ask(|reply| TerminalMessage::Flush { reply }).await
    }

    /// Follows no more, and ends; how it stood at last, and the place at which it had begun.
    pub async fn stop(&self, by: By, request: Option<String>) -> Result<(TerminalView, u64)> {
        self.0.ask(|reply| TerminalMessage::Stop { by, request, reply }).await?
    }

    pub async fn actor_view(&self) -> Result<ActorView> {
        self.0.ask(|reply| TerminalMessage::ActorView { reply }).await
    }

    pub fn tell(&self, message: TerminalMessage) -> bool {
        self.0.tell(message)
    }
}
