// Package completion completes messages to the agent, in the chat file and in a client's message
// field.
package completion

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"redline/agent/chat"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/wire"
	"redline/lsp/backend"
	"redline/lsp/window"
	"redline/workspace"
)

// maxItems is the largest number of names in one answer. The client asks again when the user has
// typed more.
const maxItems = 100

// completions collects the items that replace one range.
type completions struct {
	where protocol.Range
	items []protocol.CompletionItem
}

// add adds an item: its label, the text that it inserts, a short detail and a longer
// explanation.
func (c *completions) add(kind protocol.CompletionItemKind, label, insert, detail, does string) {
	item := protocol.CompletionItem{
		Label: label, Kind: kind,
		FilterText: protocol.NewOptional(insert), SortText: protocol.NewOptional(fmt.Sprintf("%04d", len(c.items))),
		TextEdit: &protocol.TextEdit{Range: c.where, NewText: insert},
	}
	if detail != "" {
		item.Detail = protocol.NewOptional(detail)
	}
	if does != "" {
		item.Documentation = protocol.String(does)
	}
	c.items = append(c.items, item)
}

// Completer completes slash commands, plans, templates, files and symbols in messages.
type Completer struct {
	backend   *backend.Backend
	workspace *workspace.Workspace
	names     *fileNames
}

// New returns a completer for the workspace of a connection.
func New(b *backend.Backend, w *workspace.Workspace, conn *wire.Conn) *Completer {
	return &Completer{b, w, &fileNames{conn: conn}}
}

// Complete returns what can follow at a place in a message, best first. The items replace the
// range where.
func (c *Completer) Complete(ctx context.Context, at chat.Completing, where protocol.Range, snapshot *view.Snapshot) []protocol.CompletionItem {
	list := &completions{where: where}
	switch at.What {
	case chat.CommandName, chat.SendLine:
		for _, c := range chat.Commands() {
			if (at.What == chat.CommandName || c.Name == "send") && hasPrefixFold(c.Name, at.Prefix) {
				word := "/" + c.Name
				insert := word
				if c.Args != "" {
					insert += " "
				}
				list.add(protocol.CompletionItemKindKeyword, word, insert, strings.TrimSpace(word+" "+c.Args), c.Does)
			}
		}
	case chat.PlanNumber:
		for _, p := range slices.Backward(snapshot.Plans) {
			n := fmt.Sprint(p.Plan.Number)
			goal, _ := window.Excerpt(edits.Visible(p.Plan.Goal))
			if strings.HasPrefix(n, at.Prefix) {
				list.add(protocol.CompletionItemKindReference, n, n, fmt.Sprintf("%s: %s", p.Plan.State, goal), "")
			}
		}
	case chat.WayToDecide:
		when := map[string]string{"plan": "at the end of a turn", "ask": "about each edit as it is staged"}
		for _, way := range c.backend.Agent().Turns.Words(at.What) {
			if hasPrefixFold(way, at.Prefix) {
				list.add(protocol.CompletionItemKindKeyword, way, way, when[way], "")
			}
		}
	case chat.TemplateName, chat.AgentName, chat.WithName, chat.ModeName:
		kind := protocol.CompletionItemKindKeyword
		if at.What == chat.TemplateName {
			kind = protocol.CompletionItemKindSnippet
		}
		for _, name := range c.backend.Agent().Turns.Words(at.What) {
			if hasPrefixFold(name, at.Prefix) {
				list.add(kind, name, name, "", "")
			}
		}
	case chat.MentionedName:
		c.mention(ctx, list, at.Prefix)
	}
	return list.items
}

// mention adds the files of the workspace and the symbols of open documents that match a prefix.
// Names that begin with it come first.
func (c *Completer) mention(ctx context.Context, list *completions, prefix string) {
	type found struct {
		name, detail string
		kind         protocol.CompletionItemKind
		rank         int
	}
	var all []found
	add := func(name, detail string, kind protocol.CompletionItemKind) {
		if rank, ok := rankOf(name, prefix); ok {
			all = append(all, found{name, detail, kind, rank})
		}
	}
	for _, path := range c.names.get(ctx, c.workspace) {
		add(path, "", protocol.CompletionItemKindFile)
	}
	if prefix != "" {
		c.openSymbols(func(name, path string) { add(name, path, protocol.CompletionItemKindFunction) })
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.rank, b.rank) })
	for _, f := range all[:min(len(all), maxItems)] {
		insert := "@" + f.name
		if strings.ContainsAny(f.name, " \t()[]{},;|*'`<>") {
			insert = `@"` + f.name + `"`
		}
		list.add(f.kind, f.name, insert, f.detail, "")
	}
}

// rankOf returns how well a name matches a prefix; less is better.
func rankOf(name, prefix string) (rank int, ok bool) {
	name, prefix = strings.ToLower(name), strings.ToLower(prefix)
	base := name[strings.LastIndexByte(name, '/')+1:]
	switch {
	case strings.HasPrefix(base, prefix):
		return 0, true
	case strings.HasPrefix(name, prefix):
		return 1, true
	}
	return 2, strings.Contains(name, prefix)
}

func hasPrefixFold(name, prefix string) bool {
	return strings.HasPrefix(strings.ToLower(name), strings.ToLower(prefix))
}

// Bounds of the search for symbols in open documents.
const (
	maxOutlined     = 20
	maxOutlinedSize = 256 << 10 // bytes of each
)

// openSymbols calls yield for each symbol that an open document declares.
func (c *Completer) openSymbols(yield func(name, path string)) {
	outlined := 0
	for _, b := range c.workspace.Buffers() {
		path, ok := c.workspace.PathOf(b.URI)
		if _, own := c.workspace.Own().IsDocument(b.URI); !ok || own || len(b.Lines.Text()) > maxOutlinedSize {
			continue
		}
		if outlined++; outlined > maxOutlined {
			return
		}
		for _, symbol := range c.workspace.Outline(path, b.Lines.Text()) {
			if symbol.Kind != "heading" && !strings.ContainsAny(symbol.Name, " \t\"") {
				yield(symbol.Name, path)
			}
		}
	}
}

// Bounds of the list of file names.
const (
	maxNames  = 20_000
	freshFor  = 3 * time.Second        // how long a list is used before the folders are read again
	nameWait  = 200 * time.Millisecond // how long an answer waits for a new list before it takes the old one
	namesTime = 10 * time.Second       // how long reading the folders may take
)

// fileNames caches the paths of the workspace's files for completion. One request at a time
// lists the folders, and all others wait for it.
type fileNames struct {
	conn *wire.Conn

	mu      sync.Mutex
	paths   []string
	at      time.Time
	looking chan struct{} // closed at the end of the listing that runs, nil if none does
}

// get returns the sorted paths, at once or after a short wait.
func (n *fileNames) get(ctx context.Context, w *workspace.Workspace) []string {
	n.mu.Lock()
	looking := n.looking
	if time.Since(n.at) < freshFor && looking == nil {
		defer n.mu.Unlock()
		return n.paths
	}
	if looking == nil {
		looking = make(chan struct{})
		n.looking = looking
		n.conn.Go("names", func(ctx context.Context) { n.look(ctx, w, looking) })
	}
	n.mu.Unlock()
	timer := time.NewTimer(nameWait)
	defer timer.Stop()
	select {
	case <-looking:
	case <-timer.C:
	case <-ctx.Done():
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.paths
}

// look lists the folders and closes done. If that fails it keeps the old paths.
func (n *fileNames) look(ctx context.Context, w *workspace.Workspace, done chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, namesTime)
	defer cancel()
	paths, _, err := w.List(ctx, "", "", nil, maxNames)
	n.mu.Lock()
	defer n.mu.Unlock()
	if err == nil {
		n.paths = paths
	}
	n.at, n.looking = time.Now(), nil
	close(done)
}
