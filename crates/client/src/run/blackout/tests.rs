//! What `blackout` does, tried.

use proptest::prelude::*;

use super::*;

fn knows(secrets: &[&str]) -> Blackout {
    let mut blackout = Blackout::default();
    for secret in secrets {
        blackout.typed(format!("{secret}\r").as_bytes(), "Password: ");
    }
    blackout
}

fn shown(blackout: &mut Blackout, pieces: &[&str]) -> String {
    let now = Instant::now();
    let mut shown = Vec::new();
    for piece in pieces {
        shown.extend_from_slice(&blackout.printed(Bytes::copy_from_slice(piece.as_bytes()), now));
    }
    shown.extend_from_slice(&blackout.release());
    String::from_utf8_lossy(&shown).into_owned()
}

#[test]
fn what_was_typed_in_secret_is_blacked_out_wherever_it_is_printed() {
    let mut blackout = knows(&["hunter2"]);
    assert_eq!(
        shown(&mut blackout, &["postgres://ada:hunter2@db/ hunter hunter2"]),
        "postgres://ada:*******@db/ hunter *******"
    );
    assert_eq!(shown(&mut blackout, &["+ curl -u ada:hun", "te", "r2 https://x"]), "+ curl -u ada:******* https://x");
    let one_by_one: Vec<String> = "a hunhunter2 b".chars().map(String::from).collect();
    let one_by_one: Vec<&str> = one_by_one.iter().map(String::as_str).collect();
    assert_eq!(shown(&mut blackout, &one_by_one), "a hun******* b");
}

#[test]
fn it_is_the_line_that_was_entered_that_counts() {
    let mut blackout = Blackout::default();
    blackout.typed(b"hun", "Password: ");
    blackout.typed(b"x\x7fter2", "Password: ");
    assert_eq!(shown(&mut blackout, &["hunter2"]), "hunter2", "not entered yet");
    blackout.typed(b"\r", "Password: ");
    assert_eq!(shown(&mut blackout, &["hunter2"]), "*******");
    blackout.typed(b"given-up\x03", "Password: ");
    blackout.typed(b"\r", "Password: ");
    assert_eq!(shown(&mut blackout, &["given-up"]), "given-up");
}

#[test]
fn what_stands_in_the_open_or_is_short_is_no_secret() {
    let mut blackout = knows(&["password", "abc", ""]);
    assert_eq!(shown(&mut blackout, &["Password: password abc"]), "Password: password abc");
}

#[test]
fn of_two_secrets_the_one_in_the_other_leaves_nothing_of_it() {
    let mut blackout = knows(&["pass1", "pass1word2"]);
    assert_eq!(shown(&mut blackout, &["pass1word2 pass1"]), "********** *****");
}

#[test]
fn the_beginning_of_a_secret_is_held_and_goes_on_in_time() {
    let mut blackout = knows(&["hunter2"]);
    let now = Instant::now();
    assert_eq!(blackout.printed(Bytes::from_static(b"go h"), now), "go ".as_bytes());
    assert_eq!(blackout.due(), Some(now + HOLD));
    assert_eq!(blackout.release(), "h".as_bytes());
    assert_eq!(blackout.due(), None);
}

#[test]
fn it_remembers_the_newest() {
    let secrets: Vec<String> = (0..=REMEMBERED).map(|number| format!("secret-{number:02}.")).collect();
    let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
    let mut blackout = knows(&secrets);
    assert_eq!(shown(&mut blackout, &[secrets[0], secrets[1]]), "secret-00.**********");
}

proptest! {
    /// However the output is cut, no secret passes and not a byte is lost.
    #[test]
    fn no_cut_lets_a_secret_pass(text in "[ab]{0,40}", cuts in proptest::collection::vec(1_usize..6, 0..20)) {
        let mut blackout = knows(&["abba", "babab"]);
        let (mut pieces, mut rest) = (Vec::new(), text.as_str());
        for cut in cuts {
            let (piece, left) = rest.split_at(cut.min(rest.len()));
            pieces.push(piece);
            rest = left;
        }
        pieces.push(rest);
        let shown = shown(&mut blackout, &pieces);
        prop_assert_eq!(shown.len(), text.len());
        prop_assert!(!shown.contains("abba") && !shown.contains("babab"), "{} from {}", shown, text);
    }
}

#[test]
fn what_is_typed_in_view_is_blacked_out_as_it_comes_back() {
    let mut blackout = Blackout::default();
    blackout.typed_in_view(b"hunter2\r");
    assert_eq!(shown(&mut blackout, &["hun", "ter2\r\n", "hunter2 is known"]), "*******\r\nhunter2 is known");
    blackout.typed_in_view(b"hu");
    assert_eq!(shown(&mut blackout, &["h", "*"]), "**");
    blackout.typed_in_view(b"\x7fhunter2");
    assert_eq!(shown(&mut blackout, &["*", "hunter2"]), "*hunter2", "it shows a star for each key");
    // What was rubbed out, and arrows that were typed along.
    let mut blackout = Blackout::default();
    blackout.typed_in_view(b"hu\x7fnter2\r");
    assert_eq!(shown(&mut blackout, &["hu\x08 \x08nt", "er2\r\n"]), "**\x08 \x08*****\r\n");
    blackout.typed_in_view("\x7fé\x08\x1b[Dhunter2\r".as_bytes());
    assert_eq!(shown(&mut blackout, &["é\x08 \x08^[[Dhunter2\r\n"]), "**\x08 \x08^[*********\r\n");
}
