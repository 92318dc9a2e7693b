//! The trainer of kibitzer's evaluation network.
//!
//! From bottom to top: [`sample`] is a position in 32 bytes, [`games`] and [`dataset`] read them
//! from viriformat files through a [`filter`]; [`features`], [`king_buckets`] and [`target`] make
//! an [`example`] of it. A [`row`] is the unit of arithmetic, a [`tile`] some neurons with their
//! weights, [`network`] all of them; [`optimiser`] and [`schedule`] move the weights. A [`run`]
//! does that epoch by epoch and leaves a [`checkpoint`] and a [`network_file`] of the [`quantised`]
//! weights.
//!
//! Fractions on the command line are checked by [`number`].
//!
//! [`datagen`] generates training games by self-play.
//!
//! Beside that, a [`win_model`] is fitted ([`win_fit`]) to the [`tally`] of the engine's own games;
//! its [`calibration`] tells how well.

pub mod calibration;
pub mod checkpoint;
pub mod config;
pub mod datagen;
pub mod dataset;
pub mod example;
pub mod features;
pub mod filter;
pub mod games;
pub mod king_buckets;
pub mod network;
pub mod network_file;
pub mod number;
pub mod optimiser;
pub mod quantised;
pub mod row;
pub mod run;
pub mod sample;
pub mod schedule;
pub mod shape;
pub mod tally;
pub mod target;
pub mod tile;
pub mod wdl_fit;
pub mod wdl_model;

pub mod commands;
