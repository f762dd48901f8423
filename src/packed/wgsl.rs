//! The text of the shaders. In the WebAssembly module that a browser loads, the text has no comments, and each file
//! occurs once, even if several shaders contain it.

/// Returns the texts of files from the folder of shaders. The order of declarations in a module has no effect.
#[cfg(feature = "gpu")]
macro_rules! wgsl {
    ($($file:literal),+ $(,)?) => {{
        const FILES: &[&str] = &[$(crate::packed::wgsl::text!(concat!("/shaders/", $file, ".wgsl"))),+];
        FILES
    }};
}
#[cfg(feature = "gpu")]
pub(crate) use wgsl;

/// Returns the text of one file of the package. The path begins with a slash.
#[cfg(not(target_family = "wasm"))]
macro_rules! text {
    ($path:expr) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), $path))
    };
}

/// Returns the text of one file of the package, without comments. The path begins with a slash.
#[cfg(target_family = "wasm")]
macro_rules! text {
    ($path:expr) => {{
        const LONG: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), $path));
        const LENGTH: usize = crate::packed::wgsl::short(LONG, &mut []);
        const SHORT: [u8; LENGTH] = {
            let mut short = [0; LENGTH];
            crate::packed::wgsl::short(LONG, &mut short);
            short
        };
        const TEXT: &str = match str::from_utf8(&SHORT) {
            Ok(text) => text,
            Err(_) => panic!("nothing but comments has other than ASCII"),
        };
        TEXT
    }};
}
pub(crate) use text;

/// Returns the length of the text that [`shortened`] returns.
#[cfg(feature = "gpu")]
pub const fn shortened_length(text: &str) -> usize {
    short(text, &mut [])
}

/// Returns WGSL without comments and without unnecessary blanks. `LENGTH` must be its [`shortened_length`].
#[cfg(feature = "gpu")]
pub const fn shortened<const LENGTH: usize>(text: &str) -> [u8; LENGTH] {
    let mut short_text = [0; LENGTH];
    short(text, &mut short_text);
    short_text
}

/// Writes WGSL without comments and without unnecessary blanks, up to the length of `out`. Returns the full length.
#[cfg(any(test, target_family = "wasm", feature = "gpu"))]
pub(crate) const fn short(text: &str, out: &mut [u8]) -> usize {
    let text = text.as_bytes();
    let (mut at, mut length, mut last, mut blank) = (0, 0, b';', false);
    while at < text.len() {
        let byte = text[at];
        if byte == b'/' && at + 1 < text.len() && text[at + 1] == b'/' {
            while at < text.len() && text[at] != b'\n' {
                at += 1;
            }
            blank = true;
            continue;
        }
        at += 1;
        if byte.is_ascii_whitespace() {
            blank = true;
            continue;
        }
        let kind = Kind::of(byte);
        let parts = blank && !matches!(kind, Kind::Bracket) && kind as u8 == Kind::of(last) as u8;
        if parts {
            if length < out.len() {
                out[length] = b' ';
            }
            length += 1;
        }
        if length < out.len() {
            out[length] = byte;
        }
        length += 1;
        (last, blank) = (byte, false);
    }
    // The line break separates this file from the next file.
    if length < out.len() {
        out[length] = b'\n';
    }
    length + 1
}

/// The kinds of bytes. Adjacent bytes of one kind may form one token.
#[cfg(any(test, target_family = "wasm", feature = "gpu"))]
#[derive(Clone, Copy)]
enum Kind {
    /// Bytes of names and numbers.
    Word,
    /// Bytes of operators.
    Operator,
    /// A bracket or another byte that is always a token by itself.
    Bracket,
}

#[cfg(any(test, target_family = "wasm", feature = "gpu"))]
impl Kind {
    const fn of(byte: u8) -> Self {
        match byte {
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b';' | b',' | b':' | b'@' => Self::Bracket,
            b'_' | b'.' => Self::Word,
            _ if byte.is_ascii_alphanumeric() => Self::Word,
            _ => Self::Operator,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortened(text: &str) -> String {
        let mut short_text = vec![0; short(text, &mut [])];
        assert_eq!(short(text, &mut short_text), short_text.len());
        String::from_utf8(short_text).unwrap()
    }

    #[test]
    fn only_what_parts_tokens_is_left() {
        let long = "// é\n@group(0) @binding(1) var<storage, read_write> a: array<u32>;\n\nfn f() -> u32 {\n    // x\n    \
                    return a[0] - -b + 1.0 / c; // y\n}\n";
        let expected =
            "@group(0)@binding(1)var<storage,read_write>a:array<u32>;fn f()->u32{return a[0]- -b+1.0/c;}\n";
        assert_eq!(shortened(long), expected);
        assert_eq!(shortened(expected), expected);
    }

    /// Tests that every shader has the same tokens with and without comments.
    #[test]
    fn shaders_mean_the_same_without_comments() {
        let mut count = 0;
        for folder in ["shaders", "shaders/sim", "crates/cli/shaders", "web/shaders"] {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            for file in std::fs::read_dir(folder).unwrap() {
                let path = file.unwrap().path();
                if path.extension().is_none_or(|extension| extension != "wgsl") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(!text.contains("/*"), "only comments to the end of a line are known: {path:?}");
                let short = shortened(&text);
                assert_eq!(tokens(&short), tokens(&text), "{path:?}");
                assert!(short.len() < text.len());
                count += 1;
            }
        }
        assert!(count > 70, "{count} shaders");
    }

    /// Splits text into names, numbers and the text between them. Blanks separate operators that could form longer
    /// operators.
    fn tokens(text: &str) -> Vec<String> {
        let mut tokens: Vec<String> = Vec::new();
        for line in text.lines() {
            let code = line.split("//").next().unwrap();
            for run in code.split_ascii_whitespace() {
                let mut last = None;
                for c in run.chars() {
                    let class = if c.is_ascii_alphanumeric() || c == '_' || c == '.' {
                        0
                    } else if "(){}[];,:@".contains(c) {
                        1
                    } else {
                        2
                    };
                    match tokens.last_mut() {
                        Some(token) if last == Some(class) && class != 1 => token.push(c),
                        _ => tokens.push(c.into()),
                    }
                    last = Some(class);
                }
            }
        }
        tokens
    }
}
