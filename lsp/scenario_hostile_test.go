package lsp_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"redline/edits"
)

// The acts of stories about attacks: what a hostile repository contains, and what must not
// get through.

func init() {
	// The repository contains a symbolic link to TARGET.
	acts["link"] = act{"PATH TARGET", (*scenario).link}
	// The editor sends settings in the section `redline`.
	acts["configure"] = act{"JSON", (*scenario).configure}
	// No request to the model so far contains the text.
	acts["unsent"] = act{"TEXT", (*scenario).wantUnsent}
	// No message and no diagnostic so far contains the text.
	acts["unsaid"] = act{"TEXT", (*scenario).wantUnsaid}
	// The web addresses requested so far, in order, separated by "; ".
	acts["visited"] = act{"ADDRESSES", (*scenario).wantVisited}
}

func (s *scenario) link(a []string) error {
	path := filepath.Join(s.dir, filepath.FromSlash(a[0]))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.Symlink(filepath.FromSlash(a[1]), path); err != nil {
		s.t.Skipf("no symbolic links here: %v", err)
	}
	return nil
}

func (s *scenario) configure(a []string) error {
	settings := []byte(`{"settings":{"redline":` + a[0] + `}}`)
	return s.editor.Notify("workspace/didChangeConfiguration", jsonText(settings))
}

// jsonText is raw JSON.
type jsonText []byte

func (j jsonText) MarshalJSON() ([]byte, error) { return j, nil }

func (s *scenario) wantUnsent(a []string) error {
	for i, r := range s.model.Requests() {
		if bytes.Contains(r.Body, []byte(a[0])) {
			return fmt.Errorf("request %d holds %q:\n%s", i+1, a[0], r.Body)
		}
	}
	return nil
}

func (s *scenario) wantUnsaid(a []string) error {
	for _, text := range s.seen() {
		if strings.Contains(text, a[0]) {
			return fmt.Errorf("the user was shown %q", text)
		}
	}
	return nil
}

// seen returns the messages and diagnostics that the user has been shown.
func (s *scenario) seen() (texts []string) {
	for _, m := range s.editor.Messages() {
		texts = append(texts, m.Text)
	}
	for path := range s.tree() {
		for _, d := range s.editor.Diagnostics(path) {
			texts = append(texts, d.Message)
		}
	}
	return texts
}

// wantNothingHidden checks, at the end of every story, that nothing the user was shown
// contains an invisible character.
func (s *scenario) wantNothingHidden() error {
	for _, text := range s.seen() {
		if visible := edits.Visible(text); visible != text {
			return fmt.Errorf("the user was shown hidden characters: %s", visible)
		}
		if strings.Contains(text, "\t") {
			return fmt.Errorf("the user was shown a tab: %q", text)
		}
	}
	return nil
}

// web is the network of a story: a host that the user allows and one that the user does not
// allow.
type web struct {
	mu      sync.Mutex
	visited []string
}

func (w *web) visit(address string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.visited = append(w.visited, address)
}

// startWeb starts the web of a story, and replaces $WEB and $ELSEWHERE in its parts by the
// addresses. Each line of pages is a path and a text, or a path, "->" and the target of a
// redirect.
func (s *scenario) startWeb(pages string) {
	s.web = &web{}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.web.visit("elsewhere " + r.URL.String())
		fmt.Fprintln(w, "internal secret")
	}))
	s.t.Cleanup(elsewhere.Close)
	allowed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.web.visit(r.URL.String())
		for line := range strings.Lines(pages) {
			path, text, _ := strings.Cut(strings.TrimSpace(line), " ")
			if path != r.URL.Path {
				continue
			}
			if to, ok := strings.CutPrefix(text, "-> "); ok {
				w.Header().Set("Location", s.address.Replace(to))
				w.WriteHeader(http.StatusFound)
				return
			}
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			fmt.Fprintln(w, text)
			return
		}
		http.NotFound(w, r)
	}))
	s.t.Cleanup(allowed.Close)
	s.address = strings.NewReplacer("$WEB", allowed.URL, "$ELSEWHERE", elsewhere.URL)
	s.unaddress = strings.NewReplacer(allowed.URL, "$WEB", elsewhere.URL, "$ELSEWHERE",
		strings.TrimPrefix(allowed.URL, "http://"), "$WEB", strings.TrimPrefix(elsewhere.URL, "http://"), "$ELSEWHERE")
}

func (s *scenario) wantVisited(a []string) error {
	s.web.mu.Lock()
	defer s.web.mu.Unlock()
	if got := strings.Join(s.web.visited, "; "); got != a[0] {
		return fmt.Errorf("the web was asked %q, want %q", got, a[0])
	}
	return nil
}

// hiddenCharacters replaces escapes such as \u202E by the characters.
func hiddenCharacters(text string) string {
	for at := 0; ; {
		i := strings.Index(text[at:], `\u`)
		if i < 0 {
			return text
		}
		at += i
		var r rune
		if n, err := fmt.Sscanf(text[at:], `\u%4X`, &r); n != 1 || err != nil || at+6 > len(text) {
			at += 2
			continue
		}
		text = text[:at] + string(r) + text[at+6:]
		at += len(string(r))
	}
}
