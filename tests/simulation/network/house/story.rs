//! One seed: troubles one after another, then everything heals, and all that was promised must be true.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use turmoil::Builder;

use super::database::Database;
use super::flaws::Flaw;
use super::member::Cluster;
use super::trouble::Trouble;
use super::{DATABASE, HUBS, clocks};
use crate::errors::hearing;
use crate::network::hub::DurableState;
use crate::network::players::{AGENTS, Book, Shared, agent, asker};
use crate::network::story::{each_seed, judge};
use crate::network::wire::{Door, HubConnection};

/// Seeds of a normal run.
const SEEDS: u64 = 24;
const TICK: Duration = Duration::from_millis(50);
/// So long there is trouble.
const TROUBLE: Duration = Duration::from_secs(100);
/// By then everything must be done.
const TIMEOUT: Duration = Duration::from_secs(600);

/// What is logged when a hub loses its journal.
const EXPECTED: [&str; 2] = ["another hub has taken it", "another program writes"];

#[test]
fn every_promise_is_true_when_a_house_has_healed() {
    let must = [
        "handed", "taken", "resolved", "fenced", "killed", "ended by itself", "clock set", "held", "late beat",
        "late look",
    ];
    each_seed("house", SEEDS, &must, |seed| play(seed, None));
}

pub(super) fn play(seed: u64, flaw: Option<Flaw>) -> Book {
    hearing(|heard| {
        clocks::begin();
        let book: Shared = Rc::new(RefCell::new(Book::default()));
        let (durable, database) = (DurableState::new(seed), Database::new(seed, flaw));
        let house =
            Rc::new(Cluster { durable, database: database.clone(), members: [RefCell::default(), RefCell::default()] });
        let mut sim = Builder::new()
            .rng_seed(seed)
            .tick_duration(TICK)
            .simulation_duration(TIMEOUT + TROUBLE)
            .min_message_latency(Duration::from_millis(1))
            .max_message_latency(Duration::from_millis(60))
            .build();
        sim.host(DATABASE, move || database.clone().serves());
        for (which, host) in HUBS.into_iter().enumerate() {
            let house = Rc::clone(&house);
            sim.host(host, move || Rc::clone(&house).lives(which));
        }
        for (number, (name, _)) in AGENTS.iter().enumerate() {
            let door = if number == 1 { Door::Mcp } else { Door::Plain };
            let line = HubConnection::new(house.durable.token(Some(name)), door, &HUBS);
            sim.client(*name, agent(number, line, seed, Rc::clone(&book)));
        }
        let line = HubConnection::new(house.durable.token(None), Door::Plain, &HUBS);
        sim.client("asker", asker(line, seed, Rc::clone(&book)));
        let mut trouble = Trouble::new(sim, Rc::clone(&house), Rc::clone(&book), seed);
        while trouble.sim.elapsed() < TROUBLE && !trouble.is_over && !book.borrow().over {
            trouble.pauses();
            trouble.strikes();
        }
        trouble.passes(TIMEOUT);
        let healed = flaw.is_none_or(|_| book.borrow().findings.is_empty());
        drop(trouble);
        let mut found = house.database.state().end();
        if healed {
            found.extend(judge(&house.database.reader, &book.borrow()));
        }
        let logged = heard.take().into_iter().filter(|line| !EXPECTED.iter().any(|words| line.contains(words)));
        found.extend(logged.map(|line| format!("logged: {line}")));
        let mut book = book.take();
        book.findings.append(&mut found);
        for (what, times) in &house.database.state().counts {
            *book.counts.entry((*what).to_owned()).or_default() += times;
        }
        book
    })
}
