package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"redline/workspace/runner"
	"redline/workspace/secrets"
)

// recording stores the results of trials in the directory of a model's recording, and answers
// from them when it is replayed. The output of a trial is part of the model's next request, and
// differs from run to run.
type recording struct {
	dir string

	mu   sync.Mutex
	all  []*recordedRun // for a replay
	used map[*recordedRun]bool
}

// recordedRun is the content of a file of a recording, such as trial-0001.json.
type recordedRun struct {
	Format string     `json:"format"`
	Line   string     `json:"command"`
	Folder string     `json:"folder"` // relative to the workspace's first folder, slash-separated
	End    runner.End `json:"end"`
	Exit   int        `json:"exitCode"`
	Signal string     `json:"signal,omitempty"`
	Millis int64      `json:"millis"`
	Output string     `json:"output"`

	Unreached int `json:"unreached,omitempty"`
}

const recordedFormat = "redline trial 1"

// run runs a command. The usual one is in package [runner].
type run func(ctx context.Context, c runner.Command, tell func(runner.Stream, string)) (runner.Outcome, error)

// recorded returns a run that stores the results of do in dir.
func recorded(dir string, do run) run {
	r := &recording{dir: dir}
	return func(ctx context.Context, c runner.Command, tell func(runner.Stream, string)) (runner.Outcome, error) {
		o, err := do(ctx, c, tell)
		if err == nil {
			err = r.keep(c, o)
		}
		return o, err
	}
}

// keep writes an outcome to a file of its own.
func (r *recording) keep(c runner.Command, o runner.Outcome) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	data, err := json.MarshalIndent(recordedRun{
		Format: recordedFormat, Line: secrets.MaskedCommand(c.Line), Folder: folderOf(c), End: o.End, Exit: o.ExitCode, Signal: o.Signal,
		Millis: o.Took.Milliseconds(), Output: o.Output, Unreached: o.Unreached,
	}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	for n := 1; ; n++ {
		f, err := os.OpenFile(filepath.Join(r.dir, fmt.Sprintf("trial-%04d.json", n)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("the trial could not be recorded: %w", err)
		}
		_, err = f.Write(append(data, '\n'))
		return errors.Join(err, f.Close())
	}
}

// replayed returns a run that answers from the recording in dir, and runs nothing.
func replayed(dir string) run {
	r := &recording{dir: dir, used: map[*recordedRun]bool{}}
	return func(ctx context.Context, c runner.Command, tell func(runner.Stream, string)) (runner.Outcome, error) {
		if err := ctx.Err(); err != nil {
			return runner.Outcome{}, err
		}
		x, err := r.find(c)
		if err != nil {
			return runner.Outcome{}, err
		}
		tell(runner.Stdout, x.Output)
		return runner.Outcome{End: x.End, ExitCode: x.Exit, Signal: x.Signal, Took: time.Duration(x.Millis) * time.Millisecond, Output: x.Output, Unreached: x.Unreached}, nil
	}
}

// find returns the next recorded run of a command.
func (r *recording) find(c runner.Command) (*recordedRun, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		if err := r.read(); err != nil {
			return nil, err
		}
	}
	line := secrets.MaskedCommand(c.Line)
	for _, x := range r.all {
		if !r.used[x] && (x.Line == line || x.Line == c.Line) && x.Folder == folderOf(c) {
			r.used[x] = true
			return x, nil
		}
	}
	return nil, fmt.Errorf("it is not in the recording in %s", r.dir)
}

func (r *recording) read() error {
	names, err := filepath.Glob(filepath.Join(r.dir, "trial-[0-9]*.json"))
	if err != nil {
		return err
	}
	slices.SortFunc(names, func(a, b string) int { // names with more digits come later
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return bytes.Compare([]byte(a), []byte(b))
	})
	r.all = []*recordedRun{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		x := &recordedRun{}
		if err := json.Unmarshal(data, x); err != nil || x.Format != recordedFormat {
			return fmt.Errorf("%s is not of the format %q", filepath.Base(name), recordedFormat)
		}
		r.all = append(r.all, x)
	}
	return nil
}

// offeredIn reports whether a model was offered trials in a recording.
func offeredIn(dir string) bool {
	first, err := os.ReadFile(filepath.Join(dir, "0001.json"))
	return err == nil && bytes.Contains(first, []byte(`"try_command"`))
}

// folderOf returns the folder of a command in a world, relative to the first of the workspace.
func folderOf(c runner.Command) string {
	if c.World == nil || len(c.World.Folders) == 0 {
		return ""
	}
	rel, err := filepath.Rel(c.World.Folders[0], c.Dir)
	if err != nil {
		return c.Dir
	}
	return filepath.ToSlash(rel)
}
