//! `POST /api/v1/…/{id}/…`: what people order of one thing. Each row is a verb of `tools::people`.

use crate::tools::people::{
    AnswerTask, ApproveWork, CancelTask, CommentOnReview, CommentOnTask, EditTask, EvictAgent, ReassignTask,
    RequestChanges, RequeueTask, ResolveComment, RetryTask, TypeInput,
};
use crate::transport::web::Routes;

pub(super) fn routes() -> Routes {
    Routes::new()
        .verb::<CancelTask>("/api/v1/tasks/{id}/cancel", "calls it off")
        .verb::<RetryTask>("/api/v1/tasks/{id}/retry", "puts a FAILED or TIMEOUT task back into its queue")
        .verb::<RequeueTask>("/api/v1/tasks/{id}/requeue", "puts a dead letter back, its attempts counted anew")
        .verb::<ReassignTask>("/api/v1/tasks/{id}/reassign", "gives it to another target")
        .verb::<EditTask>("/api/v1/tasks/{id}/edit", "changes its words, until somebody takes it up, and its priority")
        .verb::<CommentOnTask>("/api/v1/tasks/{id}/comments", "remarks on it")
        .verb::<AnswerTask>("/api/v1/tasks/{id}/answer", "answers a BLOCKED task")
        // A review has the name of its task, and a verdict is the same by either.
        .verb::<ApproveWork>("/api/v1/tasks/{id}/approve", "agrees with its result")
        .verb::<ApproveWork>("/api/v1/reviews/{id}/approve", "agrees with the change")
        .verb::<RequestChanges>("/api/v1/tasks/{id}/request-changes", "sends it back to its worker with wishes")
        .verb::<RequestChanges>("/api/v1/reviews/{id}/request-changes", "sends the change back with wishes")
        .verb::<CommentOnReview>("/api/v1/reviews/{id}/comments", "comments on the change, without a verdict")
        .verb::<ResolveComment>("/api/v1/reviews/{id}/resolve", "settles a thread")
        .verb::<EvictAgent>("/api/v1/agents/{id}/evict", "sends an agent away; whatever it holds goes back at once")
        .verb::<TypeInput>("/api/v1/sessions/{id}/input", "an answer that the terminal's host is to type")
}
