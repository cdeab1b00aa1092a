//! `callboard-bench discord`: the proof with Discord.
//!
//! The real hub is connected to a stand-in of Discord on loopback; an agent is a real MCP client, and Ann writes and
//! presses as the stand-in's people do.
//!
//! ```text
//!   Ann: @FullStack implement login ──► thread and status ──► the agent asks ──► Ann presses ──► result in the thread
//! ```
//!
//! A step counts once it was seen: in what the stand-in received, or in what the agent's calls returned. The round is
//! whole when every step was; what is missing is named. At the end the channel is printed as Discord would show it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use callboard::cli::demo::scene::{ANSWER, ASKED, DONE, FIRST, OTHERWISE, PROGRESS, QUESTION};
use callboard::cli::demo::{Agent, Era, all_wait, expect, is_over, look_inside, token_for};
use callboard::cli::problem::Problem;
use callboard::domain::task::RightsSet;
use callboard::hub::{Hub, HubOptions};
use callboard::settings::{Grant, Permissions, Settings, Snowflake, SystemPrompts};
use callboard_standin::discord::{Discord, Id, ShownMessage, View};
use clap::Args;
use secrecy::SecretString;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

/// How long the whole round may take.
const LIMIT: Duration = Duration::from_secs(30);
/// How long the agent's wait blocks, in seconds: longer than the round.
const WAIT: u64 = 45;
/// How long Ann reads a question before she presses.
const READS: Duration = Duration::from_millis(500);

/// Play one round with a stand-in of Discord: a mention, a question with buttons, a result in the thread
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cargo run -p callboard-bench -- discord           the hub stays up, with the stand-in beside it
  cargo run -p callboard-bench -- discord --exit    the same as a check: ends with 0 when every step was seen")]
pub struct DiscordDemoArgs {
    /// End when the round is over
    #[arg(long)]
    exit: bool,
}

/// Plays the round against a hub of its own, in a temporary folder and on any free port.
///
/// # Errors
/// When a step was not seen, or not as it had to be: with what is missing.
pub fn run(args: &DiscordDemoArgs) -> Result<(), Problem> {
    let data = tempfile::tempdir()?;
    let mut settings = Settings::defaults();
    settings.hub.data_dir = data.path().to_owned();
    settings.hub.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let options = HubOptions {
        settings,
        config_dir: None,
        system_prompts: SystemPrompts::load(None)?,
        ephemeral: true,
        discord_token: None,
        tracker_token: None,
        forge_token: None,
        store_password: None,
        owned: None,
    };
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(plays(options, args.exit))
}

async fn plays(mut options: HubOptions, exit: bool) -> Result<(), Problem> {
    let chat = Chat::open(&mut options).await?;
    let hub = Hub::start(options).await.map_err(|error| Problem::failed(error.to_string()))?;
    let task = chat.play(&hub).await?;
    let ended = if exit {
        is_over()
    } else {
        look_inside(&hub, &task, false).await?;
        tokio::signal::ctrl_c().await.map_err(Problem::from)
    };
    hub.end().await;
    ended
}

/// A step of the round, in the order of the story.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Connected,
    Registered,
    Seen,
    Thread,
    Status,
    Delivered,
    Asked,
    Pressed,
    Answered,
    Closed,
    Progress,
    Result,
    Signed,
}

impl Step {
    const ALL: [Self; 13] = [
        Self::Connected,
        Self::Registered,
        Self::Seen,
        Self::Thread,
        Self::Status,
        Self::Delivered,
        Self::Asked,
        Self::Pressed,
        Self::Answered,
        Self::Closed,
        Self::Progress,
        Self::Result,
        Self::Signed,
    ];

    /// As it is printed, and as it is named when it is missing.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Connected => ("connected", "the hub's commands in the server"),
            Self::Registered => ("registered", "the agent registered and waiting"),
            Self::Seen => ("seen", "the sign 👀 on the request"),
            Self::Thread => ("thread", "a thread for the task"),
            Self::Status => ("status", "a status message in the thread"),
            Self::Delivered => ("delivered", "the task delivered to the agent, as asked from Discord"),
            Self::Asked => ("asked", "the agent's question in the thread, with buttons"),
            Self::Pressed => ("pressed", "what came of the press, for Ann alone"),
            Self::Answered => ("answered", "the answer heard by the agent, as a human's"),
            Self::Closed => ("closed", "the question edited: its answer, and no buttons"),
            Self::Progress => ("progress", "the agent's progress in the status message"),
            Self::Result => ("result", "the result in the thread, which pings Ann alone"),
            Self::Signed => ("signed", "the sign ✅ on the request"),
        }
    }
}

/// What was seen so far.
#[derive(Debug, Default)]
struct SeenSteps(RefCell<BTreeSet<Step>>);

impl SeenSteps {
    /// A step was seen, so long after `since`.
    fn of(&self, step: Step, since: Instant, what: &str) -> Result<(), Problem> {
        self.0.borrow_mut().insert(step);
        let took = format!("{:.1} ms", since.elapsed().as_secs_f64() * 1000.0);
        say(&format!("  {:<13}{took:>9}  {what}", step.words().0))
    }

    fn missing(&self) -> Vec<&'static str> {
        let seen = self.0.borrow();
        Step::ALL.into_iter().filter(|step| !seen.contains(step)).map(|step| step.words().1).collect()
    }
}

/// A stand-in of Discord with a server, a role that calls the agent, and Ann.
struct Chat {
    discord: Discord,
    guild: Id,
    role: Id,
    channel: Id,
    ann: Id,
}

impl Chat {
    /// Opens the stand-in, and leads a hub that is to be started there: neither settings of its files nor a token of
    /// its environment reach Discord.
    async fn open(options: &mut HubOptions) -> Result<Self, Problem> {
        let discord = Discord::start().await?;
        let guild = discord.guild("Acme");
        let role = discord.role(guild, FIRST.name);
        let developer = discord.role(guild, "developer");
        let channel = discord.channel(guild, "dev");
        let ann = discord.member(guild, "ann", &[developer]);
        let settings = &mut options.settings;
        settings.hub.discord = Settings::defaults().hub.discord;
        settings.hub.discord.api_base = Some(discord.api_base());
        settings.hub.discord.gateway_url = Some(discord.gateway_url());
        settings.hub.discord.guilds = vec![Snowflake(guild)];
        let nobody = RightsSet::Only(BTreeSet::new());
        let grant = Grant {
            can_assign_to: RightsSet::All,
            can_answer: None,
            can_approve: Some(RightsSet::All),
            can_cancel: None,
            deny: nobody,
        };
        let roles = [("developer".to_owned(), grant)].into();
        settings.permissions = Permissions { roles, users: [].into() };
        options.discord_token = Some(SecretString::from(discord.token()));
        Ok(Self { discord, guild, role, channel, ann })
    }

    /// Plays the round, prints the channel, and gives the task's id.
    ///
    /// # Errors
    /// When a step was not seen, or not as it had to be: with what is missing.
    async fn play(&self, hub: &Hub) -> Result<String, Problem> {
        let sight = SeenSteps::default();
        let (base, token, channel) = (self.discord.api_base(), self.discord.token(), self.channel);
        say(&format!(
            "a stand-in of Discord is there as long as the hub; a thread has the id of the message that it began at:
  curl -s -H \"Authorization: Bot {token}\" {base}/api/v10/channels/{channel}/messages"
        ))?;
        let end = timeout(LIMIT, self.round(hub, &sight)).await;
        let missing = sight.missing().join(", ");
        match end {
            Ok(Ok((task, request))) if missing.is_empty() => {
                say(&self.discord.view(|view| self.shown(view, request)))?;
                Ok(task)
            }
            Ok(Ok(_)) => Err(Problem::failed(format!("the round is not whole: missing are {missing}"))),
            Ok(Err(problem)) => Err(problem.also(&format!("missing are: {missing}"))),
            Err(_) => Err(Problem::failed(format!("the round took longer than {LIMIT:?}"))
                .because(format!("missing are: {missing}"))),
        }
    }

    async fn round(&self, hub: &Hub, sight: &SeenSteps) -> Result<(String, Id), Problem> {
        let (discord, began) = (&self.discord, Instant::now());
        self.sees(|view| (!view.commands(self.guild).is_empty()).then_some(())).await;
        sight.of(Step::Connected, began, "the hub is in the server `Acme` of a stand-in, and set its commands")?;

        let began = Instant::now();
        let me = Agent::connect(FIRST, hub.url(), &token_for(hub, FIRST)?, Era::Session).await?;
        let known = json!({ "agentId": FIRST.id, "role": FIRST.role, "displayName": FIRST.name, "capabilities": [] });
        me.calls("register_agent", known).await?;
        let calling = async {
            all_wait(hub, &[FIRST.id]).await?;
            sight.of(Step::Registered, began, &format!("{} as {}, and waits", FIRST.id, FIRST.role))?;
            let began = Instant::now();
            let request = discord.says(self.ann, self.channel, &format!("<@&{}> {ASKED}", self.role));
            self.opens(sight, began, request).await?;
            Ok::<_, Problem>((began, request))
        };
        let waiting = me.calls("wait_for_prompt", json!({ "timeout": WAIT }));
        let ((began, request), offer) = tokio::try_join!(calling, waiting)?;
        expect(&offer, "prompt", ASKED)?;
        expect(&offer, "from.kind", "discord")?;
        sight.of(Step::Delivered, began, &format!("{} got: {ASKED}", FIRST.id))?;
        let task = offer["taskId"].as_str().unwrap_or_default().to_owned();
        let epoch = offer.get("leaseEpoch").cloned().unwrap_or(Value::Null);
        me.calls("ack_task", json!({ "taskId": task, "leaseEpoch": epoch })).await?;

        self.asks(sight, &me, request).await?;
        let began = Instant::now();
        let progress = json!({ "taskId": task, "status": "PROGRESS", "message": PROGRESS });
        me.calls("send_response", progress).await?;
        self.reads(request, PROGRESS).await;
        sight.of(Step::Progress, began, &format!("the status message says: {PROGRESS}"))?;

        let began = Instant::now();
        let artifacts = json!([{ "kind": "pr", "url": "https://git.example/acme/app/pull/42" }]);
        let report = json!({ "taskId": task, "status": "COMPLETED", "message": DONE, "artifacts": artifacts,
            "leaseEpoch": epoch });
        me.calls("send_response", report).await?;
        let result = self.reads(request, DONE).await;
        self.pings_ann_alone(&result)?;
        sight.of(Step::Result, began, &format!("Ann hears of it: {DONE}"))?;
        self.signed(request, "✅").await;
        sight.of(Step::Signed, began, "✅ on the request")?;
        // What the thread shows at the end is a whole round.
        self.reads(request, "✅ completed").await;
        me.leaves().await;
        Ok((task, request))
    }

    /// What everybody in the channel sees of a request within a second.
    async fn opens(&self, sight: &SeenSteps, began: Instant, request: Id) -> Result<(), Problem> {
        self.signed(request, "👀").await;
        sight.of(Step::Seen, began, &format!("Ann wrote `@{} {ASKED}` in #dev, and sees 👀", FIRST.name))?;
        let name = self.sees(|view| view.thread_of(request).and_then(|thread| view.name_of(thread))).await;
        sight.of(Step::Thread, began, &format!("a thread: {name}"))?;
        let status = self.reads(request, FIRST.name).await;
        sight.of(Step::Status, began, &format!("a status message with [{}]", status.controls.join("] [")))
    }

    /// The agent asks, Ann presses, and the agent hears it.
    async fn asks(&self, sight: &SeenSteps, me: &Agent, request: Id) -> Result<(), Problem> {
        let question = json!({ "question": QUESTION, "options": [OTHERWISE, ANSWER], "default_action": OTHERWISE });
        let began = Instant::now();
        let answering = async {
            let shown = self.reads(request, QUESTION).await;
            self.pings_ann_alone(&shown)?;
            sight.of(Step::Asked, began, &format!("in the thread: {QUESTION} [{}]", shown.controls.join("] [")))?;
            sleep(READS).await;
            let pressed = Instant::now();
            let press = self.discord.clicks(self.ann, shown.id, ANSWER);
            let press = press.map_err(|impossible| Problem::failed(impossible.to_string()))?;
            let told = self.sees(|view| view.reply_of(press)).await;
            if told.only_for != Some(self.ann) {
                return Err(Problem::failed("what came of the press was to be for Ann alone"));
            }
            sight.of(Step::Pressed, pressed, &format!("Ann pressed [{ANSWER}], and reads alone: {}", told.content))?;
            Ok((pressed, shown.id))
        };
        let (heard, (pressed, shown)) = tokio::try_join!(me.calls("request_input", question), answering)?;
        expect(&heard, "resolution.type", "human")?;
        expect(&heard, "resolution.value", ANSWER)?;
        sight.of(Step::Answered, pressed, &format!("{} hears from a human: {ANSWER}", FIRST.id))?;
        self.sees(|view| view.message(shown).filter(|shown| shown.edited && shown.controls.is_empty())).await;
        sight.of(Step::Closed, pressed, "the question shows its answer, and its buttons are gone")
    }

    fn pings_ann_alone(&self, shown: &ShownMessage) -> Result<(), Problem> {
        match shown.pinged.as_slice() {
            [one] if *one == self.ann => Ok(()),
            others => Err(Problem::failed(format!("a message had to ping Ann alone, and pings {}", others.len()))),
        }
    }

    async fn sees<T>(&self, look: impl FnMut(View<'_>) -> Option<T>) -> T {
        self.discord.until(look).await
    }

    async fn signed(&self, message: Id, sign: &str) {
        let has = |shown: &ShownMessage| shown.reactions.iter().any(|(emoji, _)| emoji == sign);
        self.sees(|view| view.message(message).filter(has)).await;
    }

    /// A message of the hub in a channel whose text, without Discord's signs, holds these words.
    async fn reads(&self, channel: Id, words: &str) -> ShownMessage {
        let holds = |shown: &ShownMessage| shown.is_ours && self.plain(&shown.content).contains(words);
        self.sees(|view| view.messages(channel).into_iter().find(holds)).await
    }

    /// The channel, and below it the thread of the request.
    fn shown(&self, view: View<'_>, request: Id) -> String {
        let mut text = "\n#dev\n".to_owned();
        for line in self.plain(&view.transcript(self.channel)).lines() {
            let _ = writeln!(text, "  {line}");
        }
        let _ = writeln!(text, "  └─ {}", view.name_of(request).unwrap_or_default());
        for line in self.plain(&view.transcript(request)).lines() {
            let _ = writeln!(text, "     {line}");
        }
        text
    }

    /// A text as Discord shows it, without its signs.
    fn plain(&self, text: &str) -> String {
        let named = text
            .replace(&format!("<@&{}>", self.role), &format!("@{}", FIRST.name))
            .replace(&format!("<@{}>", self.ann), "@ann")
            .replace("**", "")
            .replace("-# ", "");
        let mut plain = String::with_capacity(named.len());
        let mut rest = named.as_str();
        while let Some(at) = rest.find(['\\', '<']) {
            plain.push_str(&rest[..at]);
            let (sign, behind) = rest[at..].split_at(1);
            rest = match behind.strip_prefix("t:").and_then(|moment| moment.split_once('>')) {
                Some((_, behind)) if sign == "<" => {
                    plain.push_str("just now");
                    behind
                }
                _ => {
                    plain.push_str(if sign == "<" { sign } else { "" });
                    behind
                }
            };
        }
        plain + rest
    }
}

#[expect(clippy::print_stdout, reason = "the round is told on standard output")]
#[expect(clippy::unnecessary_wraps, reason = "told as the hub's own commands tell, which may find nobody reading")]
fn say(text: &str) -> Result<(), Problem> {
    println!("{text}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_seen_is_missing_by_name() {
        let sight = SeenSteps::default();
        assert_eq!(sight.missing().len(), Step::ALL.len());
        for step in Step::ALL.into_iter().filter(|step| *step != Step::Closed) {
            sight.of(step, Instant::now(), "it").unwrap();
        }
        assert_eq!(sight.missing(), ["the question edited: its answer, and no buttons"]);
        assert!(Step::ALL.windows(2).all(|pair| pair[0] < pair[1]), "each once, in order");
    }

    #[tokio::test]
    async fn a_text_is_shown_as_people_read_it() {
        let discord = Discord::start().await.unwrap();
        let chat = Chat { discord, guild: 1, role: 2, channel: 3, ann: 4 };
        let text = "<@4> **a** <@&2> \\*b\\* <c <t:7:R>\n-# d";
        assert_eq!(chat.plain(text), "@ann a @FullStack *b* <c just now\nd");
    }
}
