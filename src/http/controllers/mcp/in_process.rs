//! The API of this process, as the tools call it: through its routes, without a connection.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{ACCEPT, CONTENT_TYPE, HOST};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderValue, Method};
use tower::ServiceExt;
use tracing::{Instrument, Span};

use crate::http::access::{AddressClient, Identity};
use crate::http::headers::RequestId;
use crate::http::problem::render_problem;
use crate::http::request_memory::{FREE_BODY_BYTES, Reservation};
use crate::mcp::{Api, ApiRequest, ToolError};

/// JSON, or a picture.
const ANY_JSON: HeaderValue = HeaderValue::from_static("application/json, */*;q=0.5");
const LOCALHOST: HeaderValue = HeaderValue::from_static("localhost");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The routes that tools call.
#[derive(Clone)]
pub(crate) struct ToolRoutes(Router);

impl ToolRoutes {
    /// These routes, without the middleware: a call has passed it already.
    pub(crate) fn new(routes: Router) -> ToolRoutes {
        ToolRoutes(routes)
    }

    /// The API for the tool that a request calls. Its client is that of the request.
    pub(super) fn api_for(&self, parts: &Parts, memory: Arc<Reservation>) -> InProcessApi {
        let mut extensions = Extensions::new();
        copy::<Identity>(&parts.extensions, &mut extensions);
        copy::<AddressClient>(&parts.extensions, &mut extensions);
        copy::<RequestId>(&parts.extensions, &mut extensions);
        extensions.insert(memory.clone());
        let ToolRoutes(router) = self.clone();
        InProcessApi { router, extensions, memory: Some(memory), span: Span::current() }
    }
}

fn copy<T: Clone + Send + Sync + 'static>(from: &Extensions, to: &mut Extensions) {
    if let Some(value) = from.get::<T>() {
        to.insert(value.clone());
    }
}

/// The API of this process.
#[derive(Clone)]
pub struct InProcessApi {
    router: Router,
    /// The client, and the memory and id of its request.
    extensions: Extensions,
    memory: Option<Arc<Reservation>>,
    /// The span of the request. The library runs tools in tasks of their own.
    span: Span,
}

impl InProcessApi {
    /// The API of these routes, for a process without a server. Their middleware sees each request
    /// of a tool.
    pub fn new(router: Router) -> InProcessApi {
        InProcessApi { router, extensions: Extensions::new(), memory: None, span: Span::none() }
    }

    fn request(&self, ApiRequest { path, body }: ApiRequest) -> Result<Request, ToolError> {
        let invalid = |error| ToolError::new("internal", format!("{path}: {error}"));
        let uri = path.parse().map_err(invalid)?;
        let mut request = Request::new(Body::empty());
        if let Some(body) = body {
            *request.method_mut() = Method::POST;
            *request.body_mut() = Body::from(body.to_string());
            request.headers_mut().insert(CONTENT_TYPE, JSON);
        }
        *request.uri_mut() = uri;
        *request.extensions_mut() = self.extensions.clone();
        request.headers_mut().insert(ACCEPT, ANY_JSON);
        // HTTP/1.1 wants a host.
        request.headers_mut().insert(HOST, LOCALHOST);
        Ok(request)
    }
}

impl Api for InProcessApi {
    async fn send(&self, request: ApiRequest) -> Result<Vec<u8>, ToolError> {
        let path = request.path.clone();
        let request = self.request(request)?;
        let Ok(mut response) =
            self.router.clone().oneshot(request).instrument(self.span.clone()).await;
        let id = self.extensions.get::<RequestId>();
        render_problem(&mut response, &path, id.map_or("", RequestId::as_str));
        let status = response.status();
        let failed = |_| ToolError::new("internal", format!("the response of {path} broke off"));
        let bytes = to_bytes(response.into_body(), usize::MAX).await.map_err(failed)?;
        if !status.is_success() {
            return Err(ToolError::from_response(&path, status.as_u16(), &bytes));
        }
        if let Some(memory) = &self.memory
            && bytes.len() > FREE_BODY_BYTES
            && memory.grow(bytes.len() - FREE_BODY_BYTES).is_err()
        {
            let detail = "the concurrent requests of this client take its whole share of memory";
            return Err(ToolError::new("queue_full", detail));
        }
        Ok(bytes.into())
    }
}
