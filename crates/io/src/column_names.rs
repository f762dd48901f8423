//! Finds columns by their names, by the same rule in every format.

/// The name of the column whose values are the ids of the features, if the caller names no other column.
pub(crate) const ID: &str = "id";

/// The usual names of columns of geometries, in order of preference. A reader looks for them if neither the caller nor the
/// metadata of the file names the column.
///
/// `shape` comes last, because columns of other contents also have this name.
const GEOMETRIES: [&str; 9] =
    ["geometry", "geom", "the_geom", "wkb_geometry", "wkb", "geometry_wkb", "wkt", "geometry_wkt", "shape"];

/// Returns the index of the column with a name. If no column has exactly this name, the comparison ignores the case of
/// ASCII letters. Returns `None` if no column has the name.
pub(crate) fn find<N: AsRef<str>>(names: &[N], name: &str) -> Option<usize> {
    find_accepted(names, name, |_| true)
}

/// Returns the index of the geometry column, found by the usual names in the order of preference. Skips columns for
/// which `accepts` returns false. Returns `None` if no other column has a usual name.
pub(crate) fn find_geometry<N: AsRef<str>>(names: &[N], accepts: impl Fn(usize) -> bool) -> Option<usize> {
    GEOMETRIES.iter().find_map(|name| find_accepted(names, name, &accepts))
}

fn find_accepted<N: AsRef<str>>(names: &[N], name: &str, accepts: impl Fn(usize) -> bool) -> Option<usize> {
    let exact = |column: &N| column.as_ref() == name;
    let alike = |column: &N| column.as_ref().eq_ignore_ascii_case(name);
    let position =
        |is: &dyn Fn(&N) -> bool| (0..names.len()).find(|&index| is(&names[index]) && accepts(index));
    position(&exact).or_else(|| position(&alike))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_name_is_preferred_to_one_in_another_case() {
        assert_eq!(find(&["ID", "id", "Id"], ID), Some(1));
        assert_eq!(find(&["name", "ID", "Id"], ID), Some(1));
        assert_eq!(find(&["name", "Name"], "NAME"), Some(0));
        assert_eq!(find(&["identifier"], ID), None);
    }

    #[test]
    fn the_first_usual_name_is_the_column_of_geometries() {
        assert_eq!(find_geometry(&["SHAPE", "WKT", "Geometry"], |_| true), Some(2));
        assert_eq!(find_geometry(&["SHAPE", "WKT", "Geometry"], |index| index != 2), Some(1));
        assert_eq!(find_geometry(&["Shape"], |_| true), Some(0));
        assert_eq!(find_geometry(&["point"], |_| true), None);
    }
}
