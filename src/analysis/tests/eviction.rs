//! Eviction: a full cache keeps the analyses that save the most work.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use super::*;
use crate::analysis::cache_key::AnalysisKey;
use crate::analysis::evaluation_cache::{EvaluationCache, Origin};

/// SplitMix64 (Steele, Lea, Flood), so that every run has the same requests.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// The keys of distinct positions from random games, without history.
fn random_keys(count: usize, random: &mut Random) -> Vec<AnalysisKey> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    while found.len() < count {
        let mut position = Position::startpos();
        for _ in 0..80 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play(moves[random.below(moves.len())]);
            if position.halfmove_clock() <= 20 && seen.insert(position.key()) && found.len() < count
            {
                found.push(AnalysisKey::of(&Game::new(position.clone())));
            }
        }
    }
    found
}

#[test]
fn hits_save_nine_tenths_of_what_the_best_fixed_set_saves() {
    const POSITIONS: usize = 100_000;
    const REQUESTS: usize = 1_000_000;
    const BOUND: usize = 10_000;
    let mut random = Random(2_026);
    let keys = random_keys(POSITIONS, &mut random);
    let nodes: Vec<u64> =
        (0..POSITIONS).map(|_| 10_f64.powf(3.0 + 3.0 * random.unit()) as u64).collect();
    let mut below = 0.0;
    let zipf: Vec<f64> = (1..=POSITIONS)
        .map(|rank| {
            below += 1.0 / rank as f64;
            below
        })
        .collect();
    let mut rank = || {
        let drawn = random.unit() * below;
        zipf.partition_point(|&sum| sum <= drawn).min(POSITIONS - 1)
    };
    let requests: Vec<usize> = (0..REQUESTS).map(|_| rank()).collect();

    let cache = EvaluationCache::new(BOUND);
    let started = Instant::now();
    let mut hit_nodes = 0;
    for &request in &requests {
        let (key, nodes) = (&keys[request], nodes[request]);
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        cache.record_request(key);
        match cache.lookup_uncounted(key, &limits, 1).sufficient {
            Some((cached, _)) => hit_nodes += cached.report.nodes,
            None => cache.store(key, &limits, &Arc::new(report(8, nodes)), Origin::Request),
        }
        assert!(cache.entries() <= BOUND);
    }

    let mut counts = vec![0_u64; POSITIONS];
    requests.iter().for_each(|&request| counts[request] += 1);
    let mut savings: Vec<u64> =
        counts.iter().zip(&nodes).map(|(&count, nodes)| count.saturating_sub(1) * nodes).collect();
    savings.sort_unstable_by(|a, b| b.cmp(a));
    let best: u64 = savings[..BOUND].iter().sum();
    let share = hit_nodes as f64 / best as f64;
    println!(
        "hits save {share:.4} of the nodes that the best fixed set saves, in {:?}",
        started.elapsed()
    );
    assert!(share >= 0.9, "{share}");
}

#[test]
fn formerly_popular_entries_are_evicted_in_the_end() {
    let mut random = Random(5);
    let keys = random_keys(2_000, &mut random);
    let (old, new) = keys.split_at(1_000);
    let cache = EvaluationCache::new(500);
    let limits = depth(8);
    let ask = |key: &AnalysisKey| {
        cache.record_request(key);
        let is_cached = cache.lookup_uncounted(key, &limits, 1).sufficient.is_some();
        if !is_cached {
            cache.store(key, &limits, &Arc::new(report(8, 1_000)), Origin::Request);
        }
        is_cached
    };
    for _ in 0..40 {
        old[..500].iter().for_each(|key| {
            ask(key);
        });
    }
    assert_eq!(old[..500].iter().filter(|key| ask(key)).count(), 500);
    let hits =
        (0..40).map(|_| new[..500].iter().filter(|key| ask(key)).count()).collect::<Vec<_>>();
    assert!(hits[39] > 450, "{hits:?}");
}

#[test]
fn concurrent_stores_keep_the_bound() {
    let keys = Arc::new(random_keys(5_000, &mut Random(9)));
    let cache = Arc::new(EvaluationCache::new(100));
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let (keys, cache) = (keys.clone(), cache.clone());
            thread::spawn(move || {
                let mut random = Random(thread);
                for _ in 0..20_000 {
                    let key = &keys[random.below(keys.len())];
                    cache.record_request(key);
                    if cache.lookup_uncounted(key, &depth(8), 1).sufficient.is_none() {
                        cache.store(
                            key,
                            &depth(8),
                            &Arc::new(report(8, 1 + random.next() % 5_000)),
                            Origin::Request,
                        );
                    }
                    assert!(cache.entries() <= 100);
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(cache.entries(), 100);
    assert_eq!(cache.recount_entries(), 100);
}
