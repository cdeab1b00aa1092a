//! What a program prints does nothing to its hub but be drawn: nothing is answered, nothing grows past its bounds, and
//! what comes after it is seen as ever. The user's terminal gets every byte of it.

use serde_json::json;

use crate::support::watched::Scene;

/// Ask the terminal to answer: who it is, where its cursor stands, which colours it has, how it is set, what its title
/// and its clipboard say. Set them. Begin what never ends.
const QUERIES: &str = concat!(
    r"\033[c\033[>c\033[=c\033[5n\033[6n\033[?6n\033]10;?\007\033]11;?\033\\\033P$qm\033\\\033P+q544e\033\\",
    r"\033[18t\033[21t\033]52;c;?\007\033]4;1;?\007\033Z\005"
);
const ORDERS: &str = concat!(
    r"\033]0;pwned\007\033]2;pwned\033\\\033]52;c;cm0gLXJmIC8=\007\033[8;999;999t\033[5i\033]7;file://x/\007",
    r"\033]1337;File=x:AAAA\007\033[?1003h\033#8\033c"
);

#[test]
fn nobody_answers_what_asks_the_terminal_and_the_prompt_behind_it_is_seen() {
    let scene = Scene::new();
    // Whatever comes back would be there to be read, as if somebody had typed it.
    let script = format!(
        "stty raw -echo; printf '{QUERIES}{ORDERS}'; read -t 2 -n 1 -s answered; stty sane; \
         echo \"said <$answered>\"; read -p 'Name: ' name"
    );
    let mut terminal = scene.hosts(&script);
    terminal.shows("\u{1b}[6n");
    terminal.shows("\u{1b}]52;c;cm0gLXJmIC8=\u{7}");
    terminal.shows("said <>");
    scene.sees("Name:", |_| true);
    let told = scene.transcript();
    assert_eq!((&told["rows"], &told["cols"]), (&json!(40), &json!(100)), "a program does not resize it");
    let told = told.to_string();
    assert!(told.contains("said <>") && !told.contains("pwned") && !told.contains("cm0g"), "{told}");
    terminal.presses("bob\r");
    assert!(terminal.ends().0.success());
}

#[test]
fn garbage_and_lines_without_an_end_are_drawn_within_bounds() {
    let scene = Scene::new();
    let script = "head -c 300000 /dev/urandom; printf '\\033c'; \
                  head -c 1100000 /dev/zero | tr '\\0' x; printf '\\033]2;'; head -c 1100000 /dev/zero | tr '\\0' y; \
                  printf '\\007\\r\\nPIN: '; read -s pin; \
                  printf '\\033[999999999b\\033[99999;99999H\\r\\nGo on? [y/N] '; read a";
    let mut terminal = scene.hosts(script);
    terminal.shows("PIN: ");
    let seen = scene.sees("PIN:", |prompt| prompt["prompt_type"] == "password");
    assert_eq!(seen["safe_to_type"], false, "{seen}");
    let session = scene.session();
    let (_, actor) = scene.hub.get(&format!("/admin/actors/terminal:{session}"));
    let bytes = actor["detail"]["historyBytes"].as_u64().unwrap_or(u64::MAX);
    assert!(bytes < 2 * 1024 * 1024, "{actor}");
    terminal.presses("1234\r");
    scene.is_safe_at("Go on? [y/N]");
    let text = scene.transcript()["text"].as_str().unwrap().len();
    assert!(text < 3 * 1024 * 1024, "{text} bytes");
    terminal.presses("n\r");
    assert!(terminal.ends().0.success());
}
