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
    use super::super::tests::{codes, gpu_on, gpu_with};
    use super::*;
    use crate::answers::containment::Containment;
    use crate::kernels::nested_scenes::{Nested, nested};
    use crate::packed::layout::UNCERTAIN;

    /// Returns the number of wrong codes, and the number of uncertain codes.
    fn verdict(truth: &[Containment], codes: &[u8]) -> [usize; 2] {
        assert_eq!(truth.len(), codes.len());
        let mut verdict = [0; 2];
        for (&truth, &code) in truth.iter().zip(codes) {
            let uncertain = u32::from(code) == UNCERTAIN;
            verdict[0] += usize::from(!uncertain && code != truth as u8);
            verdict[1] += usize::from(uncertain && truth != Containment::Equal);
        }
        verdict
    }

    #[test]
    fn the_shader_is_never_wrong_and_seldom_uncertain() {
        let gpu = gpu_with(&shader(), None);
        for Nested { name, pairs, truth, is_random } in nested() {
            let [wrong, uncertain] = verdict(truth, &codes(&gpu, pairs).0);
            assert_eq!(wrong, 0, "{name}");
            assert!(!is_random || uncertain * 1000 < truth.len(), "{name}: {uncertain}");
        }
    }

    #[test]
    fn broken_shaders_are_caught() {
        let whole = shader();
        let device = gpu_with(&whole, None).device;
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
            let gpu = gpu_on(&device, &whole.replace(from, to));
            let is_wrong = |scene: &Nested| verdict(&scene.truth, &codes(&gpu, &scene.pairs).0)[0] > 0;
            assert!(nested().iter().any(is_wrong), "{what} goes unnoticed");
        }
    }
}
