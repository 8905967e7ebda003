package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// BenchmarkNeovimPluginStart measures what the plugin adds to Neovim's start with a file that the
// server is attached to, as Neovim measures it (--startuptime). It alternates starts with and
// without the plugin and reports medians. ms/own is the time of the plugin's script plus the
// additional time of VimEnter; ms/whole is the additional time of the whole start, which includes
// the noise of everything else on the machine.
func BenchmarkNeovimPluginStart(b *testing.B) {
	for _, e := range []struct{ name, variable, cached string }{
		{"0.10", "REDLINE_NVIM_OLDEST", "nvim-0.10"},
		{"newest", "REDLINE_NVIM_NEW", "nvim"},
	} {
		b.Run(e.name, func(b *testing.B) {
			path, _ := editor(b, e.variable, cached(e.cached))
			if err := build(); err != nil {
				b.Fatal(err)
			}
			dir := b.TempDir()
			folder, err := filepath.Abs(filepath.Join("..", "nvim"))
			if err != nil {
				b.Fatal(err)
			}
			bare, plugged := filepath.Join(dir, "bare.lua"), filepath.Join(dir, "plugged.lua")
			for name, text := range map[string]string{bare: "", plugged: "vim.opt.rtp:prepend([[" + folder + "]])\n"} {
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			start := func(config string) (own, whole float64) {
				log := filepath.Join(dir, "log")
				os.Remove(log)
				cmd := exec.Command(path, "--headless", "-n", "-u", config, "--startuptime", log,
					"-c", "autocmd VimEnter * call timer_start(1, {-> execute('qa!')})", filepath.Join(dir, "main.go"))
				cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+dir,
					"XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CACHE_HOME="+dir)
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
				text, err := os.ReadFile(log)
				if err != nil {
					b.Fatal(err)
				}
				return started(b, string(text))
			}
			var ownWith, ownWithout, with, without []float64
			for b.Loop() {
				own, whole := start(bare)
				ownWithout, without = append(ownWithout, own), append(without, whole)
				own, whole = start(plugged)
				ownWith, with = append(ownWith, own), append(with, whole)
			}
			b.ReportMetric(median(ownWith)-median(ownWithout), "ms/own")
			b.ReportMetric(median(with)-median(without), "ms/whole")
			b.ReportMetric(0, "ns/op")
		})
	}
}

var (
	// Clock, time including what it loads, own time, as in `:help --startuptime`.
	ownScript = regexp.MustCompile(`(?m)^[\d.]+ +([\d.]+) +[\d.]+: sourcing .*/plugin/redline\.lua$`)
	entering  = regexp.MustCompile(`(?m)^[\d.]+ +([\d.]+): VimEnter autocommands$`)
	ready     = regexp.MustCompile(`(?m)^([\d.]+) +[\d.]+: --- NVIM STARTED ---$`)
)

// started returns the milliseconds that the plugin's script (if there is one) and VimEnter took,
// and those until Neovim was ready.
func started(b *testing.B, log string) (own, whole float64) {
	b.Helper()
	last := func(line *regexp.Regexp) float64 {
		m := line.FindAllStringSubmatch(log, -1)
		if m == nil {
			if line == ownScript {
				return 0
			}
			b.Fatalf("no %s in\n%s", line, log)
		}
		ms, err := strconv.ParseFloat(m[len(m)-1][1], 64)
		if err != nil {
			b.Fatal(err)
		}
		return ms
	}
	return last(ownScript) + last(entering), last(ready)
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}
