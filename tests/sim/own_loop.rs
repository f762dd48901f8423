//! Tests the example of a caller's own simulation loop.

#[path = "../../examples/own_loop.rs"]
mod example;

#[test]
fn a_crowd_goes_around_and_is_drawn_with_nothing_read_back() {
    let outcome = pollster::block_on(example::run()).unwrap();
    assert_eq!(outcome.steps, 60);
    assert!(outcome.around >= 230, "{outcome:?}");
    // The scene has 240 discs of radius 0.3, at 10.7 pixels per unit of length. Each disc covers about 32 pixels.
    assert!((6000..9000).contains(&outcome.painted), "{outcome:?}");
}
