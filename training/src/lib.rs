//! The trainer of kibitzer's evaluation network.
//!
//! - Data: a [`sample`] is a position in 32 bytes. A [`data_file`] reads samples part by part, from
//!   a [`game_file`] ([`games`]) or a label file ([`labels`]). A [`selection`] with a [`filter`]
//!   says which of them count. A [`stream`] shuffles [`weighted_file`]s of any size. A [`dataset`]
//!   has all samples of some files in memory.
//! - Inputs: [`features`] and [`king_buckets`] turn a sample into an [`example`], which also holds
//!   the target.
//! - Network: a [`network`] has the layers of one of two architectures, [`single_layer`] or
//!   [`layered`]. In both, tiles of neurons have a [`feature_layer`] and weights to the next layer.
//!   [`shape`] holds the sizes, [`rounding`] the weights that training computes with. Arithmetic
//!   works on a [`row`], that of accumulators on an [`integer_row`].
//! - Network file: a [`quantised_network`] has integer weights, in the first layer
//!   [`quantised_features`]. A [`network_file`] is its bytes, by means of [`network_payload`].
//! - Training: the [`optimiser`] updates the weights. A [`run`] trains on the superbatches of its
//!   [`training_data`]. It writes a [`checkpoint`] and a network file.
//! - Measurement: the [`benchmark`] compares evaluations with deep searches and results.
//! - Win, draw and loss: a [`wdl_model`] is fitted ([`wdl_fit`]) to the [`tally`] of the engine's
//!   own games. Its [`reliability`] compares predicted with observed frequencies.
//!
//! [`datagen`] generates training games by self-play, also from positions that an [`alteration`]
//! makes unusual. [`labels`] are positions around those of
//! games with the evaluation of another program. [`packed_board`] converts positions;
//! [`game_layout`] has the offsets and codes of game files.
//! [`value_parsers`] checks numbers of the command line.

pub mod alteration;
pub mod benchmark;
pub mod checkpoint;
pub mod commands;
pub mod config;
pub mod data_file;
pub mod datagen;
pub mod dataset;
pub mod example;
pub mod feature_layer;
pub mod features;
pub mod filter;
pub mod game_file;
pub mod game_layout;
pub mod games;
pub mod integer_row;
pub mod king_buckets;
pub mod labels;
pub mod layered;
pub mod network;
pub mod network_file;
pub mod network_payload;
pub mod optimiser;
pub mod packed_board;
pub mod quantised_features;
pub mod quantised_network;
pub mod reliability;
pub mod rounding;
pub mod row;
pub mod run;
pub mod sample;
pub mod selection;
pub mod shape;
pub mod short_row;
pub mod single_layer;
pub mod stream;
pub mod tally;
pub mod training_data;
pub mod value_parsers;
pub mod wdl_fit;
pub mod wdl_model;
pub mod weighted_file;
