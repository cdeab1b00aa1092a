//! What stands between a hub and the stand-ins: it kills the hub at any moment of a send, and plants defects.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use super::chance::Chance;
use crate::actors::forge::{Carrier, ForgeAnswer, ForgeError, ForgeRequest};
use crate::actors::outbox::Destination;
use crate::domain::outbox::{Delivery, DeliveryId, NewDelivery, SendOutcome};
use crate::journal::Append;
use callboard_standin::forge::{Fault, ForgeStandIn};

/// How long a request to the forge may take, as over the network.
const ANSWER_WITHIN: Duration = Duration::from_secs(8);

/// A defect of the way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Defect {
    None,
    /// Nobody looks whether an earlier attempt opened the pull request.
    OverlooksPulls,
    /// A comment has another mark at each attempt.
    NewMarkEachTime,
    /// An approval that was dismissed looks like one that stands.
    OverlooksDismissals,
    /// Whoever reviews is believed to be somebody who may write.
    BelievesStrangers,
    /// One delivery in four is said to be sent before it is, and then is not.
    SettlesUnsent,
}

/// The life of one hub.
#[derive(Debug, Clone, Default)]
pub(super) struct Life {
    ended: Arc<AtomicBool>,
    dying: Arc<AtomicBool>,
}

impl Life {
    /// Nothing that this hub still does reaches anybody.
    pub(super) fn ends(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// It is to be killed before anything else happens.
    pub(super) fn is_dying(&self) -> bool {
        self.dying.load(Ordering::Relaxed)
    }

    /// Goes on while the hub lives. It dies here where chance wants it.
    async fn goes_on(&self, dies: bool) {
        if dies {
            self.dying.store(true, Ordering::Relaxed);
        }
        if dies || self.ended.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    }
}

/// Requests as calls.
#[derive(Debug)]
pub(super) struct InProcess {
    pub(super) forge: ForgeStandIn,
    pub(super) life: Life,
    pub(super) chance: Chance,
    pub(super) defect: Defect,
    /// Whether the hub may be killed.
    pub(super) deadly: Arc<AtomicBool>,
}

impl InProcess {
    async fn carried(&self, request: ForgeRequest) -> Result<ForgeAnswer, ForgeError> {
        let deadly = self.deadly.load(Ordering::Relaxed);
        self.life.goes_on(deadly && self.chance.one_in(40)).await;
        let answer = self.forge.answers(&request);
        self.life.goes_on(deadly && self.chance.one_in(40)).await;
        let mut answer = answer.ok_or_else(|| ForgeError::Unreachable("connection reset".to_owned()))?;
        let searches =
            request.method() == http::Method::GET && request.uri().query().is_some_and(|it| it.contains("head="));
        if self.defect == Defect::OverlooksPulls && searches && answer.status().is_success() {
            *answer.body_mut() = Bytes::from_static(b"[]");
        }
        let text = String::from_utf8_lossy(answer.body()).into_owned();
        let writers = "\"latestOpinionatedReviews\":{\"nodes\":[";
        let eve = "{\"author\":{\"__typename\":\"User\",\"login\":\"eve\"}}";
        let text = match self.defect {
            Defect::OverlooksDismissals => text.replace("\"DISMISSED\"", "\"APPROVED\""),
            Defect::BelievesStrangers => {
                let one_more = format!("{writers}{eve},");
                text.replace(writers, &one_more).replace(&format!("{eve},]"), &format!("{eve}]"))
            }
            Defect::None | Defect::OverlooksPulls | Defect::NewMarkEachTime | Defect::SettlesUnsent => {
                return Ok(answer);
            }
        };
        *answer.body_mut() = Bytes::from(text);
        Ok(answer)
    }
}

impl Carrier for InProcess {
    fn carry(&self, request: ForgeRequest) -> BoxFuture<'_, Result<ForgeAnswer, ForgeError>> {
        let unanswered = |_| Err(ForgeError::Unreachable("no answer in time".to_owned()));
        tokio::time::timeout(ANSWER_WITHIN, self.carried(request))
            .map(move |done| done.unwrap_or_else(unanswered))
            .boxed()
    }
}

/// A destination, on a way on which everything happens.
pub(super) struct Outer {
    pub(super) inner: Arc<dyn Destination>,
    pub(super) life: Life,
    pub(super) chance: Chance,
    pub(super) defect: Defect,
    pub(super) deadly: Arc<AtomicBool>,
    /// What fails request by request, beside what fails for a while.
    pub(super) unsteady: Option<ForgeStandIn>,
}

impl Outer {
    async fn sent(&self, delivery: &Delivery) -> SendOutcome {
        let deadly = self.deadly.load(Ordering::Relaxed);
        self.life.goes_on(deadly && self.chance.one_in(20)).await;
        if self.defect == Defect::SettlesUnsent && self.chance.one_in(4) {
            return SendOutcome::Delivered { receipt: None };
        }
        let mut delivery = delivery.clone();
        if self.defect == Defect::NewMarkEachTime {
            delivery.id = DeliveryId { part: delivery.attempts + 100, ..delivery.id };
        }
        if let Some(forge) = self.unsteady.as_ref().filter(|_| deadly) {
            self.fails(forge);
        }
        let outcome = self.inner.send(&delivery).await;
        self.life.goes_on(deadly && self.chance.one_in(20)).await;
        outcome
    }

    /// Something goes wrong with the next request, perhaps.
    fn fails(&self, forge: &ForgeStandIn) {
        forge.next_fault(match self.chance.below(16) {
            0 => Fault::BadGateway,
            1 => Fault::TooMany(Duration::from_secs(30)),
            2 => Fault::Revoked,
            3 => Fault::Answers(422, Vec::new()),
            4..=6 => Fault::LosesAnswers,
            _ => return,
        });
    }
}

impl Destination for Outer {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn wants(&self, append: &Append) -> Vec<NewDelivery> {
        self.inner.wants(append)
    }

    fn owed(&self, over: &Delivery) -> Option<NewDelivery> {
        self.inner.owed(over)
    }

    fn give_up_after(&self) -> Option<Duration> {
        self.inner.give_up_after()
    }

    fn send<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, SendOutcome> {
        self.sent(delivery).boxed()
    }
}
