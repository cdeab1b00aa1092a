//! A hub that is lost and found again, at each place of a story.

use tokio::task::LocalSet;

use super::hub::{Connection, FakeHub, offer, run};
use super::stage::{Stage, is_gone};
use crate::domain::ids::RunId;
use crate::domain::on_call::{FromHost, ToHost};
use crate::domain::task::RunEnd;

#[tokio::test]
async fn a_process_goes_on_while_the_hub_is_away_and_its_end_is_told_after() {
    LocalSet::new()
        .run_until(async {
            let stage = Stage::new().await;
            let host = stage.starts(stage.script("read go < go; echo went"));
            std::process::Command::new("mkfifo").arg(stage.workspace.path().join("go")).status().unwrap();
            let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
            hub.says(ToHost::Offer(Box::new(offer("fs-1", "1", "paint")))).await;
            let pid = hub.started().await;
            drop(hub);
            let mut hub = stage.hub.connected().await;
            assert_eq!(hub.hello.runs, [run("1")], "it is still there");
            // The end comes while nobody listens.
            hub.says(ToHost::Called { run: run("1") }).await;
            drop(hub);
            let go = stage.workspace.path().join("go");
            tokio::task::spawn_blocking(|| std::fs::write(go, "go\n").unwrap()).await.unwrap();
            is_gone(pid).await;
            let mut hub = stage.hub.welcomes(&["fs-1"], &["1"]).await;
            let (heard, ended) = hub.ended_unkept().await;
            assert_eq!((ended.reason, ended.tail.as_deref()), (RunEnd::NoReport, Some("went")));
            // Lost before it was kept: it is told again, with its number.
            drop(hub);
            let mut hub = stage.hub.welcomes(&["fs-1"], &["1"]).await;
            assert_eq!(hub.ended_unkept().await.0, heard);
            hub.keeps(&heard, false).await;
            assert_eq!(hub.parked().await.as_str(), "fs-1");
            host.is_to_end();
            assert!(hub.said_bye().await);
        })
        .await;
}

#[tokio::test]
async fn a_run_that_the_hub_ended_meanwhile_is_ended_here() {
    LocalSet::new()
        .run_until(async {
            let stage = Stage::new().await;
            let host = stage.starts(stage.script("exec sleep 600"));
            let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
            hub.says(ToHost::Offer(Box::new(offer("fs-1", "1", "paint")))).await;
            let pid = hub.started().await;
            drop(hub);
            let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
            assert_eq!(hub.ended(false).await.reason, RunEnd::Killed);
            is_gone(pid).await;
            host.is_to_end();
            assert!(hub.said_bye().await);
        })
        .await;
}

/// How many tasks are done one after the other; each has three messages of the host or more.
const TASKS: usize = 7;

/// A hub that hands out the tasks, and is lost once.
struct Lost<'a> {
    stage: &'a Stage,
    hub: Connection,
    /// How many messages it still hears before that, and whether it keeps the last of them.
    left: usize,
    keeps_last: bool,
    offered: usize,
    held: Option<String>,
    ends: Vec<RunId>,
}

impl Lost<'_> {
    async fn hears(&mut self) {
        let heard = self.hub.hears_raw().await;
        if self.left == 0 {
            self.left = usize::MAX;
            let runs: Vec<&str> = self.held.iter().map(String::as_str).collect();
            self.hub.breaks();
            self.hub = self.stage.hub.welcomes(&["fs-1"], &runs).await;
            return;
        }
        self.left -= 1;
        if self.left > 0 || self.keeps_last {
            self.hub.keeps(&heard, false).await;
        }
        match heard.message {
            FromHost::Parked { .. } if self.held.is_none() => self.offers().await,
            // A call: it is no client that fails again and again.
            FromHost::Started { run, .. } => self.hub.says(ToHost::Called { run }).await,
            FromHost::Ended(ended) => self.ends(ended.run),
            FromHost::Hello(_)
            | FromHost::Parked { .. }
            | FromHost::Paused { .. }
            | FromHost::Conversation { .. }
            | FromHost::Active { .. }
            | FromHost::Bye {} => {}
        }
    }

    async fn offers(&mut self) {
        self.offered += 1;
        let task = self.offered.to_string();
        self.hub.says(ToHost::Offer(Box::new(offer("fs-1", &task, "paint")))).await;
        self.held = Some(task);
    }

    fn ends(&mut self, run: RunId) {
        if !self.ends.contains(&run) {
            self.ends.push(run);
        }
        self.held = None;
    }
}

/// The connection breaks after the n-th message of the host, kept or not: whatever the place, the end of each run is
/// told, and the slot is free again.
#[tokio::test]
async fn at_twenty_places_a_loss_loses_nothing() {
    for place in 1..=20 {
        let story = async {
            let stage = Stage::new().await;
            let host = stage.starts(stage.script("cat; echo; echo more"));
            let hub = stage.hub.welcomes(&["fs-1"], &[]).await;
            let (keeps_last, held, ends) = (place % 2 == 0, None, Vec::new());
            let mut lost = Lost { stage: &stage, hub, left: place, keeps_last, offered: 0, held, ends };
            while lost.ends.len() < TASKS {
                lost.hears().await;
            }
            assert!(lost.left > TASKS * 10, "place {place} is one of this story");
            let expected: Vec<_> = (1..=TASKS).map(|id| run(&id.to_string())).collect();
            assert_eq!(lost.ends, expected, "place {place}");
            host.is_to_end();
            lost.hub.said_bye().await;
            host.ended().await.unwrap();
            assert!(stage.runs().is_empty(), "place {place}");
        };
        LocalSet::new().run_until(story).await;
    }
}

#[tokio::test]
async fn a_host_that_knows_two_nodes_goes_to_the_one_that_is_there() {
    LocalSet::new()
        .run_until(async {
            let mut stage = Stage::new().await;
            let (first, second) = (FakeHub::listens().await, FakeHub::listens().await);
            stage.hub.url = format!("{},{}", first.url, second.url);
            let host = stage.starts(stage.script("exec sleep 600"));
            let mut hub = first.welcomes(&["fs-1"], &[]).await;
            hub.says(ToHost::Offer(Box::new(offer("fs-1", "1", "paint")))).await;
            let pid = hub.started().await;
            drop((hub, first));
            let mut hub = second.connected().await;
            assert_eq!(hub.hello.runs, [run("1")], "it went on");
            hub.welcomes(&["fs-1"], &[], std::time::Duration::from_secs(600)).await;
            assert_eq!(hub.ended(false).await.reason, RunEnd::Killed);
            is_gone(pid).await;
            host.is_to_end();
            assert!(hub.said_bye().await);
        })
        .await;
}
