//go:build amd64 || arm64

package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What programs lead to is in the world, folders and single files, by the names of links too; it can
// only be read, what is hidden in it is not there, and what waits in it on the host cannot be reached.
func TestWorldShowsPrograms(t *testing.T) {
	h := newHouse(t)
	at := func(name string) string { return filepath.Join(h.dir, filepath.FromSlash(name)) }
	for name, text := range map[string]string{
		"away/venv/bin/x": "#!/bin/sh\necho x\n", "away/venv/.env": "KEY=hush\n", "away/venv/deep/cache/old": "old\n",
		"home/one/tool": "#!/bin/sh\necho one\n", "home/one/other": "hush\n", "home/one/two": "#!/bin/sh\necho two\n", "home/key/script": "#!/bin/sh\n# hush\n", "home/key/other": "hush\n",
	} {
		h.write(t, name, text, 0o755)
	}
	for name, to := range map[string]string{"home/by": "../away/venv/bin", "home/link": "one/tool", "home/gone": "nothing"} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	listen(t, "unix", at("away/venv/s"))
	if err := unix.Mkfifo(at("away/venv/fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	h.world.Programs = []string{at("away/venv"), at("home/by"), at("home/link"), at("home/one/two"), at("home/key/script"), at("home/gone"), at("none"), h.home, h.dir, "/"}
	h.world.Tools = append(h.world.Tools, at("away/venv/deep/cache"))
	h.world.Hidden = append(h.world.Hidden, at("away/venv/.env"), at("home/key/script"))
	before := h.files(t)
	o := h.run(t, `~/by/x; ~/link; ~/one/tool; ~/one/two; ls ~/one; cat ~/key/* ../away/venv/.env; cat ../away/venv/deep/cache/old
(echo new > ../away/venv/new) 2>/dev/null && echo CHANGED
for name in ../away/venv/bin/x ~/one/tool ~/one/two; do (echo changed >> $name) 2>/dev/null && echo CHANGED $name; chmod 700 $name 2>/dev/null && echo CHANGED $name; rm -rf $name 2>/dev/null && test ! -e $name && echo CHANGED $name; done
ls ~/Documents / >/dev/null; cat ~/.netrc; timeout 1 sh -c 'echo in > ../away/venv/fifo' && echo REACHED
python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("../away/venv/s")' && echo REACHED`, time.Minute)
	want := "x\none\none\ntwo\ntool\ntwo\nold\n"
	if o.Stdout != want || strings.Contains(o.Output, "hush") {
		t.Errorf("got\n%s\nwant\n%s\n%s", o.Stdout, want, o.Stderr)
	}
	if after := h.files(t); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}
