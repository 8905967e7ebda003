package adapt

// Joins is joins, for tests.
var Joins = joins

// Look is look, for tests.
func Look(word string) byte { return look(word) }
