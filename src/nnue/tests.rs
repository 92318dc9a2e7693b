//! The network against its documentation, and the instruction levels against each other.

mod contributions;
mod file;
mod levels;
mod lines;
mod reference;
mod sample;
