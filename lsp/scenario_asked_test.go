package lsp_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"redline/lsp/lsptest"
)

// toolList matches the list of tools, which is left out so that stories do not change with
// it.
var toolList = regexp.MustCompile(`(; the tools are) [^\n]*`)

func init() {
	acts["asked"] = struct {
		args string
		do   func(*scenario, []string) error
	}{"REQUEST PART", (*scenario).goldenAsked}
	acts["answered"] = struct {
		args string
		do   func(*scenario, []string) error
	}{"REQUEST PART", (*scenario).goldenAnswered}
	acts["answers"] = struct {
		args string
		do   func(*scenario, []string) error
	}{"REQUEST PART", (*scenario).goldenAnswers}
	acts["about"] = struct {
		args string
		do   func(*scenario, []string) error
	}{"PATH FROM TO MESSAGE", (*scenario).chatAbout}
}

// chatAbout sends a message about the lines FROM to before TO, counted from 0.
func (s *scenario) chatAbout(a []string) error {
	from, err := strconv.Atoi(a[1])
	if err != nil {
		return err
	}
	to, err := strconv.Atoi(a[2])
	if err != nil {
		return err
	}
	return s.command("redline.chat", map[string]any{
		"message": a[3], "textDocument": map[string]any{"uri": s.editor.URI(a[0])},
		"range": lsptest.Range{Start: lsptest.Position{Line: from}, End: lsptest.Position{Line: to}},
	})
}

// goldenAsked compares the user's message in a request to the model, counted from 1, once
// the request was made.
func (s *scenario) goldenAsked(a []string) error { return s.goldenMessage(a, "user") }

func (s *scenario) goldenMessage(a []string, role string) error {
	n, err := strconv.Atoi(a[0])
	if err != nil {
		return err
	}
	if err := s.model.Await(s.ctx, n); err != nil {
		return err
	}
	messages := s.model.Requests()[n-1].Messages
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == role {
			return s.compare(a[1], toolList.ReplaceAllString(messages[i].Content, "$1 …"))
		}
	}
	return fmt.Errorf("request %d has no message of the role %s", n, role)
}

// goldenAnswered compares the last tool result in a request to the model, counted from 1,
// once the request was made.
func (s *scenario) goldenAnswered(a []string) error { return s.goldenMessage(a, "tool") }

// goldenAnswers compares all tool results in a request to the model.
func (s *scenario) goldenAnswers(a []string) error {
	n, err := strconv.Atoi(a[0])
	if err != nil {
		return err
	}
	if err := s.model.Await(s.ctx, n); err != nil {
		return err
	}
	var answers []string
	for _, m := range s.model.Requests()[n-1].Messages {
		if m.Role == "tool" {
			answers = append(answers, m.Content)
		}
	}
	return s.compare(a[1], toolList.ReplaceAllString(strings.Join(answers, "\n"), "$1 …"))
}
