//! A connection that hears events as they happen.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::time::Instant;

use super::wire::Wire;
use crate::measure::error::BenchError;

#[derive(Debug)]
pub(in crate::measure) struct Listener {
    wire: Wire,
    unread: Vec<u8>,
}

impl Listener {
    /// Hears events of this type from now on.
    pub(in crate::measure) async fn open(address: SocketAddr, token: &str, kind: &str) -> Result<Self, BenchError> {
        let mut wire = Wire::open(address).await.map_err(BenchError::io(format!("connect to {address}")))?;
        let request = format!(
            "GET /api/v1/events?types={kind} HTTP/1.1\r\nHost: {address}\r\nAccept: application/x-ndjson\r\n\
             Authorization: Bearer {token}\r\n\r\n"
        );
        let asked = || BenchError::io("listen to events");
        wire.send(request.as_bytes()).await.map_err(asked())?;
        let status = wire.begins().await.map_err(asked())?;
        if status != 200 {
            return Err(BenchError::Answer { asked: "/api/v1/events".to_owned(), status, body: String::new() });
        }
        Ok(Self { wire, unread: Vec::new() })
    }

    /// The next one, and when it was parsed.
    pub(in crate::measure) async fn next(&mut self) -> Result<(Value, Instant), BenchError> {
        loop {
            while let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                if let Ok(event) = serde_json::from_slice(&line) {
                    return Ok((event, Instant::now()));
                }
            }
            let more = self.wire.chunk(&mut self.unread).await.map_err(BenchError::io("hear events"))?;
            if !more {
                return Err(BenchError::Late { what: "events; they ended".to_owned(), seconds: 0 });
            }
        }
    }
}
