package lsp

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"

	"redline/edits"
	"redline/internal/wire"
	"redline/lsp/apply"
	"redline/lsp/codeaction"
	"redline/lsp/diagnostics"
	"redline/lsp/present"
	"redline/lsp/window"
)

func TestNewClient(t *testing.T) {
	for name, c := range map[string]struct {
		params string
		want   client
	}{
		"nothing announced": {`{"capabilities":{}}`, client{name: "lsp"}},
		"utf-8 is preferred": {
			`{"capabilities":{"general":{"positionEncodings":["utf-16","utf-32","utf-8"]}}}`,
			client{name: "lsp", encoding: edits.UTF8}},
		"utf-16 before utf-32": {
			`{"capabilities":{"general":{"positionEncodings":["utf-32","utf-16"]}}}`,
			client{name: "lsp", encoding: edits.UTF16}},
		"only utf-32": {
			`{"capabilities":{"general":{"positionEncodings":["utf-32"]}}}`,
			client{name: "lsp", encoding: edits.UTF32}},
		"an encoding that there is not": {
			`{"capabilities":{"general":{"positionEncodings":["utf-7"]}}}`,
			client{name: "lsp", encoding: edits.UTF16}},
		"operations announce documentChanges": {
			`{"clientInfo":{"name":"n"},"capabilities":{"workspace":{"workspaceEdit":{"resourceOperations":["rename","create"]}}}}`,
			client{name: "n", edits: apply.Client{DocumentChanges: true, LooseVersions: true, Create: true, Rename: true}}},
		"everything": {
			`{"capabilities":{"workspace":{"workspaceEdit":{"documentChanges":true,"resourceOperations":["create","rename","delete"],
				"failureHandling":"transactional"}},"window":{"workDoneProgress":true,"showDocument":{"support":true}},
				"textDocument":{"hover":{"contentFormat":["plaintext","markdown"]}},"experimental":{"redline":{"events":true}}}}`,
			client{name: "lsp", edits: apply.Client{DocumentChanges: true, Create: true, Rename: true, Delete: true, Transactional: true}, window: window.Client{ShowDocument: true, Progress: true}, markdown: true, events: present.Client{Events: true}}},
		"lenses and hints": {
			`{"capabilities":{"workspace":{"configuration":true,"codeLens":{"refreshSupport":true},"inlayHint":{"refreshSupport":false}},
				"textDocument":{"codeLens":{},"inlayHint":{}}}}`,
			client{name: "lsp", configuration: true, codeLens: true, inlayHint: true, refresh: diagnostics.RefreshClient{CodeLens: true}}},
		"pages": {
			`{"capabilities":{"textDocument":{"completion":{},"documentLink":{},"foldingRange":{},"documentSymbol":{"hierarchicalDocumentSymbolSupport":true}}}}`,
			client{name: "lsp", completion: true, documentLink: true, foldingRange: true, documentSymbol: true}},
		"symbols only as a list": {`{"capabilities":{"textDocument":{"documentSymbol":{}}}}`, client{name: "lsp"}},
		"actions, and no edits of the server's": {
			`{"capabilities":{"textDocument":{"codeAction":{"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["quickfix"]}}}}}}`,
			client{name: "lsp", actions: codeaction.Client{Wholesale: true}}},
		"actions and edits": {
			`{"capabilities":{"workspace":{"applyEdit":true},"textDocument":{"codeAction":{}}}}`,
			client{name: "lsp"}},
		"diagnostics that it asks for": {
			`{"capabilities":{"workspace":{"diagnostics":{"refreshSupport":true}},"textDocument":{"diagnostic":{}}}}`,
			client{name: "lsp", pull: true, refresh: diagnostics.RefreshClient{Diagnostic: true}}},
		"diagnostics that it asks for and is sent": {
			`{"capabilities":{"textDocument":{"diagnostic":{"dynamicRegistration":true},"publishDiagnostics":{}}}}`,
			client{name: "lsp"}},
		"documents of the server's own": {
			`{"capabilities":{"workspace":{"textDocumentContent":{}}}}`,
			client{name: "lsp", virtual: true}},
		"answers of its own": {
			`{"capabilities":{"experimental":{"redline":{"events":true,"answers":true}}}}`,
			client{name: "lsp", events: present.Client{Events: true, Answers: true}}},
		"ways to show differences": {
			`{"capabilities":{"experimental":{"redline":{"events":true,"diffModes":true}}}}`,
			client{name: "lsp", events: present.Client{Events: true, DiffModes: true}}},
		"ways to show differences without the events that ask for them": {
			`{"capabilities":{"experimental":{"redline":{"diffModes":true}}}}`,
			client{name: "lsp"}},
		"answers without the events that tell them": {
			`{"capabilities":{"experimental":{"redline":{"answers":true}}}}`,
			client{name: "lsp"}},
		"questions": {
			`{"capabilities":{"window":{"showMessage":{"messageActionItem":{"additionalPropertiesSupport":true}}}}}`,
			client{name: "lsp", window: window.Client{Ask: true}}},
		"questions that can wait": {
			`{"capabilities":{"window":{"showMessage":{}},"workspace":{"workspaceEdit":{"documentChanges":true,"failureHandling":"textOnlyTransactional","changeAnnotationSupport":{"groupsOnLabel":true}}}}}`,
			client{name: "lsp", edits: apply.Client{DocumentChanges: true}, window: window.Client{Ask: true}, actions: codeaction.Client{Review: true}, events: present.Client{Beside: true}}},
		"events of its own besides": {
			`{"capabilities":{"window":{"showMessage":{}},"experimental":{"redline":{"events":true}},
				"workspace":{"workspaceEdit":{"documentChanges":true,"failureHandling":"textOnlyTransactional","changeAnnotationSupport":{"groupsOnLabel":true}}}}}`,
			client{name: "lsp", edits: apply.Client{DocumentChanges: true}, window: window.Client{Ask: true}, actions: codeaction.Client{Review: true}, events: present.Client{Events: true}}},
		"a review": {
			`{"capabilities":{"workspace":{"workspaceEdit":{"documentChanges":true,"failureHandling":"textOnlyTransactional","changeAnnotationSupport":{"groupsOnLabel":true}}}}}`,
			client{name: "lsp", edits: apply.Client{DocumentChanges: true}, actions: codeaction.Client{Review: true}}},
		"annotations that are announced and may be ignored": {
			`{"capabilities":{"workspace":{"workspaceEdit":{"documentChanges":true,"failureHandling":"abort","changeAnnotationSupport":{"groupsOnLabel":true}}}}}`,
			client{name: "lsp", edits: apply.Client{DocumentChanges: true}}},
		"reasons of saves": {
			`{"capabilities":{"textDocument":{"synchronization":{"willSave":true}}}}`,
			client{name: "lsp", willSave: true, actions: codeaction.Client{}}},
		"members of a wrong shape": {
			`{"capabilities":{"workspace":[],"window":{"workDoneProgress":"yes","showDocument":{"support":true}},"experimental":[1]}}`,
			client{name: "lsp", window: window.Client{ShowDocument: true}}},
	} {
		t.Run(name, func(t *testing.T) {
			p, _, err := wire.DecodeLenient[protocol.InitializeParams](json.RawMessage(c.params))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, newClient(p), cmp.AllowUnexported(client{}, diagnostics.RefreshClient{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Every capability is present and none is null: some clients take null for a capability.
func TestServerCapabilities(t *testing.T) {
	got, err := protocol.Marshal(&protocol.InitializeResult{
		Capabilities: serverCapabilities(client{encoding: edits.UTF8}),
		ServerInfo:   protocol.ServerInfo{Name: "redline", Version: protocol.NewOptional("1.2")},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"capabilities":{"positionEncoding":"utf-8",` +
		`"textDocumentSync":{"openClose":true,"change":2,"save":{"includeText":false}},` +
		`"hoverProvider":true,"codeActionProvider":{"codeActionKinds":["quickfix","refactor.redline"]},` +
		`"executeCommandProvider":{"commands":["redline.chat","redline.approve","redline.reject","redline.rework","redline.stage","redline.edit",` +
		`"redline.comment","redline.rollback","redline.rate","redline.undo","redline.review","redline.cancel","redline.show","redline.state","redline.hunks","redline.complete","redline.try","redline.allowTrials","redline.conversations"]},` +
		`"workspace":{"workspaceFolders":{"supported":true,"changeNotifications":true}}},` +
		`"serverInfo":{"name":"redline","version":"1.2"}}`
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b, a); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Capabilities that only some clients support are announced to those clients.
func TestServerCapabilitiesFollowTheClient(t *testing.T) {
	for name, c := range map[string]struct {
		client client
		want   string
	}{
		"codeLensProvider":  {client{codeLens: true}, `{}`},
		"inlayHintProvider": {client{inlayHint: true}, `true`},

		"diagnosticProvider": {client{pull: true}, `{"identifier":"redline","interFileDependencies":false,"workspaceDiagnostics":true}`},

		"completionProvider":     {client{completion: true}, `{"triggerCharacters":["/","@"]}`},
		"documentLinkProvider":   {client{documentLink: true}, `{}`},
		"documentSymbolProvider": {client{documentSymbol: true}, `true`},
		"foldingRangeProvider":   {client{foldingRange: true}, `true`},

		"workspace": {client{virtual: true}, `{"workspaceFolders":{"supported":true,"changeNotifications":true},"textDocumentContent":{"schemes":["redline"]}}`},
	} {
		raw, err := protocol.Marshal(serverCapabilities(c.client))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]json.RawMessage
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if string(got[name]) != c.want {
			t.Errorf("%s is %s, want %s", name, got[name], c.want)
		}
	}
}

func TestFoldersOf(t *testing.T) {
	for name, c := range map[string]struct{ params, uri, dir, folder string }{
		"folders first":       {`{"workspaceFolders":[{"uri":"file:///a%20b","name":"n"}],"rootUri":"file:///c"}`, "file:///a%20b", "", "n"},
		"else the root":       {`{"workspaceFolders":null,"rootUri":"file:///C%3A/x","rootPath":"/d"}`, "file:///C%3A/x", "", ""},
		"else the root path":  {`{"workspaceFolders":[],"rootUri":null,"rootPath":"/d"}`, "", "/d", ""},
		"one that is no URI":  {`{"workspaceFolders":[7,{"name":"x"},{"uri":"file:///ok"}]}`, "file:///ok", "", ""},
		"nothing":             {`{"rootUri":null}`, "", "", ""},
		"of the wrong shapes": {`{"workspaceFolders":"x","rootUri":[],"rootPath":{}}`, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := foldersOf(json.RawMessage(c.params))
			if c.uri == "" && c.dir == "" {
				if len(got) > 0 {
					t.Errorf("got %v, want none", got)
				}
				return
			}
			if len(got) != 1 || got[0].URI != c.uri || got[0].Dir != c.dir || got[0].Name != c.folder {
				t.Errorf("got %+v, want one folder %q %q %q", got, c.uri, c.dir, c.folder)
			}
		})
	}
}
