package orchestrator

import "embed"

//go:embed builtin/*.md
var builtInFiles embed.FS

// builtInOrder is the order in which the built-in specialists are listed, and in which they work
// if keywords choose them. Those that review the work of others come last.
var builtInOrder = []string{General, "code", "tests", "docs", Agents, "run", "review", "improve"}

// builtIn returns the agent files of the built-in specialists.
func builtIn() []File {
	var files []File
	for _, id := range builtInOrder {
		text, err := builtInFiles.ReadFile("builtin/" + id + ".md")
		if err != nil {
			panic(err) // embedded at build time, so any test finds a missing file
		}
		files = append(files, File{ID: id, Name: id, Text: string(text)})
	}
	return files
}
