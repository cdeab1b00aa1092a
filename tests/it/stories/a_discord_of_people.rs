//! What people in a channel do beside calling, and agents beside answering: they answer each other's messages, leave,
//! and write what no channel can show.

use callboard_standin::discord::GatewayFault;
use serde_json::json;

use crate::support::discord::Scene;

#[test]
fn a_call_that_answers_somebodys_message_hands_on_what_that_message_says() {
    let scene = Scene::new();
    let agent = scene.agent();
    let bob = scene.discord.member(scene.guild, "bob", &[]);
    let said = scene.discord.says(bob, scene.dev, "the login page shows a stack trace");
    let request = scene.discord.replies(scene.ann, said, &format!("<@&{}> look into this", scene.full_stack)).unwrap();
    scene.reads(request, "**FullStack**");
    let offer = agent.calls(&scene.hub, "wait_for_prompt", &json!({ "timeout": 30 }));
    assert_eq!(offer["prompt"], "look into this", "{offer}");
    let to = json!({ "author": "bob", "text": "the login page shows a stack trace" });
    assert_eq!(offer["context"]["repliedTo"], to, "{offer}");
}

#[test]
fn what_somebody_wrote_who_left_before_it_was_read_back_starts_nothing() {
    let scene = Scene::new();
    let before = scene.calls(scene.tester, "first");
    scene.reads(before, "**TestEngineer**");
    let developer = scene.discord.view(|view| view.roles_of(scene.guild, scene.ann))[0];
    let bob = scene.discord.member(scene.guild, "bob", &[developer]);
    let (guild, dev, role) = (scene.guild, scene.dev, scene.tester);
    let mut missed = 0;
    let scene = scene.restarts(|discord| {
        discord.gateway_fault(GatewayFault::ForgetSessions);
        missed = discord.says(bob, dev, &format!("<@&{role}> second"));
        discord.leaves(guild, bob);
    });
    let refusal = scene.reads(dev, "⛔ You have no role that may call agents; ask an admin.");
    assert_eq!(refusal.reply_to, Some(missed));
    let after = scene.calls(scene.tester, "third");
    scene.reads(after, "**TestEngineer**");
    assert_eq!(scene.tasks().len(), 2);
}

#[test]
fn a_press_of_somebody_who_left_answers_nothing() {
    let scene = Scene::new();
    let agent = scene.agent();
    let developer = scene.discord.view(|view| view.roles_of(scene.guild, scene.ann))[0];
    let bob = scene.discord.member(scene.guild, "bob", &[developer]);
    let (request, _) = scene.begins(&agent, "implement login");
    let question = scene.asks(&agent, "Old or new?", &["old", "new"].map(str::to_owned));
    let shown = scene.reads(request, "Old or new?");
    scene.discord.leaves(scene.guild, bob);
    let press = scene.discord.clicks(bob, shown.id, "old").unwrap();
    let told = scene.waits("what came of it", |view| view.reply_of(press)).content;
    assert!(told.starts_with("⛔ You may not answer"), "{told}");
    let known = scene.hub.get(&format!("/api/v1/questions/{question}")).1;
    assert_eq!(known["resolution"], json!(null), "{known}");
}

#[test]
fn what_no_channel_can_show_is_dropped_and_the_rest_arrives() {
    let scene = Scene::new();
    let agent = scene.agent();
    let (request, task) = scene.begins(&agent, "implement login");
    // Two options that are one when seen are refused before anybody sees them.
    let ask = json!({ "question": "Which?", "options": ["old", "old"], "default_action": "old", "wait_seconds": 0 });
    let (status, refused) = scene.hub.post_as(agent.token(), "/api/v1/tools/request_input", &ask);
    assert!(status == 400 && refused.to_string().contains("`options` has `old` twice"), "{refused}");
    let options = ["o\u{0}ld", "new"].map(str::to_owned);
    scene.asks(&agent, "Which\u{0} one\u{200b}?", &options);
    let shown = scene.reads(request, "Which one?");
    assert_eq!(shown.controls, ["old", "new", "Use default"]);
    scene.ends_task(&agent, &task, "COMPLETED", "It\u{0} works\u{7}\u{202e}, all of it.");
    let result = scene.reads(request, "✅ @FullStack completed");
    assert!(result.content.contains("It works, all of it."), "{:?}", result.content);
    let bodies = scene.discord.view(|view| view.requests());
    assert!(bodies.iter().all(|one| one.status != 400 && !one.body.to_string().contains("\\u0000")));
}
