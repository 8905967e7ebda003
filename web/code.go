package web

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// maxTries is how often a wrong code can be typed. With 32 letters at eight places, that is a
// chance of one in 200,000,000,000 for one who guesses.
const maxTries = 5

// letters of a code: none that looks like another.
const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

// code is what the user types where no file can carry the key: on another machine, over ssh -L.
type code struct {
	text string

	mu    sync.Mutex
	tries int // wrong ones
}

func newCode() code {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails
	for i := range random {
		random[i] = letters[int(random[i])%len(letters)]
	}
	return code{text: string(random)}
}

// Code returns the short code, in the form in which users read it.
func (s *Server) Code() string { return s.code.text[:4] + "-" + s.code.text[4:] }

// try compares a typed code. left is how many tries are left after a wrong one.
func (c *code) try(typed string) (ok bool, left int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tries >= maxTries {
		return false, 0
	}
	typed = strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(typed))
	if subtle.ConstantTimeCompare([]byte(typed), []byte(c.text)) == 1 {
		return true, maxTries - c.tries
	}
	c.tries++
	return false, maxTries - c.tries
}

// typed answers a typed code with the key. After a few wrong ones the code opens nothing any more.
func (s *Server) typed(w http.ResponseWriter, r *http.Request) {
	body, err := read[struct {
		Code string `json:"code"`
	}](r)
	if err != nil {
		fail(w, statusOf(err), err.Error())
		return
	}
	switch ok, left := s.code.try(body.Code); {
	case ok:
		write(w, http.StatusOK, map[string]any{"token": string(s.key)})
	case left == 0:
		write(w, http.StatusGone, map[string]any{"error": "A wrong code was typed too often: start redline review again.", "ended": true})
	default:
		write(w, http.StatusForbidden, map[string]any{"error": fmt.Sprintf("That is not the code that redline review prints. You can try %d more times.", left), "left": left})
	}
}
