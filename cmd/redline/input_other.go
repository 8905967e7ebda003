//go:build !unix

package main

import (
	"context"
	"os"
)

// awaitInput returns at once.
func awaitInput(context.Context, *os.File) {}

// dropInput drops nothing.
func dropInput(*os.File) {}
