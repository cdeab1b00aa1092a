//! What a node hears, what it takes down of that, and what it asks the world for.

use super::state::{Beat, Elapsed, Epoch, Incarnation, Level, NodeId};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeSeen {
    pub id: NodeId,
    pub incarnation: Incarnation,
    pub beat: Beat,
    /// Whether nobody declared it dead.
    pub alive: bool,
    /// Its own sign of death: the lock of its session is free, and its port refuses connections. Both, since a lock
    /// behind a pooler says nothing of its holder. Only a process that ended leaves both.
    pub died: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TeamSeen {
    pub owner: Option<(NodeId, Incarnation)>,
    pub level: Level,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeCommand {
    /// Time went on.
    Tick,
    /// The database has let it in, as this incarnation.
    Joined { incarnation: Incarnation },
    /// The beat that this incarnation sent then was counted, or refused because it was declared dead.
    BeatAnswered { incarnation: Incarnation, sent: Elapsed, counted: bool },
    /// Whether the last beat was counted is not known.
    BeatUnanswered,
    /// The rows of the team and of the nodes, as they are now.
    Looked { team: TeamSeen, nodes: Vec<NodeSeen> },
    /// The team is its own, under this epoch.
    Taken { epoch: Epoch },
    /// Another one was faster, or a beat came.
    TakeRefused,
    /// A statement of the owner found another epoch.
    Fenced,
    /// A statement got no answer, or the connection was lost.
    Unanswered,
    /// The own epoch was moved forward on a new connection.
    Resolved { epoch: Epoch },
    /// The process is asked to end, or to give the team away.
    Drain,
    /// Nothing of the team's is under way any more.
    Drained,
    /// The team is nobody's any more.
    Released,
    /// The process is about to end.
    Stop,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeRecord {
    /// The database has let it in.
    Joined { incarnation: Incarnation },
    /// Its answer is not there yet.
    BeatSent,
    /// The beat that was sent then was counted.
    BeatCounted { sent: Elapsed },
    /// The next one is sent without delay.
    BeatLost,
    /// Another node, with the beat that it showed.
    Seen { id: NodeId, incarnation: Incarnation, beat: Beat },
    /// It asked for the team.
    TakeBegun,
    /// The team is its own.
    TookOver { epoch: Epoch },
    /// It may not be the owner any more.
    Froze,
    /// It is sure again that it is the owner.
    WentOn { epoch: Epoch },
    /// It takes no new work.
    DrainBegun,
    /// The team is not its own any more.
    Yielded,
    /// It was declared dead, and is another one when it joins again.
    DeclaredDead,
    /// It takes part no longer.
    Stopped,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeEffect {
    /// Step JOIN: a number and an incarnation.
    Join,
    /// Step BEAT: `beat + 1`, only while this incarnation is alive.
    Beat { incarnation: Incarnation },
    /// Step TAKE: declare this node dead, only at this very beat, and take the team with a new epoch; of nobody: the
    /// team is free. Together or not at all.
    Take { from: Option<(NodeId, Incarnation, Beat)> },
    /// Build what answers for the team.
    Begin { epoch: Epoch },
    /// Answer nothing, keep what waits.
    Freeze,
    /// Step RESOLVE: move the own epoch forward on a new connection.
    Resolve { epoch: Epoch },
    /// Answer again, under the epoch that was resolved.
    GoOn { epoch: Epoch },
    /// Finish what is under way, take nothing new.
    Drain,
    /// Give the team to whoever takes it.
    Release { epoch: Epoch },
    /// End what answered for the team, without writing.
    End,
    /// Say that this node is gone.
    Leave,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeDecision {
    pub records: Vec<NodeRecord>,
    pub effects: Vec<NodeEffect>,
}

impl NodeDecision {
    pub(super) fn record(mut self, record: NodeRecord) -> Self {
        self.records.push(record);
        self
    }

    pub(super) fn effect(mut self, effect: NodeEffect) -> Self {
        self.effects.push(effect);
        self
    }
}
