//! The PNG of a picture, drawn by resvg.

use std::io::{self, Write as _};

use png::{BitDepth, ColorType, Encoder, EncodingError};
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::BoardSvg;

/// The most memory that drawing a picture takes, in bytes: the pixels of a strip, the parsed SVG,
/// and the compressed bytes with the state of the encoder.
pub const DRAWING_BYTES: usize = 2 << 20;

/// The most pixels that are drawn before they are compressed. A picture of up to 512 pixels is one
/// strip.
const STRIP_PIXELS: usize = 1 << 18;

/// A picture that could not be drawn, which is an error of the program.
#[derive(Debug, thiserror::Error)]
pub enum DrawError {
    /// resvg does not accept the SVG.
    #[error("cannot read the picture: {0}")]
    Svg(#[from] resvg::usvg::Error),
    /// The PNG cannot be encoded.
    #[error("cannot encode the picture: {0}")]
    Png(#[from] EncodingError),
    /// The PNG cannot be written.
    #[error("cannot write the picture: {0}")]
    Io(#[from] io::Error),
}

impl BoardSvg {
    /// Draws the picture. This takes milliseconds.
    ///
    /// # Errors
    /// Fails if resvg does not accept the SVG or if the PNG cannot be encoded.
    pub fn to_png(&self) -> Result<Vec<u8>, DrawError> {
        let tree = Tree::from_str(self.as_str(), &Options::default())?;
        let side = usize::from(self.size().pixels());
        let mut png = Vec::new();
        let mut encoder = Encoder::new(&mut png, side as u32, side as u32);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        let mut stream = writer.stream_writer()?;
        let mut row = Vec::with_capacity(3 * side);
        let height = (STRIP_PIXELS / side).min(side);
        let mut strip = Pixmap::new(side as u32, height as u32)
            .ok_or_else(|| io::Error::other("a picture without pixels"))?;
        for top in (0..side).step_by(height) {
            strip.fill(Color::BLACK);
            let shift = Transform::from_translate(0.0, -(top as f32));
            resvg::render(&tree, shift, &mut strip.as_mut());
            for pixels in strip.data().chunks_exact(4 * side).take(side - top) {
                row.clear();
                // Every pixel is opaque.
                row.extend(pixels.chunks_exact(4).flat_map(|pixel| &pixel[..3]));
                stream.write_all(&row)?;
            }
        }
        stream.finish()?;
        drop(writer);
        Ok(png)
    }
}
