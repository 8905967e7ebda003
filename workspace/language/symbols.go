package language

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"redline/edits"
)

// maxLocations is how many places of a symbol are returned.
const maxLocations = 10_000

// Location is a piece of a text that a server names.
type Location struct {
	Path       string // absolute; of a definition also outside of the folder, then without columns
	Start, End Place
}

func (l Location) compare(m Location) int {
	return cmp.Or(cmp.Compare(l.Path, m.Path), cmp.Compare(l.Start.Line, m.Start.Line), cmp.Compare(l.Start.Column, m.Start.Column))
}

// errMoreLocations is the error for a symbol with too many places.
var errMoreLocations = fmt.Errorf("it has more than %d places", maxLocations)

// References returns where the symbol at a place is used in the folder, with its declaration, sorted.
// It waits until the server has loaded what it was shown. The error is a part of a sentence.
func (c *Client) References(ctx context.Context, path string, at Place) ([]Location, error) {
	params, err := c.at(ctx, path, at)
	if err != nil {
		return nil, err
	}
	var found []protocol.Location
	if err := c.conn.Call(ctx, protocol.MethodTextDocumentReferences, &protocol.ReferenceParams{
		TextDocumentPositionParams: params, Context: protocol.ReferenceContext{IncludeDeclaration: true},
	}, &found); err != nil {
		return nil, c.reason("it does not know where the symbol is used", err)
	}
	return c.locations(found, func(path string) bool { return inFolder(path, c.Folder) })
}

// Definition returns where the symbol at a place is defined, also outside of the folder.
func (c *Client) Definition(ctx context.Context, path string, at Place) ([]Location, error) {
	params, err := c.at(ctx, path, at)
	if err != nil {
		return nil, err
	}
	var result protocol.DefinitionResult
	if err := c.conn.Call(ctx, protocol.MethodTextDocumentDefinition, &protocol.DefinitionParams{TextDocumentPositionParams: params}, &result); err != nil {
		return nil, c.reason("it does not know where the symbol is defined", err)
	}
	var found []protocol.Location
	switch result := result.(type) {
	case *protocol.Location:
		found = append(found, *result)
	case protocol.LocationSlice:
		found = result
	case protocol.DefinitionLinkSlice:
		for _, l := range result {
			found = append(found, protocol.Location{URI: l.TargetURI, Range: l.TargetSelectionRange})
		}
	}
	return c.locations(found, func(string) bool { return true })
}

// Rename returns the texts that give the symbol at a place another name, by absolute names of files in the folder.
// Nothing is shown to the server, and nothing is written. What the server would do besides, such as
// renaming a file, and an edit outside of the folder, are errors: parts of a sentence, as all errors.
func (c *Client) Rename(ctx context.Context, path string, at Place, name string) (map[string]Text, error) {
	params, err := c.at(ctx, path, at)
	if err != nil {
		return nil, err
	}
	var edit *protocol.WorkspaceEdit
	if err := c.conn.Call(ctx, protocol.MethodTextDocumentRename, &protocol.RenameParams{TextDocumentPositionParams: params, NewName: name}, &edit); err != nil {
		return nil, c.reason("it does not rename the symbol", err)
	}
	if edit == nil {
		return nil, errors.New("there is no symbol that it can rename")
	}
	return c.edited(edit)
}

// at waits until the server knows what it was shown, opens a file if that is needed, and returns a
// position in it.
func (c *Client) at(ctx context.Context, path string, at Place) (p protocol.TextDocumentPositionParams, err error) {
	if c.open[path] == nil {
		text, err := c.text(path)
		if err != nil || text.Gone {
			return p, cmp.Or(err, errors.New("there is no such file"))
		}
		if c.Adapter.language(path) == "" {
			return p, errors.New("it does not know this kind of file")
		}
		if err := c.send(ctx, path, text); err != nil {
			return p, c.reason("it takes no texts", err)
		}
	}
	c.asked = path
	defer func() { c.asked = "" }()
	if err := c.Adapter.settle(ctx, c); err != nil {
		return p, err
	}
	lines, err := c.lines(path)
	if err != nil {
		return p, err
	}
	if at.Line < 0 || at.Line >= lines.Count() || at.Column < 0 || lines.Start(at.Line)+at.Column > lines.Content(at.Line).End {
		return p, errors.New("the text has no such place")
	}
	position := lines.Position(lines.Start(at.Line)+at.Column, c.encoding)
	return protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(path)},
		Position:     protocol.Position{Line: uint32(position.Line), Character: uint32(position.Character)},
	}, nil
}

// text returns the text that the server sees in a file.
func (c *Client) text(path string) (Text, error) {
	if text, ok := c.shown[path]; ok {
		return text, nil
	}
	return c.Read(path)
}

// locations returns what a server has found in our own terms, without those that is refuses.
func (c *Client) locations(found []protocol.Location, is func(path string) bool) ([]Location, error) {
	if len(found) > maxLocations {
		return nil, errMoreLocations
	}
	var all []Location
	texts := map[string]*edits.Lines{}
	for _, l := range found {
		path, ok := pathOf(l.URI)
		if !ok || !is(path) {
			continue
		}
		if !inFolder(path, c.Folder) { // no text of another folder is read because a server names it
			line := Place{Line: int(l.Range.Start.Line)}
			all = append(all, Location{path, line, line})
			continue
		}
		lines := texts[path]
		if lines == nil {
			if text, err := c.text(path); err == nil && text.Gone && inFolder(path, c.Folder) {
				continue // it remembers a file that is gone
			}
			var err error
			if lines, err = c.lines(path); err != nil {
				return nil, err
			}
			texts[path] = lines
		}
		all = append(all, Location{path, c.place(lines, l.Range.Start), c.place(lines, l.Range.End)})
	}
	slices.SortFunc(all, Location.compare)
	return slices.Compact(all), nil
}

// edited returns the texts after a server's edit.
func (c *Client) edited(edit *protocol.WorkspaceEdit) (map[string]Text, error) {
	of := map[string][]protocol.TextEdit{}
	add := func(u uri.URI, edits ...protocol.TextEdit) error {
		path, ok := pathOf(u)
		if !ok || !inFolder(path, c.Folder) {
			return fmt.Errorf("it would edit %s, which is not in the workspace", clip(string(u)))
		}
		of[path] = append(of[path], edits...)
		return nil
	}
	for u, edits := range edit.Changes {
		if err := add(u, edits...); err != nil {
			return nil, err
		}
	}
	for _, change := range edit.DocumentChanges {
		document, ok := change.(*protocol.TextDocumentEdit)
		if !ok {
			return nil, errors.New("it would create, move or delete files too")
		}
		for _, e := range document.Edits {
			text, ok := e.(*protocol.TextEdit)
			if !ok {
				return nil, errors.New("it answers with edits of a kind that it was not asked for")
			}
			if err := add(document.TextDocument.URI, *text); err != nil {
				return nil, err
			}
		}
	}
	texts := map[string]Text{}
	for path, edits := range of {
		text, err := c.apply(path, edits)
		if err != nil {
			return nil, err
		}
		texts[path] = Text{Text: text}
	}
	return texts, nil
}

// apply returns the text of a file after a server's edits. Edits outside of it, or over each other, are
// errors.
func (c *Client) apply(path string, of []protocol.TextEdit) (string, error) {
	lines, err := c.lines(path)
	if err != nil {
		return "", err
	}
	var es []edits.Edit
	for _, e := range of {
		span, err := lines.Span(edits.Range{
			Start: edits.Position{Line: int(e.Range.Start.Line), Character: int(e.Range.Start.Character)},
			End:   edits.Position{Line: int(e.Range.End.Line), Character: int(e.Range.End.Character)},
		}, c.encoding)
		if err != nil {
			return "", fmt.Errorf("it would edit places that %s does not have", path)
		}
		es = append(es, edits.Edit{Span: span, New: e.NewText})
	}
	slices.SortStableFunc(es, func(a, b edits.Edit) int { return cmp.Compare(a.Start, b.Start) })
	text, err := edits.Apply(lines.Text(), es)
	if err != nil {
		return "", fmt.Errorf("its edits of %s do not fit together", path)
	}
	return text, nil
}
