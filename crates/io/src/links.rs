//! Resolves symbolic links to files that do not exist yet.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The maximum number of symbolic links that are followed one after another. Linux has the same limit.
const MOST_LINKS: usize = 40;

/// Returns the path of the file that is created by writing to `path`. If `path` is a link, the result is the target of
/// the link. If the target is a link, too, it is followed, and so on. If `path` is not a link, the result is `path`.
///
/// [`fs::canonicalize`] also follows links, but only to files that exist.
///
/// # Errors
/// Returns an error if a link cannot be read, or if there are too many links.
pub(crate) fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut here = path.to_path_buf();
    for _ in 0..=MOST_LINKS {
        match fs::symlink_metadata(&here) {
            Ok(metadata) if metadata.is_symlink() => {
                // The target is relative to the folder of the link. An absolute target replaces the whole path.
                let target = fs::read_link(&here)?;
                here.pop();
                here.push(target);
            }
            Ok(_) => return Ok(here),
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(here),
            Err(e) => return Err(e),
        }
    }
    Err(io::Error::other(format!(
        "more than {MOST_LINKS} symbolic links lead on from it; name the file itself"
    )))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_from_their_own_folders() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("below")).unwrap();
        symlink("below/second", at("first")).unwrap();
        symlink("third", at("below/second")).unwrap();
        symlink(at("file"), at("below/third")).unwrap();
        assert_eq!(follow(&at("first")).unwrap(), at("file"));
        assert_eq!(follow(&at("file")).unwrap(), at("file"));
        assert_eq!(follow(Path::new("no-such-file")).unwrap(), Path::new("no-such-file"));
    }

    #[test]
    fn a_loop_of_links_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        symlink(&one, &other).unwrap();
        symlink(&other, &one).unwrap();
        assert!(follow(&one).unwrap_err().to_string().contains("more than 40 symbolic links"));
    }

    #[test]
    fn a_chain_of_forty_links_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |i: usize| folder.path().join(i.to_string());
        for i in 0..=MOST_LINKS {
            symlink(at(i + 1), at(i)).unwrap();
        }
        assert_eq!(follow(&at(1)).unwrap(), at(MOST_LINKS + 1));
        assert!(follow(&at(0)).is_err());
    }
}
