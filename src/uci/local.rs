//! The engine in this process.

use std::sync::{Arc, Mutex};

use super::backend::{Backend, Job, Task, Told};
use super::judgement::judgement;
use super::options::{OptionName, Options};
use crate::chess::Position;
use crate::engine::{Engine, Memory, Network, NoMemory};

/// Drives an engine of its own. What the player learns lasts from move to move, until a new game
/// begins.
pub struct Local {
    engine: Arc<Engine>,
    memory: Arc<Mutex<Memory>>,
}

impl Local {
    /// With the table that the options ask for.
    ///
    /// # Errors
    ///
    /// When there is no memory for it.
    pub fn new(options: &Options) -> Result<Local, NoMemory> {
        let engine = Engine::of_player(options.hash_mb, Network::embedded())?;
        let memory = engine.memory();
        Ok(Local { engine: Arc::new(engine), memory: Arc::new(Mutex::new(memory)) })
    }

    /// Goes on with another engine; where there is no memory for its table, with one like that
    /// which was there.
    fn renew(&mut self, hash_mb: usize, network: Arc<Network>) -> Result<(), NoMemory> {
        let (old_mb, old_network) = (self.engine.hash_mb(), Arc::clone(self.engine.network()));
        // The old table goes before the new one comes: there may not be room for both.
        self.replace(1, &old_network)?;
        self.replace(hash_mb, &network).inspect_err(|_| {
            // Should another process have taken the room meanwhile, the smallest table stays.
            let _ = self.replace(old_mb, &old_network);
        })
    }

    fn replace(&mut self, hash_mb: usize, network: &Arc<Network>) -> Result<(), NoMemory> {
        self.engine = Arc::new(Engine::of_player(hash_mb, Arc::clone(network))?);
        self.forget();
        Ok(())
    }

    fn forget(&mut self) {
        self.memory = Arc::new(Mutex::new(self.engine.memory()));
    }
}

impl Backend for Local {
    fn name(&self) -> String {
        format!("kibitzer {}", Engine::VERSION)
    }

    fn offers(&self, _: OptionName) -> bool {
        true
    }

    fn apply(&mut self, option: OptionName, options: &Options) -> Result<(), String> {
        match option {
            OptionName::Hash if self.engine.hash_mb() != options.hash_mb => {
                let network = Arc::clone(self.engine.network());
                self.renew(options.hash_mb, network).map_err(|error| format!("Hash: {error}"))?;
            }
            OptionName::EvalFile => {
                let network = match &options.eval_file {
                    Some(file) => Arc::new(Network::read(file).map_err(|error| error.to_string())?),
                    None => Network::embedded(),
                };
                self.renew(options.hash_mb, network)
                    .map_err(|error| format!("EvalFile: {error}"))?;
            }
            OptionName::ClearHash => self.engine.clear(),
            _ => {}
        }
        Ok(())
    }

    fn new_game(&mut self) {
        self.engine.clear();
        self.forget();
    }

    fn prepare(&self, task: Task) -> Job {
        let engine = Arc::clone(&self.engine);
        let memory = Arc::clone(&self.memory);
        Box::new(move |stop, tell| {
            let Task { game, limits, scope, fresh } = &task;
            let mut tell_report = |report: &_| {
                tell(Told::Progress { report, hash_permille: Some(engine.hash_permille()) })
            };
            if *fresh {
                return engine.continue_game(
                    &mut engine.memory(),
                    game,
                    limits,
                    scope,
                    stop,
                    &mut tell_report,
                );
            }
            let mut known = memory.lock().unwrap_or_else(|poisoned| {
                // A search has panicked in the middle of a change.
                memory.clear_poison();
                let mut known = poisoned.into_inner();
                known.forget();
                known
            });
            engine.continue_game(&mut known, game, limits, scope, stop, &mut tell_report)
        })
    }

    fn evaluate(&self, position: &Position) -> Result<String, String> {
        Ok(judgement(
            position,
            &self.engine.evaluate_pieces(position),
            self.engine.evaluation_name(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_network_whose_table_finds_no_memory_leaves_the_old_network_and_table() {
        let mut local = Local::new(&Options { hash_mb: 2, ..Options::default() }).unwrap();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/nnue/kibitzer.nnue");
        let (old, other) =
            (Arc::clone(local.engine.network()), Arc::new(Network::read(&file).unwrap()));
        let failed = local.renew(usize::MAX, Arc::clone(&other)).unwrap_err();
        assert_eq!(failed, NoMemory { mb: usize::MAX });
        assert!(Arc::ptr_eq(local.engine.network(), &old));
        assert_eq!(local.engine.hash_mb(), 2);
        local.renew(1, Arc::clone(&other)).unwrap();
        assert!(Arc::ptr_eq(local.engine.network(), &other));
    }
}
