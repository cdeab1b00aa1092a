//! Several nodes on one database, on a time that the tests tell.

use super::*;
use crate::domain::node::{Beat, Elapsed, Epoch, Incarnation, NodeCommand, NodeEffect, NodeId, NodeState, Standing};
use crate::postgres::store::Driver;
use crate::postgres::{Holder, LiveNode, NodeStatements as _, Nodes};

/// A database, and a folder that all of its nodes share.
pub(super) struct Shared {
    driver: Driver,
    pub(super) url: String,
    folder: tempfile::TempDir,
}

impl Shared {
    pub(super) fn new() -> Self {
        let url = SERVER.url("callboard", &SERVER.database(""));
        Self { driver: Driver::start().unwrap(), url, folder: tempfile::tempdir().unwrap() }
    }

    pub(super) fn place(&self) -> DatabasePlace {
        place(&self.url, self.folder.path())
    }

    pub(super) fn waits<T>(&self, what: impl Future<Output = T>) -> T {
        self.driver.wait_for(what).unwrap()
    }

    pub(super) fn nodes(&self, name: &str) -> (Nodes, Incarnation) {
        self.waits(async {
            let mut nodes =
                Nodes::open(self.place(), name, Some(format!("https://{name}.example")), "1.2.3").await.unwrap();
            let life = nodes.join().await.unwrap();
            (nodes, life)
        })
    }

    fn live(&self, name: &str) -> LiveNode {
        self.waits(LiveNode::open(self.place(), name, None, "1.2.3")).unwrap()
    }

    /// What a node does at this second: it counts and looks.
    fn turn(&self, node: &mut LiveNode, second: u64) -> Vec<NodeEffect> {
        let now = || Elapsed(second * 1_000);
        self.waits(async {
            let mut left = node.hears(&now, NodeCommand::Tick).await;
            left.extend(node.looks(&now).await.unwrap().0);
            left
        })
    }
}

pub(super) fn opened(
    place: DatabasePlace,
    node: NodeId,
    incarnation: Incarnation,
) -> Result<crate::postgres::PgStore, OpenError> {
    open(&place.held_by(Some(Holder { node, incarnation }))).map(|(store, _)| store)
}

#[test]
fn the_team_is_taken_from_nobody_once_and_from_an_owner_only_at_the_beat_that_was_seen() {
    let shared = Shared::new();
    let ((mut a, life), (mut b, other), at) = (shared.nodes("a"), shared.nodes("b"), || Elapsed(7));
    shared.waits(async {
        a.look().await.unwrap();
        b.look().await.unwrap();
        let epoch = a.take(None, life).await.unwrap().unwrap();
        assert_eq!(b.take(None, other).await, Ok(None), "it is not free any more");
        let look = b.look().await.unwrap();
        assert_eq!(look.team.owner, Some((a.id(), life)));
        let states: Vec<_> = look.views.iter().map(|view| (view.name.as_str(), view.state)).collect();
        assert_eq!(states, [("a", NodeState::Owner), ("b", NodeState::Gone)], "which has not counted yet");
        assert_eq!(look.views[0].public_url.as_deref(), Some("https://a.example"));
        assert!(look.views[0].since.is_some() && look.views[0].version == "1.2.3", "{look:?}");
        assert!(a.take(None, life).await.unwrap().is_none(), "it saw nobody");
        a.look().await.unwrap();
        let again = a.take(None, life).await.unwrap().unwrap();
        assert!(again > epoch, "who did not hear that it has the team takes it again");
        let epoch = again;
        assert_eq!(b.take(None, other).await, Ok(None), "its owner lives");
        assert_eq!(a.beat(life, &at).await, Ok((true, Elapsed(7))));
        assert_eq!(b.take(Some((a.id(), life, Beat(0))), other).await, Ok(None), "it counted since");
        assert_eq!(a.beat(life, &at).await, Ok((true, Elapsed(7))), "who was not taken from goes on");
        let taken = b.take(Some((a.id(), life, Beat(2))), other).await.unwrap();
        assert_eq!(taken, Some(Epoch(epoch.0 + 1)));
        assert_eq!(a.beat(life, &at).await, Ok((false, Elapsed(7))));
        assert_eq!(a.take(None, life).await, Ok(None), "who was declared dead takes nothing");
        assert_eq!(b.beat(other, &at).await, Ok((true, Elapsed(7))));
    });
    let listed = |b: &mut Nodes| shared.waits(async { b.look().await.unwrap().views.len() });
    assert_eq!(listed(&mut b), 2);
    let a_week_and_a_day_ago = "UPDATE node SET beaten = beaten - 8 * 86400000 WHERE name = 'a'";
    SERVER.sql(shared.url.rsplit('/').next().unwrap(), a_week_and_a_day_ago);
    assert_eq!(listed(&mut b), 1, "who is gone for a week is not shown any more");
}

#[test]
fn of_two_that_take_at_once_one_does() {
    let shared = Shared::new();
    let ((mut a, life), (mut b, of_b), (mut c, of_c)) = (shared.nodes("a"), shared.nodes("b"), shared.nodes("c"));
    shared.waits(async {
        a.look().await.unwrap();
        a.take(None, life).await.unwrap().unwrap();
        b.look().await.unwrap();
        c.look().await.unwrap();
        let from = Some((a.id(), life, Beat(0)));
        let (one, other) = tokio::join!(b.take(from, of_b), c.take(from, of_c));
        assert_eq!(u8::from(one.unwrap().is_some()) + u8::from(other.unwrap().is_some()), 1);
    });
}

#[test]
fn only_the_life_that_holds_the_team_opens_its_journal_and_whoever_had_it_writes_nothing() {
    let shared = Shared::new();
    let ((mut a, life), (mut b, other)) = (shared.nodes("a"), shared.nodes("b"));
    shared.waits(async {
        a.look().await.unwrap();
        a.take(None, life).await.unwrap().unwrap();
    });
    let held = |refused: Result<_, OpenError>| matches!(refused.map(drop), Err(OpenError::Held { .. }));
    assert!(held(opened(shared.place(), b.id(), other)));
    let mut store = opened(shared.place(), a.id(), life).unwrap();
    store.write(&[says(1)]).remove(0).unwrap();
    shared.waits(async {
        b.look().await.unwrap();
        b.take(Some((a.id(), life, Beat(0))), other).await.unwrap().unwrap();
    });
    assert!(store.write(&[says(2)]).remove(0).is_err(), "also before the other one has opened it");
    assert!(held(opened(shared.place(), a.id(), life)), "a node that woke late takes nothing back");
    let mut next = opened(shared.place(), b.id(), other).unwrap();
    assert_eq!(next.position(), Seq(1));
    next.write(&[says(3)]).remove(0).unwrap();
    drop(next);
    shared.waits(b.leave(other)).unwrap();
    assert!(open(&shared.place()).is_ok(), "given away, it is anybody's");
}

#[test]
fn a_node_decides_and_its_statements_follow() {
    let shared = Shared::new();
    let (mut a, mut b) = (shared.live("a"), shared.live("b"));
    assert!(matches!(*shared.turn(&mut a, 0), []), "it joins");
    assert!(matches!(*shared.turn(&mut a, 0), [NodeEffect::Begin { .. }]), "nobody has it");
    for second in 0..=4 {
        assert!(matches!(*shared.turn(&mut b, second), []), "the owner is there");
    }
    assert!(matches!(*shared.turn(&mut a, 3), []), "it counted in time");
    // The owner stands still from here on.
    for second in 5..=10 {
        assert!(matches!(*shared.turn(&mut b, second), []), "at {second} s");
    }
    assert!(matches!(*shared.turn(&mut b, 11), [NodeEffect::Begin { .. }]), "six seconds after it saw it count");
    let woken = shared.turn(&mut a, 11);
    assert!(matches!(*woken, [NodeEffect::Freeze, NodeEffect::Resolve { .. }, NodeEffect::End]), "{woken:?}");
    assert_eq!(a.node().standing, Standing::Standby, "it joined again");
    let now = || Elapsed(12_000);
    shared.waits(async {
        assert_eq!(b.hears(&now, NodeCommand::Stop).await, [NodeEffect::Drain]);
        assert_eq!(b.hears(&now, NodeCommand::Drained).await, [NodeEffect::End]);
        b.hears(&now, NodeCommand::Stop).await;
    });
    shared.turn(&mut a, 12);
    assert!(matches!(a.node().standing, Standing::Owning { .. }), "what was released is taken at once");
}
