//! An analysis as the store keeps it, and back.

use std::sync::Arc;

use super::address::{Address, Context, History};
use super::effort::Effort;
use super::known::{Analysis, Origin, Stored};
use crate::store::{Place, Record};

/// What is kept of an analysis of this position.
pub(super) fn record(address: &Address, analysis: &Analysis) -> Record {
    let Context { history, clock } = analysis.context;
    let place = Place {
        key: address.key,
        position: address.packed,
        history: history.to_parts(),
        clock,
        lines: analysis.lines,
    };
    Record {
        place,
        report: analysis.report.clone(),
        spent: analysis.effort.spent(),
        saves: analysis.saves,
        stored_ms: analysis.stored.milliseconds,
    }
}

/// The context that a record belongs to.
pub(super) fn context(place: &Place) -> Context {
    Context { history: History::from_parts(place.history), clock: place.clock }
}

/// The analysis that a record keeps.
pub(super) fn analysis(record: &Record, maker: &Arc<str>) -> Analysis {
    Analysis {
        context: context(&record.place),
        report: record.report.clone(),
        effort: Effort::from_spent(record.spent, record.report.depth),
        saves: record.saves,
        lines: record.place.lines,
        stored: Stored { milliseconds: record.stored_ms },
        // Nobody counts for longer than the process lasts.
        origin: Origin::Question,
        maker: maker.clone(),
    }
}
