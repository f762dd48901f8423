//! Writes an animation: a sequence of pictures at the speed of the scene.

use gif::{Encoder, EncodingError, Frame, Repeat};

use super::drawing::{Ink, Painter};
use super::raster::Raster;
use crate::error::{Error, Result};
use rayon::prelude::*;
use sat2d::sim::{BodyId, World};
use sat2d_io::Output;

/// The number of colours of the palette: the ink colours, and three blends of each pair of ink colours. The blends are
/// for the edges of shapes.
const COLOURS: usize = Ink::ALL.len() + 3 * (Ink::ALL.len() * (Ink::ALL.len() - 1) / 2);
/// The palette index that means: this pixel is the same as in the previous picture.
const UNCHANGED: u8 = COLOURS as u8;
/// The shortest time of a picture that viewers of animations respect, in hundredths of a second.
const SHORTEST: f64 = 2.0;
/// The longest time for which one picture is shown, in hundredths of a second.
const LONGEST: f64 = 6000.0;
/// The time for which the last picture is shown, in hundredths of a second.
const LAST: u16 = 150;
/// The number of bytes of pictures that are collected before they are compressed, each picture on one thread.
const TOGETHER: usize = 1 << 25;

/// An animated GIF that is being written.
pub(super) struct Animation {
    encoder: Encoder<Output>,
    painter: Painter,
    palette: Palette,
    /// The last added picture and its time in the scene, or `None` before the first picture. This picture is pending: it is
    /// written when the time of the next picture is known.
    pending: Option<(Vec<u8>, f64)>,
    /// The picture before the pending picture, or `None` if the pending picture is the first. Only the changes since this
    /// picture are written.
    shown: Option<Vec<u8>>,
    /// The pictures that have been added and that are not compressed and written yet.
    frames: Vec<Frame<'static>>,
    /// The time in the animation at which the pending picture is shown, in hundredths of a second.
    clock: f64,
}

impl Animation {
    pub(super) fn new(output: Output, painter: Painter) -> Result<Self> {
        let name = output.name().to_owned();
        let failed = |source| Error::write(name.clone(), source);
        // The width is at most 4096, and the height is at most 4 times the width.
        let [width, height] = painter.size().map(|side| side as u16);
        let palette = Palette::new();
        let mut encoder =
            Encoder::new(output, width, height, &palette.bytes).map_err(|e| failed(cause(e)))?;
        encoder.set_repeat(Repeat::Infinite).map_err(|e| failed(cause(e)))?;
        Ok(Self { encoder, painter, palette, pending: None, shown: None, frames: Vec::new(), clock: 0.0 })
    }

    /// Adds a picture of the current state of the world. Returns an error if the world cannot be read or the animation cannot be
    /// written. `time` is the time of the state in the scene.
    pub(super) fn add(&mut self, time: f64, world: &mut World, ids: &[BodyId]) -> Result<()> {
        let mut raster = Raster::new(self.painter.size());
        self.painter.draw(world, ids, &mut raster)?;
        let picture = raster.pixels().iter().map(|p| self.palette.nearest([p.red(), p.green(), p.blue()]));
        let picture = picture.collect();
        if let Some((before, shown_at)) = self.pending.replace((picture, time)) {
            // The code rounds the sum of the delays, and not each delay, so that rounding errors do not add up.
            let until = (self.clock + 100.0 * (time - shown_at)).max(self.clock.round() + SHORTEST);
            let delay = (until.round() - self.clock.round()).min(LONGEST);
            self.clock = until;
            self.push(before, delay as u16);
            if self.frames.len() * self.painter.size().into_iter().product::<u32>() as usize >= TOGETHER {
                self.write()?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<()> {
        if let Some((picture, _)) = self.pending.take() {
            self.push(picture, LAST);
        }
        self.write()?;
        let name = self.encoder.get_ref().name().to_owned();
        let output = self.encoder.into_inner().map_err(|e| Error::write(name, cause(e)))?;
        Ok(output.commit()?)
    }

    /// Adds a picture to the frames, as the changes since the previous picture. `delay` is the time for which the picture is shown,
    /// in hundredths of a second.
    fn push(&mut self, picture: Vec<u8>, delay: u16) {
        let buffer = match &self.shown {
            None => picture.clone(),
            Some(shown) => {
                let change = |(&now, &before): (&u8, &u8)| if now == before { UNCHANGED } else { now };
                picture.iter().zip(shown).map(change).collect()
            }
        };
        let [width, height] = self.painter.size().map(|side| side as u16);
        let transparent = self.shown.is_some().then_some(UNCHANGED);
        self.frames.push(Frame {
            delay,
            transparent,
            width,
            height,
            buffer: buffer.into(),
            ..Frame::default()
        });
        self.shown = Some(picture);
    }

    fn write(&mut self) -> Result<()> {
        self.frames.par_iter_mut().for_each(Frame::make_lzw_pre_encoded);
        for frame in self.frames.drain(..) {
            self.encoder
                .write_lzw_pre_encoded_frame(&frame)
                .map_err(|e| Error::write(self.encoder.get_ref().name().to_owned(), cause(e)))?;
        }
        Ok(())
    }
}

fn cause(error: EncodingError) -> std::io::Error {
    match error {
        EncodingError::Io(source) => source,
        other => std::io::Error::other(other.to_string()),
    }
}

/// A palette of up to 256 colours.
struct Palette {
    /// The red, green and blue of each colour, as three bytes. Unused entries are black.
    bytes: Vec<u8>,
    /// The index of the nearest colour, for each value of the upper five bits of red, green and blue.
    nearest: Vec<u8>,
}

impl Palette {
    fn new() -> Self {
        let mut colours: Vec<[u8; 3]> = Ink::ALL.map(Ink::colour).into();
        for (k, a) in Ink::ALL.into_iter().enumerate() {
            for b in &Ink::ALL[..k] {
                for part in 1..4 {
                    let between =
                        |(a, b): (u8, u8)| ((u16::from(a) * part + u16::from(b) * (4 - part)) / 4) as u8;
                    let (a, b) = (a.colour(), b.colour());
                    colours.push([between((a[0], b[0])), between((a[1], b[1])), between((a[2], b[2]))]);
                }
            }
        }
        let distance = |a: [u8; 3], b: [u8; 3]| -> u32 {
            a.iter().zip(b).map(|(&a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
        };
        let nearest_of = |cell: u16| {
            let middle = [
                ((cell >> 10) * 8 + 4) as u8,
                (((cell >> 5) & 31) * 8 + 4) as u8,
                ((cell & 31) * 8 + 4) as u8,
            ];
            let best = (0..colours.len()).min_by_key(|&k| distance(colours[k], middle));
            best.unwrap_or_default() as u8
        };
        let mut nearest: Vec<u8> = (0..1 << 15).map(nearest_of).collect();
        // A pixel that is not blended keeps exactly its ink colour.
        for (k, &colour) in colours[..Ink::ALL.len()].iter().enumerate() {
            nearest[cell(colour)] = k as u8;
        }
        let mut bytes = colours.concat();
        bytes.resize(3 * 256, 0);
        Self { bytes, nearest }
    }

    fn nearest(&self, colour: [u8; 3]) -> u8 {
        self.nearest[cell(colour)]
    }
}

fn cell([r, g, b]: [u8; 3]) -> usize {
    [r, g, b].into_iter().fold(0, |cell, part| (cell << 5) | usize::from(part >> 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_has_every_ink_and_room_for_what_stays() {
        let palette = Palette::new();
        for ink in Ink::ALL {
            let k = usize::from(palette.nearest(ink.colour()));
            assert_eq!(palette.bytes[3 * k..][..3], ink.colour());
        }
        const { assert!(COLOURS < 256) };
        assert!(palette.nearest.iter().all(|&k| k < UNCHANGED));
    }
}
