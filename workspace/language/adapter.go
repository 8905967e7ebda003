package language

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"
)

// Adapter says how one kind of language server is started and understood.
type Adapter struct {
	Name      string            // "gopls"
	Command   []string          // its program and arguments
	Languages map[string]string // language ids by the ends of file names: {".go": "go"}
	Roots     []string          // a server works on a folder with one of these files, the first name preferred: {"go.work", "go.mod"}
	Anywhere  bool              // without one of Roots it works on the whole workspace folder
	Whole     bool              // with one of Roots it works on the whole workspace folder: files of one project may use those of another
	Version   []string          // the arguments with which its program says its version; nil: --version

	Initialization json.RawMessage            // initializationOptions, nil for none
	Settings       map[string]json.RawMessage // by sections, for workspace/configuration

	reads      []string // other files that it reads, by their names or the ends of their names
	openOnly   bool     // it reports about open documents only
	incomplete bool     // nobody knows when its problems are complete: it is asked about symbols only

	// problem, if not nil, changes a problem that the server has reported, or leaves it out: false.
	problem func(*Problem) bool

	// announce, if not nil, changes what the client says that it can do.
	announce func(*protocol.ClientCapabilities)

	// defaults, if not nil, returns settings for a folder, by sections, where Settings does not have them.
	defaults func(folder string) map[string]map[string]json.RawMessage

	// hears are the server's own notifications: what they change is called with the lock held.
	hears map[string]func(h *heard, params json.RawMessage)

	// logs, if not nil, takes each line that the server logs. It is called with the lock held.
	logs func(h *heard, message string)

	// ready, if not nil, waits before the first texts are shown until the server can take them.
	ready func(ctx context.Context, c *Client) error

	// texts, if not nil, waits between the texts of documents and the news of their files.
	texts func(ctx context.Context, c *Client) error

	// files, if not nil, is called after the news of files, with their names.
	files func(ctx context.Context, c *Client, paths []string) error

	// settle waits until what the server has reported is complete for what it was shown last. The
	// error is why that is not known, as a part of a sentence.
	settle func(ctx context.Context, c *Client) error

	// check, if not nil, lets the server find problems, once it has settled, and waits for them.
	check func(ctx context.Context, c *Client) error

	// current, if not nil, reports whether what the server has reported is still what check has waited for.
	current func(c *Client) bool

	// problems, if not nil, asks for all problems once settle has returned. Otherwise the server reports them.
	problems func(ctx context.Context, c *Client) ([]Problem, error)
}

// Reads returns which files of the disk the server's reports may depend on, by their names or the ends of their names: those of
// its languages, and settings of projects.
func (a *Adapter) Reads() []string {
	all := slices.Concat(slices.Collect(maps.Keys(a.Languages)), a.reads)
	for _, root := range a.Roots {
		all = append(all, filepath.Base(root))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// OfShown reports whether the server reports only about the files that it is shown, and those that use them.
func (a *Adapter) OfShown() bool { return a.openOnly }

// language returns the language id of a file, "" if the server is not for it.
func (a *Adapter) language(path string) string {
	return a.Languages[filepath.Ext(path)]
}
