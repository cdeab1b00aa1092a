//! One seed: two minutes of trouble, then everything heals, and all that was promised must be true.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::env;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use callboard::domain::task::TaskState;
use callboard::journal::inspect::verify_reader;
use callboard::journal::memory::MemoryReader;
use callboard::journal::{PageRequest, Reader as _, TaskFilter};
use turmoil::{Builder, Sim};

use super::hub::DurableState;
use super::players::{AGENTS, Book, Shared, agent, asker};
use super::wire::{Door, HubConnection};
use crate::errors::hearing;
use crate::rng::Rng;

/// Seeds of a normal run.
const SEEDS: u64 = 8;
const TICK: Duration = Duration::from_millis(50);
/// So long there is trouble.
const TROUBLE: Duration = Duration::from_secs(120);
/// By then everything must be done.
const TIMEOUT: Duration = Duration::from_secs(600);

#[test]
fn every_promise_is_true_when_the_network_has_healed() {
    let must = ["no answer", "handed", "partition", "one way", "hold", "crash", "slow"];
    each_seed("network", SEEDS, &must, |seed| play(&DurableState::new(seed), seed));
}

/// Plays as many seeds as are asked for, `usual` without, each on a thread of its own and as many at once as there are
/// cores. Fails where one finds something, and where in that many something of `must` never happened.
pub(super) fn each_seed(what: &str, usual: u64, must: &[&str], play: impl Fn(u64) -> Book + Sync) {
    let number = |name: &str| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (from, seeds) = (number("SIM_NET_FROM").unwrap_or(0), number("SIM_NET_SEEDS").unwrap_or(usual));
    let next = AtomicU64::new(from);
    let some = || {
        let one = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|seed| *seed < from + seeds);
        std::iter::from_fn(one).map(|seed| (seed, play(seed))).collect::<Vec<_>>()
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut books: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(some)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    books.sort_unstable_by_key(|(seed, _)| *seed);
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut failing = Vec::new();
    for (seed, book) in books {
        if seeds == 1 {
            println!("{:?}\n{:?}\n{:?}", book.counts, book.asked, book.said);
        }
        for (what, times) in book.counts {
            *counts.entry(what).or_default() += times;
        }
        if !book.findings.is_empty() {
            println!("{what} seed {seed} finds:\n  {}", book.findings.join("\n  "));
            failing.push(seed);
        }
    }
    println!("{seeds} times {what} from {from}: {counts:?}");
    assert!(failing.is_empty(), "{} of {seeds} times {what} breaks a promise; seeds {failing:?}", failing.len());
    if seeds >= usual {
        for must in must {
            assert!(counts.contains_key(*must), "`{must}` never happened");
        }
    }
}

#[test]
fn a_hub_that_forgets_what_it_acknowledged_is_found_behind_the_network() {
    let lost =
        |seed: u64| play(&DurableState::forgetful(seed), seed).findings.iter().any(|finding| finding.starts_with("I1"));
    assert!((0..20).any(lost), "none of twenty networks finds it");
}

fn play(place: &Rc<DurableState>, seed: u64) -> Book {
    hearing(|heard| {
        let book: Shared = Rc::new(RefCell::new(Book::default()));
        let mut sim = Builder::new()
            .rng_seed(seed)
            .tick_duration(TICK)
            .simulation_duration(TIMEOUT + TROUBLE)
            .min_message_latency(Duration::from_millis(1))
            .max_message_latency(Duration::from_millis(60))
            .build();
        sim.host("hub", {
            let place = Rc::clone(place);
            move || {
                let place = Rc::clone(&place);
                async move { place.serves().await }
            }
        });
        for (number, (name, _)) in AGENTS.iter().enumerate() {
            let door = if number == 1 { Door::Mcp } else { Door::Plain };
            let line = HubConnection::new(place.token(Some(name)), door, &["hub"]);
            sim.client(*name, agent(number, line, seed, Rc::clone(&book)));
        }
        let line = HubConnection::new(place.token(None), Door::Plain, &["hub"]);
        sim.client("asker", asker(line, seed, Rc::clone(&book)));
        trouble(&mut sim, seed, &book);
        if let Err(error) = sim.run() {
            book.borrow_mut().findings.push(format!("I5: it does not end: {error}"));
        }
        drop(sim);
        let mut found = judge(&place.reader(), &book.borrow());
        found.extend(heard.take().into_iter().map(|line| format!("logged: {line}")));
        let mut book = book.take();
        book.findings.append(&mut found);
        book
    })
}

/// Cuts, holds, slows, crashes; and mends some of it now and then. At the end it mends everything.
fn trouble(sim: &mut Sim<'_>, seed: u64, book: &Shared) {
    let mut rng = Rng::new(seed ^ 0x7e11);
    let everybody = ["coder-1", "coder-2", "tester-1", "asker"];
    let mut next = Duration::from_secs(1);
    let mut crashed = false;
    while sim.elapsed() < TROUBLE && !book.borrow().over {
        if sim.step().unwrap_or(true) {
            return;
        }
        if sim.elapsed() < next {
            continue;
        }
        next = sim.elapsed() + Duration::from_millis(300 + rng.next() % 5_000);
        let who = rng.one_of(&everybody);
        let what = match rng.below(12) {
            0 | 1 => {
                sim.partition(who, "hub");
                "partition"
            }
            2 => {
                sim.partition_oneway("hub", who);
                "one way"
            }
            3 => {
                sim.partition_oneway(who, "hub");
                "one way"
            }
            4 => {
                sim.hold(who, "hub");
                "hold"
            }
            5 => {
                sim.set_link_max_message_latency(who, "hub", Duration::from_millis(50 + rng.next() % 3_000));
                "slow"
            }
            6 if !crashed => {
                sim.crash("hub");
                crashed = true;
                "crash"
            }
            7 | 8 if crashed => {
                sim.bounce("hub");
                crashed = false;
                "back"
            }
            _ => {
                sim.release(who, "hub");
                sim.repair(who, "hub");
                "mended"
            }
        };
        book.borrow_mut().count(what);
    }
    for who in everybody {
        sim.release(who, "hub");
        sim.repair(who, "hub");
        sim.set_link_max_message_latency(who, "hub", Duration::from_millis(60));
    }
    if crashed {
        sim.bounce("hub");
    }
}

/// What was acknowledged is there, once, and done; the journal is sound.
pub(super) fn judge(reader: &MemoryReader, book: &Book) -> Vec<String> {
    let mut found = Vec::new();
    let page = PageRequest { limit: PageRequest::MOST, cursor: None };
    let tasks = reader.tasks(&TaskFilter::default(), &page).unwrap().items;
    for (prompt, id) in &book.asked {
        let made: Vec<_> = tasks.iter().filter(|task| task.spec.prompt == *prompt).collect();
        if made.len() > 1 {
            found.push(format!("I7: `{prompt}` was made {} times", made.len()));
        }
        if id.as_ref().is_some_and(|id| made.iter().all(|task| task.id().as_str() != id)) {
            found.push(format!("I1: `{prompt}` was acknowledged as {id:?}, and is not there"));
        }
    }
    for task in &tasks {
        if !matches!(task.state, TaskState::Completed { .. }) {
            found.push(format!("I5: {} is {}", task.id(), task.name()));
        }
    }
    for (text, id, recorded) in &book.said {
        let task = tasks.iter().find(|task| task.id().as_str() == id);
        let kept = task.map_or(0, |task| {
            let texts = task.attempts.iter().filter_map(|attempt| attempt.message.as_ref());
            texts.filter(|kept| kept.head() == text).count()
        });
        if kept > 1 || (*recorded && kept == 0) {
            found.push(format!("I3: `{text}` on {id} is kept {kept} times, acknowledged: {recorded}"));
        }
    }
    let report = verify_reader(reader, |_, _| {}).unwrap();
    found.extend(report.findings.iter().map(|broken| format!("{}: {}", broken.promise, broken.sentence)));
    found
}
