//! What `sessions` does, tried.

use futures_util::StreamExt as _;
use rmcp::model::{ClientRequest, ErrorData};

use super::*;

fn answer_to(request: i64) -> ServerSseMessage {
    let said = ErrorData::internal_error("no", None);
    ServerSseMessage::from_message(ServerJsonRpcMessage::error(said, Some(RequestId::Number(request))))
}

#[tokio::test]
async fn the_stream_of_a_request_ends_with_its_answer_and_with_no_other() {
    let sessions = Sessions::new();
    let open = OpenStream::new(&sessions, &"s1".into(), Some(RequestId::Number(1)));
    let said = stream::iter([answer_to(2), answer_to(1)]).chain(stream::pending());
    let listened = Listened { stream: Box::pin(said), open: Some(open) };
    assert_eq!(listened.count().await, 2);
}
#[tokio::test]
async fn what_crosses_the_end_of_its_session_is_no_fault() {
    let sessions = Sessions::new();
    let (id, _transport) = sessions.create_session().await.unwrap();
    sessions.close_session(&id).await.unwrap();
    let standalone = sessions.create_standalone_stream(&id).await.unwrap();
    assert_eq!(standalone.count().await, 0);
    let ping = ClientRequest::PingRequest(Default::default());
    let asked = ClientJsonRpcMessage::request(ping, RequestId::Number(1));
    assert_eq!(sessions.create_stream(&id, asked).await.unwrap().count().await, 0);
    cancel(&sessions.inner, &id, RequestId::Number(1)).await;
    let ready = ClientNotification::InitializedNotification(Default::default());
    sessions.accept_message(&id, ClientJsonRpcMessage::notification(ready)).await.unwrap();
}
