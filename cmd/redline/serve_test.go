package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"redline/lsp/lsptest"
)

// TestServeTakesTheFileLimit checks that limits.max_file applies in the server too, to files that
// are read and to the files that a plan would make.
func TestServeTakesTheFileLimit(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	settings := filepath.Join(home, "config.toml")
	if err := os.WriteFile(settings, []byte("[limits]\nmax_file = 10\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one and two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"REDLINE_CONFIG": settings, "REDLINE_STATE_DIR": filepath.Join(home, "state"),
		"OPENAI_BASE_URL": "", "OPENAI_API_KEY": "", "REDLINE_MODEL": "",
	} {
		t.Setenv(name, value)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	client, server := lsptest.Pipe()
	served := make(chan int, 1)
	go func() { served <- run(ctx, []string{"serve"}, streams{in: server, out: server, err: io.Discard}) }()
	editor, err := lsptest.Start(ctx, client, lsptest.Honest(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for request, answer := range map[string]string{
		`create b.txt with "0123456789a"`: "may have 10 at most (limits.max_file)",
		`insert "x" after "one" in a.txt`: "at most 10 of a file are read (limits.max_file)",
	} {
		if _, err := editor.Execute(ctx, "redline.chat", request); err != nil {
			t.Fatal(err)
		}
		if err := editor.Await(ctx, lsptest.MessageContains(answer)); err != nil {
			t.Errorf("%s: %v\n%v", request, err, editor.Messages())
		}
	}
	if err := editor.Quit(ctx); err != nil {
		t.Error(err)
	}
	client.Close()
	if status := <-served; status != exitOK {
		t.Errorf("exit status %d", status)
	}
}
