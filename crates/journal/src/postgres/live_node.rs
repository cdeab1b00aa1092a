//! A node that performs what it decides, as far as that is a statement; the rest is left to its process.

use std::collections::VecDeque;

use super::OpenError;
use super::nodes::{NodeStatements, Nodes};
use super::place::{DatabasePlace, Holder};
use super::problem::LEVEL;
use crate::domain::node::{Elapsed, Node, NodeCommand, NodeEffect, NodeView};
use crate::entry::Seq;

/// One hub of several, before and while it has the team.
#[derive(Debug)]
pub struct LiveNode<N = Nodes> {
    node: Node,
    nodes: N,
}

impl LiveNode {
    /// Fails as opening the journal does. `public_url` is told to clients by the nodes that stand by.
    /// `version` is this release.
    pub async fn open(
        place: DatabasePlace,
        name: &str,
        public_url: Option<String>,
        version: &'static str,
    ) -> Result<Self, OpenError> {
        Nodes::open(place, name, public_url, version).await.map(Self::of)
    }

    /// The number of the journal's last record when it was opened.
    pub const fn position(&self) -> Seq {
        self.nodes.position
    }

    /// With what its settings come to, by which others see whether theirs are the same.
    #[must_use]
    pub fn configured(self, digest: String) -> Self {
        Self { nodes: self.nodes.configured(digest), ..self }
    }
}

impl<N: NodeStatements> LiveNode<N> {
    pub fn of(nodes: N) -> Self {
        Self { node: Node::new(nodes.id(), LEVEL), nodes }
    }

    pub const fn node(&self) -> &Node {
        &self.node
    }

    /// This life, as the journal is opened for it.
    pub const fn holder(&self) -> Holder {
        Holder { node: self.node.id, incarnation: self.node.incarnation }
    }

    /// Takes a look; with what follows from it, and who is there.
    pub async fn looks(
        &mut self,
        now: &(impl Fn() -> Elapsed + Sync),
    ) -> Result<(Vec<NodeEffect>, Vec<NodeView>), OpenError> {
        let look = self.nodes.look().await?;
        let effects = self.hears(now, NodeCommand::Looked { team: look.team, nodes: look.nodes }).await;
        Ok((effects, look.views))
    }

    /// Hears a command and all that follows from it. What is left is about this process's hub: to begin, to
    /// stop or to drain it.
    pub async fn hears(&mut self, now: &(impl Fn() -> Elapsed + Sync), command: NodeCommand) -> Vec<NodeEffect> {
        let (mut due, mut left) = (VecDeque::from([command]), Vec::new());
        while let Some(command) = due.pop_front() {
            let at = now();
            let decision = self.node.decide(at, &command);
            decision.records.iter().for_each(|record| self.node.apply(at, record));
            for effect in decision.effects {
                match self.performs(now, &effect).await {
                    Some(answer) => due.extend(answer),
                    None => left.push(effect),
                }
            }
        }
        left
    }

    /// What came of an effect, if anything did; none where it is no statement.
    async fn performs(
        &mut self,
        now: &(impl Fn() -> Elapsed + Sync),
        effect: &NodeEffect,
    ) -> Option<Option<NodeCommand>> {
        let incarnation = self.node.incarnation;
        let answer = match effect {
            NodeEffect::Join => self.nodes.join().await.map(|incarnation| Some(NodeCommand::Joined { incarnation })),
            NodeEffect::Beat { incarnation } => {
                let incarnation = *incarnation;
                match self.nodes.beat(incarnation, now).await {
                    Ok((counted, sent)) => Ok(Some(NodeCommand::BeatAnswered { incarnation, sent, counted })),
                    Err(_) => Ok(Some(NodeCommand::BeatUnanswered)),
                }
            }
            NodeEffect::Take { from } => Ok(Some(match self.nodes.take(*from, incarnation).await {
                Ok(Some(epoch)) => NodeCommand::Taken { epoch },
                Ok(None) => NodeCommand::TakeRefused,
                Err(_) => NodeCommand::Unanswered,
            })),
            NodeEffect::Release { .. } => self.nodes.leave(incarnation).await.map(|()| Some(NodeCommand::Released)),
            NodeEffect::Leave => self.nodes.leave(incarnation).await.map(|()| None),
            NodeEffect::Begin { .. }
            | NodeEffect::Freeze
            | NodeEffect::Resolve { .. }
            | NodeEffect::GoOn { .. }
            | NodeEffect::Drain
            | NodeEffect::End => return None,
        };
        Some(answer.unwrap_or_else(|error| {
            // Whoever drives it sees the same at the next look.
            tracing::debug!("the database does not answer this node: {error}");
            None
        }))
    }
}
