//! What follows from each message, and from the end and the return of the connection. Pure: time is an argument.
//!
//! ```text
//!                       ┌──── the hub is away: kept, in order ────┐
//!   from the client ────┤                                         ├──► to the hub
//!                       └──── at once ────────────────────────────┘
//!   to the client ◄──── an answer, as it came; the proxy's own requests are answered to the proxy
//! ```

use std::borrow::Cow;
use std::collections::VecDeque;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::envelope::{Envelope, for_seconds, one_line, under_id, with_key};
use super::follows::{self, Follows};
use super::own;
use super::pending_request::{ASKS_AGAIN_AFTER, AWAY, Again, Kind, PendingRequest};
use super::pipes::note;
use super::reads::Reads;
use super::shown::RequestProgress;
use super::workflow::{self, Followed};
use crate::domain::ids::AgentId;
use crate::domain::reminder;
use crate::domain::tool_call;

/// The call that may end with being woken.
pub(super) const WAIT: &str = "wait_for_prompt";

/// What a client declares that takes up a wait as a task: that costs it no request, and no hook waits beside it.
const TASKS: &str = "io.modelcontextprotocol/tasks";

/// How long such a call looks for work before its client is told to end its turn, in seconds.
const LOOK: u64 = 2;

/// How soon a client that was woken calls: it starts a turn, and asks its model once.
const COMES_WITHIN: Duration = Duration::from_secs(60);

/// What a message leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Out {
    Hub(String),
    Client(String),
    /// The client is to be woken in this thread.
    Wake(String),
}

/// What goes by.
#[derive(Debug)]
pub(super) struct Relay {
    agent: AgentId,
    role: Option<String>,
    instance: String,
    client: Option<String>,
    up: bool,
    /// The client's handshake, what it said after it, and whether it was answered.
    hello: Option<String>,
    ready: Option<String>,
    introduced: bool,
    follows: Follows,
    kept: VecDeque<Kept>,
    reads: Reads,
    workflow: Followed,
    last: u64,
    waking: Waking,
    /// Its calls name no thread, and are all of one.
    one_thread: bool,
    hooks: Option<Hooks>,
}

/// Whether the client can be woken, and whether it is about to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waking {
    /// It waits in the call.
    Never,
    Can,
    /// It was woken, and is to call until then.
    Woken {
        comes_until: Instant,
    },
}

/// A client whose hooks wait at the end of its turns.
#[derive(Debug, Default)]
struct Hooks {
    begun: u64,
    capped: bool,
    /// How many had begun when the client was told to end its turn.
    told: Option<u64>,
}

impl Hooks {
    /// Whether the next turn's end leads to a wait. A hook that did not begin after the last promise is none.
    fn wait(&self) -> bool {
        !self.capped && self.told.is_none_or(|told| told != self.begun)
    }
}

/// What is not done with.
#[derive(Debug)]
enum Kept {
    /// A request without an answer.
    Request(PendingRequest),
    /// What asks for none, and could not be sent yet.
    Notification(String),
}

impl Relay {
    /// For an agent; `instance` is the name of this proxy, whatever its connection.
    pub(super) fn new(agent: AgentId, role: Option<String>, instance: String) -> Self {
        Self {
            agent,
            role,
            instance,
            client: None,
            up: false,
            hello: None,
            ready: None,
            introduced: false,
            follows: Follows::default(),
            kept: VecDeque::new(),
            reads: Reads::default(),
            workflow: Followed::default(),
            last: 0,
            waking: Waking::Never,
            one_thread: false,
            hooks: None,
        }
    }

    /// Of a client that can be woken; `one_thread`: its calls name no thread.
    pub(super) fn that_wakes(self, one_thread: bool) -> Self {
        Self { waking: Waking::Can, one_thread, ..self }
    }

    /// The client has hooks that wait; how many of them have begun, and whether its cap is near.
    pub(super) fn hooks(&mut self, begun: u64, capped: bool) {
        let hooks = self.hooks.get_or_insert_default();
        (hooks.begun, hooks.capped) = (begun, capped);
    }

    pub(super) fn client_says(&mut self, line: String, now: Instant) -> Vec<Out> {
        let Some(envelope) = Envelope::of(&line) else { return self.passes(line) };
        if let Some(name) = envelope.client() {
            self.client = Some(name);
        }
        let method = envelope.method.as_deref().unwrap_or_default().to_owned();
        let id = envelope.id.map(|id| id.get().to_owned());
        let Some(id) = id.filter(|_| !method.is_empty()) else {
            let called_off = envelope.called_off();
            if method == "notifications/initialized" {
                self.ready = Some(line.clone());
            }
            return match called_off {
                Some(id) => self.calls_off(&id, line),
                None => self.passes(line),
            };
        };
        let (modern, seconds, tool) = (envelope.is_modern(), envelope.seconds(), envelope.tool().map(Cow::into_owned));
        let shown = envelope.asks_progress().map(RequestProgress::new);
        let name = envelope.named().unwrap_or_default();
        let thread = envelope.thread().or_else(|| self.one_thread.then(String::new));
        let thread = thread.filter(|_| self.waking != Waking::Never);
        let ends = tool.as_deref() == Some(WAIT)
            && (thread.is_some() || self.hooks.as_ref().is_some_and(Hooks::wait) && !self.has_tasks(&line))
            && !asks_form(&line);
        let (kind, keyed) = match (method.as_str(), tool.as_deref()) {
            ("initialize", _) => {
                (self.hello, self.introduced) = (Some(line.clone()), false);
                self.follows.clear();
                // What was asked in a session before ends with it.
                self.kept.retain(|kept| !matches!(kept, Kept::Request(asked) if !asked.modern));
                (Kind::Hello, None)
            }
            ("subscriptions/listen", _) => (Kind::Listens { opened: false }, None),
            ("resources/subscribe", _) => (Kind::Follows { on: true, name }, None),
            ("resources/unsubscribe", _) => (Kind::Follows { on: false, name }, None),
            ("prompts/get", _) => (Kind::Repeats { tool: false }, workflow::keyed(&line, &self.next_id())),
            (_, Some(WAIT)) if ends => {
                let look = for_seconds(&line, WAIT, LOOK);
                self.waking = if thread.is_some() { Waking::Can } else { self.waking };
                (Kind::Looks { thread }, look)
            }
            (_, Some(tool)) => self.call(tool, seconds, &line),
            (_, None) => (Kind::Repeats { tool: false }, None),
        };
        let text = keyed.unwrap_or(line);
        let text = tool.and_then(|tool| self.workflow.named_in(&tool, &text)).unwrap_or(text);
        self.reads.names(&text);
        self.asks(PendingRequest {
            id,
            text,
            kind,
            since: now,
            modern,
            tries: 0,
            sent: false,
            registered: false,
            shown,
            again_at: None,
        })
    }

    pub(super) fn hub_says(&mut self, text: &str, now: Instant) -> Vec<Out> {
        let passed = || vec![Out::Client(one_line(text).into_owned())];
        let Some(envelope) = Envelope::of(text) else { return passed() };
        if let Some(token) = envelope.notes_progress() {
            return self
                .shows(&token, text)
                .map_or_else(passed, |text| vec![Out::Client(one_line(&text).into_owned())]);
        }
        if let Some(id) = envelope.opens() {
            return if self.opens(&id) { passed() } else { all_to_client(follows::changed(text)) };
        }
        let answered = envelope.id.filter(|_| envelope.method.is_none()).map(|id| id.get().to_owned());
        let place = answered.and_then(|id| self.kept.iter().position(|kept| kept.is(&id)));
        let Some((place, Kept::Request(mut asked))) = place.and_then(|at| Some((at, self.kept.remove(at)?))) else {
            return passed();
        };
        match &mut asked.kind {
            Kind::Greets => return Vec::new(),
            Kind::FollowsOn { name } => {
                let told = envelope.succeeded().then(|| follows::updated(name));
                return all_to_client(told);
            }
            Kind::Follows { on, name } if envelope.succeeded() => self.follows.agreed(*on, std::mem::take(name)),
            Kind::Listens { opened: true } if envelope.succeeded() => {
                // It ends by itself when the hub goes down, which need not be the client's to know.
                asked.again_at = Some(now + ASKS_AGAIN_AFTER);
                self.kept.insert(place, Kept::Request(asked));
                return Vec::new();
            }
            Kind::Own { behind } => return self.goes_on_behind(behind.as_deref()),
            Kind::Hello => self.introduced = envelope.succeeded(),
            Kind::Parks { .. } | Kind::Waits { .. } | Kind::Looks { .. } => {
                let fields = envelope.fields().unwrap_or_default();
                if fields["message"] == reminder::GOING_DOWN {
                    // The client need not hear of it: the wait goes on when the hub is back, or with another one.
                    asked.is_given_back(self.client.as_deref(), now);
                    self.kept.insert(place, Kept::Request(asked));
                    return Vec::new();
                }
                if let Kind::Parks { thread } = &asked.kind {
                    return self.hears_parked(&fields, thread.clone(), now);
                }
                if let Kind::Looks { thread } = &asked.kind
                    && fields["status"] == "IDLE"
                {
                    let told = Out::Client(own::will_be_woken(&asked.id, asked.modern));
                    if let Some(hooks) = self.hooks.as_mut().filter(|_| thread.is_none()) {
                        hooks.told = Some(hooks.begun);
                    }
                    let parks = thread.clone().map(|thread| self.parks(thread, now));
                    return std::iter::once(told).chain(parks.into_iter().flatten()).collect();
                }
                let role = self.role.clone().filter(|_| fields["code"] == "NOT_REGISTERED" && !asked.registered);
                if let Some(role) = role {
                    return self.registers(place, asked, &role);
                }
                // What a hook was given its model may never see: only a call of the model's shows that it did.
                if fields["status"] == "TASK" && fields["form"] != "hook" {
                    let (task, epoch) = (fields["taskId"].clone(), fields["leaseEpoch"].clone());
                    self.reads.begin(asked.id.clone(), task, epoch, now);
                }
            }
            Kind::Repeats { .. } | Kind::Listens { .. } | Kind::Follows { .. } | Kind::Once => {}
        }
        self.workflow.hears(text);
        passed()
    }

    /// The hub is there, for the first time or again.
    pub(super) fn is_up(&mut self, now: Instant) -> Vec<Out> {
        self.up = true;
        let mut out = Vec::new();
        let hello = self.hello.clone().filter(|_| self.introduced);
        if let Some(hello) = hello {
            let id = self.next_id();
            out.extend(under_id(&hello, &id).map(Out::Hub));
            out.extend(self.ready.clone().map(Out::Hub));
            self.kept.push_front(Kept::Request(PendingRequest::own(&id, String::new(), Kind::Greets, now)));
            for name in self.follows.names() {
                let id = self.next_id();
                out.push(Out::Hub(follows::subscribes(&id, &name)));
                self.kept.push_front(Kept::Request(PendingRequest::own(
                    &id,
                    String::new(),
                    Kind::FollowsOn { name },
                    now,
                )));
            }
        }
        self.kept.retain_mut(|kept| match kept {
            Kept::Notification(text) => {
                out.push(Out::Hub(std::mem::take(text)));
                false
            }
            Kept::Request(asked) if asked.is_of_its_connection() => true,
            Kept::Request(asked) => asked.asks_again(now, &mut out),
        });
        out
    }

    /// The hub is gone.
    pub(super) fn is_down(&mut self) {
        self.up = false;
        self.kept.retain_mut(|kept| match kept {
            Kept::Request(asked) if asked.is_of_its_connection() => false,
            Kept::Request(asked) => {
                asked.loses_its_hub(self.client.as_deref());
                true
            }
            Kept::Notification(_) => true,
        });
    }

    /// When to look again.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        let up = self.up;
        let comes = match self.waking {
            Waking::Woken { comes_until } => Some(comes_until),
            Waking::Never | Waking::Can => None,
        };
        let asked = self.kept.iter().filter_map(|kept| match kept {
            Kept::Request(asked) if up => asked.again_at,
            Kept::Request(asked) => asked.gives_up_at(),
            Kept::Notification(_) => None,
        });
        asked.chain(self.reads.next_look().filter(|_| up)).chain(comes).min()
    }

    /// All that goes to the client so far was given to the writer, `bytes` in all.
    pub(super) fn given(&mut self, bytes: u64) {
        self.reads.given(bytes);
    }

    /// That time has come, and the client has taken so many bytes.
    pub(super) fn tick(&mut self, now: Instant, taken: u64) -> Vec<Out> {
        let mut out = Vec::new();
        if matches!(self.waking, Waking::Woken { comes_until } if comes_until <= now) {
            note("the agent was woken and did not come: from now on it waits in the call");
            self.cannot_wake();
        }
        if self.up {
            for (task, epoch) in self.reads.due(now, taken) {
                let id = self.next_id();
                let text = own::acknowledges(&id, &task, &epoch);
                self.kept.push_back(Kept::Request(PendingRequest::own(
                    &id,
                    text.clone(),
                    Kind::Own { behind: None },
                    now,
                )));
                out.push(Out::Hub(text));
            }
            self.kept.retain_mut(|kept| match kept {
                Kept::Request(asked) if asked.again_at.is_some_and(|at| at <= now) => asked.asks_again(now, &mut out),
                Kept::Request(_) | Kept::Notification(_) => true,
            });
            return out;
        }
        self.kept.retain_mut(|kept| match kept {
            Kept::Request(asked) => {
                let gives_up = asked.gives_up(now, self.client.as_deref());
                out.extend(gives_up.then(|| asked.unanswered(AWAY).map(Out::Client)).flatten());
                !gives_up
            }
            Kept::Notification(_) => true,
        });
        out
    }

    /// The hub lets nobody in: whatever was asked is answered with why. What is open, or the proxy's own, waits for a
    /// hub that does.
    pub(super) fn refuses(&mut self, code: &str, why: &str) -> Vec<Out> {
        let mut out = Vec::new();
        self.kept.retain(|kept| match kept {
            Kept::Request(PendingRequest { kind: Kind::Listens { opened: true } | Kind::Own { .. }, .. })
            | Kept::Notification(_) => true,
            Kept::Request(asked) => {
                out.extend(asked.refused(code, why).map(Out::Client));
                false
            }
        });
        out
    }

    /// Whether the hub is still to answer something that does not wait.
    pub(super) fn is_busy(&self) -> bool {
        let busy = |kept: &Kept| match kept {
            Kept::Request(asked) => asked.is_busy(),
            Kept::Notification(_) => false,
        };
        self.kept.iter().any(busy)
    }

    /// Whether the client takes up waits as tasks, by its handshake or by this request.
    fn has_tasks(&self, line: &str) -> bool {
        line.contains(TASKS) || self.hello.as_ref().is_some_and(|hello| hello.contains(TASKS))
    }

    /// The proxy waits in the place of the thread.
    fn parks(&mut self, thread: String, now: Instant) -> Vec<Out> {
        let id = self.next_id();
        let text = own::parks(&id);
        self.kept.push_back(Kept::Request(PendingRequest::own(&id, text.clone(), Kind::Parks { thread }, now)));
        if self.up { vec![Out::Hub(text)] } else { Vec::new() }
    }

    /// What that wait came to. It is not begun again before the client has come: one nudge for what there is.
    fn hears_parked(&mut self, fields: &Value, thread: String, now: Instant) -> Vec<Out> {
        match fields["status"].as_str() {
            Some("IDLE") => self.parks(thread, now),
            // The client waits by itself.
            Some("SUPERSEDED") => Vec::new(),
            Some(_) => {
                self.waking = Waking::Woken { comes_until: now + COMES_WITHIN };
                vec![Out::Wake(thread)]
            }
            // Refused: the client hears why when it asks by itself, and waits in the call from then on.
            None => {
                self.cannot_wake();
                vec![Out::Wake(thread)]
            }
        }
    }

    /// The client could not be woken, or did not come: from now on it waits in the call.
    pub(super) fn cannot_wake(&mut self) {
        self.waking = Waking::Never;
    }

    /// A request is open for what there is to tell; whether that is new to the client.
    fn opens(&mut self, id: &str) -> bool {
        let open = self.kept.iter_mut().find_map(|kept| match kept {
            Kept::Request(PendingRequest { id: known, kind: Kind::Listens { opened }, .. }) if known == id => {
                Some(opened)
            }
            Kept::Request(_) | Kept::Notification(_) => None,
        });
        open.is_none_or(|opened| !std::mem::replace(opened, true))
    }

    /// A note of progress, as the request's numbers go on; none where no request asked for it.
    fn shows(&mut self, token: &str, text: &str) -> Option<String> {
        self.kept.iter_mut().find_map(|kept| match kept {
            Kept::Request(asked) => asked.shown.as_mut()?.note(token, text),
            Kept::Notification(_) => None,
        })
    }

    /// How a tool call is treated, and its text with a key when it needs one.
    fn call(&mut self, tool: &str, seconds: Option<f64>, line: &str) -> (Kind, Option<String>) {
        match tool_call::nature(tool) {
            Some(verb) if verb.blocks => {
                let asked = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds.max(1.0)).ok());
                (Kind::Waits { tool: verb.name, asked, until: None }, None)
            }
            Some(verb) if verb.mutating => {
                let key = self.next_id();
                (Kind::Repeats { tool: true }, with_key(line, &key))
            }
            Some(_) => (Kind::Repeats { tool: true }, None),
            None => (Kind::Once, None),
        }
    }

    fn asks(&mut self, mut asked: PendingRequest) -> Vec<Out> {
        let mut out = Vec::new();
        if self.up {
            (asked.sent, asked.tries) = (true, 1);
            out.push(Out::Hub(asked.text.clone()));
        }
        self.kept.push_back(Kept::Request(asked));
        out
    }

    fn passes(&mut self, line: String) -> Vec<Out> {
        if self.up {
            return vec![Out::Hub(line)];
        }
        self.kept.push_back(Kept::Notification(line));
        Vec::new()
    }

    /// The client wants an answer no more. A hub that is away has nothing to be told: it will not be asked again.
    fn calls_off(&mut self, id: &str, line: String) -> Vec<Out> {
        self.kept.retain(|kept| !kept.is(id));
        self.reads.is_called_off(id);
        if self.up { vec![Out::Hub(line)] } else { Vec::new() }
    }

    /// The agent is registered first, and then waits.
    fn registers(&mut self, place: usize, mut asked: PendingRequest, role: &str) -> Vec<Out> {
        let id = self.next_id();
        let text = own::registers(&id, &self.agent, role, self.client.as_deref());
        let kind = Kind::Own { behind: Some(asked.id.clone()) };
        let own = PendingRequest::own(&id, text.clone(), kind, asked.since);
        (asked.registered, asked.sent) = (true, false);
        self.kept.insert(place, Kept::Request(asked));
        self.kept.insert(place, Kept::Request(own));
        vec![Out::Hub(text)]
    }

    /// An own request was answered. What stood behind it goes on, and hears for itself when that was a refusal.
    fn goes_on_behind(&mut self, behind: Option<&str>) -> Vec<Out> {
        let behind = behind.and_then(|id| self.kept.iter_mut().find(|kept| kept.is(id)));
        match behind {
            Some(Kept::Request(asked)) if !asked.sent => {
                asked.sent = true;
                asked.shown.as_mut().map(RequestProgress::begins_again);
                vec![Out::Hub(asked.text.clone())]
            }
            Some(Kept::Request(_) | Kept::Notification(_)) | None => Vec::new(),
        }
    }

    /// A name that the client never gives: requests and keys of the proxy's own.
    fn next_id(&mut self) -> String {
        self.last += 1;
        format!("{}-{}", self.instance, self.last)
    }
}

/// Whether a wait asks for a form of its answer. What a client declares of itself may have a field of that name, too.
fn asks_form(line: &str) -> bool {
    let asked = serde_json::from_str::<Value>(line).unwrap_or_default();
    asked["params"]["arguments"]["form"].is_string()
}

fn all_to_client(texts: impl IntoIterator<Item = String>) -> Vec<Out> {
    texts.into_iter().map(Out::Client).collect()
}

impl PendingRequest {
    /// Whether it is still to be answered by the hub, which is there again.
    fn asks_again(&mut self, now: Instant, out: &mut Vec<Out>) -> bool {
        self.again_at = None;
        match self.again(now) {
            Again::Sent(text) => {
                out.push(Out::Hub(text));
                true
            }
            Again::Answered(text) => {
                out.extend(text.map(Out::Client));
                false
            }
        }
    }
}

impl Kept {
    fn is(&self, id: &str) -> bool {
        match self {
            Self::Request(asked) => asked.id == id,
            Self::Notification(_) => false,
        }
    }
}
