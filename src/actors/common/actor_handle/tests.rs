//! What `actor_handle` does, tried.

use super::*;

#[tokio::test]
async fn whoever_is_held_off_is_counted() {
    let counters = Counters::default();
    let (socket, line) = line::<()>("full", 0, &counters);
    let refused = line.ask(|_: RpcReplyPort<()>| ()).await.unwrap_err();
    assert!(matches!(refused, Fault::Busy { .. }), "{refused}");
    assert_eq!(counters.rejected.get(), 1);
    drop(socket);
    let asked = line.ask_however_full(|_: RpcReplyPort<()>| ()).await;
    assert_eq!(asked, Ok(None), "nobody will be there, and that is all");
    assert_eq!(counters.rejected.get(), 1);
}

#[test]
fn only_a_turn_that_ended_with_no_message_behind_it_says_that_nothing_needs_a_person() {
    let mailbox_metrics = MailboxMetrics::new(9, &Counters::default());
    let after = |step: &dyn Fn(&MailboxMetrics)| {
        step(&mailbox_metrics);
        mailbox_metrics.may_need_a_person()
    };
    assert!(after(&|_| ()), "it is not built yet");
    assert!(!after(&|mailbox_metrics| mailbox_metrics.ended(false)));
    assert!(after(&MailboxMetrics::put) && after(&MailboxMetrics::began), "a message waits, a turn is under way");
    assert!(
        after(&MailboxMetrics::put) && after(&|mailbox_metrics| mailbox_metrics.ended(false)),
        "another message waits"
    );
    assert!(after(&MailboxMetrics::began) && after(&MailboxMetrics::lost), "a turn failed, and the mailbox is lost");
}

#[tokio::test(start_paused = true)]
async fn who_asks_an_actor_that_is_being_rebuilt_waits_for_it_and_not_for_ever() {
    let (socket, line) = line::<RpcReplyPort<u8>>("rebuilt", 9, &Counters::default());
    let began = tokio::time::Instant::now();
    let late = line.ask(|reply| reply).await.unwrap_err();
    assert_eq!(began.elapsed(), REBUILT_WITHIN);
    assert!(late.to_string().contains("`rebuilt` is being rebuilt"), "{late}");
    let comes = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let (actor, _) = ractor::Actor::spawn(None, Answers, socket.mailbox_metrics()).await.unwrap();
        socket.connect(actor.clone());
        actor
    };
    let (asked, actor) = tokio::join!(line.ask(|reply| reply), comes);
    assert_eq!(asked, Ok(7));
    socket.mailbox_metrics().ended(false);
    socket.disconnect();
    assert!(line.mailbox_metrics().may_need_a_person());
    assert!(!line.tell(tokio::sync::oneshot::channel().0.into()), "nobody is there meanwhile");
    let again = async { socket.connect(actor.clone()) };
    assert_eq!(tokio::join!(line.ask(|reply| reply), again).0, Ok(7));
    actor.stop(None);
}

struct Answers;

impl ractor::Actor for Answers {
    type Msg = RpcReplyPort<u8>;
    type State = Arc<MailboxMetrics>;
    type Arguments = Arc<MailboxMetrics>;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        mailbox_metrics: Arc<MailboxMetrics>,
    ) -> Result<Arc<MailboxMetrics>, ractor::ActorProcessingErr> {
        Ok(mailbox_metrics)
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        reply: RpcReplyPort<u8>,
        mailbox_metrics: &mut Arc<MailboxMetrics>,
    ) -> Result<(), ractor::ActorProcessingErr> {
        mailbox_metrics.took();
        let _ = reply.send(7);
        Ok(())
    }
}

#[test]
fn what_must_not_get_lost_is_told_again_as_long_as_somebody_may_come() {
    let (socket, line) = line::<()>("coming", 1, &Counters::default());
    assert!(!line.rings(()), "it is being built");
    drop(socket);
    assert!(line.rings(()), "it is gone for good");
}
