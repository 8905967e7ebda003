package world

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"redline/workspace/secrets"
)

// State is what a program has in the user's home folder, such as its settings, tokens and sessions. All
// names are absolute and below [World.Home].
type State struct {
	// Paths are files and folders: the command gets a private copy that it can write. They
	// may be missing.
	Paths []string `json:"paths,omitempty"`

	// Keep are files and folders, in Paths, whose changes the caller wants to write back.
	Keep []string `json:"keep,omitempty"`
}

// Bounds of what is written back of a [State].
const (
	MaxKeptFiles = 1000
	MaxKeptBytes = 64 << 20 // all files together
)

// MaxSingleState is the size limit, in bytes, of a path of a [State] that is a file.
const MaxSingleState = 16 << 20

// The reasons why a file is not written back, as parts of a sentence.
var (
	errConfiguration = errors.New("it is configuration or code, which is never written back")
	errDatabase      = errors.New("it is a database, which another process may have open")
	errKind          = errors.New("only .json, .jsonl, .ndjson, .log and .txt files, and some without an extension, are written back")
	errName          = errors.New("its name is unusual")
	errShape         = errors.New("only credentials, sessions, history and logs of a folder are written back, by their names: name the file in keep")
)

// MayKeep returns nil if a file or folder of the user's home folder may be written back, otherwise why
// not, as a part of a sentence. The name is relative to home, begins with "~/", or is absolute. Only data
// may be: nothing that a program runs or reads as settings or instructions. A folder may be named by a
// final slash.
//
//	MayKeep("~/.codex/auth.json", home)         nil
//	MayKeep("~/.codex/sessions/", home)         nil
//	MayKeep("~/.codex/config.toml", home)       it is configuration
//	MayKeep("~/.claude/plugins/a.json", home)   it is configuration
func MayKeep(name, home string) error {
	isFolder := strings.HasSuffix(name, "/")
	rel := strings.TrimPrefix(name, "~/")
	if filepath.IsAbs(name) {
		var err error
		if rel, err = filepath.Rel(home, name); err != nil {
			return errors.New("it is not in the home folder")
		}
		rel = filepath.ToSlash(rel)
	}
	parts := strings.Split(path.Clean(rel), "/")
	switch {
	case parts[0] == "..", parts[0] == ".", path.IsAbs(rel), strings.HasPrefix(name, "~") && rel == name:
		return errors.New("it is not in the home folder")
	case slices.Contains(strings.Split(strings.TrimSuffix(rel, "/"), "/"), ".."):
		return errName
	case strings.ContainsFunc(rel, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }) || len(rel) > maxEntryPath:
		return errName
	}
	for i, part := range parts {
		parts[i] = strings.ToLower(part)
	}
	last := len(parts) - 1
	for _, part := range parts[:last] {
		if ofCode[part] || secrets.Name(part, true) {
			return errConfiguration
		}
	}
	if isFolder || ofCode[parts[last]] {
		if ofCode[parts[last]] || secrets.Name(parts[last], true) {
			return errConfiguration
		}
		return nil
	}
	return mayKeepFile(parts[last])
}

// MayKeepIn is MayKeep for a file that kept names, or a folder that it is in. What the user has named only by
// a folder must look like credentials, sessions, history or logs too: nobody knows all names of settings.
func MayKeepIn(name, kept, home string) error {
	if err := MayKeep(name, home); err != nil {
		return err
	}
	name, kept = filepath.Clean(name), filepath.Clean(kept)
	if name == kept {
		return nil
	}
	base := strings.ToLower(filepath.Base(name))
	switch path.Ext(base) {
	case ".jsonl", ".ndjson", ".log": // records, which programs add to
		return nil
	}
	if rel, err := filepath.Rel(home, filepath.Dir(name)); err == nil {
		for _, part := range strings.Split(strings.ToLower(filepath.ToSlash(rel)), "/") {
			if ofData[part] {
				return nil
			}
		}
	}
	for _, word := range wordsOf(base) {
		for _, of := range ofRecords {
			if strings.Contains(word, of) {
				return nil
			}
		}
	}
	return errShape
}

func wordsOf(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
}

// mayKeepFile is MayKeep for the last part of a name, in lower case.
func mayKeepFile(name string) error {
	ext := path.Ext(name)
	switch {
	case databases[ext], strings.HasSuffix(name, "-wal"), strings.HasSuffix(name, "-shm"), strings.HasSuffix(name, "-journal"):
		return errDatabase
	case ext == ".jsonl", ext == ".ndjson", ext == ".log":
		if slices.ContainsFunc(wordsOf(strings.TrimSuffix(name, ext)), func(word string) bool { return ofCode[word] && word != "agents" || word == "mcp" }) {
			return errConfiguration
		}
		return nil
	case ext != "" && ext != ".json" && ext != ".txt":
		if len(ext) == len(name) || configurations[ext] {
			return errConfiguration
		}
		return errKind
	case name == ".claude.json", strings.HasSuffix(name, "rc"), strings.HasSuffix(name, "file"):
		return errConfiguration
	}
	for _, word := range wordsOf(name) {
		for _, not := range ofSettings {
			if strings.TrimSuffix(word, "s") == not || len(not) > 4 && strings.Contains(word, not) {
				return errConfiguration
			}
		}
	}
	return nil
}

func nameSet(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}

// ofCode are folders of what agents and other programs run or read as instructions.
var ofCode = nameSet(
	"hooks", "plugins", "agents", "commands", "prompts", "skills", "extensions", "rules", "policies", "memories", "memory",
	"themes", "tools", "scripts", "bin", "sbin", "lib", "libexec", "npm", "git", "node_modules", "automations", "output-styles", "workflows",
	"modes", "marketplaces", "mcp", "mcp-servers", "templates", "modules", "autostart", "systemd", "applications", "environment.d",
	".git", ".vscode", ".idea", ".husky", ".github", ".direnv",
)

// ofData are folders of what agents only record.
var ofData = nameSet("sessions", "session", "history", "chats", "conversations", "threads", "transcripts", "logs", "log", "messages")

// ofRecords are parts of words in the names of files with credentials and records.
var ofRecords = []string{"auth", "cred", "token", "session", "history", "chat", "conversation", "thread", "transcript", "rollout", "account", "login", "log"}

// configurations are the extensions of files that are settings, instructions or code, as far as they
// need a reason of their own.
var configurations = nameSet(
	".toml", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".config", ".json5", ".jsonc", ".rules", ".env", ".plist", ".xml", ".properties",
	".md", ".mdc", ".mdx", ".markdown", ".rst", ".prompt", ".tmpl", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".py", ".pyc",
	".pth", ".rb", ".pl", ".lua", ".php", ".sh", ".bash", ".zsh", ".fish", ".ps1", ".psm1", ".cmd", ".bat", ".exe", ".com", ".dll", ".so", ".dylib",
	".node", ".wasm", ".jar", ".class", ".desktop", ".service", ".timer", ".el", ".vim", ".nix",
)

// databases are the extensions of databases.
var databases = nameSet(".db", ".sqlite", ".sqlite3", ".db3", ".mdb", ".lmdb", ".ldb", ".kv")

// ofSettings are words in the names of files that are settings, in the singular. The longer ones also
// count within a word.
var ofSettings = []string{
	"config", "setting", "preference", "hook", "plugin", "extension", "mcp", "agent", "command", "prompt", "skill", "instruction", "rule",
	"policy", "policie", "permission", "keybinding", "manifest", "package", "profile", "memory", "memorie", "trusted", "model", "theme", "env",
	"project", "workspace", "opencode", "tui", "launch", "task", "requirement", "system", "crontab", "authorized", "known", "marketplace",
	"tool", "toolset", "server", "alias", "aliase", "script", "snippet", "template", "workflow", "provider", "pref", "option", "feature", "trigger", "notify", "macro",
}
