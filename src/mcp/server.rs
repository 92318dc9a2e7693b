//! The protocol's server: which tools there are, and their calls.

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, serve_server};
use tokio::io::{AsyncRead, AsyncWrite};

use super::api::Api;
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
}

impl<A: Api> ToolServer<A> {
    /// A server whose tools call this API.
    pub fn new(api: A) -> ToolServer<A> {
        ToolServer { api }
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
        tokio::select! {
            result = tools::call(&self.api, tool, arguments) => Ok(result.into()),
            // The client has cancelled the call, or has left. The searches stop with it.
            () = context.ct.cancelled() => {
                Err(ErrorData::internal_error("the call was cancelled", None))
            }
        }
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::find(name).cloned()
    }
}
