//! One request on its way to an answer.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use rmcp::model::RequestId;

use super::super::workarounds::parked::{Exit, Parked, ParkedOutput};
use super::peer::Speaker;
use crate::tools::AnswerGuard;
use crate::transport::web::Slot;

/// A request that is at work. Dropping it calls it off.
pub(super) struct Work {
    pub(super) id: RequestId,
    slot: Slot,
    stage: Stage,
    /// It listens, and speaks by this.
    speaker: Option<Speaker>,
    /// It was called off, and is not of those that can be: it goes on, and nobody hears what it comes to.
    hushed: bool,
}

enum Stage {
    /// The library's handler is at work.
    Handled(Pin<Box<dyn Future<Output = Bytes> + Send>>, Exit),
    Parked(Parked),
}

/// What a request says.
pub(super) enum Word {
    /// That it goes on.
    Progress(Bytes),
    /// Its answer, with what must not get lost with it.
    Answer(Bytes, Option<Arc<AnswerGuard>>),
    Nothing,
}

impl Work {
    /// A request that comes to `answer`, unless it leaves by `exit`, with what the answer carries in `slot`.
    pub(super) fn new(
        id: RequestId,
        slot: Slot,
        exit: Exit,
        answer: impl Future<Output = Bytes> + Send + 'static,
    ) -> Self {
        Self { id, slot, stage: Stage::Handled(Box::pin(answer), exit), speaker: None, hushed: false }
    }

    /// The same of a request that speaks until it ends.
    pub(super) fn speaking(self, speaker: Speaker) -> Self {
        Self { speaker: Some(speaker), ..self }
    }

    /// Whether it waits for something that may take long.
    pub(super) const fn waits(&self) -> bool {
        self.speaker.is_some() || matches!(self.stage, Stage::Parked(_))
    }

    /// The client wants it no more; whether it is to be dropped.
    pub(super) const fn is_called_off(&mut self) -> bool {
        // What changes something is carried through: half of it would be worse than all.
        self.hushed = true;
        self.waits()
    }

    /// What it says next. Must not be asked after its last word.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Word> {
        if let Some(speaker) = &mut self.speaker
            && let Poll::Ready(Some(said)) = speaker.poll_said(cx)
        {
            return Poll::Ready(Word::Progress(said));
        }
        loop {
            let answer = match &mut self.stage {
                Stage::Parked(parked) => match ready!(parked.poll_said(cx)) {
                    ParkedOutput::Progress(text) => return Poll::Ready(Word::Progress(text)),
                    ParkedOutput::Answer(text) => text,
                },
                Stage::Handled(answer, exit) => {
                    let answer = ready!(answer.as_mut().poll(cx));
                    if let Some(parked) = exit.taken() {
                        self.stage = Stage::Parked(parked);
                        continue;
                    }
                    answer
                }
            };
            let guard = self.slot.guard().cloned();
            if self.hushed {
                guard.as_ref().inspect(|guard| guard.lost());
                return Poll::Ready(Word::Nothing);
            }
            return Poll::Ready(Word::Answer(answer, guard));
        }
    }
}
