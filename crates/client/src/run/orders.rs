//! A line that is typed for the hub: when that is safe, and whether the program took it.
//!
//! ```text
//!   order ─ is it safe? ─► text ─ it stands on the screen, 200 ms later ─► Enter ─┬─ it left its place ─► delivered
//!             └► declined    └► undelivered: it is never seen, or the user types  └─ it stands ─► Enter once more
//!                                                                                         └─ it stands ─► undelivered
//! ```
//!
//! Text and Enter are two writes: an agent's input box takes one fast write for a paste, in which Enter is a line end.
//! Enter is pressed only while the text is seen to stand there and nothing was printed since that was seen, so that it
//! confirms no dialog that came up meanwhile. A line that was typed is never typed again, whatever became of it.

use std::time::Duration;

use bytes::Bytes;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::observer::Observer;
use super::order::{Entered, Order, Sending, Step};
use super::standing::{TypedLine, Whether};
use super::tap::Injection;
use crate::domain::prompt::{InputPrompt, ScreenView, is_same_question};
use crate::domain::terminal::{MARK, OrderEnd, takes_a_line, takes_a_notice};
use crate::domain::text::redact;
use crate::domain::wire::HostWord;

/// How long after the text Enter is pressed, at the soonest. Measured: Claude Code 2.1.197 and Qwen Code 0.15 take
/// Enter for a key of its own after 10 ms, Codex 0.169 after 100 ms.
const BEFORE_ENTER: Duration = Duration::from_millis(200);
/// How often the screen is looked at meanwhile.
const LOOKS: Duration = Duration::from_millis(25);
/// How soon it is tried again where something was printed just then.
const AGAIN: Duration = Duration::from_millis(10);
/// For how long that is tried before the text is typed.
const BEGINS_WITHIN: Duration = Duration::from_secs(1);
/// How long a program may take to show the text, and to hold still for Enter.
const SHOWN_WITHIN: Duration = Duration::from_secs(2);
/// For how long a line must be gone from its place to count as taken: some clear the screen before they draw it anew.
const GONE_FOR: Duration = Duration::from_millis(150);
/// How long a line may stand after Enter before that is pressed once more, or given up.
const TAKEN_WITHIN: Duration = Duration::from_secs(1);
/// How long what can be seen may say neither.
const CLEAR_WITHIN: Duration = Duration::from_millis(2_500);

enum Next {
    /// Another look, after so long.
    Look(Duration),
    /// The next step, and the first look in it.
    Step(Step, Duration),
    Over(OrderEnd),
}

const ENDED: &str = "the program has ended";
const CHANGED: &str = "something was printed or typed meanwhile";
/// How often Enter is pressed for one line.
const MOST_PRESSES: u8 = 2;

const STANDS: &str = "it stands unsent where it was typed";
const UNSEEN: &str = "what became of it is not to be seen";

fn is_for(order: &Order, prompt: &InputPrompt) -> bool {
    is_same_question(&redact(&prompt.prompt_text), &order.prompt_text, prompt.is_dangerous)
}

fn declined(why: &str) -> Next {
    Next::Over(OrderEnd::Declined(why.to_owned()))
}

fn undelivered(why: &str) -> Next {
    Next::Over(OrderEnd::Undelivered(why.to_owned()))
}

impl Observer {
    pub(super) fn is_ordered(&mut self, order: Order) {
        let busy = self.sending.is_some().then_some("another line is being typed");
        if let Some(why) = self.has_ended.then_some(ENDED).or(busy) {
            return self.says(HostWord::Declined { id: order.id, why: why.to_owned() });
        }
        let now = Instant::now();
        self.sending = Some(Sending { order, step: Step::Ordered, since: now, due: now });
    }

    /// The next step of the line that is being typed.
    pub(super) async fn goes_on_typing(&mut self, now: Instant) {
        let Some(mut sending) = self.sending.take() else { return };
        let waited = now - sending.since;
        let next = match &mut sending.step {
            Step::Ordered => self.types(&sending.order, waited).await,
            Step::Typed { before, pressed } => self.enters(&sending.order, before, *pressed, waited).await,
            Step::Entered(entered) => self.is_taken_within(entered, now, waited).await,
        };
        match next {
            Next::Look(after) => self.sending = Some(Sending { due: now + after, ..sending }),
            Next::Step(step, after) => {
                let now = Instant::now();
                self.sending = Some(Sending { order: sending.order, step, since: now, due: now + after });
            }
            Next::Over(end) => self.is_over(sending.order.id, end),
        }
    }

    /// Whether the program takes the line after Enter.
    async fn is_taken_within(&mut self, entered: &mut Entered, now: Instant, waited: Duration) -> Next {
        let seen = entered.standing.judge(&self.sight(), self.host.canonical == Some(true));
        if seen == Whether::Left {
            let since = *entered.gone_since.get_or_insert(now);
            return if now - since >= GONE_FOR { Next::Over(OrderEnd::Delivered) } else { Next::Look(LOOKS) };
        }
        entered.gone_since = None;
        let stands = seen == Whether::Stands && waited >= TAKEN_WITHIN;
        if stands && entered.presses >= MOST_PRESSES {
            return undelivered(STANDS);
        }
        if waited >= CLEAR_WITHIN {
            return undelivered(UNSEEN);
        }
        if stands && self.pressed == entered.pressed {
            return self.presses_enter(false, entered.standing.clone(), entered.presses + 1).await;
        }
        Next::Look(LOOKS)
    }

    /// The program has ended: it takes nothing more.
    pub(super) fn ends_typing(&mut self) {
        self.has_ended = true;
        let Some(sending) = self.sending.take() else { return };
        let over = match sending.step {
            Step::Ordered => OrderEnd::Declined(ENDED.to_owned()),
            Step::Entered(entered) if entered.standing.judge(&self.sight(), true) == Whether::Left => {
                OrderEnd::Delivered
            }
            Step::Typed { .. } | Step::Entered(_) => OrderEnd::Undelivered(ENDED.to_owned()),
        };
        self.is_over(sending.order.id, over);
    }

    /// More was printed than could be kept: what became of a line cannot be seen any more.
    pub(super) fn loses_screen(&mut self) {
        if let Some(sending) = self.sending.take_if(|sending| !matches!(sending.step, Step::Ordered)) {
            self.is_over(sending.order.id, OrderEnd::Undelivered(UNSEEN.to_owned()));
        }
    }

    fn is_over(&mut self, id: String, end: OrderEnd) {
        // Nothing is typed behind what stands there.
        self.unentered |= matches!(end, OrderEnd::Undelivered(_));
        self.says(match end {
            OrderEnd::Delivered => HostWord::Injected { id },
            OrderEnd::Declined(why) => HostWord::Declined { id, why },
            OrderEnd::Undelivered(why) => HostWord::Undelivered { id, why },
        });
    }

    /// Types the text, if that is safe now.
    async fn types(&mut self, order: &Order, waited: Duration) -> Next {
        let prompt = self.looks();
        if self.pace.is_in_doubt() {
            return Next::Look(self.pace.next() - Instant::now());
        }
        if let Err(why) = self.may_type(order, prompt.as_ref()) {
            return declined(why);
        }
        let (before, pressed) = (Box::new(self.sight()), self.pressed);
        match self.injects(Bytes::from(order.text.clone()), order.by_person).await {
            None => declined(ENDED),
            Some(true) => Next::Step(Step::Typed { before, pressed }, BEFORE_ENTER),
            Some(false) if waited >= BEGINS_WITHIN => declined(CHANGED),
            Some(false) => Next::Look(AGAIN),
        }
    }

    /// Whether the very prompt that the order is for stands there, and takes it.
    fn may_type(&self, order: &Order, prompt: Option<&InputPrompt>) -> Result<(), &'static str> {
        let prompt = prompt.ok_or("nothing waits there")?;
        if !is_for(order, prompt) {
            return Err("another prompt stands there");
        }
        if !prompt.safe_to_type {
            return Err("typing is not safe now");
        }
        if !takes_a_line(prompt.prompt_type, &prompt.matched_pattern, &prompt.signals, self.host) {
            return Err("the program takes single keys");
        }
        if self.unentered {
            return Err("the user is typing");
        }
        if order.notice {
            self.takes_notice(prompt, &order.text)?;
        }
        if prompt.is_dangerous && !order.by_person {
            return Err("the prompt is dangerous, and no person gave this answer");
        }
        if order.text.chars().any(char::is_control) {
            return Err("the text holds control characters");
        }
        Ok(())
    }

    /// Whether what waits is the command's own input box, as its user said, its screen shows, and the system knows.
    fn takes_notice(&self, prompt: &InputPrompt, text: &str) -> Result<(), &'static str> {
        if !self.messages {
            return Err("it was not started with `--inject-messages`");
        }
        if !text.starts_with(MARK) {
            return Err("the text does not say that it comes from the hub");
        }
        takes_a_notice(prompt.into(), self.host).map_err(|_| "what waits there is no agent's own input box")?;
        if self.probe.command_listens() { Ok(()) } else { Err("it is not the agent's own program that waits there") }
    }

    /// Presses Enter, once the text is seen to stand there.
    async fn enters(&mut self, order: &Order, before: &ScreenView, pressed: u64, waited: Duration) -> Next {
        if self.pressed != pressed {
            return undelivered("the user typed something behind it");
        }
        let standing = TypedLine::find(&order.text, before, &self.sight());
        // The kernel keeps a line that is not ended, also where the program draws its question anew without it.
        let kept = standing.is_none() && self.host.canonical == Some(true) && self.stands_at(order);
        match standing.or_else(|| TypedLine::find("", before, &self.sight()).filter(|_| kept)) {
            None if waited >= SHOWN_WITHIN => undelivered("it is not seen where it was typed"),
            Some(_) if waited >= CLEAR_WITHIN => undelivered("something is printed all the time"),
            Some(standing) => self.presses_enter(order.by_person, standing, 1).await,
            None => Next::Look(LOOKS),
        }
    }

    /// Whether the prompt that the order is for is still what waits.
    fn stands_at(&mut self, order: &Order) -> bool {
        let prompt = self.looks();
        prompt.is_some_and(|prompt| is_for(order, &prompt))
    }

    /// Presses Enter in the instant in which nothing happened since the screen was seen.
    async fn presses_enter(&mut self, by_person: bool, standing: TypedLine, presses: u8) -> Next {
        match self.injects(Bytes::from_static(b"\r"), by_person).await {
            None => undelivered(ENDED),
            Some(true) => {
                let entered = Entered { standing, presses, pressed: self.pressed, gone_since: None };
                Next::Step(Step::Entered(Box::new(entered)), LOOKS)
            }
            Some(false) => Next::Look(AGAIN),
        }
    }

    /// Has the relay write these keys unless something happened unseen here: whether it did. `None` without a program.
    async fn injects(&self, keys: Bytes, by_person: bool) -> Option<bool> {
        let (done, typed) = oneshot::channel();
        let injection = Injection { keys, by_person, judged_at: self.count, done };
        self.injections.try_send(injection).ok()?;
        typed.await.ok()
    }

    fn sight(&self) -> ScreenView {
        let mut sight = ScreenView::default();
        self.watch.terminal().look(&mut sight);
        sight
    }
}
