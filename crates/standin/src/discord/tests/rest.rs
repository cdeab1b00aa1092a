//! Messages, threads, reactions and commands, by twilight and past its checks.

use serde_json::{Value, json};
use std::time::Duration;
use twilight_http::request::channel::reaction::RequestReactionType;
use twilight_model::channel::message::AllowedMentions;
use twilight_model::http::attachment::Attachment;

use super::kit::{Kit, id, refusal};
use crate::discord::bits;

#[tokio::test]
async fn twilight_reads_what_it_asks_for() {
    let kit = Kit::new().await;
    let http = &kit.http;
    assert_eq!(http.current_user().await.unwrap().model().await.unwrap().name, "Callboard");
    assert_eq!(http.current_user_application().await.unwrap().model().await.unwrap().id, id(kit.discord.bot()));
    let gateway = http.gateway().authed().await.unwrap().model().await.unwrap();
    assert_eq!((gateway.session_start_limit.remaining, gateway.shards), (1_000, 1));
    assert_eq!(http.guild(id(kit.guild)).await.unwrap().model().await.unwrap().name, "Acme");
    assert_eq!(http.roles(id(kit.guild)).await.unwrap().models().await.unwrap().len(), 2);
    assert_eq!(http.guild_channels(id(kit.guild)).await.unwrap().models().await.unwrap().len(), 1);
    let member = http.guild_member(id(kit.guild), id(kit.ann)).await.unwrap().model().await.unwrap();
    assert_eq!(member.roles, [id(kit.role)]);
    assert_eq!(http.current_user_guilds().await.unwrap().models().await.unwrap().len(), 1);
    assert_eq!(http.active_threads(id(kit.guild)).await.unwrap().model().await.unwrap().threads.len(), 0);
    let direct = http.create_private_channel(id(kit.ann)).await.unwrap().model().await.unwrap();
    http.create_message(direct.id).content("hello").await.unwrap().model().await.unwrap();
    let shown = kit.discord.view(|view| view.transcript(direct.id.get()));
    assert_eq!(shown, "Callboard: hello\n");
}

#[tokio::test]
async fn a_message_gets_a_thread_a_reaction_a_file_and_an_edit() {
    let kit = Kit::new().await;
    let (http, dev) = (&kit.http, id(kit.dev));
    let said = kit.discord.says(kit.ann, kit.dev, "do it");
    http.create_reaction(dev, id(said), &RequestReactionType::Unicode { name: "👀" }).await.unwrap();
    let thread =
        http.create_thread_from_message(dev, id(said), "FullStack: do it").await.unwrap().model().await.unwrap();
    assert_eq!(thread.id.get(), said, "a thread has the id of its message");
    let again = http.create_thread_from_message(dev, id(said), "again").await.unwrap_err();
    assert_eq!(refusal(&again), (400, 160_004));
    let file = Attachment::from_bytes("log.txt".into(), b"it \x00 worked".to_vec(), 1);
    let mentions = AllowedMentions { users: vec![id(kit.ann)], ..AllowedMentions::default() };
    let text = format!("done <@{}> <@&{}>", kit.ann, kit.role);
    let message = http.create_message(thread.id).content(&text);
    let sent = message.allowed_mentions(Some(&mentions)).attachments(&[file]).await.unwrap().model().await.unwrap();
    assert_eq!(sent.attachments[0].filename, "log.txt");
    http.update_message(thread.id, sent.id).content(Some("done, really")).await.unwrap().model().await.unwrap();
    let request = http.message(dev, id(said)).await.unwrap().model().await.unwrap();
    assert!(request.reactions[0].me);

    let shown = kit.discord.view(|view| view.messages(said));
    assert_eq!((shown[0].content.as_str(), shown[0].edited), ("done, really", true));
    assert_eq!(shown[0].pinged, [kit.ann], "only who is allowed hears a sound");
    assert_eq!(shown[0].files, [("log.txt".to_owned(), "it \0 worked".to_owned())]);
    assert_eq!(kit.discord.view(|view| view.message(said)).unwrap().reactions, [("👀".to_owned(), 1)]);
    assert_eq!(kit.discord.view(|view| view.thread_of(said)), Some(said));
}

#[tokio::test]
async fn a_gap_is_read_back_in_pages() {
    let kit = Kit::new().await;
    let said: Vec<_> = (0..5).map(|at| kit.discord.says(kit.ann, kit.dev, &at.to_string())).collect();
    let page =
        kit.http.channel_messages(id(kit.dev)).after(id(said[1])).limit(2).await.unwrap().models().await.unwrap();
    assert_eq!(page.iter().map(|one| one.id.get()).collect::<Vec<_>>(), [said[3], said[2]], "the oldest, newest first");
    let last = kit.http.channel_messages(id(kit.dev)).limit(1).await.unwrap().models().await.unwrap();
    assert_eq!(last[0].id.get(), said[4]);
}

#[tokio::test]
async fn what_discord_refuses_is_refused_with_its_code_and_its_place() {
    let kit = Kit::new().await;
    let button = |label: &str, custom: &str| json!({ "type": 2, "style": 1, "label": label, "custom_id": custom });
    let row = |inside: Value| json!({ "content": "a", "components": [{ "type": 1, "components": inside }] });
    let wrong = [
        (json!({ "content": "x".repeat(2_001) }), 50_035, "/errors/content"),
        (json!({ "content": " \n" }), 50_006, ""),
        (json!({}), 50_006, ""),
        (row(json!([button("a", "1"), button("b", "1")])), 50_035, "/errors/components/0/components/1/custom_id"),
        (row(json!([button(&"x".repeat(81), "1")])), 50_035, "/errors/components/0/components/0/label"),
        (row(json!([button("a", &"x".repeat(101))])), 50_035, "/errors/components/0/components/0/custom_id"),
        (json!({ "content": "a", "nonce": "x".repeat(26) }), 50_035, "/errors/nonce"),
        (json!({ "content": "a", "flags": 1 }), 50_035, "/errors/flags"),
        (json!({ "content": "a", "flags": 1 << 15 }), 50_035, "/errors/content"),
        (json!({ "content": "a", "message_reference": { "message_id": "1" } }), 50_035, "/errors/message_reference"),
        (json!({ "content": "a", "allowed_mentions": { "parse": ["all"] } }), 50_035, "/errors/allowed_mentions"),
        (json!({ "content": "a", "embeds": [{ "title": "x".repeat(257) }] }), 50_035, "/errors/embeds/0/title"),
    ];
    for (body, code, place) in wrong {
        let (status, answer) = kit.posts(body.clone()).await;
        assert_eq!((status, &answer["code"]), (400, &json!(code)), "{body}: {answer}");
        assert!(answer.pointer(place).is_some(), "{place} in {answer}");
    }
    assert!(kit.discord.view(|view| view.messages(kit.dev)).is_empty(), "nothing of it was sent");
    let (status, _) = kit.posts(json!({ "content": "x".repeat(2_000) })).await;
    assert_eq!(status, 200);
    assert_eq!(kit.call("GET", "/channels/abc", Value::Null).await.0, 400);
    assert_eq!(kit.call("GET", "/channels/1", Value::Null).await.1["code"], 10_003);
    assert_eq!(kit.call("GET", "/nowhere", Value::Null).await.0, 404);
    assert_eq!(kit.call("PUT", "/gateway", Value::Null).await.0, 405);
}

#[tokio::test]
async fn a_nonce_that_is_enforced_sends_once() {
    let kit = Kit::new().await;
    let body = json!({ "content": "once", "nonce": 17, "enforce_nonce": true });
    let (_, first) = kit.posts(body.clone()).await;
    let (status, second) = kit.posts(body).await;
    assert_eq!((status, &first["id"]), (200, &second["id"]));
    let (_, loose) = kit.posts(json!({ "content": "once", "nonce": 17 })).await;
    assert_ne!(first["id"], loose["id"], "a nonce alone enforces nothing");
    assert_eq!(kit.discord.view(|view| view.messages(kit.dev)).len(), 2);
}

#[tokio::test]
async fn each_permission_is_asked_for() {
    let kit = Kit::new().await;
    let said = kit.discord.says(kit.ann, kit.dev, "here");
    let messages = format!("/channels/{}/messages", kit.dev);
    let react = format!("{messages}/{said}/reactions/%E2%9C%85/@me");
    let thread = format!("{messages}/{said}/threads");
    let calls = [
        (bits::VIEW_CHANNEL, "POST", &messages, json!({ "content": "a" }), 50_001),
        (bits::SEND_MESSAGES, "POST", &messages, json!({ "content": "a" }), 50_013),
        (bits::ADD_REACTIONS, "PUT", &react, Value::Null, 50_013),
        (bits::CREATE_PUBLIC_THREADS, "POST", &thread, json!({ "name": "t" }), 50_013),
    ];
    for (permission, method, path, body, code) in &calls {
        kit.discord.denies(kit.dev, *permission);
        let (status, answer) = kit.call(method, path, body.clone()).await;
        assert_eq!((status, &answer["code"]), (403, &json!(code)), "{method} {path}");
    }
    kit.discord.denies(kit.dev, bits::READ_MESSAGE_HISTORY);
    assert_eq!(kit.call("GET", &messages, Value::Null).await, (200, json!([])), "without history there is nothing");
    kit.discord.denies(kit.dev, 0);
    for (_, method, path, body, _) in &calls {
        assert!(kit.call(method, path, body.clone()).await.0 < 300, "{method} {path}");
    }
    kit.discord.denies(kit.dev, bits::SEND_MESSAGES_IN_THREADS);
    let in_thread = format!("/channels/{said}/messages");
    assert_eq!(kit.call("POST", &in_thread, json!({ "content": "a" })).await.1["code"], 50_013);
    kit.discord.kicks_bot(kit.guild);
    assert_eq!(kit.call("GET", &format!("/guilds/{}", kit.guild), Value::Null).await.1["code"], 10_004);
    assert_eq!(kit.posts(json!({ "content": "a" })).await.1["code"], 50_001);
}

#[tokio::test]
async fn old_messages_archived_and_locked_threads_and_closed_direct_channels_are_refused() {
    let kit = Kit::new().await;
    let said = kit.discord.says(kit.ann, kit.dev, "here");
    let (_, thread) =
        kit.call("POST", &format!("/channels/{}/messages/{said}/threads", kit.dev), json!({ "name": "t" })).await;
    let messages = format!("/channels/{}/messages", thread["id"].as_str().unwrap());
    let (_, sent) = kit.call("POST", &messages, json!({ "content": "a" })).await;
    let edit = format!("{messages}/{}", sent["id"].as_str().unwrap());
    kit.discord.archives(said, false);
    assert_eq!(kit.call("PATCH", &edit, json!({ "content": "b" })).await.1["code"], 50_083);
    assert_eq!(kit.call("POST", &messages, json!({ "content": "opens it again" })).await.0, 200);
    assert_eq!(kit.call("PATCH", &edit, json!({ "content": "b" })).await.0, 200);
    kit.discord.archives(said, true);
    assert_eq!(kit.call("POST", &messages, json!({ "content": "a" })).await.1["code"], 50_083);
    let (_, new) = kit.posts(json!({ "content": "a" })).await;
    let edit = format!("/channels/{}/messages/{}", kit.dev, new["id"].as_str().unwrap());
    kit.discord.later(Duration::from_secs(59 * 60));
    assert_eq!(kit.call("PATCH", &edit, json!({ "content": "b" })).await.0, 200);
    kit.discord.later(Duration::from_secs(2 * 60));
    assert_eq!(kit.call("PATCH", &edit, json!({ "content": "c" })).await.1["code"], 30_046);
    let direct = kit.http.create_private_channel(id(kit.ann)).await.unwrap().model().await.unwrap();
    kit.discord.closes_direct(kit.ann);
    let refused = kit.http.create_message(direct.id).content("hello").await.unwrap_err();
    assert_eq!(refusal(&refused), (403, 50_007));
    let others = format!("/channels/{}/messages/{said}", kit.dev);
    assert_eq!(kit.call("PATCH", &others, json!({ "content": "mine" })).await.1["code"], 50_005);
    assert_eq!(kit.call("DELETE", &others, Value::Null).await.1["code"], 50_013);
}
