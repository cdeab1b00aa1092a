//! What `patterns.yaml` adds is known without a restart, to terminals that are there already, and only what is right in
//! it.

use std::fs;

use serde_json::json;

use crate::support::pause;
use crate::support::watched::Scene;

const SHIP: &str = "\
prompts:
  ship: {ends: 'ship it>', kind: yes_no, choices: ['aye', 'nay'], dangerous: true}
  door: {ends: 'door word>', kind: password}
dangerWords: [evacuate]
";

/// `patterns.yaml` says this from now on.
fn says(scene: &Scene, text: &str) {
    fs::write(scene.data_dir.path().join("config").join("patterns.yaml"), text).unwrap();
    scene.hub.reads_its_settings();
}

fn detects(scene: &Scene) -> serde_json::Value {
    scene.agent.calls(&scene.hub, "detect_input_prompt", &json!({"session_id": scene.session()}))
}

#[test]
fn a_hub_that_runs_learns_prompts_and_danger_and_keeps_what_it_had_when_the_file_is_wrong() {
    let scene = Scene::new();
    let mut terminal =
        scene.hosts("read -p 'Captain, ship it> ' a; read -p 'door word> ' b; read -p 'Evacuate it? [y/n] ' c");
    terminal.shows("ship it> ");
    assert_ne!(scene.sees("Captain, ship it>", |_| true)["matched_pattern"], "patterns.ship");
    says(&scene, SHIP);
    let seen = scene.sees("Captain, ship it>", |prompt| prompt["matched_pattern"] == "patterns.ship");
    assert_eq!((&seen["prompt_type"], &seen["is_dangerous"]), (&json!("yes_no"), &json!(true)), "{seen}");
    assert_eq!(seen["choices"], json!(["aye", "nay"]));
    // One word is wrong in it: all of it stays as it was.
    says(&scene, &SHIP.replace("yes_no", "maybe").replace("door word>", "gate word>"));
    let log = || fs::read_to_string(scene.data_dir.path().join("hub.log")).unwrap();
    while !log().contains("maybe") {
        pause(20);
    }
    terminal.presses("aye\r");
    terminal.shows("door word> ");
    let seen = scene.sees("door word>", |prompt| prompt["matched_pattern"] == "patterns.door");
    assert_eq!((&seen["prompt_type"], &seen["safe_to_type"]), (&json!("password"), &json!(false)), "{seen}");
    terminal.presses("mellon\r");
    terminal.shows("Evacuate it? [y/n] ");
    scene.sees("Evacuate it? [y/n]", |prompt| prompt["is_dangerous"] == true);
    assert!(!scene.transcript().to_string().contains("mellon"), "what is of the kind password is kept nowhere");
    says(&scene, "prompts: {}\ndangerWords: []\n");
    scene.sees("Evacuate it? [y/n]", |prompt| prompt["is_dangerous"] == false);
    assert_eq!(detects(&scene)["detected"], true);
    terminal.presses("\r");
    assert!(terminal.ends().0.success());
}
