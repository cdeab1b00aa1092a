//! Commands, buttons, selects and forms, from the click to the answer.

use std::time::Duration;

use serde_json::{Value, json};
use twilight_model::application::interaction::{Interaction, InteractionData};
use twilight_model::gateway::event::Event;

use super::kit::{Kit, next, ready};
use crate::discord::{Answer, Impossible};

async fn heard(shard: &mut twilight_gateway::Shard) -> Interaction {
    next(shard, |event| if let Event::InteractionCreate(one) = event { Some(one.0) } else { None }).await
}

async fn answers(kit: &Kit, to: &Interaction, body: Value) -> (u16, Value) {
    kit.call("POST", &format!("/interactions/{}/{}/callback", to.id, to.token), body).await
}

async fn registers(kit: &Kit, commands: Value) -> (u16, Value) {
    let path = format!("/applications/{}/guilds/{}/commands", kit.discord.bot(), kit.guild);
    kit.call("PUT", &path, commands).await
}

#[tokio::test]
async fn a_command_is_registered_used_and_answered_later() {
    let kit = Kit::new().await;
    let unknown = kit.discord.commands(kit.ann, kit.dev, "task", &[]);
    assert_eq!(unknown, Err(Impossible::Command("`task` is not registered here".into())));
    let text =
        |name: &str, required: bool| json!({ "type": 3, "name": name, "description": "d", "required": required });
    let mut agent = text("agent", true);
    agent["autocomplete"] = json!(true);
    let task = json!({ "name": "task", "description": "d", "options": [agent, text("prompt", true)] });
    let menu = json!({ "name": "Assign to agent…", "type": 3 });
    assert_eq!(registers(&kit, json!([task, menu])).await.0, 200);
    let wrong = [
        json!([{ "name": "Task", "description": "d" }]),
        json!([{ "name": "a", "description": "" }]),
        json!([task, task]),
    ];
    for wrong in wrong {
        assert_eq!(registers(&kit, wrong).await.1["code"], 50_035);
    }
    let mut shard = kit.shard();
    ready(&mut shard).await;
    let choosing = kit.discord.autocompletes(kit.ann, kit.dev, "task", &[("agent", "fu")], "agent").unwrap();
    let asked = heard(&mut shard).await;
    assert_eq!(answers(&kit, &asked, json!({ "type": 4, "data": { "content": "a" } })).await.0, 400);
    let choices = json!({ "type": 8, "data": { "choices": [{ "name": "full-stack", "value": "full-stack" }] } });
    assert_eq!(answers(&kit, &asked, choices).await.0, 204);
    assert!(matches!(kit.discord.view(|view| view.answer(choosing)), Some(Answer::Choices(list)) if list.len() == 1));

    assert!(kit.discord.commands(kit.ann, kit.dev, "task", &[("agent", "a")]).is_err(), "the prompt is required");
    let options = [("agent", "full-stack"), ("prompt", "do it")];
    let used = kit.discord.commands(kit.ann, kit.dev, "task", &options).unwrap();
    let asked = heard(&mut shard).await;
    let Some(InteractionData::ApplicationCommand(data)) = &asked.data else { panic!("{asked:?}") };
    assert_eq!((data.name.as_str(), data.options.len()), ("task", 2));
    assert_eq!(answers(&kit, &asked, json!({ "type": 5, "data": { "flags": 64 } })).await.0, 204);
    assert_eq!(answers(&kit, &asked, json!({ "type": 5 })).await.1["code"], 40_060);
    assert_eq!(kit.discord.view(|view| view.reply_of(used)), None, "the bot is thinking");
    let original = format!("/webhooks/{}/{}/messages/@original", kit.discord.bot(), asked.token);
    assert_eq!(kit.call("PATCH", &original, json!({ "content": "queued" })).await.0, 200);
    let shown = kit.discord.view(|view| view.reply_of(used)).unwrap();
    assert_eq!((shown.content.as_str(), shown.only_for), ("queued", Some(kit.ann)));
    let follow = format!("/webhooks/{}/{}", kit.discord.bot(), asked.token);
    assert_eq!(kit.call("POST", &follow, json!({ "content": "for all" })).await.0, 200);
    kit.discord.later(Duration::from_secs(16 * 60));
    assert_eq!(kit.call("POST", &follow, json!({ "content": "late" })).await.1["code"], 50_027);

    let said = kit.discord.says(kit.ann, kit.dev, "a message");
    kit.discord.uses_on(kit.ann, said, "Assign to agent…").unwrap();
    let asked = heard(&mut shard).await;
    let Some(InteractionData::ApplicationCommand(data)) = &asked.data else { panic!("{asked:?}") };
    assert_eq!(data.target_id.map(|id| id.get()), Some(said));
    assert_eq!(data.resolved.as_ref().unwrap().messages.len(), 1);
}

#[tokio::test]
async fn buttons_selects_and_forms_lead_to_answers() {
    let kit = Kit::new().await;
    let mut shard = kit.shard();
    ready(&mut shard).await;
    let button = json!({ "type": 2, "style": 1, "label": "JWT", "custom_id": "a:1" });
    let dead = json!({ "type": 2, "style": 1, "label": "Old", "custom_id": "a:2", "disabled": true });
    let option = |value: &str| json!({ "label": value, "value": value });
    let select =
        json!({ "type": 3, "custom_id": "s", "placeholder": "Choose", "options": [option("one"), option("two")] });
    let rows = json!([{ "type": 1, "components": [button, dead] }, { "type": 1, "components": [select] }]);
    let (_, sent) = kit.posts(json!({ "content": "Which?", "components": rows })).await;
    let sent = sent["id"].as_str().unwrap().parse().unwrap();
    assert_eq!(kit.discord.clicks(kit.ann, sent, "Old"), Err(Impossible::Disabled("Old".into())));
    assert!(kit.discord.clicks(kit.ann, sent, "Sessions").is_err());

    let clicked = kit.discord.clicks(kit.ann, sent, "JWT").unwrap();
    let asked = heard(&mut shard).await;
    assert!(matches!(&asked.data, Some(InteractionData::MessageComponent(data)) if data.custom_id == "a:1"));
    let update = json!({ "type": 7, "data": { "content": "JWT it is", "components": [] } });
    assert_eq!(answers(&kit, &asked, update).await.0, 204);
    assert_eq!(kit.discord.view(|view| view.answer(clicked)), Some(Answer::Update));
    let shown = kit.discord.view(|view| view.message(sent)).unwrap();
    assert_eq!((shown.content.as_str(), shown.controls.len()), ("JWT it is", 0));

    let (_, sent) = kit.posts(json!({ "content": "Which?", "components": rows })).await;
    let sent = sent["id"].as_str().unwrap().parse().unwrap();
    let picked = kit.discord.picks(kit.ann, sent, "Choose", &["two"]).unwrap();
    let asked = heard(&mut shard).await;
    assert!(matches!(&asked.data, Some(InteractionData::MessageComponent(data)) if data.values == ["two"]));
    let input = json!({ "type": 4, "custom_id": "why", "style": 2, "min_length": 2 });
    let label = json!({ "type": 18, "label": "Why?", "component": input });
    let form = json!({ "type": 9, "data": { "custom_id": "m:1", "title": "Answer", "components": [label] } });
    assert_eq!(answers(&kit, &asked, json!({ "type": 9, "data": { "title": "t" } })).await.0, 400);
    assert_eq!(answers(&kit, &asked, form).await.0, 204);
    assert!(kit.discord.submits(picked, &[("Why?", "x")]).is_err(), "too short for the field");
    kit.discord.submits(picked, &[("Why?", "because")]).unwrap();
    let asked = heard(&mut shard).await;
    let Some(InteractionData::ModalSubmit(data)) = &asked.data else { panic!("{asked:?}") };
    assert_eq!(data.custom_id, "m:1");
    kit.discord.later(Duration::from_secs(4));
    assert_eq!(answers(&kit, &asked, json!({ "type": 6 })).await.1["code"], 10_062, "three seconds have passed");
}
