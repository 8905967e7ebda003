package config

import (
	"strings"
	"testing"
)

func TestSettingsFromTheEditor(t *testing.T) {
	ui := func(entries ...any) map[string]any {
		table := map[string]any{}
		for i := 0; i < len(entries); i += 2 {
			table[entries[i].(string)] = entries[i+1]
		}
		return map[string]any{"ui": table}
	}
	auto := func(ui UISettings) UISettings { ui.AskWhenReady, ui.Report = AskAuto, ReportAsked; return ui }
	for name, c := range map[string]struct {
		file string
		sent map[string]any
		want UISettings
		warn string // a part of the one warning, "" for none
	}{
		"nothing":                {"", nil, auto(UISettings{CodeLens: true}), ""},
		"both":                   {"", ui("code_lens", false, "inlay_hints", true), auto(UISettings{InlayHints: true}), ""},
		"as texts":               {"", ui("code_lens", "off", "inlay_hints", "on"), auto(UISettings{InlayHints: true}), ""},
		"the user's file counts": {"[ui]\ncode_lens = false\n", ui("code_lens", true, "inlay_hints", true), auto(UISettings{InlayHints: true}), ""},
		"no question":            {"", ui("ask_when_ready", "never"), UISettings{CodeLens: true, AskWhenReady: AskNever, Report: ReportAsked}, ""},
		"a question":             {"", ui("ask_when_ready", "always"), auto(UISettings{CodeLens: true}), "ignored, because a repository could bring them: ui.ask_when_ready."},
		"no report":              {"", ui("report", "never"), UISettings{CodeLens: true, AskWhenReady: AskAuto, Report: ReportNever}, ""},
		"a report":               {"", ui("report", "always"), auto(UISettings{CodeLens: true}), "ignored, because a repository could bring them: ui.report."},
		"no such value":          {"", ui("code_lens", "sometimes"), auto(UISettings{CodeLens: true}), "ui.code_lens in the editor's settings has no effect"},
		"null":                   {"", ui("code_lens", nil), auto(UISettings{CodeLens: true}), "ui.code_lens in the editor's settings has no effect"},
		"no such key":            {"", ui("colour", "red"), auto(UISettings{CodeLens: true}), "ignored, because a repository could bring them: ui.colour."},
		"not harmless": {"", map[string]any{"model": map[string]any{"base_url": "https://example.org"}, "commands": 1},
			auto(UISettings{CodeLens: true}), ": commands, model.base_url."},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := load(t, c.file, nil, nil)
			before := s.BaseURL
			got, warnings := s.WithEditor(c.sent)
			if got.UI != c.want || got.BaseURL != before {
				t.Errorf("got %+v, want %+v", got.UI, c.want)
			}
			if (len(warnings) == 0) != (c.warn == "") || len(warnings) > 1 || len(warnings) == 1 && !strings.Contains(string(warnings[0]), c.warn) {
				t.Errorf("warnings %q, want one with %q", warnings, c.warn)
			}
		})
	}
}
