//go:build !unix

package main

import (
	"context"
	"os"
)

// awaitInput returns at once.
func awaitInput(context.Context, *os.File) {}

// typedKeys reads nothing.
func typedKeys(*os.File) []byte { return nil }
