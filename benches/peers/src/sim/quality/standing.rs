//! Structures that stand according to mechanics. Each figure is the greatest distance of a body from its position at the start,
//! after 10 s.

use sat2d::sim::BodyOptions;

use super::resting::unrest;
use super::setup::Setup;
use crate::AnyError;
use crate::sim::Contender;

pub(super) fn pyramid(engine: Contender) -> Result<f64, AnyError> {
    let rows = 20;
    let mut setup = Setup::heavy()?;
    setup.floor(100.0, 0.6)?;
    let shape = setup.rectangle(1.0, 1.0)?;
    for row in 0..rows {
        for k in 0..rows - row {
            let x = 1.05 * (f64::from(k) - 0.5 * f64::from(rows - row - 1));
            setup.add(BodyOptions::dynamic(shape, [x, 0.5 + f64::from(row)]));
        }
    }
    Ok(unrest(engine, &setup)?[0])
}

pub(super) fn stack(engine: Contender) -> Result<f64, AnyError> {
    let mut setup = Setup::heavy()?;
    setup.floor(100.0, 0.6)?;
    let shape = setup.rectangle(1.0, 1.0)?;
    for k in 0..20 {
        setup.add(BodyOptions::dynamic(shape, [0.0, 0.5 + f64::from(k)]));
    }
    Ok(unrest(engine, &setup)?[0])
}

/// Measures an arch, which is a half circle of wedges. Mechanics predicts that the arch stands, because its thickness is more
/// than 0.108 times its radius (Milankovitch 1907).
pub(super) fn arch(engine: Contender) -> Result<f64, AnyError> {
    let (wedges, inner, outer, friction) = (11, 5.0, 6.0, 0.8);
    let half = 0.5 * std::f64::consts::PI / f64::from(wedges);
    let (sin, cos) = half.sin_cos();
    let mut setup = Setup::heavy()?;
    setup.floor(100.0, friction)?;
    // The corners of a wedge are relative to the middle of its axis.
    let middle = 0.5 * (inner + outer) * cos;
    let corner = |radius: f64, side: f64| [radius * cos - middle, side * radius * sin];
    let wedge =
        setup.polygon(&[corner(inner, -1.0), corner(outer, -1.0), corner(outer, 1.0), corner(inner, 1.0)])?;
    for k in 0..wedges {
        let angle = f64::from(2 * k + 1) * half;
        let at = [middle * angle.cos(), middle * angle.sin()];
        setup.add(BodyOptions { friction, angle, ..BodyOptions::dynamic(wedge, at) });
    }
    Ok(unrest(engine, &setup)?[0])
}

/// Measures how far the cards of a house of cards move. The house has three storeys of pairs that lean on each other, with flat
/// cards between the storeys. The pairs do not slide, because half the tangent of the angle between a card and the vertical is
/// less than the coefficient of friction.
pub(super) fn card_house(engine: Contender) -> Result<f64, AnyError> {
    let (length, thickness, friction) = (1.0, 0.05, 0.8);
    let (sin, cos) = 20.0f64.to_radians().sin_cos();
    let mut setup = Setup::heavy()?;
    setup.floor(100.0, friction)?;
    let card = setup.rectangle(thickness, length)?;
    let lie = setup.rectangle(length, thickness)?;
    // `aside` is the horizontal distance between the middle of a pair and the centre of each card. `height` is the height of a
    // pair.
    let aside = 0.5 * (thickness * cos + length * sin);
    let height = length * cos + thickness * sin;
    let pitch = length;
    for storey in 0..3 {
        let pairs = 3 - storey;
        let floor = f64::from(storey) * (height + thickness);
        for pair in 0..pairs {
            let x = pitch * (f64::from(pair) - 0.5 * f64::from(pairs - 1));
            for side in [-1.0, 1.0] {
                let at = [x + side * aside, floor + 0.5 * height];
                let angle = side * 20.0f64.to_radians();
                setup.add(BodyOptions { friction, angle, ..BodyOptions::dynamic(card, at) });
            }
        }
        for flat in 0..pairs - 1 {
            let x = pitch * (f64::from(flat) - 0.5 * f64::from(pairs - 2));
            let at = [x, floor + height + 0.5 * thickness];
            setup.add(BodyOptions { friction, ..BodyOptions::dynamic(lie, at) });
        }
    }
    Ok(unrest(engine, &setup)?[0])
}
