//! A hub that a test plays: a real WebSocket server on loopback, which says what the test says.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

use crate::domain::ids::{AgentId, LeaseEpoch, RoleId, RunId, SessionId, TaskId};
use crate::domain::on_call::{Ended, FromHost, Hello, Numbered, Offer, PROTOCOL, Resume, RunToken, ToHost};
use crate::domain::task::Usage;
use crate::domain::time::Timestamp;

/// Longer than any of this takes on a busy machine.
pub(super) const AT_MOST: Duration = Duration::from_secs(60);

/// Where a host finds it.
pub(super) struct FakeHub {
    listener: TcpListener,
    pub(super) url: String,
}

/// One connection of a host.
pub(super) struct Connection {
    socket: WebSocketStream<TcpStream>,
    pub(super) hello: Hello,
    /// What was heard, and not asked for yet.
    heard: VecDeque<Numbered>,
}

impl FakeHub {
    pub(super) async fn listens() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        Self { listener, url }
    }

    /// The next host that connects, not welcomed yet.
    pub(super) async fn connected(&self) -> Connection {
        let (stream, _) = timeout(AT_MOST, self.listener.accept()).await.expect("a host connects").unwrap();
        #[expect(clippy::result_large_err, reason = "the shape that the library asks for")]
        let greet = |request: &Request, mut response: Response| {
            assert_eq!(request.uri().path(), "/ws/host");
            assert_eq!(request.headers()["authorization"], "Bearer cb_h_test");
            response.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static(PROTOCOL));
            Ok(response)
        };
        let socket = accept_hdr_async(stream, greet).await.unwrap();
        let hello = Hello {
            host: String::new(),
            protocol: 0,
            role: RoleId::parse("dev").unwrap(),
            client: String::new(),
            version: None,
            max: 0,
            prefix: String::new(),
            fresh: false,
            workspace: String::new(),
            account: None,
            runs: Vec::new(),
        };
        let mut connection = Connection { socket, hello, heard: VecDeque::new() };
        let first = connection.next().await.expect("it says hello");
        let FromHost::Hello(hello) = first.message else { panic!("{first:?}") };
        connection.hello = hello;
        connection
    }

    /// The same, with these slots and the runs that this hub holds.
    pub(super) async fn welcomes(&self, slots: &[&str], runs: &[&str]) -> Connection {
        let mut connection = self.connected().await;
        connection.welcomes(slots, runs, Duration::from_secs(600)).await;
        connection
    }
}

impl Connection {
    pub(super) async fn welcomes(&mut self, slots: &[&str], runs: &[&str], silence: Duration) {
        let slots = slots.iter().map(|slot| AgentId::parse(slot).unwrap()).collect();
        let runs = runs.iter().map(|id| run(id)).collect();
        self.says(ToHost::Welcome { slots, linger: Duration::from_secs(60), silence, runs }).await;
    }

    pub(super) async fn says(&mut self, message: ToHost) {
        let text = serde_json::to_string(&message).unwrap();
        self.socket.send(Message::text(text)).await.unwrap();
    }

    /// The next message; none when the host hung up.
    async fn next(&mut self) -> Option<Numbered> {
        if let Some(heard) = self.heard.pop_front() {
            return Some(heard);
        }
        loop {
            match timeout(AT_MOST, self.socket.next()).await.expect("the host says something")? {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(_)) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// The next message, whatever it is.
    pub(super) async fn hears_raw(&mut self) -> Numbered {
        self.next().await.expect("the host is there")
    }

    /// The first message that is meant, kept or not; the others are kept at once.
    pub(super) async fn hears<T>(&mut self, is_meant: impl Fn(&FromHost) -> Option<T>) -> T {
        loop {
            let heard = self.next().await.expect("the host is there");
            self.keeps(&heard, false).await;
            if let Some(found) = is_meant(&heard.message) {
                return found;
            }
        }
    }

    pub(super) async fn keeps(&mut self, heard: &Numbered, waits: bool) {
        self.says(ToHost::Kept { number: heard.number, waits }).await;
    }

    /// The end of a run's process, which is not kept yet; what comes before it is.
    pub(super) async fn ended_unkept(&mut self) -> (Numbered, Ended) {
        loop {
            let heard = self.next().await.expect("the host is there");
            if let FromHost::Ended(ended) = &heard.message {
                return (heard.clone(), ended.clone());
            }
            self.keeps(&heard, false).await;
        }
    }

    /// The end of a run's process, kept.
    pub(super) async fn ended(&mut self, waits: bool) -> Ended {
        let (heard, ended) = self.ended_unkept().await;
        self.keeps(&heard, waits).await;
        ended
    }

    pub(super) async fn parked(&mut self) -> AgentId {
        self.hears(|message| if let FromHost::Parked { slot } = message { Some(slot.clone()) } else { None }).await
    }

    pub(super) async fn started(&mut self) -> u32 {
        self.hears(|message| if let FromHost::Started { pid, .. } = message { Some(*pid) } else { None }).await
    }

    /// Until the host has said that it ends, and hung up.
    pub(super) async fn said_bye(&mut self) -> bool {
        let mut said = false;
        while let Some(heard) = self.next().await {
            said |= matches!(heard.message, FromHost::Bye {});
            self.says_kept_quietly(heard.number).await;
        }
        said
    }

    /// Ends the connection without a word, as a hub that is killed does.
    pub(super) fn breaks(&self) {
        rustix::net::shutdown(self.socket.get_ref(), rustix::net::Shutdown::Both).unwrap();
    }

    async fn says_kept_quietly(&mut self, number: u64) {
        let text = serde_json::to_string(&ToHost::Kept { number, waits: false }).unwrap();
        let _gone = self.socket.send(Message::text(text)).await;
    }
}

pub(super) fn run(id: &str) -> RunId {
    RunId::parse(&format!("run_{id:0>8}")).unwrap()
}

/// A task for a slot.
pub(super) fn offer(slot: &str, id: &str, prompt: &str) -> Offer {
    let slot = AgentId::parse(slot).unwrap();
    Offer {
        agent: slot.clone(),
        slot,
        run: run(id),
        task: TaskId::parse(&format!("{id:0>8}")).unwrap(),
        epoch: LeaseEpoch(1),
        ack_by: Timestamp(4_000_000_000_000),
        title: "a task".to_owned(),
        prompt: prompt.to_owned(),
        system: String::new(),
        session: SessionId::parse("s_01abcdef").unwrap(),
        token: RunToken("cb_r_a-token-of-the-run".to_owned()),
        mcp: "http://127.0.0.1:7420/mcp".to_owned(),
        worktree: false,
        conversation: None,
    }
}

pub(super) fn resume(slot: &str, id: &str, conversation: Option<&str>) -> Resume {
    Resume {
        slot: AgentId::parse(slot).unwrap(),
        run: run(id),
        token: RunToken("cb_r_another-token".to_owned()),
        conversation: conversation.map(str::to_owned),
        input: "blue".to_owned(),
        story: "The task, the question, and the answer: blue".to_owned(),
        process: 2,
        used: Usage::default(),
    }
}
