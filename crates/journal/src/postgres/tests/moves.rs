//! A journal that goes from one place to another, and hubs that are not to have it at the same time.

use std::net::TcpListener;

use super::nodes::{Shared, opened};
use super::*;
use crate::Row;
use crate::domain::node::{Elapsed, Incarnation};
use crate::postgres::store::Driver;
use crate::postgres::{NodeStatements as _, Nodes, PgVault, bring_home};
use crate::sqlite::{self, Durability};
use crate::vault::{Folder, TOKENS, Vault as _};

/// When a beat was sent does not matter here.
const NEVER: Elapsed = Elapsed(0);

const fn never() -> Elapsed {
    NEVER
}

#[test]
fn what_was_removed_from_the_file_goes_from_the_database_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data").join("callboard.db");
    drop(a_full_file(&path));
    let home = Folder::at(&folder.path().join("data"));
    for (name, text) in [(TOKENS, "one"), ("webhooks/builds.1.0", "whsec"), ("webhooks/late.1.0", "whsec")] {
        home.write(name, text).unwrap();
    }
    let InDatabase { store, reader, place, team, folder: own } = InDatabase::begun();
    drop((store, reader));
    carried(&path, &place).unwrap();
    let (mut store, reader) = sqlite::open(&path, Durability::Full).unwrap();
    let rows = vec![Row::TicketGone(ticket(1).id)];
    store.write(&[Append { rows, ..says(1) }]).remove(0).unwrap();
    store.prune(at(5), 4).unwrap();
    let base = reader.base().unwrap();
    drop((store, reader));
    home.write(TOKENS, "two").unwrap();
    home.remove("webhooks/late.1.0");
    carried(&path, &place).unwrap();
    let bench = InDatabase::at(team, own);
    assert_eq!(bench.reader.ticket_answer(&ticket(1).id), Ok(None));
    assert_eq!((bench.reader.tickets().unwrap().len(), bench.reader.base().unwrap()), (0, base));
    let vault = PgVault::open(&bench.reader, &*Folder::at(Path::new("/nowhere"))).unwrap();
    assert_eq!(vault.read(TOKENS).unwrap().as_deref(), Some("two"));
    assert_eq!(vault.secrets().unwrap(), ["webhooks/builds.1.0"]);
}

#[test]
fn a_copy_of_a_journal_alone_takes_no_token_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data").join("callboard.db");
    drop(a_full_file(&path));
    let InDatabase { store, reader, place, team, folder: own } = InDatabase::begun();
    drop((store, reader));
    carried(&path, &place).unwrap();
    let bench = InDatabase::at(team, own);
    let nothing = Folder::at(Path::new("/nowhere"));
    PgVault::open(&bench.reader, &*nothing).unwrap().write(TOKENS, "made there").unwrap();
    let InDatabase { store, reader, team, folder: own, .. } = bench;
    drop((store, reader));
    carried(&path, &place).unwrap();
    let bench = InDatabase::at(team, own);
    let kept = PgVault::open(&bench.reader, &*nothing).unwrap().read(TOKENS).unwrap();
    assert_eq!(kept.as_deref(), Some("made there"));
}

#[test]
fn nothing_serves_from_a_database_whose_journal_went_home_until_it_is_carried_back() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home/callboard.db");
    let mut bench = InDatabase::begun();
    write(&mut bench, creates(spec(1))).unwrap();
    let InDatabase { store, reader, place, .. } = bench;
    drop((store, reader));
    bring_home(&place, &home, true, |_, _| ()).unwrap();
    drop(open(&place).unwrap());
    bring_home(&place, &home, false, |_, _| ()).unwrap();
    let driver = Driver::start().unwrap();
    let elsewhere = DatabasePlace { folder: folder.path().join("other"), ..place.clone() };
    for place in [&place, &elsewhere] {
        let node = driver.wait_for(Nodes::open(place.clone(), "a", None, "1")).unwrap().map(drop);
        for refused in [open(place).map(drop), node] {
            let sentence = refused.unwrap_err().to_string();
            assert!(sentence.contains("/home/callboard.db`, at 2"), "{sentence}");
            assert!(sentence.contains("callboard journal import --to"), "{sentence}");
        }
    }
    std::fs::rename(&home, folder.path().join("lost.db")).unwrap();
    bring_home(&place, &home, false, |_, _| ()).unwrap();
    carried(&home, &place).unwrap();
    drop(open(&place).unwrap());
}

#[test]
fn a_second_process_of_a_name_is_refused_while_the_first_one_counts() {
    let shared = Shared::new();
    let (mut first, life) = shared.nodes("a");
    let second = || Nodes::open(shared.place(), "a", None, "1.2.3");
    shared.waits(async {
        let counts = async {
            loop {
                assert_eq!(first.beat(life, &never).await, Ok((true, NEVER)), "it is not disturbed");
            }
        };
        let refused = tokio::select! {
            opened = second() => opened.map(drop).unwrap_err(),
            () = counts => unreachable!(),
        };
        assert!(refused.to_string().contains("another process runs as the node `a`"), "{refused}");
    });
    drop(first);
    shared.waits(second()).unwrap();
}

#[test]
fn one_that_stopped_without_ending_is_followed_by_another_one_of_its_name() {
    let shared = Shared::new();
    let (mut first, life) = shared.nodes("a");
    shared.waits(async {
        let mut second = Nodes::open(shared.place(), "a", None, "1.2.3").await.unwrap();
        second.join().await.unwrap();
        assert_eq!(first.beat(life, &never).await, Ok((false, NEVER)));
    });
}

#[test]
fn a_hub_without_a_name_has_the_journal_alone_while_it_is_connected() {
    let shared = Shared::new();
    let (mut node, life) = shared.nodes("a");
    let alone = open(&shared.place()).unwrap();
    let is_alone = |refused: Result<(), OpenError>| matches!(refused, Err(OpenError::Alone { .. }));
    assert!(is_alone(open(&shared.place()).map(drop)));
    shared.waits(async {
        assert!(is_alone(Nodes::open(shared.place(), "b", None, "1").await.map(drop)));
        node.look().await.unwrap();
        assert_eq!(node.take(None, life).await, Ok(None), "also by a node that stood by before");
    });
    drop(alone);
    drop(open(&shared.place()).unwrap());
    shared.waits(async {
        while node.take(None, life).await.unwrap().is_none() {
            node.look().await.unwrap();
        }
    });
}

#[test]
fn a_hub_without_a_name_that_lost_its_connection_still_has_the_journal_alone() {
    let mut bench = InDatabase::begun();
    let held = format!("locktype = 'advisory' AND objid = {}", bench.number());
    bench.sql(&format!("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE {held}"));
    while write(&mut bench, says(1)).is_err() {}
    write(&mut bench, says(1)).unwrap();
    assert!(matches!(open(&bench.place), Err(OpenError::Alone { .. })));
}

#[test]
fn a_journal_whose_owner_was_killed_is_opened_without_a_name_after_some_seconds_and_not_before() {
    let shared = Shared::new();
    let (mut owner, life) = shared.nodes("a");
    shared.waits(async {
        owner.look().await.unwrap();
        owner.take(None, life).await.unwrap().unwrap();
    });
    let refused = std::thread::scope(|scope| {
        let opening = scope.spawn(|| open(&shared.place()).map(drop));
        shared.waits(async {
            while !opening.is_finished() {
                assert_eq!(owner.beat(life, &never).await, Ok((true, NEVER)));
            }
        });
        opening.join().unwrap()
    });
    assert!(matches!(refused, Err(OpenError::Held { .. })), "{refused:?}");
    let (store, _) = open(&shared.place()).unwrap();
    assert_eq!(shared.waits(owner.beat(life, &never)), Ok((false, NEVER)), "who stood still was declared dead");
    drop(store);
    assert!(matches!(opened(shared.place(), owner.id(), life), Err(OpenError::Held { .. })));
}

#[test]
fn the_sign_of_death_is_a_session_that_is_gone_and_a_port_that_refuses() {
    let shared = Shared::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (mut owner, life) = shared.waits(async {
        let mut owner = Nodes::open(shared.place(), "a", Some(url.clone()), "1").await.unwrap();
        let life = owner.join().await.unwrap();
        owner.look().await.unwrap();
        owner.take(None, life).await.unwrap().unwrap();
        (owner, life)
    });
    let (mut other, _) = shared.nodes("b");
    let mut died = || shared.waits(other.look()).unwrap().nodes.iter().any(|node| node.died);
    assert_eq!(shared.waits(owner.beat(life, &never)), Ok((true, NEVER)));
    drop(listener);
    assert!(!died(), "its session is there");
    let listener = TcpListener::bind(url.trim_start_matches("http://")).unwrap();
    drop(owner);
    for _ in 0..50 {
        assert!(!died(), "somebody listens there");
    }
    drop(listener);
    assert!(died());
}

#[test]
fn what_a_newer_hub_wrote_is_not_taken_by_an_older_one() {
    let shared = Shared::new();
    let (mut node, life) = shared.nodes("a");
    let database = shared.url.rsplit('/').next().unwrap().to_owned();
    SERVER.sql(&database, "UPDATE team SET level = 2");
    shared.waits(async {
        assert_eq!(node.look().await.unwrap().team.level.0, 2);
        assert_eq!(node.take(None, life).await, Ok(None));
        let refused = Nodes::open(shared.place(), "b", None, "1").await.unwrap_err().to_string();
        assert!(refused.contains("a newer callboard has written into the journal"), "{refused}");
    });
    assert!(matches!(open(&shared.place()), Err(OpenError::NewerLevel { found: 2, .. })));
    SERVER.sql(&database, "UPDATE team SET level = NULL");
    drop(open(&shared.place()).unwrap());
    assert_eq!(SERVER.sql(&database, "SELECT level FROM team"), "1");
}

#[test]
fn columns_that_came_later_are_added_beside_what_is_there() {
    let shared = Shared::new();
    drop(open(&shared.place()).unwrap());
    let database = shared.url.rsplit('/').next().unwrap().to_owned();
    let before = "ALTER TABLE team DROP COLUMN level; ALTER TABLE node DROP COLUMN level, DROP COLUMN config";
    SERVER.sql(&database, before);
    assert!(crate::postgres::probe(&shared.place()).is_ok_and(|probed| probed.nodes.is_empty()));
    let (node, life) = shared.nodes("a");
    assert_eq!(life, Incarnation(1));
    drop(node);
}

#[test]
fn of_several_servers_the_one_is_used_that_may_be_written_to() {
    let (standby, folder, database) = (Server::start(&[]), tempfile::tempdir().unwrap(), SERVER.database(""));
    standby.sql("postgres", &format!("CREATE DATABASE {database}"));
    standby.sql("postgres", &format!("ALTER DATABASE {database} SET default_transaction_read_only = on"));
    let host = |url: &str| url.split(['@', '/']).nth(3).unwrap().to_owned();
    let both = format!("{},{}", host(&standby.url("callboard", "x")), host(&SERVER.url("callboard", "x")));
    let place = place(&format!("postgres://callboard@{both}/{database}"), folder.path());
    let probed = crate::postgres::probe(&place).unwrap();
    assert!(probed.hears && !probed.synchronous && probed.replicas == 0, "{probed:?}");
    drop(open(&place).unwrap());
}
