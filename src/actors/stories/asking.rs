//! Short words for stories in which agents ask and people answer.

use std::time::Duration;

use super::hub::{Hub, Player};
use crate::actors::session::{SessionError, SessionOrder, SessionReceipt, SessionRef};
use crate::domain::ids::{PrincipalId, QuestionId};
use crate::domain::principal::{By, Surface};
use crate::domain::session::question::{Answerer, Danger, Question, QuestionKind, QuestionSpec};
use crate::domain::session::{Asker, Session, SessionCommand, WorkflowStatus};
use crate::domain::task::{Origin, OriginKind};
use crate::journal::IdempotencyKey;
use crate::journal::Reader as _;
use crate::journal::inspect::verify_reader;

/// Somebody who answers.
pub(super) fn person(name: &str, surface: Surface) -> Answerer {
    let principal = PrincipalId::parse(&format!("person:{name}")).unwrap();
    Answerer { principal, display_name: name.to_owned(), surface }
}

impl Hub {
    /// Every promise that the journal shows, S1 and the Qs among them.
    #[track_caller]
    pub(super) fn is_sound(&self) {
        let report = verify_reader(&self.reader, |_, _| {}).unwrap();
        assert!(report.is_sound(), "{:#?}", report.findings);
    }

    pub(super) async fn session_of(&self, player: &Player) -> Session {
        self.line_of(player).await.show().await.unwrap().0
    }

    pub(super) async fn line_of(&self, player: &Player) -> SessionRef {
        let registration = player.line.show().await.unwrap().agent.registration.unwrap();
        // Whoever heard of a session finds it.
        self.hub.supervisor.session(&registration.session).await.unwrap().unwrap()
    }

    pub(super) async fn status_of(&self, player: &Player) -> WorkflowStatus {
        self.session_of(player).await.status()
    }

    /// Asks for half an hour whether it is to be the old or the new one, the new one by default.
    pub(super) async fn asked_by(&self, player: &Player, danger: Option<Danger>) -> QuestionId {
        self.asked_for(player, danger, Duration::from_secs(30 * 60)).await
    }

    pub(super) async fn asked_for(&self, player: &Player, danger: Option<Danger>, time: Duration) -> QuestionId {
        let id = self.hub.ids.question();
        let session = self.session_of(player).await;
        let now = self.hub.clock.now();
        let spec = QuestionSpec {
            work_item: None,
            question: format!("Which one, for {id}?"),
            id: id.clone(),
            session_id: session.id,
            agent_id: player.id.clone(),
            task_id: None,
            kind: QuestionKind::Decision,
            permission: None,
            options: vec!["old".to_owned(), "new".to_owned()],
            default_action: "new".to_owned(),
            danger,
            allow_free_text: false,
            asked_at: now,
            expires_at: now + time,
            reminders: vec![50, 90],
            sanitized: None,
        };
        self.agent_orders(player, SessionCommand::Ask { asker: Box::new(Asker { spec, ends: None }) }).await.unwrap();
        id
    }

    pub(super) async fn agent_orders(
        &self,
        player: &Player,
        command: SessionCommand,
    ) -> Result<SessionReceipt, SessionError> {
        let principal = PrincipalId::parse(&format!("agent:{}", player.id)).unwrap();
        let by = By { principal, surface: Surface::Agent };
        let name = player.id.to_string();
        let who = Origin { kind: OriginKind::Agent, id: name.clone(), display_name: name };
        let order = SessionOrder { command, by, who, request: None, blobs: Vec::new(), key: None };
        self.line_of(player).await.order(order).await
    }

    pub(super) async fn reports_status(
        &self,
        player: &Player,
        status: WorkflowStatus,
    ) -> Result<SessionReceipt, SessionError> {
        let command = SessionCommand::Report { status, message: "so it is".to_owned(), details: None };
        self.agent_orders(player, command).await
    }

    pub(super) async fn answered(
        &self,
        id: &QuestionId,
        value: &str,
        by: Answerer,
    ) -> Result<SessionReceipt, SessionError> {
        let question = self.reader.question(id).unwrap().unwrap();
        let line = self.hub.supervisor.session(&question.spec.session_id).await.unwrap().unwrap();
        line.order(answer_of(id, value, by, None)).await
    }

    pub(super) fn question(&self, id: &QuestionId) -> Question {
        self.reader.question(id).unwrap().unwrap()
    }
}

/// A person's order.
pub(super) fn answer_of(id: &QuestionId, value: &str, by: Answerer, key: Option<&str>) -> SessionOrder {
    let principal = by.principal.clone();
    let key = key.map(|key| IdempotencyKey {
        principal: principal.clone(),
        key: key.to_owned(),
        digest: format!("{id}{value}"),
    });
    let who =
        Origin { kind: OriginKind::of(by.surface), id: principal.to_string(), display_name: by.display_name.clone() };
    SessionOrder {
        by: By { principal, surface: by.surface },
        command: SessionCommand::Answer { question: id.clone(), value: value.to_owned(), own_words: false, by },
        who,
        request: None,
        blobs: Vec::new(),
        key,
    }
}
