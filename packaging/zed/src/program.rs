//! Finds the program: the one of the user's settings, else the one on PATH, else a release.

use std::collections::HashMap;
use zed_extension_api::{
    Command, EnvVars, LanguageServerId, Result, Worktree, settings::CommandSettings,
};

use crate::{manifest, release, version};

/// Returns the command that starts the server.
pub fn command(
    server: &LanguageServerId,
    settings: Option<CommandSettings>,
    worktree: &Worktree,
) -> Result<Command> {
    let (path, arguments, env) = match settings {
        Some(s) => (s.path, s.arguments, s.env),
        None => (None, None, None),
    };
    let program = match path.or_else(|| worktree.which("redline")) {
        Some(program) => {
            // With arguments of its own it may be another program, such as npx.
            if arguments.is_none() {
                check_version(&program)?;
            }
            program
        }
        None => release::program(server).map_err(|why| not_found(&why))?,
    };
    Ok(Command {
        command: program,
        args: arguments.unwrap_or_else(|| vec!["serve".to_string()]),
        env: environment(worktree.shell_env(), env),
    })
}

/// Says that there is no program, and what to do.
fn not_found(why: &str) -> String {
    format!(
        "Redline is not on your PATH and could not be downloaded ({why}): install it as {} says, \
         or set lsp.redline-lsp.binary.path in Zed's settings.",
        manifest::repository()
    )
}

/// Returns an error if a program is too old. One that Zed does not let this extension run, or
/// that cannot be run, is left to Zed.
fn check_version(program: &str) -> Result<()> {
    match Command::new(program).arg("version").output() {
        Ok(output) => version::check(program, &String::from_utf8_lossy(&output.stdout)),
        Err(_) => Ok(()),
    }
}

/// Returns the environment of the user's shell, where keys of models usually are, with the
/// variables of the settings.
fn environment(shell: EnvVars, settings: Option<HashMap<String, String>>) -> EnvVars {
    let mut all: HashMap<String, String> = shell.into_iter().collect();
    all.extend(settings.unwrap_or_default());
    let mut sorted: EnvVars = all.into_iter().collect();
    sorted.sort();
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_override_the_shell() {
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        let shell = vec![pair("PATH", "/bin"), pair("KEY", "old")];
        let settings = HashMap::from([pair("KEY", "new")]);
        assert_eq!(
            environment(shell.clone(), Some(settings)),
            [pair("KEY", "new"), pair("PATH", "/bin")]
        );
        assert_eq!(
            environment(shell, None),
            [pair("KEY", "old"), pair("PATH", "/bin")]
        );
    }

    #[test]
    fn says_what_to_do() {
        let said = not_found("no network");
        assert!(
            said.contains("(no network)") && said.contains("lsp.redline-lsp.binary.path"),
            "{said}"
        );
        assert!(said.contains(manifest::repository()), "{said}");
    }
}
