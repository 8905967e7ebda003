package loop

import (
	"encoding/json"
	"fmt"

	"redline/agent/model"
	"redline/agent/tool"
	"redline/edits/patch"
)

// patchTool is the tool that takes search/replace blocks.
const patchTool = "apply_patch"

// written returns what an answer that calls no tool asks for all the same: some
// models write search/replace blocks into their prose. Once something was
// staged, blocks only tell of it.
func (r *run) written(answer string) []model.Call {
	if _, offered := tool.Find(r.tools, patchTool); !offered || r.staged || !patch.HasBlocks(answer) {
		return nil
	}
	arguments, err := json.Marshal(map[string]string{"patch": answer})
	if err != nil {
		return nil // no text can fail here
	}
	return []model.Call{{ID: fmt.Sprintf("written%d", r.out.Requests), Name: patchTool, Arguments: string(arguments)}}
}
