//! Tests of the network against its documentation, and of the SIMD levels against each other.

mod contributions;
mod network_file;
mod random_lines;
pub(crate) mod random_network;
mod reference;
mod simd_levels;
