//! The hub sees what is printed below `callboard run` and whether it waits for somebody; and
//! a hub that goes away and comes back is noticed by nobody at the terminal.

use serde_json::json;

use crate::support::agent::Agent;
use crate::support::pause;
use crate::support::terminal::Terminal;
use crate::support::watched::Scene;

#[test]
fn a_prompt_is_seen_with_what_only_the_host_knows() {
    let scene = Scene::new();
    let events = scene.events();
    let mut terminal =
        scene.hosts("read -p 'Delete 3 tables? (yes/no): ' answer; echo so be it; read -p 'Name: ' name");
    let seen = &events.next("session.input_prompt_detected")["prompt"];
    assert_eq!(seen["prompt_text"], "Delete 3 tables? (yes/no):");
    assert_eq!((&seen["prompt_type"], &seen["is_dangerous"]), (&json!("yes_no"), &json!(true)));
    // On a slow machine the screen speaks before the host has said what its kernel knows.
    assert_eq!(scene.is_safe_at("Delete 3 tables? (yes/no):")["signals"][0], "tty_read");
    terminal.shows("(yes/no): ");
    terminal.presses("no\r");
    // What the host saw of the answer, and what the hub sees of the next prompt, come as each is ready.
    let [_, seen, answer] =
        events.each(["session.input_prompt_gone", "session.input_prompt_detected", "session.input_tracked"]);
    let (seen, answer) = (&seen["data"]["prompt"], &answer["data"]);
    assert_eq!((&seen["prompt_text"], &seen["prompt_type"]), (&json!("Name:"), &json!("text")));
    assert_eq!((&answer["source"], &answer["provenance"]), (&json!("user_typed"), &json!("attested")), "{answer}");
    assert_eq!((&answer["promptText"], &answer["success"]), (&json!("Delete 3 tables? (yes/no):"), &json!(true)));
    terminal.presses("\r");
    assert!(terminal.ends().0.success());
}

#[test]
fn programs_that_ask_are_found_each_in_its_own_way() {
    let scene = Scene::new();
    let events = scene.events();
    let ways = [
        ("exec python3 -c 'input(\"Which port? \")'", "Which port?", "text"),
        ("exec python3 -c 'import getpass; getpass.getpass(\"Passphrase: \")'", "Passphrase:", "password"),
        ("printf 'secret word, please'; stty -echo; read word; stty echo", "secret word, please", "password"),
    ];
    for (script, text, kind) in ways {
        let mut terminal = scene.hosts(script);
        let seen = &events.next("session.input_prompt_detected")["prompt"];
        assert_eq!(seen["prompt_type"], kind, "{script}: {seen}");
        assert!(seen["prompt_text"].as_str().unwrap().contains(text), "{script}: {seen}");
        if kind == "password" {
            assert_eq!(seen["safe_to_type"], false, "{script}: {seen}");
        } else {
            scene.is_safe_at(text);
        }
        terminal.signals("HUP");
        terminal.has_ended();
        events.next("session.input_prompt_gone");
    }
}

/// What a program says that fails at its start is what one would look up.
#[test]
fn what_a_program_printed_that_ended_at_once_is_kept() {
    let scene = Scene::new();
    let (ended, _) = scene.hosts("echo no such database; exit 3").ends();
    assert_eq!(ended.code(), Some(3));
    let transcript = scene.transcript();
    assert!(transcript.to_string().contains("no such database"), "{transcript}");
}

#[test]
fn whoever_tails_it_sees_what_was_printed_and_what_comes() {
    let scene = Scene::new();
    let mut terminal = scene.hosts("echo first line; read -p 'Go on? ' a; echo second line; read -p 'More? ' b");
    scene.sees("Go on?", |_| true);
    let session = scene.session();
    let mut tail = Terminal::start(scene.hub.command(&["session", "follow", &session]));
    tail.shows("first line");
    tail.shows("Go on?");
    terminal.presses("y\r");
    tail.shows("second line");
    scene.sees("More?", |_| true);
    let last = scene.hub.command(&["session", "follow", &session, "--once", "--lines", "1"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&last.stdout).trim(), "More?", "{last:?}");
    let nowhere = scene.hub.command(&["session", "follow", "nowhere"]).output().unwrap();
    assert_eq!(nowhere.status.code(), Some(4), "{nowhere:?}");
    terminal.presses("n\r");
    assert!(terminal.ends().0.success());
}

#[test]
fn a_prompt_of_a_host_that_was_killed_is_gone_with_it() {
    let scene = Scene::new();
    let events = scene.events();
    let mut terminal = scene.hosts("stty -echo; printf 'secret word, please'; read word");
    terminal.shows("please");
    scene.sees("secret word, please", |prompt| prompt["signals"][0] == "tty_read");
    events.next("session.input_prompt_detected");
    terminal.signals("KILL");
    terminal.has_ended();
    // What only its kernel knew is known no more.
    events.next("session.input_prompt_gone");
}

#[test]
fn a_hub_that_dies_and_comes_back_is_not_noticed_and_misses_nothing() {
    let scene = Scene::new();
    let events = scene.events();
    let script = "echo before; read -p 'One? ' a; echo while nobody looked; read -p 'Two? ' b; echo code $a$b; exit 6";
    let mut terminal = scene.hosts(script);
    events.next("session.input_prompt_detected");
    let Scene { hub, agent, data_dir } = scene;
    hub.kill();
    terminal.shows("One? ");
    terminal.presses("1\r");
    terminal.shows("while nobody looked");
    terminal.shows("Two? ");
    drop(events);
    let scene = Scene { hub: Scene::hub(&data_dir), agent, data_dir };
    let events = scene.events();
    while events.next("session.input_prompt_detected")["prompt"]["prompt_text"] != "Two?" {}
    let text = scene.transcript()["text"].clone();
    let text = text.as_str().unwrap();
    assert!(text.contains("before") && text.contains("while nobody looked"), "{text:?}");
    assert_eq!(text.matches("while nobody looked").count(), 1, "{text:?}");
    terminal.presses("2\r");
    terminal.shows("code 12");
    assert_eq!(terminal.has_ended().code(), Some(6));
    assert!(!terminal.is_raw(), "it is as it was");
}

/// Two programs on one screen would hide each other's prompts, and get each other's answers.
#[test]
fn a_second_host_of_a_session_is_told_so_and_its_turn_comes_when_the_first_has_ended() {
    let scene = Scene::new();
    let mut first = scene.hosts_and_types("read -p 'First name? ' name; echo heard $name");
    scene.is_safe_at("First name?");
    let mut second = scene.hosts("read -p 'Second name? ' name; echo heard $name");
    second.shows("callboard run: not watched yet: another `callboard run` hosts the terminal of session");
    second.shows("TERMINAL_HOSTED");
    second.shows("Second name?");
    pause(1_500);
    scene.is_safe_at("First name?");
    let input = json!({ "text": "ada", "promptText": "First name?", "reason": "she asked" });
    let (status, said) = scene.hub.post(&format!("/api/v1/sessions/{}/input", scene.session()), &input);
    assert_eq!(status, 200, "{said}");
    first.shows("heard ada");
    assert!(first.ends().0.success());
    scene.is_safe_at("Second name?");
    let transcript = scene.transcript().to_string();
    assert!(transcript.contains("heard ada") && transcript.contains("Second name?"), "{transcript}");
    second.presses("bob\r");
    assert!(second.ends().0.success());
}

#[test]
fn a_host_of_an_agent_that_has_not_registered_is_told_so_and_watched_once_it_has() {
    let scene = Scene::new();
    let mut terminal = scene.hosts_for("host-2", "read -p 'Name? ' name");
    terminal.shows("callboard run: not watched yet: the agent `host-2` has not registered");
    terminal.shows("Name?");
    Agent::register(&scene.hub, "host-2", "full-stack-engineer");
    let shown = || {
        let (_, inbox) = scene.hub.get("/api/v1/inbox");
        inbox["items"].as_array().unwrap().iter().any(|item| item["title"] == "Name?" && item["agentId"] == "host-2")
    };
    for _ in 0..500 {
        if shown() {
            break;
        }
        pause(20);
    }
    assert!(shown(), "{}", scene.hub.get("/api/v1/inbox").1);
    terminal.presses("ada\r");
    assert!(terminal.ends().0.success());
}

#[test]
fn a_host_finds_its_place_again_after_an_outage_although_another_one_waits_for_it() {
    let scene = Scene::new();
    let mut first = scene.hosts("read -p 'First name? ' name");
    scene.sees("First name?", |_| true);
    let mut second = scene.hosts("read -p 'Second name? ' name");
    second.shows("TERMINAL_HOSTED");
    second.shows("Second name?");
    let Scene { hub, agent, data_dir } = scene;
    hub.kill();
    // Both look for it, again and again.
    pause(2_500);
    let scene = Scene { hub: Scene::hub(&data_dir), agent, data_dir };
    scene.is_safe_at("First name?");
    pause(1_500);
    scene.is_safe_at("First name?");
    first.presses("ada\r");
    assert!(first.ends().0.success());
    second.presses("bob\r");
    assert!(second.ends().0.success());
}
