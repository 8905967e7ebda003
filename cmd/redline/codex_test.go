package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"redline/agent/model/modeltest"
)

// Makes the same edit with `codex exec` and `redline run`, alternately. CODEX names Codex's own
// binary; its launcher in Node.js costs extra.
func BenchmarkBesideCodex(b *testing.B) {
	codex := os.Getenv("CODEX")
	if codex == "" {
		var err error
		if codex, err = exec.LookPath("codex"); err != nil {
			b.Skip("there is no Codex here: install it, or name its binary in CODEX")
		}
	}
	script := agentScript{request: {{Edit: "prices.go", Old: beforeEdit, New: afterEdit}, {Say: "Renamed."}}}
	server := modeltest.NewOf(func(ask modeltest.Request) modeltest.Reply { return script.reply(ask, codexCall) })
	base, err := server.Start()
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	home := b.TempDir()
	cmd, err := agentPrograms["codex"].command(codex, strings.TrimSuffix(base, "/v1"), home, request)
	if err != nil {
		b.Fatal(err)
	}
	cmd.Args[len(cmd.Args)-1] = request // measure has no input
	theirs := newAgentRun(b, cmd.Args, append(cmd.Env, "HOME="+home))
	ours, rewrite := redlineRun(b)
	for b.Loop() {
		theirs.once(b)
		rewrite()
		ours.once(b)
	}
	theirMs, theirMiB := theirs.report(b, "codex-")
	ms, mib := ours.report(b, "redline-")
	b.ReportMetric(ms/theirMs, "time-ratio")
	b.ReportMetric(mib/theirMiB, "memory-ratio")
}
