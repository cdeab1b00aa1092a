//! What the hub costs without its doors: the machine that decides, the matching of tasks with agents, records as text,
//! and the journal's group commit beside a plain file that is synced.
//!
//! `cargo bench` prints a median for each; nothing is asserted. Databases go below `CALLBOARD_BENCH_DIR`, or into the
//! system's folder for temporary files.

#![expect(clippy::print_stdout, reason = "a measurement prints what it measured")]

use std::collections::BTreeSet;
use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use callboard::actors::journal::{JournalArgs, JournalReads, JournalRef};
use callboard::domain::ids::{AgentId, RoleId};
use callboard::domain::routing::matching::{Candidate, Matching, QueuedTask};
use callboard::domain::task::{Priority, RightsSet, Target, TargetWho};
use callboard::domain::time::Timestamp;
use callboard::ids::Ids;
use callboard::journal::sqlite::{self, Durability};
use callboard::journal::{Append, Entry, Record, Row, codec};
use callboard_bench::measure::story::{Cast, End};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

const NOW: Timestamp = Timestamp(1_000_000_000);
const HOUR: Duration = Duration::from_secs(3600);

fn main() -> Outcome<()> {
    let cast = Cast::gather().ok_or("the story has no cast")?;
    println!("\nthe machine, median of 21 batches\n");
    life(&cast);
    matching()?;
    records(&cast)?;
    println!("\ndurable appends a second: a task's row with its four records, and a file with as many bytes\n");
    println!("{:<14}{:>12}{:>12}{:>10}", "PRODUCERS", "JOURNAL", "FILE", "RATIO");
    let dir = folder();
    std::fs::create_dir_all(&dir)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    for producers in [1, 16, 256] {
        let journal = runtime.block_on(journal(&dir, &cast, producers))?;
        let file = runtime.block_on(file(&dir, bytes_of(&cast)?, producers))?;
        println!("{producers:<14}{journal:>12.0}{file:>12.0}{:>8.2} ×", journal / file);
    }
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}

fn folder() -> PathBuf {
    let within = std::env::var_os("CALLBOARD_BENCH_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    within.join(format!("callboard-decide-{}", std::process::id()))
}

/// The median time of one act, from 21 batches of `count`.
fn time(what: &str, count: u32, mut act: impl FnMut()) {
    let mut batches: Vec<Duration> = (0..21)
        .map(|_| {
            let began = Instant::now();
            (0..count).for_each(|_| act());
            began.elapsed() / count
        })
        .collect();
    batches.sort_unstable();
    println!("{what:<64}{:>10.2} µs", batches[batches.len() / 2].as_secs_f64() * 1e6);
}

fn life(cast: &Cast) {
    let ids = Ids::seeded(1);
    time("a task's life: created, offered, acknowledged, completed", 500, || {
        black_box(cast.lives(ids.task(), NOW, End::Completed));
    });
}

fn matching() -> Outcome<()> {
    let ids = Ids::seeded(2);
    let (role, other) = (RoleId::parse("engineer")?, RoleId::parse("tester")?);
    let task = |role: &RoleId, place: u64| QueuedTask {
        id: ids.task(),
        target: Target { who: TargetWho::Role(role.clone()), capabilities: BTreeSet::new() },
        priority: Priority::Normal,
        created_at: Timestamp(place),
        excluded: BTreeSet::new(),
        within: RightsSet::All,
        repo: None,
        held_for: None,
    };
    let mut matching = Matching::new(HOUR, HOUR);
    for place in 0..1_000 {
        let candidate = Candidate {
            role: role.clone(),
            capabilities: BTreeSet::new(),
            repo: None,
            waiting_since: Some(Timestamp(place)),
            last_seen: Some(NOW),
            reserved: None,
            only: None,
        };
        matching.candidate(&AgentId::parse(&format!("engineer-{place}"))?, candidate);
    }
    let tester = AgentId::parse("tester-1")?;
    let candidate = Candidate {
        role: other.clone(),
        capabilities: BTreeSet::new(),
        repo: None,
        waiting_since: Some(NOW),
        last_seen: Some(NOW),
        reserved: None,
        only: None,
    };
    matching.candidate(&tester, candidate);
    (0..10_000).for_each(|place| matching.enqueue(task(&other, place)));
    let called = task(&role, 1);
    time("an agent for a task, 1,000 parked and 10,000 queued for others", 500, || {
        black_box(matching.agent_for(NOW, &called));
    });
    time("a task for an agent, 10,000 queued for its role", 500, || {
        black_box(matching.task_for(NOW, &tester));
    });
    time("a task into a queue of 10,000 and out of it", 500, || {
        let called = task(&other, 5_000);
        let id = called.id.clone();
        matching.enqueue(called);
        matching.dequeue(&id);
    });
    Ok(())
}

fn records(cast: &Cast) -> Outcome<()> {
    let (records, _) = cast.lives(Ids::seeded(3).task(), NOW, End::Completed).ok_or("the story was refused")?;
    let records: Vec<Record> = records.into_iter().map(Record::Task).collect();
    let written: Vec<_> = records.iter().map(codec::encode).collect::<Result<_, _>>()?;
    time("the four records of a task's life as text", 500, || {
        black_box(records.iter().filter_map(|record| codec::encode(record).ok()).count());
    });
    time("and back", 500, || {
        let read = written.iter().map(|text| codec::decode(text.kind.name, text.kind.version, &text.body));
        black_box(read.filter(Result::is_ok).count());
    });
    Ok(())
}

/// One append of a whole life.
fn append(cast: &Cast, ids: &Ids) -> Option<Append> {
    let (records, task) = cast.lives(ids.task(), NOW, End::Completed)?;
    let entries = records.into_iter().map(|record| Entry::of_task(&task.spec.id, None, record));
    let mut append = Append::new(NOW, cast.by(), entries.collect());
    append.rows = vec![Row::Task(Arc::new(task))];
    Some(append)
}

fn bytes_of(cast: &Cast) -> Outcome<usize> {
    let append = append(cast, &Ids::seeded(4)).ok_or("the story was refused")?;
    let mut bytes = 0;
    for entry in &append.entries {
        bytes += codec::encode(&entry.record)?.body.len();
    }
    for row in &append.rows {
        if let Row::Task(task) = row {
            bytes += serde_json::to_string(task)?.len();
        }
    }
    Ok(bytes)
}

/// How long the producers of one row produce.
const SPAN: Duration = Duration::from_secs(3);

/// Appends a second, each producer waiting for its own.
async fn produce<F>(producers: usize, act: impl Fn() -> F + Clone + Send + 'static) -> Outcome<f64>
where
    F: Future<Output = bool> + Send,
{
    let began = Instant::now();
    let mut working = JoinSet::new();
    for _ in 0..producers {
        let act = act.clone();
        working.spawn(async move {
            let mut kept = 0_u32;
            while began.elapsed() < SPAN && act().await {
                kept += 1;
            }
            kept
        });
    }
    let kept: u32 = working.join_all().await.into_iter().sum();
    Ok(f64::from(kept) / began.elapsed().as_secs_f64())
}

async fn journal(dir: &Path, cast: &Cast, producers: usize) -> Outcome<f64> {
    let (store, reader) = sqlite::open(&dir.join(format!("journal-{producers}/callboard.db")), Durability::Full)?;
    let args = JournalArgs {
        store: Box::new(store),
        reads: JournalReads::new(reader),
        batch: 1024,
        mailbox: 4096,
        sink: Box::new(drop),
        search: None,
        outlet: None,
    };
    let journal: JournalRef = args.start(None).await?;
    let (cast, ids) = (cast.clone(), Ids::random());
    let line = journal.clone();
    let rate = produce(producers, move || {
        let (line, append) = (line.clone(), append(&cast, &ids));
        async move {
            match append {
                Some(append) => line.append(append).await.is_ok(),
                None => false,
            }
        }
    })
    .await;
    journal.actor().drain()?;
    rate
}

/// The floor: a thread that writes whatever came while the write before was under way, and syncs it.
async fn file(dir: &Path, bytes: usize, producers: usize) -> Outcome<f64> {
    let mut file = File::create(dir.join(format!("floor-{producers}")))?;
    let (asked, heard) = mpsc::channel::<oneshot::Sender<()>>();
    let line = vec![b'x'; bytes];
    let writer = std::thread::spawn(move || -> std::io::Result<()> {
        while let Ok(first) = heard.recv() {
            let batch: Vec<_> = std::iter::once(first).chain(heard.try_iter()).take(1024).collect();
            file.write_all(&line.repeat(batch.len()))?;
            file.sync_data()?;
            for kept in batch {
                // Who does not listen any more needs no answer.
                let _ = kept.send(());
            }
        }
        Ok(())
    });
    let rate = produce(producers, move || {
        let asked = asked.clone();
        async move {
            let (kept, answer) = oneshot::channel();
            asked.send(kept).is_ok() && answer.await.is_ok()
        }
    })
    .await;
    writer.join().map_err(|_| "the writer of the floor panicked")??;
    rate
}
