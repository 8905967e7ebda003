//! What extension.toml says: the one place that names Redline's address and this extension's
//! version.

const MANIFEST: &str = include_str!("../extension.toml");

/// Returns the version of this extension, which is that of the release that it belongs to.
pub fn version() -> &'static str {
    value("version")
}

/// Returns Redline's address, without a slash at its end.
pub fn repository() -> &'static str {
    value("repository").trim_end_matches('/')
}

/// Returns the OWNER/NAME of a repository on GitHub.
pub fn on_github(repository: &str) -> Option<&str> {
    repository
        .strip_prefix("https://github.com/")
        .filter(|name| name.split('/').count() == 2)
}

/// Returns the text of a key at the top of the manifest, or "" if there is no such key.
fn value(key: &str) -> &'static str {
    MANIFEST
        .lines()
        .find_map(|line| {
            line.strip_prefix(key)?
                .strip_prefix(" = \"")?
                .strip_suffix('"')
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_manifest() {
        assert!(
            version().starts_with(|c: char| c.is_ascii_digit()),
            "{}",
            version()
        );
        assert!(repository().starts_with("https://"), "{}", repository());
        assert_eq!(value("no such key"), "");
    }

    #[test]
    fn finds_the_name_on_github() {
        assert_eq!(
            on_github("https://github.com/owner/redline"),
            Some("owner/redline")
        );
        assert_eq!(on_github("https://github.com/owner"), None);
        assert_eq!(on_github("https://example.org/redline"), None);
    }
}
