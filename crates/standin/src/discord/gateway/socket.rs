//! One WebSocket: texts go in and out, and it ends when either side wants it.

use std::collections::VecDeque;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use serde::Deserialize;
use tokio::sync::mpsc::unbounded_channel;

use super::receive;
use crate::discord::model::session::{Connection, Push, take};
use crate::discord::stage::Stage;

/// What stands behind the `?` of the gateway's address.
#[derive(Debug, Deserialize)]
pub(crate) struct GatewayQuery {
    v: Option<String>,
    encoding: Option<String>,
    compress: Option<String>,
}

/// GET `/`: the gateway.
pub(crate) async fn open(
    State(stage): State<Stage>,
    Query(asked): Query<GatewayQuery>,
    upgrade: WebSocketUpgrade,
) -> Response {
    if stage.change(|world| take(&mut world.gateway.pending.refuse)) {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    upgrade.on_upgrade(move |socket| serve(stage, asked, socket))
}

async fn serve(stage: Stage, asked: GatewayQuery, mut socket: WebSocket) {
    let is_understood = asked.v.as_deref() == Some("10")
        && asked.encoding.as_deref().is_none_or(|encoding| encoding == "json")
        && asked.compress.is_none();
    if !is_understood {
        let frame = CloseFrame { code: 4_012, reason: "Invalid API version.".into() };
        let _gone_is_no_matter = socket.send(Message::Close(Some(frame))).await;
        return;
    }
    let (out, mut pushes) = unbounded_channel();
    let number = stage.change(|world| {
        let (number, heartbeat_at) = (world.id(), world.now);
        let (is_zombie, is_closing, frames) = (false, false, VecDeque::new());
        receive::opened(world, number, Connection { out, is_zombie, is_closing, heartbeat_at, frames });
        number
    });
    let heartbeat = stage.look(|world| world.options.heartbeat);
    let mut look = tokio::time::interval(heartbeat.max(Duration::from_millis(100)));
    let mut code = None;
    loop {
        tokio::select! {
            biased;
            came = socket.recv() => match came {
                Some(Ok(Message::Text(text))) => stage.change(|world| receive::text(world, number, &text)),
                Some(Ok(Message::Binary(_))) => stage.change(|world| receive::text(world, number, "no JSON")),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(frame))) => {
                    code = frame.map(|frame| frame.code);
                    break;
                }
                Some(Err(_)) | None => break,
            },
            push = pushes.recv() => match push {
                Some(Push::Text(text)) => {
                    if socket.send(Message::Text(text.into())).await.is_err() {
                        break;
                    }
                }
                Some(Push::Pause(pause)) => tokio::time::sleep(pause).await,
                Some(Push::Close(code, reason)) => {
                    let frame = CloseFrame { code, reason: reason.into() };
                    let _gone_is_no_matter = socket.send(Message::Close(Some(frame))).await;
                    let _answered = tokio::time::timeout(Duration::from_secs(1), socket.recv()).await;
                    break;
                }
                Some(Push::Drop) | None => break,
            },
            _ = look.tick() => stage.change(|world| receive::silent(world, number)),
        }
    }
    drop(socket);
    stage.change(|world| receive::ended(world, number, code));
}
