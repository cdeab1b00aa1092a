//! Plays many seeds on every processor there is, and says what they found.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use crate::coverage::Coverage;
use crate::schedule::script;
use crate::shrink::shrink;
use crate::world::{Outcome, play};

/// Fewer schedules than these may leave out something that must happen.
const COVERS: u64 = 3_000;

/// How many schedules are played between two lines that say how far it is.
const STRIDE: u64 = 10_000;

/// What many schedules came to.
#[derive(Default)]
pub(crate) struct Sum {
    pub(crate) coverage: Coverage,
    pub(crate) failing: Vec<u64>,
    /// The first failing schedule as it was played: another play of it may go another way.
    first: Option<(u64, Vec<String>)>,
    steps: usize,
    lives: usize,
    tasks: usize,
    records: u64,
}

/// Plays each of the seeds.
pub(crate) fn many(from: u64, seeds: u64) -> Sum {
    let next = AtomicU64::new(from);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (sender, outcomes) = channel::<(u64, Outcome)>();
    let mut sum = Sum::default();
    thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                let seeds = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed))
                    .take_while(|seed| *seed < from + seeds);
                // Ends early only where nobody takes the outcomes any more.
                let _ = seeds.map(|seed| (seed, play(&script(seed), None))).try_for_each(|one| sender.send(one));
            });
        }
        drop(sender);
        for (played, (seed, outcome)) in (1_u64..).zip(outcomes) {
            sum.add(seed, outcome);
            if played.is_multiple_of(STRIDE) && played < seeds {
                println!("{played} of {seeds} schedules were played, {} of them break a promise", sum.failing.len());
            }
        }
    });
    sum.failing.sort_unstable();
    sum
}

impl Sum {
    fn add(&mut self, seed: u64, outcome: Outcome) {
        self.coverage.add(&outcome.coverage);
        self.steps += outcome.steps;
        self.lives += outcome.lives;
        self.tasks += outcome.tasks;
        self.records += outcome.records;
        if !outcome.findings.is_empty() {
            println!("seed {seed} finds:\n  {}", outcome.findings.join("\n  "));
            self.failing.push(seed);
            self.first.get_or_insert((seed, outcome.trace));
        }
    }

    /// What is counted, what is missing, and the smallest failing script.
    pub(crate) fn tells(&self, from: u64, seeds: u64) {
        println!("{}", self.coverage.table());
        let Self { steps, lives, tasks, records, .. } = self;
        println!("{seeds} schedules from {from}: {steps} steps, {lives} lives, {tasks} tasks, {records} records");
        if let Some((seed, trace)) = &self.first {
            println!("seed {seed} went:\n{}", trace.join("\n"));
            let whole = script(*seed);
            match play(&whole, None).findings.first() {
                Some(found) => {
                    let small = shrink(&whole, found);
                    println!("# seed {seed}: {found}\n{}", small.written());
                    println!("which goes:\n{}", play(&small, None).trace.join("\n"));
                }
                None => println!("# seed {seed} finds nothing when it is played again: what the runtime drew decides"),
            }
        }
        assert!(
            self.failing.is_empty(),
            "{} of {seeds} schedules break a promise; seeds {:?}",
            self.failing.len(),
            self.failing
        );
        let missing = if seeds >= COVERS { self.coverage.missing() } else { Vec::new() };
        assert!(missing.is_empty(), "never happened in {seeds} schedules: {missing:?}");
    }
}
