//! The statistics that a search gathers: move histories and correction histories.

mod correction_history;
mod correction_keys;
mod sparse_tables;
mod tables;

pub(super) use correction_history::{CorrectionIndices, corrected_static_eval};
pub(super) use correction_keys::CorrectionKeys;
pub(super) use tables::{
    CONTINUATION_PLIES, HistoryKey, HistoryTables, NO_CONTINUATION, ParentMove, continuation_index,
    history_bonus, history_malus, piece_to_index,
};
