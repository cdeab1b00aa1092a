//! A host that a test starts, beside a hub that it plays.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use rustix::process::{Pid, test_kill_process};
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_local};
use tokio::time::{Duration, sleep, timeout};

use super::hub::{AT_MOST, FakeHub};
use crate::credential::Bearer;
use crate::oncall::folder::Folders;
use crate::oncall::host::Host;
use crate::oncall::link::Home;
use crate::oncall::presets::Preset;
use crate::oncall::spec::HostSpec;
use crate::place::{GlobalArgs, write_private};
use crate::problem::Problem;
use crate::settings::OnCallHost;

/// Where a test plays.
pub(super) struct Stage {
    pub(super) hub: FakeHub,
    pub(super) data: TempDir,
    pub(super) workspace: TempDir,
}

/// A host that runs.
pub(super) struct Running {
    stop: watch::Sender<bool>,
    host: JoinHandle<Result<(), Problem>>,
}

impl Stage {
    pub(super) async fn new() -> Self {
        drop(rustls::crypto::ring::default_provider().install_default());
        let stage = Self {
            hub: FakeHub::listens().await,
            data: tempfile::tempdir().unwrap(),
            workspace: tempfile::tempdir().unwrap(),
        };
        write_private(&stage.data.path().join("token"), "cb_h_test\n").unwrap();
        stage
    }

    /// A host of any program: this script.
    pub(super) fn script(&self, script: &str) -> HostSpec {
        HostSpec::of(self.settings(&["/bin/sh", "-c", script]), &[]).unwrap()
    }

    /// A host of a client, which this script stands for.
    pub(super) fn client(&self, name: &str, script: &str) -> HostSpec {
        let folder = self.data.path().join("bin");
        fs::create_dir_all(&folder).unwrap();
        let program = folder.join(name);
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let mut spec = self.script("exit 1");
        (spec.client, spec.preset) = (name.to_owned(), Preset::named(name).unwrap());
        let path = spec.environment.get("PATH").cloned().unwrap_or_default();
        spec.environment.insert("PATH".to_owned(), format!("{}:{path}", folder.display()));
        spec
    }

    pub(super) fn settings(&self, command: &[&str]) -> OnCallHost {
        OnCallHost {
            client: None,
            command: command.iter().map(|part| (*part).to_owned()).collect(),
            role: "dev".to_owned(),
            max: 2,
            workspace: Some(self.workspace.path().to_owned()),
            agent: Some("fs".to_owned()),
            fresh: false,
            account: Some("team".to_owned()),
            args: Vec::new(),
            environment: Vec::new(),
            wrap: None,
        }
    }

    pub(super) fn folders(&self, spec: &HostSpec) -> Result<Folders, Problem> {
        Folders::take(self.data.path(), &spec.prefix)
    }

    pub(super) fn starts(&self, spec: HostSpec) -> Running {
        let globals = GlobalArgs {
            url: Some(self.hub.url.clone()),
            token_file: Some(self.data.path().join("token")),
            data_dir: Some(self.data.path().to_owned()),
            config: None,
        };
        let bearer = Bearer::Host { name: spec.prefix.clone(), role: spec.role.clone() };
        let home = Home::find(&globals, bearer).unwrap();
        let folders = self.folders(&spec).unwrap();
        let (stop, stopped) = watch::channel(false);
        Running { stop, host: spawn_local(Host::run(spec, folders, home, stopped)) }
    }

    /// The folders of runs that are there.
    pub(super) fn runs(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.data.path().join("oncall/fs")).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
    }

    /// What a file of the workspace holds, once there is one that ends with a line.
    pub(super) async fn file(&self, name: &str) -> String {
        let path = self.workspace.path().join(name);
        let read = async {
            loop {
                let text = fs::read_to_string(&path).unwrap_or_default();
                if text.ends_with('\n') {
                    return text;
                }
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(AT_MOST, read).await.expect("it is written")
    }
}

impl Running {
    pub(super) fn is_to_end(&self) {
        self.stop.send(true).unwrap();
    }

    pub(super) async fn ended(self) -> Result<(), Problem> {
        timeout(AT_MOST, self.host).await.expect("the host ends").unwrap()
    }
}

/// Until a process is gone; one whose parent has not collected it yet does not run any more.
pub(super) async fn is_gone(pid: u32) {
    let id = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let runs = || {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        test_kill_process(id).is_ok() && !stat.contains(") Z ")
    };
    let gone = async {
        while runs() {
            sleep(Duration::from_millis(2)).await;
        }
    };
    timeout(AT_MOST, gone).await.expect("it is gone");
}
