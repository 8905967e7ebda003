package secrets

import "strings"

// LeftOut is the line that [Withhold] puts in the place of lines with a secret.
const LeftOut = "[a line that may hold a secret is left out]"

// Withhold returns the output of a command, of any size, without the lines of private keys and
// tokens, as [Text] recognises them, and without those of a key whose beginning is missing.
func Withhold(output string) string {
	var b strings.Builder
	shown := 0 // where the part of the output begins that is not yet in b
	leave := func(start, end int) {
		start = max(shown, strings.LastIndexByte(output[:start], '\n')+1)
		if n := strings.IndexByte(output[end:], '\n'); n >= 0 {
			end += n + 1
		} else {
			end = len(output)
		}
		if end <= shown {
			return
		}
		b.WriteString(withoutEnds(output[shown:start]))
		b.WriteString(LeftOut + "\n")
		shown = end
	}
	for {
		start, end, found := find(output, shown)
		if !found {
			break
		}
		leave(start, end)
	}
	if shown == 0 {
		return withoutEnds(output)
	}
	b.WriteString(withoutEnds(output[shown:]))
	return b.String()
}

const (
	endOfKey      = "-----END "
	kindOfPrivate = "PRIVATE KEY"
)

// withoutEnds returns a text without the ends of private keys: their last lines, up to the one
// that says that they end.
func withoutEnds(text string) string {
	if !strings.Contains(text, endOfKey) {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	kept := lines[:0]
	for _, line := range lines {
		if !strings.Contains(line, endOfKey) || !strings.Contains(line, kindOfPrivate) {
			kept = append(kept, line)
			continue
		}
		n := len(kept)
		if n > 0 && isBody(kept[n-1], 1) { // the last line of a body may be short
			n--
		}
		last := n
		for n > 0 && isBody(kept[n-1], minLine) {
			n--
		}
		if n == last && (n == len(kept) || !isBody(kept[n], minLine)) { // a mention of one
			kept = append(kept, line)
			continue
		}
		kept = append(kept[:n], LeftOut+"\n")
	}
	return strings.Join(kept, "")
}

// isBody reports whether a line is one of a key's body: base64 of a length, maybe behind the
// number or the mark that a program puts in front of each line.
func isBody(line string, length int) bool {
	words := strings.Fields(strings.TrimLeft(line, "-<>|"))
	if len(words) == 0 || len(words) > 3 {
		return false
	}
	last := words[len(words)-1]
	return len(last) >= length && strings.IndexFunc(last, func(r rune) bool { return !isBase64(r) }) < 0 && (length < minLine || kinds(last) >= minKinds)
}

// maxKey is the size of the longest private key, in bytes.
const maxKey = 64 << 10

// keyExtent returns how many bytes after " KEY" belong to a private key: up to the line that ends
// it, or, where the text is cut off before that, all lines that look like its body.
func keyExtent(after string) int {
	after = after[:min(len(after), maxKey)]
	for _, end := range []string{endOfKey, "---- END "} {
		if n := strings.Index(after, end); n >= 0 {
			return n + len(end)
		}
	}
	n := 0
	for i, line := range strings.SplitAfter(after, "\n") {
		if i > 0 && !isBody(line, minLine) && strings.TrimSpace(line) != "" && !strings.Contains(line, ": ") {
			break
		}
		n += len(line)
	}
	return max(n-1, 0)
}
