package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redline/acp"
	"redline/agent/audit"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/edits"
	"redline/internal/phrase"
)

func newAudit(s streams) *cobra.Command {
	f := &workspaceFlags{}
	return f.group(&cobra.Command{
		Use:   "audit",
		Short: "Look at and check the log of what was decided",
		Long: `The audit log records what was shown, approved, rejected, carried out and undone, in
every workspace. Its key is in audit.head, beside the database: without that file
nobody can change the log unnoticed.`,
		Example: `  redline audit log --plan 3
  redline audit log --all --json > decisions.jsonl
  redline audit verify`,
	}, newAuditLog(s, f), newAuditVerify(s, f))
}

func newAuditLog(s streams, f *workspaceFlags) *cobra.Command {
	all, plan := false, 0
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Print what was decided, oldest first",
		Long: `Prints the records of this workspace: what was shown, approved, rejected, carried
out and undone, when, by whom and in which editor. With --json each record is a line
as it was written. docs/records.md says what is recorded.`,
		Example: `  redline audit log
  redline audit log --plan 3
  redline audit log --all --json > decisions.jsonl`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case cmd.Flags().Changed("plan") && plan < 1:
				return usage(fmt.Errorf("%d is not a plan's number: redline plans list shows them", plan))
			case all && plan != 0:
				return usage(fmt.Errorf("give --all or --plan, not both: each workspace numbers its own plans"))
			}
			set, ws, err := f.open(s)
			if err != nil {
				return err
			}
			defer set.store.Close()
			workspace := session.KeyOf(cmd.Context(), set.store, ws.Folders()[0].Dir)
			if all {
				workspace = ""
			}
			return set.store.AuditLog(cmd.Context(), workspace, func(e audit.Entry) error {
				r, err := e.Decode()
				if err == nil && plan != 0 && r.Plan != plan {
					return nil
				}
				switch {
				case f.json:
					line := e.Export()
					if isTerminal(s.out) {
						line = edits.VisibleJSON(line)
					}
					_, err = fmt.Fprintf(s.out, "%s\n", line)
				case err != nil:
					_, err = fmt.Fprintf(s.out, "%5d  this record cannot be read: redline audit verify checks the log\n", e.Seq)
				default:
					_, err = fmt.Fprintln(s.out, auditLine(&r, all))
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "the records of every workspace")
	cmd.Flags().IntVar(&plan, "plan", 0, "only what is about this `plan`")
	return cmd
}

// auditLine formats a record for people.
func auditLine(r *audit.Record, all bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%5d  %s  ", r.Seq, r.At.UTC().Format(time.DateTime+"Z"))
	if all && r.Workspace != "" {
		fmt.Fprintf(&b, "%s  ", r.Workspace)
	}
	if r.Plan != 0 {
		fmt.Fprintf(&b, "plan %d, revision %d  ", r.Plan, r.Revision)
	}
	b.WriteString(string(r.Event))
	client, panel := acp.ClientOf(r.Client)
	if panel {
		fmt.Fprintf(&b, " through %s (ACP)", client)
	}
	if r.Scope != nil {
		b.WriteString(scopeWords(r.Scope))
	}
	if len(r.Trials) > 0 {
		b.WriteString(", tried " + trialWords(r.Trials))
	}
	if r.Outcome != nil {
		b.WriteString(outcomeWords(r.Outcome))
	}
	switch {
	case r.Who != "" && r.Client != "" && !panel:
		fmt.Fprintf(&b, " by %s (%s)", r.Who, r.Client)
	case r.Who != "":
		fmt.Fprintf(&b, " by %s", r.Who)
	case r.Client != "" && !panel:
		fmt.Fprintf(&b, " in %s", r.Client)
	}
	if r.Reason != "" {
		fmt.Fprintf(&b, ": %s", r.Reason)
	}
	return oneLine(b.String())
}

// manyHunks is the most hunks to list by name; auditLine prints only the number of more.
const manyHunks = 8

func scopeWords(s *audit.Scope) string {
	var parts []string
	for _, part := range []struct {
		text  string
		given bool
	}{
		{s.Path, s.Path != ""}, {"operation " + s.Operation, s.Operation != ""},
		{"commands " + commandWords(s.Commands), len(s.Commands) > 0},
		{hunkWords(s.Hunks), len(s.Hunks) > 0}, {"without stale " + hunkWords(s.Stale), len(s.Stale) > 0},
	} {
		if part.given {
			parts = append(parts, part.text)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, ", ")
}

func hunkWords(ids []string) string {
	if len(ids) > manyHunks {
		return phrase.Count(len(ids), "hunk")
	}
	return strings.Join(ids, " ")
}

func outcomeWords(o *audit.Outcome) string {
	var b strings.Builder
	if o.Verdict != "" {
		fmt.Fprintf(&b, " (%s)", o.Verdict)
	}
	fmt.Fprintf(&b, " → %s", words(o.State))
	if o.Waiting {
		b.WriteString(", the editor has not answered")
	}
	for i, f := range o.Files {
		if i == manyHunks {
			fmt.Fprintf(&b, ", and %s more", phrase.Count(len(o.Files)-i, "file"))
			break
		}
		fmt.Fprintf(&b, ", %s %s%s", f.Path, fileWords(&f), because(f.Reason))
	}
	if len(o.Commands) > 0 {
		b.WriteString(", " + commandWords(o.Commands))
	}
	return b.String()
}

// commandWords lists approved commands with their results.
func commandWords(commands []audit.Command) string {
	var parts []string
	for _, c := range commands {
		text := c.Operation + " `" + edits.VisibleLine(c.Command) + "`" + plan.InFolder(c.Cwd)
		if c.Status != "" {
			text += " " + plan.CommandWords(plan.CommandStatus(c.Status), plan.Class(c.Verdict))
		}
		if c.ExitCode != nil {
			text += fmt.Sprintf(" (exit code %d)", *c.ExitCode)
		}
		parts = append(parts, text+because(c.Reason))
	}
	return strings.Join(parts, ", ")
}

// trialWords lists the trials of an approval with their results.
func trialWords(trials []audit.Trial) string {
	var parts []string
	for _, t := range trials {
		ended := "did not end"
		if t.ExitCode != nil {
			ended = fmt.Sprintf("exit code %d", *t.ExitCode)
		}
		parts = append(parts, fmt.Sprintf("%s `%s`%s (%s)", t.ID, edits.VisibleLine(t.Command), plan.InFolder(t.Cwd), ended))
	}
	return strings.Join(parts, ", ")
}

// fileWords returns the status of a file, or the number of hunks with each status if they
// differ.
func fileWords(f *audit.File) string {
	counts := map[string]int{}
	for _, status := range f.Hunks {
		counts[status]++
	}
	if len(counts) < 2 {
		return words(f.Status)
	}
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[status], status))
	}
	return fmt.Sprintf("%s (%s)", words(f.Status), strings.Join(parts, ", "))
}

// verified is the output of `audit verify --json`.
type verified struct {
	Records int64   `json:"records"` // the number of records
	First   int64   `json:"first"`   // the number of the first record, 0 without records
	Last    int64   `json:"last"`    // the number of the last record
	Whole   bool    `json:"whole"`   // whether the log is unchanged
	Broken  *int64  `json:"broken"`  // the first record that cannot be trusted
	Reason  *string `json:"reason"`  // the result in one sentence
}

func newAuditVerify(s streams, f *workspaceFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Check that the log is as it was written",
		Long: `Checks that the records of all workspaces are as they were written, in their places,
and that none is missing. If not, it names the first record that cannot be trusted
and exits with status 4. docs/records.md says what that proves.`,
		Example: "  redline audit verify",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, _, err := f.open(s)
			if err != nil {
				return err
			}
			defer set.store.Close()
			r, err := set.store.VerifyAudit(cmd.Context())
			if err != nil {
				return err
			}
			out := verified{Records: r.Records, First: r.First, Last: r.Last, Whole: r.Whole()}
			sentence := r.Sentence()
			if !out.Whole {
				link := r.Link()
				out.Broken, out.Reason = &link, &sentence
				fmt.Fprintf(s.err, "redline: %s\n", sentence)
			}
			switch {
			case f.json:
				enc := json.NewEncoder(s.out)
				enc.SetEscapeHTML(false)
				err = enc.Encode(out)
			case out.Whole:
				_, err = fmt.Fprintln(s.out, sentence)
			}
			if err == nil && !out.Whole {
				return status(exitRefused)
			}
			return err
		},
	}
}
