//! The API of this process, as the tools call it: through its routes, without a connection.

use std::future::{pending, poll_fn};
use std::pin::Pin;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::header::{ACCEPT, CONTENT_TYPE, HOST};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderValue, Method};
use tower::ServiceExt;
use tracing::{Instrument, Span};

use crate::chess::excerpt;
use crate::http::App;
use crate::http::access::{AddressClient, Identity};
use crate::http::headers::RequestId;
use crate::http::problem::render_problem;
use crate::http::request_memory::{FREE_BODY_BYTES, Reservation, ShareExceeded};
use crate::mcp::{Api, ApiBody, ApiRequest, MAX_RESPONSE_BYTES, ToolError, long_response};

/// JSON, or a picture.
const ANY_JSON: HeaderValue = HeaderValue::from_static("application/json, */*;q=0.5");
const LOCALHOST: HeaderValue = HeaderValue::from_static("localhost");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The memory of a response and of the document that is read from it, per byte of the response: a
/// member with a short text takes 160 bytes.
const DOCUMENT_BYTES_PER_BYTE: usize = 16;

/// The routes that tools call.
#[derive(Clone)]
pub(crate) struct ToolRoutes {
    router: Router,
    app: App,
}

impl ToolRoutes {
    /// These routes, without the middleware: a call has passed it already.
    pub(crate) fn new(router: Router, app: App) -> ToolRoutes {
        ToolRoutes { router, app }
    }

    /// The API for the tool that a request calls. Its client is that of the request.
    pub(super) fn api_for(&self, parts: &Parts, memory: Arc<Reservation>) -> InProcessApi {
        let mut extensions = Extensions::new();
        copy::<Identity>(&parts.extensions, &mut extensions);
        copy::<AddressClient>(&parts.extensions, &mut extensions);
        copy::<RequestId>(&parts.extensions, &mut extensions);
        extensions.insert(memory.clone());
        let ToolRoutes { router, app } = self.clone();
        let span = Span::current();
        InProcessApi { router, app: Some(app), extensions, memory: Some(memory), span }
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
    /// The server, if there is one.
    app: Option<App>,
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
        let extensions = Extensions::new();
        InProcessApi { router, app: None, extensions, memory: None, span: Span::none() }
    }

    fn request(&self, ApiRequest { path, body }: ApiRequest) -> Result<Request, ToolError> {
        let invalid = |error| ToolError::new("internal", format!("{}: {error}", excerpt(&path)));
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

    /// Reads a response. Its memory, and that of the document in it, is held with the bytes.
    async fn read(&self, path: &str, mut body: Body) -> Result<ApiBody, ToolError> {
        let mut bytes = Vec::new();
        let mut held = self.memory.as_ref().map(Reservation::part);
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            let broken =
                |_| ToolError::new("internal", format!("the response of {path} broke off"));
            let Ok(data) = frame.map_err(broken)?.into_data() else { continue };
            let length = bytes.len() + data.len();
            if length > MAX_RESPONSE_BYTES {
                return Err(long_response(path));
            }
            if let Some(held) = &mut held {
                let document = (DOCUMENT_BYTES_PER_BYTE * length).saturating_sub(FREE_BODY_BYTES);
                held.grow_to(document).map_err(share_exceeded)?;
            }
            bytes.extend_from_slice(&data);
        }
        Ok(ApiBody { bytes, memory: held.map(|held| Box::new(held) as _) })
    }
}

fn share_exceeded(_: ShareExceeded) -> ToolError {
    let detail = "the concurrent requests of this client take its whole share of memory";
    ToolError::new("queue_full", detail)
}

impl Api for InProcessApi {
    async fn send(&self, request: ApiRequest) -> Result<ApiBody, ToolError> {
        let path = request.path.clone();
        let request = self.request(request)?;
        let Ok(mut response) =
            self.router.clone().oneshot(request).instrument(self.span.clone()).await;
        let id = self.extensions.get::<RequestId>();
        render_problem(&mut response, &path, id.map_or("", RequestId::as_str));
        let status = response.status();
        let body = self.read(&path, response.into_body()).await?;
        if status.is_success() {
            Ok(body)
        } else {
            Err(ToolError::from_response(&path, status.as_u16(), &body.bytes))
        }
    }

    async fn closing(&self) {
        match &self.app {
            Some(app) => app.shutting_down().await,
            None => pending().await,
        }
    }
}
