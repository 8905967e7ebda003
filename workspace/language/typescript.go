package language

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"redline/edits"
)

// TypeScript is the adapter of typescript-language-server, for TypeScript and JavaScript.
func TypeScript() *Adapter {
	return &Adapter{
		Name: "typescript-language-server", Command: []string{"typescript-language-server", "--stdio"},
		Languages: map[string]string{
			".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact",
			".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact",
		},
		Roots: []string{"tsconfig.json", "jsconfig.json"}, Whole: true,
		// A second server answers, with what it has, while the first one loads a project. Types are not
		// downloaded. Its own watching of files would be too late.
		Initialization: json.RawMessage(`{"disableAutomaticTypingAcquisition": true, "tsserver": {"useSyntaxServer": "never", "useClientFileWatcher": true}, "preferences": {"providePrefixAndSuffixTextForRename": false}}`),
		announce: func(c *protocol.ClientCapabilities) {
			yes := true
			c.Workspace.DidChangeWatchedFiles.RelativePatternSupport = &yes
			c.TextDocument.PublishDiagnostics = nil // it is asked
		},
		hears: map[string]func(*heard, json.RawMessage){"$/typescriptVersion": hearTypeScript}, reads: []string{".json"},
		ready: loadProjects, files: projectFiles, settle: loadProjects, problems: projectProblems,
	}
}

// hearTypeScript refuses the repository's own TypeScript: the server runs it without being asked to.
func hearTypeScript(h *heard, params json.RawMessage) {
	var p struct{ Source string }
	if err := json.Unmarshal(params, &p); err != nil || p.Source == "workspace" {
		h.refuse(errors.New("it would use the repository's own TypeScript"))
	}
}

// projects are the projects of TypeScript's in a folder. A project is loaded while a file of it is open.
//
// TypeScript reports nothing of files that are not open, unless it is asked, and knows only loaded projects: so one file
// of each project stays open, and every file of each project is asked for.
type projects struct {
	known  bool              // nothing was shown since that may change them
	of     map[string]string // the project of each file, by the name of its settings
	open   map[string]bool   // the files that are open for their projects
	loose  map[string]bool   // files that are in no project, by what TypeScript says
	broken error             // why the settings of a project cannot be used
}

// Bounds of the search for projects.
const (
	maxWalked = 200_000 // files and folders
	maxLoose  = 200     // files that are opened, and are in no project
)

// projectFiles notes that the projects may have changed: which files they have depends on what these import. If a
// file is new or gone, or settings differ, they are loaded anew: TypeScript looks for a file that was not there
// some time later.
func projectFiles(ctx context.Context, c *Client, paths []string) error {
	ts := typeScript{c}
	anew, nearer := false, false
	for _, path := range paths {
		settings := filepath.Ext(path) == ".json"
		if !settings && c.Adapter.language(path) == "" {
			continue
		}
		if settings {
			c.projects.loose = nil
			base := filepath.Base(path)
			nearer = nearer || base == "tsconfig.json" || base == "jsconfig.json"
		}
		anew = anew || settings || c.open[path] == nil || c.projects.of[path] == ""
		c.projects.known = false
		delete(c.projects.loose, path)
	}
	if !anew {
		return nil
	}
	if nearer {
		return ts.reopen(ctx)
	}
	return ts.tsserver(ctx, "reloadProjects", nil, nil)
}

// reopen closes all documents and opens them again: TypeScript looks for the nearest settings of a file only when it is
// opened, or when those that it has are gone.
func (c typeScript) reopen(ctx context.Context) error {
	open := maps.Clone(c.open)
	paths := slices.Sorted(maps.Keys(open))
	for _, path := range paths {
		if err := c.send(ctx, path, Text{Gone: true}); err != nil {
			return c.reason("it takes no texts", err)
		}
	}
	if err := c.tsserver(ctx, "reloadProjects", nil, nil); err != nil {
		return err
	}
	for _, path := range paths {
		if err := c.openAs(ctx, path, Text{Text: open[path].text}); err != nil {
			return c.reason("it takes no texts", err)
		}
		c.open[path].kept, c.open[path].used = open[path].kept, open[path].used
	}
	return nil
}

// typeScript is a client of TypeScript's.
type typeScript struct{ *Client }

// tsserver sends a request to TypeScript's own server, which handles one after the other.
func (c typeScript) tsserver(ctx context.Context, command string, arguments map[string]any, body any) error {
	var list []protocol.LSPAny
	for _, of := range []any{command, arguments} {
		text, err := json.Marshal(of)
		if err != nil {
			return err
		}
		list = append(list, protocol.LSPAny(text))
	}
	var response struct {
		Success bool            `json:"success"`
		Message string          `json:"message"`
		Body    json.RawMessage `json:"body"`
	}
	if err := c.conn.Call(ctx, protocol.MethodWorkspaceExecuteCommand, &protocol.ExecuteCommandParams{
		Command: "typescript.tsserverRequest", Arguments: list,
	}, &response); err != nil {
		return c.reason("TypeScript does not answer", err)
	}
	if !response.Success {
		return fmt.Errorf("TypeScript does not answer: %s", clip(response.Message))
	}
	if body == nil {
		return nil
	}
	return json.Unmarshal(response.Body, body)
}

// loadProjects loads all projects of the folder, unless they are loaded.
func loadProjects(ctx context.Context, c *Client) error {
	ts := typeScript{c}
	if c.projects.known {
		return c.projects.broken
	}
	before := c.projects
	c.projects = projects{of: map[string]string{}, open: map[string]bool{}, loose: maps.Clone(before.loose)}
	if c.projects.loose == nil {
		c.projects.loose = map[string]bool{}
	}
	groups, configs, err := ts.candidates()
	if err != nil {
		return err
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if c.projects.broken = ts.brokenSettings(configs[group], map[string]bool{}); c.projects.broken != nil {
			return c.projects.broken
		}
		if err := ts.loadGroup(ctx, group, configs[group], groups[group], before.open); err != nil {
			return err
		}
	}
	for path := range c.shown {
		if err := ts.loadShown(ctx, path); err != nil {
			return err
		}
	}
	for path, doc := range c.open {
		doc.kept = c.projects.open[path]
	}
	if c.projects.broken, err = ts.brokenProject(ctx); err != nil {
		return err
	}
	c.projects.known = true
	return c.projects.broken
}

// candidates returns the files of the folder that may be in projects, by the nearest folder with settings; and these
// settings. Files without such a folder are left out.
func (c typeScript) candidates() (groups map[string][]string, configs map[string]string, err error) {
	files := map[string]bool{}
	walked := 0
	err = filepath.WalkDir(c.Folder, func(path string, d fs.DirEntry, err error) error {
		if walked++; walked > maxWalked {
			return fmt.Errorf("the folder has more than %d files", maxWalked)
		}
		if err != nil {
			return nil // what cannot be read has no files
		}
		if d.IsDir() && path != c.Folder && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if !d.IsDir() {
			files[path] = true
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for path, text := range c.shown {
		files[path] = !text.Gone
	}
	configs = map[string]string{}
	for _, name := range []string{"jsconfig.json", "tsconfig.json"} {
		for path, is := range files {
			if is && filepath.Base(path) == name {
				configs[filepath.Dir(path)] = path
			}
		}
	}
	groups = map[string][]string{}
	for path, is := range files {
		language := c.Adapter.language(path)
		if !is || language == "" || strings.Contains(filepath.Base(path), ".d.") {
			continue
		}
		for dir := filepath.Dir(path); inFolder(dir, c.Folder); dir = filepath.Dir(dir) {
			if config := configs[dir]; config != "" {
				if strings.HasPrefix(language, "typescript") || filepath.Base(config) == "jsconfig.json" {
					groups[dir] = append(groups[dir], path)
				}
				break
			}
			if dir == c.Folder {
				break
			}
		}
	}
	return groups, configs, nil
}

// loadGroup loads the projects of the files that have the same settings nearest. These are one project, or
// several if they refer to others.
func (c typeScript) loadGroup(ctx context.Context, dir, config string, files []string, open map[string]bool) error {
	text, err := c.text(config)
	if err != nil {
		return err
	}
	several := strings.Contains(text.Text, `"references"`)
	in := map[string]bool{} // the files of the projects that were found for this group
	found := false
	slices.SortFunc(files, func(a, b string) int { // what is open already comes first
		switch {
		case open[a] != open[b] && open[a]:
			return -1
		case open[a] != open[b]:
			return 1
		}
		return strings.Compare(a, b)
	})
	for _, path := range files {
		if in[path] || c.projects.loose[path] || found && !several {
			continue
		}
		if len(c.projects.loose) > maxLoose {
			return fmt.Errorf("more than %d files are in no project", maxLoose)
		}
		project, of, err := c.projectOf(ctx, path)
		if err != nil {
			return err
		}
		if project == "" {
			continue
		}
		found = found || project == config // another one, above, may have this file only
		c.projects.open[path] = true
		for _, file := range of {
			in[file] = true
			if nearest := c.projects.of[file]; nearest == "" || !strings.HasPrefix(file, filepath.Dir(nearest)+"/") || inFolder(file, dir) {
				c.projects.of[file] = project
			}
		}
	}
	return nil
}

// loadShown finds the project of a file that differs from the disk.
func (c typeScript) loadShown(ctx context.Context, path string) error {
	if c.shown[path].Gone || c.Adapter.language(path) == "" || c.projects.of[path] != "" || !inFolder(path, c.Folder) {
		return nil
	}
	project, of, err := c.projectOf(ctx, path)
	if err != nil {
		return err
	}
	for _, file := range of {
		if c.projects.of[file] == "" {
			c.projects.of[file] = project
		}
	}
	return nil
}

// projectOf opens a file, and returns the name of its project's settings and the files of that project in the
// folder; "" if it is in none.
func (c typeScript) projectOf(ctx context.Context, path string) (project string, files []string, err error) {
	opened := c.open[path] == nil
	if opened {
		text, err := c.text(path)
		if err != nil || text.Gone {
			return "", nil, err
		}
		if err := c.send(ctx, path, text); err != nil {
			return "", nil, c.reason("it takes no texts", err)
		}
	}
	var info struct {
		ConfigFileName          string   `json:"configFileName"`
		FileNames               []string `json:"fileNames"`
		LanguageServiceDisabled bool     `json:"languageServiceDisabled"`
	}
	if err := c.tsserver(ctx, "projectInfo", map[string]any{"file": path, "needFileNameList": true}, &info); err != nil {
		return "", nil, err
	}
	if base := filepath.Base(info.ConfigFileName); filepath.Ext(base) != ".json" {
		c.projects.loose[path] = true
		if _, shown := c.shown[path]; opened && !shown {
			err = c.send(ctx, path, Text{Gone: true})
		}
		return "", nil, err
	}
	if info.LanguageServiceDisabled {
		return "", nil, errors.New("the project is too large for TypeScript's server")
	}
	for _, file := range info.FileNames {
		if inFolder(file, c.Folder) && c.Adapter.language(file) != "" && !strings.Contains(file, "/node_modules/") {
			files = append(files, file)
		}
	}
	return info.ConfigFileName, files, nil
}

// brokenProject returns why the settings of a project cannot be used: TypeScript would check with others, and names
// only what is in the project's own file.
func (c typeScript) brokenProject(ctx context.Context) (broken, err error) {
	names := slices.Sorted(maps.Values(c.projects.of))
	for _, name := range slices.Compact(names) {
		if broken := c.brokenSettings(name, map[string]bool{}); broken != nil {
			return broken, nil
		}
		found, err := c.pull(ctx, "semanticDiagnosticsSync", name, name)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			// Codes below 2000 are about the syntax. 5081, 5083 and 6053: settings that it extends are not there.
			// 18000: they extend each other.
			if d.Code < 2000 || slices.Contains([]int{5081, 5083, 6053, 18000}, d.Code) {
				return fmt.Errorf("%s cannot be used: %s", c.inside(name), clip(d.Text)), nil
			}
		}
	}
	return nil, nil
}

// inside returns the name of a file in the folder.
func (c typeScript) inside(path string) string {
	if rel, err := filepath.Rel(c.Folder, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// diagnostic is one of TypeScript's own protocol. Lines and columns, in UTF-16, count from 1.
type diagnostic struct {
	Start, End struct{ Line, Offset uint32 }
	Text       string
	Code       int
	Category   string
}

// pull asks for the problems of a file. project may be "".
func (c typeScript) pull(ctx context.Context, command, file, project string) (found []diagnostic, err error) {
	arguments := map[string]any{"file": file}
	if project != "" {
		arguments["projectFileName"] = project
	}
	err = c.tsserver(ctx, command, arguments, &found)
	return found, err
}

// projectProblems returns the problems of all files of all projects.
func projectProblems(ctx context.Context, c *Client) ([]Problem, error) {
	ts := typeScript{c}
	files := maps.Clone(c.projects.of)
	for path, text := range c.shown {
		language := c.Adapter.language(path)
		if text.Gone || language == "" || files[path] != "" || !inFolder(path, c.Folder) {
			continue
		}
		if strings.HasPrefix(language, "typescript") {
			return nil, fmt.Errorf("%s is in no project (tsconfig.json)", ts.inside(path))
		}
		files[path] = ""
	}
	var all []Problem
	for _, path := range slices.Sorted(maps.Keys(files)) {
		found, err := ts.pullBoth(ctx, path, files[path])
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			continue
		}
		lines, err := c.lines(path)
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			all = append(all, ts.problemOf(path, lines, d))
		}
		if len(all) > maxReports {
			return nil, fmt.Errorf("it reports more than %d problems", maxReports)
		}
	}
	return all, nil
}

// pullBoth asks for both kinds of problems of a file.
func (c typeScript) pullBoth(ctx context.Context, path, project string) ([]diagnostic, error) {
	kinds := []string{"syntacticDiagnosticsSync", "semanticDiagnosticsSync"}
	found, errs := make([][]diagnostic, len(kinds)), make([]error, len(kinds))
	var asking sync.WaitGroup
	for i, kind := range kinds {
		asking.Go(func() { found[i], errs[i] = c.pull(ctx, kind, path, project) })
	}
	asking.Wait()
	return slices.Concat(found...), errors.Join(errs...)
}

func (c typeScript) problemOf(path string, lines *edits.Lines, d diagnostic) Problem {
	at := func(line, offset uint32) Place {
		return c.place(lines, protocol.Position{Line: max(line, 1) - 1, Character: max(offset, 1) - 1})
	}
	severity, known := map[string]Severity{"error": Error, "warning": Warning, "suggestion": Hint, "message": Information}[d.Category]
	if !known {
		severity = Error
	}
	return Problem{
		Path: path, Start: at(d.Start.Line, d.Start.Offset), End: at(d.End.Line, d.End.Offset), Severity: severity,
		Message: clip(d.Text), Source: "typescript", Code: fmt.Sprint(d.Code),
	}
}
