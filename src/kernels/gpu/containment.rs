//! The containment kernel. It has the records, the bindings and the layout of the 2-bit codes of the relation kernel.
//! Only the shader differs.

use super::GpuNarrowPhase;
use crate::base::error::Result;
use crate::packed::wgsl::wgsl;

/// Returns the WGSL source of the shader: the records, the shared geometry functions and the entry point. Rust adds the
/// constants later.
pub(super) fn shader() -> String {
    wgsl!("layout", "filter", "containment").concat()
}

impl GpuNarrowPhase {
    /// Returns a backend on the same device that has the containment kernel. The first call creates the kernel. A pair
    /// that is too large for the device gets the uncertain code. Returns a device error if the device rejects the
    /// kernel.
    pub(crate) async fn for_containment(&self) -> Result<&Self> {
        if let Some(ready) = self.containment.get() {
            return Ok(ready);
        }
        let made = Self::on(self.device.clone(), &shader()).await?;
        Ok(self.containment.get_or_init(|| Box::new(made)))
    }
}

#[cfg(all(test, feature = "scenes"))]
mod tests {
    use super::super::tests::{codes, gpu_with};
    use super::*;
    use crate::answers::containment::Containment;
    use crate::geometry::PolygonSet;
    use crate::kernels::containment::decide;
    use crate::kernels::nested_scenes::nested;
    use crate::kernels::test_scenes::Pairs;
    use crate::packed::layout::UNCERTAIN;

    /// Returns the number of wrong codes, and the number of uncertain codes.
    fn verdict(a: &PolygonSet, b: &PolygonSet, pairs: &Pairs, codes: &[u8]) -> [usize; 2] {
        let mut verdict = [0; 2];
        for (&[i, j], &code) in pairs.indices().iter().zip(codes) {
            let truth = decide(a, i as usize, b, j as usize).expect("few");
            let uncertain = u32::from(code) == UNCERTAIN;
            verdict[0] += usize::from(!uncertain && code != truth as u8);
            verdict[1] += usize::from(uncertain && truth != Containment::Equal);
        }
        verdict
    }

    #[test]
    fn the_shader_is_never_wrong_and_seldom_uncertain() {
        let gpu = gpu_with(&shader(), None);
        for (scene, pairs, is_random) in nested() {
            let [wrong, uncertain] = verdict(&pairs.a, &pairs.b, &pairs, &codes(&gpu, &pairs).0);
            assert_eq!(wrong, 0, "{scene}");
            assert!(!is_random || uncertain * 1000 < pairs.indices().len(), "{scene}: {uncertain}");
        }
    }

    #[test]
    fn broken_shaders_are_caught() {
        let whole = shader();
        for (what, from, to) in [
            (
                "the least projection in place of the greatest",
                "return -least_projection(Block(-direction.x, -direction.y), v);",
                "return least_projection(direction, v);",
            ),
            (
                "the last block of edges left out",
                "let end_a = a.first_block + block_count(a);",
                "let end_a = a.first_block + max(block_count(a), 2u) - 1u;",
            ),
            ("A and B confused", "return COVERS;", "return COVERED_BY;"),
            ("one side's word taken", "of_a == DISJOINT && of_b == DISJOINT", "of_a == DISJOINT"),
        ] {
            assert!(whole.contains(from), "{what}");
            let gpu = gpu_with(&whole.replace(from, to), None);
            let wrong: usize = nested()
                .iter()
                .map(|(_, pairs, _)| verdict(&pairs.a, &pairs.b, pairs, &codes(&gpu, pairs).0)[0])
                .sum();
            assert!(wrong > 0, "{what} goes unnoticed");
        }
    }
}
