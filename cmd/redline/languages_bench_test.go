package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// The time from the start of the process to the answer to initialize where language servers may run and none is
// installed, in turns with a process for which they are switched off.
func BenchmarkInitializeWithoutLanguageServers(b *testing.B) {
	if runtime.GOOS == "windows" {
		b.Skip("Windows has no program env")
	}
	redline := program(b)
	ways := []string{"off", "on"}
	took := map[string][]time.Duration{}
	settings := map[string]string{}
	for _, mode := range ways {
		settings[mode] = filepath.Join(b.TempDir(), "config.toml")
		if err := os.WriteFile(settings[mode], []byte("[languages]\nmode = \""+mode+"\"\n"), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for i := 0; b.Loop(); i++ {
		for k := range ways { // which is the first one may matter
			mode := ways[(i+k)%2]
			c := begin(b, "/usr/bin/env", "REDLINE_CONFIG="+settings[mode], "PATH="+b.TempDir(), redline, "serve")
			c.initialized(b)
			took[mode] = append(took[mode], time.Since(c.started))
			c.send(b, shutdown)
			c.receive(b)
			c.send(b, exit)
			if err := c.Wait(); err != nil {
				b.Fatal(err)
			}
		}
	}
	off, on := median(took["off"]), median(took["on"])
	b.ReportMetric(0, "ns/op") // of both together
	b.ReportMetric(float64(off.Microseconds())/1e3, "off-ms")
	b.ReportMetric(float64(on.Microseconds())/1e3, "on-ms")
	b.ReportMetric(float64(on)/float64(off), "on/off")
}
