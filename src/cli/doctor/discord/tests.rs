//! The check against the stand-in: what is found, in words and as a code.

use secrecy::SecretString;

use super::super::finding::{Finding, State};
use super::with;
use crate::settings::{LoadRequest, Permissions, Settings, Snowflake, load};
use callboard_standin::discord::{Discord, RestFault, RestRule, bits};

/// A guild where all is well, and the settings that fit it.
async fn well() -> (Discord, u64, u64, Settings) {
    drop(rustls::crypto::ring::default_provider().install_default());
    let discord = Discord::start().await.unwrap();
    let guild = discord.guild("Acme");
    let dev = discord.channel(guild, "dev");
    let mut settings = load(&LoadRequest::default()).unwrap().settings;
    let names: Vec<_> = settings.roles.roles.values().map(|role| role.display_name.clone()).collect();
    for name in names {
        _ = discord.role(guild, &name);
    }
    let lead = discord.role(guild, "lead");
    settings.hub.discord.api_base = Some(discord.api_base());
    let grant = serde_json::json!({ "canAssignTo": ["*"] });
    settings.permissions.roles.insert(lead.to_string(), serde_json::from_value(grant).unwrap());
    (discord, guild, dev, settings)
}

async fn look(discord: &Discord, settings: &Settings) -> Vec<Finding> {
    with(settings, SecretString::from(discord.token())).await
}

fn not_good(findings: &[Finding]) -> Vec<String> {
    findings.iter().filter(|finding| finding.state() != State::Good).map(Finding::words).collect()
}

#[tokio::test]
async fn a_guild_where_all_is_well_has_nothing_to_say_but_good() {
    let (discord, _, _, settings) = well().await;
    let findings = look(&discord, &settings).await;
    assert_eq!(not_good(&findings), [""; 0]);
    let words: String = findings.iter().map(|finding| finding.words() + "\n").collect();
    assert!(words.contains("it is the token of the bot `Callboard`"), "{words}");
    assert!(
        words.contains(&format!("client_id={}&scope=bot%20applications.commands&permissions=", discord.bot())),
        "{words}"
    );
    assert!(!words.contains(&discord.token()), "the token is never shown");
}

#[tokio::test]
async fn what_is_missing_is_named_with_its_channel_and_what_to_do() {
    let (discord, guild, dev, settings) = well().await;
    discord.denies(dev, bits::ADD_REACTIONS | bits::CREATE_PUBLIC_THREADS);
    let words = not_good(&look(&discord, &settings).await).join("\n");
    assert!(words.contains("discord channel Acme#dev: the bot lacks Add Reactions, Create Public Threads"), "{words}");
    discord.denies(dev, bits::SEND_MESSAGES);
    let findings = look(&discord, &settings).await;
    assert!(findings.iter().any(|one| one.state() == State::Wrong), "{:?}", not_good(&findings));
    discord.denies(dev, bits::VIEW_CHANNEL);
    let words = not_good(&look(&discord, &settings).await).join("\n");
    assert!(words.contains("there is no text channel where the hub could listen; it does not see 1 others"), "{words}");
    discord.kicks_bot(guild);
    let words = not_good(&look(&discord, &settings).await).join("\n");
    assert!(
        words.contains("the bot is in no guild (NO_GUILD)\n      next: invite it: https://discord.com/oauth2"),
        "{words}"
    );
}

#[tokio::test]
async fn intents_roles_and_rights_that_do_not_fit_are_told() {
    let (discord, guild, _, mut settings) = well().await;
    discord.switches_message_content(false);
    let words = not_good(&look(&discord, &settings).await).join("\n");
    assert!(
        words.contains("Message Content Intent is off: Discord will close the gateway with 4014 (INTENT_OFF)"),
        "{words}"
    );
    settings.hub.discord.message_content = false;
    assert_eq!(not_good(&look(&discord, &settings).await), [""; 0]);

    let grant = serde_json::json!({ "canAssignTo": ["*"] });
    settings.permissions.roles.insert("nobody has it".into(), serde_json::from_value(grant).unwrap());
    settings.hub.discord.guilds = vec![Snowflake(guild), Snowflake(17)];
    let words = not_good(&look(&discord, &settings).await).join("\n");
    assert!(words.contains("no guild has a role `nobody has it`"), "{words}");
    assert!(words.contains("`discord.guilds` names `17`, where the bot is not (NOT_IN_GUILD)"), "{words}");
    settings.hub.discord.guilds.clear();
    let words_of_names = not_good(&look(&discord, &settings).await).join("\n");
    assert!(
        words_of_names.contains("NAMES_GIVE_NOTHING") && words_of_names.contains("discord.guilds"),
        "{words_of_names}"
    );
    settings.permissions = Permissions::default();
    let words = not_good(&look(&discord, &settings).await).join("\n");
    assert!(words.contains("nobody may do anything from Discord (NOBODY_MAY)"), "{words}");
}

#[tokio::test]
async fn a_token_that_was_reset_and_a_discord_that_is_down_are_told_apart() {
    let (discord, _, _, settings) = well().await;
    let findings = with(&settings, SecretString::from("old")).await;
    assert_eq!(findings.len(), 1, "nothing more is asked with it");
    assert!(findings[0].words().contains("Discord refuses the token"), "{}", findings[0].words());
    discord.fault(RestRule::any(), RestFault::Html502);
    let findings = look(&discord, &settings).await;
    assert!(findings[0].words().contains("Discord answers 502"), "{}", findings[0].words());
    discord.fault(RestRule::any(), RestFault::ResetBefore);
    let findings = look(&discord, &settings).await;
    assert_eq!(findings[0].exit(), Some(crate::cli::exit::Exit::Unreachable), "{}", findings[0].words());
}
