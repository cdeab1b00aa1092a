//! The stand-in of `callboard_standin::discord` beside a hub that is another process, with a guild to play in.

use std::path::Path;

use callboard_standin::discord::{Discord, Id, Options, ShownMessage, View};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::TIMEOUT;
use super::agent::Agent;
use super::hub_process::HubProcess;

/// What [`HubProcess::start_on_discord`] gives a hub.
const TOKEN: &str = "a.test.token";
const PERMISSIONS: &str = "roles: {developer: {canAssignTo: ['*']}}\n";

/// A Discord with a guild, a hub that is connected to it, and Ann, who may call every agent.
pub(crate) struct Scene {
    pub(crate) hub: HubProcess,
    pub(crate) discord: Discord,
    pub(crate) guild: Id,
    pub(crate) full_stack: Id,
    pub(crate) tester: Id,
    pub(crate) dev: Id,
    pub(crate) ann: Id,
    pub(crate) data_dir: TempDir,
    config: TempDir,
    runtime: Runtime,
}

impl Scene {
    /// A guild, and a hub whose commands are registered in it.
    pub(crate) fn new() -> Self {
        Self::with(|_, _| (String::new(), PERMISSIONS.to_owned()))
    }

    /// The same with these permissions.
    pub(crate) fn permits(permissions: &str) -> Self {
        Self::with(|_, _| (String::new(), permissions.to_owned()))
    }

    /// The same with more keys of `discord` and with permissions, both told the stand-in and Ann.
    pub(crate) fn with(files: impl FnOnce(&Discord, Id) -> (String, String)) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let options = Options { token: TOKEN.into(), ..Options::default() };
        let discord = runtime.block_on(Discord::start_with(options)).unwrap();
        let guild = discord.guild("Acme");
        let (full_stack, tester) = (discord.role(guild, "FullStack"), discord.role(guild, "test-engineer"));
        let developer = discord.role(guild, "developer");
        let dev = discord.channel(guild, "dev");
        let ann = discord.member(guild, "ann", &[developer]);
        let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let (more, permissions) = files(&discord, ann);
        settings(&discord, guild, config.path(), &more, &permissions);
        let hub = HubProcess::start_on_discord(data_dir.path(), config.path());
        let scene = Self { hub, discord, guild, full_stack, tester, dev, ann, data_dir, config, runtime };
        scene.waits("the commands", |view| (!view.commands(guild).is_empty()).then_some(()));
        scene
    }

    /// Waits until `look` finds something in what Discord shows.
    pub(crate) fn waits<T>(&self, what: &str, mut look: impl FnMut(View<'_>) -> Option<T>) -> T {
        let found = self.runtime.block_on(async { tokio::time::timeout(TIMEOUT, self.discord.until(&mut look)).await });
        found.unwrap_or_else(|_| {
            let shown = self.discord.view(|view| {
                let threads = view.threads(self.dev);
                let all = [self.dev].into_iter().chain(threads).map(|channel| view.transcript(channel));
                all.collect::<Vec<_>>().join("---\n")
            });
            let log = std::fs::read_to_string(self.data_dir.path().join("hub.log")).unwrap_or_default();
            panic!("{what} did not come; shown is\n{shown}\nand the hub wrote\n{log}");
        })
    }

    /// Ann mentions a role.
    pub(crate) fn calls(&self, role: Id, text: &str) -> Id {
        self.discord.says(self.ann, self.dev, &format!("<@&{role}> {text}"))
    }

    /// Waits for a message of the hub in a channel whose text holds `words`.
    pub(crate) fn reads(&self, channel: Id, words: &str) -> ShownMessage {
        self.waits(words, |view| {
            view.messages(channel).into_iter().find(|shown| shown.is_ours && shown.content.contains(words))
        })
    }

    /// The tasks that the hub knows.
    pub(crate) fn tasks(&self) -> Vec<Value> {
        self.hub.get("/api/v1/tasks").1["items"].as_array().unwrap().clone()
    }

    /// An agent that works as a full-stack engineer.
    pub(crate) fn agent(&self) -> Agent {
        Agent::register(&self.hub, "fullstack-1", "full-stack-engineer")
    }

    /// The agent takes what waits for it, and holds it; the task's id.
    pub(crate) fn takes(&self, agent: &Agent) -> String {
        let offer = agent.calls(&self.hub, "wait_for_prompt", &json!({ "timeout": 30 }));
        let id = offer["taskId"].as_str().unwrap_or_else(|| panic!("{offer}")).to_owned();
        agent.calls(&self.hub, "ack_task", &json!({ "taskId": id }));
        id
    }

    /// Ann calls the full-stack engineer, who takes it: the request and the task.
    pub(crate) fn begins(&self, agent: &Agent, text: &str) -> (Id, String) {
        let request = self.calls(self.full_stack, text);
        self.reads(request, "**FullStack**");
        (request, self.takes(agent))
    }

    /// The agent says how a task ended.
    pub(crate) fn ends_task(&self, agent: &Agent, task: &str, status: &str, message: &str) {
        let report = json!({ "taskId": task, "status": status, "message": message });
        agent.calls(&self.hub, "send_response", &report);
    }

    /// The agent asks; the question's id.
    pub(crate) fn asks(&self, agent: &Agent, question: &str, options: &[String]) -> String {
        let by_default = options.last().map_or("go on", String::as_str);
        let ask = json!({ "question": question, "options": options, "default_action": by_default,
            "timeout_minutes": 30, "wait_seconds": 0 });
        agent.calls(&self.hub, "request_input", &ask)["question_id"].as_str().unwrap().to_owned()
    }

    /// Waits for what an interaction was answered with, for whoever caused it alone.
    pub(crate) fn told(&self, interaction: Id) -> String {
        let told = self.waits("what came of it", |view| view.reply_of(interaction));
        assert_eq!(told.only_for, Some(self.ann));
        told.content
    }

    /// Waits for a sign on a message.
    pub(crate) fn signed(&self, message: Id, sign: &str) {
        self.waits(sign, |view| {
            let shown = view.message(message)?;
            shown.reactions.iter().any(|(emoji, _)| emoji == sign).then_some(())
        });
    }

    /// Waits for a delivery that could not be made; why.
    pub(crate) fn dead_letter(&self) -> String {
        loop {
            let dead = self.hub.get("/api/v1/outbox?state=dead_letter").1;
            if let Some(why) = dead["items"][0]["lastError"].as_str().or(dead["items"][0]["reason"].as_str()) {
                return why.to_owned();
            }
            super::pause(20);
        }
    }

    /// What the gateway's service shows.
    pub(crate) fn gateway(&self) -> Value {
        self.hub.get("/admin/actors/service:discord-gateway").1
    }

    /// A file of the data directory; empty where it is not there.
    pub(crate) fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.data_dir.path().join(name)).unwrap_or_default()
    }

    /// Another hub on the same token, with a data directory of its own.
    pub(crate) fn another_hub(&self) -> (HubProcess, TempDir) {
        let data_dir = TempDir::new().unwrap();
        (HubProcess::start_on_discord(data_dir.path(), self.config.path()), data_dir)
    }

    /// Ends the hub; its data are left.
    pub(crate) fn ends(self) -> TempDir {
        let ended = self.hub.terminate();
        assert!(ended.success(), "{ended}");
        self.data_dir
    }

    /// Kills the hub, lets something happen, and starts it again.
    pub(crate) fn restarts(self, meanwhile: impl FnOnce(&Discord)) -> Self {
        let Self { hub, discord, guild, full_stack, tester, dev, ann, data_dir, config, runtime } = self;
        hub.kill();
        meanwhile(&discord);
        let hub = HubProcess::start_on_discord(data_dir.path(), config.path());
        Self { hub, discord, guild, full_stack, tester, dev, ann, data_dir, config, runtime }
    }
}

fn settings(discord: &Discord, guild: Id, folder: &Path, more: &str, permissions: &str) {
    let (api, gateway) = (discord.api_base(), discord.gateway_url());
    let hub = format!("discord: {{apiBase: \"{api}\", gatewayUrl: \"{gateway}\", guilds: [\"{guild}\"]{more}}}\n");
    std::fs::write(folder.join("hub.yaml"), hub).unwrap();
    std::fs::write(folder.join("permissions.yaml"), permissions).unwrap();
}
