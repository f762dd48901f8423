//! Tests the sine and the versine of an angle, and the roots of bounds.

use super::*;

#[test]
fn sines_and_versines_are_as_near_as_is_said() {
    let unit = f64::from(f32::EPSILON);
    for k in -200_000..=200_000 {
        let angle = (k as f32 / 200_000.0).powi(3) * 512.0;
        let exact = f64::from(angle);
        let [sin, versine] = turn_by(angle).map(f64::from);
        let truth = 2.0 * (0.5 * exact).sin().powi(2);
        for (found, truth) in [(sin, exact.sin()), (versine, truth)] {
            let bound = 4.0 * unit * truth.abs() + unit * exact.abs();
            assert!((found - truth).abs() <= bound, "{angle}: {found}, not {truth}");
        }
    }
}

#[test]
fn roots_are_roots() {
    for (gap, q, bend) in
        [(1.0, -2.0, 0.0), (1.0, 0.0, 2.0), (0.5, 3.0, 8.0), (2.0, -1.0, 4.0), (1e-6, -1e3, 1e3)]
    {
        let t = root(gap, q, bend);
        assert!(
            t > 0.0 && (gap + q * t - 0.5 * bend * t * t).abs() < 1e-5 * gap.max(q.abs() * t),
            "{gap} {q} {bend}"
        );
    }
    assert!(root(1.0, 1.0, 0.0) > 1e20);
}
