//! What could not leave the hub, as an operator at the command line finds it, and decides over it.

use callboard_standin::discord::{RestFault, RestRule};
use serde_json::{Value, json};

use crate::support::discord::Scene;
use crate::support::hub_process::{HubProcess, callboard};

const NOT_FOUND: i32 = 4;
/// Discord's code for somebody who takes no direct messages: it is not waited for.
const MAY_NOT: u32 = 50_007;

/// Two deliveries that Discord refuses, and the request that the first one is about.
fn with_dead_letters(scene: &Scene) -> ([String; 2], u64) {
    let rule = RestRule::on("POST", "/channels/:channel/messages").always();
    scene.discord.fault(rule, RestFault::Refused { status: None, code: MAY_NOT });
    let [first, second] = ["one", "another"].map(|text| {
        let request = scene.calls(scene.tester, text);
        let found = dead_letter(scene, &request.to_string());
        (found["id"].as_str().unwrap().to_owned(), request)
    });
    scene.discord.heals();
    ([first.0, second.0], first.1)
}

/// The dead letter of a lane, once there is one.
fn dead_letter(scene: &Scene, lane: &str) -> Value {
    loop {
        let known = scene.hub.get("/api/v1/outbox?state=dead_letter").1["items"].as_array().unwrap().clone();
        if let Some(found) = known.into_iter().find(|item| item["lane"].as_str() == Some(lane)) {
            return found;
        }
        crate::support::pause(20);
    }
}

/// What a command prints, and its exit code.
fn says(hub: &HubProcess, arguments: &[&str]) -> (String, Option<i32>) {
    let done = hub.command(arguments).output().unwrap();
    let words = [done.stdout, done.stderr].concat();
    (String::from_utf8(words).unwrap(), done.status.code())
}

fn json_of(hub: &HubProcess, arguments: &[&str]) -> Value {
    let (words, code) = says(hub, &[arguments, &["-o", "json"]].concat());
    assert_eq!(code, Some(0), "{words}");
    serde_json::from_str(&words).unwrap_or_else(|error| panic!("{error}: {words}"))
}

#[test]
fn what_could_not_be_delivered_is_listed_shown_retried_and_dropped_from_the_command_line() {
    let scene = Scene::new();
    let ([first, second], request) = with_dead_letters(&scene);
    let hub = &scene.hub;
    let (listed, code) = says(hub, &["outbox", "list", "--state", "dead-letter"]);
    assert_eq!(code, Some(0), "{listed}");
    assert!(listed.contains(&first) && listed.contains(&second) && listed.contains("50007"), "{listed}");
    let (shown, _) = says(hub, &["outbox", "show", &first]);
    assert!(shown.contains("dead_letter") && shown.contains("is taken on"), "{shown}");
    assert!(!shown.contains(&scene.ann.to_string()), "what is sent is not shown: {shown}");
    let inbox = json_of(hub, &["inbox", "list", "--kind", "dead-delivery"]);
    assert_eq!(inbox["total"], 2, "{inbox}");
    let item = format!("dead_delivery:{first}");
    let (retried, _) = says(hub, &["outbox", "retry", &item]);
    assert!(retried.contains(&format!("Delivery `{first}` is pending now.")), "{retried}");
    scene.reads(request, "**TestEngineer**");
    let dropped = json_of(hub, &["outbox", "drop", &second, "--reason", "the channel is gone"]);
    assert_eq!((&dropped["state"], &dropped["reason"]), (&json!("dropped"), &json!("the channel is gone")));
    let (again, code) = says(hub, &["outbox", "retry", &second]);
    assert!(code != Some(0) && again.contains("nothing is left to be done with it"), "{again}");
    let (unknown, code) = says(hub, &["outbox", "show", "d_999_0"]);
    assert_eq!(code, Some(NOT_FOUND), "{unknown}");
    assert_eq!(json_of(hub, &["inbox", "list", "--kind", "dead-delivery"])["total"], 0);
    let data_dir = scene.ends();
    let checked = callboard(data_dir.path()).args(["journal", "verify"]).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stdout));
}
