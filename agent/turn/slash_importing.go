package turn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"redline/agent/chat"
	"redline/agent/plan"
	"redline/agent/share"
	"redline/internal/phrase"
	"redline/internal/smallfile"
)

// importPlan makes a new plan from a plan file of the user's, anywhere on this machine. Nothing
// of the plan is decided. A refusal quotes nothing from the file.
func (cs *Commands) importPlan(ctx context.Context, s chat.Slash) (string, error) {
	name := s.Args[0]
	data, err := smallfile.Read(cs.fileNamed(name), share.MaxSize)
	if err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err
		}
		return "", plan.Refuse(plan.Invalid, "%s cannot be read (%s): name a file that redline plans export wrote.", phrase.OneLine(name), err)
	}
	p, err := cs.Decisions.Import(ctx, phrase.OneLine(name), []byte(data))
	if err != nil {
		return "", err
	}
	said := ""
	if n := len(p.Commands); n > 0 {
		said = fmt.Sprintf(" It has %s to run, only if you allow that.", phrase.Count(n, "command"))
	}
	return fmt.Sprintf("Plan %d is a new plan from %s, and nothing of it is decided: see it, then /approve %d or /reject %d.%s", p.Plan, phrase.OneLine(name), p.Plan, p.Plan, said), nil
}

// fileNamed returns the path of a file that the user named: absolute, from their home folder, or
// from the first folder of the workspace.
func (cs *Commands) fileNamed(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if folders := cs.Session.Workspace.Folders(); !filepath.IsAbs(name) && len(folders) > 0 {
		return filepath.Join(folders[0].Dir, filepath.FromSlash(name))
	}
	return name
}
