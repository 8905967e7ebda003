package toolfolders

import (
	"os"
	"path/filepath"

	"redline/internal/lazyregexp"
	"redline/internal/smallfile"
	"redline/workspace/secrets"
	"redline/workspace/world"
)

// credential matches, besides [secrets.Mentioned], what a file of settings may need secrets for. Such a file is not shown at all:
// a part of it could mean something else. A proxy has its user also without a scheme, and a variable for
// programs is a key by its name, in any way that TOML writes names.
var credential = lazyregexp.New(`(?i)_(pass|pwd|auth)\b|[^/\s"']@|key\w*["']?\s*(=|\]|\.\w)`)

// Settings returns the files of settings that trials read, since tools build something else without
// them, or look for what they have fetched under another name: Cargo's, unless they may have
// credentials. They exist.
func Settings() (files []string) {
	home, _ := os.UserHomeDir() // "" if there is none
	cargo := row{at: "$CARGO_HOME ~/.cargo"}
	for _, dir := range world.Shown(cargo.places(home, false), Homes()) {
		for _, name := range []string{"config.toml", "config"} {
			file := filepath.Join(dir, name)
			text, err := smallfile.Read(file, maxSettings)
			if err == nil && len(text) <= maxSettings && !credential().MatchString(text) && !secrets.Mentioned(text) && !secrets.Text(name, text) {
				files = append(files, file)
			}
		}
	}
	return files
}
