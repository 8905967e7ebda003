package protocol

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	whole "go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

func of[T any](v T) *T { return &v }

var (
	at   = Range{Start: Position{Line: 1, Character: 2}, End: Position{Line: 3}}
	edit = TextEdit{Range: at, NewText: "é\u2028<&>\n"}
	file = uri.URI("file:///a%20b/c.go")
)

// everything has a value of each type that Redline sends, with all its members, and the type of
// the same name in the library of the whole protocol.
var everything = map[string]struct{ ours, theirs any }{
	"InitializeResult": {&InitializeResult{
		Capabilities: ServerCapabilities{
			PositionEncoding: "utf-8",
			TextDocumentSync: &TextDocumentSyncOptions{
				OpenClose: of(true), Change: of(TextDocumentSyncKindIncremental), WillSave: of(true), Save: &SaveOptions{IncludeText: of(false)},
			},
			CompletionProvider: &CompletionOptions{TriggerCharacters: []string{"/"}},
			HoverProvider:      Boolean(true), DocumentSymbolProvider: Boolean(true),
			CodeActionProvider: &CodeActionOptions{CodeActionKinds: []CodeActionKind{CodeActionKindQuickFix}},
			CodeLensProvider:   &CodeLensOptions{}, DocumentLinkProvider: &DocumentLinkOptions{},
			FoldingRangeProvider:   Boolean(true),
			ExecuteCommandProvider: ExecuteCommandOptions{Commands: []string{"a"}},
			InlayHintProvider:      Boolean(false),
			DiagnosticProvider:     &DiagnosticOptions{Identifier: of("x"), InterFileDependencies: true, WorkspaceDiagnostics: true},
			Workspace: &WorkspaceOptions{
				WorkspaceFolders:    &WorkspaceFoldersServerCapabilities{Supported: of(true), ChangeNotifications: Boolean(true)},
				TextDocumentContent: &TextDocumentContentOptions{Schemes: []string{"s"}},
			},
		},
		ServerInfo: ServerInfo{Name: "redline", Version: NewOptional("1")},
	}, &whole.InitializeResult{}},
	"ApplyWorkspaceEditParams": {&ApplyWorkspaceEditParams{Label: of("l"), Edit: WorkspaceEdit{
		DocumentChanges: []DocumentChange{
			&TextDocumentEdit{
				TextDocument: OptionalVersionedTextDocumentIdentifier{TextDocumentIdentifier{file}, of(int32(7))},
				Edits:        []TextDocumentEditElement{&edit, &AnnotatedTextEdit{TextEdit: edit, AnnotationID: "1"}},
			},
			&TextDocumentEdit{TextDocument: OptionalVersionedTextDocumentIdentifier{TextDocumentIdentifier{file}, nil}, Edits: []TextDocumentEditElement{&edit}},
			&CreateFile{Kind: "create", AnnotationID: "1", URI: file, Options: &CreateFileOptions{IgnoreIfExists: of(true)}},
			&RenameFile{Kind: "rename", AnnotationID: "1", OldURI: file, NewURI: file + "2"},
			&DeleteFile{Kind: "delete", AnnotationID: "1", URI: file},
		},
		ChangeAnnotations: map[ChangeAnnotationIdentifier]ChangeAnnotation{
			"1": {Label: "l", NeedsConfirmation: of(true), Description: of("d")}, "2": {Label: "m"},
		},
	}}, &whole.ApplyWorkspaceEditParams{}},
	"WorkspaceEdit": {&WorkspaceEdit{Changes: map[uri.URI][]TextEdit{file: {edit}, file + "2": {}}}, &whole.WorkspaceEdit{}},
	"PublishDiagnosticsParams": {&PublishDiagnosticsParams{URI: file, Diagnostics: []Diagnostic{
		{Range: at, Message: String("m")},
		{
			Range: at, Severity: DiagnosticSeverityWarning, Code: String("c"), Source: NewOptional("s"),
			Message: &MarkupContent{Kind: MarkupKindMarkdown, Value: "v"}, Tags: LSPAny(`[1]`), Data: LSPAny(`{"x":[null,1.5]}`),
			CodeDescription:    LSPAny(`{"href":"https://example.org/"}`),
			RelatedInformation: LSPAny(`[{"location":{"uri":"file:///x","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}},"message":"r"}]`),
		},
		{Range: at, Code: Integer(-3), Message: String("")},
	}}, &whole.PublishDiagnosticsParams{}},
	"no diagnostics": {&PublishDiagnosticsParams{URI: file}, &whole.PublishDiagnosticsParams{}},
	"CodeAction": {&CodeAction{
		Title: "t", Kind: of(CodeActionKindQuickFix), IsPreferred: of(true), Edit: &WorkspaceEdit{},
		Diagnostics: []Diagnostic{{Range: at, Message: String("m")}}, Command: Command{Title: "t", Command: "c", Arguments: []LSPAny{LSPAny(`{"a":1}`)}},
	}, &whole.CodeAction{}},
	"CodeAction without a command": {&CodeAction{Title: "t"}, &whole.CodeAction{}},
	"CompletionList": {&CompletionList{IsIncomplete: true, Items: []CompletionItem{
		{Label: "l"},
		{
			Label: "l", Kind: CompletionItemKindReference, Detail: NewOptional("d"), Documentation: String("x"),
			SortText: NewOptional("0001"), FilterText: NewOptional(""), TextEdit: &edit,
		},
	}}, &whole.CompletionList{}},
	"Hover": {&Hover{Contents: &MarkupContent{Kind: MarkupKindPlainText, Value: "v"}, Range: &at}, &whole.Hover{}},
	"DocumentSymbol": {&DocumentSymbol{
		Name: "n", Detail: of("d"), Kind: SymbolKindString, Range: at, SelectionRange: at, Children: []DocumentSymbol{{Name: "c", Kind: SymbolKindString}},
	}, &whole.DocumentSymbol{}},
	"FoldingRange":                 {&FoldingRange{StartLine: 1, EndLine: 2}, &whole.FoldingRange{}},
	"DocumentLink":                 {&DocumentLink{Range: at, Target: of(file), Tooltip: of("t")}, &whole.DocumentLink{}},
	"InlayHint":                    {&InlayHint{Position: at.Start, Label: "l", Tooltip: String("t"), PaddingLeft: of(true)}, &whole.InlayHint{}},
	"LogMessageParams":             {&LogMessageParams{Type: MessageTypeLog, Message: "m"}, &whole.LogMessageParams{}},
	"ShowMessageParams":            {&ShowMessageParams{Type: MessageTypeError, Message: "m"}, &whole.ShowMessageParams{}},
	"ShowMessageRequestParams":     {&ShowMessageRequestParams{Type: MessageTypeInfo, Message: "m", Actions: []MessageActionItem{{Title: "t"}}}, &whole.ShowMessageRequestParams{}},
	"ShowDocumentParams":           {&ShowDocumentParams{URI: file, TakeFocus: of(true), Selection: &at}, &whole.ShowDocumentParams{}},
	"WorkDoneProgressCreateParams": {&WorkDoneProgressCreateParams{Token: String("t")}, &whole.WorkDoneProgressCreateParams{}},
	"ProgressParams":               {&ProgressParams{Token: Integer(1), Value: LSPAny(`{"kind":"end"}`)}, &whole.ProgressParams{}},
	"WorkDoneProgressBegin":        {&WorkDoneProgressBegin{Kind: "begin", Title: "t", Cancellable: of(true), Message: of("m")}, &whole.WorkDoneProgressBegin{}},
	"WorkDoneProgressReport":       {&WorkDoneProgressReport{Kind: "report", Message: of("m")}, &whole.WorkDoneProgressReport{}},
	"WorkDoneProgressEnd":          {&WorkDoneProgressEnd{Kind: "end", Message: of("m")}, &whole.WorkDoneProgressEnd{}},
}

// What Redline sends is what the library of the whole protocol sends for the same value.
func TestSendsWhatTheWholeProtocolSends(t *testing.T) {
	for name, c := range everything {
		t.Run(name, func(t *testing.T) {
			ours, err := Marshal(c.ours)
			if err != nil {
				t.Fatal(err)
			}
			if err := whole.Unmarshal(ours, c.theirs); err != nil {
				t.Fatalf("the library does not read %s: %v", ours, err)
			}
			theirs, err := whole.Marshal(c.theirs)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parsed(t, theirs), parsed(t, ours)); diff != "" {
				t.Errorf("(-library +ours)\n%s", diff)
			}
		})
	}
}

// What Redline reads back of its own values is the same again.
func TestReadsDiagnostics(t *testing.T) {
	c := everything["PublishDiagnosticsParams"]
	sent, err := Marshal(c.ours)
	if err != nil {
		t.Fatal(err)
	}
	var got PublishDiagnosticsParams
	if err := Unmarshal(sent, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.ours, &got, cmp.AllowUnexported(Optional[string]{})); diff != "" {
		t.Errorf("(-sent +read)\n%s", diff)
	}
	for _, wrong := range []string{`{"message":1}`, `{"message":[]}`, `{"code":true,"message":"m"}`, `{"code":1.5}`, `{"range":[]}`, `[]`, `{} {}`, `{`, ``} {
		if err := Unmarshal([]byte(wrong), &Diagnostic{}); err == nil {
			t.Errorf("%s was accepted", wrong)
		}
		if err := whole.Unmarshal([]byte(wrong), &whole.Diagnostic{}); err == nil {
			t.Errorf("the library accepts %s", wrong)
		}
	}
}

// Each member that Redline reads of initialize has the name and the place that the library knows:
// of a value with every member set, the library finds all.
func TestReadsWhatTheWholeProtocolReads(t *testing.T) {
	var ours InitializeParams
	fill(reflect.ValueOf(&ours).Elem())
	sent, err := Marshal(ours)
	if err != nil {
		t.Fatal(err)
	}
	var theirs whole.InitializeParams
	if err := whole.Unmarshal(sent, &theirs); err != nil {
		t.Fatalf("the library does not read %s: %v", sent, err)
	}
	again, err := whole.Marshal(theirs)
	if err != nil {
		t.Fatal(err)
	}
	missing(t, "", parsed(t, sent), parsed(t, again))
	var read InitializeParams
	if err := Unmarshal(again, &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ours, read); diff != "" {
		t.Errorf("(-sent +read)\n%s", diff)
	}
}

// fill sets every member to something that is not its zero value.
func fill(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[LSPAny]():
		v.Set(reflect.ValueOf(LSPAny(`{"a":1}`)))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case v.Kind() == reflect.Struct:
		for _, field := range v.Fields() {
			fill(field)
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case v.Kind() == reflect.String:
		v.SetString("file:///x")
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(7)
	}
}

// missing reports what of want is not in got.
func missing(t *testing.T, path string, want, got any) {
	members, ok := want.(map[string]any)
	if !ok {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-ours +library)\n%s", path, diff)
		}
		return
	}
	theirs, _ := got.(map[string]any)
	for name, value := range members {
		if _, ok := theirs[name]; !ok {
			t.Errorf("the library does not know %s.%s", path, name)
			continue
		}
		missing(t, path+"."+name, value, theirs[name])
	}
}

func parsed(t *testing.T, raw []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
