//! A checksum of the positions, rotations and velocities of all bodies of a world.

use super::World;
use crate::base::error::Result;

/// The 64-bit FNV-1a hash of an empty input (Fowler, Noll and Vo; RFC 9923).
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
/// The prime by which the 64-bit FNV-1a hash is multiplied after each byte.
const PRIME: u64 = 0x0000_0100_0000_01b3;

impl World {
    /// Returns a checksum of the position, the rotation and the velocities of all bodies, in the order of
    /// [`super::BodyId::index`]. If the bodies of two worlds differ in a single bit, the two checksums almost certainly
    /// differ.
    ///
    /// Use the checksum to compare worlds that run on several machines: a world on the CPU has the same checksum on
    /// every machine [if it is built and stepped by the same calls](crate::sim#the-same-bits-on-every-machine).
    ///
    /// ```
    /// use sat2d::RoundedShape;
    /// use sat2d::sim::{BodyOptions, World, WorldOptions};
    ///
    /// let falling = || {
    ///     let mut world = World::new(WorldOptions::default())?;
    ///     let ball = world.add_shape(&RoundedShape::circle([0.0, 0.0], 0.5)?)?;
    ///     world.add(&BodyOptions::dynamic(ball, [0.0, 3.0]))?;
    ///     world.steps(10, 1.0 / 60.0)?;
    ///     world.checksum()
    /// };
    /// assert_eq!(falling()?, falling()?);
    /// # Ok::<(), sat2d::Error>(())
    /// ```
    ///
    /// # Errors
    /// Does not fail on the CPU. On a device, fails in the same cases as [`World::contacts`].
    pub fn checksum(&mut self) -> Result<u64> {
        self.sync()?;
        let rows = self.bodies.rows().enumerate();
        let bodies = rows.filter_map(|(slot, row)| Some((slot as u32, &self.bodies.states[row?])));
        Ok(bodies.fold(BASIS, |hash, (slot, state)| {
            hashed(hashed(hash, &slot.to_le_bytes()), &state.to_le_bytes())
        }))
    }
}

fn hashed(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv() {
        assert_eq!(hashed(BASIS, b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hashed(BASIS, b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hashed(BASIS, b"foobar"), 0x8594_4171_f739_67e8);
    }
}
