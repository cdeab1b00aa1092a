//! The real connection against the stand-in, over sockets of this machine and on stopped time: what takes minutes and
//! days is played in a moment.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use secrecy::SecretString;
use tokio::task::{spawn_blocking, yield_now};
use tokio::time::{Instant, advance};

use crate::actors::discord::{Gateway, Memory, Pending, Shared};
use crate::actors::service::Service as _;
use crate::clock::Clock;
use crate::domain::discord::IDENTIFIES_A_DAY;
use crate::ids::Ids;
use crate::settings::Settings;
use callboard_standin::discord::{Discord, GatewayCounts, GatewayFault, Options};

/// How far time is moved on before the sockets are looked at again.
const STEP: Duration = Duration::from_millis(500);
/// How often the sockets are looked at before they count as quiet.
const LOOKS: usize = 150;
/// How long the system has, in each step, to carry to one end of a socket what was written at the other: on a busy
/// machine a thread of its own does that, and no look makes it run.
const CARRIES: Duration = Duration::from_millis(1);

/// Time that stands still unless it is moved on.
struct Stopped(#[expect(dead_code, reason = "its end lets the blocked thread go")] Sender<()>);

impl Stopped {
    fn new() -> Self {
        let (hold, held) = channel();
        // As long as something blocks, tokio does not move the time on by itself.
        drop(spawn_blocking(move || held.recv().is_ok()));
        Self(hold)
    }

    #[expect(clippy::disallowed_methods, reason = "the system's sockets know of no stopped time")]
    async fn passes(&self, time: Duration) {
        let end = Instant::now() + time;
        loop {
            for _ in 0..LOOKS {
                yield_now().await;
            }
            std::thread::sleep(CARRIES);
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            advance(left.min(STEP)).await;
        }
    }
}

/// Plays a story beside a connection that begins with what is remembered.
async fn beside<F: Future>(
    memory: impl FnOnce(&mut Memory, Clock),
    options: Options,
    story: impl FnOnce(Arc<Discord>, Shared, Stopped) -> F,
) -> F::Output {
    drop(rustls::crypto::ring::default_provider().install_default());
    let discord = Arc::new(Discord::start_with(options).await.unwrap());
    let _ = discord.guild("Acme");
    let clock = Clock::system();
    let mut remembered = Memory::default();
    memory(&mut remembered, clock.clone());
    let shared = Shared::new(remembered);
    let mut settings = Settings::defaults().hub.discord;
    settings.gateway_url = Some(discord.gateway_url());
    let token = Arc::new(SecretString::from(discord.token()));
    let (door, ids) = (Pending::default(), Ids::seeded(7));
    let gateway = Gateway { token, settings, shared: shared.clone(), door, clock, ids };
    let stopped = Stopped::new();
    tokio::select! {
        why = gateway.run() => panic!("the connection gave up: {why}"),
        told = story(discord, shared, stopped) => told,
    }
}

fn minutes(count: u64) -> Duration {
    Duration::from_secs(60 * count)
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

fn counts(discord: &Discord) -> GatewayCounts {
    discord.view(|view| view.counts())
}

fn error(shared: &Shared) -> String {
    shared.health.borrow().last_error.clone().unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_hello_that_never_comes_is_waited_for_half_a_minute() {
    let options = Options::default();
    beside(
        |_, _| (),
        options,
        async |discord, shared, time| {
            discord.gateway_fault(GatewayFault::NoHello(1));
            time.passes(seconds(29)).await;
            assert_eq!((counts(&discord).connects, shared.health.borrow().ready), (1, false));
            time.passes(seconds(3)).await;
            assert_eq!((counts(&discord).connects, counts(&discord).identifies), (2, 1));
            assert!(error(&shared).contains("nothing was heard for 30s"), "{}", error(&shared));
            assert!(shared.health.borrow().ready);
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_ready_that_comes_after_half_a_minute_is_waited_for() {
    beside(
        |_, _| (),
        Options::default(),
        async |discord, shared, time| {
            discord.gateway_fault(GatewayFault::SlowReady(seconds(30)));
            time.passes(seconds(29)).await;
            assert!(!shared.health.borrow().ready, "the socket is open, and nothing is ready");
            time.passes(seconds(3)).await;
            assert!(shared.health.borrow().ready);
            assert_eq!((counts(&discord).connects, counts(&discord).identifies), (1, 1));
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_session_that_never_begins_is_given_up_after_two_minutes_though_heartbeats_are_answered() {
    beside(
        |_, _| (),
        Options::default(),
        async |discord, shared, time| {
            discord.gateway_fault(GatewayFault::NoReady(1));
            time.passes(seconds(115)).await;
            assert_eq!((counts(&discord).connects, shared.health.borrow().ready), (1, false));
            time.passes(seconds(15)).await;
            assert!(shared.health.borrow().ready, "{}", error(&shared));
            assert_eq!(counts(&discord).connects, 2);
            assert!(error(&shared).contains("no session began within 120s"), "{}", error(&shared));
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn sessions_that_end_at_once_are_begun_less_and_less_often() {
    beside(
        |_, _| (),
        Options::default(),
        async |discord, shared, time| {
            discord.gateway_fault(GatewayFault::EndSessions(u32::MAX));
            time.passes(minutes(20)).await;
            let made = counts(&discord).identifies;
            assert!((10..=60).contains(&made), "{made} identifications in 20 minutes");
            discord.heals();
            time.passes(minutes(2)).await;
            assert!(shared.health.borrow().ready);
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_spent_budget_of_identifications_is_kept_over_a_restart_and_waited_for() {
    let spent = |memory: &mut Memory, clock: Clock| {
        for _ in 0..IDENTIFIES_A_DAY {
            assert!(memory.identifies.take(clock.now()));
        }
        // As a restart finds it.
        *memory = serde_json::from_slice(&serde_json::to_vec(memory).unwrap()).unwrap();
    };
    beside(spent, Options::default(), async |discord, shared, time| {
        time.passes(minutes(5)).await;
        assert_eq!(counts(&discord).identifies, 0);
        assert_eq!(shared.health.borrow().state, "waits for its budget");
        let said = error(&shared);
        assert!(said.contains("900 identifications within 24 hours: Discord would reset the token"), "{said}");
        advance(Duration::from_secs(24 * 60 * 60)).await;
        time.passes(minutes(2)).await;
        assert_eq!((counts(&discord).identifies, shared.health.borrow().ready), (1, true));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_gateway_that_refuses_for_twenty_seconds_is_back_within_a_minute() {
    beside(
        |_, _| (),
        Options::default(),
        async |discord, shared, time| {
            time.passes(seconds(2)).await;
            discord.gateway_fault(GatewayFault::Refuse(u32::MAX));
            discord.gateway_fault(GatewayFault::DropTcp);
            time.passes(seconds(20)).await;
            assert!(
                !shared.health.borrow().ready && error(&shared).contains("failed to reconnect to the gateway: "),
                "{}",
                error(&shared)
            );
            discord.heals();
            time.passes(minutes(1)).await;
            assert!(shared.health.borrow().ready);
            assert_eq!((counts(&discord).identifies, counts(&discord).resumes), (1, 1), "resumed, and nothing is lost");
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_token_that_is_refused_is_tried_again_with_growing_pauses_and_says_what_to_do() {
    beside(
        |_, _| (),
        Options::default(),
        async |discord, shared, time| {
            time.passes(seconds(2)).await;
            let token = discord.token();
            discord.gateway_fault(GatewayFault::ResetToken("another".to_owned()));
            time.passes(seconds(2)).await;
            assert_eq!(shared.health.borrow().state, "the token is refused");
            assert!(error(&shared).contains("Discord refuses the token (4004): it is tried"), "{}", error(&shared));
            time.passes(minutes(30)).await;
            let connects = counts(&discord).connects;
            assert!((8..=14).contains(&connects), "after 5, 10, 20 … 300 seconds, not {connects} times");
            discord.gateway_fault(GatewayFault::ResetToken(token));
            time.passes(minutes(6)).await;
            assert!(shared.health.borrow().ready, "it is taken again");
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn heartbeats_that_nobody_acknowledges_cost_a_resume_and_no_session() {
    for times in [1, 20] {
        let options = Options { heartbeat: seconds(5), ..Options::default() };
        beside(
            |_, _| (),
            options,
            async |discord, shared, time| {
                time.passes(seconds(2)).await;
                discord.gateway_fault(GatewayFault::NoAck(times));
                time.passes(minutes(3)).await;
                discord.heals();
                time.passes(minutes(2)).await;
                assert!(shared.health.borrow().ready, "{times}");
                assert_eq!(counts(&discord).identifies, 1, "{times}");
            },
        )
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_gateway_that_is_silent_is_left_within_three_heartbeats_and_resumed() {
    let options = Options { heartbeat: seconds(5), ..Options::default() };
    beside(
        |_, _| (),
        options,
        async |discord, shared, time| {
            time.passes(seconds(2)).await;
            discord.gateway_fault(GatewayFault::Zombie);
            time.passes(seconds(17)).await;
            assert!(shared.health.borrow().ready);
            assert_eq!((counts(&discord).identifies, counts(&discord).resumes), (1, 1));
        },
    )
    .await;
}
