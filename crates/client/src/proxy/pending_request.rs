//! A request of the client's that has no answer yet, or one of the proxy's own.

use std::time::Duration;

use tokio::time::Instant;

use super::envelope::for_seconds;
use super::own;
use super::shown::RequestProgress;
use crate::domain::agent::DeclaredClient;
use crate::settings::Settings;

/// How long a request that does not wait is kept for a hub that is away.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// When a wait is reckoned that was asked before the hub was there, at the latest. Most often it is there at once, and
/// what reckons is not read: that would be a sixth of what a proxy weighs.
const AT_FIRST: Duration = Duration::from_secs(5);

/// How soon a hub is asked again that has given back a wait, or ended what should stay open: it goes down, and its
/// connection with it, where it has one. Over HTTP it has none, and only a request finds out who is there.
pub(super) const ASKS_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// How often a request is sent that loses its hub each time: it may be what the hub cannot bear.
pub(super) const TRIES: u32 = 3;

/// What a client hears of a hub that is away.
pub(super) const AWAY: &str = "the hub cannot be reached";

/// What programs know that by.
pub(super) const UNAVAILABLE: &str = "UNAVAILABLE";

/// The longest message that a hub takes unless it was told otherwise, in bytes: `limits.mcpBody`.
const USUAL_MOST: usize = 8 * 1024 * 1024;

/// What a client hears whose message was longer, and lost its hub.
const TOO_LONG: &str = "the hub ended the connection over it: it is longer than the 8388608 bytes that a hub takes \
                        of one message unless its `limits.mcpBody` says more";

#[derive(Debug)]
pub(super) struct PendingRequest {
    /// As it is written.
    pub(super) id: String,
    pub(super) text: String,
    pub(super) kind: Kind,
    pub(super) since: Instant,
    /// Whether it says by itself which version it speaks.
    pub(super) modern: bool,
    /// How often it was sent.
    pub(super) tries: u32,
    /// Whether it was sent since the hub was last there.
    pub(super) sent: bool,
    /// The agent was registered for it: another refusal is the client's to read.
    pub(super) registered: bool,
    /// What the client was shown of it, where it asked for that.
    pub(super) shown: Option<RequestProgress>,
    /// When it is asked again of a hub that is there and has given it back, or ended it.
    pub(super) again_at: Option<Instant>,
}

/// What may be done with it when its hub is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// The client's handshake.
    Hello,
    /// It waits; until when, is reckoned when the hub is away, which knows it best while it is there.
    Waits { tool: &'static str, asked: Option<Duration>, until: Option<Instant> },
    /// A wait for work of a client that can be woken: it is short, and where it finds nothing, its thread is parked;
    /// none where a hook of the client waits.
    Looks { thread: Option<String> },
    /// The proxy's own wait in the place of a thread that ended its turn.
    Parks { thread: String },
    /// It may be asked again: it changes nothing, or has a key.
    Repeats { tool: bool },
    /// It stays open for what there is to tell: whether it was opened.
    Listens { opened: bool },
    /// It subscribes to a name, or ends that.
    Follows { on: bool, name: String },
    /// Nobody knows what it does.
    Once,
    /// The proxy's own, and which request goes on behind it.
    Own { behind: Option<String> },
    /// The proxy's own handshake, after the client's: each connection needs a new one.
    Greets,
    /// What the client is subscribed to, asked for by the proxy behind that handshake.
    FollowsOn { name: String },
}

impl Kind {
    /// Whether the client is told after a while that the hub is away.
    const fn gives_up(&self) -> bool {
        matches!(
            self,
            Self::Hello
                | Self::Looks { .. }
                | Self::Repeats { .. }
                | Self::Listens { opened: false }
                | Self::Follows { .. }
                | Self::Once
        )
    }
}

/// What becomes of a request when the hub is there again.
pub(super) enum Again {
    Sent(String),
    /// It is answered in the hub's place.
    Answered(Option<String>),
}

impl PendingRequest {
    /// One of the proxy's own.
    pub(super) fn own(id: &str, text: String, kind: Kind, since: Instant) -> Self {
        Self {
            id: format!("\"{id}\""),
            text,
            kind,
            since,
            modern: true,
            tries: 1,
            sent: true,
            registered: false,
            shown: None,
            again_at: None,
        }
    }

    /// The hub is away: from here on it is the proxy that knows when a wait ends.
    pub(super) fn loses_its_hub(&mut self, client: Option<&str>) {
        self.again_at = None;
        if let Kind::Waits { asked, until: until @ None, .. } = &mut self.kind {
            let client = client.map(DeclaredClient::named);
            *until = Some(self.since + Settings::defaults().wait_for(client.as_ref(), *asked));
        }
    }

    /// A hub that goes down has given it back: it is asked again soon, wherever that leads.
    pub(super) fn is_given_back(&mut self, client: Option<&str>, now: Instant) {
        self.loses_its_hub(client);
        (self.sent, self.again_at) = (false, Some(now + ASKS_AGAIN_AFTER));
    }

    /// The hub is there, for the first time or again.
    pub(super) fn again(&mut self, now: Instant) -> Again {
        let lost = std::mem::replace(&mut self.sent, true);
        let text = match &self.kind {
            Kind::Once if lost && self.text.len() <= USUAL_MOST => {
                return self.answered("the connection to the hub broke: whether it was done is not known");
            }
            Kind::Once if lost => return self.answered(TOO_LONG),
            Kind::Waits { tool, until: Some(until), .. } if self.tries > 0 => {
                let left = until.saturating_duration_since(now).as_secs().max(1);
                for_seconds(&self.text, tool, left)
            }
            Kind::Waits { .. }
            | Kind::Looks { .. }
            | Kind::Parks { .. }
            | Kind::Listens { opened: true }
            | Kind::Greets
            | Kind::FollowsOn { .. } => None,
            Kind::Hello
            | Kind::Repeats { .. }
            | Kind::Listens { opened: false }
            | Kind::Follows { .. }
            | Kind::Once
            | Kind::Own { .. } => {
                if self.tries >= TRIES && self.text.len() > USUAL_MOST {
                    return self.answered(TOO_LONG);
                }
                if self.tries >= TRIES {
                    return self.answered("the hub was lost each time that it was asked");
                }
                None
            }
        };
        if self.tries > 0 {
            self.shown.as_mut().map(RequestProgress::begins_again);
        }
        self.tries = self.tries.saturating_add(1);
        Again::Sent(text.unwrap_or_else(|| self.text.clone()))
    }

    /// Whether it is to be answered in the hub's place by now.
    pub(super) fn gives_up(&mut self, now: Instant, client: Option<&str>) -> bool {
        let is_due = |asked: &Self| asked.gives_up_at().is_some_and(|at| at <= now);
        if is_due(self) {
            self.loses_its_hub(client);
        }
        is_due(self)
    }

    /// When that is to be looked at, unless the hub comes back before.
    pub(super) fn gives_up_at(&self) -> Option<Instant> {
        if let Kind::Waits { asked, until, .. } = &self.kind {
            return until.or_else(|| Some(self.since + asked.unwrap_or(AT_FIRST).min(AT_FIRST)));
        }
        self.kind.gives_up().then(|| self.since + TIMEOUT)
    }

    /// Whether it belongs to one connection, and goes with it.
    pub(super) const fn is_of_its_connection(&self) -> bool {
        matches!(self.kind, Kind::Greets | Kind::FollowsOn { .. })
    }

    /// Whether the hub is to answer it soon.
    pub(super) const fn is_busy(&self) -> bool {
        matches!(self.kind, Kind::Hello | Kind::Repeats { .. } | Kind::Follows { .. } | Kind::Once | Kind::Own { .. })
    }

    /// What the client hears when the hub lets nobody in.
    pub(super) fn refused(&self, code: &str, why: &str) -> Option<String> {
        const TELL: &str = "## NEXT STEP\nStop, and tell your user why: no call gets through before that is mended.";
        match &self.kind {
            Kind::Waits { .. } | Kind::Looks { .. } | Kind::Repeats { tool: true } | Kind::Once => {
                Some(own::tool_unanswered(&self.id, code, why, TELL, self.modern))
            }
            Kind::Hello | Kind::Repeats { tool: false } | Kind::Listens { .. } | Kind::Follows { .. } => {
                Some(own::unanswered(&self.id, code, why))
            }
            Kind::Parks { .. } | Kind::Own { .. } | Kind::Greets | Kind::FollowsOn { .. } => None,
        }
    }

    /// What the client hears in the hub's place; nobody waits for an answer to what is the proxy's own.
    pub(super) fn unanswered(&self, why: &str) -> Option<String> {
        const AGAIN: &str = "## REQUIRED ACTION\nThe hub is away for a moment. Make the same call again.";
        const LOOK: &str = "## NEXT STEP\nLook whether it was done before you repeat it.";
        match &self.kind {
            Kind::Waits { .. } | Kind::Looks { .. } => {
                Some(own::tool_unanswered(&self.id, UNAVAILABLE, why, AGAIN, self.modern))
            }
            Kind::Repeats { tool: true } | Kind::Once => {
                Some(own::tool_unanswered(&self.id, UNAVAILABLE, why, LOOK, self.modern))
            }
            Kind::Hello | Kind::Repeats { tool: false } | Kind::Listens { .. } | Kind::Follows { .. } => {
                Some(own::unanswered(&self.id, UNAVAILABLE, why))
            }
            Kind::Parks { .. } | Kind::Own { .. } | Kind::Greets | Kind::FollowsOn { .. } => None,
        }
    }

    fn answered(&self, why: &str) -> Again {
        Again::Answered(self.unanswered(why))
    }
}
