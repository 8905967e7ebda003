package secrets

import "unicode"

// Removable reports whether each occurrence of a secret can be taken out of a text. Of a
// value with fewer than 4 characters, or of a short word, that would tear ordinary texts
// and protect nothing: servers on one's own machine take any key, and are given `none`,
// `ollama` or `EMPTY`.
func Removable(secret string) bool {
	characters, letters := 0, 0
	for _, r := range secret {
		characters++
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return len(secret) >= 4 && (characters >= 8 || letters < characters)
}
