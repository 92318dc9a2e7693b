//! The switch between short and full runs.

/// Whether `KIBITZER_FULL` is set and not empty. `make test-full` sets it.
pub(crate) fn is_full_run() -> bool {
    std::env::var_os("KIBITZER_FULL").is_some_and(|value| !value.is_empty())
}
