//! A host that is none, for tests: it takes every order, and says of each what it is told to say.

use tokio::sync::mpsc;

use super::{Arrival, HostOrder, InputWriter, Output, TerminalRef};
use crate::actors::agent::AgentRef;
use crate::domain::prompt::{Host, Reader};
use crate::domain::terminal::OrderEnd;

/// What a host says while a program reads a line.
const READS: Host = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(true), destroys: false };

#[derive(Debug)]
pub enum PretendHost {}

impl PretendHost {
    /// This is printed in a hosted terminal, and its program waits for a line.
    pub async fn asks(terminal: &TerminalRef, text: &str) {
        let output = Output { bytes: text.as_bytes().to_vec(), host: Some(READS), ..Output::default() };
        terminal.print(output).await.expect("it is drawn");
    }

    /// A host of this name, by a connection of the same name.
    pub fn arrives(name: &str, input_writer: Option<InputWriter>, reader: Option<AgentRef>) -> Arrival {
        Arrival { host: name.to_owned(), connection: name.to_owned(), input_writer, reader, waited: false }
    }

    /// From now on somebody hosts it who takes orders; they come out here.
    pub async fn hosts(terminal: &TerminalRef) -> mpsc::Receiver<HostOrder> {
        let (input_writer, orders) = mpsc::channel(4);
        terminal.hosted(Self::arrives("kit", Some(input_writer), None)).await.expect("it is there");
        orders
    }

    /// The same for a host that gives leave to tell this agent by typing.
    pub async fn talks_to(terminal: &TerminalRef, agent: &AgentRef) -> mpsc::Receiver<HostOrder> {
        let (input_writer, orders) = mpsc::channel(4);
        terminal.hosted(Self::arrives("kit", Some(input_writer), Some(agent.clone()))).await.expect("it is there");
        orders
    }

    /// Somebody hosts it who types whatever is ordered.
    #[expect(clippy::disallowed_methods, reason = "a host is another process, and here none")]
    pub async fn types(terminal: &TerminalRef) {
        let (terminal, mut orders) = (terminal.clone(), Self::hosts(terminal).await);
        tokio::spawn(async move {
            while let Some(order) = orders.recv().await {
                terminal.was_ordered(order, OrderEnd::Delivered);
            }
        });
    }
}
