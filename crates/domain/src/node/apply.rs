//! A node after a record.

use super::command::NodeRecord;
use super::state::{Elapsed, Node, Standing, Watched};

impl Node {
    /// Takes a record in that was decided at `now`.
    pub fn apply(&mut self, now: Elapsed, record: &NodeRecord) {
        match record {
            NodeRecord::Joined { incarnation } => {
                (self.incarnation, self.standing) = (*incarnation, Standing::Standby);
                (self.counted, self.sent) = (None, None);
            }
            NodeRecord::BeatSent => self.sent = Some(now),
            NodeRecord::BeatCounted { sent } => self.counted = self.counted.max(Some(*sent)),
            NodeRecord::BeatLost => self.sent = None,
            NodeRecord::Seen { id, incarnation, beat } => {
                let seen = Watched { incarnation: *incarnation, beat: *beat, since: now };
                self.others.insert(*id, seen);
            }
            NodeRecord::TakeBegun => self.standing = Standing::Taking,
            NodeRecord::TookOver { epoch } | NodeRecord::WentOn { epoch } => {
                self.standing = Standing::Owning { epoch: *epoch };
            }
            NodeRecord::Froze => {
                if let Standing::Owning { epoch } = self.standing {
                    self.standing = Standing::Frozen { epoch };
                }
            }
            NodeRecord::DrainBegun => {
                if let Standing::Owning { epoch } = self.standing {
                    self.standing = Standing::Draining { epoch };
                }
            }
            NodeRecord::Yielded => self.standing = Standing::Standby,
            NodeRecord::DeclaredDead => {
                self.standing = Standing::Apart;
                (self.counted, self.sent) = (None, None);
            }
            NodeRecord::Stopped => self.standing = Standing::Stopped,
        }
    }
}
