//! The database itself: what is opened, what is refused, who is fenced, and what became of a write without an answer.

pub(crate) mod fixture;
mod moves;
mod nodes;
mod plans;
mod vault;

use std::path::Path;

use self::fixture::{InDatabase, SERVER, Server};
use super::open::{For, in_time};
use super::problem::SCHEMA;

use super::schema::ServerFacts;
use super::{DatabasePlace, OpenError, open};
use crate::samples::*;
use crate::sqlite::Mark;
use crate::{Append, PageRequest, Reader as _, Seq, Store as _, TaskFilter, WriteError, Written};

fn place(url: &str, folder: &Path) -> DatabasePlace {
    DatabasePlace::parse(url, None, "main", folder).unwrap()
}

fn refused(url: &str) -> OpenError {
    let folder = tempfile::tempdir().unwrap();
    // It is for one user alone, and for none where the server asks for nothing.
    let password = url.contains("//wrong@").then_some("wrong");
    open(&DatabasePlace::parse(&url.replace("//wrong@", "//locked@"), password, "main", folder.path()).unwrap())
        .unwrap_err()
}

fn write(bench: &mut InDatabase, append: Append) -> Result<Written, WriteError> {
    bench.store.write(&[append]).remove(0)
}

/// Every sentence ends with what to do.
#[test]
fn each_problem_has_its_sentence() {
    let user = |database: &str| SERVER.url("callboard", database);
    let foreign = SERVER.database("");
    SERVER.sql(&foreign, "CREATE TABLE invoices (id int)");
    let newer = SERVER.database("");
    let folder = tempfile::tempdir().unwrap();
    drop(open(&place(&user(&newer), folder.path())).unwrap());
    SERVER.sql(&newer, &format!("UPDATE house SET layout = {}", SCHEMA + 1));
    let changed = SERVER.database("");
    drop(open(&place(&user(&changed), tempfile::tempdir().unwrap().path())).unwrap());
    SERVER.sql(&changed, "ALTER TABLE records RENAME subject TO topic");
    let twice = SERVER.database("");
    drop(open(&place(&user(&twice), tempfile::tempdir().unwrap().path())).unwrap());
    SERVER.sql(&twice, "ALTER TABLE records DROP CONSTRAINT records_pkey");
    let read_only = SERVER.database("");
    SERVER.sql("postgres", &format!("ALTER DATABASE {read_only} SET default_transaction_read_only = on"));
    let lazy = SERVER.database("");
    SERVER.sql("postgres", &format!("ALTER DATABASE {lazy} SET synchronous_commit = off"));
    let latin = SERVER.database("ENCODING 'LATIN1' TEMPLATE template0");
    SERVER.sql("postgres", "CREATE ROLE locked LOGIN PASSWORD 'right'");
    let hidden = SERVER.database("");
    SERVER
        .sql(&hidden, "CREATE ROLE maker LOGIN; GRANT CREATE ON SCHEMA public TO maker; CREATE TABLE orders (id int)");
    let nowhere = "postgres://callboard@%2Fnowhere/callboard";
    let cases = [
        (user(&foreign), "holds tables of something else (`invoices`)"),
        (SERVER.url("maker", &hidden), "holds tables of something else (`orders`)"),
        (user(&newer), "was made by a newer callboard (layout 2, this one knows 1)"),
        (user(&changed), "was changed by another tool (`records subject text` is not there)"),
        (user(&twice), "was changed by another tool (`records PRIMARY KEY (team, seq)` is not there)"),
        (user(&read_only), "is read-only, as a standby is"),
        (user(&lazy), "runs with `synchronous_commit = off`"),
        (user(&latin), "keeps text as `LATIN1`"),
        (user("nothing_here"), "there is no database at"),
        (SERVER.url("wrong", "postgres"), "does not accept the user or the password"),
        (SERVER.url("locked", "postgres"), "does not accept the user or the password"),
        (nowhere.to_owned(), "cannot be reached"),
    ];
    for (url, expected) in cases {
        let sentence = refused(&url).to_string();
        assert!(sentence.contains(expected), "{sentence}");
        assert!(sentence.contains(": ") && !sentence.contains("wrong"), "{sentence}");
        if !url.contains("//wrong@") {
            let looked = super::probe(&place(&url, tempfile::tempdir().unwrap().path())).unwrap_err();
            assert_eq!(looked.to_string(), sentence, "whoever looks is told the same");
        }
    }
}

#[test]
fn a_server_that_would_lose_what_was_acknowledged_is_refused() {
    let facts = ServerFacts {
        version: 150_018,
        fsync: "on".to_owned(),
        synchronous_commit: "on".to_owned(),
        read_only: "off".to_owned(),
        encoding: "UTF8".to_owned(),
    };
    assert_eq!(facts.check("db"), Ok(()));
    let old = ServerFacts { version: 140_012, ..facts };
    assert_eq!(old.check("db"), Err(OpenError::OldServer { place: "db".to_owned(), found: 14 }));
    let server = Server::start(&["-c", "fsync=off"]);
    let sentence = refused(&server.url("callboard", "postgres")).to_string();
    assert!(sentence.contains("runs with `fsync = off`"), "{sentence}");
}

#[test]
fn another_machine_is_believed_by_its_certificate_alone() {
    let parse =
        |url: &str| DatabasePlace::parse(url, Some("secret"), "main", Path::new("/tmp")).map(|place| place.shown());
    assert!(matches!(parse("postgres://me@db1/hub"), Err(OpenError::NotVerified { host }) if host == "db1"));
    assert!(matches!(parse("postgres://me@db1/hub?sslmode=prefer"), Err(OpenError::NotVerified { .. })));
    assert_eq!(parse("postgres://me@db1,db2/hub?sslmode=verify-full"), Ok("db1,db2/hub".to_owned()));
    // What is connected to counts, not what it is called, and the last word about the certificate.
    for away in
        ["localhost/hub?hostaddr=10.0.0.5", "db1/hub?sslmode=verify-full&sslmode=disable", "db1/sslmode=verify-full"]
    {
        assert!(matches!(parse(&format!("postgres://me@{away}")), Err(OpenError::NotVerified { .. })), "{away}");
    }
    for held in ["me:pw@127.0.0.1/hub", "me:p/w@127.0.0.1/hub", "127.0.0.1/hub?password=pw"] {
        let refused = parse(&format!("postgres://{held}")).unwrap_err();
        assert!(refused.to_string().contains("holds a password"), "{held}: {refused}");
    }
    assert_eq!(parse("postgres://me@127.0.0.1/hub"), Ok("127.0.0.1/hub".to_owned()));
    assert_eq!(parse("postgres://me@127.0.0.1:6432/hub"), Ok("127.0.0.1:6432/hub".to_owned()));
    assert_eq!(parse("postgres://me@%2Frun%2Fpg:6432/hub"), Ok("/run/pg:6432/hub".to_owned()));
    let several = parse("postgres://me@db1:6432,db2/hub?sslmode=verify-full");
    assert_eq!(several, Ok("db1:6432,db2/hub".to_owned()));
    assert!(matches!(parse("mysql://me@db1/hub"), Err(OpenError::Address { .. })));
}

#[test]
fn a_data_directory_stays_with_its_house() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (SERVER.database(""), SERVER.database(""));
    let (one, other) = (place(&SERVER.url("callboard", &one), folder.path()), SERVER.url("callboard", &other));
    // What was only opened may have been refused by whoever looked at it: it stays with nobody.
    drop(open(&place(&other, folder.path())).unwrap());
    assert_eq!(open(&one).unwrap().0.write(&[says(1)]).remove(0).map(|written| written.last), Ok(Seq(1)));
    let looked = super::probe(&place(&other, folder.path())).unwrap_err();
    let refused = open(&place(&other, folder.path())).unwrap_err();
    assert!(matches!(refused, OpenError::OtherHouse { .. }), "{refused}");
    assert_eq!(looked, refused, "whoever looks is told the same");
    drop(open(&one).unwrap());
}

#[test]
fn an_empty_database_is_said_to_be_empty_and_stays_so_where_it_is_refused_or_only_looked_at() {
    let (folder, new) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (one, empty) = (SERVER.database(""), SERVER.database(""));
    let url = SERVER.url("callboard", &empty);
    let mut of_one = open(&place(&SERVER.url("callboard", &one), folder.path())).unwrap().0;
    of_one.write(&[says(1)]).remove(0).unwrap();
    let tables = || SERVER.sql(&empty, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'");
    let path = folder.path().join("data").join("callboard.db");
    drop(a_full_file(&path));
    let imported = super::import(&path, &place(&url, folder.path()), false, |_, _| ()).unwrap_err();
    for refused in [
        super::probe(&place(&url, folder.path())).unwrap_err().to_string(),
        open(&place(&url, folder.path())).unwrap_err().to_string(),
        imported.to_string(),
    ] {
        assert!(refused.contains("belongs to the house") && refused.contains("` is empty: "), "{refused}");
        assert_eq!(tables(), "0");
    }
    let elsewhere = new.path().join("not there yet");
    assert_eq!(super::probe(&place(&url, &elsewhere)).map(|probed| probed.position), Ok(Seq(0)));
    assert_eq!((tables().as_str(), elsewhere.exists()), ("0", false), "a look leaves nothing");
}

/// A server that takes connections and says nothing, or no more than `hello`.
#[expect(clippy::disallowed_methods, reason = "a server that a test has in its own process")]
async fn silent(hello: &'static [u8]) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://callboard@{}/callboard?sslmode=disable", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(hello).await.unwrap();
        drop(stream.read_to_end(&mut Vec::new()).await);
    });
    url
}

#[tokio::test(start_paused = true)]
async fn a_server_that_accepts_and_is_silent_counts_as_unreachable() {
    let folder = tempfile::tempdir().unwrap();
    // Nothing at all; and the end of a handshake, after which no question is answered.
    for hello in [b"".as_slice(), b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I"] {
        let (one, other) = (place(&silent(hello).await, folder.path()), place(&silent(hello).await, folder.path()));
        let refused = in_time(&one, super::open::take(&one, For::Serving)).await.unwrap_err();
        let OpenError::Unreachable { detail, .. } = &refused else { panic!("{refused}") };
        assert!(detail.contains("time"), "{detail}");
        let refused = in_time(&other, super::probe::ask(&other)).await.unwrap_err();
        assert!(matches!(refused, OpenError::Unreachable { .. }), "{refused}");
        let node = super::Nodes::open(place(&silent(hello).await, folder.path()), "a", None, "1").await;
        assert!(matches!(node, Err(OpenError::Unreachable { .. })), "{node:?}");
    }
    assert_eq!(crate::sqlite::marked(&folder.path().join("postgres-main")), Seq(0));
}

#[test]
fn a_database_behind_what_was_acknowledged_is_refused_and_says_by_how_much() {
    let mut bench = InDatabase::begun();
    write(&mut bench, says(5)).unwrap();
    let InDatabase { store, reader, place, team, folder } = bench;
    drop((store, reader));
    let mark = Mark::open(&folder.path().join(format!("postgres-{team}")), true).unwrap();
    assert_eq!(mark.at(), Seq(5));
    let mut ahead = mark;
    ahead.set(Seq(12));
    let sentence = open(&place).unwrap_err().to_string();
    assert!(sentence.contains("ends at record 5, and 12 were acknowledged here: 7 are missing"), "{sentence}");
}

#[test]
fn who_lost_the_team_writes_nothing_and_says_so_until_it_starts_again() {
    let mut first = InDatabase::begun();
    write(&mut first, says(2)).unwrap();
    let (mut second, reader) = first.taken();
    let lost = write(&mut first, creates(spec(1))).unwrap_err();
    let WriteError::Fault(sentence) = &lost else { panic!("{lost:?}") };
    assert!(sentence.contains("another hub has taken it; start this hub again"), "{sentence}");
    assert_eq!(second.write(&[says(1)]), [Ok(Written { first: Seq(3), last: Seq(3) })]);
    assert_eq!(write(&mut first, says(1)), Err(lost), "it does not come back by itself");
    assert!(first.store.over().is_some() && second.over().is_none());
    assert_eq!((reader.position(), reader.task(&task_id(1))), (Ok(Seq(3)), Ok(None)));
    assert!(first.store.prune(at(9_999), 10).is_err());
}

/// Rows alone move the version and no number: a fence of numbers alone would let a late one through.
#[test]
fn rows_alone_are_fenced_too() {
    let mut first = InDatabase::begun();
    write(&mut first, creates(spec(1))).unwrap();
    let rows = Append { entries: Vec::new(), ..creates(spec(2)) };
    let _second = first.taken();
    assert!(write(&mut first, rows).is_err());
    assert_eq!(first.reader.task(&task_id(2)), Ok(None));
}

/// At the commit of a record, this happens in the server.
fn cut_connections(bench: &InDatabase, when: &str) {
    let (team, number) = (bench.team.replace('-', "_"), bench.number());
    bench.sql(&format!(
        "CREATE FUNCTION cut_{team}() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN {when}; RETURN NULL; END$$;
         CREATE CONSTRAINT TRIGGER cut_{team} AFTER INSERT ON records DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
             WHEN (NEW.kind = 'hub.stopped' AND NEW.team = {number}) EXECUTE FUNCTION cut_{team}()"
    ));
}

#[test]
fn a_write_without_an_answer_is_resolved_and_answered_as_what_became_of_it() {
    let mut bench = InDatabase::begun();
    write(&mut bench, creates(spec(1))).unwrap();
    let epoch = |bench: &InDatabase| bench.sql(&format!("SELECT epoch FROM team WHERE name = '{}'", bench.team));
    let before = epoch(&bench);
    cut_connections(&bench, "PERFORM pg_terminate_backend(pg_backend_pid())");
    let failed = write(&mut bench, says(1)).unwrap_err();
    assert!(matches!(failed, WriteError::Fault(_)), "{failed:?}");
    assert_ne!(epoch(&bench), before, "nothing of it can arrive any more");
    bench.sql(&format!("DROP TRIGGER cut_{} ON records", bench.team.replace('-', "_")));
    assert_eq!(bench.reader.position(), Ok(Seq(1)), "what was answered as failed is not kept");
    assert_eq!(write(&mut bench, says(1)), Ok(Written { first: Seq(2), last: Seq(2) }));
    let rows = bench.reader.tasks(&TaskFilter::default(), &PageRequest::default()).unwrap();
    assert_eq!(rows.items.len(), 1, "pending rows outlive the connection");
}

#[test]
fn a_database_that_came_back_with_less_ends_the_hub_and_says_how_much_is_missing() {
    let mut bench = InDatabase::begun();
    write(&mut bench, says(5)).unwrap();
    let (team, number) = (bench.team.clone(), bench.number());
    bench.sql(&format!("UPDATE team SET seq = 3, version = version - 1 WHERE name = '{team}'"));
    bench.sql(&format!("DELETE FROM records WHERE team = {number} AND seq > 3"));
    let shared = std::sync::Arc::clone(&bench.store.shared);
    shared.lock().client = None;
    let sentence = write(&mut bench, says(1)).unwrap_err().to_string();
    assert!(sentence.contains("it ends at record 3, and 5 were acknowledged: 2 are missing"), "{sentence}");
    assert!(write(&mut bench, says(1)).is_err(), "it stays ended");
}

#[test]
fn rows_that_were_pending_when_the_hub_was_killed_are_made_again() {
    let mut bench = InDatabase::begun();
    for n in 1..=3 {
        write(&mut bench, creates(spec(n))).unwrap();
    }
    let rows = |bench: &InDatabase| {
        bench.sql(&format!("SELECT count(*) FROM rows WHERE kind = 'task' AND team = {}", bench.number()))
    };
    assert_eq!(rows(&bench), "0", "they are written later");
    let InDatabase { store, reader, team, folder, .. } = bench;
    drop((store, reader));
    let bench = InDatabase::at(team, folder);
    let asked = TaskFilter { query: Some("login".to_owned()), ..TaskFilter::default() };
    let found = bench.reader.tasks(&asked, &PageRequest::default()).unwrap().items.len();
    assert_eq!(found, bench.reader.open_tasks().unwrap().len());
    assert_eq!((found, rows(&bench).as_str()), (3, "3"));
}

#[test]
fn texts_may_hold_any_character() {
    let mut bench = InDatabase::begun();
    let odd = "a\0b\u{1}c";
    write(&mut bench, keyed(says(1), odd, "digest\0")).unwrap();
    let repeated = write(&mut bench, keyed(says(1), odd, "digest\0"));
    assert!(matches!(repeated, Err(WriteError::Repeated { .. })), "{repeated:?}");
    write(&mut bench, keyed(says(1), "a\u{1}0b\u{1}c", "other")).unwrap();
    let blob = crate::Blob { id: blob_id(1), text: odd.to_owned() };
    write(&mut bench, Append { blobs: vec![blob], ..says(1) }).unwrap();
    assert_eq!(bench.reader.blob(&blob_id(1)), Ok(Some(odd.to_owned())));
}

/// Something of every kind, part of it pruned.
fn a_full_file(path: &Path) -> crate::sqlite::SqliteReader {
    let (mut store, reader) = crate::sqlite::open(path, crate::sqlite::Durability::Full).unwrap();
    let mut write = |append: Append| store.write(&[append]).remove(0).unwrap();
    for n in 1..=4 {
        write(creates(spec(n)));
    }
    write(registers("fullstack-1", 1, at(1)));
    let posted = crate::domain::agent::AgentRecord::NoticePosted { notice: notice(1, "hello") };
    write(Append::new(at(2), by(), vec![agent_entry("fullstack-1", posted)]));
    let blob = crate::Blob { id: blob_id(1), text: "long".to_owned() };
    write(Append { blobs: vec![blob], ..keyed(says(3), "key", "first") });
    let rows = vec![crate::Row::Ticket(Box::new(ticket(1)), Some("answer".to_owned()))];
    write(Append { rows, ..says(1) });
    store.prune(at(2), 3).unwrap();
    reader
}

#[test]
fn a_file_is_carried_over_whole_and_again_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data").join("callboard.db");
    drop(a_full_file(&path));
    crate::vault::Folder::at(&folder.path().join("data")).write("tokens", "{}").unwrap();
    let InDatabase { place, team, folder: own, .. } = InDatabase::begun();
    let look = super::import(&path, &place, true, |_, _| ()).unwrap();
    assert_eq!(look.from, Seq(0));
    let mut heard = 0;
    let done = super::import(&path, &place, false, |at, _| heard = at).unwrap();
    assert_eq!((done.journal.clone(), heard), (look.journal, done.journal.position.0));
    assert!(done.journal.horizon > Seq(0), "{done:?}");
    let again = super::import(&path, &place, false, |_, _| ()).unwrap();
    assert_eq!(again.from, done.journal.position);
    let busy = crate::sqlite::open(&path, crate::sqlite::Durability::Full).unwrap();
    assert!(matches!(super::import(&path, &place, false, |_, _| ()), Err(super::ImportError::File(_))));
    let mut bench = InDatabase::at(team, own);
    let (here, there) = (&busy.1, &bench.reader);
    let page = PageRequest::default();
    assert_eq!(there.tasks(&TaskFilter::default(), &page), here.tasks(&TaskFilter::default(), &page));
    assert_eq!((there.agents(), there.sessions(), there.base()), (here.agents(), here.sessions(), here.base()));
    assert_eq!(there.blob(&blob_id(1)), Ok(Some("long".to_owned())));
    assert_eq!(there.ticket_answer(&ticket(1).id), Ok(Some("answer".to_owned())));
    let vault = super::PgVault::open(there, &*crate::vault::Folder::at(Path::new("/nowhere"))).unwrap();
    assert_eq!(crate::vault::Vault::read(&vault, "tokens").unwrap().as_deref(), Some("{}"), "it goes with the journal");
    let repeated = write(&mut bench, keyed(says(3), "key", "first"));
    assert!(matches!(repeated, Err(WriteError::Repeated { .. })), "{repeated:?}");
}

fn carried(path: &Path, place: &DatabasePlace) -> Result<super::ImportReport, super::ImportError> {
    super::import(path, place, false, |_, _| ())
}

/// Whether this data directory says that its journal is in a database.
fn is_bound(place: &DatabasePlace) -> bool {
    Mark::open(&place.folder.join(format!("postgres-{}", place.team)), true).unwrap().files().is_some()
}

#[test]
fn an_import_that_was_cut_is_not_whole_binds_nothing_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data").join("callboard.db");
    let last = a_full_file(&path).position().unwrap();
    let InDatabase { store, reader, place, team, folder: own } = InDatabase::begun();
    drop((store, reader));
    let number = SERVER.sql(&fixture::TEAMS, &format!("SELECT id FROM team WHERE name = '{team}'"));
    let trigger = format!("cut_{}", team.replace('-', "_"));
    let home = folder.path().join("home.db");
    let of = |error| match error {
        super::ImportError::Database(refused) => refused,
        super::ImportError::File(_)
        | super::ImportError::Read(_)
        | super::ImportError::Write(_)
        | super::ImportError::Vault(_)
        | super::ImportError::Unsound { .. }
        | super::ImportError::Another(_)
        | super::ImportError::IsThere(_)
        | super::ImportError::Moved { .. } => panic!("it is no refusal of the database"),
    };
    let sql = |sql: &str| SERVER.sql(&fixture::TEAMS, sql);
    for (table, when) in [("records", "NEW.seq > 6"), ("stream_index", "NEW.seq > 8"), ("blobs", "true")] {
        SERVER.sql(
            &fixture::TEAMS,
            &format!(
                "CREATE FUNCTION {trigger}() RETURNS trigger LANGUAGE plpgsql AS
                     $$BEGIN RAISE 'no room in {table}'; END$$;
                 CREATE TRIGGER {trigger} BEFORE INSERT ON {table} FOR EACH ROW
                     WHEN (NEW.team = {number} AND {when}) EXECUTE FUNCTION {trigger}()"
            ),
        );
        let cut = carried(&path, &place).unwrap_err();
        assert!(cut.to_string().contains(&format!("no room in {table}")), "{cut}");
        SERVER.sql(&fixture::TEAMS, &format!("DROP FUNCTION {trigger} CASCADE"));
        assert!(!is_bound(&place), "{table}");
        // Also after somebody has looked at it, which writes the rows that follow from its records.
        super::verify_both(&path, &place, |_, _| ()).unwrap();
        for refused in
            [open(&place).map(drop), super::bring_home(&place, &home, false, |_, _| ()).map(drop).map_err(of)]
        {
            assert!(matches!(refused, Err(OpenError::Unfinished { .. })), "{table}: {refused:?}");
        }
    }
    let of_it = |what: &str| sql(&format!("SELECT {what} WHERE team = {number}"));
    let placed = [
        "count(*) FROM records JOIN stream_index USING (team, stream, seq)",
        "string_agg(seq || whose || words::text, ' ' ORDER BY seq) FROM search",
    ];
    let whole = placed.map(&of_it);
    assert!(whole[1].contains("'implement'"), "{whole:?}");
    // One that an earlier version cut short had placed nothing before all records were there.
    sql(&format!("UPDATE rows SET body = '' WHERE team = {number} AND id = 'import'"));
    sql(&format!("DELETE FROM stream_index WHERE team = {number}; DELETE FROM search WHERE team = {number}"));
    assert!(carried(&path, &place).unwrap().from > Seq(0));
    assert_eq!(placed.map(&of_it), whole);
    assert_eq!(whole[0], of_it("count(*) FROM records"));
    assert!(is_bound(&place));
    let (report, compared) = super::verify_both(&path, &place, |_, _| ()).unwrap();
    assert!(report.is_sound() && compared.difference.is_none(), "{report:?} {compared:?}");
    assert_eq!(InDatabase::at(team, own).reader.position(), Ok(last));
}

#[test]
fn a_journal_comes_home_into_a_new_file_with_everything_that_it_had() {
    let folder = tempfile::tempdir().unwrap();
    let (path, home) = (folder.path().join("data").join("callboard.db"), folder.path().join("home/callboard.db"));
    let before = a_full_file(&path);
    let InDatabase { store, reader, place, .. } = InDatabase::begun();
    let busy = super::bring_home(&place, &home, false, |_, _| ()).unwrap_err();
    assert!(matches!(busy, super::ImportError::Database(OpenError::InUse { .. })), "{busy}");
    drop((store, reader));
    carried(&path, &place).unwrap();
    let looked = super::bring_home(&place, &home, true, |_, _| ()).unwrap();
    assert!(!home.exists());
    // What an earlier one left that was killed.
    std::fs::create_dir_all(home.parent().unwrap()).unwrap();
    std::fs::write(home.with_file_name(".callboard.db.import"), "half").unwrap();
    // And what a reader of an earlier file has left, which holds nothing.
    std::fs::write(home.with_file_name("callboard.db-wal"), "").unwrap();
    std::fs::write(home.with_file_name("callboard.db-shm"), "index").unwrap();
    let mut heard = Seq(0);
    let done = super::bring_home(&place, &home, false, |at, _| heard = Seq(at)).unwrap();
    assert_eq!((&done.journal, heard), (&looked.journal, done.journal.position));
    let again = super::bring_home(&place, &home, false, |_, _| ()).unwrap_err();
    assert!(again.to_string().contains("is there already"), "{again}");
    let (_, compared) = super::verify_both(&home, &place, |_, _| ()).unwrap();
    assert_eq!((compared.difference, compared.up_to), (None, before.position().unwrap()));
    let (mut store, after) = crate::sqlite::open(&home, crate::sqlite::Durability::Full).unwrap();
    let page = PageRequest::default();
    assert_eq!(after.tasks(&TaskFilter::default(), &page), before.tasks(&TaskFilter::default(), &page));
    assert_eq!((after.agents(), after.sessions()), (before.agents(), before.sessions()));
    assert_eq!((after.base(), after.rows_up_to()), (before.base(), before.rows_up_to()));
    assert_eq!(after.blob(&blob_id(1)), Ok(Some("long".to_owned())));
    assert_eq!(after.ticket_answer(&ticket(1).id), Ok(Some("answer".to_owned())));
    let repeated = store.write(&[keyed(says(3), "key", "first")]).remove(0);
    assert!(matches!(repeated, Err(WriteError::Repeated { .. })), "{repeated:?}");
    assert_eq!(store.write(&[says(1)]).remove(0).map(|written| written.first), Ok(done.journal.position.next()));
    drop((store, after));
    assert!(crate::inspect::verify(&home, |_, _| ()).unwrap().is_sound());
}

#[test]
fn two_journals_are_the_same_up_to_the_first_record_that_differs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data").join("callboard.db");
    let last = a_full_file(&path).position().unwrap();
    let InDatabase { store, reader, place, team, .. } = InDatabase::begun();
    drop((store, reader));
    carried(&path, &place).unwrap();
    let number = SERVER.sql(&fixture::TEAMS, &format!("SELECT id FROM team WHERE name = '{team}'"));
    let differs = || super::verify_both(&path, &place, |_, _| ()).unwrap().1;
    let same = differs();
    assert_eq!((same.difference, same.digest.len()), (None, 64));
    open(&place).unwrap().0.write(&[says(1)]).remove(0).unwrap();
    let more = differs();
    assert_eq!(more.difference.unwrap().to_string(), format!("record {} is only in the database", last.next()));
    assert_eq!((more.records, more.digest), (same.records, same.digest), "up to there they are the same");
    let (one, other) = (last.0 - 1, last.0 - 2);
    SERVER.sql(&fixture::TEAMS, &format!("UPDATE records SET body = '{{}}' WHERE team = {number} AND seq = {one}"));
    assert_eq!(
        differs().difference.unwrap().to_string(),
        format!("record {one} is not the same: they differ at `/body`")
    );
    SERVER.sql(&fixture::TEAMS, &format!("DELETE FROM records WHERE team = {number} AND seq = {other}"));
    assert_eq!(differs().difference.unwrap().to_string(), format!("record {other} is only in the file"));
}

#[test]
fn a_file_is_not_carried_into_another_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data").join("callboard.db");
    drop(a_full_file(&path));
    let mut bench = InDatabase::begun();
    write(&mut bench, says(6)).unwrap();
    let refused = super::import(&path, &bench.place, false, |_, _| ()).unwrap_err();
    let in_use = matches!(refused, super::ImportError::Database(OpenError::InUse { .. }));
    assert!(in_use, "{refused}");
    write(&mut bench, says(1)).unwrap();
    drop((bench.store, bench.reader));
    let refused = super::import(&path, &bench.place, false, |_, _| ()).unwrap_err();
    assert!(matches!(refused, super::ImportError::Another { .. }), "{refused}");
}
