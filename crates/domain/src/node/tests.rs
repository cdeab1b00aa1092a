//! One node at a time: what it does about what it hears.

mod model;

use proptest::prelude::*;

use super::*;
use crate::time::Timestamp;

const ME: NodeId = NodeId(1);
const OTHER: NodeId = NodeId(2);
const LIFE: Incarnation = Incarnation(1);

fn at(seconds: u64) -> Elapsed {
    Elapsed(seconds * 1_000)
}

impl Node {
    /// Whether it may answer and write now. What its process asks before each answer says the same, by the clock alone.
    fn may_answer(&self, now: Elapsed) -> bool {
        match self.standing {
            Standing::Owning { .. } | Standing::Draining { .. } => self.is_sure(now),
            Standing::Apart | Standing::Standby | Standing::Taking | Standing::Frozen { .. } | Standing::Stopped => {
                false
            }
        }
    }
}

/// Decides and applies; what it asks the world for.
fn does(node: &mut Node, seconds: u64, command: &NodeCommand) -> Vec<NodeEffect> {
    let decision = node.decide(at(seconds), command);
    decision.records.iter().for_each(|record| node.apply(at(seconds), record));
    decision.effects
}

fn counted(seconds: u64) -> NodeCommand {
    NodeCommand::BeatAnswered { incarnation: LIFE, sent: at(seconds), counted: true }
}

fn other(beat: u64) -> NodeSeen {
    NodeSeen { id: OTHER, incarnation: LIFE, beat: Beat(beat), alive: true, died: false }
}

/// The other one has the team.
fn looks(seen: NodeSeen) -> NodeCommand {
    NodeCommand::Looked { team: TeamSeen { owner: Some((OTHER, LIFE)), level: Level(1) }, nodes: vec![seen] }
}

/// A node that joined, and whose beat was counted at that second.
fn standby(seconds: u64) -> Node {
    let mut node = Node::new(ME, Level(1));
    assert_eq!(does(&mut node, 0, &NodeCommand::Tick), [NodeEffect::Join]);
    does(&mut node, 0, &NodeCommand::Joined { incarnation: LIFE });
    assert_eq!(does(&mut node, 0, &NodeCommand::Tick), [NodeEffect::Beat { incarnation: LIFE }]);
    does(&mut node, seconds, &counted(seconds));
    node
}

fn owner(seconds: u64) -> Node {
    let mut node = standby(seconds);
    let free = NodeCommand::Looked { team: TeamSeen { owner: None, level: Level(1) }, nodes: Vec::new() };
    assert_eq!(does(&mut node, seconds, &free), [NodeEffect::Take { from: None }]);
    let begins = does(&mut node, seconds, &NodeCommand::Taken { epoch: Epoch(7) });
    assert_eq!(begins, [NodeEffect::Begin { epoch: Epoch(7) }]);
    node
}

#[test]
fn a_team_is_taken_once_its_owner_stood_still_for_six_seconds() {
    let mut node = standby(10);
    assert_eq!(does(&mut node, 10, &looks(other(1))), [], "it is seen for the first time");
    does(&mut node, 15, &counted(15));
    assert_eq!(does(&mut node, 15, &looks(other(1))), []);
    let take = NodeEffect::Take { from: Some((OTHER, LIFE, Beat(1))) };
    assert_eq!(does(&mut node, 16, &looks(other(1))), [take]);
    assert_eq!(does(&mut node, 16, &looks(other(1))), [], "it is asked for once");
    does(&mut node, 16, &NodeCommand::TakeRefused);
    assert_eq!(does(&mut node, 17, &looks(other(2))), [], "it counts again");
}

#[test]
fn a_beat_without_an_answer_is_sent_again_without_delay() {
    let mut node = owner(0);
    let beat = [NodeEffect::Beat { incarnation: LIFE }];
    assert_eq!(does(&mut node, 2, &NodeCommand::Tick), beat);
    assert_eq!(does(&mut node, 3, &NodeCommand::Tick), [], "its answer may still come");
    does(&mut node, 3, &NodeCommand::BeatUnanswered);
    assert_eq!(does(&mut node, 3, &NodeCommand::Tick), beat);
}

#[test]
fn a_dead_process_is_not_waited_for() {
    let take = |beat| [NodeEffect::Take { from: Some((OTHER, LIFE, Beat(beat))) }];
    let mut node = standby(10);
    assert_eq!(does(&mut node, 10, &looks(NodeSeen { died: true, ..other(3) })), take(3));
    let mut node = standby(10);
    let declared = NodeSeen { alive: false, ..other(3) };
    assert_eq!(does(&mut node, 10, &looks(declared)), [NodeEffect::Take { from: None }]);
    let mut node = standby(10);
    let another_life = NodeSeen { incarnation: Incarnation(2), ..other(3) };
    assert_eq!(does(&mut node, 10, &looks(another_life)), [NodeEffect::Take { from: None }]);
}

#[test]
fn what_a_newer_version_wrote_is_not_taken_nor_by_a_node_that_is_not_sure_of_itself() {
    let free = |level| NodeCommand::Looked { team: TeamSeen { owner: None, level }, nodes: Vec::new() };
    assert_eq!(does(&mut standby(10), 10, &free(Level(2))), []);
    assert_eq!(does(&mut standby(10), 10, &free(Level(0))).len(), 1);
    assert_eq!(does(&mut standby(10), 14, &free(Level(1))), [], "its own beat is four seconds old");
}

#[test]
fn an_owner_stops_four_seconds_after_it_sent_its_last_counted_beat_and_goes_on_when_nobody_took_it() {
    let mut node = owner(10);
    assert!(node.may_answer(Elapsed(13_999)) && !node.may_answer(at(14)));
    does(&mut node, 10, &NodeCommand::Tick);
    let effects = does(&mut node, 14, &NodeCommand::Tick);
    let expected =
        [NodeEffect::Freeze, NodeEffect::Resolve { epoch: Epoch(7) }, NodeEffect::Beat { incarnation: LIFE }];
    assert_eq!(effects, expected);
    assert_eq!(node.standing, Standing::Frozen { epoch: Epoch(7) });
    let again = does(&mut node, 15, &NodeCommand::Resolved { epoch: Epoch(8) });
    assert_eq!(again, [NodeEffect::Resolve { epoch: Epoch(7) }], "it may have been declared dead since");
    does(&mut node, 15, &counted(14));
    assert!(!node.may_answer(at(15)), "frozen until it is resolved");
    assert_eq!(does(&mut node, 15, &NodeCommand::Resolved { epoch: Epoch(9) }), [NodeEffect::GoOn { epoch: Epoch(9) }]);
    assert!(node.may_answer(at(15)));
}

#[test]
fn a_beat_counts_from_when_it_was_sent_and_one_of_a_former_life_not_at_all() {
    let mut node = owner(10);
    does(&mut node, 13, &counted(11));
    assert!(node.may_answer(at(14)) && !node.may_answer(at(15)));
    does(&mut node, 14, &counted(9));
    assert!(node.may_answer(at(14)), "answers may come in any order");
    let former = NodeCommand::BeatAnswered { incarnation: Incarnation(0), sent: at(14), counted: true };
    does(&mut node, 14, &former);
    assert!(!node.may_answer(at(15)));
}

#[test]
fn who_is_declared_dead_ends_and_joins_anew() {
    let refused = NodeCommand::BeatAnswered { incarnation: LIFE, sent: at(12), counted: false };
    let mut node = owner(10);
    assert_eq!(does(&mut node, 12, &refused), [NodeEffect::End, NodeEffect::Join]);
    assert_eq!((node.standing, node.is_sure(at(12))), (Standing::Apart, false));
    let mut node = owner(10);
    assert_eq!(does(&mut node, 12, &NodeCommand::Fenced), [NodeEffect::End]);
    assert_eq!(node.standing, Standing::Standby);
}

#[test]
fn a_team_is_given_away_once_all_is_written() {
    let mut node = owner(10);
    assert_eq!(does(&mut node, 11, &NodeCommand::Stop), [NodeEffect::Drain]);
    assert!(node.may_answer(at(11)), "what is under way is finished");
    assert_eq!(does(&mut node, 12, &NodeCommand::Drained), [NodeEffect::Release { epoch: Epoch(7) }]);
    assert_eq!(does(&mut node, 12, &NodeCommand::Released), [NodeEffect::End]);
    assert_eq!(does(&mut node, 12, &NodeCommand::Stop), [NodeEffect::Leave]);
    assert_eq!(does(&mut node, 13, &NodeCommand::Tick), []);
}

#[test]
fn time_goes_on_from_the_databases_by_the_own_clock() {
    let anchor = ClockAnchor::new(Timestamp(1_000_000), at(5));
    assert_eq!(anchor.now(at(7)), Timestamp(1_002_000));
    assert_eq!(anchor.now(at(4)), Timestamp(1_000_000));
}

fn any_command() -> impl Strategy<Value = NodeCommand> {
    let life = || (0..3_u64).prop_map(Incarnation);
    let seen = (life(), 0..3_u64, any::<bool>(), any::<bool>());
    prop_oneof![
        4 => Just(NodeCommand::Tick),
        1 => life().prop_map(|incarnation| NodeCommand::Joined { incarnation }),
        4 => (life(), 0..60_u64, prop::bool::weighted(0.8))
            .prop_map(|(life, s, counted)| NodeCommand::BeatAnswered { incarnation: life, sent: at(s), counted }),
        4 => (prop::option::of(1..3_u32), life(), 0..3_u16, seen).prop_map(|(owner, life, level, seen)| {
            let (incarnation, beat, alive, died) = seen;
            let nodes = vec![NodeSeen { id: OTHER, incarnation, beat: Beat(beat), alive, died }];
            let owner = owner.map(|id| (NodeId(id), life));
            NodeCommand::Looked { team: TeamSeen { owner, level: Level(level) }, nodes }
        }),
        2 => (0..9_u64).prop_map(|epoch| NodeCommand::Taken { epoch: Epoch(epoch) }),
        2 => (0..9_u64).prop_map(|epoch| NodeCommand::Resolved { epoch: Epoch(epoch) }),
        2 => prop::sample::select(vec![
            NodeCommand::TakeRefused, NodeCommand::Fenced, NodeCommand::Unanswered, NodeCommand::Drain,
            NodeCommand::Drained, NodeCommand::Released, NodeCommand::Stop,
        ]),
    ]
}

proptest! {
    /// Whatever comes in whatever order: who may answer has the team and a fresh beat, the team is asked for only by
    /// who has none, and what was begun is ended before anything else is begun.
    #[test]
    fn whatever_it_hears(story in prop::collection::vec((0..4_u64, any_command()), 1..80)) {
        let (mut node, mut now, mut begun) = (Node::new(ME, Level(1)), 0, false);
        for (later, command) in story {
            now += later;
            let before = node.clone();
            for effect in does(&mut node, now, &command) {
                match effect {
                    NodeEffect::Begin { .. } => {
                        prop_assert!(!begun);
                        begun = true;
                    }
                    NodeEffect::End => {
                        prop_assert!(begun);
                        begun = false;
                    }
                    NodeEffect::Take { .. } => {
                        prop_assert!(!begun && before.is_sure(at(now)));
                        prop_assert_eq!(before.standing, Standing::Standby);
                    }
                    NodeEffect::GoOn { .. } | NodeEffect::Freeze | NodeEffect::Drain | NodeEffect::Release { .. } => {
                        prop_assert!(begun);
                    }
                    NodeEffect::Join | NodeEffect::Beat { .. } | NodeEffect::Resolve { .. } | NodeEffect::Leave => {}
                }
            }
            let has_it = matches!(
                node.standing,
                Standing::Owning { .. } | Standing::Frozen { .. } | Standing::Draining { .. }
            );
            prop_assert_eq!(has_it, begun, "{:?} after {:?}", node.standing, command);
            prop_assert!(!node.may_answer(at(now)) || begun && node.is_sure(at(now)));
        }
    }
}
