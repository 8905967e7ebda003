package edits

// Blank tells whether a text is what an editor has of a file that is not there:
// nothing, or the line end that some editors end every text with (Neovim).
func Blank(text string) bool { return text == "" || text == "\n" || text == "\r\n" }
