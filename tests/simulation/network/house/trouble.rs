//! What befalls two hubs and their database: each trouble begins, lasts, and is mended; and between any two steps of it
//! somebody looks who may answer.

use std::rc::Rc;
use std::time::Duration;

use turmoil::Sim;

use super::clocks;
use super::database::Pulse;
use super::flaws::Flaw;
use super::member::Cluster;
use super::{DATABASE, HUBS};
use crate::network::players::Shared;
use crate::rng::Rng;

const HOUR: Duration = Duration::from_secs(3_600);
const CLIENTS: [&str; 4] = ["coder-1", "coder-2", "tester-1", "asker"];

/// In milliseconds after a beat was counted: it looks twice a second, and counts again at the first look after two.
const LAST_LOOK: u64 = 1_350;

pub(super) struct Trouble<'a> {
    pub(super) sim: Sim<'a>,
    pub(super) house: Rc<Cluster>,
    pub(super) book: Shared,
    rng: Rng,
    /// When a hub that ended is started again.
    again: [Option<Duration>; 2],
    killed: [bool; 2],
    pub(super) is_over: bool,
}

impl<'a> Trouble<'a> {
    pub(super) fn new(sim: Sim<'a>, house: Rc<Cluster>, book: Shared, seed: u64) -> Self {
        Self { sim, house, book, rng: Rng::new(seed ^ 0x40e5), again: [None; 2], killed: [false; 2], is_over: false }
    }

    /// Plays on for so long, or until everybody has gone home.
    pub(super) fn passes(&mut self, span: Duration) {
        let until = self.sim.elapsed() + span;
        while !self.is_over && self.sim.elapsed() < until {
            match self.sim.step() {
                Ok(over) => self.is_over = over,
                Err(error) => {
                    self.book.borrow_mut().findings.push(format!("I5: it does not end: {error}"));
                    self.is_over = true;
                }
            }
            clocks::reach(self.sim.elapsed());
            self.looks();
            self.supervises();
        }
    }

    /// Who may answer now misses nothing: nobody else has taken the team, who may write at once.
    fn looks(&mut self) {
        for (which, host) in HUBS.iter().enumerate() {
            let member = self.house.members[which].borrow();
            let Some((holding, ownership)) = &member.answers else { continue };
            let runs = !clocks::is_suspended(which) && self.sim.is_host_running(*host);
            if runs && ownership.holds() && self.house.database.state().is_behind(*holding) {
                let finding = format!("no stale read: {host} may answer as {holding:?}, and another one took the team");
                self.book.borrow_mut().findings.push(finding);
                self.is_over = true;
            }
        }
    }

    fn supervises(&mut self) {
        let now = self.sim.elapsed();
        for (which, host) in HUBS.iter().enumerate() {
            if self.killed[which] || self.sim.is_host_running(*host) {
                continue;
            }
            let at = *self.again[which].get_or_insert(now + Duration::from_millis(100 + self.rng.next() % 1_500));
            if now >= at {
                self.again[which] = None;
                self.house.members[which].borrow_mut().answers = None;
                self.book.borrow_mut().count("ended by itself");
                self.sim.bounce(*host);
            }
        }
    }

    fn between(&mut self, least: u64, most: u64) -> Duration {
        Duration::from_millis(least + self.rng.next() % (most - least))
    }

    fn kills(&mut self, which: usize) {
        self.sim.crash(HUBS[which]);
        self.house.members[which].borrow_mut().answers = None;
        (self.killed[which], self.again[which]) = (true, None);
    }

    fn starts(&mut self, which: usize) {
        if std::mem::take(&mut self.killed[which]) {
            self.sim.bounce(HUBS[which]);
        }
    }

    fn suspends(&mut self, which: usize, span: Duration) {
        let until = self.sim.elapsed() + span;
        self.suspends_until(which, until, |_| false);
    }

    /// Everything that it would hear or say waits, as do its timers, until then or until something is so.
    fn suspends_until(&mut self, which: usize, until: Duration, what: impl Fn(&Cluster) -> bool) {
        let all = || CLIENTS.into_iter().chain([DATABASE]);
        all().for_each(|other| self.sim.hold(HUBS[which], other));
        clocks::suspend(which);
        self.until(until, what);
        clocks::wake(which, self.house.database.flaw == Some(Flaw::StandingClock));
        all().for_each(|other| self.sim.release(HUBS[which], other));
    }

    pub(super) fn pauses(&mut self) {
        let span = self.between(500, 5_000);
        self.passes(span);
    }

    fn pulse(&self, which: usize) -> Pulse {
        self.house.database.state().pulse(which)
    }

    /// Plays on until something is so, but no longer than until then; whether it is so.
    fn until(&mut self, last: Duration, what: impl Fn(&Cluster) -> bool) -> bool {
        while !self.is_over && self.sim.elapsed() < last && !what(&self.house) {
            self.passes(Duration::from_millis(1));
        }
        what(&self.house)
    }

    /// Plays on until a node has said or done something more often than now, but no longer than until then.
    fn until_more(&mut self, which: usize, last: Duration, of: fn(Pulse) -> u64) -> bool {
        let before = of(self.pulse(which));
        self.until(last, |house| of(house.database.state().pulse(which)) > before)
    }

    /// Plays on until a beat of this node is counted, and says when.
    fn counted(&mut self, which: usize) -> Duration {
        let last = self.sim.elapsed() + Duration::from_secs(3);
        self.until_more(which, last, |pulse| pulse.beats_counted);
        self.pulse(which).counted_at
    }

    /// The owner's next beat is sent as late as it may be, and comes when the owner was declared dead: its machine was
    /// suspended, and wakes as soon as another one has the team.
    fn delays_a_beat(&mut self, owner: usize) -> &'static str {
        let (hub, began) = (HUBS[owner], self.counted(owner));
        let at = |millis| began + Duration::from_millis(millis);
        // Before its next beat it looks; that is answered late.
        self.until(at(LAST_LOOK), |_| false);
        self.sim.hold(hub, DATABASE);
        self.until_more(owner, at(LAST_LOOK + 700), |pulse| pulse.looks_sent);
        self.passes(Duration::from_millis(800));
        self.sim.release(hub, DATABASE);
        self.until_more(owner, at(3_200), |pulse| pulse.looks);
        self.passes(Duration::from_millis(150));
        self.sim.hold(hub, DATABASE);
        self.until_more(owner, at(3_800), |pulse| pulse.beats_sent);
        self.suspends_until(owner, at(8_000), |house| {
            let holder = house.database.state().holder();
            holder.is_some_and(|(node, _)| usize::try_from(node.0) != Ok(owner))
        });
        "late beat"
    }

    /// Whoever stands by looks before the owner's next beat, which is late, and hears of it when that beat is long
    /// counted: its machine was suspended, and wakes when the beat that it saw is old enough, and its own is not.
    fn delays_a_look(&mut self, owner: usize) -> &'static str {
        let (hub, other, began) = (HUBS[owner], 1 - owner, self.counted(owner));
        let at = |millis| began + Duration::from_millis(millis);
        self.until(at(LAST_LOOK), |_| false);
        self.sim.partition_oneway(hub, DATABASE);
        self.until(at(2_500), |_| false);
        self.sim.hold(hub, DATABASE);
        let counts = self.until_more(other, at(3_300), |pulse| pulse.beats_counted);
        let counted = self.pulse(other).counted_at;
        let looks = counts && self.until_more(other, at(3_400), |pulse| pulse.looks);
        self.sim.release(hub, DATABASE);
        if looks {
            self.suspends_until(other, counted + Duration::from_millis(3_600), |_| false);
        }
        "late look"
    }

    /// One trouble from its beginning to its end.
    pub(super) fn strikes(&mut self) {
        let holder = self.house.database.state().holder();
        let owner = holder.map_or(0, |(node, _)| usize::try_from(node.0).unwrap());
        let what = match self.rng.below(18) {
            0..=3 => self.cuts(owner),
            4..=8 => self.stops(owner),
            9..=11 => self.delays_a_beat(owner),
            12..=14 => self.delays_a_look(owner),
            _ => self.ends(owner),
        };
        self.book.borrow_mut().count(what);
    }

    /// Something does not come through, or late.
    fn cuts(&mut self, owner: usize) -> &'static str {
        let (hub, client, span) = (HUBS[owner], self.rng.one_of(&CLIENTS), self.between(1_000, 9_000));
        let (from, to, what) = match self.rng.below(6) {
            0 | 1 => {
                self.sim.partition(hub, DATABASE);
                (hub, DATABASE, "cut")
            }
            2 => {
                let (from, to) = self.rng.one_of(&[(hub, DATABASE), (DATABASE, hub)]);
                self.sim.partition_oneway(from, to);
                (hub, DATABASE, "one way")
            }
            3 => {
                self.sim.hold(hub, DATABASE);
                (hub, DATABASE, "held")
            }
            4 => {
                self.sim.partition(client, hub);
                (client, hub, "client cut")
            }
            _ => {
                self.sim.partition(HUBS[0], HUBS[1]);
                (HUBS[0], HUBS[1], "hubs cut")
            }
        };
        self.passes(span);
        self.sim.release(from, to);
        self.sim.repair(from, to);
        what
    }

    /// A machine is suspended.
    fn stops(&mut self, owner: usize) -> &'static str {
        let span = self.between(3_000, 12_000);
        match self.rng.below(3) {
            0 => {
                self.suspends(1 - owner, span);
                "standby suspended"
            }
            1 => {
                self.suspends(owner, span);
                "owner suspended"
            }
            _ => {
                // While the answer to its beat is on its way.
                self.counted(owner);
                self.suspends(owner, span);
                "late answer"
            }
        }
    }

    /// A process ends, or the database's does.
    fn ends(&mut self, owner: usize) -> &'static str {
        match self.rng.below(4) {
            0 => {
                let span = self.between(100, 9_000);
                self.kills(owner);
                self.passes(span);
                self.starts(owner);
                "killed"
            }
            1 => {
                let span = self.between(100, 6_000);
                self.sim.crash(DATABASE);
                self.passes(span);
                self.sim.bounce(DATABASE);
                "database restarted"
            }
            2 => {
                self.house.members[owner].borrow().end.cancel();
                "ended"
            }
            _ => {
                // A node whose clock is wrong by an hour takes over.
                let ahead = self.rng.one_of(&[Duration::ZERO, HOUR, 2 * HOUR]);
                self.house.members[1 - owner].borrow_mut().ahead = ahead;
                self.kills(1 - owner);
                self.starts(1 - owner);
                self.passes(Duration::from_secs(3));
                self.house.members[owner].borrow().end.cancel();
                "clock set"
            }
        }
    }
}
