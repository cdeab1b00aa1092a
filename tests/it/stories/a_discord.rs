//! Discord, told to the real binary with a stand-in: work is called from a channel, answered from there, and nothing is
//! lost or done twice on the way.

use std::fs;

use callboard_standin::discord::{GatewayFault, RestFault, RestRule, bits};
use serde_json::json;

use crate::support::discord::Scene;
use crate::support::pause;

/// Developers may assign to one role.
const ONE_ROLE: &str = "roles:\n  developer: {canAssignTo: [test-engineer]}\n";
const MESSAGES: &str = "/channels/:channel/messages";

#[test]
fn a_role_that_is_mentioned_works_in_a_thread_and_its_author_hears_how_it_ended() {
    let scene = Scene::new();
    let agent = scene.agent();
    scene.discord.gateway_fault(GatewayFault::Duplicate(1));
    let (request, task) = scene.begins(&agent, "implement login");
    let progress = json!({ "taskId": task, "status": "PROGRESS", "message": "half of it",
        "progress": { "percent": 50 } });
    agent.calls(&scene.hub, "send_response", &progress);
    assert!(scene.reads(request, "50 % · half of it").edited, "the status is edited");
    let done = json!({ "taskId": task, "status": "COMPLETED", "message": "It works, @everyone. `cargo test` is green.",
        "artifacts": [{ "kind": "pr", "url": "https://github.com/acme/app/pull/42" }] });
    agent.calls(&scene.hub, "send_response", &done);
    let result = scene.reads(request, "✅ @FullStack completed: PR #42");
    assert!(result.content.starts_with(&format!("<@{}> ", scene.ann)), "{}", result.content);
    assert!(result.content.contains("It works, \\@everyone."), "{}", result.content);
    assert_eq!(result.pinged, [scene.ann]);
    scene.signed(request, "✅");
    let bodies = scene.discord.view(|view| view.requests());
    let posts = bodies.iter().filter(|one| one.method == "POST" && one.body["content"].is_string());
    assert!(posts.clone().count() > 0 && posts.clone().all(|one| one.body["enforce_nonce"] == true));
    assert!(
        bodies
            .iter()
            .filter(|one| one.body["content"].is_string())
            .all(|one| { one.body["allowed_mentions"]["parse"] == json!([]) })
    );
    assert_eq!(scene.tasks().len(), 1, "the event came twice");
    assert_eq!(scene.gateway()["state"], "ready");
}

#[test]
fn who_may_not_is_told_once_whom_they_may_call_and_the_audit_keeps_why() {
    let scene = Scene::permits(ONE_ROLE);
    let request = scene.calls(scene.full_stack, "implement login");
    let said = "⛔ You may not assign tasks to full-stack-engineer. Allowed for you: test-engineer.";
    let refusal = scene.reads(scene.dev, "⛔");
    assert_eq!((refusal.content.as_str(), refusal.reply_to), (said, Some(request)));
    let again = scene.calls(scene.full_stack, "implement login now");
    // What comes behind it has come.
    let allowed = scene.calls(scene.tester, "test it");
    scene.reads(allowed, "**TestEngineer**");
    let refusals = scene.discord.view(|view| view.transcript(scene.dev)).matches("⛔ You may not").count();
    assert_eq!((refusals, scene.tasks().len()), (1, 1));
    scene.signed(again, "⛔");
    while !scene.file("audit.jsonl").contains("no entry allows it") {
        pause(20);
    }
    assert!(scene.file("audit.jsonl").contains("discord.assign"));
}

#[test]
fn a_question_is_answered_once_and_a_word_in_the_thread_reaches_who_has_the_task() {
    let scene = Scene::new();
    let agent = scene.agent();
    let (request, task) = scene.begins(&agent, "implement login");
    let options = ["old", "new"].map(str::to_owned);
    let question = scene.asks(&agent, "Old or new?", &options);
    let shown = scene.reads(request, "Old or new?");
    assert_eq!(shown.controls, ["old", "new", "Use default"]);
    // Two press at the same moment: the first one counts, and the other one is told so.
    let first = scene.discord.clicks(scene.ann, shown.id, "old").unwrap();
    let late = scene.discord.clicks(scene.ann, shown.id, "new").unwrap();
    let mut told = [scene.told(first), scene.told(late)];
    told.sort();
    assert!(told[0].starts_with('⚠') && told[1].starts_with("✅ Answered: "), "{told:?}");
    scene.reads(request, " answered: ");
    let known = scene.hub.get(&format!("/api/v1/questions/{question}")).1;
    assert_eq!(known["resolution"]["type"], "human", "{known}");
    let word = scene.discord.says(scene.ann, request, "and add a test");
    scene.signed(word, "✅");
    let comments = scene.hub.get(&format!("/api/v1/tasks/{task}")).1["comments"].clone();
    assert!(comments.to_string().contains("and add a test"), "{comments}");
}

#[test]
fn what_is_said_while_the_hub_was_killed_is_heard_once_and_the_session_goes_on() {
    let scene = Scene::new();
    let first = scene.calls(scene.full_stack, "first");
    scene.reads(first, "**FullStack**");
    // What is remembered is on disk a moment later.
    while !scene.file("discord.json").contains(&first.to_string()) {
        pause(20);
    }
    let (ann, dev, role) = (scene.ann, scene.dev, scene.full_stack);
    let mut away = 0;
    let scene = scene.restarts(|discord| away = discord.says(ann, dev, &format!("<@&{role}> second")));
    scene.reads(away, "**FullStack**");
    let counts = scene.discord.view(|view| view.counts());
    assert_eq!((counts.identifies, counts.resumes), (1, 1), "identified once, resumed once");
    assert_eq!(scene.tasks().len(), 2);
    scene.discord.gateway_fault(GatewayFault::DropTcp);
    let third = scene.calls(scene.full_stack, "third");
    scene.reads(third, "**FullStack**");
    assert_eq!(scene.discord.view(|view| view.counts()).resumes, 2);
}

#[test]
fn a_refused_intent_is_said_once_with_the_switch_to_set_and_the_hub_works_on() {
    let scene = Scene::new();
    scene.discord.switches_message_content(false);
    scene.discord.gateway_fault(GatewayFault::ForgetSessions);
    scene.discord.gateway_fault(GatewayFault::DropTcp);
    while scene.gateway()["state"] != "stopped" {
        pause(20);
    }
    let ready = scene.hub.get("/readyz").1;
    assert_eq!(ready["status"], "degraded", "{ready}");
    let why = ready["reasons"][0].as_str().unwrap();
    assert!(why.contains("Message Content Intent") && why.contains("discord.messageContent: false"), "{why}");
    let agent = scene.agent();
    agent.calls(&scene.hub, "wait_for_prompt", &json!({ "timeout": 1 }));
    assert_eq!(scene.file("hub.log").matches("Discord refuses an intent (4014)").count(), 1);
}

#[test]
fn what_cannot_go_into_the_thread_goes_to_its_channel_and_what_is_refused_goes_as_a_file() {
    let scene = Scene::new();
    let agent = scene.agent();
    let (request, task) = scene.begins(&agent, "implement login");
    let refused = |code| RestFault::Refused { status: None, code };
    scene.discord.fault(RestRule::on("POST", MESSAGES).inside(request), refused(10_003));
    scene.discord.fault(RestRule::on("POST", MESSAGES).inside(scene.dev), refused(50_035));
    // The second attempt, as a file, finds the thread gone as well.
    scene.discord.fault(RestRule::on("POST", MESSAGES).inside(request), refused(10_003));
    scene.ends_task(&agent, &task, "FAILED", "no key");
    let file = scene.waits("the result as a file in the channel", |view| {
        view.messages(scene.dev).into_iter().find(|shown| !shown.files.is_empty())
    });
    assert_eq!(file.reply_to, Some(request));
    let (name, text) = &file.files[0];
    assert!(name == "message.md" && text.contains("❌ @FullStack failed") && text.contains("no key"), "{text}");
    scene.signed(request, "❌");
    assert_eq!(scene.hub.get("/api/v1/outbox?state=dead_letter").1["items"], json!([]));
    let said = "Discord refuses a message, which goes as a file: 400 (50035): a part of what was sent does not fit";
    assert!(scene.file("hub.log").contains(said));
}

#[test]
fn a_command_hands_out_work_with_a_thread_of_its_own_and_says_who_it_does_not_know() {
    let scene = Scene::new();
    let ask = |agent: &str, prompt: &str| {
        let options = [("agent", agent), ("prompt", prompt)];
        scene.told(scene.discord.commands(scene.ann, scene.dev, "task", &options).unwrap())
    };
    let said = ask("FullStack", "fix the build");
    assert!(said.starts_with("✅ FullStack has it: <#"), "{said}");
    let tasks = scene.tasks();
    assert_eq!(tasks[0]["prompt"], "fix the build");
    let message: u64 = tasks[0]["context"]["discord"]["message"].as_str().unwrap().parse().unwrap();
    let status = scene.reads(message, "**FullStack**");
    assert!(status.content.contains("queued; no FullStack agent is connected"), "{}", status.content);
    let said = ask("nobody", "x");
    assert!(said.starts_with("⚠️ Nobody is called nobody"), "{said}");
    scene.discord.denies(scene.dev, bits::SEND_MESSAGES);
    let said = ask("FullStack", "x");
    assert!(said.contains("the bot lacks a permission there"), "{said}");
}

#[test]
fn a_request_that_is_deleted_calls_off_what_nobody_has_yet_and_nothing_else() {
    let scene = Scene::new();
    let agent = scene.agent();
    let (held, task) = scene.begins(&agent, "taken");
    let waiting = scene.calls(scene.tester, "not taken");
    scene.reads(waiting, "**TestEngineer**");
    scene.discord.deletes(held);
    scene.discord.deletes(waiting);
    scene.reads(waiting, "🚫 cancelled");
    assert_eq!(scene.hub.get(&format!("/api/v1/tasks/{task}")).1["state"], "IN_PROGRESS");
}

#[test]
fn decisions_about_rights_are_posted_where_people_watch_over_them() {
    let mut watch = 0;
    let scene = Scene::with(|discord, ann| {
        let guild = discord.view(|view| view.guild_of(ann)).unwrap();
        watch = discord.channel(guild, "rights");
        (format!(", auditChannel: \"{watch}\""), ONE_ROLE.to_owned())
    });
    // Discord may tell of a message twice, as it does where it is read back while it comes.
    scene.discord.gateway_fault(GatewayFault::Duplicate(1));
    scene.calls(scene.full_stack, "implement login");
    let posted = scene.reads(watch, "may not assign: role:full-stack-engineer (no entry allows it)");
    assert!(posted.content.contains(&format!("<@{}>", scene.ann)) && posted.pinged.is_empty(), "{posted:?}");
    // What is remembered is on disk a moment later.
    let line = posted.content.rsplit(' ').next().unwrap().to_owned();
    while !scene.file("discord.json").contains(&format!("\"audited\":{line}")) {
        pause(20);
    }
    let scene = scene.restarts(|_| ());
    scene.calls(scene.tester, "test it");
    let posted = scene.reads(watch, "✅");
    assert!(posted.content.contains("(roles.developer.canAssignTo)"), "{}", posted.content);
    let all = scene.discord.view(|view| view.transcript(watch));
    assert_eq!(all.matches("may not assign").count(), 1, "a restart repeats nothing: {all}");

    // What is remembered came from another machine, whose audit had more lines than the one here.
    let remembered = scene.data_dir.path().join("discord.json");
    let scene = scene.restarts(|_| {
        let mut memory: serde_json::Value = serde_json::from_slice(&fs::read(&remembered).unwrap()).unwrap();
        memory["audited"] = 9_000.into();
        fs::write(&remembered, memory.to_string()).unwrap();
    });
    scene.calls(scene.tester, "test it again");
    while scene.discord.view(|view| view.transcript(watch)).matches("✅").count() < 2 {
        pause(20);
    }
}
