"""A client of the Agent Client Protocol by its official library for Python. It starts the program that its
arguments name, does what each line of its input asks, and writes what happened as a line of JSON."""

import asyncio
import json
import os
import sys

import acp
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    FileSystemCapabilities,
    Implementation,
    ReadTextFileResponse,
    RequestPermissionResponse,
    WriteTextFileResponse,
)


class Client:
    def __init__(self):
        self.begin([])

    def on_connect(self, agent):
        self.agent = agent

    def begin(self, answers):
        self.answers = answers
        self.seen = {"asked": [], "written": [], "updates": [], "text": ""}

    async def request_permission(self, session_id, tool_call, options, **kwargs):
        call = tool_call.model_dump(mode="json", by_alias=True, exclude_none=True)
        self.seen["asked"].append({"call": call, "options": [o.option_id for o in options]})
        answer = self.answers.pop(0) if self.answers else "none"
        if answer == "cancel":
            await self.agent.cancel(session_id=session_id)
        if answer in ("cancel", "none"):
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=answer))

    async def session_update(self, session_id, update, **kwargs):
        self.seen["updates"].append(update.session_update)
        if update.session_update == "agent_message_chunk":
            self.seen["text"] += getattr(update.content, "text", "")

    async def read_text_file(self, session_id, path, line=None, limit=None, **kwargs):
        with open(path, encoding="utf-8", newline="") as f:
            return ReadTextFileResponse(content=f.read())

    async def write_text_file(self, session_id, path, content, **kwargs):
        self.seen["written"].append(path)
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(content)
        return WriteTextFileResponse()


def tell(value):
    print(json.dumps(value), flush=True)


async def main(folder, program, *args):
    client = Client()
    async with acp.spawn_agent_process(client, program, *args, cwd=folder, env=dict(os.environ)) as (agent, _):
        ready = await agent.initialize(
            protocol_version=acp.PROTOCOL_VERSION,
            client_info=Implementation(name="python", version="1"),
            client_capabilities=ClientCapabilities(fs=FileSystemCapabilities(read_text_file=True, write_text_file=True)),
        )
        session = await agent.new_session(cwd=folder, mcp_servers=[])
        tell({"version": ready.protocol_version, "session": session.session_id})
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            asked = json.loads(line)
            client.begin(asked.get("answers") or [])
            done = await agent.prompt(session_id=session.session_id, prompt=[acp.text_block(asked["prompt"])])
            tell({"stop": done.stop_reason, **client.seen})


asyncio.run(main(*sys.argv[1:]))
