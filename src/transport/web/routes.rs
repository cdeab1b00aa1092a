//! A route as data: what the router is built from and what the API description is generated from are the same row.

use axum::routing::MethodFilter;
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::domain::principal::Scope;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    Get,
    Post,
    Patch,
    Delete,
}

/// How the schema of a type is made.
pub type MakeSchema = fn(&mut SchemaGenerator) -> Schema;

#[derive(Debug, Clone, Copy)]
pub enum Body {
    None,
    Json(MakeSchema),
    Bytes,
}

/// What a route answers.
#[derive(Debug, Clone, Copy)]
pub enum Answer {
    /// JSON of this shape, with this status.
    Json(u16, MakeSchema),
    Text(&'static str),
    Nothing,
}

#[derive(Debug, Clone, Copy)]
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub summary: &'static str,
    /// Who may; none: no credential is needed.
    pub scope: Option<Scope>,
    /// The query, as an object.
    pub query: Option<MakeSchema>,
    pub body: Body,
    pub answer: Answer,
    /// Whether a repeat is known by an id of its own, and takes no `Idempotency-Key`.
    pub has_its_own_id: bool,
    /// The tool whose arguments it takes and whose answer it gives, in place of `body` and `answer`.
    pub tool: Option<&'static str>,
}

impl Route {
    /// A route that is read, and answers with `T`.
    pub const fn get<T: JsonSchema>(path: &'static str, summary: &'static str) -> Self {
        Self {
            method: Method::Get,
            path,
            summary,
            scope: Some(Scope::View),
            query: None,
            body: Body::None,
            answer: Answer::Json(200, schema::<T>),
            has_its_own_id: false,
            tool: None,
        }
    }

    /// A route that changes something: takes `B`, answers with `T`.
    pub const fn post<B: JsonSchema, T: JsonSchema>(path: &'static str, summary: &'static str) -> Self {
        let (scope, body) = (Some(Scope::Operate), Body::Json(schema::<B>));
        Self { method: Method::Post, scope, body, ..Self::get::<T>(path, summary) }
    }

    /// A route that changes a part of something: takes `B`, answers with `T`.
    pub const fn patch<B: JsonSchema, T: JsonSchema>(path: &'static str, summary: &'static str) -> Self {
        Self { method: Method::Patch, ..Self::post::<B, T>(path, summary) }
    }

    /// A route that takes something away, and answers with nothing.
    pub const fn delete(path: &'static str, summary: &'static str) -> Self {
        let scope = Some(Scope::Operate);
        Self { method: Method::Delete, scope, answer: Answer::Nothing, ..Self::get::<()>(path, summary) }
    }

    /// A repeat is known by an id of its own.
    #[must_use]
    pub const fn under_its_own_id(mut self) -> Self {
        self.has_its_own_id = true;
        self
    }

    /// Takes the arguments of a tool, and answers as it does.
    #[must_use]
    pub const fn like_tool(mut self, name: &'static str) -> Self {
        self.tool = Some(name);
        self
    }

    /// Takes any bytes.
    #[must_use]
    pub const fn takes_bytes(mut self) -> Self {
        self.body = Body::Bytes;
        self
    }

    #[must_use]
    pub const fn takes_nothing(mut self) -> Self {
        self.body = Body::None;
        self
    }

    #[must_use]
    pub const fn answers_nothing(mut self) -> Self {
        self.answer = Answer::Nothing;
        self
    }

    #[must_use]
    pub const fn query<Q: JsonSchema>(mut self) -> Self {
        self.query = Some(schema::<Q>);
        self
    }

    /// For who has this scope.
    #[must_use]
    pub const fn needs(mut self, scope: Scope) -> Self {
        self.scope = Some(scope);
        self
    }

    #[must_use]
    pub const fn open(mut self) -> Self {
        self.scope = None;
        self
    }

    /// Answers with this status and shape.
    #[must_use]
    pub const fn answers<T: JsonSchema>(mut self, status: u16) -> Self {
        self.answer = Answer::Json(status, schema::<T>);
        self
    }

    #[must_use]
    pub const fn answers_text(mut self, content_type: &'static str) -> Self {
        self.answer = Answer::Text(content_type);
        self
    }
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

impl Method {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Whether a route of this method changes something, and therefore takes an `Idempotency-Key`.
    pub const fn changes(self) -> bool {
        match self {
            Self::Get => false,
            Self::Post | Self::Patch | Self::Delete => true,
        }
    }

    pub const fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Patch => MethodFilter::PATCH,
            Self::Delete => MethodFilter::DELETE,
        }
    }
}
