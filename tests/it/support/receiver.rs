//! A receiver of webhooks: hears each POST, and answers as it is told.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::Sha256;

use super::TIMEOUT;

pub(crate) struct ReceivedPost {
    /// Headers, by their names in small letters.
    pub(crate) headers: BTreeMap<String, String>,
    /// The body, to the byte.
    pub(crate) text: String,
}

impl ReceivedPost {
    /// The body as JSON.
    pub(crate) fn body(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }

    /// The event that was posted, signed with this secret.
    #[track_caller]
    pub(crate) fn verified(&self, secret: &str) -> Value {
        let header = |name: &str| self.headers[name].as_str();
        let key = STANDARD.decode(secret.trim().strip_prefix("whsec_").unwrap()).unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        mac.update(format!("{}.{}.{}", header("webhook-id"), header("webhook-timestamp"), self.text).as_bytes());
        assert_eq!(header("webhook-signature"), format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())));
        self.body()
    }
}

/// Listens until the process ends.
pub(crate) struct Webhooks {
    pub(crate) port: u16,
    answers: Arc<AtomicU16>,
    heard: Receiver<ReceivedPost>,
}

impl Webhooks {
    /// Begins to listen, and answers 204.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let answers = Arc::new(AtomicU16::new(204));
        let (send, heard) = mpsc::channel();
        let status = Arc::clone(&answers);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (send, status) = (send.clone(), Arc::clone(&status));
                thread::spawn(move || hears(stream, &send, &status));
            }
        });
        Self { port, answers, heard }
    }

    /// From now on it answers so.
    pub(crate) fn answers(&self, status: u16) {
        self.answers.store(status, Ordering::Relaxed);
    }

    /// The next POST.
    #[track_caller]
    pub(crate) fn next(&self) -> ReceivedPost {
        self.heard.recv_timeout(TIMEOUT).expect("a POST in time")
    }
}

fn hears(mut stream: TcpStream, send: &Sender<ReceivedPost>, status: &AtomicU16) {
    while let Some(heard) = read(&mut stream) {
        let status = status.load(Ordering::Relaxed);
        let answer = format!("HTTP/1.1 {status} x\r\nContent-Length: 0\r\n\r\n");
        // Before the answer: what was answered was heard.
        if send.send(heard).is_err() || stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn read(stream: &mut TcpStream) -> Option<ReceivedPost> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4_096];
    let (head, length) = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8(bytes.drain(..end + 4).collect()).ok()?;
            let headers: BTreeMap<String, String> = head
                .lines()
                .filter_map(|line| line.split_once(':'))
                .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
                .collect();
            let length: usize = headers.get("content-length")?.parse().ok()?;
            break (headers, length);
        }
        match stream.read(&mut piece).ok()? {
            0 => return None,
            count => bytes.extend_from_slice(&piece[..count]),
        }
    };
    while bytes.len() < length {
        match stream.read(&mut piece).ok()? {
            0 => return None,
            count => bytes.extend_from_slice(&piece[..count]),
        }
    }
    Some(ReceivedPost { headers: head, text: String::from_utf8(bytes).ok()? })
}
