//! The store of tokens.

use std::os::unix::fs::PermissionsExt as _;
use std::pin::pin;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{Either, select};

use super::table::DIGESTS;
use super::{Credential, NewToken, TokenError, TokenStore, format};
use crate::clock::Clock;
use crate::domain::ids::AgentId;
use crate::domain::principal::Scope;
use crate::domain::time::Timestamp;

const NOW: Timestamp = Timestamp(1_800_000_000_000);

fn agent(id: &str) -> NewToken {
    NewToken::Agent(AgentId::parse(id).unwrap())
}

fn store() -> (tempfile::TempDir, TokenStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = TokenStore::open(folder.path()).unwrap();
    (folder, store)
}

#[test]
fn a_token_says_who_it_is_and_survives_a_restart() {
    let (folder, store) = store();
    let (token, view) = store.create(&agent("fullstack-1"), None, NOW).unwrap();
    assert!(token.starts_with(&format!("cb_a_{}_", view.id)), "{token}");
    assert_eq!(token.len(), 5 + 12 + 1 + 43 + 6);
    let again = TokenStore::open(folder.path()).unwrap();
    let who = again.authenticate(&token, NOW).unwrap();
    assert_eq!(who.principal.id.as_str(), "agent:fullstack-1");
    assert!(who.principal.may(Scope::Agent) && !who.principal.may(Scope::View));
}

#[test]
fn every_way_of_being_wrong_is_refused_alike_and_costs_the_same() {
    let (_folder, store) = store();
    let (minute, hour) = (Duration::from_secs(60), Duration::from_secs(3600));
    let (token, _) = store.create(&agent("a"), None, NOW).unwrap();
    let (other, _) = store.create(&agent("b"), None, NOW).unwrap();
    let (expired, _) = store.create(&agent("c"), Some(minute), NOW).unwrap();
    let (revoked, gone) = store.create(&agent("d"), None, NOW).unwrap();
    store.revoke(&gone.id).unwrap();
    let (rotated, kept) = store.create(&agent("e"), None, NOW).unwrap();
    store.rotate(&kept.id, minute, NOW).unwrap();
    let mut mistyped = token.clone();
    mistyped.replace_range(20..21, if &token[20..21] == "x" { "y" } else { "x" });
    let (mine, theirs) = (format::read(&token).unwrap(), format::read(&other).unwrap());
    let unknown = format::write(mine.kind, &"0".repeat(12), mine.secret);
    let foreign_secret = format::write(mine.kind, mine.id, theirs.secret);
    let as_person = format::write(format::TokenKind::Person, mine.id, mine.secret);
    for right in [&unknown, &foreign_secret, &as_person] {
        assert!(format::read(right).is_some(), "the checksum of {right} is right");
    }
    let digests = |token: &str, at: Timestamp| {
        let before = DIGESTS.get();
        let known = store.authenticate(token, at).is_ok();
        (known, DIGESTS.get() - before)
    };
    for (what, wrong) in [
        ("mistyped", mistyped.as_str()),
        ("unknown", &unknown),
        ("with another secret", &foreign_secret),
        ("of another kind", &as_person),
        ("expired", &expired),
        ("revoked", &revoked),
        ("rotated away", &rotated),
        ("no token", ""),
        ("the beginning of one", "cb_a_"),
        ("not in ASCII", &"é".repeat(31)),
        ("too long", &"x".repeat(500)),
    ] {
        assert_eq!(digests(wrong, NOW + hour), (false, 1), "{what}");
    }
    assert_eq!(digests(&token, NOW + hour), (true, 1));
    for brief in [&expired, &rotated] {
        assert_eq!(digests(brief, NOW + Duration::from_millis(59_999)), (true, 1));
        assert_eq!(digests(brief, NOW + minute), (false, 1), "its end is not in its time");
    }
}

#[test]
fn a_rotated_token_overlaps_with_its_successor_for_a_while() {
    let (_folder, store) = store();
    let (old, view) = store.create(&agent("a"), None, NOW).unwrap();
    let (new, _) = store.rotate(&view.id, Duration::from_secs(3600), NOW).unwrap();
    assert_ne!(old, new);
    let later = NOW + Duration::from_secs(3599);
    assert!(store.authenticate(&old, later).is_ok() && store.authenticate(&new, later).is_ok());
    let after = NOW + Duration::from_secs(3600);
    assert!(store.authenticate(&old, after).is_err() && store.authenticate(&new, after).is_ok());
    assert!(matches!(store.rotate("nobody", Duration::ZERO, NOW), Err(TokenError::Unknown(_))));
}

#[tokio::test(start_paused = true)]
async fn what_a_token_holds_open_ends_when_it_expires_or_its_secret_is_rotated_away() {
    let (_folder, store) = store();
    let (clock, minute) = (Clock::starting_at(NOW), Duration::from_secs(60));
    let took = async |credential: &Credential| {
        let begun = clock.now();
        store.end_of(credential, &clock).await;
        clock.now().since(begun)
    };
    let (token, _) = store.create(&agent("a"), Some(minute), NOW).unwrap();
    assert_eq!(took(&store.authenticate(&token, clock.now()).unwrap()).await, minute);

    let (token, view) = store.create(&agent("b"), None, clock.now()).unwrap();
    let old = store.authenticate(&token, clock.now()).unwrap();
    let rotates = async {
        tokio::time::sleep(minute).await;
        let (token, _) = store.rotate(&view.id, 2 * minute, clock.now()).unwrap();
        token
    };
    let (open, new) = tokio::join!(took(&old), rotates);
    assert_eq!(open, 3 * minute, "a minute, and the overlap of two");
    let new = store.authenticate(&new, clock.now()).unwrap();
    let goes_on = tokio::time::timeout(Duration::from_secs(24 * 60 * 60), store.end_of(&new, &clock)).await;
    assert!(goes_on.is_err(), "the new secret is good for ever");
}

#[tokio::test]
async fn revoking_ends_what_is_open_and_names_an_agent_without_another_token() {
    let (_folder, store) = store();
    let (token, first) = store.create(&agent("a"), None, NOW).unwrap();
    let (_, second) = store.create(&agent("a"), None, NOW).unwrap();
    let credential = store.authenticate(&token, NOW).unwrap();
    let clock = Clock::starting_at(NOW);
    let mut end = pin!(store.end_of(&credential, &clock));
    assert!(end.as_mut().now_or_never().is_none());
    assert_eq!(store.revoke(&first.id).unwrap(), None);
    assert!(end.now_or_never().is_some());
    assert_eq!(store.revoke(&second.id).unwrap().unwrap().as_str(), "a");
}

#[test]
fn a_token_that_was_made_by_a_clock_that_was_ahead_lives_no_longer_than_was_asked_for() {
    let (folder, store) = store();
    let hour = Duration::from_secs(3600);
    let (ahead, _) = store.create(&agent("a"), Some(hour), NOW + 2 * hour).unwrap();
    let (right, _) = store.create(&agent("b"), Some(hour), NOW).unwrap();
    store.recount(NOW).unwrap();
    let again = TokenStore::open(folder.path()).unwrap();
    for token in [&ahead, &right] {
        assert!(again.authenticate(token, NOW + Duration::from_millis(3_599_999)).is_ok());
        assert!(again.authenticate(token, NOW + hour).is_err(), "an hour from now");
    }
    // A machine whose clock begins in 1970 ends nobody's token.
    again.recount(Timestamp(1)).unwrap();
    assert!(again.authenticate(&right, NOW).is_ok());
}

#[test]
fn a_list_shows_until_when_the_secret_before_a_rotation_is_accepted() {
    let (_folder, store) = store();
    let (_, view) = store.create(&agent("a"), None, NOW).unwrap();
    assert_eq!(store.find(&view.id).unwrap().old_until, None);
    let overlap = Duration::from_secs(60);
    let (_, rotated) = store.rotate(&view.id, overlap, NOW).unwrap();
    let until = Some((NOW + overlap).to_string());
    assert_eq!((rotated.old_until, store.list().remove(0).old_until), (until.clone(), until));
}

/// A token that nobody can be called by would be a second person without a name.
#[test]
fn a_token_of_a_person_or_a_service_has_a_name() {
    let (_folder, store) = store();
    for service in [false, true] {
        let new = |name: &str| NewToken::Named { name: name.to_owned(), scope: Scope::View, service };
        let refused = store.create(&new(""), None, NOW).unwrap_err().to_string();
        assert!(refused.contains("a name") && refused.contains("^[a-z0-9.:_-]{1,88}$"), "{refused}");
        assert!(store.create(&new("ada"), None, NOW).is_ok());
    }
    assert_eq!(store.list().len(), 2, "what was refused is not kept");
}

/// Or the command line would be locked out when the overlap ends.
#[test]
fn a_rotated_operator_is_found_by_the_command_line_and_nobody_elses_token_is() {
    let (folder, store) = store();
    let path = store.ensure_operator(folder.path(), NOW).unwrap();
    let kept = || std::fs::read_to_string(&path).unwrap().trim().to_owned();
    let (first, id) = (kept(), store.list()[0].id.clone());
    let (new, _) = store.rotate(&id, Duration::ZERO, NOW).unwrap();
    assert_eq!(kept(), new);
    assert!(store.authenticate(&first, NOW).is_err() && store.authenticate(&new, NOW).is_ok());
    let (_, other) = store.create(&agent("a"), None, NOW).unwrap();
    store.rotate(&other.id, Duration::ZERO, NOW).unwrap();
    assert_eq!(kept(), new);
}

#[test]
fn no_file_holds_a_secret_and_none_can_be_read_by_others() {
    let (folder, store) = store();
    let (token, _) = store.create(&agent("a"), None, NOW).unwrap();
    let path = store.ensure_operator(folder.path(), NOW).unwrap();
    let operator = std::fs::read_to_string(&path).unwrap();
    assert!(store.authenticate(operator.trim(), NOW).unwrap().principal.may(Scope::Admin));
    assert_eq!(store.ensure_operator(folder.path(), NOW).unwrap(), path);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), operator, "made once");
    let kept = std::fs::read_to_string(folder.path().join("tokens")).unwrap();
    for secret in [&token[18..61], &operator[18..61]] {
        assert!(!kept.contains(secret));
    }
    for file in ["tokens", "operator.token"] {
        let mode = std::fs::metadata(folder.path().join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    std::fs::set_permissions(folder.path().join("tokens"), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(TokenStore::open(folder.path()).unwrap_err().to_string().contains("chmod 600"));
}

#[test]
fn a_slow_disk_holds_up_no_caller() {
    let (_folder, store) = store();
    let (token, view) = store.create(&agent("a"), None, NOW).unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    let asked = store.clone();
    let kept = store.change_by(
        |table| Ok(table.tokens.remove(&view.id).is_some()),
        |_| {
            // While the disk takes its time, somebody calls.
            let asking = std::thread::spawn(move || tell.send(asked.authenticate(&token, NOW).is_ok()));
            let let_in = told.recv_timeout(Duration::from_secs(20)).expect("the caller is answered meanwhile");
            asking.join().unwrap().unwrap();
            assert!(let_in, "what is not on the disk has not happened");
            Ok(())
        },
    );
    assert!(kept.unwrap() && store.find(&view.id).is_none());
}

#[tokio::test]
async fn what_a_token_holds_open_hears_of_its_end_after_the_caller_has_its_answer_and_also_without_a_caller() {
    let (_folder, store) = store();
    let (token, view) = store.create(&agent("a"), None, NOW).unwrap();
    let credential = store.authenticate(&token, NOW).unwrap();
    let clock = Clock::system();
    let mut ended = pin!(store.end_of(&credential, &clock));
    assert!(ended.as_mut().now_or_never().is_none());
    // Who revokes the token by which it calls: its own answer comes first.
    let mut revoking = pin!(store.revoke_aside(&view.id));
    let answered = matches!(select(revoking.as_mut(), ended.as_mut()).await, Either::Left((Ok(Some(_)), _)));
    assert!(answered, "the answer");
    ended.await;
    // And whose caller went away while the disk took its time.
    let (token, view) = store.create(&agent("b"), None, NOW).unwrap();
    let credential = store.authenticate(&token, NOW).unwrap();
    let clock = Clock::system();
    let mut ended = pin!(store.end_of(&credential, &clock));
    assert!(ended.as_mut().now_or_never().is_none());
    assert!(store.revoke_aside(&view.id).now_or_never().is_none(), "it was begun");
    ended.await;
}
