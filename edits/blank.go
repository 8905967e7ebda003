package edits

// Blank reports whether text is what an editor may show for a file that does not exist:
// nothing, or a single line end (Neovim ends every text with one).
func Blank(text string) bool { return text == "" || text == "\n" || text == "\r\n" }
