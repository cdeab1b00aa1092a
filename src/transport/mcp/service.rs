//! The hub as an MCP server: what it offers, and each request on its way to a verb.

use std::sync::Arc;

use http::request::Parts;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskMethod, CancelTaskParams,
    CompleteRequestParams, CompleteResult, CustomRequest, CustomResult, DetailedTask, DiscoverResult, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, GetSkillRequestParams, GetSkillResult, GetTaskMethod,
    GetTaskParams, GetTaskResult, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, TASKS_EXTENSION_ID, Task, TaskPayload, Tool, UnsubscribeRequestParams, UpdateTaskMethod,
    UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::watch;

use super::answered::answered;
use super::caller::caller;
use super::changes::{self, Ear, Listeners, Lists};
use super::probe::{self, PROBE};
use super::reply_path::ReplyPath;
use super::tasks::{self, not_before_tasks};
use super::tickets::{self, Begun};
use super::wait::Notes;
use super::workarounds::rewritten::names_a_run;
use super::workflows::{PromptRequest, WorkflowRequest};
use super::{completion, resources, result, verbs, workflows};
use crate::actors::HubRef;
use crate::domain::principal::Principal;
use crate::settings::SystemPrompts;
use crate::tools;

type Context = RequestContext<RoleServer>;
type Answer<T> = Result<T, ErrorData>;

/// What a client is told of the hub as a whole; most put it before their model.
const INSTRUCTIONS: &str = "callboard is the hub where coding agents wait for work, report, delegate and ask. To work \
    here: call register_agent once, then wait_for_prompt. When it returns a task, report on it with send_response: \
    PROGRESS when you begin and when you get further, COMPLETED, BLOCKED or FAILED at the end. Then call \
    wait_for_prompt again. Every result carries a prompt that \
    says what to do next: follow it. The prompts role/<role> say how to work in each role.";

/// How long a list may be taken as fresh, in milliseconds: after an upgrade a client should see the new one soon.
const FRESH_FOR: u64 = 60_000;

/// One MCP peer's view of the hub. Cheap to clone: the library makes one for each request.
#[derive(Debug, Clone)]
pub struct Door {
    hub: HubRef,
    prompts: watch::Receiver<Arc<SystemPrompts>>,
    listeners: Listeners,
    /// What the session hears whose door this is; none where a door is for many.
    ear: Option<Arc<Ear>>,
}

impl Door {
    /// A door to `hub`, with the prompts of each moment, for any transport that puts a `Principal` into each request.
    pub fn new(hub: HubRef, prompts: watch::Receiver<Arc<SystemPrompts>>) -> Self {
        Self { hub, prompts, listeners: Listeners::default(), ear: None }
    }

    pub(super) fn of_a_session(&self) -> Self {
        Self { ear: Some(Arc::new(Ear::new(Lists::now(&self.hub, &self.prompts)))), ..self.clone() }
    }

    /// The answer to a client of an era before 2026-07-28, which has no tasks. Fails when no version fits.
    pub(super) fn shakes_hands(&self, request: &InitializeRequestParams) -> Answer<InitializeResult> {
        let mut welcome = self.negotiate_initialize(request)?;
        if let Some(extensions) = &mut welcome.capabilities.extensions {
            extensions.remove(TASKS_EXTENSION_ID);
        }
        Ok(welcome)
    }

    pub(super) fn prompts(&self) -> watch::Receiver<Arc<SystemPrompts>> {
        self.prompts.clone()
    }

    /// The ear of whoever asks: its session's, or its socket's.
    fn ear<'a>(&'a self, context: &'a Context) -> Result<&'a Ear, ErrorData> {
        let socket = || context.extensions.get::<Parts>()?.extensions.get::<Arc<Ear>>();
        let ear = self.ear.as_ref().or_else(socket);
        ear.map(Arc::as_ref).ok_or_else(|| ErrorData::invalid_request("nothing is told without a session", None))
    }

    async fn call(&self, request: CallToolRequestParams, mut context: Context) -> Answer<CallToolResponse> {
        let mut caller = caller(&self.hub, &context)?;
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let Some(entry) = tools::find(&request.name).filter(|entry| entry.blocks) else {
            let outcome = tools::call(&self.hub, &caller, &request.name, arguments).await;
            if request.name == "register_agent"
                && let Ok(ear) = self.ear(&context)
            {
                ear.has_registered();
            }
            return ReplyPath::of(&context).answer(outcome);
        };
        if tickets::is_wanted(&self.hub, &caller, entry, &arguments, &context) {
            match tickets::begin(&self.hub, &caller, entry, &arguments).await {
                Begun::Now(outcome) => return ReplyPath::of(&context).answer(outcome),
                Begun::Later(ticket) => return Ok(result::later(tickets::task(&ticket), &context).into()),
                Begun::Full => {}
            }
        }
        let hub = self.hub.clone();
        let notes = Notes::of_call(&hub, entry, &mut caller, context.meta.get_progress_token());
        let call =
            |path: ReplyPath| async move { path.answer(tools::call(&hub, &caller, entry.name, arguments).await) };
        answered(&mut context, notes, || CallToolResult::success(Vec::new()).into(), call).await
    }

    /// What comes of a workflow. A client that asked for progress is shown each step, by the way of calls that wait.
    async fn carries_out(
        &self,
        mut asked: WorkflowRequest,
        prompts: Arc<SystemPrompts>,
        mut context: Context,
    ) -> Answer<GetPromptResponse> {
        let hub = self.hub.clone();
        let notes = context.meta.get_progress_token().map(|token| asked.shows(Notes::new(&hub, token)));
        let shows = notes.is_some();
        let answer = Box::pin(async move { asked.answer(&hub, &prompts).await.map(GetPromptResponse::from) });
        if !shows {
            return answer.await;
        }
        answered(&mut context, notes, || GetPromptResult::new(Vec::new()).into(), |_| answer).await
    }
}

/// A list, or what is read, as each is answered: who answers, and how long it may be taken as fresh.
macro_rules! cached {
    ($result:expr, $context:expr, $fresh_for:expr) => {{
        let mut result = $result;
        result.meta = result::meta(&$context);
        result.with_ttl_ms($fresh_for).with_cache_scope(CacheScope::Private)
    }};
}

impl ServerHandler for Door {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_completions()
            .enable_skills()
            .enable_tasks()
            .build();
        ServerConfig::new(capabilities).with_server_info(result::server_info()).with_instructions(INSTRUCTIONS)
    }

    async fn initialize(&self, request: InitializeRequestParams, context: Context) -> Answer<InitializeResult> {
        context.peer.set_peer_info(request.clone());
        self.shakes_hands(&request)
    }

    async fn discover(&self, _context: Context) -> Answer<DiscoverResult> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()).with_server_info(result::server_info()))
    }

    async fn on_custom_request(&self, request: CustomRequest, context: Context) -> Answer<CustomResult> {
        if request.method == PROBE {
            return probe::hold(&self.hub, &request, &context).await;
        }
        tasks::custom(&self.hub, &request, &context).await
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, context: Context) -> Answer<ListToolsResult> {
        let listed = verbs::listed(&self.hub, self.ear(&context).ok(), &context).await?;
        Ok(cached!(ListToolsResult::with_all_items(listed), context, FRESH_FOR))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        verbs::find(name).cloned()
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Answer<CallToolResponse> {
        self.call(request, context).await
    }

    async fn list_prompts(&self, _: Option<PaginatedRequestParams>, context: Context) -> Answer<ListPromptsResult> {
        let prompts = Arc::clone(&self.prompts.borrow());
        let listed = workflows::list(&self.hub.settings(), &prompts);
        Ok(cached!(ListPromptsResult::with_all_items(listed), context, FRESH_FOR))
    }

    async fn get_prompt(&self, request: GetPromptRequestParams, context: Context) -> Answer<GetPromptResponse> {
        let prompts = Arc::clone(&self.prompts.borrow());
        match workflows::read(&self.hub, &prompts, request, &context)? {
            PromptRequest::Answered(answer) => Ok(*answer),
            PromptRequest::Workflow(asked) => self.carries_out(*asked, prompts, context).await,
        }
    }

    async fn complete(&self, request: CompleteRequestParams, context: Context) -> Answer<CompleteResult> {
        let caller = caller(&self.hub, &context)?;
        let prompts = Arc::clone(&self.prompts.borrow());
        let completion = completion::complete(&self.hub, &prompts, &caller, &request).await?;
        let mut completed = CompleteResult::new(completion);
        completed.meta = result::meta(&context);
        Ok(completed)
    }

    async fn list_resources(&self, _: Option<PaginatedRequestParams>, context: Context) -> Answer<ListResourcesResult> {
        let caller = caller(&self.hub, &context)?;
        let prompts = Arc::clone(&self.prompts.borrow());
        let listed = resources::list(&self.hub, &prompts, &caller).await?;
        Ok(cached!(ListResourcesResult::with_all_items(listed), context, FRESH_FOR))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Answer<ListResourceTemplatesResult> {
        let listed = resources::templates();
        Ok(cached!(ListResourceTemplatesResult::with_all_items(listed), context, FRESH_FOR))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Answer<ReadResourceResponse> {
        let caller = caller(&self.hub, &context)?;
        let prompts = Arc::clone(&self.prompts.borrow());
        Ok(cached!(resources::read(&self.hub, &prompts, &caller, &request.uri).await?, context, 0).into())
    }

    async fn subscribe(&self, request: SubscribeRequestParams, context: Context) -> Answer<()> {
        self.ear(&context)?.subscribes(&self.hub, &request.uri).await
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, context: Context) -> Answer<()> {
        self.ear(&context)?.unsubscribes(&request.uri);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let head = context.extensions.get::<Parts>();
        let who = head.and_then(|head| head.extensions.get::<Principal>());
        let (Some(ear), Some(who)) = (self.ear.as_ref().filter(|ear| ear.begins()), who) else { return };
        let changes = ear.changes(self.hub.clone(), who.clone(), self.prompts());
        #[expect(clippy::disallowed_methods, reason = "it holds no state of the hub, and ends with its session's ear")]
        tokio::spawn(changes::tell(context.peer.clone(), changes));
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(changes::accepted(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Answer<()> {
        changes::listen(self.hub.clone(), self.prompts(), &self.listeners, context).await
    }

    async fn get_task(&self, request: GetTaskParams, mut context: Context) -> Answer<GetTaskResult> {
        not_before_tasks::<GetTaskMethod>(&context)?;
        if names_a_run(&request.task_id) {
            return tasks::get(&self.hub, &request.task_id, &context).await;
        }
        let (hub, caller) = (self.hub.clone(), caller(&self.hub, &context)?);
        let asked = |path: ReplyPath| async move {
            let task = tickets::ask(&hub, &caller, &request.task_id, &path).await?;
            Ok(result::task(task, path.meta()))
        };
        let unseen = || result::task(DetailedTask::new(Task::default(), TaskPayload::Working), None);
        answered(&mut context, None, unseen, asked).await
    }

    async fn update_task(&self, request: UpdateTaskParams, context: Context) -> Answer<()> {
        not_before_tasks::<UpdateTaskMethod>(&context)?;
        if names_a_run(&request.task_id) {
            return tasks::update(&self.hub, &request.task_id, &context).await;
        }
        // No ticket asks its client for anything: what it sends is not needed.
        tickets::found(&self.hub, &caller(&self.hub, &context)?, &request.task_id).await.map(drop)
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: Context) -> Answer<()> {
        not_before_tasks::<CancelTaskMethod>(&context)?;
        if names_a_run(&request.task_id) {
            return tasks::cancel(&self.hub, &request.task_id, &context).await;
        }
        tickets::cancel(&self.hub, &caller(&self.hub, &context)?, &request.task_id).await
    }

    async fn list_skills(&self, _: Option<PaginatedRequestParams>, context: Context) -> Answer<ListSkillsResult> {
        let prompts = Arc::clone(&self.prompts.borrow());
        let skills = resources::skills::list(&self.hub.settings(), &prompts)?;
        Ok(cached!(ListSkillsResult::with_all_items(skills), context, FRESH_FOR))
    }

    async fn get_skill(&self, request: GetSkillRequestParams, context: Context) -> Answer<GetSkillResult> {
        let prompts = Arc::clone(&self.prompts.borrow());
        let skill = resources::skills::get(&self.hub.settings(), &prompts, &request.uri)?;
        Ok(cached!(GetSkillResult::new(skill.ok_or_else(resources::no_skill)?), context, FRESH_FOR))
    }
}
