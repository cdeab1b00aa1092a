//! An agent dies while it holds an offer that it has not acknowledged.
//!
//! Every way over HTTP, with a connection that stays open and one that the answer ends, with a task that fits into one
//! piece of the network and one that does not. A WebSocket has a story of its own.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::hub_process::HubProcess;
use crate::support::mcp_http::Session;
use crate::support::pause;
use crate::support::plain_http;

const WAIT: &str = "/api/v1/tools/wait_for_prompt";

/// Texts of tasks, in bytes. An answer holds its task twice.
const SIZES: [usize; 2] = [4, 30_000];

/// On which way the first one waits.
#[derive(Debug, Clone, Copy)]
enum WaitTransport {
    /// Plain HTTP: one answer of known length.
    Plain,
    /// MCP without a session: an event stream, once it waited for a second.
    Mcp,
    /// MCP in a session: an event stream from the beginning.
    Session,
}

/// What becomes of the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Its program is killed with the answer in its kernel's buffer.
    DiesWithoutReading,
    /// It is gone when the answer comes, or just after.
    DiesMeanwhile,
    /// It reads the answer, and then its connection ends.
    Reads,
}

/// One story: two agents of a role of their own.
#[derive(Debug, Clone, Copy)]
struct Case {
    number: usize,
    way: WaitTransport,
    /// The answer is the last on its connection.
    last: bool,
    size: usize,
    fate: Fate,
}

impl Case {
    fn all() -> Vec<Self> {
        let ways = [WaitTransport::Plain, WaitTransport::Mcp, WaitTransport::Session]
            .into_iter()
            .flat_map(|way| [false, true].map(|last| (way, last)));
        let texts = ways.flat_map(|(way, last)| SIZES.map(|size| (way, last, size)));
        let fates = [Fate::DiesWithoutReading, Fate::DiesMeanwhile, Fate::Reads];
        let cases = texts.flat_map(|(way, last, size)| fates.map(|fate| (way, last, size, fate)));
        cases.enumerate().map(|(number, (way, last, size, fate))| Self { number, way, last, size, fate }).collect()
    }

    fn role(self) -> String {
        format!("role-{}", self.number)
    }

    /// Comes true, or panics.
    fn is_told(self, hub: &HubProcess) {
        let [first, second] = ["first", "second"].map(|name| self.agent(hub, name));
        let mut stream = self.waits(hub, &first);
        // Whoever reads keeps the task, and the other one waits in vain: long enough for the connection's last moment.
        let wait = json!({ "timeout": if self.fate == Fate::Reads { 2 } else { 60 } });
        let heard = thread::scope(|scope| {
            let heir = scope.spawn(|| hub.post_as(&second, WAIT, &wait).1);
            self.until_waiting(hub, "second");
            let target = format!("role:{}", self.role());
            let order = json!({ "targetAgentId": target, "prompt": "x".repeat(self.size) });
            let (_, receipt) = hub.post("/api/v1/tasks", &order);
            assert_eq!(receipt["queued"], false, "{self:?}: {receipt}");
            match self.fate {
                Fate::DiesWithoutReading => until_something_lies_there(&stream),
                Fate::DiesMeanwhile => {}
                Fate::Reads => self.reads_all(&mut stream),
            }
            drop(stream);
            heir.join().unwrap()
        });
        let expected = match self.fate {
            Fate::DiesWithoutReading | Fate::DiesMeanwhile => (json!("TASK"), json!(2)),
            Fate::Reads => (json!("IDLE"), Value::Null),
        };
        assert_eq!((heard["status"].clone(), heard["leaseEpoch"].clone()), expected, "{self:?}: {}", heard["message"]);
    }

    /// An agent that registered; its token.
    fn agent(self, hub: &HubProcess, name: &str) -> String {
        let name = format!("{name}-{}", self.number);
        let (_, made) = hub.post("/api/v1/tokens", &json!({ "agent": name }));
        let token = made["token"].as_str().unwrap().to_owned();
        let who = json!({ "agentId": name, "role": self.role() });
        assert_eq!(hub.post_as(&token, "/api/v1/tools/register_agent", &who).0, 200);
        token
    }

    /// The first one waits; its connection, once it is parked and what comes before the answer was read.
    fn waits(self, hub: &HubProcess, token: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", hub.port())).unwrap();
        let timeout = json!({ "timeout": 60 });
        let (request, before) = match self.way {
            WaitTransport::Plain => (plain_http::request(hub.port(), "POST", WAIT, token, "", &timeout), None),
            WaitTransport::Mcp => {
                (plain_http::call_of_mcp(hub.port(), token, "wait_for_prompt", &timeout), Some(": waiting"))
            }
            WaitTransport::Session => {
                let session = Session::open(hub.port(), token);
                (session.call(1, "wait_for_prompt", &timeout), Some("\r\n\r\n"))
            }
        };
        let request = if self.last { request } else { request.replace("Connection: close\r\n", "") };
        stream.write_all(request.as_bytes()).unwrap();
        self.until_waiting(hub, "first");
        if let Some(words) = before {
            read_until(&mut stream, |text| text.contains(words));
        }
        stream
    }

    fn until_waiting(self, hub: &HubProcess, name: &str) {
        let path = format!("/api/v1/agents/{name}-{}", self.number);
        let parked = (0..2_000).any(|_| {
            pause(20);
            hub.get(&path).1["availability"] == "waiting"
        });
        assert!(parked, "{self:?}: {name} was to wait");
    }

    fn reads_all(self, stream: &mut TcpStream) {
        read_until(stream, |text| match self.way {
            WaitTransport::Plain => plain_http::is_whole(text),
            WaitTransport::Mcp | WaitTransport::Session => {
                text.find("taskId").is_some_and(|place| text[place..].contains("\n\n"))
            }
        });
    }
}

fn read_until(stream: &mut TcpStream, is_there: impl Fn(&str) -> bool) {
    let (mut answer, mut buffer) = (Vec::new(), [0; 65_536]);
    while !is_there(&String::from_utf8_lossy(&answer)) {
        let read = stream.read(&mut buffer).unwrap();
        assert!(read > 0, "it ended too soon: {}", String::from_utf8_lossy(&answer));
        answer.extend_from_slice(&buffer[..read]);
    }
}

fn until_something_lies_there(stream: &TcpStream) {
    assert_eq!(stream.peek(&mut [0]).unwrap(), 1);
}

#[test]
fn an_offer_that_a_dead_agent_never_read_goes_to_the_next_who_waits_and_one_that_was_read_stays() {
    let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    // One operator looks after all of them at once.
    std::fs::write(config.path().join("hub.yaml"), "limits:\n  requestsPerSecond: 5000\n  burst: 5000\n").unwrap();
    let hub = HubProcess::start_with(data_dir.path(), &["--config", config.path().to_str().unwrap()]);
    thread::scope(|scope| {
        for case in Case::all() {
            let hub = &hub;
            scope.spawn(move || case.is_told(hub));
        }
    });
}
