//! The progress of a UCI engine's search.

use std::time::{Duration, Instant};

use kibitzer::chess::Position;

use crate::BenchResult;
use crate::uci::{Engine, info_number};

/// The last `info` of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Info {
    pub(crate) depth: u32,
    pub(crate) nodes: u64,
    /// The time since the start of the search, as reported by the engine.
    pub(crate) elapsed: Duration,
}

impl Info {
    /// Nodes per second.
    pub(crate) fn nodes_per_second(&self) -> f64 {
        self.nodes as f64 / self.elapsed.as_secs_f64().max(0.001)
    }
}

impl Engine {
    /// Waits for the end of the search: its last info, and the time of the wait.
    pub(crate) fn finish(&mut self) -> BenchResult<(Info, Duration)> {
        let started = Instant::now();
        let mut last = Info::default();
        while let Some(info) = self.next_info()? {
            last = info;
        }
        Ok((last, started.elapsed()))
    }

    /// The next info of the running search; `None` once it has ended.
    pub(crate) fn next_info(&mut self) -> BenchResult<Option<Info>> {
        while let Some(line) = self.next_line()? {
            let number = |name| info_number(&line, name);
            if let (Some(depth), Some(nodes), Some(ms)) =
                (number("depth"), number("nodes"), number("time"))
            {
                return Ok(Some(Info {
                    depth: u32::try_from(depth)?,
                    nodes,
                    elapsed: Duration::from_millis(ms),
                }));
            }
        }
        Ok(None)
    }

    /// Stops the search.
    pub(crate) fn stop(&mut self) -> BenchResult<()> {
        self.send("stop")
    }
}

/// The nodes of all engines, which search the position at the same time, each with an empty table
/// and for `movetime` milliseconds.
pub(crate) fn nodes_side_by_side(
    engines: &mut [Engine],
    position: &Position,
    movetime: u64,
) -> BenchResult<u64> {
    engines.iter_mut().try_for_each(Engine::new_game)?;
    engines
        .iter_mut()
        .try_for_each(|engine| engine.go(position, &format!("movetime {movetime}")))?;
    engines.iter_mut().map(|engine| Ok(engine.finish()?.0.nodes)).sum()
}
