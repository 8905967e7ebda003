package model_test

import (
	"redline/agent/model"
)

var ollamaShapes = []shape{
	{by: "Ollama", name: "text", body: stream(
		`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764240000,"model":"qwen3","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"Yes."},"finish_reason":null}]}`,
		`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764240000,"model":"qwen3","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}`, done), text: "Yes."},
	{by: "Ollama", name: "call", body: stream(
		`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","index":0,"type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}]},"finish_reason":null}]}`, ended("tool_calls"), done), calls: `read_file {"path":"a"}`},
	{by: "Ollama", name: "two calls with one index and no names between", body: stream(
		calling(`{"id":"call_1","index":0,"type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}},{"id":"call_2","index":0,"type":"function","function":{"name":"search","arguments":"{}"}}`), ended("stop"), done),
		calls: "read_file {\"path\":\"a\"}\nsearch {}", finish: "stop"},
	{by: "Ollama", name: "thoughts", body: stream(`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Hm."},"finish_reason":null}]}`, said("Yes."), ended("stop"), done), text: "Yes.", thought: "Hm."},
	{by: "Ollama", name: "model", status: 404, body: `{"error":{"message":"model \"llama9\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`, kind: model.KindNotFound, says: "try pulling it first"},
	{by: "Ollama", name: "no tools", status: 400, body: `{"error":{"message":"registry.ollama.ai/library/gemma3:4b does not support tools","type":"api_error","param":null,"code":null}}`, other: "## read_file"},
	{by: "Ollama", name: "crash", status: 500, body: `{"error":{"message":"llama runner process has terminated: exit status 2","type":"api_error","param":null,"code":null}}`, kind: model.KindOverloaded, says: "(500: llama runner process has terminated", again: true},
	{by: "Ollama", name: "crash in the stream", body: stream(said("I "), `{"error":{"message":"an error was encountered while running the model: unexpected EOF","type":"api_error","param":null,"code":null}}`), text: "I ", kind: model.KindOverloaded, says: "unexpected EOF"},
	{by: "Ollama", name: "crash as text", body: stream(said("I "), `{"error":"llama runner exited"}`), text: "I ", kind: model.KindBroken, says: "(llama runner exited)"},
	{by: "Ollama", name: "busy", status: 503, body: `{"error":{"message":"server busy, please try again. maximum pending requests exceeded","type":"api_error"}}`, kind: model.KindOverloaded, says: "server busy", again: true},
	{by: "Ollama", name: "cloud", status: 401, body: `{"StatusCode":401,"Status":"401 Unauthorized","error":"unauthorized"}`, kind: model.KindUnauthorized, says: "refused the key (401)"},
	{by: "Ollama", name: "prompt", status: 400, body: `{"error":{"message":"prompt too long; exceeded max context length by 812 tokens","type":"api_error"}}`, kind: model.KindTooLong, says: "812 tokens"},
}

var llamaShapes = []shape{
	{by: "llama.cpp", name: "text", body: stream(
		`{"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1764240000,"id":"c","model":"m","system_fingerprint":"b1","object":"chat.completion.chunk"}`, said("Yes."), ended("stop"),
		`{"choices":[],"created":1764240000,"id":"c","model":"m","object":"chat.completion.chunk","usage":{"completion_tokens":2,"prompt_tokens":9,"total_tokens":11},"timings":{"prompt_n":9,"prompt_ms":3.1,"predicted_n":2}}`, done), text: "Yes."},
	{by: "llama.cpp", name: "call", body: stream(
		calling(`{"index":0,"id":"XyZ","type":"function","function":{"name":"read_file","arguments":"{"}}`), calling(`{"index":0,"function":{"arguments":"\"path\":\"a\"}"}}`), ended("tool_calls"), done), calls: `read_file {"path":"a"}`},
	{by: "llama.cpp", name: "call without an id", body: stream(calling(`{"index":0,"id":"","type":"function","function":{"name":"search","arguments":"{}"}}`), ended("tool_calls"), done), calls: "search {}"},
	{by: "llama.cpp", name: "thoughts", body: stream(`{"choices":[{"finish_reason":null,"index":0,"delta":{"reasoning_content":"Hm."}}]}`, said("Yes."), ended("stop"), done), text: "Yes.", thought: "Hm."},
	{by: "llama.cpp", name: "thoughts without a parser", body: stream(said("<think>"), said("\nHm.\n"), said("</think>"), said("\n\nYes."), ended("stop"), done), text: "Yes.", thought: "\nHm.\n"},
	{by: "llama.cpp", name: "Gemma's thoughts", body: stream(said("<|channel>"), said("thought\nHm.\n"), said("<channel|>Yes."), ended("stop"), done), text: "Yes.", thought: "\nHm.\n"},
	{by: "llama.cpp", name: "harmony without a parser", body: stream(said("<|channel|>analysis<|message|>Hm."), said("<|end|><|start|>assistant<|channel|>final<|mess"), said("age|>Yes."), ended("stop"), done), text: "Yes.", thought: "Hm."},
	{by: "llama.cpp", name: "call in harmony", body: stream(said("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{\"path\":\"a\"}"), ended("stop"), done),
		thought: "Hm.", calls: `read_file {"path":"a"}`, finish: "stop"},
	{by: "llama.cpp", name: "context", status: 400, body: `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}}`, kind: model.KindTooLong, says: "available context size"},
	{by: "llama.cpp", name: "context, as 500", status: 500, body: `{"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error"}}`, kind: model.KindTooLong, says: "available context size"},
	{by: "llama.cpp", name: "context, older", status: 500, body: `{"error":{"code":500,"message":"context size has been exceeded","type":"server_error"}}`, kind: model.KindTooLong, says: "context size"},
	{by: "llama.cpp", name: "context in the stream", body: stream(`{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}`, done), kind: model.KindTooLong, says: "available context size"},
	{by: "llama.cpp", name: "field error", body: stream(said("I ")) + "error: {\"code\":500,\"message\":\"Compute error.\",\"type\":\"server_error\"}\n\n", text: "I ", kind: model.KindOverloaded, says: "(500: Compute error)"},
	{by: "llama.cpp", name: "without jinja", status: 500, body: `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, other: "## read_file"},
	{by: "llama.cpp", name: "loading", status: 503, body: `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, kind: model.KindOverloaded, says: "(503: Loading model)", again: true},
	{by: "llama.cpp", name: "key", status: 401, body: `{"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}}`, kind: model.KindUnauthorized, says: "refused the key (401)"},
}

var vLLMShapes = []shape{
	{by: "vLLM", name: "text", body: stream(
		`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764240000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning_content":null},"logprobs":null,"finish_reason":null}],"prompt_token_ids":null}`, said("Yes."),
		`{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":""},"logprobs":null,"finish_reason":"stop","stop_reason":151645,"token_ids":null}]}`, done), text: "Yes."},
	{by: "vLLM", name: "call", body: stream(
		calling(`{"id":"chatcmpl-tool-1","type":"function","index":0,"function":{"name":"read_file"}}`), calling(`{"index":0,"function":{"arguments":"{\"path\": \"a\""}}`), calling(`{"index":0,"function":{"arguments":"}"}}`),
		`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"tool_calls","stop_reason":null}]}`, done), calls: `read_file {"path": "a"}`},
	{by: "vLLM", name: "thoughts", body: stream(`{"choices":[{"index":0,"delta":{"reasoning":"Hm.","reasoning_content":"Hm."},"finish_reason":null}]}`, said("Yes."), ended("stop"), done), text: "Yes.", thought: "Hm."},
	{by: "vLLM", name: "whole reply", body: `{"id":"chatcmpl-1","object":"chat.completion","created":1764240000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Yes.","refusal":null,"annotations":null,"audio":null,"function_call":null,"tool_calls":[],"reasoning":null},"logprobs":null,"finish_reason":"stop","stop_reason":null}],"usage":{"prompt_tokens":9,"total_tokens":11,"completion_tokens":2,"prompt_tokens_details":null}}`, text: "Yes."},
	{by: "vLLM", name: "control tokens in a name", body: stream(calling(`{"id":"chatcmpl-tool-1","type":"function","index":0,"function":{"name":"read_file<|channel|>commentary","arguments":"{\"path\":\"a\"}"}}`), ended("tool_calls"), done),
		calls: `read_file {"path":"a"}`, back: `"id":"chatcmpl-tool-1","type":"function","function":{"name":"read_file",`},
	{by: "vLLM", name: "context", status: 400, body: `{"object":"error","message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.","type":"BadRequestError","param":null,"code":400}`, kind: model.KindTooLong, says: "9000 tokens"},
	{by: "vLLM", name: "context, newer", status: 400, body: `{"error":{"message":"You passed 8193 input tokens and requested 1 output tokens. However, the model's context length is only 8192 tokens.","type":"BadRequestError","param":"input_tokens","code":400}}`, kind: model.KindTooLong, says: "8193 input tokens"},
	{by: "vLLM", name: "model", status: 404, body: "{\"object\":\"error\",\"message\":\"The model `x` does not exist.\",\"type\":\"NotFoundError\",\"param\":null,\"code\":404}", kind: model.KindNotFound, says: "does not exist"},
	{by: "vLLM", name: "no tool parser", status: 400, body: `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}`, other: "## read_file"},
	{by: "vLLM", name: "error in the stream, older", body: stream(said("I "), `{"object":"error","message":"CUDA out of memory","type":"InternalServerError","param":null,"code":500}`, done), text: "I ", kind: model.KindOverloaded, says: "(500: CUDA out of memory)"},
	{by: "vLLM", name: "error in the stream", body: stream(`{"error":{"message":"Internal server error","type":"InternalServerError","param":null,"code":500}}`, done), kind: model.KindOverloaded, says: "(500: Internal server error)", again: true},
	{by: "vLLM", name: "abort", body: stream(said("I "), ended("abort"), done), text: "I ", kind: model.KindBroken, says: "its finish reason is abort"},
	{by: "vLLM", name: "nothing but the end", body: stream(done), kind: model.KindBroken, says: "before it was complete", again: true},
	{by: "vLLM", name: "address", status: 404, body: `{"detail":"Not Found"}`, kind: model.KindNotFound, says: "(404: Not Found)"},
	{by: "vLLM", name: "fields", status: 422, body: `{"detail":[{"type":"extra_forbidden","loc":["body","best_of"],"msg":"Extra inputs are not permitted","input":1}]}`, kind: model.KindRejected, says: "(422: best_of: Extra inputs are not permitted)"},
}

var studioShapes = []shape{
	{by: "LM Studio", name: "text", body: stream(
		`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764240000,"model":"m","system_fingerprint":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Yes."},"logprobs":null,"finish_reason":null}]}`, ended("stop"), done), text: "Yes."},
	{by: "LM Studio", name: "call", body: stream(
		calling(`{"index":0,"id":"123456789","type":"function","function":{"name":"read_file","arguments":""}}`), calling(`{"index":0,"type":"function","function":{"arguments":"{\"path\":\"a\"}"}}`), ended("tool_calls"), done), calls: `read_file {"path":"a"}`},
	{by: "LM Studio", name: "crash", body: stream(said("I ")) + "event: error\n" + stream(`{"error":{"message":"The model has crashed without additional information. (Exit code: 11)"}}`), text: "I ", kind: model.KindBroken, says: "The model has crashed"},
	{by: "LM Studio", name: "crash as text", body: "event: error\ndata: The model has crashed\n\n", kind: model.KindBroken, says: "(The model has crashed)"},
	{by: "LM Studio", name: "context", body: "event: error\n" + stream(`{"error":"Trying to keep the first 4211 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens."}`), kind: model.KindTooLong, says: "4211 tokens"},
	{by: "LM Studio", name: "MLX's context", body: "event: error\n" + stream(`{"error":{"message":"Context size has been exceeded."}}`), kind: model.KindTooLong, says: "Context size"},
	{by: "LM Studio", name: "model", status: 404, body: `{"error":{"message":"Model \"x\" not found. Please specify a valid model.","type":"invalid_request_error","param":"model","code":"model_not_found"}}`, kind: model.KindNotFound, says: "not found"},
	{by: "LM Studio", name: "nothing loaded", status: 400, body: `{"error":{"message":"No models loaded. Please load a model in the developer page.","type":"invalid_request_error","param":"model","code":null}}`, kind: model.KindRejected, says: "No models loaded"},
	{by: "LM Studio", name: "address", body: `{"error":"Unexpected endpoint or method. (POST /chat/completions)"}`, kind: model.KindBroken, says: "Unexpected endpoint"},
	{by: "LM Studio", name: "unloaded", status: 400, body: `{"error":"Model unloaded."}`, kind: model.KindRejected, says: "(400: Model unloaded)"},
	{by: "LM Studio", name: "empty reply", body: stream(`{"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":null}]}`, ended("stop"), done)},
}
