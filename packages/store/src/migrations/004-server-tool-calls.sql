-- How often tools that a provider runs itself ran, as JSON by the name of the tool: {"web_search": 2}. Each is paid for by
-- the call, and providers add tools. What is kept in a cache for an hour costs more than for minutes.
ALTER TABLE usage_records ADD COLUMN server_tool_calls TEXT;
ALTER TABLE usage_records ADD COLUMN long_cache_write_tokens BIGINT;
