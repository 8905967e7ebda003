//go:build amd64 || arm64

package runner

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A workspace may be on an overlay, as in a container. If that overlay is on another overlay, the
// kernel refuses a further one, and the error says so.
func TestWorldOnOverlays(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount")
	}
	h := newHouse(t)
	h.write(t, "once/x", "", 0o644)
	h.write(t, "twice/x", "", 0o644)
	h.write(t, "uppers/x", "", 0o644)
	at := func(name string) string { return filepath.Join(h.dir, name) }
	mount(t, "tmpfs", at("uppers"), "tmpfs", 0)
	stack := func(lower, name string) {
		for _, dir := range []string{name, name + ".work"} {
			if err := os.Mkdir(filepath.Join(at("uppers"), dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		upper := filepath.Join(at("uppers"), name)
		if err := unix.Mount("overlay", at(name), "overlay", 0, "lowerdir="+lower+",upperdir="+upper+",workdir="+upper+".work"); err != nil {
			t.Skipf("no overlay can be mounted here: %v", err)
		}
		t.Cleanup(func() {
			if err := unix.Unmount(at(name), unix.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
	}
	try := func(dir string) (Outcome, error) {
		h.world.Folders = []string{dir}
		return Run(context.Background(), Command{Line: "cat a.txt && rm -r old && mkdir old && ls old && echo x > a.txt && cat a.txt", Dir: dir, World: &h.world, Limits: Limits{Time: time.Minute}}, nil)
	}
	stack(h.workspace, "once")
	before := h.files(t)
	if o, err := try(at("once")); err != nil || o.Output != "host\nx\n" {
		t.Errorf("on an overlay: %+v, %v", o, err)
	}
	if after := h.files(t); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	stack(at("once"), "twice")
	if o, err := try(at("twice")); err == nil || !strings.Contains(err.Error(), at("twice")+" cannot be overlaid: it is on two overlays already") {
		t.Errorf("on an overlay of an overlay: %+v, %v", o, err)
	}
}
