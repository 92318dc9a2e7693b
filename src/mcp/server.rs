//! The protocol's server: which tools there are, and their calls.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, serve_server};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::SetOnce;

use super::api::Api;
use super::end_of_input::EndOfInput;
use super::tools;

/// What a model reads before it uses the tools.
const INSTRUCTIONS: &str = "Chess tools with exact rules and a strong engine. Do not track pieces \
    or judge moves in your head: ask a tool. Give a position as `fen`, or as `pgn` with `ply`, \
    then `moves` in SAN or UCI. Every answer shows the FEN and the board. An error has a `code` \
    and says what to change.";

/// A server of the protocol on an API.
#[derive(Clone, Debug)]
pub struct ToolServer<A> {
    api: A,
    /// Set when the client has left.
    left: Arc<SetOnce<()>>,
}

impl<A: Api> ToolServer<A> {
    /// A server whose tools call this API.
    pub fn new(api: A) -> ToolServer<A> {
        ToolServer { api, left: Arc::default() }
    }

    /// Serves one client on these streams, until it closes its own.
    ///
    /// # Errors
    /// The client does not begin as the protocol says, or the streams fail.
    pub async fn serve(
        self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<(), std::io::Error> {
        use rmcp::service::ServerInitializeError::{ConnectionClosed, TransportError};
        // The library would wait for running calls, whose results nobody reads.
        let input = EndOfInput::new(input, self.left.clone());
        let running = match serve_server(self, (input, output)).await {
            Ok(running) => running,
            // A client that leaves before it has begun.
            Err(ConnectionClosed(_) | TransportError { .. }) => return Ok(()),
            Err(error) => return Err(std::io::Error::other(error)),
        };
        running.waiting().await.map(|_reason| ()).map_err(std::io::Error::other)
    }
}

impl<A: Api> ServerHandler for ToolServer<A> {
    fn get_info(&self) -> ServerConfig {
        let implementation = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
            .with_title("kibitzer");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(implementation)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::TOOLS.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = tools::find(&request.name) else {
            let names: Vec<&str> = tools::TOOLS.iter().map(|tool| tool.name.as_ref()).collect();
            let detail = format!("unknown tool {:?}; there are {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(detail, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let cancelled = || Err(ErrorData::internal_error("the call was cancelled", None));
        // A call that is dropped stops its searches.
        tokio::select! {
            result = unless_it_panics(tools::call(&self.api, tool, arguments)) => match result {
                Some(result) => Ok(result.into()),
                None => Err(ErrorData::internal_error("an internal error occurred", None)),
            },
            () = context.ct.cancelled() => cancelled(),
            _ = self.left.wait() => cancelled(),
        }
    }

    /// A request that the library cannot read, or does not know.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method == "tools/call" {
            let detail = "params must be an object with name, a string, and arguments, an object";
            return Err(ErrorData::invalid_params(detail, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::find(name).cloned()
    }
}

/// The result of a call; `None` if it panics. The library would never answer such a call. The panic
/// hook has logged the panic.
async fn unless_it_panics<T>(call: impl Future<Output = T>) -> Option<T> {
    let mut call = pin!(call);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(context))) {
        Ok(polled) => polled.map(Some),
        Err(_panic) => Poll::Ready(None),
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_no_result() {
        assert_eq!(unless_it_panics(async { 1 }).await, Some(1));
        assert_eq!(unless_it_panics::<()>(async { panic!("a test") }).await, None);
    }
}
