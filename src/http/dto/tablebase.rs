//! Tablebases in responses: the names of outcomes, the set of tables, and the entry of a searched
//! position.

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::Schema;

use crate::http::schema::{named_enum, ref_or_null};
use crate::tablebase::{Category, Lookup, Tablebase};

named_enum! {
    /// The outcome for the side to move, with the half-move clock of the position. `cursed-win` and
    /// `blessed-loss`: the 50-move rule makes a draw. `syzygy-win` and `syzygy-loss`: the rounded
    /// distance does not say whether it does. `unknown`: no table says.
    pub(crate) struct TablebaseCategory as "TablebaseCategory" = Category::ALL.map(Category::name)
}

/// The outcome of the searched position by tablebase.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct TablebaseEntry {
    /// The outcome for the side to move.
    #[schema(value_type = TablebaseCategory)]
    category: &'static str,
    /// The distance to zeroing, in plies, as in `POST /v1/tablebase`.
    #[schema(required)]
    dtz: Option<i32>,
    /// The number of men of the position, kings and pawns included.
    #[schema(minimum = 2)]
    men: u32,
}

impl TablebaseEntry {
    /// The entry of a position with so many men. `None` if the tables do not know it.
    pub(crate) fn new(lookup: &Lookup, men: u32) -> Option<TablebaseEntry> {
        let entry = lookup.position;
        (entry.category != Category::Unknown).then(|| TablebaseEntry {
            category: entry.category.name(),
            dtz: entry.dtz.map(|dtz| dtz.plies),
            men,
        })
    }
}

pub(crate) fn tablebase_entry_or_null() -> Schema {
    ref_or_null::<TablebaseEntry>(
        "The outcome of the position by tablebase; repetitions do not count. Null if no table has \
            it, if it has castling rights or more men than `syzygy.probe_limit`, or if the tables \
            can't be read.",
    )
}

/// The opened tablebases.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Tablebase)]
pub(crate) struct TablebaseSet {
    /// The number of men of the largest table, kings and pawns included.
    men: u32,
    /// The number of files.
    files: usize,
}

impl From<&Tablebase> for TablebaseSet {
    fn from(tables: &Tablebase) -> TablebaseSet {
        TablebaseSet { men: tables.men(), files: tables.files() }
    }
}

pub(crate) fn tablebase_set_or_null() -> Schema {
    ref_or_null::<TablebaseSet>("The endgame tablebases; null if the server has none.")
}
