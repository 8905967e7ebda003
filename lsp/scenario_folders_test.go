package lsp_test

// The acts about workspace folders.

func init() {
	// The user opens or closes a folder.
	acts["add-folder"] = act{"PATH", func(s *scenario, a []string) error { return s.editor.AddFolder(a[0]) }}
	acts["remove-folder"] = act{"PATH", func(s *scenario, a []string) error { return s.editor.RemoveFolder(a[0]) }}
}
