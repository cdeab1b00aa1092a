//! A hub that is lost and found again, at each place of a story.

use tokio::task::LocalSet;

use super::hub::{offer, run};
use super::stage::{Stage, is_gone};
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
            drop(hub.says(ToHost::Called { run: run("1") }).await);
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

/// The connection breaks after the n-th message of the host, kept or not: whatever the place, the end of each run is
/// told, with one number, and the slot is free again.
#[tokio::test]
async fn at_twenty_places_a_loss_loses_nothing() {
    for place in 0..20 {
        LocalSet::new()
            .run_until(async {
                let stage = Stage::new().await;
                let host = stage.starts(stage.script("cat; echo; echo more"));
                let (mut left, mut offered, mut ends) = (place, 0, Vec::new());
                let mut held: Vec<String> = Vec::new();
                let mut hub = stage.hub.welcomes(&["fs-1"], &[]).await;
                while ends.len() < TASKS {
                    let heard = hub.hears_raw().await;
                    if left == 0 {
                        left = usize::MAX;
                        drop(hub);
                        let runs: Vec<&str> = held.iter().map(String::as_str).collect();
                        hub = stage.hub.welcomes(&["fs-1"], &runs).await;
                        continue;
                    }
                    left -= 1;
                    if place % 2 == 0 || left > 0 {
                        hub.keeps(&heard, false).await;
                    }
                    match heard.message {
                        FromHost::Parked { .. } if held.is_empty() => {
                            offered += 1;
                            held = vec![offered.to_string()];
                            hub.says(ToHost::Offer(Box::new(offer("fs-1", &held[0], "paint")))).await;
                        }
                        FromHost::Ended(ended) => {
                            if !ends.contains(&ended.run) {
                                ends.push(ended.run);
                            }
                            held.clear();
                        }
                        // A call: it is no client that fails again and again.
                        FromHost::Started { run, .. } => hub.says(ToHost::Called { run }).await,
                        _ => {}
                    }
                }
                let expected: Vec<_> = (1..=TASKS).map(|id| run(&id.to_string())).collect();
                assert_eq!(ends, expected, "place {place}");
                host.is_to_end();
                hub.said_bye().await;
                host.ended().await.unwrap();
                assert!(stage.runs().is_empty(), "place {place}");
            })
            .await;
    }
}
