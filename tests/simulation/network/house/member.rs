//! One hub's process, in the order of `callboard serve`: it stands by, serves while it has the journal, and ends with
//! it. Whoever supervises it starts it again.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use callboard::actors::{Backstage, Ownership};
use callboard::domain::ids::PrincipalId;
use callboard::domain::principal::{By, Surface};
use callboard::hub::{NodeProcess, Owned};
use callboard::journal::postgres::LiveNode;
use callboard::journal::{Append, Entry, HubRecord};
use callboard::transport::http;
use tokio_util::sync::CancellationToken;

use super::clocks::CLOCKS;
use super::database::{Database, Holding};
use super::journal::Journal;
use super::line::Nodes;
use crate::network::hub::{DurableState, serve};

/// How long the actors may take to end.
const END_WITHIN: Duration = Duration::from_secs(10);

/// What is seen of a hub from outside of it.
#[derive(Default)]
pub(super) struct Member {
    /// The life that answers, and what it asks before each answer.
    pub(super) answers: Option<(Holding, Ownership)>,
    /// By how much its machine's clock is ahead at its next start.
    pub(super) ahead: Duration,
    /// Asks it to end.
    pub(super) end: CancellationToken,
}

pub(super) struct Cluster {
    pub(super) durable: Rc<DurableState>,
    pub(super) database: Database,
    pub(super) members: [RefCell<Member>; 2],
}

impl Cluster {
    /// A process, until it ends.
    pub(super) async fn lives(self: Rc<Self>, which: usize) -> turmoil::Result {
        let asked = CancellationToken::new();
        {
            let mut member = self.members[which].borrow_mut();
            (member.answers, member.end) = (None, asked.clone());
        }
        let nodes = Nodes::new(self.database.clone(), which);
        let process = NodeProcess::of(LiveNode::of(nodes), CLOCKS[which]);
        let owned = tokio::select! {
            owned = process.owns(None) => Some(owned),
            () = asked.cancelled() => None,
            stood_by = serve(http::standby(process.nodes()), CancellationToken::new()) => return stood_by,
        };
        if let Some(owned) = owned {
            tokio::select! {
                served = self.serves(which, owned, asked) => served?,
                // At once: whatever it would still do is another one's.
                _ = process.lost() => return Ok(()),
            }
        }
        process.leave().await;
        Ok(())
    }

    async fn serves(&self, which: usize, owned: Owned, asked: CancellationToken) -> turmoil::Result {
        let holding = (owned.holder.node, owned.holder.incarnation);
        let Some(journal) = Journal::open(&self.database, which, holding).await else { return Ok(()) };
        let ahead = self.members[which].borrow().ahead;
        let reader = self.database.reader.clone();
        let Ok(backstage) = self.durable.builds(Box::new(journal), reader, ahead).await else { return Ok(()) };
        backstage.hub.ownership.begin(owned.held);
        if backstage.hub.journal.append(started(&backstage)).await.is_err() {
            return Ok(());
        }
        self.members[which].borrow_mut().answers = Some((holding, backstage.hub.ownership.clone()));
        tokio::select! {
            // Refused when the journal is lost meanwhile.
            _ = self.durable.answers(&backstage, CancellationToken::new()) => {}
            _ = backstage.failed() => {}
            () = asked.cancelled() => {}
        }
        backstage.end(END_WITHIN).await;
        self.members[which].borrow_mut().answers = None;
        Ok(())
    }
}

/// The first record of a run.
fn started(backstage: &Backstage) -> Append {
    let by = By { principal: PrincipalId::parse("hub").unwrap(), surface: Surface::Hub };
    let record = HubRecord::Started { version: "1".to_owned() };
    Append::new(backstage.hub.clock.now(), by, vec![Entry::of_hub(record)])
}
