//! Two hubs on one database while clients order and call off, and what takes the journal from one of them: killed,
//! stopped, cut off, its database restarted or lost to a standby. Nothing that was acknowledged is lost or doubled.
//!
//! `CALLBOARD_KILLS` is how often the owner is killed; each other fault comes a twentieth of that, at least once.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::private;
use super::relay::Relay;
use super::server::{Server, host};
use crate::support::dice::Dice;
use crate::support::hub_process::HubProcess;
use crate::support::{TIMEOUT, pause, plain_http};

const KILLS: &str = "CALLBOARD_KILLS";
const CLIENTS: usize = 3;

fn kills() -> usize {
    std::env::var(KILLS).map_or(3, |kills| kills.parse().expect("a number of kills"))
}

/// An order that was acknowledged, and when: its words, and the task that it became.
struct Acknowledged {
    words: String,
    task: String,
    at: Instant,
}

struct Cluster {
    server: Server,
    /// Holds settings and sockets.
    _dir: tempfile::TempDir,
    data: PathBuf,
    ports: [u16; 2],
    configs: [String; 2],
    hubs: [Option<HubProcess>; 2],
}

impl Cluster {
    /// Each hub's address of the database from where its server's socket is, and its number.
    fn new(server: Server, url: impl Fn(&Server, &Path, usize) -> String) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        fs::create_dir(&data).unwrap();
        private(&data);
        let ports = [0, 1].map(|_| TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port());
        let configs = [0, 1].map(|which| {
            let folder = dir.path().join(format!("config-{which}"));
            fs::create_dir(&folder).unwrap();
            let limits = "limits: {requestsPerSecond: 5000, burst: 5000}\n";
            let node = format!("node: {{name: hub-{which}, sharedDisk: true}}\n");
            let text = format!("store: {}\n{node}{limits}", url(&server, dir.path(), which));
            fs::write(folder.join("hub.yaml"), text).unwrap();
            folder.display().to_string()
        });
        let mut house = Self { server, _dir: dir, data, ports, configs, hubs: [None, None] };
        house.starts(0);
        house.owner();
        house.starts(1);
        house
    }

    fn starts(&mut self, which: usize) {
        let arguments = ["--config", &self.configs[which]];
        self.hubs[which] = Some(HubProcess::start_at_with(&self.data, self.ports[which], &arguments));
    }

    /// Waits until one of them serves, and says which. One that ended is started again, as a service is.
    fn owner(&mut self) -> usize {
        let since = Instant::now();
        loop {
            for which in 0..2 {
                let ready = plain_http::send(self.ports[which], "GET", "/readyz", "", &Value::Null);
                if ready.is_ok_and(|(status, _)| status == 200) {
                    return which;
                }
                if self.hubs[which].as_mut().is_some_and(HubProcess::has_ended) {
                    self.starts(which);
                }
            }
            assert!(since.elapsed() < TIMEOUT, "nobody takes the journal: {}", self.log());
            pause(10);
        }
    }

    fn signals(&self, which: usize, signal: &str) {
        let pid = self.hubs[which].as_ref().unwrap().pid().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }

    fn log(&self) -> String {
        fs::read_to_string(self.data.join("hub.log")).unwrap_or_default()
    }

    /// Clients order while `faults` happen; then all that was acknowledged is there once. Says how long nobody
    /// acknowledged anything over each fault.
    #[expect(clippy::print_stdout, reason = "what so many faults came to")]
    fn keeps_everything(mut self, what: &str, rounds: usize, fault: impl Fn(&mut Self, usize)) {
        let token = fs::read_to_string(self.data.join("operator.token")).unwrap().trim().to_owned();
        let (over, ports) = (AtomicBool::new(false), self.ports);
        let (told, hears) = channel();
        let mut moments = Vec::new();
        thread::scope(|scope| {
            for client in 0..CLIENTS {
                let (told, token, over) = (told.clone(), &token, &over);
                scope.spawn(move || orders(client, ports, token, over, &told));
            }
            drop(told);
            // Also when something is found amiss: nobody waits for them for ever.
            let _over = Over(&over);
            let mut dice = Dice(7_420);
            for _ in 0..rounds {
                let owner = self.owner();
                // At any moment between two beats.
                pause(400 + dice.below(2_000) as u64);
                moments.push(Instant::now());
                fault(&mut self, owner);
                self.owner();
                // Time for the first order after it.
                pause(600);
            }
            self.owner();
        });
        let acknowledged: Vec<Acknowledged> = hears.into_iter().collect();
        let owner = self.owner();
        let (lost, doubled) = self.judges(owner, &token, &acknowledged);
        let gaps = gaps(&acknowledged, &moments);
        let at = |part: usize| gaps.get(gaps.len().saturating_sub(1) * part / 2).copied().unwrap_or_default();
        println!(
            "{what}: {rounds} times, {} acknowledged, {lost} lost, {doubled} doubled; nothing acknowledged for {:.1} s \
             at least, {:.1} s in the median, {:.1} s at most",
            acknowledged.len(),
            at(0).as_secs_f64(),
            at(1).as_secs_f64(),
            at(2).as_secs_f64(),
        );
        assert_eq!((lost, doubled), (0, 0), "{}", self.log());
        assert!(acknowledged.len() > rounds, "hardly anything was acknowledged");
    }

    fn judges(&self, owner: usize, token: &str, acknowledged: &[Acknowledged]) -> (usize, usize) {
        let mut there: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut cursor = String::new();
        loop {
            let path = format!("/api/v1/tasks?limit=100{cursor}");
            let (_, page) = plain_http::send(self.ports[owner], "GET", &path, token, &Value::Null).unwrap();
            for task in page["items"].as_array().unwrap() {
                let text = |field: &str| task[field].as_str().unwrap().to_owned();
                there.entry(text("prompt")).or_default().push(text("taskId"));
            }
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        let lost = acknowledged.iter().filter(|it| !there.get(&it.words).is_some_and(|ids| ids.contains(&it.task)));
        (lost.count(), there.values().filter(|ids| ids.len() > 1).count())
    }
}

/// Sends the clients home when it is dropped.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Orders under a key until somebody acknowledges it, and calls it off: so no hub carries an ever longer queue.
fn orders(client: usize, ports: [u16; 2], token: &str, over: &AtomicBool, told: &Sender<Acknowledged>) {
    let mut which = 0;
    let mut ask = |path: &str, key: &str, body: &Value| -> Option<Value> {
        while !over.load(Ordering::SeqCst) {
            let headers = format!("Idempotency-Key: {key}\r\n");
            match plain_http::send_with(ports[which], "POST", path, token, &headers, body) {
                Ok((status, answer)) if (200..300).contains(&status) => return Some(answer),
                Ok((409, _)) => return None,
                Ok((0 | 503, _)) | Err(_) => which = 1 - which,
                Ok((status, answer)) => panic!("{path}: {status} {answer}"),
            }
            pause(5);
        }
        None
    };
    for number in 0.. {
        let words = format!("order {number} of {client}");
        let body = json!({ "targetAgentId": "any", "prompt": words });
        let Some(made) = ask("/api/v1/tasks", &format!("order-{client}-{number}"), &body) else { return };
        let task = made["taskId"].as_str().unwrap().to_owned();
        told.send(Acknowledged { words, task: task.clone(), at: Instant::now() }).unwrap();
        let reason = json!({ "reason": "not needed" });
        let _ = ask(&format!("/api/v1/tasks/{task}/cancel"), &format!("off-{client}-{number}"), &reason);
        pause(40);
    }
}

/// From the last acknowledgement before each moment until the first after it, the shortest first.
fn gaps(acknowledged: &[Acknowledged], moments: &[Instant]) -> Vec<Duration> {
    let mut at: Vec<Instant> = acknowledged.iter().map(|it| it.at).collect();
    at.sort_unstable();
    // What was on its way when it struck may have been answered in the same moment: the longest pause after it, and
    // before the next one.
    let pauses = |(number, moment): (usize, &Instant)| {
        let from = at.partition_point(|at| at < moment).saturating_sub(1);
        let next = moments.get(number + 1);
        let pairs = at[from..].windows(2).take_while(|pair| next.is_none_or(|next| pair[1] < *next));
        pairs.map(|pair| pair[1] - pair[0]).max()
    };
    let mut gaps: Vec<Duration> = moments.iter().enumerate().filter_map(pauses).collect();
    gaps.sort_unstable();
    gaps
}

fn plain(server: &Server, _: &Path, _: usize) -> String {
    server.url()
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn the_owner_is_killed() {
    Cluster::new(Server::start(), plain).keeps_everything("killed", kills(), |house, owner| {
        house.hubs[owner].take().unwrap().kill();
        house.owner();
        house.starts(owner);
    });
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn the_owner_is_stopped_for_fifteen_seconds() {
    Cluster::new(Server::start(), plain).keeps_everything("stopped", few(), |house, owner| {
        house.signals(owner, "-STOP");
        pause(15_000);
        house.signals(owner, "-CONT");
    });
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn the_owner_is_cut_off_from_the_database() {
    let relays = std::cell::RefCell::new(Vec::new());
    let through = |server: &Server, dir: &Path, which: usize| {
        let relay = Relay::start(dir.join(format!("relay-{which}")), &server.folder);
        let url = format!("postgres://callboard@{}/postgres", host(&relay.folder));
        relays.borrow_mut().push(relay);
        url
    };
    Cluster::new(Server::start(), through).keeps_everything("cut off", few(), |_, owner| {
        relays.borrow()[owner].is_cut_for(Duration::from_secs(9));
    });
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn the_database_is_restarted_as_after_a_crash() {
    Cluster::new(Server::start(), plain).keeps_everything("database restarted", few(), |house, _| {
        house.server.is_told("restart");
    });
}

#[test]
#[ignore = "needs PostgreSQL: tests/postgres/run"]
fn a_synchronous_standby_becomes_the_primary() {
    for _ in 0..few() {
        let mut server = Server::start();
        server.is_told("standby");
        let both = |server: &Server, _: &Path, _: usize| {
            let hosts = format!("{},{}", host(&server.folder), host(&server.folder.join("second")));
            format!("postgres://callboard@{hosts}/postgres?target_session_attrs=read-write")
        };
        Cluster::new(server, both).keeps_everything("standby promoted", 1, |house, _| {
            house.server.is_told("promote");
        });
    }
}

/// How often what takes its time.
fn few() -> usize {
    (kills() / 20).max(1)
}
