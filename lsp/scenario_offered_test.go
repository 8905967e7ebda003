package lsp_test

import (
	"fmt"
	"slices"
	"strconv"
)

// The acts about the tools that a request to the model offers.

func init() {
	// A request to the model, counted from 1, offers this tool, or does not.
	acts["offered"] = act{"REQUEST TOOL", func(s *scenario, a []string) error { return s.wantOffered(a, true) }}
	acts["unoffered"] = act{"REQUEST TOOL", func(s *scenario, a []string) error { return s.wantOffered(a, false) }}
}

func (s *scenario) wantOffered(a []string, want bool) error {
	n, err := strconv.Atoi(a[0])
	if err != nil {
		return err
	}
	if err := s.model.Await(s.ctx, n); err != nil {
		return err
	}
	if tools := s.model.Requests()[n-1].Tools; slices.Contains(tools, a[1]) != want {
		return fmt.Errorf("request %d offers %q", n, tools)
	}
	return nil
}
