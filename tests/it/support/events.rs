//! What happens in a hub, as `callboard event follow` tells it: a story waits for the event itself.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use serde_json::Value;

use super::TIMEOUT;
use super::hub_process::HubProcess;

/// Events as they happen, from the first on.
pub(crate) struct Events {
    child: Child,
    lines: Receiver<String>,
}

impl Events {
    /// Of this hub, until it ends.
    pub(crate) fn of(hub: &HubProcess) -> Self {
        let mut command = hub.command(&["event", "follow", "--after", "0", "-o", "json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the binary was built");
        let out = BufReader::new(child.stdout.take().expect("it is piped"));
        let (send, lines) = mpsc::channel();
        thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
        Self { child, lines }
    }

    /// What the next one of this type says; those before it are passed over.
    #[track_caller]
    pub(crate) fn next(&self, kind: &str) -> Value {
        self.of_any(&[kind])["data"].clone()
    }

    /// The next one of each of these types, in this order, whichever comes first.
    #[track_caller]
    pub(crate) fn each<const N: usize>(&self, kinds: [&str; N]) -> [Value; N] {
        let mut found = [const { Value::Null }; N];
        while found.contains(&Value::Null) {
            let missing: Vec<&str> =
                kinds.iter().zip(&found).filter(|(_, found)| found.is_null()).map(|(kind, _)| *kind).collect();
            let event = self.of_any(&missing);
            if let Some(place) = kinds.iter().position(|kind| event["type"] == *kind) {
                found[place] = event;
            }
        }
        found
    }

    #[track_caller]
    fn of_any(&self, kinds: &[&str]) -> Value {
        let mut passed = Vec::new();
        loop {
            let line = self.lines.recv_timeout(TIMEOUT);
            let line = line.unwrap_or_else(|_| panic!("there is none of {kinds:?}, but only {passed:?}"));
            let event: Value = serde_json::from_str(&line).expect("an event is JSON");
            if kinds.iter().any(|kind| event["type"] == *kind) {
                return event;
            }
            passed.push(event["type"].clone());
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
