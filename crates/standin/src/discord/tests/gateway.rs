//! Connecting, listening, resuming.

use std::time::Duration;

use twilight_gateway::{EventTypeFlags, Intents, ShardState, StreamExt as _};
use twilight_model::gateway::event::Event;

use super::kit::{INTENTS, Kit, id, message, next, ready};
use crate::discord::{GatewayFault, NewMessage};

#[tokio::test]
async fn a_session_hears_the_server_and_what_is_said_in_it() {
    let kit = Kit::new().await;
    let mut shard = kit.shard();
    let guild = next(&mut shard, |event| if let Event::GuildCreate(guild) = event { Some(*guild) } else { None }).await;
    let twilight_model::gateway::payload::incoming::GuildCreate::Available(guild) = guild else { panic!("no outage") };
    assert_eq!((guild.name.as_str(), guild.id), ("Acme", id(kit.guild)));
    assert!(guild.roles.iter().any(|role| role.name == "FullStack" && role.mentionable));
    assert!(guild.channels.iter().any(|channel| channel.name.as_deref() == Some("dev")));

    let said = kit.discord.says(kit.ann, kit.dev, &format!("<@&{}> implement login `<@&{0}>`", kit.role));
    let heard = message(&mut shard).await;
    assert_eq!((heard.id, heard.author.name.as_str()), (id(said), "ann"));
    assert_eq!(heard.mention_roles, [id(kit.role)]);
    assert!(heard.member.as_ref().is_some_and(|member| member.roles == [id(kit.role)]));

    let reply = kit.discord.replies(kit.ann, said, "and logout").unwrap();
    let heard = message(&mut shard).await;
    assert_eq!(heard.referenced_message.as_ref().map(|message| message.id), Some(id(said)));

    let forward = NewMessage { forward: Some(reply), ..NewMessage::default() };
    kit.discord.posts(kit.ann, kit.dev, forward);
    let heard = message(&mut shard).await;
    assert_eq!((heard.content.as_str(), heard.message_snapshots[0].message.content.as_str()), ("", "and logout"));

    kit.discord.edits(said, "<@&1> nothing");
    let edited =
        next(&mut shard, |event| if let Event::MessageUpdate(message) = event { Some(*message) } else { None }).await;
    assert!(edited.edited_timestamp.is_some() && edited.mention_roles.is_empty());
    kit.discord.unfurls(said);
    let shown =
        next(&mut shard, |event| if let Event::MessageUpdate(message) = event { Some(*message) } else { None }).await;
    assert_eq!(shown.embeds.len(), 1);
    kit.discord.deletes(said);
    let gone =
        next(&mut shard, |event| if let Event::MessageDelete(gone) = event { Some(gone.id) } else { None }).await;
    assert_eq!(gone, id(said));
}

#[tokio::test]
async fn without_the_intent_only_what_is_for_the_bot_has_a_text() {
    let kit = Kit::new().await;
    let mut shard = kit.shard_with(INTENTS - Intents::MESSAGE_CONTENT);
    ready(&mut shard).await;
    kit.discord.says(kit.ann, kit.dev, &format!("<@&{}> secret", kit.role));
    let heard = message(&mut shard).await;
    assert_eq!((heard.content.as_str(), heard.mention_roles.as_slice()), ("", [id(kit.role)].as_slice()));
    kit.discord.says(kit.ann, kit.dev, &format!("<@{}> for you", kit.discord.bot()));
    assert!(message(&mut shard).await.content.ends_with("for you"));
    kit.discord.direct(kit.ann, "between us");
    assert_eq!(message(&mut shard).await.content, "between us");
}

#[tokio::test]
async fn an_intent_that_is_off_a_wrong_token_and_a_reset_token_end_the_shard() {
    let kit = Kit::new().await;
    kit.discord.switches_message_content(false);
    for (mut shard, code) in [(kit.shard(), 4_014), (wrong_token(&kit), 4_004)] {
        let frame =
            next(&mut shard, |event| if let Event::GatewayClose(frame) = event { Some(frame) } else { None }).await;
        assert_eq!(frame.map(|frame| frame.code), Some(code));
        assert!(shard.next_event(EventTypeFlags::all()).await.is_none(), "the stream ends");
        assert_eq!(shard.state(), ShardState::FatallyClosed);
    }
    let mut shard = kit.shard_with(Intents::GUILDS);
    ready(&mut shard).await;
    kit.discord.gateway_fault(GatewayFault::ResetToken("another".into()));
    while shard.next_event(EventTypeFlags::all()).await.is_some() {}
    assert_eq!(kit.call("GET", "/users/@me", serde_json::Value::Null).await.0, 200, "the kit asks for the new token");
}

fn wrong_token(kit: &Kit) -> twilight_gateway::Shard {
    let config = twilight_gateway::ConfigBuilder::new("wrong".into(), Intents::GUILDS);
    let config = config.proxy_url(kit.discord.gateway_url()).build();
    twilight_gateway::Shard::with_config(twilight_gateway::ShardId::ONE, config)
}

#[tokio::test]
async fn what_happens_while_the_connection_is_gone_is_replayed() {
    let faults = [
        GatewayFault::DropTcp,
        GatewayFault::Reconnect,
        GatewayFault::InvalidSession(true),
        GatewayFault::Close(4_000),
    ];
    let kit = Kit::new().await;
    let mut shard = kit.shard();
    ready(&mut shard).await;
    for (at, fault) in faults.into_iter().enumerate() {
        kit.discord.gateway_fault(fault.clone());
        if fault != GatewayFault::Reconnect {
            kit.discord.says(kit.ann, kit.dev, &format!("missed {at}"));
            assert_eq!(message(&mut shard).await.content, format!("missed {at}"), "{fault:?}");
        }
        kit.discord.view(|view| view.counts());
        kit.discord.says(kit.ann, kit.dev, &format!("heard {at}"));
        assert_eq!(message(&mut shard).await.content, format!("heard {at}"), "{fault:?}");
    }
    let counts = kit.discord.view(|view| view.counts());
    assert_eq!(counts.identifies, 1, "{counts:?}");
    assert!(counts.resumes >= 3, "{counts:?}");
}

#[tokio::test]
async fn a_zombie_is_noticed_by_its_heartbeats_and_loses_nothing() {
    let options = crate::discord::Options { heartbeat: Duration::from_millis(300), ..Default::default() };
    let kit = Kit::with(options).await;
    let mut shard = kit.shard();
    ready(&mut shard).await;
    kit.discord.gateway_fault(GatewayFault::Zombie);
    kit.discord.says(kit.ann, kit.dev, "into the void");
    assert_eq!(message(&mut shard).await.content, "into the void");
    let counts = kit.discord.view(|view| view.counts());
    assert_eq!((counts.identifies, counts.resumes), (1, 1));
}

#[tokio::test]
async fn malformed_unknown_and_doubled_events_pass_by() {
    let kit = Kit::new().await;
    let mut shard = kit.shard();
    ready(&mut shard).await;
    for fault in
        [GatewayFault::Malformed, GatewayFault::Unknown, GatewayFault::WantHeartbeat, GatewayFault::Duplicate(1)]
    {
        kit.discord.gateway_fault(fault);
    }
    kit.discord.says(kit.ann, kit.dev, "twice");
    assert_eq!(message(&mut shard).await.id, message(&mut shard).await.id);
}

#[tokio::test]
async fn a_forgotten_session_is_identified_anew() {
    let kit = Kit::new().await;
    let mut shard = kit.shard();
    ready(&mut shard).await;
    kit.discord.gateway_fault(GatewayFault::ForgetSessions);
    kit.discord.gateway_fault(GatewayFault::DropTcp);
    ready(&mut shard).await;
    assert_eq!(kit.discord.view(|view| view.counts()).identifies, 2);
}
