//! The time to draw the start position as SVG and as PNG.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::Criterion;
use kibitzer::chess::Position;
use kibitzer::render::{Picture, PictureSize};

const SIZES: [u16; 3] = [64, 360, 1024];
const RUNS: usize = 101;

/// The start position in each size.
fn pictures() -> impl Iterator<Item = Picture> {
    SIZES.into_iter().map(|size| {
        let mut picture = Picture::new(Position::startpos().to_setup().board);
        picture.size = PictureSize::new(size).expect("a valid size");
        picture
    })
}

fn draw(picture: &Picture) -> usize {
    picture.to_svg().to_png().expect("a picture").len()
}

/// Measures drawing with criterion.
pub(crate) fn measure(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pictures");
    for picture in pictures() {
        let size = picture.size.pixels();
        group.bench_function(format!("svg {size}"), |bencher| {
            bencher.iter(|| black_box(&picture).to_svg());
        });
        group.bench_function(format!("png {size}"), |bencher| {
            bencher.iter(|| draw(black_box(&picture)));
        });
    }
    group.finish();
}

/// Prints the median time of each size and the length of its file.
pub(crate) fn print() {
    println!("\nPNG of the start position, median of {RUNS} runs");
    for picture in pictures() {
        let mut times: Vec<Duration> = (0..RUNS)
            .map(|_| {
                let start = Instant::now();
                black_box(draw(black_box(&picture)));
                start.elapsed()
            })
            .collect();
        times.sort_unstable();
        let milliseconds = times[RUNS / 2].as_secs_f64() * 1e3;
        let size = picture.size.pixels();
        println!("{size:>5} px {milliseconds:>7.2} ms, {} bytes", draw(&picture));
    }
}
