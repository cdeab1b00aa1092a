//! The stand-in of `callboard::standin::discord` beside a hub that is another process, with a guild to play in.

use std::path::Path;

use callboard::standin::discord::{Discord, Id, Options, Shown, View};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::PATIENCE;
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
    data_dir: TempDir,
    config: TempDir,
    runtime: Runtime,
}

impl Scene {
    /// A guild, and a hub whose commands are registered in it.
    pub(crate) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let options = Options { token: TOKEN.into(), ..Options::default() };
        let discord = runtime.block_on(Discord::start_with(options)).unwrap();
        let guild = discord.guild("Acme");
        let (full_stack, tester) = (discord.role(guild, "FullStack"), discord.role(guild, "test-engineer"));
        let developer = discord.role(guild, "developer");
        let dev = discord.channel(guild, "dev");
        let ann = discord.member(guild, "ann", &[developer]);
        let (data_dir, config) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        settings(&discord, config.path());
        let hub = HubProcess::start_on_discord(data_dir.path(), config.path());
        let scene = Self { hub, discord, guild, full_stack, tester, dev, ann, data_dir, config, runtime };
        scene.waits("the commands", |view| (!view.commands(guild).is_empty()).then_some(()));
        scene
    }

    /// Waits until `look` finds something in what Discord shows.
    pub(crate) fn waits<T>(&self, what: &str, mut look: impl FnMut(View<'_>) -> Option<T>) -> T {
        let found =
            self.runtime.block_on(async { tokio::time::timeout(PATIENCE, self.discord.until(&mut look)).await });
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
    pub(crate) fn reads(&self, channel: Id, words: &str) -> Shown {
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

fn settings(discord: &Discord, folder: &Path) {
    let (api, gateway) = (discord.api_base(), discord.gateway_url());
    let hub = format!("discord: {{apiBase: \"{api}\", gatewayUrl: \"{gateway}\"}}\n");
    std::fs::write(folder.join("hub.yaml"), hub).unwrap();
    std::fs::write(folder.join("permissions.yaml"), PERMISSIONS).unwrap();
}
