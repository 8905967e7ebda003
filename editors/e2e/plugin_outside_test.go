package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// The user has an outside agent work: they choose it, allow it, see what it prints in the chat, approve
// what it has changed in its copy, and go back to Redline's own model.
func TestNeovimPluginOutside(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		w.needsTrials()
		w.write(filepath.Join(w.home, "config_home", "redline", "config.toml"),
			"[outside.greeter]\ncommand = [\"sh\", \"-c\", \"cat >/dev/null; echo looking around; sed -i s/greet/salute/ main.go; echo It salutes now.\", \"-\"]\nnetwork = [\"none\"]\n")
		p := w.plugged(nvim, "main.go")
		p.attached()
		p.run("lua Choose = 'greeter, in a copy'")
		p.run("Redline with")
		p.holds("Text('redline://chat'):find('/with greeter', 1, true) ~= nil and require('redline').statusline() == ''")
		p.run("lua Choose = 'Allow'")
		p.run("lua Shown = {}; require('redline.events').on('outside', function() Shown[#Shown + 1] = require('redline').statusline() end)")
		p.run("Redline make it salute, please")
		p.holds("State(1) == 'awaiting_approval' and Drawn():find('salute', 1, true) ~= nil")
		p.holds("Text('redline://chat'):find('looking around', 1, true) ~= nil")
		p.holds("Text('redline://chat'):find('greeter works in a copy', 1, true) ~= nil")
		p.holds("table.concat(Shown, '\\n'):find('Redline: greeter works in a copy', 1, true) ~= nil")
		p.is(strings.TrimSuffix(before, "\n"), "Text('main.go')")
		p.run("drop main.go")
		p.run("Redline approve plan")
		p.is("completed", "State(1)")
		p.is(strings.TrimSuffix(strings.ReplaceAll(before, "greet", "salute"), "\n"), "Text('main.go')")
		p.run("Redline with model")
		p.holds("Text('redline://chat'):find('/with model', 1, true) ~= nil")
	})
}
