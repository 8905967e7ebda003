package language

import (
	"context"
	"encoding/json"
	"path/filepath"
)

// Adapter says how one kind of language server is started and understood.
type Adapter struct {
	Name      string            // "gopls"
	Command   []string          // its program and arguments
	Languages map[string]string // language ids by the ends of file names: {".go": "go"}
	Roots     []string          // a server works on a folder with one of these files, the first name preferred: {"go.work", "go.mod"}
	Version   []string          // the arguments with which its program says its version; nil: --version

	Initialization json.RawMessage            // initializationOptions, nil for none
	Settings       map[string]json.RawMessage // by sections, for workspace/configuration

	incomplete bool // nobody knows when its problems are complete: it is asked about symbols only

	// texts, if not nil, waits between the texts of documents and the news of their files.
	texts func(ctx context.Context, c *Client) error

	// settle waits until what the server has reported is complete for what it was shown last. The
	// error is why that is not known, as a part of a sentence.
	settle func(ctx context.Context, c *Client) error
}

// language returns the language id of a file, "" if the server is not for it.
func (a *Adapter) language(path string) string {
	return a.Languages[filepath.Ext(path)]
}
