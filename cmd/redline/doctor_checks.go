package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"redline/agent/model"
	"redline/agent/toolset"
	"redline/edits"
	"redline/internal/phrase"
)

// checkModel asks the model one small question and reports whether the model has what
// Redline needs. The error is that of the provider, or the exit status for an unsuitable
// model.
func checkModel(ctx context.Context, s streams, set *setup, asJSON bool) error {
	info := set.model.Info()
	if info.Provider == "builtin" || set.settings.Replay != "" {
		return errNoModel
	}
	if !asJSON {
		fmt.Fprintf(s.err, "Asking %s at %s a small question …\n", edits.Visible(info.Name), edits.Visible(info.BaseURL))
	}
	r, err := check(ctx, set.settings.ModelConfig())
	if err != nil {
		return err
	}
	if asJSON {
		return encodeVisible(s, reportJSON(r))
	}
	tellReport(s, r)
	return nil
}

// errNoModel reports that no model is configured to check.
var errNoModel = usage(errors.New("no model outside Redline is set up, so there is nothing to check: redline setup connects one"))

// tellReport prints which of the needed abilities a model has.
func tellReport(s streams, r model.Report) {
	s.out = folding(s.out)
	line := func(good bool, what, found string) {
		mark := "ok "
		if !good {
			mark = "!! "
		}
		fmt.Fprintf(s.out, "%s%-10s %s\n", mark, what, edits.Visible(found))
	}
	line(r.Answer != "", "answer", cmp.Or(r.Answer, "(no text)"))
	line(r.Tools, "tools", yesOr(r.Tools, "it calls them", "it does not call them"))
	line(r.Streaming, "streaming", yesOr(r.Streaming, "its replies come in pieces", "its replies come whole"))
	switch {
	case r.Context == 0:
		line(r.OK(), "context", "not known")
	default:
		line(r.Context >= model.MinWindow, "context", phrase.Count(r.Context, "token"))
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(s.out, "   %-10s → %s\n", "", edits.Visible(w))
	}
}

func yesOr(yes bool, is, isNot string) string {
	if yes {
		return is
	}
	return isNot
}

// promptFindings lists the user's own prompts, and the files beside them that have no effect.
func promptFindings(set *setup) []finding {
	names, problems := set.promptSet().Own()
	var findings []finding
	if len(names) > 0 {
		findings = append(findings, finding{what: "prompts", found: "your own: " + strings.Join(names, ", ")})
	}
	for _, p := range problems {
		findings = append(findings, finding{what: "prompts", found: p, advice: "fix it or remove it: " + set.promptSet().Dir})
	}
	return findings
}

// toolFindings starts each configured tool server, as a turn would, and lists its tools.
func toolFindings(ctx context.Context, set *setup, workspace string) []finding {
	var findings []finding
	for _, server := range set.settings.ToolServers {
		f := finding{what: "tools", found: server.Name + ": " + server.About()}
		tools, err := toolsOf(ctx, server, workspace)
		if err != nil {
			f.advice = fmt.Sprintf("%s: check [mcp.%s] in %s", strings.TrimSuffix(err.Error(), "."), server.Name, set.settings.File)
		} else {
			looks := 0
			for _, t := range tools {
				if t.ReadOnly {
					looks++
				}
			}
			f.found += fmt.Sprintf(", %s, %d of them called without asking", phrase.Count(len(tools), "tool"), looks)
		}
		findings = append(findings, f)
	}
	return findings
}

func toolsOf(ctx context.Context, server toolset.Server, workspace string) ([]toolset.ServerTool, error) {
	servers := toolset.NewServers([]toolset.Server{server}, toolset.ServerOptions{Workspace: func() string { return workspace }})
	defer servers.Close()
	tools, problems := servers.Tools(ctx)
	if len(problems) > 0 {
		problem, _, _ := strings.Cut(problems[0], ". Its tools ")
		return nil, errors.New(problem)
	}
	return tools, ctx.Err()
}

// profile is an AppArmor profile without restrictions. It only allows a program to create
// user namespaces, which AppArmor denies to programs without a profile.
const profile = `# Lets Redline use user namespaces, which trials need. To install it:
#   redline doctor --apparmor | sudo tee /etc/apparmor.d/redline
#   sudo apparmor_parser -r /etc/apparmor.d/redline
abi <abi/4.0>,
include <tunables/global>

profile redline %s flags=(unconfined) {
  userns,
  include if exists <local/redline>
}
`

// printProfile prints the profile for this program.
func printProfile(w io.Writer) error {
	name, err := thisProgram()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, profile, profileName(name))
	return err
}

// profileName returns a program's path in the syntax of a profile: quoted, with wildcards
// escaped: "/opt/red\[1\]/redline".
func profileName(name string) string {
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(`\"*?[]{}^`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return `"` + b.String() + `"`
}
