//! What Discord refuses, takes away or limits while the hub runs: each is said in a plain sentence, agents go on, and
//! nothing is lost silently.

use std::time::Duration;

use callboard_standin::discord::{GatewayFault, NewMessage, RestFault, RestRule};
use serde_json::json;

use crate::support::discord::Scene;
use crate::support::pause;

const CALLBACK: &str = "/interactions/:interaction/:token/callback";

#[test]
fn a_token_that_is_reset_while_the_hub_runs_is_said_and_agents_go_on() {
    let scene = Scene::new();
    let agent = scene.agent();
    let (_, task) = scene.begins(&agent, "implement login");
    let token = scene.discord.token();
    scene.discord.gateway_fault(GatewayFault::ResetToken("another.token".to_owned()));
    while scene.gateway()["state"] != "the token is refused" {
        pause(20);
    }
    let why = scene.hub.get("/readyz").1["reasons"].to_string();
    assert!(why.contains("Discord refuses the token (4004): it is tried again with growing pauses"), "{why}");
    scene.ends_task(&agent, &task, "COMPLETED", "done");
    assert_eq!(scene.hub.get(&format!("/api/v1/tasks/{task}")).1["state"], "COMPLETED");
    // What was to be said waits, and says why.
    loop {
        let waits = scene.hub.get("/api/v1/outbox?state=pending").1.to_string();
        if waits.contains("Discord refuses the token (401)") {
            break;
        }
        pause(20);
    }
    // It is the old one that is taken again: the hub hears of that by itself.
    scene.discord.gateway_fault(GatewayFault::ResetToken(token));
    while scene.gateway()["state"] != "ready" {
        pause(20);
    }
    let again = scene.calls(scene.tester, "after the outage");
    scene.reads(again, "**TestEngineer**");
}

#[test]
fn one_401_is_tried_again_and_an_expired_press_is_no_refused_token() {
    let scene = Scene::new();
    let refused = |code| RestFault::Refused { status: Some(401), code };
    scene.discord.fault(RestRule::on("POST", "/channels/:channel/messages"), refused(0));
    let request = scene.calls(scene.tester, "refused once");
    while !scene.hub.get("/readyz").1["reasons"].to_string().contains("Discord refuses the token (401)") {
        pause(20);
    }
    let status = scene.reads(request, "**TestEngineer**");
    while scene.gateway()["state"] != "ready" {
        pause(20);
    }
    scene.discord.fault(RestRule::on("PATCH", "/webhooks/:application/:token/messages/:message"), refused(50_027));
    scene.discord.clicks(scene.ann, status.id, "Cancel").unwrap();
    while !scene.gateway().to_string().contains("older than fifteen minutes") {
        pause(20);
    }
    let next = scene.calls(scene.tester, "after an expired press");
    scene.reads(next, "**TestEngineer**");
    assert_eq!(scene.gateway()["state"], "ready");
}

#[test]
fn a_bot_that_is_kicked_says_so_and_one_that_is_invited_again_works_as_before() {
    let scene = Scene::new();
    let agent = scene.agent();
    let (request, task) = scene.begins(&agent, "implement login");
    scene.discord.kicks_bot(scene.guild);
    scene.ends_task(&agent, &task, "COMPLETED", "done");
    // It may be invited again: what was to be said waits for a day.
    loop {
        let waits = scene.hub.get("/api/v1/outbox?state=pending").1.to_string();
        if waits.contains("the bot does not see that channel: `callboard doctor discord` names what it lacks") {
            break;
        }
        pause(20);
    }
    scene.discord.invites_bot(scene.guild);
    scene.waits("the commands once more", |view| (!view.commands(scene.guild).is_empty()).then_some(()));
    let again = scene.calls(scene.tester, "after the invitation");
    scene.reads(again, "**TestEngineer**");
    scene.reads(request, "✅ @FullStack completed");
}

#[test]
fn of_two_hubs_on_one_token_each_has_its_own_task_and_a_press_is_done_by_one() {
    let scene = Scene::new();
    let (other, _data_dir) = scene.another_hub();
    while other.get("/admin/actors/service:discord-gateway").1["state"] != "ready" {
        pause(20);
    }
    let request = scene.calls(scene.tester, "for both");
    scene.waits("a status of each", |view| (view.messages(request).len() == 2).then_some(()));
    let theirs = other.get("/api/v1/tasks").1["items"].as_array().unwrap().len();
    assert_eq!((scene.tasks().len(), theirs), (1, 1), "once in each");
    let shown = scene.discord.view(|view| view.messages(request));
    for status in &shown {
        let press = scene.discord.clicks(scene.ann, status.id, "Cancel").unwrap();
        scene.told(press);
    }
    let words = "run one hub for each token";
    let says = |hub: &crate::support::hub_process::HubProcess| {
        hub.get("/admin/actors/service:discord-gateway").1.to_string().contains(words)
    };
    while !says(&scene.hub) && !says(&other) {
        pause(20);
    }
}

#[test]
fn a_press_that_discord_does_not_take_is_not_done_and_the_next_one_is() {
    let scene = Scene::new();
    let agent = scene.agent();
    let (request, _) = scene.begins(&agent, "implement login");
    let question = scene.asks(&agent, "Old or new?", &["old", "new"].map(str::to_owned));
    let shown = scene.reads(request, "Old or new?");
    for (code, words) in [(10_062, "older than the three seconds"), (40_060, "run one hub for each token")] {
        let refused = RestFault::Refused { status: None, code };
        scene.discord.fault(RestRule::on("POST", CALLBACK), refused);
        scene.discord.clicks(scene.ann, shown.id, "old").unwrap();
        while !scene.gateway().to_string().contains(words) {
            pause(20);
        }
        let known = scene.hub.get(&format!("/api/v1/questions/{question}")).1;
        assert!(known["resolution"].is_null(), "{code}: {known}");
    }
    let press = scene.discord.clicks(scene.ann, shown.id, "old").unwrap();
    assert_eq!(scene.told(press), "✅ Answered: old");
}

#[test]
fn a_press_whose_acknowledgement_is_lost_is_done_once() {
    let scene = Scene::new();
    let agent = scene.agent();
    let (request, _) = scene.begins(&agent, "implement login");
    for (at, fault) in [RestFault::ResetAfter, RestFault::Html502].into_iter().enumerate() {
        let text = format!("Which {at}?");
        scene.asks(&agent, &text, &["old", "new"].map(str::to_owned));
        let shown = scene.reads(request, &text);
        scene.discord.fault(RestRule::on("POST", CALLBACK), fault);
        scene.discord.clicks(scene.ann, shown.id, "old").unwrap();
        scene.waits("the question edited", |view| {
            view.message(shown.id).filter(|one| one.content.contains("answered: old"))
        });
    }
}

#[test]
fn somebody_who_takes_no_direct_messages_any_more_is_named_as_the_reason() {
    let scene =
        Scene::with(|_, ann| (", dm: listed".to_owned(), format!("users: {{\"{ann}\": {{canAssignTo: ['*']}}}}\n")));
    let agent = scene.agent();
    let bot = scene.discord.bot();
    let request = scene.discord.direct(scene.ann, &format!("<@{bot}> FullStack: implement login"));
    let room = scene.waits("the direct channel", |view| view.direct_with(scene.ann));
    let status = scene.reads(room, "**FullStack**");
    assert_eq!(status.reply_to, Some(request), "in a direct message there is no thread");
    let task = scene.takes(&agent);
    scene.discord.closes_direct(scene.ann);
    scene.ends_task(&agent, &task, "COMPLETED", "done");
    let why = scene.dead_letter();
    assert!(why.contains("403 (50007): this person takes no direct messages of the bot"), "{why}");
}

#[test]
fn more_options_than_a_question_may_have_are_refused_and_long_ones_are_shown_whole() {
    let scene = Scene::new();
    let agent = scene.agent();
    let (request, _) = scene.begins(&agent, "implement login");
    for count in [26, 100] {
        let options: Vec<_> = (0..count).map(|at| format!("option {at}")).collect();
        let ask = json!({ "question": "Which?", "options": options, "default_action": "option 0" });
        let (status, no) = scene.hub.post_as(agent.token(), "/api/v1/tools/request_input", &ask);
        assert!(status >= 400 && no.to_string().contains("20"), "{status} {no}");
    }
    let long = |end: &str| format!("{}{end}", "o".repeat(100));
    let options =
        vec![long("a"), long("b"), "🎉 emoji".to_owned(), "\u{202e}from the right".to_owned(), "`<@1>`".to_owned()];
    let question = scene.asks(&agent, "Which of these?", &options);
    let shown = scene.reads(request, "Which of these?");
    for whole in [&options[0], &options[1]] {
        assert!(shown.content.contains(whole.as_str()), "{}", shown.content);
    }
    let select = &shown.components[0]["components"][0];
    let labels: Vec<_> =
        select["options"].as_array().unwrap().iter().map(|one| one["label"].as_str().unwrap()).collect();
    assert!(labels[0].starts_with("1. oo") && labels[1].starts_with("2. oo"), "two that begin alike are told apart");
    let press = scene.discord.picks(scene.ann, shown.id, select["custom_id"].as_str().unwrap(), &[labels[1]]).unwrap();
    assert!(scene.told(press).starts_with("✅ Answered: "));
    let known = scene.hub.get(&format!("/api/v1/questions/{question}")).1;
    assert_eq!(known["resolution"]["value"], options[1]);
}

#[test]
fn a_server_of_five_thousand_roles_is_called_and_answered_as_any_other() {
    let scene = Scene::new();
    for at in 0..5_000 {
        let _ = scene.discord.role(scene.guild, &format!("role {at}"));
    }
    let request = scene.calls(scene.tester, "among many");
    scene.reads(request, "**TestEngineer**");
    let scene = scene.restarts(|discord| discord.gateway_fault(GatewayFault::ForgetSessions));
    let request = scene.calls(scene.tester, "after a new session");
    scene.reads(request, "**TestEngineer**");
}

#[test]
fn roles_and_channels_that_change_while_a_task_runs_lose_nothing_silently() {
    let scene = Scene::new();
    let agent = scene.agent();
    let (request, task) = scene.begins(&agent, "implement login");
    scene.discord.renames_role(scene.full_stack, "Backend");
    scene.ends_task(&agent, &task, "COMPLETED", "done");
    scene.reads(request, "✅ @FullStack completed");
    // It is called by its name, which is another one now.
    scene.calls(scene.full_stack, "nobody is called so");
    let behind = scene.calls(scene.tester, "somebody is called so");
    scene.reads(behind, "**TestEngineer**");
    scene.discord.renames_role(scene.full_stack, "FullStack");
    let (_, task) = scene.begins(&agent, "again");
    assert_eq!(scene.tasks().len(), 3);
    scene.discord.deletes_role(scene.tester);
    scene.calls(scene.tester, "the role is gone");
    scene.discord.deletes_channel(scene.dev);
    scene.ends_task(&agent, &task, "COMPLETED", "done");
    let why = scene.dead_letter();
    assert!(why.contains("404 (10003): the channel or thread is gone"), "{why}");
    assert_eq!(scene.tasks().len(), 3);
}

#[test]
fn who_loses_the_role_that_allowed_it_may_not_any_more() {
    let scene = Scene::new();
    let request = scene.calls(scene.tester, "with the role");
    scene.reads(request, "**TestEngineer**");
    let developer = scene.discord.view(|view| view.roles_of(scene.guild, scene.ann))[0];
    scene.discord.takes(scene.guild, scene.ann, developer);
    scene.calls(scene.tester, "without it");
    scene.reads(scene.dev, "⛔ You have no role that may call agents; ask an admin.");
    assert_eq!(scene.tasks().len(), 1);
}

#[test]
fn a_status_that_is_too_old_to_be_edited_is_written_anew() {
    let scene = Scene::new();
    let agent = scene.agent();
    let (request, task) = scene.begins(&agent, "implement login");
    scene.reads(request, "works on it");
    scene.discord.later(Duration::from_secs(2 * 60 * 60));
    let progress = json!({ "taskId": task, "status": "PROGRESS", "message": "still at it" });
    agent.calls(&scene.hub, "send_response", &progress);
    let fresh = scene.reads(request, "still at it");
    assert!(!fresh.edited);
}

#[test]
fn an_archived_thread_is_opened_by_what_is_said_in_it_and_buttons_work_in_it() {
    let scene = Scene::new();
    let agent = scene.agent();
    let (request, task) = scene.begins(&agent, "implement login");
    scene.asks(&agent, "Old or new?", &["old", "new"].map(str::to_owned));
    let shown = scene.reads(request, "Old or new?");
    scene.discord.archives(request, false);
    let press = scene.discord.clicks(scene.ann, shown.id, "new").unwrap();
    assert_eq!(scene.told(press), "✅ Answered: new");
    scene.waits("the question without its buttons", |view| {
        view.message(shown.id).filter(|one| one.content.contains("answered: new") && one.controls.is_empty())
    });
    scene.discord.archives(request, false);
    scene.ends_task(&agent, &task, "COMPLETED", "done");
    scene.reads(request, "✅ @FullStack completed");
}

#[test]
fn whatever_an_agent_says_arrives_whole_and_pings_its_author_alone() {
    let scene = Scene::new();
    let agent = scene.agent();
    let hostile = format!("@everyone @here <@&{}> <@1> ||x|| [a](http://b) 🎉 `", scene.full_stack);
    let texts = [
        format!("{hostile}{}", "x".repeat(2_001)),
        format!("{hostile}\n```rust\n{}\n```\nafter", "let a = \"🎉\";\n".repeat(250)),
        format!("{hostile}{}", "🎉y ".repeat(5_000)),
        "`".repeat(2_100),
    ];
    for (at, text) in texts.iter().enumerate() {
        let (request, task) = scene.begins(&agent, &format!("work {at}"));
        scene.ends_task(&agent, &task, "COMPLETED", text);
        scene.signed(request, "✅");
        let said = scene.discord.view(|view| view.messages(request));
        let results = said.iter().filter(|shown| !shown.content.contains("-# asked"));
        assert!(results.clone().count() >= 1);
        for shown in results {
            assert!(shown.pinged.iter().all(|whom| *whom == scene.ann), "{:?}", shown.pinged);
            assert!(shown.content.encode_utf16().count() <= 2_000);
        }
        if text.encode_utf16().count() > 6_000 {
            assert!(
                said.iter().flat_map(|shown| &shown.files).any(|(_, file)| file == text),
                "the whole text is a file"
            );
        }
    }
    let refused = scene.discord.view(|view| view.requests().iter().filter(|one| one.status == 400).count());
    assert_eq!(refused, 0, "nothing was refused");
}

#[test]
fn what_is_forwarded_in_code_or_unreadable_starts_nothing() {
    let scene = Scene::new();
    let call = format!("<@&{}> go", scene.tester);
    let elsewhere = scene.discord.channel(scene.guild, "elsewhere");
    let stranger = scene.discord.member(scene.guild, "bob", &[]);
    scene.discord.leaves(scene.guild, stranger);
    let quoted = scene.discord.says(scene.ann, elsewhere, &format!("see `{call}`"));
    scene.discord.posts(scene.ann, scene.dev, NewMessage { forward: Some(quoted), ..NewMessage::default() });
    scene.discord.says(scene.ann, scene.dev, &format!("```\n{call}\n```"));
    scene.discord.says(scene.ann, scene.dev, &format!("<@&{}>", scene.tester));
    scene.reads(scene.dev, "Say what is to be done");
    let last = scene.calls(scene.tester, "a true one with 🎉");
    scene.reads(last, "**TestEngineer**");
    assert_eq!(scene.tasks().len(), 1);
    let hidden = scene.discord.unmentionable_role(scene.guild, "Full-Stack-Engineer");
    let request = scene.calls(hidden, "a role that nobody is pinged by");
    scene.reads(request, "**FullStack**");
}
