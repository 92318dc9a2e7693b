//! The request of chess-api.com: a position or a list of moves, and the limits of the search.

use std::time::Duration;

use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, SchemaType};
use utoipa::openapi::{ObjectBuilder, Type};

use super::game_text::read_game;
use super::response::{ChessApiError, MessageContext};
use crate::analysis::{AnalysisRequest, Client, PriorityClass};
use crate::chess::{Game, Move, Position, excerpt, parse_move};
use crate::engine::{Limits, SearchOptions};
use crate::http::Caps;
use crate::http::dto::{CorrelationId, resolve_fen};
use crate::http::headers::RequestId;
use crate::http::json::{FromMembers, LenientNumber, Members, OrNull};

/// The documented ranges of chess-api.com, which begin at 1, and their defaults.
const MAX_VARIANTS: u16 = 5;
const DEFAULT_DEPTH: u8 = 12;
const MAX_DEPTH: u8 = 18;
const DEFAULT_THINKING_TIME_MS: u16 = 50;
const MAX_THINKING_TIME_MS: u16 = 100;

/// A position to search, in the format of chess-api.com. The server ignores other members, and
/// null has the meaning of a missing member.
#[derive(Clone, Debug, ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct ChessApiRequest {
    /// The position: a FEN, or `startpos`. It takes precedence over `input`. One of the two is
    /// required.
    #[schema(nullable = false)]
    fen: Option<String>,
    /// A text or HTML with the moves of a game, such as PGN. The position is the one after them.
    #[schema(nullable = false)]
    input: Option<String>,
    /// The number of best moves that a WebSocket reports, 1 to 5. The default is 1. The response of
    /// `POST /v1` is always the best move.
    #[schema(nullable = false, value_type = Option<f64>)]
    variants: Option<LenientNumber>,
    /// The maximum depth in plies, 1 to 18. The default is 12.
    #[schema(nullable = false, value_type = Option<f64>)]
    depth: Option<LenientNumber>,
    /// The maximum time of the search in milliseconds, 1 to 100. The default is 50.
    #[schema(nullable = false, value_type = Option<f64>)]
    max_thinking_time: Option<LenientNumber>,
    /// The only moves to search, in UCI or SAN, with spaces or commas between them. All legal moves
    /// if it is empty.
    #[schema(nullable = false)]
    searchmoves: Option<String>,
    /// An id of the client's choice. The answers repeat it. The server makes one if it is missing.
    #[schema(schema_with = task_id)]
    task_id: Option<CorrelationId>,
}

fn task_id() -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Number]))
        .description(Some(
            "An id of the client's choice, a string or a number. The answers repeat it. The \
             server makes one if it is missing.",
        ))
        .build()
}

/// A search that a client has requested.
#[derive(Clone, Debug)]
pub(super) struct ChessApiSearch {
    game: Game,
    search_moves: Vec<Move>,
    variants: u16,
    depth: u8,
    thinking_time: Duration,
    context: MessageContext,
}

impl FromMembers for ChessApiRequest {
    fn read(members: &mut Members<'_>) -> Option<ChessApiRequest> {
        let fen = members.valid_or_absent::<OrNull<String>>("fen");
        let input = members.valid_or_absent::<OrNull<String>>("input");
        let variants = members.valid_or_absent::<OrNull<LenientNumber>>("variants");
        let depth = members.valid_or_absent::<OrNull<LenientNumber>>("depth");
        let max_thinking_time = members.valid_or_absent::<OrNull<LenientNumber>>("maxThinkingTime");
        let searchmoves = members.valid_or_absent::<OrNull<String>>("searchmoves");
        let task_id = members.valid_or_absent::<OrNull<CorrelationId>>("taskId");
        members.ignore_rest();
        Some(ChessApiRequest {
            fen: fen?.and_then(OrNull::into_option),
            input: input?.and_then(OrNull::into_option),
            variants: variants?.and_then(OrNull::into_option),
            depth: depth?.and_then(OrNull::into_option),
            max_thinking_time: max_thinking_time?.and_then(OrNull::into_option),
            searchmoves: searchmoves?.and_then(OrNull::into_option),
            task_id: task_id?.and_then(OrNull::into_option),
        })
    }
}

impl ChessApiRequest {
    /// Sets up the position and clamps the limits.
    ///
    /// # Errors
    /// The answer to a request without a position that can be searched.
    pub(super) fn resolve(self) -> Result<ChessApiSearch, ChessApiError> {
        let task_id = self.task_id.clone();
        self.resolve_position().map_err(|error| error.with_task_id(task_id))
    }

    fn resolve_position(self) -> Result<ChessApiSearch, ChessApiError> {
        let (game, fen) = match (self.fen, self.input) {
            (Some(fen), _) => {
                let parsed = resolve_fen(&fen)
                    .map_err(|problem| ChessApiError::invalid_fen(problem.detail()))?;
                (Game::new(parsed.position), fen)
            }
            (None, Some(text)) => {
                let game = read_game(&text).map_err(ChessApiError::invalid_input)?;
                let fen = game.position().fen();
                (game, fen)
            }
            (None, None) => {
                let detail = "fen and input are missing; one of them is required";
                return Err(ChessApiError::invalid_input(detail));
            }
        };
        if game.outcome().is_over() {
            let detail = format!("the game is over in {}; there is no move", excerpt(&fen));
            return Err(ChessApiError::invalid_input(detail));
        }
        let search_moves =
            read_search_moves(game.position(), self.searchmoves.as_deref().unwrap_or_default())?;
        let clamped = |number: Option<LenientNumber>, default: u16, max: u16| {
            number.map_or(default, |number| number.clamped(1, max))
        };
        let depth = clamped(self.depth, DEFAULT_DEPTH.into(), MAX_DEPTH.into());
        let thinking_time =
            clamped(self.max_thinking_time, DEFAULT_THINKING_TIME_MS, MAX_THINKING_TIME_MS);
        let task_id = self
            .task_id
            .unwrap_or_else(|| CorrelationId::Text(RequestId::generate().as_str().to_owned()));
        Ok(ChessApiSearch {
            search_moves,
            variants: clamped(self.variants, 1, MAX_VARIANTS),
            depth: u8::try_from(depth).unwrap_or(MAX_DEPTH),
            thinking_time: Duration::from_millis(thinking_time.into()),
            context: MessageContext { position: game.position().clone(), fen, task_id },
            game,
        })
    }
}

impl ChessApiSearch {
    /// The same search with one line.
    pub(super) fn with_one_line(self) -> ChessApiSearch {
        ChessApiSearch { variants: 1, ..self }
    }

    /// The request to the service within the server's own caps, and what its messages need. The
    /// game may be long and is not kept.
    pub(super) fn into_request(
        self,
        client: &Client,
        caps: &Caps,
    ) -> (AnalysisRequest, MessageContext) {
        let request = AnalysisRequest {
            game: self.game,
            limits: Limits {
                depth: Some(self.depth.min(caps.depth)),
                movetime: Some(self.thinking_time.min(caps.movetime)),
                ..Limits::default()
            },
            options: SearchOptions {
                multipv: self.variants.min(caps.multipv).into(),
                search_moves: self.search_moves,
                ..SearchOptions::default()
            },
            fresh: false,
            client: client.clone(),
            class: PriorityClass::Interactive,
            session: None,
            strength: None,
        };
        (request, self.context)
    }
}

fn read_search_moves(position: &Position, text: &str) -> Result<Vec<Move>, ChessApiError> {
    let words = text.split([' ', ',']).filter(|word| !word.is_empty());
    let read = |word: &str| {
        parse_move(position, word).map_err(|error| {
            ChessApiError::invalid_input(format!("searchmoves has {:?}: {error}", excerpt(word)))
        })
    };
    words.map(read).collect()
}
