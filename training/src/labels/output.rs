//! The label files of a run, written in one fixed order whatever the order of the workers.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use anyhow::Result;

use super::file::{LabelFileWriter, NewBlock};

/// A block that a run labels: its file and its number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) file: usize,
    pub(super) block: usize,
}

/// All blocks of files with these numbers of blocks. Each file advances by the same share, so that
/// a run that is stopped has labels of all files.
pub(super) fn tasks(blocks: &[usize]) -> Vec<Task> {
    let mut tasks: Vec<Task> = (0..)
        .zip(blocks)
        .flat_map(|(file, count)| (0..*count).map(move |block| Task { file, block }))
        .collect();
    let share = |task: &Task| ((task.block as u64 * 2 + 1) << 32) / blocks[task.file] as u64;
    tasks.sort_by_key(|task| (share(task), task.file, task.block));
    tasks
}

/// The label files. Workers claim the blocks that are missing and deliver them.
pub(super) struct Output {
    tasks: Vec<Task>,
    /// Blocks that may be claimed before the first of them is written.
    most_ahead: usize,
    most_bytes: u64,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    files: Vec<LabelFileWriter>,
    claimed: usize,
    written: usize,
    /// Delivered blocks that wait for earlier ones.
    delivered: BTreeMap<usize, NewBlock>,
    stop: Option<Stop>,
    evaluated: u64,
}

/// The reason why a run ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The files have reached the size that they may have.
    Full,
    /// A worker has failed.
    Failed,
}

/// A state of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutputProgress {
    /// Blocks of this run written so far, and all of them.
    pub(super) blocks: (usize, usize),
    /// Positions evaluated by this run.
    pub(super) evaluated: u64,
    /// Labels in the files.
    pub(super) labels: u64,
    /// Bytes of the files.
    pub(super) bytes: u64,
    pub(super) stop: Option<Stop>,
}

impl Output {
    /// `tasks` are those of all blocks. Those that the files have are left out.
    pub(super) fn new(
        files: Vec<LabelFileWriter>,
        mut tasks: Vec<Task>,
        most_ahead: usize,
        most_bytes: u64,
    ) -> Output {
        tasks.retain(|task| task.block >= files[task.file].blocks());
        let state = State {
            files,
            claimed: 0,
            written: 0,
            delivered: BTreeMap::new(),
            stop: None,
            evaluated: 0,
        };
        Output { tasks, most_ahead, most_bytes, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// The next block to label, with its place in the order; `None` when the run ends.
    pub(super) fn claim(&self) -> Option<(usize, Task)> {
        let mut state = self.lock();
        while state.stop.is_none() && state.claimed >= state.written + self.most_ahead {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let place = state.claimed;
        let task = self.tasks.get(place).filter(|_| state.stop.is_none())?;
        state.claimed += 1;
        Some((place, *task))
    }

    /// Takes a labelled block, and writes the blocks whose turn has come.
    pub(super) fn deliver(&self, place: usize, block: NewBlock, evaluated: u64) -> Result<()> {
        let mut state = self.lock();
        state.evaluated += evaluated;
        state.delivered.insert(place, block);
        while state.stop.is_none() {
            let place = state.written;
            let Some(block) = state.delivered.remove(&place) else { break };
            if state.bytes() + block.size() > self.most_bytes {
                state.stop = Some(Stop::Full);
                break;
            }
            state.files[self.tasks[place].file].append(&block)?;
            state.written += 1;
        }
        self.changed.notify_all();
        Ok(())
    }

    /// Ends the run because a worker has failed.
    pub(super) fn stop(&self) {
        self.lock().stop = Some(Stop::Failed);
        self.changed.notify_all();
    }

    pub(super) fn progress(&self) -> OutputProgress {
        let state = self.lock();
        OutputProgress {
            blocks: (state.written, self.tasks.len()),
            evaluated: state.evaluated,
            labels: state.files.iter().map(LabelFileWriter::labels).sum(),
            bytes: state.bytes(),
            stop: state.stop,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn bytes(&self) -> u64 {
        self.files.iter().map(LabelFileWriter::bytes).sum()
    }
}
