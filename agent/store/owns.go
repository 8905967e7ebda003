package store

import (
	"slices"
	"strings"
)

// SeenName is the name of the file in which the command line notes what it has printed of plans.
const SeenName = "shown.json"

// Owns reports whether an entry of the state directory, by its name there, is Redline's: of this
// package, or of those that keep files beside the database.
func Owns(name string) bool {
	return strings.HasPrefix(name, FileName) || strings.HasPrefix(name, "audit.") || strings.HasPrefix(name, SeenName) ||
		slices.Contains([]string{"executions", "questions", "sessions", "turns", "prune.lock", "pruned", "previews", "temporary", "warm", "keys"}, name)
}
