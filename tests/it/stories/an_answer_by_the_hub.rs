//! People answer what a hosted program asks through the hub: only where its host takes that, only what is safe at that
//! instant, never a secret, into danger only what a person said; and each answer is an event with who, what and why.

use serde_json::{Value, json};

use crate::support::pause;
use crate::support::watched::Scene;

/// What the operator's answer to this prompt comes to.
fn answers(scene: &Scene, prompt: &str, text: &str) -> (u16, Value) {
    answers_as(scene, &scene.hub.operator_token(), prompt, text)
}

fn answers_as(scene: &Scene, token: &str, prompt: &str, text: &str) -> (u16, Value) {
    let path = format!("/api/v1/sessions/{}/input", scene.session());
    let input = json!({"text": text, "promptText": prompt, "reason": "the release waits for it"});
    scene.hub.post_as(token, &path, &input)
}

#[track_caller]
fn is_no((status, body): &(u16, Value), expected: u16, code: &str) {
    assert_eq!((*status, &body["code"]), (expected, &json!(code)), "{body}");
}

/// A token of somebody who may that much; `--service` for a program.
fn token(scene: &Scene, scope: &str, flags: &[&str]) -> String {
    let mut create = scene.hub.command(&["token", "create", "--scope", scope, "--name", scope, "-o", "json"]);
    let made = create.args(flags).output().unwrap();
    let made: Value = serde_json::from_slice(&made.stdout).unwrap();
    made["token"].as_str().unwrap().to_owned()
}

#[test]
fn an_answer_reaches_the_program_and_tells_who_gave_it_and_why() {
    let scene = Scene::new();
    let events = scene.events();
    let script = "read -p 'Delete 3 tables? (yes/no): ' a; read -p 'Name: ' b; echo \"it got $a and $b\"";
    let mut terminal = scene.hosts_and_types(script);
    let seen = scene.is_safe_at("Delete 3 tables? (yes/no):");
    assert_eq!(seen["is_dangerous"], true);
    let (status, typed) = answers(&scene, "Delete 3 tables? (yes/no):", "no");
    assert_eq!((status, &typed["inputText"]), (200, &json!("no")), "{typed}");
    let [ordered, injected, learned] =
        events.each(["session.input_ordered", "session.input_injected", "session.input_tracked"]);
    for event in [ordered, injected] {
        let data = &event["data"];
        assert_eq!((&data["orderId"], &data["inputText"]), (&typed["orderId"], &json!("no")), "{event}");
        assert_eq!((&data["promptText"], &data["dangerous"]), (&json!("Delete 3 tables? (yes/no):"), &json!(true)));
        assert_eq!((&data["reason"], &data["byPerson"]), (&json!("the release waits for it"), &json!(true)));
        assert_eq!((&event["actor"]["surface"], &event["subject"]["agent"]), (&json!("api"), &json!("host-1")));
        assert_eq!(event["actor"]["principal"], "operator", "{event}");
    }
    let learned = &learned["data"];
    assert_eq!((&learned["provenance"], &learned["success"]), (&json!("attested"), &json!(true)), "{learned}");
    scene.is_safe_at("Name:");
    assert_eq!(answers(&scene, "Name:", "bob").0, 200);
    terminal.shows("it got no and bob");
    assert!(terminal.ends().0.success());
    assert_eq!(answers(&scene, "Name:", "bob").0, 409, "nobody waits there, and nobody types");
}

#[test]
fn where_the_host_was_not_told_to_nothing_is_typed() {
    let scene = Scene::new();
    let mut terminal = scene.hosts("read -p 'Name: ' a; echo \"it got $a\"");
    scene.is_safe_at("Name:");
    is_no(&answers(&scene, "Name:", "eve"), 409, "TERMINAL_NOT_HOSTED");
    terminal.presses("bob\r");
    terminal.shows("it got bob");
    assert!(terminal.ends().0.success());
}

#[test]
fn nobody_types_a_secret_and_into_danger_no_program() {
    let scene = Scene::new();
    let script = "read -s -p 'Password: ' a; echo; read -p 'Delete 3 tables? (yes/no): ' b; PS1='$ '; \
                  read -e -p '$ ' c; echo \"it got $a, $b and $c\"";
    let mut terminal = scene.hosts_and_types(script);
    scene.sees("Password:", |prompt| prompt["signals"][0] == "tty_read");
    is_no(&answers(&scene, "Password:", "hunter2"), 403, "PROMPT_SECRET");
    terminal.presses("mine\r");
    scene.is_safe_at("Delete 3 tables? (yes/no):");
    let program = token(&scene, "operate", &["--service"]);
    let danger = "Delete 3 tables? (yes/no):";
    is_no(&answers_as(&scene, &program, danger, "no"), 403, "NOT_A_PERSONS_ANSWER");
    for token in [token(&scene, "view", &[]), scene.agent.token().to_owned()] {
        is_no(&answers_as(&scene, &token, danger, "no"), 403, "INSUFFICIENT_SCOPE");
    }
    is_no(&answers(&scene, "Delete 4 tables? (yes/no):", "no"), 409, "PROMPT_CHANGED");
    is_no(&answers(&scene, danger, "no\rand more"), 400, "INVALID_ARGUMENTS");
    assert_eq!(answers(&scene, danger, "no").0, 200);
    scene.is_safe_at("$");
    is_no(&answers_as(&scene, &program, "$", "ls"), 403, "NOT_A_PERSONS_ANSWER");
    assert_eq!(answers(&scene, "$", "ls").0, 200, "a person may");
    terminal.shows("it got mine, no and ls");
    assert!(terminal.ends().0.success());
}

#[test]
fn what_takes_keys_or_is_being_answered_is_left_alone() {
    let scene = Scene::new();
    let script = "read -n 1 -p 'Go on? (y/n) ' a; echo; read -p 'Name: ' b; echo \"it got $a and $b\"";
    let mut terminal = scene.hosts_and_types(script);
    scene.is_safe_at("Go on? (y/n)");
    is_no(&answers(&scene, "Go on? (y/n)", "y"), 409, "NOT_SAFE_TO_TYPE");
    terminal.presses("n");
    scene.is_safe_at("Name:");
    terminal.presses("bo");
    terminal.shows("Name: bo");
    let (status, said) = answers(&scene, "Name:", "eve");
    assert_eq!(status, 409, "whoever sits there is typing: {said}");
    terminal.presses("b\r");
    terminal.shows("it got n and bob");
    assert!(terminal.ends().0.success());
}

/// A countdown below a clock, drawn anew each second: one item, one event, and its answer arrives.
#[test]
fn a_question_that_is_drawn_anew_is_one_item_and_is_answered_from_the_inbox() {
    let scene = Scene::new();
    let script = "i=99; while ((i--)); do printf '\\033[H\\033[2J%s\\n\\nGo on? (%s s) [y/N] ' \"$(date +%T)\" $i; \
                  read -t 1 a && break; done; echo \"it got $a\"";
    let mut terminal = scene.hosts_and_types(script);
    let shown = || scene.hub.get("/api/v1/inbox?kind=input_prompt").1["items"][0].clone();
    let mut seen: Vec<Value> = Vec::new();
    for _ in 0..1_500 {
        let item = shown();
        if item["id"].is_string() && seen.last().is_none_or(|last| last["title"] != item["title"]) {
            seen.push(item);
        }
        if seen.len() >= 4 {
            break;
        }
        pause(60);
    }
    let (first, last) = (&seen[0], &seen[3]);
    assert!(seen.iter().all(|item| item["id"] == first["id"] && item["since"] == first["since"]), "{seen:?}");
    assert!(last["title"].as_str().unwrap().starts_with("Go on? (") && last["actions"][0] == "answer", "{last}");
    let said = scene.hub.command(&["question", "answer", first["id"].as_str().unwrap(), "y"]).output().unwrap();
    assert_eq!(said.status.code(), Some(0), "{}", String::from_utf8_lossy(&[said.stdout, said.stderr].concat()));
    terminal.shows("it got y");
    assert!(terminal.ends().0.success());
    let history = scene.hub.get(&format!("/api/v1/sessions/{}/history?limit=500", scene.session())).1;
    let events = history["items"].as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap());
    let coming = events.filter(|kind| *kind == "session.input_prompt_detected").count();
    assert_eq!(coming, 1, "a second that passed is no event: {history}");
}

#[test]
fn what_the_terminal_of_a_busy_agent_asks_is_answered_from_the_inbox_and_not_what_came_after() {
    let scene = Scene::new();
    let work = json!({"targetAgentId": "host-1", "prompt": "Rename the tables."});
    let task = scene.hub.post("/api/v1/tasks", &work).1["taskId"].clone();
    let offer = scene.agent.calls(&scene.hub, "wait_for_prompt", &json!({"timeout": 20}));
    assert_eq!(offer["taskId"], task, "{offer}");
    scene.agent.calls(&scene.hub, "ack_task", &json!({"taskId": task}));
    let mut terminal = scene.hosts_and_types("read -p 'Name: ' a; read -p 'Name: ' b; echo \"it got $a and $b\"");
    let shown = || {
        let inbox = scene.hub.get("/api/v1/inbox?kind=input_prompt").1;
        inbox["items"][0].clone()
    };
    scene.is_safe_at("Name:");
    let first = shown();
    assert_eq!((&first["title"], &first["actions"]), (&json!("Name:"), &json!(["answer"])), "{first}");
    let answer = |item: &Value, value: &str| {
        let said = scene.hub.command(&["question", "answer", item["id"].as_str().unwrap(), value]).output().unwrap();
        (said.status.code(), String::from_utf8_lossy(&[said.stdout, said.stderr].concat()).into_owned())
    };
    let (status, said) = answer(&first, "ann");
    assert_eq!(status, Some(0), "{said}");
    let is_second =
        |item: &Value| item["id"].is_string() && item["id"] != first["id"] && item["actions"][0] == "answer";
    let mut second = shown();
    for _ in 0..1_500 {
        if is_second(&second) {
            break;
        }
        pause(60);
        second = shown();
    }
    assert!(is_second(&second), "{second}");
    let (status, said) = answer(&first, "eve");
    assert_eq!(status, Some(3), "the words are the same, and the prompt is another: {said}");
    assert_eq!(answer(&second, "bob").0, Some(0));
    terminal.shows("it got ann and bob");
    assert!(terminal.ends().0.success());
}
