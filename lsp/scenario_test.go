package lsp_test

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/zap"

	"redline/agent"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/model/modeltest"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/tool/tooltest"
	"redline/agent/toolset"
	"redline/agent/toolset/mcptest"
	"redline/agent/trial"
	"redline/agent/turn"
	"redline/edits"
	"redline/edits/charset"
	"redline/lsp"
	"redline/lsp/apply"
	"redline/lsp/lsptest"
	"redline/workspace"
	"redline/workspace/runner"
)

// updating reports whether -update was given; the flag is defined by the tests of package
// lsp.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// late returns the largest delay of a message, from another flag of those tests.
func late() time.Duration { return flag.Lookup("late").Value.(flag.Getter).Get().(time.Duration) }

// TestScenario plays every story in testdata/scenarios and its folders: a whole server, an
// editor with the behaviour that the story names, and a model with the replies that it
// contains. The README.md there explains the format.
func TestScenario(t *testing.T) {
	const folder = "../testdata/scenarios/"
	var files []string
	for _, pattern := range []string{"*.txtar", "*/*.txtar"} {
		found, err := filepath.Glob(folder + pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no scenarios in %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		name := strings.TrimPrefix(filepath.ToSlash(file), folder)
		t.Run(strings.TrimSuffix(name, ".txtar"), func(t *testing.T) {
			t.Parallel()
			playScenario(t, file)
		})
	}
}

// scenario is a story that is being played.
type scenario struct {
	t       *testing.T
	ctx     context.Context
	archive *txtar.Archive
	golden  bool // a golden part was rewritten

	dir, state string
	outside    string            // a folder beside the workspace
	web        *web              // nil without one
	address    *strings.Replacer // puts its addresses in; see startWeb
	unaddress  *strings.Replacer
	profile    lsptest.Profile
	plain      bool // the editor does not follow events
	model      *modeltest.Server
	tools      []toolset.Server // the tool server of the story, if any
	toolCalls  *mcptest.Record  // the calls that reached it
	trials     trial.Options    // how commands are tried, with the part of that name
	editor     *lsptest.Editor
	agent      atomic.Pointer[agent.Agent]
	stop       func()
	last       error // of the last act that may fail
}

func playScenario(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	at := t.TempDir()
	s := &scenario{
		t: t, ctx: ctx, archive: archive, profile: lsptest.Honest(),
		dir: filepath.Join(at, "ws"), outside: filepath.Join(at, "outside"), state: t.TempDir(),
	}
	if name, ok := s.part("editor"); ok {
		name, s.plain = strings.CutSuffix(strings.TrimSpace(name), " without events")
		s.profile = profileNamed(t, name)
	}
	if pages, ok := s.part("web"); ok {
		s.startWeb(pages)
	}
	replies, ok := s.part("model")
	if ok {
		parsed, err := modeltest.Parse(replies)
		if err != nil {
			t.Fatalf("model: %v", err)
		}
		s.model = modeltest.New(parsed...)
	}
	if how, ok := s.part("tool-server"); ok {
		s.startTools(how)
	}
	if mode, ok := s.part("trials"); ok {
		s.trials = trialsIn(t, strings.TrimSpace(mode))
	}
	s.writeWorkspace()
	s.start()
	defer func() { s.stop() }()

	script, _ := s.part("script")
	for i, line := range strings.Split(script, "\n") {
		words, err := split(line)
		if err != nil {
			t.Fatalf("script line %d: %v", i+1, err)
		}
		if len(words) == 0 {
			continue
		}
		if err := s.act(words); err != nil {
			t.Fatalf("script line %d: %s\n%v", i+1, line, err)
		}
	}
	if s.last != nil {
		t.Fatalf("the last act failed and the story does not say so: %v", s.last)
	}
	if err := s.wantNothingHidden(); err != nil {
		t.Fatal(err)
	}
	if s.golden {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func profileNamed(t *testing.T, name string) lsptest.Profile {
	for _, p := range []lsptest.Profile{
		lsptest.Honest(), lsptest.NeovimLike(), lsptest.Neovim12Like(), lsptest.HelixLike(), lsptest.KateLike(), lsptest.SilentLike(),
		lsptest.VSCodeLike(), lsptest.PullLike(),
	} {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no editor %q", name)
	return lsptest.Profile{}
}

// trialsIn returns the options for a story in which commands are tried, in worlds of their own. It
// skips the story where there are none.
func trialsIn(t *testing.T, mode string) trial.Options {
	if err := runner.Worlds(); err != nil {
		t.Skip("there are no worlds here: " + err.Error())
	}
	return trial.Options{Mode: trial.Mode(mode), Home: t.TempDir()}
}

// part returns a file of the archive.
func (s *scenario) part(name string) (string, bool) {
	i := slices.IndexFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		return "", false
	}
	text := string(s.archive.Files[i].Data)
	if s.address != nil {
		text = s.address.Replace(text)
	}
	return text, true
}

// writeWorkspace writes the files under ws/ and outside/ to disk. `\r` at the end of a line
// stands for a carriage return, `\m` at the start for a byte order mark, and `\u202E` for
// that character: they would be invisible. `\in CHARSET` is a first line that is not written: the others
// are, in that charset. `\c` at the end of the last line removes its
// line end.
func (s *scenario) writeWorkspace() {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		s.t.Fatal(err)
	}
	for _, f := range s.archive.Files {
		path := filepath.Join(filepath.Dir(s.dir), filepath.FromSlash(f.Name))
		if top, _, ok := strings.Cut(f.Name, "/"); !ok || top != "ws" && top != "outside" {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(string(f.Data), "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(bytesOf(string(f.Data))), mode); err != nil {
			s.t.Fatal(err)
		}
	}
}

func bytesOf(text string) string {
	if first, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(first, `\in `) {
		if c, ok := charset.Named(first[len(`\in `):]); ok {
			data, err := c.Encode(bytesOf(rest))
			if err == nil {
				return string(data)
			}
		}
	}
	text = hiddenCharacters(strings.ReplaceAll(text, "\\r\n", "\r\n"))
	if rest, ok := strings.CutPrefix(text, "\\m"); ok {
		text = edits.BOM + rest
	}
	if cut, ok := strings.CutSuffix(text, "\\c\n"); ok {
		return cut
	}
	return text
}

// start starts a server and connects the editor.
func (s *scenario) start() {
	kept := store.New(s.state)
	client, server := lsptest.Pipe()
	client, server = lsptest.Late(client, late()), lsptest.Late(server, late())
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = lsp.Serve(context.Background(), server, lsp.Options{ // how it ends is the story's own doing
			Log: zap.NewNop(), Version: "test", StateDir: s.state,
			Timeouts:    lsp.Timeouts{Request: 2 * time.Second, Apply: apply.Timeouts{ApplyEdit: 2 * time.Second, Verify: time.Second}},
			SomeBuffers: s.someBuffers(), Settings: s.own(),
			NewAgent: func(ws *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
				config, limits := s.provider()
				options := agent.Options{Workspace: ws, Store: kept, Servers: s.tools, Turns: turn.Options{Limits: limits}, Trials: s.trials}
				s.settings(&options, &config)
				options.Model = model.New(config)
				a := agent.New(options)
				if _, ok := s.part("language-server"); ok {
					a.Turns.Languages = &tooltest.Languages{Workspace: ws}
				}
				s.agent.Store(a)
				return a, nil
			},
		})
	}()
	var options []lsptest.Option
	if !s.plain {
		options = append(options, lsptest.WithEvents())
	}
	if folders, ok := s.part("folders"); ok {
		options = append(options, lsptest.WithFolders(strings.Fields(folders)...))
	}
	editor, err := lsptest.Start(s.ctx, client, s.profile, s.dir, options...)
	s.stop = func() {
		if editor != nil {
			editor.Kill()
		}
		client.Close()
		<-served
		kept.Close()
	}
	if err != nil {
		s.stop()
		s.t.Fatal(err)
	}
	s.editor = editor
}

// provider returns how the model is asked. The part "provider" may set, one per line, how
// long a provider may be silent, how long requests are retried, and how long a turn may
// take, as in "silence 200ms".
func (s *scenario) provider() (model.Config, loop.Limits) {
	if s.model == nil {
		return model.Config{}, loop.Limits{}
	}
	config := model.Config{BaseURL: "http://model.test/v1", APIKey: "secret", Name: "scripted", Transport: s.model, GiveUp: 2 * time.Second}
	var limits loop.Limits
	times := map[string]*time.Duration{"silence": &config.Silence, "give-up": &config.GiveUp, "wall": &limits.Wall}
	set, _ := s.part("provider")
	for line := range strings.Lines(set) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		d, err := time.ParseDuration(value)
		if err != nil || times[name] == nil {
			s.t.Errorf("provider: %q is no setting", line)
			continue
		}
		*times[name] = d
	}
	return config, limits
}

// tree returns the text of every file in the workspace, apart from Redline's own.
func (s *scenario) tree() map[string]string { return s.filesIn(s.dir) }

// filesIn returns the text of every file under a folder, apart from Redline's own.
func (s *scenario) filesIn(dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == dir {
			return nil
		}
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".redline" {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(dir, path)
			files[filepath.ToSlash(rel)] = string(data)
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return files
}
