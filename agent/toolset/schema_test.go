package toolset_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"redline/agent/toolset/mcptest"
)

// The schema that a model gets for the one that a server describes its arguments with.
func TestSchemasAreCompleted(t *testing.T) {
	for name, c := range map[string]struct{ schema, want string }{
		"no properties":          {`{"type":"object"}`, `{"type":"object","properties":{}}`},
		"null properties":        {`{"type":"object","properties":null,"required":null}`, `{"type":"object","properties":{}}`},
		"nothing":                {`null`, `{"type":"object","properties":{}}`},
		"no schema":              {`true`, `{"type":"object","properties":{}}`},
		"a list":                 {`[]`, `{"type":"object","properties":{}}`},
		"no type":                {`{"properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
		"types":                  {`{"type":["object","null"]}`, `{"type":"object","properties":{}}`},
		"no items":               {`{"type":"object","properties":{"a":{"type":"array"}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{}}}}`},
		"null items":             {`{"type":"object","properties":{"a":{"type":["array","null"],"items":null}}}`, `{"type":"object","properties":{"a":{"type":["array","null"],"items":{}}}}`},
		"items that are true":    {`{"type":"object","properties":{"a":{"type":"array","items":true}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{}}}}`},
		"items by place":         {`{"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"},{"type":"array"}]}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"array","items":{}}]}}}}`},
		"items within items":     {`{"type":"object","properties":{"a":{"type":"array","items":{"type":"array"}}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{"type":"array","items":{}}}}}`},
		"an object within":       {`{"type":"object","properties":{"a":{"type":"object"}}}`, `{"type":"object","properties":{"a":{"type":"object","properties":{}}}}`},
		"a map":                  {`{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"array"}}}}`, `{"type":"object","properties":{"a":{"type":"object","properties":{},"additionalProperties":{"type":"array","items":{}}}}}`},
		"a definition":           {`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"array"}}}`, `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"array","items":{}}}}`},
		"a choice":               {`{"type":"object","properties":{"a":{"anyOf":[{"type":"array"},{"type":"null"}]}}}`, `{"type":"object","properties":{"a":{"anyOf":[{"type":"array","items":{}},{"type":"null"}]}}}`},
		"properties of no shape": {`{"type":"object","properties":{"a":true,"b":null,"c":"string"}}`, `{"type":"object","properties":{"a":{},"b":{},"c":{}}}`},
		"null descriptions":      {`{"type":"object","title":null,"properties":{"a":{"type":"string","description":null,"default":null,"minLength":null}}}`, `{"type":"object","properties":{"a":{"type":"string","default":null}}}`},
		"headers of HTTP":        {`{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"},"x-mcp-header":{"type":"object","x-mcp-header":"","properties":{"b":{"type":"array","x-mcp-header":1}}}}}`, `{"type":"object","properties":{"a":{"type":"number"},"x-mcp-header":{"type":"object","properties":{"b":{"type":"array","items":{}}}}}}`},
		"types of no meaning":    {`{"type":"object","properties":{"a":{"type":"String"},"b":{"type":"file"},"c":{"type":["string","any"]}}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{},"c":{"type":["string"]}}}`},
		"required of draft 3":    {`{"type":"object","properties":{"a":{"type":"string","required":true}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
		"limits of draft 4":      {`{"type":"object","properties":{"a":{"type":"number","minimum":1,"exclusiveMinimum":true}}}`, `{"type":"object","properties":{"a":{"type":"number","minimum":1}}}`},
		"required and missing":   {`{"type":"object","properties":{"a":{}},"required":["a","b","b",1]}`, `{"type":"object","properties":{"a":{},"b":{}},"required":["a","b"]}`},
		"an empty enum":          {`{"type":"object","properties":{"a":{"type":"string","enum":[]},"b":{"enum":null}}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{}}}`},
		"empty choices":          {`{"type":"object","properties":{"a":{"anyOf":[]}}}`, `{"type":"object","properties":{"a":{}}}`},
		"a dialect":              {`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
		"a reference at the top": {`{"$ref":"#/definitions/A","definitions":{"A":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"definitions":{"A":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}`},
		"a circle of references": {`{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}}`, `{"type":"object","properties":{},"$defs":{"A":{"$ref":"#/$defs/A"}}}`},
		"a choice at the top": {
			`{"oneOf":[{"properties":{"kind":{"const":"a"},"x":{"type":"string"}},"required":["kind"]},{"properties":{"kind":{"const":"b"}}}]}`,
			`{"type":"object","properties":{"kind":{"anyOf":[{"const":"a"},{"const":"b"}]},"x":{"type":"string"}}}`,
		},
		"all at the top": {
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"allOf":[{"properties":{"a":{"minLength":1},"b":{"type":"array"}},"required":["b"]}],"not":{"required":["c"]}}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"array","items":{}}},"required":["a","b"]}`,
		},
		"what is right": {
			`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","enum":["x"]},"minItems":1},"b":{"type":"integer","description":"B.","const":null}},"required":["a"],"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","enum":["x"]},"minItems":1},"b":{"type":"integer","description":"B.","const":null}},"required":["a"],"additionalProperties":false}`,
		},
		"too deep":  {`{"type":"object","properties":{"a":` + strings.Repeat(`{"items":`, 3000) + `{}` + strings.Repeat(`}`, 3000) + `}}`, ""},
		"too large": {`{"type":"object","properties":{"a":{"description":"` + strings.Repeat("x", 17<<10) + `"}}}`, `{"type":"object","properties":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			list := `{"tools":[{"name":"look","inputSchema":` + c.schema + `},{"name":"none"}]}`
			s, _ := scripted(t, mcptest.Script{Methods: map[string]mcptest.Step{"tools/list": {Result: list}}}, nil)
			tools, problems := s.Tools(t.Context())
			if len(problems) != 0 || len(tools) != 2 {
				t.Fatalf("%d tools, %q", len(tools), problems)
			}
			if got := string(tools[1].Schema); got != `{"properties":{},"type":"object"}` {
				t.Errorf("without a schema: %s", got)
			}
			got := decoded(t, string(tools[0].Schema))
			if c.want != "" {
				if diff := cmp.Diff(decoded(t, c.want), got); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			}
			accepted(t, got, "the top")
			var schema jsonschema.Schema
			if err := json.Unmarshal(tools[0].Schema, &schema); err != nil {
				t.Fatal(err)
			}
			if _, err := schema.Resolve(nil); err != nil && name != "a circle of references" {
				t.Error(err)
			}
		})
	}
}

func decoded(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return value
}

// accepted checks what OpenAI checks: each object has properties and each array has items.
func accepted(t *testing.T, value any, at string) {
	switch v := value.(type) {
	case map[string]any:
		for kind, member := range map[string]string{"object": "properties", "array": "items"} {
			if _, ok := v[member].(map[string]any); !ok && strings.Contains(fmt.Sprint(v["type"]), kind) {
				t.Errorf("%s: the %s has no %s", at, kind, member)
			}
		}
		for key, one := range v {
			accepted(t, one, at+"/"+key)
		}
	case []any:
		for _, one := range v {
			accepted(t, one, at)
		}
	}
}
