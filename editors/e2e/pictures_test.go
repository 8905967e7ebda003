package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"redline/internal/film"
)

// pictures has the pictures of the documentation written to a folder, instead of
// being held to what is there:
//
//	go test ./editors/e2e -run TestPictures -pictures docs/images
var pictures = flag.String("pictures", "", "write the pictures of the documentation to this `folder` of the repository")

// camera takes a picture of a terminal's screen. If no picture is to be written, each screen must
// become equal to the picture in the documentation.
type camera struct {
	*terminal
	size struct{ columns, rows int }
	name string
	film film.Film
	want []film.Shown // nil: the picture in the documentation is of another version
}

// camera returns a camera for a terminal and sets the terminal's size.
func (term *terminal) camera(name, title, maker string, columns, rows int) *camera {
	term.t.Helper()
	c := &camera{terminal: term, name: name, film: film.Film{Title: title, Maker: maker}}
	c.size.columns, c.size.rows = columns, rows
	if out, err := term.tty.(tmux).command("resize-window", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows)).CombinedOutput(); err != nil {
		term.t.Fatalf("tmux: %v\n%s", err, out)
	}
	if *pictures != "" {
		return c
	}
	svg, err := os.ReadFile(filepath.Join("..", "..", "docs", "images", name))
	if err != nil {
		term.t.Fatal(err)
	}
	shown, frames, err := film.Read(svg)
	if err != nil {
		term.t.Fatal(err)
	}
	if shown != maker {
		term.t.Logf("%s is of %s, this is %s: only what it is about is compared", name, shown, maker)
		return c
	}
	c.want = frames
	return c
}

// take waits until all texts are on the screen and takes a picture.
func (c *camera) take(caption string, seconds float64, texts ...string) {
	c.t.Helper()
	c.shows(texts...)
	n := len(c.film.Frames)
	if c.want != nil {
		if n >= len(c.want) || c.want[n].Caption != caption {
			c.t.Fatalf("docs/images/%s does not have %q: write the pictures again", c.name, caption)
		}
		want := comparable(c.want[n].Text)
		c.await("the screen is as in docs/images/"+c.name+", “"+caption+"”:\n"+c.want[n].Text, func(screen string) bool {
			return comparable(screen) == want
		})
	}
	c.film.Frames = append(c.film.Frames, film.Frame{Caption: caption, Seconds: seconds, Screen: c.still()})
}

// still returns the screen once it no longer changes.
func (c *camera) still() film.Screen {
	c.t.Helper()
	last := c.capture()
	for deadline := time.Now().Add(patience); ; {
		if *pictures == "" { // it was compared
			break
		}
		time.Sleep(time.Second / 2)
		now := c.capture()
		if now == last {
			break
		}
		if last = now; time.Now().After(deadline) {
			c.t.Fatal("the screen does not come to rest")
		}
	}
	screen := film.Parse(last, c.size.columns)
	out, err := c.tty.(tmux).command("display-message", "-p", "#{cursor_flag} #{cursor_x} #{cursor_y}").Output()
	var at film.Cursor
	var seen int
	if err == nil {
		_, err = fmt.Sscan(string(out), &seen, &at.Column, &at.Row)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	if seen == 1 {
		screen.Cursor = &at
	}
	return screen
}

// capture returns the screen with its colours.
func (c *camera) capture() string {
	out, _ := c.tty.(tmux).command("capture-pane", "-e", "-N", "-p").Output()
	return string(out)
}

// comparable returns a screen without the parts that differ each time.
func comparable(screen string) string {
	screen = regexp.MustCompile(`sha256:[0-9a-f]+`).ReplaceAllString(screen, "sha256:…")
	screen = regexp.MustCompile(`after \d+\.\d s`).ReplaceAllString(screen, "after … s")
	var lines []string
	for line := range strings.Lines(screen) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// develop writes the picture, or checks that every screen was compared.
func (c *camera) develop() {
	c.t.Helper()
	if *pictures == "" {
		if c.want != nil && len(c.want) != len(c.film.Frames) {
			c.t.Errorf("docs/images/%s has %d frames, want %d: write the pictures again", c.name, len(c.want), len(c.film.Frames))
		}
		return
	}
	svg := c.film.SVG()
	if len(svg) > 100_000 {
		c.t.Errorf("%s has %d bytes", c.name, len(svg))
	}
	folder := *pictures
	if !filepath.IsAbs(folder) {
		folder = filepath.Join("..", "..", folder)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, c.name), svg, 0o644); err != nil {
		c.t.Fatal(err)
	}
}
