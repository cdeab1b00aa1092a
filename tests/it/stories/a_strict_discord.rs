//! A Discord that refuses what Discord refuses, and breaks in every way that it has: nothing that is said is lost, and
//! nothing is done or said twice.

use std::time::Duration;

use callboard_standin::discord::{GatewayFault, LimitScope, NewMessage, RestFault, RestRule, View, bits};
use serde_json::json;

use crate::support::discord::Scene;
use crate::support::pause;

const MESSAGES: &str = "/channels/:channel/messages";
const THREADS: &str = "/channels/:channel/messages/:message/threads";
const REACTIONS: &str = "/channels/:channel/messages/:message/reactions/:emoji/@me";

#[test]
fn a_mention_is_worked_on_asked_back_and_answered_in_one_thread() {
    let scene = Scene::new();
    let agent = scene.agent();
    let request = scene.calls(scene.full_stack, "implement login");
    let status = scene.reads(request, "**FullStack**");
    assert_eq!(status.controls, ["Cancel"]);
    let name = scene.discord.view(|view| view.name_of(request)).unwrap();
    assert!(name.starts_with("FullStack: implement login · "), "{name}");
    let task = agent.calls(&scene.hub, "wait_for_prompt", &json!({ "timeout": 30 }))["taskId"].clone();
    agent.calls(&scene.hub, "ack_task", &json!({ "taskId": task }));
    let ask = json!({ "question": "Which page?", "options": ["the old one", "the new one"],
        "default_action": "the old one", "timeout_minutes": 30, "wait_seconds": 0 });
    agent.calls(&scene.hub, "request_input", &ask);
    let question = scene.reads(request, "Which page?");
    assert_eq!(question.pinged, [scene.ann], "only who asked for it hears a sound");
    let click = scene.discord.clicks(scene.ann, question.id, "the new one").unwrap();
    let told = scene.waits("what came of the click", |view| view.reply_of(click));
    assert_eq!((told.content.as_str(), told.only_for), ("✅ Answered: the new one", Some(scene.ann)));
    let answered = scene.reads(request, "answered: the new one");
    assert_eq!((answered.id, answered.controls.len()), (question.id, 0), "the buttons are gone");
    let done = json!({ "taskId": task, "status": "COMPLETED", "message": "Done, @everyone.", "artifacts": [] });
    agent.calls(&scene.hub, "send_response", &done);
    let result = scene.reads(request, "✅ @FullStack completed");
    assert_eq!(result.pinged, [scene.ann]);
    scene.waits("the sign that it is done", |view| {
        view.message(request).filter(|shown| shown.reactions.contains(&("✅".to_owned(), 1))).map(|_| ())
    });
    assert_eq!(scene.discord.view(|view| view.invalid_requests()), 0, "nothing of all that was refused");
}

#[test]
fn whatever_breaks_on_the_way_out_each_notice_comes_once() {
    let scene = Scene::new();
    let limited = |scope| RestFault::RateLimited { after: Duration::from_millis(200), scope };
    let faults = [
        (MESSAGES, RestFault::Html502),
        (MESSAGES, RestFault::Status(503)),
        (MESSAGES, RestFault::ResetBefore),
        (MESSAGES, RestFault::ResetAfter),
        (MESSAGES, limited(LimitScope::User)),
        (MESSAGES, limited(LimitScope::Global)),
        (MESSAGES, limited(LimitScope::Shared)),
        (MESSAGES, RestFault::Slow(Duration::from_millis(300))),
        (THREADS, RestFault::Html502),
        (THREADS, RestFault::ResetAfter),
        (REACTIONS, RestFault::ResetAfter),
        (REACTIONS, RestFault::Refused { status: None, code: 50_013 }),
    ];
    for (at, (route, fault)) in faults.into_iter().enumerate() {
        let method = if route == REACTIONS { "PUT" } else { "POST" };
        scene.discord.fault(RestRule::on(method, route), fault.clone());
        let request = scene.calls(scene.tester, &format!("work {at}"));
        scene.reads(request, "**TestEngineer**");
        let statuses = scene.discord.view(|view| view.messages(request)).len();
        assert_eq!(statuses, 1, "{route} {fault:?}");
    }
    assert_eq!(scene.tasks().len(), 12);
    assert_eq!(scene.hub.get("/api/v1/outbox?state=dead_letter").1["items"], json!([]));
}

#[test]
fn a_limit_of_the_whole_bot_is_waited_for_and_not_run_against() {
    let scene = Scene::new();
    let fault = RestFault::RateLimited { after: Duration::from_secs(1), scope: LimitScope::Global };
    scene.discord.fault(RestRule::on("POST", MESSAGES).always(), fault);
    let request = scene.calls(scene.tester, "limited");
    let limited = |view: &View<'_>| view.requests().iter().filter(|came| came.status == 429).count();
    scene.waits("the limit", |view| (limited(&view) > 0).then_some(()));
    // Much goes to and fro meanwhile.
    for at in 0..3 {
        let other = scene.calls(scene.full_stack, &format!("work {at}"));
        scene.waits("another thread", |view| view.thread_of(other));
    }
    let came = scene.discord.view(|view| limited(&view));
    assert!(came <= 12, "{came} requests against one limit");
    scene.discord.heals();
    scene.reads(request, "**TestEngineer**");
}

#[test]
fn whatever_breaks_on_the_way_in_each_mention_becomes_one_task() {
    let scene = Scene::new();
    let faults: [&[GatewayFault]; 13] = [
        &[GatewayFault::DropTcp],
        &[GatewayFault::Reconnect],
        &[GatewayFault::InvalidSession(true)],
        &[GatewayFault::Close(4_000)],
        &[GatewayFault::EarlyResumed, GatewayFault::DropTcp],
        &[GatewayFault::Malformed],
        &[GatewayFault::Unknown],
        &[GatewayFault::NotJson],
        &[GatewayFault::Duplicate(1)],
        &[GatewayFault::WantHeartbeat],
        &[GatewayFault::NoAck(1), GatewayFault::WantHeartbeat],
        &[GatewayFault::ForgetSessions, GatewayFault::DropTcp],
        &[GatewayFault::CloseResume(4_007), GatewayFault::DropTcp],
    ];
    for (at, faults) in faults.into_iter().enumerate() {
        for fault in faults {
            scene.discord.gateway_fault(fault.clone());
        }
        let request = scene.calls(scene.tester, &format!("work {at}"));
        scene.reads(request, "**TestEngineer**");
    }
    let tasks = scene.tasks();
    assert_eq!(tasks.len(), 13, "{tasks:?}");
}

#[test]
fn what_is_said_while_the_hub_is_dead_is_read_back_from_a_new_session_too() {
    let scene = Scene::new();
    let (ann, dev, role) = (scene.ann, scene.dev, scene.tester);
    let before = scene.calls(role, "first");
    scene.reads(before, "**TestEngineer**");
    let mut missed = 0;
    let remembered = scene.data_dir.path().join("discord.json");
    let scene = scene.restarts(|discord| {
        discord.gateway_fault(GatewayFault::ForgetSessions);
        missed = discord.says(ann, dev, &format!("<@&{role}> second"));
        // As if the crash had come before what is remembered was written for the first time.
        let _ = std::fs::remove_file(remembered);
    });
    scene.reads(missed, "**TestEngineer**");
    let after = scene.calls(role, "third");
    scene.reads(after, "**TestEngineer**");
    assert_eq!(scene.tasks().len(), 3);
}

#[test]
fn only_people_start_work_and_each_role_of_a_message_gets_its_own() {
    let scene = Scene::new();
    let (discord, role) = (&scene.discord, scene.tester);
    // Once one was heard, nothing is read back any more: what is edited before that is read as it stands then.
    let first = scene.calls(role, "first");
    scene.reads(first, "**TestEngineer**");
    let mention = format!("<@&{role}> from somebody else");
    let other = discord.other_bot(scene.guild, "robot");
    discord.says(other, scene.dev, &mention);
    discord.posts(
        scene.ann,
        scene.dev,
        NewMessage { content: mention.clone(), webhook: true, ..NewMessage::default() },
    );
    discord.posts(scene.ann, scene.dev, NewMessage { content: mention, joined: true, ..NewMessage::default() });
    let plain = discord.says(scene.ann, scene.dev, "nothing yet");
    discord.edits(plain, &format!("<@&{role}> an edit"));
    discord.unfurls(plain);
    let both = discord.says(scene.ann, scene.dev, &format!("<@&{role}> <@&{}> do it together", scene.full_stack));
    scene.waits("both answers", |view| {
        let all: String =
            [scene.dev].into_iter().chain(view.threads(scene.dev)).map(|one| view.transcript(one)).collect();
        (all.contains("**TestEngineer**") && all.contains("**FullStack**")).then_some(())
    });
    while scene.tasks().len() < 3 {
        pause(20);
    }
    let tasks = scene.tasks();
    assert_eq!(tasks.len(), 3, "{tasks:?}");
    assert!(discord.view(|view| view.message(both)).is_some());
}

#[test]
fn without_threads_everything_is_said_in_the_channel_and_a_locked_thread_is_gone_around() {
    let scene = Scene::new();
    let agent = scene.agent();
    let request = scene.calls(scene.full_stack, "implement login");
    scene.reads(request, "**FullStack**");
    let task = agent.calls(&scene.hub, "wait_for_prompt", &json!({ "timeout": 30 }))["taskId"].clone();
    agent.calls(&scene.hub, "ack_task", &json!({ "taskId": task }));
    scene.discord.archives(request, true);
    let done = json!({ "taskId": task, "status": "FAILED", "message": "no key" });
    agent.calls(&scene.hub, "send_response", &done);
    let said = scene.reads(scene.dev, "❌ @FullStack failed");
    assert_eq!(said.reply_to, Some(request));
    scene.discord.denies(scene.dev, bits::CREATE_PUBLIC_THREADS);
    let request = scene.calls(scene.tester, "without a thread");
    let said = scene.reads(scene.dev, "**TestEngineer**");
    assert_eq!((said.reply_to, scene.discord.view(|view| view.thread_of(request))), (Some(request), None));
}

#[test]
fn every_number_of_options_can_be_answered() {
    let scene = Scene::new();
    let agent = scene.agent();
    let request = scene.calls(scene.full_stack, "implement login");
    let task = agent.calls(&scene.hub, "wait_for_prompt", &json!({ "timeout": 30 }))["taskId"].clone();
    agent.calls(&scene.hub, "ack_task", &json!({ "taskId": task }));
    for count in [0_usize, 1, 4, 5, 20] {
        let options: Vec<_> = (0..count).map(|at| format!("option {at}")).collect();
        let by_default = options.last().map_or("go on", String::as_str);
        let ask = json!({ "question": format!("Which of {count}?"), "options": options,
            "default_action": by_default, "timeout_minutes": 30, "wait_seconds": 0 });
        let question = agent.calls(&scene.hub, "request_input", &ask)["question_id"].as_str().unwrap().to_owned();
        let shown = scene.reads(request, &format!("Which of {count}?"));
        let click = match count {
            0 => scene.discord.clicks(scene.ann, shown.id, "Answer…").unwrap(),
            1..=4 => scene.discord.clicks(scene.ann, shown.id, "option 0").unwrap(),
            _ => {
                let select = shown.components[0]["components"][0]["custom_id"].as_str().unwrap().to_owned();
                scene.discord.picks(scene.ann, shown.id, &select, &["option 0"]).unwrap()
            }
        };
        let click = if count == 0 {
            scene.waits("the form", |view| view.answer(click));
            scene.discord.submits(click, &[("text", "option 0")]).unwrap()
        } else {
            click
        };
        let told = scene.waits("what came of it", |view| view.reply_of(click));
        assert_eq!(told.content, "✅ Answered: option 0", "{count} options");
        let known = scene.hub.get(&format!("/api/v1/questions/{question}")).1;
        assert_eq!(known["resolution"]["value"], "option 0", "{count} options");
    }
}
