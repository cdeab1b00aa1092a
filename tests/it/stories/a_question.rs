//! A question outlives the hub and the agent, told to the real binary: one of them is killed before the answer.

use std::io::Write as _;
use std::net::TcpStream;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;
use crate::support::plain_http;

fn asks(hub: &HubProcess, agent: &Agent, minutes: f64) -> String {
    let ask = json!({ "question": "Old or new?", "options": ["old", "new"], "default_action": "new",
        "timeout_minutes": minutes, "wait_seconds": 0 });
    agent.calls(hub, "request_input", &ask)["question_id"].as_str().unwrap().to_owned()
}

fn answers(hub: &HubProcess, question: &str) {
    let (status, answered) = hub.post(&format!("/api/v1/questions/{question}/answer"), &json!({ "value": "old" }));
    assert_eq!((status, &answered["resolution"]["type"]), (200, &json!("human")), "{answered}");
}

fn delivery(hub: &HubProcess, question: &str) -> Value {
    hub.get(&format!("/api/v1/questions/{question}")).1["delivery"].clone()
}

/// The agent's next call brings the answer, and the one after it shows that it arrived.
fn hears(hub: &HubProcess, agent: &Agent, question: &str) {
    let told = agent.calls(hub, "get_session", &json!({}));
    let notice = &told["notices"][0];
    assert_eq!((&notice["kind"], &notice["questionId"]), (&json!("answer"), &json!(question)), "{told}");
    assert!(notice["text"].as_str().unwrap().ends_with(": old"), "{told}");
    let next = agent.calls(hub, "get_session", &json!({}));
    assert_eq!((&next["notices"], delivery(hub, question)), (&Value::Null, json!("acknowledged")), "{next}");
}

#[test]
fn asked_before_the_hub_was_killed_and_answered_after_it_the_agent_hears_it() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let question = asks(&hub, &agent, 30.0);
    hub.kill();

    let hub = HubProcess::start(data_dir.path());
    answers(&hub, &question);
    hub.kill();

    let hub = HubProcess::start(data_dir.path());
    hears(&hub, &agent, &question);
    assert_eq!(hub.terminate().code(), Some(0));
}

#[test]
fn answered_after_its_agent_was_killed_it_reaches_the_one_that_comes_back() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let question = asks(&hub, &agent, 30.0);
    // It waits for the answer, and is gone with its connection.
    let wait = json!({ "question_id": question, "timeout": 40 });
    let port = hub.port();
    let headers = "Accept: application/json\r\n";
    let path = "/api/v1/tools/wait_for_answer";
    let request = plain_http::request(port, "POST", path, agent.token(), headers, &wait);
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    drop(stream);
    answers(&hub, &question);
    let back = json!({ "agentId": "fullstack-1", "role": "full-stack-engineer", "capabilities": [] });
    let told = agent.calls(&hub, "register_agent", &back);
    assert_eq!(told["notices"][0]["questionId"], json!(question), "{told}");
    assert!(told["notices"][0]["text"].as_str().unwrap().ends_with(": old"), "{told}");
    agent.calls(&hub, "get_session", &json!({}));
    assert_eq!(delivery(&hub, &question), "acknowledged");
    assert_eq!(hub.terminate().code(), Some(0));
}

/// What fell due while no hub ran happens at the start, once.
#[test]
fn a_deadline_that_passed_while_the_hub_was_dead_is_kept_at_its_start_and_once() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let question = asks(&hub, &agent, 0.05);
    hub.kill();
    for _ in 0..2 {
        let hub = HubProcess::start(data_dir.path());
        let wait = json!({ "question_id": question, "timeout": 40 });
        let ended = agent.calls(&hub, "wait_for_answer", &wait);
        assert_eq!(ended["resolution"]["type"], "timeout", "{ended}");
        assert_eq!(ended["message"], "No response received; proceeding with default: new");
        let (_, history) = hub.get(&format!("/api/v1/questions/{question}"));
        let session = history["sessionId"].as_str().unwrap();
        let (_, events) = hub.get(&format!("/api/v1/sessions/{session}/history?types=question.resolved"));
        assert_eq!(events["items"].as_array().map(Vec::len), Some(1), "{events}");
        hub.kill();
    }
}

/// What acts is never done by a clock: no word list names every disk, and none has to.
#[test]
fn a_default_that_acts_waits_for_a_person_past_its_deadline_and_is_answered_in_any_case() {
    let data_dir = TempDir::new().unwrap();
    let hub = HubProcess::start(data_dir.path());
    let agent = Agent::register(&hub, "fullstack-1", "full-stack-engineer");
    let ask = json!({ "question": "Format /dev/sdb?", "options": ["yes", "no"], "default_action": "yes",
        "timeout_minutes": 0.05 });
    let told = agent.calls(&hub, "request_input", &ask);
    assert_eq!(told["state"], "pending", "{told}");
    assert!(told["prompt"].as_str().unwrap().contains("withdraw_question"), "{told}");
    let question = told["question_id"].as_str().unwrap();
    let over = agent.calls(&hub, "wait_for_answer", &json!({ "question_id": question, "timeout": 10 }));
    assert_eq!((&over["state"], over.get("resolution")), (&json!("pending"), None), "{over}");
    let answered = hub.command(&["question", "answer", question, "No"]).output().unwrap();
    assert_eq!(answered.status.code(), Some(0), "{}", String::from_utf8_lossy(&answered.stderr));
    let told = agent.calls(&hub, "wait_for_answer", &json!({ "question_id": question }));
    assert_eq!(told["resolution"]["value"], "no", "{told}");
    // That its time was over may be told beside it; the answer itself is not told twice.
    let twice = |notice: &Value| notice["kind"] == "answer";
    assert!(!told["notices"].as_array().is_some_and(|notices| notices.iter().any(twice)), "{told}");
    let again = agent.calls(&hub, "request_input", &ask);
    assert!(again["message"].as_str().unwrap().starts_with("You asked this before"), "{again}");
    assert_eq!(hub.terminate().code(), Some(0));
}
