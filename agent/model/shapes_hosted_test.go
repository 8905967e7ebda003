package model_test

import (
	"redline/agent/model"
)

var openAIShapes = []shape{
	{by: "OpenAI", name: "text", body: stream(
		`{"id":"chatcmpl-B9","object":"chat.completion.chunk","created":1764240000,"model":"gpt-4.1","service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x7"}`,
		`{"id":"chatcmpl-B9","object":"chat.completion.chunk","created":1764240000,"model":"gpt-4.1","choices":[{"index":0,"delta":{"content":"Yes."},"logprobs":null,"finish_reason":null}],"usage":null}`,
		`{"id":"chatcmpl-B9","object":"chat.completion.chunk","created":1764240000,"model":"gpt-4.1","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}`,
		`{"id":"chatcmpl-B9","object":"chat.completion.chunk","created":1764240000,"model":"gpt-4.1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}}`,
		done), text: "Yes."},
	{by: "OpenAI", name: "two calls", body: stream(
		calling(`{"index":0,"id":"call_a","type":"function","function":{"name":"read_file","arguments":""}}`),
		calling(`{"index":0,"function":{"arguments":"{\"path\":"}}`), calling(`{"index":0,"function":{"arguments":"\"a.go\"}"}}`),
		calling(`{"index":1,"id":"call_b","type":"function","function":{"name":"search","arguments":""}}`), calling(`{"index":1,"function":{"arguments":"{}"}}`),
		ended("tool_calls"), done), calls: "read_file {\"path\":\"a.go\"}\nsearch {}"},
	{by: "OpenAI", name: "refusal", body: stream(
		`{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"refusal":"I cannot."},"finish_reason":null}]}`, ended("stop"), done), text: "I cannot."},
	{by: "OpenAI", name: "length", body: stream(said("Half a sen"), ended("length"), done), text: "Half a sen", finish: model.FinishLength},
	{by: "OpenAI", name: "length within a call", body: stream(
		calling(`{"index":0,"id":"call_a","type":"function","function":{"name":"write_file","arguments":"{\"path\":\"a\",\"content\":\"x"}}`), ended("length"), done),
		calls: `write_file {"path":"a","content":"x`, finish: model.FinishLength},
	{by: "OpenAI", name: "content filter", body: stream(said("So"), ended("content_filter"), done), text: "So", finish: model.FinishFilter},
	{by: "OpenAI", name: "error before the reply", body: stream(
		`{"error":{"message":"The server had an error while processing your request.","type":"server_error","param":null,"code":null}}`),
		kind: model.KindOverloaded, says: "The server had an error", again: true},
	{by: "OpenAI", name: "error within the reply", body: stream(said("I "), `{"error":{"message":"The server had an error.","type":"server_error","param":null,"code":null}}`, done),
		text: "I ", kind: model.KindOverloaded, says: "(The server had an error)"},
	{by: "OpenAI", name: "key", status: 401, body: `{"error":{"message":"Incorrect API key provided: abc.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
		kind: model.KindUnauthorized, says: "refused the key (401): check OPENAI_API_KEY."},
	{by: "OpenAI", name: "country", status: 403, body: `{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported","param":null,"type":"request_forbidden"}}`,
		kind: model.KindUnauthorized, says: "(403: Country, region, or territory not supported)"},
	{by: "OpenAI", name: "model", status: 404, body: `{"error":{"message":"The model 'gpt-0' does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`,
		kind: model.KindNotFound, says: "does not exist"},
	{by: "OpenAI", name: "rate", status: 429, after: "1", body: `{"error":{"message":"Rate limit reached for gpt-4.1 on requests per min (RPM): Limit 3, Used 3, Requested 1.","type":"requests","param":null,"code":"rate_limit_exceeded"}}`,
		kind: model.KindRateLimited, says: "Limit 3", again: true},
	{by: "OpenAI", name: "quota", status: 429, body: `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`,
		kind: model.KindRateLimited, says: "check the account's quota"},
	{by: "OpenAI", name: "more than a minute's tokens", status: 429, after: "1", body: `{"error":{"message":"Request too large for gpt-4.1 on tokens per min (TPM): Limit 30000, Requested 41000. The input or output tokens must be reduced in order to run successfully.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`,
		kind: model.KindTooLong, says: "Requested 41000"},
	{by: "OpenAI", name: "context", status: 400, body: `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
		kind: model.KindTooLong, says: "130000 tokens"},
	{by: "OpenAI", name: "string", status: 400, body: `{"error":{"message":"Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760.","type":"invalid_request_error","param":"messages[1].content","code":"string_above_max_length"}}`,
		kind: model.KindTooLong, says: "string too long"},
	{by: "OpenAI", name: "max_tokens", status: 400, body: `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`,
		other: `"max_completion_tokens":9`},
	{by: "OpenAI", name: "slow down", status: 503, body: `{"error":{"message":"Slow down.","type":"server_error","param":null,"code":"slow_down"}}`,
		kind: model.KindOverloaded, says: "(503: Slow down)", again: true},
	{by: "OpenAI", name: "gateway", status: 502, body: "<html><body><h1>502 Bad Gateway</h1></body></html>", kind: model.KindOverloaded, says: "(502)", again: true},
}

var azureShapes = []shape{
	{by: "Azure", name: "text", body: stream(
		`{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"jailbreak":{"filtered":false,"detected":false},"self_harm":{"filtered":false,"severity":"safe"}}}]}`,
		`{"choices":[{"content_filter_results":{"hate":{"filtered":false,"severity":"safe"},"protected_material_code":{"filtered":false,"detected":false}},"delta":{"content":"Yes."},"finish_reason":null,"index":0,"logprobs":null}],"created":1764240000,"id":"c","model":"gpt-4o","object":"chat.completion.chunk"}`,
		`{"choices":[{"content_filter_results":{},"delta":{},"finish_reason":"stop","index":0,"logprobs":null}],"created":1764240000,"id":"c","model":"gpt-4o","object":"chat.completion.chunk"}`, done), text: "Yes."},
	{by: "Azure", name: "asynchronous filter", body: stream(said("Yes."),
		`{"id":"","object":"","created":0,"model":"","choices":[{"index":0,"finish_reason":null,"content_filter_results":{"violence":{"filtered":false,"severity":"safe"}},"content_filter_offsets":{"check_offset":44,"start_offset":44,"end_offset":198}}],"usage":null}`,
		ended("stop"), done), text: "Yes."},
	{by: "Azure", name: "filter that is down", body: stream(
		`{"choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":null,"content_filter_result":{"error":{"code":"content_filter_error","message":"The contents are not filtered"}}}]}`, ended("stop"), done), text: "Yes."},
	{by: "Azure", name: "filtered reply", body: stream(said("So "),
		`{"choices":[{"content_filter_results":{"violence":{"filtered":true,"severity":"high"}},"delta":{},"finish_reason":"content_filter","index":0}],"id":"c","object":"chat.completion.chunk"}`, done),
		text: "So ", finish: model.FinishFilter},
	{by: "Azure", name: "filtered request", status: 400, body: `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation","content_filter_result":{"jailbreak":{"detected":true,"filtered":true}}}}}`,
		kind: model.KindFiltered, says: "The content filter of the model provider at model.test refused the request (400: The response was filtered"},
	{by: "Azure", name: "deployment", status: 404, body: `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, kind: model.KindNotFound, says: "deployment"},
	{by: "Azure", name: "address", status: 404, body: `{"error":{"code":"404","message":"Resource not found"}}`, kind: model.KindNotFound, says: "(404: Resource not found)"},
	{by: "Azure", name: "key", status: 401, body: `{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}}`, kind: model.KindUnauthorized, says: "refused the key (401)"},
	{by: "Azure", name: "rate", status: 429, after: "2", body: `{"error":{"code":"429","message":"Requests to the ChatCompletions_Create Operation have exceeded call rate limit of your current pricing tier. Please retry after 2 seconds."}}`,
		kind: model.KindRateLimited, says: "call rate limit", again: true},
	{by: "Azure", name: "internal", status: 500, body: `{"statusCode":500,"message":"Internal server error","activityId":"1"}`, kind: model.KindOverloaded, says: "(500: Internal server error)", again: true},
	{by: "Azure", name: "gateway in the stream", body: stream(said("I "), `{"statusCode":500,"message":"Internal server error","activityId":"1"}`), text: "I ", kind: model.KindBroken, says: "(Internal server error)"},
}

var anthropicShapes = []shape{
	{by: "Anthropic", name: "text", body: stream(
		`{"id":"msg_1","choices":[{"index":0,"delta":{"role":"assistant","content":"Yes."}}],"created":1764240000,"model":"claude","object":"chat.completion.chunk"}`,
		`{"id":"msg_1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"created":1764240000,"model":"claude","object":"chat.completion.chunk"}`, done), text: "Yes."},
	{by: "Anthropic", name: "call", body: stream(
		calling(`{"index":0,"id":"toolu_1","type":"function","function":{"name":"search","arguments":""}}`), calling(`{"index":0,"type":"function","function":{"arguments":""}}`),
		calling(`{"index":0,"type":"function","function":{"arguments":"{\"query\": \"x\"}"}}`), ended("tool_calls"), done), calls: `search {"query": "x"}`},
	{by: "Anthropic", name: "overloaded", status: 529, body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`, kind: model.KindOverloaded, says: "(529: Overloaded)", again: true},
	{by: "Anthropic", name: "overloaded in the stream", body: "event: error\n" + stream(`{"type":"error","error":{"details":null,"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`),
		kind: model.KindOverloaded, says: "(Overloaded)", again: true},
	{by: "Anthropic", name: "overloaded within a call", body: stream(calling(`{"index":0,"id":"toolu_1","type":"function","function":{"name":"write_file","arguments":"{\"path\":"}}`)) +
		"event: error\n" + stream(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), kind: model.KindOverloaded, says: "(Overloaded)"},
	{by: "Anthropic", name: "prompt", status: 400, body: `{"error":{"code":"invalid_request_error","message":"prompt is too long: 210042 tokens > 200000 maximum","type":"invalid_request_error","param":null}}`, kind: model.KindTooLong, says: "210042 tokens"},
	{by: "Anthropic", name: "prompt and reply", status: 400, body: "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000\"}}", kind: model.KindTooLong, says: "context limit"},
	{by: "Anthropic", name: "size", status: 413, body: `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, kind: model.KindTooLong, says: "(413: Request exceeds"},
	{by: "Anthropic", name: "key", status: 401, body: `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`, kind: model.KindUnauthorized, says: "refused the key (401)"},
	{by: "Anthropic", name: "permission", status: 403, body: `{"type":"error","error":{"type":"permission_error","message":"Your key may not use this model."}}`, kind: model.KindUnauthorized, says: "(403: Your key may not use this model)"},
	{by: "Anthropic", name: "model", status: 404, body: `{"type":"error","error":{"type":"not_found_error","message":"model: claude-0"}}`, kind: model.KindNotFound, says: "(404: model: claude-0)"},
	{by: "Anthropic", name: "rate", status: 429, after: "1", body: `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit."}}`, kind: model.KindRateLimited, says: "rate limit", again: true},
	{by: "Anthropic", name: "credit", status: 400, body: `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`, kind: model.KindUnpaid, says: "add credit to the account"},
	{by: "Anthropic", name: "refusal", body: stream(said("I"), ended("refusal"), done), text: "I", finish: model.FinishFilter},
	{by: "Anthropic", name: "max_tokens", body: stream(said("Half"), ended("max_tokens"), done), text: "Half", finish: model.FinishLength},
}

var geminiShapes = []shape{
	{by: "Gemini", name: "text", body: stream(
		`{"choices":[{"delta":{"content":"Yes.","role":"assistant"},"index":0}],"created":1764240000,"id":"x","model":"gemini-2.5-pro","object":"chat.completion.chunk"}`,
		`{"choices":[{"delta":{"role":"assistant"},"finish_reason":"stop","index":0}],"created":1764240000,"id":"x","model":"gemini-2.5-pro","object":"chat.completion.chunk","usage":{"completion_tokens":2,"prompt_tokens":9,"total_tokens":30}}`, done), text: "Yes."},
	{by: "Gemini", name: "call with a signature", body: stream(
		`{"choices":[{"delta":{"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"c2ln"}},"function":{"arguments":"{\"path\":\"a\"}","name":"read_file"},"id":"function-call-1","type":"function"}]},"index":0}]}`, ended("tool_calls"), done),
		calls: `read_file {"path":"a"}`, back: `"extra_content":{"google":{"thought_signature":"c2ln"}}`},
	{by: "Gemini", name: "two calls with one index", body: stream(
		calling(`{"index":0,"id":"f-1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a\"}"}}`),
		calling(`{"index":0,"id":"f-2","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"b\"}"}}`), ended("tool_calls"), done), calls: "read_file {\"path\":\"a\"}\nread_file {\"path\":\"b\"}"},
	{by: "Gemini", name: "namespace", body: stream(calling(`{"index":0,"id":"f-1","type":"function","function":{"name":"default_api:read_file","arguments":"{\"path\":\"a\"}"}}`), ended("stop"), done),
		calls: `read_file {"path":"a"}`, finish: "stop"},
	{by: "Gemini", name: "thoughts", body: stream(
		`{"choices":[{"delta":{"content":"<thought>I think.","extra_content":{"google":{"thought":true}},"role":"assistant"},"index":0}]}`,
		`{"choices":[{"delta":{"content":"</thought>Yes.","role":"assistant"},"index":0}]}`, ended("stop"), done), text: "Yes.", thought: "I think."},
	{by: "Gemini", name: "malformed call", body: stream(ended("function_call_filter: MALFORMED_FUNCTION_CALL"), done), kind: model.KindBroken, says: "malformed_function_call", again: true},
	{by: "Gemini", name: "recitation", body: stream(said("Once"), ended("content_filter: RECITATION"), done), text: "Once", finish: model.FinishFilter},
	{by: "Gemini", name: "argument", status: 400, body: `[{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}]`, kind: model.KindRejected, says: "thought_signature"},
	{by: "Gemini", name: "key", status: 400, body: `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}]`,
		kind: model.KindUnauthorized, says: "refused the key (400): check OPENAI_API_KEY."},
	{by: "Gemini", name: "tokens", status: 400, body: `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, kind: model.KindTooLong, says: "1200000"},
	{by: "Gemini", name: "rate, in a while", status: 429, body: `[{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"341s"}]}}]`,
		kind: model.KindRateLimited, says: "try again in 5m41s"},
	{by: "Gemini", name: "rate, soon", status: 429, body: `[{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"3s"}]}}]`,
		kind: model.KindRateLimited, says: "try again in 3s", again: true},
	{by: "Gemini", name: "overloaded", status: 503, body: `[{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}]`, kind: model.KindOverloaded, says: "(503: The model is overloaded", again: true},
	{by: "Gemini", name: "overloaded in the stream", body: stream(said("I "), `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`), text: "I ", kind: model.KindOverloaded, says: "(503: The model is overloaded)"},
	{by: "Gemini", name: "deadline in the stream", body: stream(said("I ")) + `[{"error":{"code":504,"message":"Deadline expired.","status":"DEADLINE_EXCEEDED"}}]` + "\n", text: "I ", kind: model.KindOverloaded, says: "(504: Deadline expired)"},
}

var openRouterShapes = []shape{
	{by: "OpenRouter", name: "text", body: ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n" + stream(
		`{"id":"gen-1","provider":"X","model":"x/m","object":"chat.completion.chunk","created":1764240000,"choices":[{"index":0,"delta":{"role":"assistant","content":"Yes.","reasoning":null,"reasoning_details":[]},"finish_reason":null,"native_finish_reason":null,"logprobs":null}]}`,
		`{"id":"gen-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop","native_finish_reason":"end_turn"}]}`,
		`{"id":"gen-1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":{"prompt_tokens":9,"completion_tokens":2,"cost":0.1,"is_byok":false}}`, done), text: "Yes."},
	{by: "OpenRouter", name: "error after the id", body: stream(said("I "),
		`{"id":"gen-1","object":"chat.completion.chunk","created":1764240000,"model":"m","provider":"X","error":{"code":"server_error","message":"Provider disconnected unexpectedly"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`),
		text: "I ", kind: model.KindOverloaded, says: "(Provider disconnected unexpectedly)"},
	{by: "OpenRouter", name: "error before the reply", body: stream(
		`{"id":"gen-1","object":"chat.completion.chunk","error":{"code":502,"message":"Provider returned error"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`),
		kind: model.KindOverloaded, says: "(502: Provider returned error)", again: true},
	{by: "OpenRouter", name: "error with no choices", body: stream(said("I "), `{"id":"gen-1","choices":[],"error":{"code":429,"message":"Rate limit exceeded"}}`), text: "I ", kind: model.KindRateLimited, says: "(429: Rate limit exceeded)"},
	{by: "OpenRouter", name: "error within a call", body: stream(calling(`{"index":0,"id":"c","type":"function","function":{"name":"write_file","arguments":"{\"path\":\"a\",\"conte"}}`),
		`{"id":"gen-1","error":{"code":502,"message":"Upstream idle timeout exceeded"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`),
		kind: model.KindOverloaded, says: "(502: Upstream idle timeout exceeded)"},
	{by: "OpenRouter", name: "error of a choice", body: stream(`{"id":"gen-1","choices":[{"index":0,"delta":{"content":""},"finish_reason":"error","error":{"code":502,"message":"JSON error injected into SSE stream","metadata":{"provider_name":"X","raw":"{\"message\":\"out of memory\"}"}}}]}`),
		kind: model.KindOverloaded, says: "JSON error injected into SSE stream: X: out of memory", again: true},
	{by: "OpenRouter", name: "finish reason error", body: stream(said("I "), ended("error"), done), text: "I ", kind: model.KindBroken, says: "its finish reason is error"},
	{by: "OpenRouter", name: "error instead of a reply", body: `{"error":{"message":"Rate limit exceeded: free-models-per-min.","code":429}}`, kind: model.KindRateLimited, says: "free-models-per-min", again: true},
	{by: "OpenRouter", name: "whole reply with an error", body: `{"id":"gen-1","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"error","error":{"code":502,"message":"Provider returned error"}}]}`, kind: model.KindOverloaded, says: "(502: Provider returned error)", again: true},
	{by: "OpenRouter", name: "raw", status: 400, body: `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"code\":400,\"message\":\"Function call is missing a thought_signature.\",\"status\":\"INVALID_ARGUMENT\"}}","provider_name":"Google"}},"user_id":"u"}`,
		kind: model.KindRejected, says: "(400: Provider returned error: Google: Function call is missing a thought_signature)"},
	{by: "OpenRouter", name: "raw text", status: 429, body: `{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"x/m:free is temporarily rate-limited upstream","provider_name":"Chutes"}}}`,
		kind: model.KindRateLimited, says: "Chutes: x/m:free is temporarily rate-limited upstream", again: true},
	{by: "OpenRouter", name: "raw object", status: 400, body: `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":{"error":{"message":"bad schema"}},"provider_name":"X"}}}`, kind: model.KindRejected, says: "X: bad schema"},
	{by: "OpenRouter", name: "raw overflow", status: 400, body: `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long: 9 tokens > 8 maximum\"}}","provider_name":"Anthropic"}}}`, kind: model.KindTooLong, says: "Anthropic: prompt is too long"},
	{by: "OpenRouter", name: "credit", status: 402, body: `{"error":{"message":"This request requires more credits, or fewer max_tokens.","code":402}}`, kind: model.KindUnpaid, says: "for lack of credit (402: This request requires more credits"},
	{by: "OpenRouter", name: "moderation", status: 403, body: `{"error":{"code":403,"message":"x/m requires moderation on X. Your input was flagged for \"violence\".","metadata":{"reasons":["violence"],"flagged_input":"kill","provider_name":"X","model_slug":"x/m"}}}`,
		kind: model.KindFiltered, says: "(403: x/m requires moderation"},
	{by: "OpenRouter", name: "no tools", status: 404, body: `{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs","code":404}}`, other: "## read_file"},
	{by: "OpenRouter", name: "no provider", status: 503, body: `{"error":{"message":"There is no available model provider that meets your routing requirements","code":503}}`, kind: model.KindOverloaded, says: "(503: There is no", again: true},
	{by: "OpenRouter", name: "context", status: 400, body: `{"error":{"message":"This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens.","code":400}}`, kind: model.KindTooLong, says: "32768"},
	{by: "OpenRouter", name: "thoughts with a signature", body: stream(
		`{"choices":[{"index":0,"delta":{"content":"","reasoning":"I ","reasoning_details":[{"type":"reasoning.text","text":"I ","format":"anthropic-claude-v1","index":0}]},"finish_reason":null}]}`,
		`{"choices":[{"index":0,"delta":{"content":"","reasoning":"think.","reasoning_details":[{"type":"reasoning.text","text":"think.","format":"anthropic-claude-v1","index":0}]},"finish_reason":null}]}`,
		`{"choices":[{"index":0,"delta":{"content":"","reasoning_details":[{"type":"reasoning.text","signature":"c2ln","format":"anthropic-claude-v1","index":0}]},"finish_reason":null}]}`,
		calling(`{"index":0,"id":"toolu_1","type":"function","function":{"name":"search","arguments":"{}"}}`), ended("tool_calls"), done),
		thought: "I think.", calls: "search {}", back: `"reasoning_details":[{"format":"anthropic-claude-v1","index":0,"signature":"c2ln","text":"I think.","type":"reasoning.text"}]`},
	{by: "OpenRouter", name: "Gemini's signatures", body: stream(
		calling(`{"index":0,"id":"tool_0","type":"function","function":{"name":"search","arguments":"{}"}}`),
		`{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"AAA=","id":"tool_0","format":"google-gemini-v1","index":0}]},"finish_reason":null}]}`,
		`{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"BBB=","id":"tool_1","format":"google-gemini-v1","index":0}]},"finish_reason":null}]}`, ended("tool_calls"), done),
		calls: "search {}", back: `"reasoning_details":[{"data":"AAA=","format":"google-gemini-v1","id":"tool_0","index":0,"type":"reasoning.encrypted"},{"data":"BBB=","format":"google-gemini-v1","id":"tool_1","index":0,"type":"reasoning.encrypted"}]`},
	{by: "OpenRouter", name: "details of a whole reply", body: `{"id":"gen-1","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"reasoning":"Hm.","reasoning_details":[{"type":"reasoning.summary","summary":"Hm.","format":"openai-responses-v1","index":0},{"type":"reasoning.encrypted","data":"Z0FB","id":"rs_1","format":"openai-responses-v1","index":0}],"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"search","arguments":"{}"}}]}}]}`,
		thought: "Hm.", calls: "search {}", back: `"reasoning_details":[{"format":"openai-responses-v1","index":0,"summary":"Hm.","type":"reasoning.summary"},{"data":"Z0FB","format":"openai-responses-v1","id":"rs_1","index":0,"type":"reasoning.encrypted"}]`},
}
