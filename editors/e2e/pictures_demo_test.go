package e2e

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"redline/internal/film"
)

// TestPicturesOfDemo takes the documentation's pictures of `redline demo`, a frame for each of its
// steps.
func TestPicturesOfDemo(t *testing.T) {
	w := newWorld(t, nil)
	c := w.terminal("sh", "-c", "'"+filepath.Join(bin, "redline")+"' demo && echo THE END && cat").
		camera("demo.svg", "The main job, as `redline demo` tells it: ask, see, approve, take back", "redline demo", 96, 80)
	c.shows("THE END", "5. Change your mind")
	out, err := c.tty.(tmux).command("capture-pane", "-e", "-N", "-p", "-S", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	told := film.Parse(string(out), c.size.columns)
	step := 0
	for _, row := range told.Rows {
		line := strings.TrimRight(film.Screen{Rows: [][]film.Cell{row}}.Text(), " \n")
		switch title, ok := strings.CutPrefix(line, strconv.Itoa(step+1)+". "); {
		case line == "THE END":
		case ok:
			step++
			c.film.Frames = append(c.film.Frames, film.Frame{Caption: title, Seconds: 5, Screen: film.Screen{Columns: c.size.columns}})
		case step > 0:
			last := &c.film.Frames[len(c.film.Frames)-1].Screen
			if line != "" || len(last.Rows) > 0 {
				last.Rows = append(last.Rows, row)
			}
		}
		if line == "THE END" {
			break
		}
	}
	for n := range c.film.Frames {
		screen := &c.film.Frames[n].Screen
		screen.Rows = screen.Rows[:len(strings.Split(strings.TrimRight(screen.Text(), "\n"), "\n"))]
	}
	for n, frame := range c.film.Frames {
		if c.want != nil && (n >= len(c.want) || comparable(c.want[n].Text) != comparable(frame.Screen.Text())) {
			t.Errorf("“%s” is not as in docs/images/demo.svg: write the pictures again. It is\n%s", frame.Caption, frame.Screen.Text())
		}
	}
	c.develop()
}
