//! Who plays a part on a path, and what they do, in few words.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::agent::Agent;
use crate::support::hub_process::HubProcess;
use crate::support::pause;

/// What the agent has to hear.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Expected {
    Task(String),
    /// A notice with these words.
    Notice(&'static str),
    /// That it is sent away.
    Eviction,
}

/// A path under way: the agent that has to wake, and another one, both of a role of their own.
pub(super) struct Scene<'a> {
    hub: &'a HubProcess,
    config: &'a Path,
    number: usize,
    role: String,
    id: String,
    pub(super) agent: Agent,
    other: Option<Agent>,
    /// Tasks in the order in which they were asked for.
    tasks: Vec<String>,
    expected: Option<Expected>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(hub: &'a HubProcess, config: &'a Path, number: usize) -> Self {
        let (role, id) = (format!("role-{number}"), format!("agent-{number}"));
        let agent = Agent::register(hub, &id, &role);
        Self { hub, config, number, role, id, agent, other: None, tasks: Vec::new(), expected: None }
    }

    /// Or heard already what it waits for: time may have passed meanwhile.
    pub(super) fn until_it_waits(&self, it_heard: impl Fn() -> bool) {
        let waits = (0..2_000).any(|_| {
            pause(30);
            it_heard() || self.hub.get(&format!("/api/v1/agents/{}", self.id)).1["availability"] == "waiting"
        });
        assert!(waits, "{} was to wait", self.id);
    }

    pub(super) fn is_meant_by(&self, heard: &Value) -> bool {
        match self.expected.as_ref().expect("a path says what is to be heard") {
            Expected::Task(id) => heard["status"] == "TASK" && heard["taskId"] == id.as_str(),
            Expected::Notice(words) => {
                let notices = heard["notices"].as_array().into_iter().flatten();
                heard["status"] == "NOTICE" && notices.into_iter().any(|it| it["text"].to_string().contains(words))
            }
            Expected::Eviction => heard["status"] == "EVICTED",
        }
    }

    /// The task that was asked for last is what the agent has to be offered.
    pub(super) fn expects_the_last(&mut self) {
        self.expects_task(self.tasks.len() - 1);
    }

    pub(super) fn expects_task(&mut self, place: usize) {
        self.expected = Some(Expected::Task(self.tasks[place].clone()));
    }

    pub(super) fn expects_notice(&mut self, words: &'static str) {
        self.expected = Some(Expected::Notice(words));
    }

    pub(super) fn expects_eviction(&mut self) {
        self.expected = Some(Expected::Eviction);
    }

    /// Somebody asks for a task.
    pub(super) fn asks(&mut self, target: &str, more: &Value) {
        let mut order = json!({ "targetAgentId": target, "prompt": "work" });
        for (name, value) in more.as_object().into_iter().flatten() {
            order[name] = value.clone();
        }
        let (status, receipt) = self.hub.post("/api/v1/tasks", &order);
        assert!((200..300).contains(&status), "{receipt}");
        self.was_given(&receipt);
    }

    pub(super) fn id(&self) -> String {
        self.id.clone()
    }

    pub(super) fn role(&self) -> String {
        self.role.clone()
    }

    pub(super) fn of_its_role(&self) -> String {
        format!("role:{}", self.role)
    }

    pub(super) fn task(&self, place: usize) -> &str {
        &self.tasks[place]
    }

    pub(super) fn other_id(&self) -> String {
        format!("other-{}", self.number)
    }

    /// An agent of the same role beside it.
    pub(super) fn other_comes(&mut self) -> String {
        self.other_comes_as(&self.role.clone())
    }

    /// An agent of this role beside it.
    pub(super) fn other_comes_as(&mut self, role: &str) -> String {
        let id = self.other_id();
        self.other = Some(Agent::register(self.hub, &id, role));
        id
    }

    /// It registers anew.
    pub(super) fn registers_as(&mut self, role: &str, capabilities: &[&str]) {
        let who = json!({ "agentId": self.id, "role": role, "capabilities": capabilities });
        self.calls("register_agent", &who);
        role.clone_into(&mut self.role);
    }

    /// What it holds is enough, says its wait.
    pub(super) fn hears_that_it_has_enough(&self) {
        let heard = self.calls("wait_for_prompt", &json!({ "timeout": 10 }));
        assert!(heard["taskId"].is_null(), "{heard}");
    }

    /// One of the two hands work to somebody.
    pub(super) fn delegates(&mut self, to: &str) {
        self.was_given(&self.calls("assign_task", &json!({ "targetAgentId": to, "prompt": "work" })));
    }

    pub(super) fn other_delegates(&mut self, to: &str) {
        self.was_given(&self.other_calls("assign_task", &json!({ "targetAgentId": to, "prompt": "work" })));
    }

    fn was_given(&mut self, receipt: &Value) {
        self.tasks.push(receipt["taskId"].as_str().unwrap().to_owned());
    }

    /// The roles say from now on that one who is `roomy` may hold so many tasks.
    pub(super) fn reloads_with_room_for(&self, tasks: usize) {
        super::holds(self.config, tasks);
        self.hub.reads_its_settings();
    }

    /// The other one takes what was asked for last, and acknowledges it.
    pub(super) fn other_takes(&mut self) {
        self.other_takes_again(self.tasks.len() - 1);
    }

    pub(super) fn other_takes_again(&mut self, place: usize) {
        self.other_is_offered(place);
        self.other_calls("ack_task", &json!({ "taskId": self.task(place) }));
    }

    pub(super) fn other_is_offered(&mut self, place: usize) {
        let offer = self.other_calls("wait_for_prompt", &json!({ "timeout": 10 }));
        assert_eq!(offer["taskId"], self.task(place), "{offer}");
    }

    pub(super) fn other_calls(&self, tool: &str, arguments: &Value) -> Value {
        self.other.as_ref().expect("another one").calls(self.hub, tool, arguments)
    }

    /// The agent itself takes what there is, and acknowledges it.
    pub(super) fn takes(&mut self) {
        let offer = self.calls("wait_for_prompt", &json!({ "timeout": 10 }));
        assert_eq!(offer["taskId"], self.tasks.last().unwrap().as_str(), "{offer}");
        let task = self.tasks.last().unwrap().clone();
        self.calls("ack_task", &json!({ "taskId": task }));
    }

    pub(super) fn calls(&self, tool: &str, arguments: &Value) -> Value {
        self.agent.calls(self.hub, tool, arguments)
    }

    /// A report of the other one, or of the agent, on a task.
    pub(super) fn other_reports(&self, place: usize, status: &str) {
        self.other_calls("send_response", &report(self.task(place), status));
    }

    pub(super) fn reports(&self, place: usize, status: &str) {
        self.calls("send_response", &report(self.task(place), status));
    }

    /// The operator orders something.
    pub(super) fn orders(&self, path: &str, body: &Value) {
        let (status, answer) = self.hub.post(path, body);
        assert!((200..300).contains(&status), "{path}: {answer}");
    }

    pub(super) fn of_task(&self, place: usize, verb: &str, body: &Value) {
        self.orders(&format!("/api/v1/tasks/{}/{verb}", self.task(place)), body);
    }

    /// Until a task is in this state.
    pub(super) fn until(&self, place: usize, state: &str) {
        let path = format!("/api/v1/tasks/{}", self.task(place));
        let is_so = (0..500).any(|_| {
            pause(30);
            self.hub.get(&path).1["state"] == state
        });
        assert!(is_so, "{path} was to be {state}: {}", self.hub.get(&path).1);
    }
}

fn report(task: &str, status: &str) -> Value {
    json!({ "taskId": task, "status": status, "message": "words", "blockedReason": "which one?" })
}
