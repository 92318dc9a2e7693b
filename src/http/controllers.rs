//! The route handlers, one file per resource.

pub(crate) mod analysis;
pub(crate) mod batch;
pub(crate) mod best_move;
pub(crate) mod board;
pub(crate) mod chess_api;
pub(crate) mod cloud_eval;
pub(crate) mod docs;
pub(crate) mod evaluate;
pub(crate) mod explore;
pub(crate) mod games;
pub(crate) mod judgement;
pub(crate) mod legal_moves;
pub(crate) mod limits;
pub(crate) mod live;
pub(crate) mod mcp;
pub(crate) mod perft;
pub(crate) mod picture;
pub(crate) mod play;
pub(crate) mod position;
pub(crate) mod server;
pub(crate) mod standard;
pub(crate) mod stockfish_online;
pub(crate) mod tablebase;
