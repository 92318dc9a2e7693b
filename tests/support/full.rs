//! Whether the long run is wanted.

/// `true` when `KIBITZER_FULL` is set and not empty, as `make test-full` does.
pub(crate) fn full() -> bool {
    std::env::var_os("KIBITZER_FULL").is_some_and(|value| !value.is_empty())
}
