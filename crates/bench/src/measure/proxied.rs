//! What `callboard proxy` weighs while the client behind it waits.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::child::{program, resident};
use super::client::{Caller, Door};
use super::error::BenchError;
use super::figure::{Figure, Goal, Measure};
use super::hub::{Hub, ROLE, wait};

/// Proxies, of which the heaviest is told.
const PROXIES: usize = 3;
/// How long a proxy may take until its agent waits.
const TIMEOUT: Duration = Duration::from_secs(60);
/// After that, until it is weighed.
const SETTLE: Duration = Duration::from_secs(3);
/// As the contract says, in kilobytes of 1,000 bytes.
const GOAL: f64 = 15_000.0;

/// A proxy that runs; ended with its handle.
struct Proxy(Child);

impl Drop for Proxy {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

pub(super) async fn measure(dir: &Path) -> Result<Figure, BenchError> {
    let hub = Hub::start(dir, 0).await?;
    let mut operator = hub.operator(Door::Plain).await?;
    let mut proxies = Vec::new();
    for number in 0..PROXIES {
        let agent = format!("proxied-{number}");
        proxies.push(begins_to_wait(&hub, &agent)?);
        let began = Instant::now();
        let asked = json!({ "agentId": agent });
        // Nobody knows it before it has registered.
        let waits = async |operator: &mut Caller| {
            let said = operator.tool("get_agent_status", &asked).await;
            said.is_ok_and(|said| said.fields["availability"] == "waiting")
        };
        while !waits(&mut operator).await {
            if began.elapsed() > TIMEOUT {
                return Err(BenchError::Late { what: format!("`{agent}` to wait"), seconds: TIMEOUT.as_secs() });
            }
            sleep(Duration::from_millis(20)).await;
        }
    }
    sleep(SETTLE).await;
    let weights = proxies.iter().map(|proxy| resident(&proxy.0.id().to_string()));
    let heaviest = weights.collect::<Result<Vec<_>, _>>()?.into_iter().fold(0.0, f64::max) * 1.024;
    let what = format!("a proxy whose client waits, resident, the heaviest of {PROXIES}");
    Ok(Figure::new(Measure::Doors, what, heaviest, "kB").goal(Goal::AtMost(GOAL)))
}

/// Starts one, and has its client wait.
fn begins_to_wait(hub: &Hub, agent: &str) -> Result<Proxy, BenchError> {
    let mut command = Command::new(program()?);
    command.args(["proxy", "--agent", agent, "--role", ROLE]).env("CALLBOARD_DATA_DIR", hub.data());
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut proxy = Proxy(command.spawn().map_err(BenchError::io("start `callboard proxy`"))?);
    let client = json!({ "name": "bench", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let said: [Value; 3] = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
                "params": { "name": "wait_for_prompt", "arguments": wait() } }),
    ];
    let lines: String = said.iter().map(|line| format!("{line}\n")).collect();
    // The proxy keeps its end of the pipe, and so does its handle: it lives until it is weighed.
    if let Some(input) = &mut proxy.0.stdin {
        input.write_all(lines.as_bytes()).map_err(BenchError::io("speak to `callboard proxy`"))?;
    }
    Ok(proxy)
}
