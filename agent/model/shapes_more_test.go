package model_test

import (
	"redline/agent/model"
)

var deepSeekShapes = []shape{
	{by: "DeepSeek", name: "text", body: ": keep-alive\n\n: keep-alive\n\n" + stream(
		`{"id":"1","object":"chat.completion.chunk","created":1764240000,"model":"deepseek-chat","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":"Yes."},"logprobs":null,"finish_reason":null}]}`,
		`{"id":"1","object":"chat.completion.chunk","created":1764240000,"model":"deepseek-chat","choices":[{"index":0,"delta":{"content":""},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":0},"prompt_cache_hit_tokens":0,"prompt_cache_miss_tokens":9}}`, done), text: "Yes."},
	{by: "DeepSeek", name: "thoughts", body: stream(`{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"Hm."},"finish_reason":null}]}`,
		`{"choices":[{"index":0,"delta":{"content":"Yes.","reasoning_content":null},"finish_reason":null}]}`, ended("stop"), done), text: "Yes.", thought: "Hm."},
	{by: "DeepSeek", name: "whole reply after empty lines", body: "\n\n\n" + `{"id":"1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},"logprobs":null,"finish_reason":"stop"}]}`, text: "Yes."},
	{by: "DeepSeek", name: "credit", status: 402, body: `{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`, kind: model.KindUnpaid, says: "for lack of credit (402: Insufficient Balance): add credit"},
	{by: "DeepSeek", name: "key", status: 401, body: `{"error":{"message":"Authentication Fails (no such user)","type":"authentication_error","param":null,"code":"invalid_request_error"}}`, kind: model.KindUnauthorized, says: "refused the key (401)"},
	{by: "DeepSeek", name: "parameters", status: 422, body: "Failed to deserialize the JSON body into the target type: messages[3]: missing field `content` at line 1 column 90", kind: model.KindRejected, says: "missing field `content`"},
	{by: "DeepSeek", name: "overloaded", status: 503, body: `{"error":{"message":"Service is too busy. We advise users to temporarily switch to alternative LLM API service providers.","type":"service_unavailable_error","param":null,"code":"invalid_request_error"}}`, kind: model.KindOverloaded, says: "too busy", again: true},
	{by: "DeepSeek", name: "resources", body: stream(said("I "), ended("insufficient_system_resource"), done), text: "I ", kind: model.KindOverloaded, says: "insufficient_system_resource"},
	{by: "DeepSeek", name: "resources, at once", body: stream(ended("insufficient_system_resource"), done), kind: model.KindOverloaded, says: "try again later", again: true},
	{by: "DeepSeek", name: "thoughts missing", status: 400, body: "{\"error\":{\"message\":\"Missing `reasoning_content` field in the assistant message at message index 2\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"invalid_request_error\"}}", other: `"reasoning_content":"Hm."`},
	{by: "DeepSeek", name: "content", status: 400, body: `{"error":{"message":"Content Exists Risk","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, kind: model.KindFiltered, says: "(400: Content Exists Risk): put it in other words"},
	{by: "DeepSeek", name: "context", status: 400, body: `{"error":{"message":"This model's maximum context length is 131072 tokens. However, you requested 140000 tokens.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, kind: model.KindTooLong, says: "140000"},
}

var mistralShapes = []shape{
	{by: "Mistral", name: "text", body: stream(
		`{"id":"1","object":"chat.completion.chunk","created":1764240000,"model":"devstral","choices":[{"index":0,"delta":{"role":"assistant","content":"Yes."},"finish_reason":null}],"p":"abcd"}`,
		`{"id":"1","object":"chat.completion.chunk","created":1764240000,"model":"devstral","choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"total_tokens":11,"completion_tokens":2}}`, done), text: "Yes."},
	{by: "Mistral", name: "call", body: stream(
		`{"choices":[{"index":0,"delta":{"content":"","tool_calls":[{"id":"D681PevKs","function":{"name":"read_file","arguments":"{\"path\": \"a\"}"},"index":0}]},"finish_reason":"tool_calls"}]}`, done), calls: `read_file {"path": "a"}`},
	{by: "Mistral", name: "arguments as an object", body: `{"id":"1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"","tool_calls":[{"id":"D681PevKs","type":"function","function":{"name":"read_file","arguments":{"path":"a<b"}}}]},"finish_reason":"tool_calls"}]}`,
		calls: `read_file {"path":"a<b"}`},
	{by: "Mistral", name: "thoughts in parts", body: stream(
		`{"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]}]},"finish_reason":null}]}`, `{"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"Yes."}]},"finish_reason":"stop"}]}`, done), text: "Yes.", thought: "Hm."},
	{by: "Mistral", name: "thoughts in brackets", body: stream(said("[THINK]Hm."), said("[/THINK]Yes."), ended("stop"), done), text: "Yes.", thought: "Hm."},
	{by: "Mistral", name: "model_length", body: stream(said("Half"), ended("model_length"), done), text: "Half", finish: model.FinishLength},
	{by: "Mistral", name: "finish reason error", body: stream(said("I "), ended("error"), done), text: "I ", kind: model.KindBroken, says: "its finish reason is error"},
	{by: "Mistral", name: "key", status: 401, body: "{\n  \"message\":\"Unauthorized\",\n  \"request_id\":\"1\"\n}", kind: model.KindUnauthorized, says: "refused the key (401)"},
	{by: "Mistral", name: "fields", status: 422, body: `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted","input":1}]},"type":"invalid_request_error","param":null,"code":null}`,
		kind: model.KindRejected, says: "(422: seed: Extra inputs are not permitted)"},
	{by: "Mistral", name: "ids", status: 400, body: `{"object":"error","message":"Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.","type":"invalid_request_error","param":null,"code":"3280"}`, other: `"tool_call_id":"000000002"`},
	{by: "Mistral", name: "capacity", status: 429, body: `{"object":"error","message":"Service tier capacity exceeded for this model.","type":"service_tier_capacity_exceeded","param":null,"code":"3505"}`, kind: model.KindRateLimited, says: "(429: Service tier capacity exceeded", again: true},
	{by: "Mistral", name: "context", status: 400, body: `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_prompt","param":null,"code":"3051"}`, kind: model.KindTooLong, says: "40000 tokens"},
	{by: "Mistral", name: "error in the stream", body: stream(said("I "), `{"object":"error","message":"Internal server error","type":"internal_server_error","param":null,"code":"1000"}`), text: "I ", kind: model.KindOverloaded, says: "(Internal server error)"},
}

var groqShapes = []shape{
	{by: "Groq", name: "text", body: stream(
		`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764240000,"model":"llama-3.3-70b","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"x_groq":{"id":"req_1"}}`, said("Yes."),
		`{"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"x_groq":{"id":"req_1","usage":{"queue_time":0.03,"prompt_tokens":9,"completion_tokens":2}}}`, done), text: "Yes."},
	{by: "Groq", name: "call", body: stream(calling(`{"id":"call_1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"},"index":0}`), ended("tool_calls"), done), calls: `read_file {"path":"a"}`},
	{by: "Groq", name: "arguments null", body: stream(calling(`{"id":"call_1","type":"function","function":{"name":"search","arguments":"null"},"index":0}`), ended("tool_calls"), done), calls: "search {}"},
	{by: "Groq", name: "thoughts", body: stream(`{"choices":[{"index":0,"delta":{"channel":"analysis","reasoning":"Hm."},"finish_reason":null}]}`, said("Yes."), ended("stop"), done), text: "Yes.", thought: "Hm."},
	{by: "Groq", name: "unreadable call in the stream", body: "event: error\n" + stream(`{"error":{"message":"Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=search{","status_code":400}}`),
		kind: model.KindBroken, says: "<function=search{", again: true},
	{by: "Groq", name: "unreadable call", status: 400, body: `{"error":{"message":"Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=search{"}}`,
		kind: model.KindBroken, says: "<function=search{): try again", again: true},
	{by: "Groq", name: "stopped early", body: stream(said("I "), `{"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":null}],"x_groq":{"id":"req_1","error":"over_capacity"}}`), text: "I ", kind: model.KindBroken, says: "(over_capacity)"},
	{by: "Groq", name: "more than a minute's tokens", status: 413, body: "{\"error\":{\"message\":\"Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 8000, please reduce your message size and try again.\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}", kind: model.KindTooLong, says: "Requested 8000"},
	{by: "Groq", name: "capacity", status: 498, body: `{"error":{"message":"Flex tier capacity exceeded","type":"capacity"}}`, kind: model.KindOverloaded, says: "(498: Flex tier capacity exceeded)", again: true},
	{by: "Groq", name: "rate", status: 429, after: "2", body: "{\"error\":{\"message\":\"Rate limit reached for model `m` on tokens per minute (TPM): Limit 6000, Used 5900, Requested 300. Please try again in 2s.\",\"type\":\"tokens\",\"code\":\"rate_limit_exceeded\"}}", kind: model.KindRateLimited, says: "Used 5900", again: true},
	{by: "Groq", name: "no tools", status: 400, body: "{\"error\":{\"message\":\"`tool calling` is not supported with this model\",\"type\":\"invalid_request_error\"}}", other: "## read_file"},
	{by: "Groq", name: "context", status: 400, body: `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, kind: model.KindTooLong, says: "reduce the length"},
}

// otherShapes are of providers and gateways between those above.
var otherShapes = []shape{
	{by: "DashScope", name: "input", status: 400, body: `{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 258048]","type":"invalid_request_error","param":null,"code":"invalid_parameter_error"}}`, kind: model.KindTooLong, says: "258048"},
	{by: "DashScope", name: "inspection", status: 400, body: `{"error":{"code":"data_inspection_failed","param":null,"message":"Output data may contain inappropriate content.","type":"data_inspection_failed"}}`, kind: model.KindFiltered, says: "inappropriate content"},
	{by: "DashScope", name: "null in words", body: stream(`{"choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":"null"}]}`, ended("stop"), done), text: "Yes."},
	{by: "xAI", name: "prompt", status: 400, body: `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, kind: model.KindTooLong, says: "537812"},
	{by: "Moonshot", name: "limit", status: 400, body: `{"error":{"message":"Invalid request: Your request exceeded model token limit: 131072","type":"invalid_request_error"}}`, kind: model.KindTooLong, says: "131072"},
	{by: "Z.ai", name: "network", body: stream(said("I "), ended("network_error"), done), text: "I ", kind: model.KindBroken, says: "network_error"},
	{by: "Z.ai", name: "sensitive", body: stream(said("So"), ended("sensitive"), done), text: "So", finish: model.FinishFilter},
	{by: "TGI", name: "context", status: 422, body: "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`\",\"error_type\":\"validation\"}", kind: model.KindTooLong, says: "4096"},
	{by: "SGLang", name: "context in the stream", body: stream(`{"error":{"object":"error","message":"Requested token count exceeds the model's maximum context length of 196608 tokens.","type":"BadRequestError","param":null,"code":400}}`, done), kind: model.KindTooLong, says: "196608"},
	{by: "Cloudflare", name: "model", status: 400, body: `{"errors":[{"message":"AiError: No such model @cf/x or task","code":5007}],"success":false,"result":{},"messages":[]}`, kind: model.KindRejected, says: "No such model"},
	{by: "LiteLLM", name: "blocks of thoughts", body: stream(
		`{"choices":[{"index":0,"delta":{"reasoning_content":"I ","thinking_blocks":[{"type":"thinking","thinking":"I ","signature":null}]}}]}`, `{"choices":[{"index":0,"delta":{"reasoning_content":"think.","thinking_blocks":[{"type":"thinking","thinking":"think.","signature":null}]}}]}`,
		`{"choices":[{"index":0,"delta":{"thinking_blocks":[{"type":"thinking","thinking":"","signature":"c2ln"}]}}]}`, calling(`{"index":0,"id":"c","type":"function","function":{"name":"search","arguments":"{}"}}`), ended("tool_calls"), done),
		thought: "I think.", calls: "search {}", back: `"thinking_blocks":[{"signature":"c2ln","thinking":"I think.","type":"thinking"}]`},
	{by: "gateway", name: "closed by the gateway at the limit", body: stream(calling(`{"index":0,"id":"c","type":"function","function":{"name":"write_file","arguments":"{\"path\":\"a\",\"content\":\"x\"}"}}`), ended("length"), done),
		calls: `write_file {"path":"a","content":"x"}`, finish: model.FinishLength},
	{by: "gateway", name: "arguments as a streamed object", body: stream(calling(`{"index":0,"id":"c","type":"function","function":{"name":"read_file","arguments": {"path":"a"}}}`), ended("tool_calls"), done), calls: `read_file {"path":"a"}`},
	{by: "gateway", name: "arguments as JSON in JSON", body: stream(calling(`{"index":0,"id":"c","type":"function","function":{"name":"read_file","arguments":"\"{\\\"path\\\":\\\"a\\\"}\""}}`), ended("tool_calls"), done), calls: `read_file {"path":"a"}`},
	{by: "gateway", name: "arguments as an array", body: stream(calling(`{"index":0,"id":"c","type":"function","function":{"name":"read_file","arguments":"[\"a\"]"}}`), ended("tool_calls"), done),
		calls: `read_file ["a"]`, back: `"arguments":"{\"not_an_object\":\"[\\\"a\\\"]\"}"`},
	{by: "gateway", name: "a name that no tool can have", body: stream(calling(`{"index":0,"id":"c","type":"function","function":{"name":"read file!","arguments":"{}"}}`), ended("tool_calls"), done),
		calls: `read file! {}`, back: `{"name":"read_file_","arguments":"{}"}`},
	{by: "gateway", name: "numbers in other types", body: stream(`{"id":7,"created":1764240000.5,"choices":[{"index":"0","delta":{"content":"Yes."},"finish_reason":null}]}`,
		`{"created":"now","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":9.0,"completion_tokens":2.0}}`, done), text: "Yes."},
	{by: "gateway", name: "the name again before the arguments", body: stream(calling(`{"index":0,"id":"c","type":"function","function":{"name":"search","arguments":""}}`), calling(`{"index":0,"id":"c","function":{"name":"search","arguments":"{}"}}`), ended("tool_calls"), done), calls: "search {}"},
	{by: "gateway", name: "byte order mark", body: "\ufeff" + stream(said("Yes."), ended("stop"), done), text: "Yes."},
	{by: "gateway", name: "error null", body: stream(`{"error":null,"choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":null}]}`, ended("stop"), done), text: "Yes."},
	{by: "gateway", name: "error without words", body: stream(said("I "), `{"error":{}}`), text: "I ", kind: model.KindBroken, says: "it reports an error and does not say which"},
	{by: "gateway", name: "words about an error", body: stream(said(`{"error":{"message":"x"}}`), ended("stop"), done), text: `{"error":{"message":"x"}}`},
	{by: "gateway", name: "a comment of JSON", body: ": {\"error\":1}\n\n" + stream(said("Yes."), ended("stop"), done), text: "Yes."},
}
