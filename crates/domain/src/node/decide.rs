//! What a node does about what it hears.

use super::command::{NodeCommand, NodeDecision, NodeEffect, NodeRecord, NodeSeen, TeamSeen};
use super::state::{Beat, Elapsed, Incarnation, Node, NodeId, Standing};
use super::{BEAT_EVERY, TAKE_AFTER};

impl Node {
    /// What follows from a command. Changes nothing; what comes late or twice changes nothing either.
    pub fn decide(&self, now: Elapsed, command: &NodeCommand) -> NodeDecision {
        let nothing = NodeDecision::default();
        match (command, self.standing) {
            (_, Standing::Stopped) => nothing,
            (NodeCommand::Tick, _) => self.on_tick(now),
            (NodeCommand::Joined { incarnation }, Standing::Apart) => {
                nothing.record(NodeRecord::Joined { incarnation: *incarnation })
            }
            // An answer to a former life says nothing of this one.
            (NodeCommand::BeatAnswered { incarnation, .. }, standing)
                if *incarnation != self.incarnation || standing == Standing::Apart =>
            {
                nothing
            }
            (NodeCommand::BeatAnswered { sent, counted: true, .. }, _) => {
                nothing.record(NodeRecord::BeatCounted { sent: *sent })
            }
            (NodeCommand::BeatAnswered { counted: false, .. }, _) => {
                self.ends(nothing).record(NodeRecord::DeclaredDead).effect(NodeEffect::Join)
            }
            (NodeCommand::BeatUnanswered, _) => nothing.record(NodeRecord::BeatLost),
            (NodeCommand::Looked { team, nodes }, _) => self.on_look(now, *team, nodes),
            (NodeCommand::Taken { epoch }, Standing::Taking) => {
                nothing.record(NodeRecord::TookOver { epoch: *epoch }).effect(NodeEffect::Begin { epoch: *epoch })
            }
            (NodeCommand::TakeRefused, Standing::Taking) => nothing.record(NodeRecord::Yielded),
            (NodeCommand::Fenced, Standing::Owning { .. } | Standing::Frozen { .. } | Standing::Draining { .. }) => {
                self.ends(nothing).record(NodeRecord::Yielded)
            }
            // Whether it was taken is not known: the next look says so.
            (NodeCommand::Unanswered, Standing::Taking) => nothing.record(NodeRecord::Yielded),
            (NodeCommand::Unanswered, Standing::Owning { epoch }) => {
                freezes(nothing).effect(NodeEffect::Resolve { epoch })
            }
            (NodeCommand::Unanswered, Standing::Frozen { epoch }) => nothing.effect(NodeEffect::Resolve { epoch }),
            (NodeCommand::Unanswered | NodeCommand::Drained, Standing::Draining { epoch }) => {
                nothing.effect(NodeEffect::Release { epoch })
            }
            (NodeCommand::Resolved { epoch: after }, Standing::Frozen { epoch }) => {
                // Its row is still its own; whether it was declared dead since, only a beat can say.
                if self.is_sure(now) {
                    nothing.record(NodeRecord::WentOn { epoch: *after }).effect(NodeEffect::GoOn { epoch: *after })
                } else {
                    nothing.effect(NodeEffect::Resolve { epoch })
                }
            }
            (NodeCommand::Drain, Standing::Owning { .. }) => {
                nothing.record(NodeRecord::DrainBegun).effect(NodeEffect::Drain)
            }
            (NodeCommand::Released, Standing::Draining { .. }) => self.ends(nothing).record(NodeRecord::Yielded),
            (NodeCommand::Stop, Standing::Standby | Standing::Apart | Standing::Taking) => {
                nothing.record(NodeRecord::Stopped).effect(NodeEffect::Leave)
            }
            // An owner drains first.
            (NodeCommand::Stop, Standing::Owning { .. }) => {
                nothing.record(NodeRecord::DrainBegun).effect(NodeEffect::Drain)
            }
            (NodeCommand::Stop, Standing::Frozen { .. }) => {
                self.ends(nothing).record(NodeRecord::Stopped).effect(NodeEffect::Leave)
            }
            (
                NodeCommand::Joined { .. }
                | NodeCommand::Taken { .. }
                | NodeCommand::TakeRefused
                | NodeCommand::Fenced
                | NodeCommand::Unanswered
                | NodeCommand::Resolved { .. }
                | NodeCommand::Drain
                | NodeCommand::Drained
                | NodeCommand::Released
                | NodeCommand::Stop,
                _,
            ) => nothing,
        }
    }

    /// Steps BEAT and STOP.
    fn on_tick(&self, now: Elapsed) -> NodeDecision {
        let mut decision = NodeDecision::default();
        match self.standing {
            Standing::Apart => return decision.effect(NodeEffect::Join),
            Standing::Owning { epoch } if !self.is_sure(now) => {
                decision = freezes(decision).effect(NodeEffect::Resolve { epoch });
            }
            // Half given away is not kept: whoever takes it finds all that was written.
            Standing::Draining { .. } if !self.is_sure(now) => {
                decision = self.ends(decision).record(NodeRecord::Yielded);
            }
            Standing::Owning { .. }
            | Standing::Draining { .. }
            | Standing::Standby
            | Standing::Taking
            | Standing::Frozen { .. }
            | Standing::Stopped => {}
        }
        if self.sent.is_none_or(|sent| now.since(sent) >= BEAT_EVERY) {
            decision = decision.record(NodeRecord::BeatSent).effect(NodeEffect::Beat { incarnation: self.incarnation });
        }
        decision
    }

    /// Steps LOOK and TAKE.
    fn on_look(&self, now: Elapsed, team: TeamSeen, nodes: &[NodeSeen]) -> NodeDecision {
        let mut decision = NodeDecision::default();
        for seen in nodes.iter().filter(|seen| seen.id != self.id) {
            let known = self.others.get(&seen.id);
            if known.is_none_or(|known| (known.incarnation, known.beat) != (seen.incarnation, seen.beat)) {
                let NodeSeen { id, incarnation, beat, .. } = *seen;
                decision = decision.record(NodeRecord::Seen { id, incarnation, beat });
            }
        }
        let may_take = self.standing == Standing::Standby && self.is_sure(now) && team.level <= self.level;
        match self.free(now, team, nodes).filter(|_| may_take) {
            Some(from) => decision.record(NodeRecord::TakeBegun).effect(NodeEffect::Take { from }),
            None => decision,
        }
    }

    /// Of whom the team may be taken; none: it may not. Within, nobody: it is free.
    fn free(&self, now: Elapsed, team: TeamSeen, nodes: &[NodeSeen]) -> Option<Option<(NodeId, Incarnation, Beat)>> {
        let Some((owner, incarnation)) = team.owner else { return Some(None) };
        if owner == self.id {
            // A former life of this node: the database lets in only one at a time.
            return Some(None);
        }
        let Some(seen) = nodes.iter().find(|seen| seen.id == owner) else { return Some(None) };
        if !seen.alive || seen.incarnation != incarnation {
            return Some(None);
        }
        let known = self.others.get(&owner).filter(|known| (known.incarnation, known.beat) == (incarnation, seen.beat));
        let stood_still = known.is_some_and(|known| now.since(known.since) >= TAKE_AFTER);
        (stood_still || seen.died).then_some(Some((owner, incarnation, seen.beat)))
    }

    /// Whatever answers for the team ends, where there is something.
    fn ends(&self, decision: NodeDecision) -> NodeDecision {
        match self.standing {
            Standing::Owning { .. } | Standing::Frozen { .. } | Standing::Draining { .. } => {
                decision.effect(NodeEffect::End)
            }
            Standing::Apart | Standing::Standby | Standing::Taking | Standing::Stopped => decision,
        }
    }
}

fn freezes(decision: NodeDecision) -> NodeDecision {
    decision.record(NodeRecord::Froze).effect(NodeEffect::Freeze)
}
