//! The text of the page's own shaders.

/// Returns the text of a WGSL file without comments and unnecessary spaces, so that the page loads faster.
macro_rules! shader {
    ($path:literal) => {{
        use sat2d::internal::packed::{shortened, shortened_length};
        const LONG: &str = include_str!($path);
        const SHORT: [u8; shortened_length(LONG)] = shortened(LONG);
        match str::from_utf8(&SHORT) {
            Ok(text) => text,
            Err(_) => panic!("only comments have other characters than ASCII"),
        }
    }};
}
pub(super) use shader;
