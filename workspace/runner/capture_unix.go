//go:build unix

package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"redline/workspace/world"
)

const (
	// dyingTime is how long the rest of a world may take to end once it is killed.
	dyingTime = 10 * time.Second
)

// capture ends everything else in this helper's world, then tells the parent what the command has
// left there, and sends what the parent wants of it. The error is a part of a sentence.
func capture(left *world.Capture, say *json.Encoder, wanted <-chan []int, asked <-chan struct{}) error {
	if closed(asked) {
		return errStopped
	}
	if err := settle(say); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), captureTime)
	defer cancel()
	if err := left.List(ctx, func(some []world.Entry) error { return say.Encode(notice{Left: some}) }); err != nil {
		return err
	}
	if err := say.Encode(notice{Listed: true}); err != nil {
		return err
	}
	select {
	case files := <-wanted:
		for began, n := time.Now(), 0; n < len(files); n++ {
			i := files[n]
			if time.Since(began) > captureTime {
				return errors.New("it takes too long")
			}
			content, err := left.Read(i)
			if err == nil {
				err = say.Encode(notice{Text: &text{i, content}})
			}
			if err != nil {
				return err
			}
		}
	case <-asked:
		return errStopped
	}
	return nil
}

// settle ends everything else in this helper's world, and tells the parent.
func settle(say *json.Encoder) error {
	if err := endWorld(); err != nil {
		return err
	}
	return say.Encode(notice{Still: true})
}

// endWorld kills all other processes of this PID namespace, and waits until none is left: nothing
// can change a file after that.
func endWorld() error {
	for began := time.Now(); time.Since(began) < dyingTime; {
		_ = syscall.Kill(-1, syscall.SIGKILL)
		switch pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); {
		case err == syscall.ECHILD:
			return nil
		case pid == 0:
			time.Sleep(time.Millisecond)
		}
	}
	return errors.New("a process that it started does not end")
}

// taking receives what a command has left in its world.
type taking struct {
	choose func([]world.Entry) []int
	left   []world.Entry
	wanted map[int]bool // what was asked for and has not come; nil before
	room   int64
	err    error
	state  *state // nil if nothing of it is to be written back
}

// add takes a notice of the helper, and answers the one that ends the list.
func (t *taking) add(n notice, order io.Writer) {
	switch {
	case n.Kept != nil:
		t.state.add(n.Kept)
	case t.err != nil || t.choose == nil:
	case len(n.Left) > 0 && t.wanted == nil:
		if t.left = append(t.left, n.Left...); len(t.left) > world.MaxEntries {
			t.err = fmt.Errorf("it wrote or removed more than %d files", world.MaxEntries)
		}
	case n.Listed && t.wanted == nil:
		t.wanted, t.room = map[int]bool{}, world.MaxCaptured
		files := []int{}
		for _, i := range t.choose(t.left) {
			if t.room -= t.left[i].Size; t.room < 0 {
				t.err = fmt.Errorf("the files that it wrote have more than %d MiB", world.MaxCaptured>>20)
				files = nil
				break
			}
			t.wanted[i] = true
			files = append(files, i)
		}
		_ = json.NewEncoder(order).Encode(wants{Files: files}) // an error means that the helper has exited
	case n.Text != nil && t.wanted[n.Text.File]:
		delete(t.wanted, n.Text.File)
		if e := &t.left[n.Text.File]; int64(len(n.Text.Content)) == e.Size {
			e.Text = n.Text.Content
		}
	}
}

// result returns what the command has left, or why that is not known. last is the last notice of the
// helper.
func (t *taking) result(last notice) ([]world.Entry, error) {
	switch {
	case t.choose == nil || t.err != nil:
		return nil, t.err
	case last.Error != "":
		return nil, errors.New(last.Error)
	case t.wanted == nil || len(t.wanted) > 0:
		return nil, errStopped
	}
	return t.left, nil
}
