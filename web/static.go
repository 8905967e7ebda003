package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/workspace/secrets"
)

// What index.html has for the parts of the page, each once; a file of its own has these inside.
const (
	styleTag  = `<link rel="stylesheet" href="/page.css">`
	scriptTag = `<script src="/page.js" defer></script>`
	headTag   = `<head>`
)

// Page returns the page of a plan as one file that can only be read, with its hash. It needs no
// server, and nothing in it leads out of it. It refuses a plan with a file that may hold secrets,
// since it is made to be given to others.
func Page(ctx context.Context, o Options) ([]byte, error) {
	s := &Server{o: o, a: o.Agent}
	p, v, err := s.viewed(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range v.Files {
		for _, name := range []string{f.Change.Path, f.Change.NewPath} {
			if name != "" && s.a.Session.Workspace.Secret(name) {
				return nil, plan.Refuse(plan.NotAllowed, "Plan %d cannot be written as a page: it has the text of %s, which may hold secrets.", p.Plan, name)
			}
		}
	}
	shown := s.shown(ctx, &p, v)
	shown.Static, shown.Seen, shown.Editor, shown.Decision = true, 0, Editor{}, nil
	for i := range v.Files {
		shown.View.Files[i] = fileOf(v, i, nil, true)
	}
	markMoves(shown.View.Files)
	data, err := encode(shown)
	if err != nil {
		return nil, err
	}
	if data, err = forOthers(data, o.Outputs); err != nil {
		return nil, err
	}
	return inOne(pageFile("index.html"), pageFile("page.css"), pageFile("page.js"), data)
}

// forOthers removes where the files are on this machine, the secrets of command lines wherever the plan
// quotes them, and, unless outputs is true, what commands and trials have printed.
func forOthers(data []byte, outputs bool) ([]byte, error) {
	var read map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&read); err != nil {
		return nil, err
	}
	withoutURIs(read)
	if described, ok := read["plan"].(map[string]any); ok {
		if cleanOutputs(described, outputs) {
			read["withoutOutputs"] = true
		}
		maskCommands(described)
	}
	return json.Marshal(read) // it writes <, > and & as escapes, so no text ends the element
}

// cleanOutputs removes the outputs of a plan's commands and trials, or else the lines of these that may
// hold secrets. It reports whether it has removed an output.
func cleanOutputs(described map[string]any, keep bool) (removed bool) {
	for _, kind := range []string{"commands", "trials"} {
		all, _ := described[kind].([]any)
		for _, one := range all {
			run, _ := one.(map[string]any)
			output, _ := run["output"].(string)
			switch {
			case output == "":
			case keep:
				run["output"] = secrets.Withhold(output)
			default:
				delete(run, "output")
				removed = true
			}
		}
	}
	return removed
}

// maskCommands masks the secrets of command lines in the texts of a plan: of its commands, and of its
// goal, reasons and comments, which may quote them. The texts of files stay, and so do outputs, which
// [cleanOutputs] has cleaned.
func maskCommands(value any) any {
	switch value := value.(type) {
	case string:
		return secrets.MaskedCommand(value)
	case []any:
		for i := range value {
			value[i] = maskCommands(value[i])
		}
	case map[string]any:
		for name, member := range value {
			if name != "files" && name != "output" {
				value[name] = maskCommands(member)
			}
		}
	}
	return value
}

// withoutURIs removes each member "uri" of a JSON value, at any depth: of files and of problems in them.
func withoutURIs(value any) {
	switch value := value.(type) {
	case map[string]any:
		delete(value, "uri")
		for _, member := range value {
			withoutURIs(member)
		}
	case []any:
		for _, element := range value {
			withoutURIs(element)
		}
	}
}

// inOne puts the parts of the page and its data into one file. Its policy allows exactly these.
func inOne(index, css, js string, data []byte) ([]byte, error) {
	for tag, text := range map[string]string{"</script": js, "</style": css} {
		if strings.Contains(strings.ToLower(text), tag) {
			return nil, fmt.Errorf("a part of the page has %s", tag)
		}
	}
	policy := fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'", hashOf(js), hashOf(css))
	script := `<script type="application/json" id="redline-data">` + string(data) + "</script>\n<script>" + js + "</script>"
	for _, part := range []struct{ tag, by string }{
		{headTag, headTag + "\n<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy + `">`},
		{styleTag, "<style>" + css + "</style>"},
		{scriptTag, script},
	} {
		if strings.Count(index, part.tag) != 1 {
			return nil, fmt.Errorf("the page has not one %s", part.tag)
		}
		before, after, _ := strings.Cut(index, part.tag)
		index = before + part.by + after
	}
	return []byte(index), nil
}

// hashOf returns the hash of an inline script or style as a policy names it.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
