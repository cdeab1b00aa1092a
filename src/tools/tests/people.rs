//! Verbs of people without any door: typed requests and replies, one permission, one key, the same order as an agent's
//! tool of the same name.

use serde_json::json;

use super::fixture::{ToolFixture, agent, operator, program, viewer};
use crate::domain::principal::Surface;
use crate::domain::task::{OriginKind, RightsSet, TaskStateName};
use crate::settings::Person;
use crate::tools::people::{
    ActOnInbox, AnswerTask, ApproveWork, CancelTask, InboxDeed, PersonCall, RequestChanges, RestartActor, act_on_inbox,
};
use crate::tools::{Caller, Refusal};

fn on_discord() -> Caller {
    Caller { surface: Surface::Discord, ..operator() }
}

fn refused<T: std::fmt::Debug>(outcome: Result<T, Refusal>) -> Refusal {
    outcome.expect_err("a refusal")
}

impl ToolFixture {
    fn person(&self, caller: Caller, key: Option<&str>) -> PersonCall {
        PersonCall::new(self.hub.clone(), caller, key.map(str::to_owned))
    }

    async fn blocked(&self, worker: &str) -> String {
        let worker = self.agent(worker, "full-stack-engineer").await;
        let task = self.given(&worker, json!({})).await;
        let report = json!({"taskId": task, "status": "BLOCKED", "message": "stuck", "blockedReason": "which port?"});
        self.call(&worker, "send_response", report).await.done();
        task
    }
}

#[tokio::test(start_paused = true)]
async fn a_person_answers_from_any_surface_and_a_repeat_is_answered_as_the_first_time() {
    let desk = ToolFixture::new().await;
    let task = desk.blocked("fullstack-1").await;
    let call = desk.person(on_discord(), Some("k1"));
    let answer = AnswerTask { answer: "7420".to_owned() };
    let first = call.run(&task, &answer).await.expect("answered");
    assert_eq!((first.task_id.as_str(), first.state, first.changed), (task.as_str(), TaskStateName::Queued, true));
    let again = call.run(&task, &answer).await.expect("answered as the first time");
    assert!((again.state, again.changed) == (first.state, first.changed), "{again:?}");
    let other = refused(call.run(&task, &AnswerTask { answer: "7421".to_owned() }).await);
    assert_eq!(other.code, "IDEMPOTENCY_KEY_REUSED");
    let kept = desk.hub.task(&crate::domain::ids::TaskId::parse(&task).expect("an id")).await.expect("read");
    let comments = kept.expect("a task").comments;
    let said: Vec<_> = comments.iter().map(|said| (said.text.as_str(), said.from.kind)).collect();
    assert_eq!(said, [("7420", OriginKind::Discord)], "one answer, from where it was given");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_refusal_carries_the_code_and_leaves_words_about_the_door_to_the_door() {
    let desk = ToolFixture::new().await;
    let task = desk.blocked("fullstack-1").await;
    let call = desk.person(on_discord(), None);
    let missing = refused(call.run("nosuchtask1", &CancelTask { reason: None }).await);
    assert_eq!((missing.code, missing.prompt), ("TASK_NOT_FOUND", None));
    let empty = refused(call.run(&task, &AnswerTask { answer: " ".to_owned() }).await);
    assert_eq!((empty.code, empty.message.as_str()), ("INVALID_ARGUMENTS", "`text`: must not be empty"));
    // What only the machine knows to advise stands in the refusal itself.
    let open = refused(call.run(&task, &ApproveWork::default()).await);
    assert_eq!(open.code, "TASK_WRONG_STATE");
    assert!(open.prompt.is_some_and(|advice| advice.contains(&task)), "it names the task");
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_verb_asks_for_its_scope_and_for_people_yaml_itself() {
    let desk = ToolFixture::with(|settings| {
        let nobody = Some(RightsSet::none());
        let principal = Some(operator().principal.id);
        let operator = Person { principal, can_operate: nobody, ..Person::default() };
        settings.people.people.insert("operator".to_owned(), operator);
    })
    .await;
    let task = desk.blocked("fullstack-1").await;
    let cancel = CancelTask { reason: None };
    for caller in [viewer(), agent("fullstack-1")] {
        assert_eq!(refused(desk.person(caller, None).run(&task, &cancel).await).code, "INSUFFICIENT_SCOPE");
    }
    let restart = desk.person(program(), None).run("dispatcher", &RestartActor {}).await;
    assert_eq!(refused(restart).details["needs"], "admin");
    let denied = refused(desk.person(operator(), None).run(&task, &cancel).await);
    assert_eq!((denied.code, &denied.details["right"]), ("NOT_PERMITTED", &json!("canOperate")));
    let judged = desk.person(program(), None).run(&task, &RequestChanges::default()).await;
    assert_eq!(refused(judged).code, "NOT_A_HUMAN");
    // Nothing narrows the program, and so it may what its scope allows.
    assert_eq!(desk.person(program(), None).run(&task, &cancel).await.expect("off").state, TaskStateName::Cancelled);
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_person_and_an_agent_give_the_same_order() {
    let desk = ToolFixture::new().await;
    for by_tool in [true, false] {
        let worker = if by_tool { "fullstack-1" } else { "fullstack-2" };
        let task = desk.blocked(worker).await;
        if by_tool {
            let arguments = json!({"taskId": task, "reason": "not needed"});
            desk.call(&operator(), "cancel_task", arguments).await.done();
        } else {
            let cancel = CancelTask { reason: Some("not needed".to_owned()) };
            desk.person(operator(), None).run(&task, &cancel).await.expect("off");
        }
        let heard = desk.call(&agent(worker), "get_agent_status", json!({})).await.notices();
        let text = heard.last().map(|notice| notice["text"].to_string()).unwrap_or_default();
        assert!(text.contains(&task) && text.contains("not needed"), "{heard:?}");
    }
    desk.ends().await;
}

#[tokio::test(start_paused = true)]
async fn each_act_on_the_inbox_comes_to_something_of_its_own_under_a_key_of_its_own() {
    let desk = ToolFixture::new().await;
    let task = desk.blocked("fullstack-1").await;
    let act = |action: &str, value: Option<&str>| InboxDeed {
        item: format!("blocked:{task}"),
        action: serde_json::from_value(json!(action)).expect("an action"),
        value: value.map(str::to_owned),
    };
    let asked = ActOnInbox { actions: vec![act("answer", None), act("answer", Some("7420")), act("cancel", None)] };
    let call = desk.person(operator(), Some("k1"));
    for _ in 0..2 {
        let outcomes = act_on_inbox(&call, &asked).await.expect("three acts");
        let short = outcomes.into_iter().map(|outcome| outcome.map(|done| done.state).map_err(|no| no.code));
        assert_eq!(
            short.collect::<Vec<_>>(),
            [Err("INVALID_ARGUMENTS"), Ok("QUEUED".to_owned()), Ok("CANCELLED".to_owned())]
        );
    }
    desk.ends().await;
}
