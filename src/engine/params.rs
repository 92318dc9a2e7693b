//! The tunable parameters of the search: margins, weights and thresholds, each with its range.
//!
//! Margins are in the units of the search (361 units to 100 raw centipawns of the network),
//! reductions in 1/1024 ply. With the feature `tune` they can be set at run time, so that SPSA can
//! tune them (Chess Programming Wiki, "SPSA") and a match can switch a technique off. Without it
//! they are constants.
//!
//! The names are SPSA option names and stay as they are.

macro_rules! parameters {
    ($($name:ident = $value:literal in $min:literal ..= $max:literal;)*) => {
        #[cfg(not(feature = "tune"))]
        mod values {
            $(
                #[inline(always)]
                pub(in crate::engine) const fn $name() -> i32 {
                    $value
                }
            )*
        }

        #[cfg(feature = "tune")]
        mod values {
            use std::sync::atomic::{AtomicI32, Ordering};

            struct Values { $($name: AtomicI32,)* }

            static VALUES: Values = Values { $($name: AtomicI32::new($value),)* };

            $(
                #[inline(always)]
                pub(in crate::engine) fn $name() -> i32 {
                    VALUES.$name.load(Ordering::Relaxed)
                }
            )*

            pub(super) fn set(name: &str, value: i32) -> bool {
                let (parameter, range) = match name {
                    $(stringify!($name) => (&VALUES.$name, $min..=$max),)*
                    _ => return false,
                };
                // Outside its range a parameter might cause a division by zero.
                parameter.store(value.clamp(*range.start(), *range.end()), Ordering::Relaxed);
                true
            }
        }

        pub(super) use values::*;

        /// Every parameter by name, with its default and its range. Empty without the feature
        /// `tune`.
        pub fn tunable() -> Vec<Tunable> {
            #[cfg(feature = "tune")]
            {
                vec![$(Tunable { name: stringify!($name), value: $value, min: $min, max: $max },)*]
            }
            #[cfg(not(feature = "tune"))]
            {
                Vec::new()
            }
        }
    };
}

/// A parameter of the search that can be set in a build with the feature `tune`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// The name.
    pub name: &'static str,
    /// The default.
    pub value: i32,
    /// The least allowed value.
    pub min: i32,
    /// The largest allowed value.
    pub max: i32,
}

/// Sets a parameter, clamped to its range, for every search of this process. Returns `false` when
/// there is no such parameter, which is always the case without the feature `tune`.
pub fn tune(name: &str, value: i32) -> bool {
    #[cfg(feature = "tune")]
    return values::set(name, value);
    #[cfg(not(feature = "tune"))]
    {
        let _ = (name, value);
        false
    }
}

parameters! {
    // The aspiration window.
    aspiration_width = 23 in 6..=40;
    aspiration_square = 14000 in 6000..=40000;
    aspiration_on = 1 in 0..=1;

    // Decisions before the moves of a node.
    mate_distance_on = 1 in 0..=1;
    razoring_base = 274 in 200..=4000;
    razoring_square = 286 in 80..=500;
    futility_depth = 13 in 0..=18;
    futility_slope = 88 in 30..=150;
    futility_improving = 148 in 0..=150;
    futility_worsening = 23 in 0..=80;
    futility_correction = 5 in 0..=20;
    null_depth = 3 in 2..=99;
    null_slope = 20 in 0..=60;
    null_base = 268 in 0..=700;
    null_reduction = 6 in 2..=8;
    null_divisor = 3 in 2..=6;
    null_evaluation = 178 in 80..=500;
    iir_depth = 5 in 2..=99;
    probcut_depth = 4 in 3..=99;
    probcut_margin = 178 in 80..=400;
    probcut_improving = 66 in 0..=150;
    small_probcut_margin = 400 in 200..=800;
    hindsight_sum = 171 in 0..=400;
    hindsight_on = 1 in 0..=1;

    // Move pruning.
    late_base = 3 in 1..=10;
    late_on = 1 in 0..=1;
    noisy_futility_depth = 7 in 0..=12;
    noisy_futility_base = 226 in 80..=500;
    noisy_futility_slope = 214 in 80..=400;
    noisy_futility_history = 112 in 0..=256;
    quiet_futility_depth = 12 in 0..=16;
    quiet_futility_base = 25 in 0..=250;
    quiet_futility_slope = 107 in 40..=220;
    quiet_futility_first = 184 in 0..=500;
    quiet_history_skip = 4549 in 1000..=9000;
    quiet_history_ply = 8230 in 1500..=16000;
    see_noisy = 200 in 40..=300;
    see_quiet = 29 in 5..=60;
    see_history = 22 in 8..=128;
    see_on = 1 in 0..=1;

    // Extensions.
    singular_depth = 6 in 4..=99;
    singular_margin = 54 in 10..=120;
    singular_pv = 59 in 0..=150;
    double_margin = 14 in 0..=60;
    triple_margin = 95 in 30..=250;
    negative_on = 1 in 0..=1;

    // Reductions, in 1/1024 ply.
    lmr_depth = 2 in 2..=99;
    lmr_base = 1301 in 0..=1500;
    lmr_slope = 547 in 200..=800;
    lmr_cut = 2958 in 0..=5000;
    lmr_no_move = 1106 in 0..=2000;
    lmr_window = 528 in 0..=1500;
    lmr_tried = 63 in 0..=150;
    lmr_pv = 795 in 0..=2500;
    lmr_table_pv = 1352 in 0..=2500;
    lmr_table_noisy = 1039 in 0..=2500;
    lmr_cutoffs = 1175 in 0..=2500;
    lmr_check = 682 in 0..=2500;
    lmr_not_improving = 468 in 0..=2000;
    lmr_correction = 11 in 0..=40;
    lmr_history = 101 in 0..=300;
    lmr_noisy_history = 97 in 0..=300;
    lmr_gain = 670 in 0..=1500;
    raised_less = 2 in 0..=3;
    deeper_margin = 64 in 0..=150;
    shallower_margin = 10 in 0..=40;

    // Histories.
    bonus_slope = 205 in 40..=400;
    bonus_offset = 66 in 0..=300;
    bonus_max = 1500 in 500..=4000;
    malus_slope = 267 in 40..=600;
    malus_offset = 33 in 0..=300;
    malus_max = 1347 in 500..=4000;
    parent_bonus = 110 in 0..=250;
    evaluation_bonus = 7 in 0..=30;
    order_good_noisy = 154 in 16..=1024;
    order_main = 84 in 0..=256;
    order_pawn = 47 in 0..=256;
    order_continuation = 101 in 0..=256;
    order_near_root = 159 in 0..=512;
    order_check = 12660 in 0..=30000;
    order_escape = 1 in 0..=1;

    // Corrections of the static evaluation, in 1/1024 of an entry.
    correct_pawn = 44 in 0..=300;
    correct_minor = 69 in 0..=300;
    correct_non_pawn = 109 in 0..=300;
    correct_continuation = 78 in 0..=300;

    // Quiescence.
    delta_margin = 302 in 80..=500;
    delta_on = 1 in 0..=1;
    quiescence_late = 2 in 1..=99;
    quiescence_gain_on = 1 in 0..=1;
    quiescence_see = 81 in 0..=200;
    quiescence_see_on = 1 in 0..=1;
    damping_on = 1 in 0..=1;
    upcoming_on = 1 in 0..=1;
}
