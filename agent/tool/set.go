package tool

import "slices"

// All returns every tool, those that look first.
func All() []Tool {
	return []Tool{
		readFile, listFiles, search, outline,
		openLocation, showView, setDiffMode, submitPlan,
		editFile, applyPatch, writeFile, deleteFile, renameFile, textEditor, runCommand,
		askUser,
	}
}

// Reading returns the tools that stage nothing.
func Reading() []Tool {
	return slices.DeleteFunc(All(), func(t Tool) bool { return t.Buffered })
}

// aliases are other names that models know tools by.
var aliases = map[string]string{
	"str_replace_based_edit_tool": textEditor.Name,
}

// Find returns the tool of the set that a model calls by name, which may be an
// alias.
func Find(set []Tool, name string) (Tool, bool) {
	if real, ok := aliases[name]; ok {
		name = real
	}
	for _, t := range set {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}
