//! An extension for Zed that starts Redline, a language server that lets an AI agent propose
//! edits, and makes none before you approve it.

mod manifest;
mod program;
mod release;
mod version;

use zed_extension_api::{
    self as zed, Command, LanguageServerId, Result, Worktree, serde_json::Value, serde_json::json,
    settings::LspSettings,
};

struct Redline;

impl zed::Extension for Redline {
    fn new() -> Self {
        Redline
    }

    fn language_server_command(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let settings = LspSettings::for_worktree(server.as_ref(), worktree)?;
        program::command(server, settings.binary, worktree)
    }

    fn language_server_initialization_options(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        Ok(LspSettings::for_worktree(server.as_ref(), worktree)?.initialization_options)
    }

    fn language_server_workspace_configuration(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<Value>> {
        let settings = LspSettings::for_worktree(server.as_ref(), worktree)?.settings;
        Ok(settings.map(section))
    }
}

zed::register_extension!(Redline);

/// Puts settings into the section "redline", which the server asks for, unless they are there.
fn section(settings: Value) -> Value {
    match settings.get("redline") {
        Some(_) => settings,
        None => json!({ "redline": settings }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_in_the_section() {
        let ui = json!({ "ui": { "code_lens": false } });
        let wanted = json!({ "redline": ui });
        assert_eq!(section(ui), wanted);
        assert_eq!(section(wanted.clone()), wanted);
    }
}
