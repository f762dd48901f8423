//! Errors for options that are out of range or do not apply.

use super::{CPU, square};
use sat2d::{Error, Keep, Nearest, PolygonSet, Relations};

#[test]
fn options_out_of_range_are_errors_that_name_the_value() {
    let set = PolygonSet::from_convex_rings(&[square(0.0, 0.0, 1.0), square(3.0, 0.0, 1.0)]).unwrap();
    let error = |query| CPU.self_join(&set).query(query).unwrap_err();
    let option = |error| match error {
        Error::Option { option, value, problem } => (option, value, problem),
        other => panic!("{other}"),
    };
    let (name, value, problem) = option(error(Nearest { k: 0, ..Nearest::default() }));
    assert_eq!((name, &value[..]), ("k", "0"));
    assert!(problem.starts_with("must be 1 or more"));
    for (within, shown) in [(-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf"), (-1e-300, "-1e-300")] {
        let (name, value, problem) = option(error(Nearest { within: Some(within), ..Nearest::default() }));
        assert_eq!((name, &value[..], problem), ("within", shown, "must be between 0 and 2^201"));
    }
    let nearest = Nearest::default();
    let join = CPU.self_join(&set);
    assert_eq!(option(join.keep(Keep::Touching).query(nearest).unwrap_err()).0, "keep");
    assert_eq!(option(join.within(1.0).query(nearest).unwrap_err()).0, "within");
    assert_eq!(option(join.check().query(nearest).unwrap_err()).0, "check");
    assert_eq!(join.query(nearest).unwrap().len(), 2);
    assert!(join.query(Relations).unwrap().is_empty());
}
