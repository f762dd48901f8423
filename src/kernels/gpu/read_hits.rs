//! Copies compacted hits from the caller's buffer to the host: first the header, then the hits.

use super::encoder::RelationEncoder;
use crate::answers::results::Relation;
use crate::base::error::{Error, Result};
use crate::packed::layout::{HEADER_WORDS, OVERLAPPING};

/// The hits that [`RelationEncoder::read_hits`] copied to the host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostHits {
    /// One element for each hit, in the order of the pairs: the index of the pair and the relation of the pair. The
    /// relation is `None` if the pair is uncertain. To decide an uncertain pair, call
    /// [`Engine::piece_pairs`](crate::Engine::piece_pairs).
    pub hits: Vec<(u32, Option<Relation>)>,
    /// The total number of hits, including the hits for which the buffer had no room. If the buffer was too small,
    /// `needed` is greater than the length of `hits`.
    pub needed: u32,
    /// The total number of uncertain pairs among the hits, including the hits for which the buffer had no room.
    pub uncertain: u32,
}

impl RelationEncoder<'_> {
    /// Copies hits from the buffer `hits` to the host. The passes of [`RelationEncoder::encode_hits`] wrote these hits.
    /// The method first reads the header, and then copies only the hits that the buffer holds. Submit the command
    /// encoder before you call `read_hits`. The buffer needs the usages `STORAGE` and `COPY_SRC`.
    ///
    /// # Errors
    /// - [`Error::Option`] if the buffer lacks the usage `COPY_SRC` or is smaller than the header.
    /// - A device error, such as [`Error::OutOfDeviceMemory`].
    ///
    /// ```no_run
    /// use sat2d::{Engine, PolygonSet, RelationEncoder, wgpu};
    ///
    /// async fn overlapping(
    ///     (device, queue): (&wgpu::Device, &wgpu::Queue),
    ///     relations: &mut RelationEncoder<'_>,
    ///     (pairs, pair_count, hits): (&wgpu::Buffer, u32, &wgpu::Buffer),
    /// ) -> sat2d::Result<Vec<u32>> {
    ///     let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    ///     relations.encode_hits(&mut encoder, pairs, pair_count, hits).await?;
    ///     queue.submit([encoder.finish()]);
    ///     let read = relations.read_hits(hits).await?;
    ///     Ok(read.hits.iter().filter(|(_, relation)| relation.is_some()).map(|&(pair, _)| pair).collect())
    /// }
    /// ```
    pub async fn read_hits(&self, hits: &wgpu::Buffer) -> Result<HostHits> {
        let header_bytes = u64::from(HEADER_WORDS) * 4;
        if hits.size() < header_bytes {
            let value = format!("a buffer of {} bytes, of {header_bytes} needed", hits.size());
            return Err(Error::Option { option: "hits", value, problem: "is too small" });
        }
        if !hits.usage().contains(wgpu::BufferUsages::COPY_SRC) {
            let value = format!("a buffer for {:?}", hits.usage());
            return Err(Error::Option { option: "hits", value, problem: "lacks the usage COPY_SRC" });
        }
        let header = self.device().read_words(hits, 0, header_bytes).await?;
        let [needed, written, uncertain] =
            [header[Self::HITS_NEEDED], header[Self::HITS_WRITTEN], header[Self::HITS_UNCERTAIN]];
        // A buffer that no pass wrote hits to may have any count in its header.
        let most = (hits.size() - header_bytes) / 4;
        let bytes = 4 * u64::from(written).min(most);
        let words =
            if bytes > 0 { self.device().read_words(hits, header_bytes, bytes).await? } else { Vec::new() };
        let hit = |word| {
            let (pair, code) = Self::hit(word);
            (pair, (code == OVERLAPPING).then_some(Relation::Overlapping))
        };
        Ok(HostHits { hits: words.into_iter().map(hit).collect(), needed, uncertain })
    }
}
