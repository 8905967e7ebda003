//! Whether a program is new enough for this extension.

/// The oldest version of Redline that this extension starts.
const OLDEST: Version = Version(0, 1, 0);

/// The three numbers of a version. What follows them, such as -dev, does not count.
#[derive(Debug, PartialEq, PartialOrd)]
struct Version(u32, u32, u32);

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// Returns an error if a program that answers `redline version` like this is too old. Another
/// answer is no error: the program may be a wrapper.
pub fn check(program: &str, answer: &str) -> Result<(), String> {
    match parse(answer) {
        Some(version) if version < OLDEST => Err(format!(
            "{program} is Redline {version}, and this extension needs {OLDEST} or newer: \
             `{program} version --check` says how to upgrade it."
        )),
        _ => Ok(()),
    }
}

/// Reads the answer to `redline version`, as in "redline version 1.2.3-rc1 (go1.26)".
fn parse(answer: &str) -> Option<Version> {
    let version = answer.strip_prefix("redline version ")?;
    let end = version.find(|c: char| c != '.' && !c.is_ascii_digit());
    let mut numbers = version[..end.unwrap_or(version.len())]
        .split('.')
        .map(str::parse);
    Some(Version(
        numbers.next()?.ok()?,
        numbers.next()?.ok()?,
        numbers.next()?.ok()?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_program_prints() {
        assert_eq!(
            parse("redline version 1.20.3 (go1.26, linux/amd64)\n"),
            Some(Version(1, 20, 3))
        );
        assert_eq!(
            parse("redline version 0.1.0-dev (commit 1234)"),
            Some(Version(0, 1, 0))
        );
        assert_eq!(parse("redline version 0.1.0"), Some(Version(0, 1, 0)));
        for wrong in [
            "",
            "redline version",
            "redline version 1.2",
            "redline version x.1.2",
            "Redis 7",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn refuses_only_what_is_too_old() {
        let refused = check("/usr/bin/redline", "redline version 0.0.9 (go1.26)").unwrap_err();
        assert!(
            refused.contains("/usr/bin/redline is Redline 0.0.9"),
            "{refused}"
        );
        assert!(refused.contains("needs 0.1.0 or newer"), "{refused}");
        for good in [
            "redline version 0.1.0-dev (go1.26)",
            "redline version 2.0.0",
            "a wrapper's own words",
        ] {
            assert_eq!(check("redline", good), Ok(()), "{good}");
        }
    }
}
