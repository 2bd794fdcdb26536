"""One call with a client library as people use it, with its own defaults. The base address comes from the environment."""

import contextlib
import json
import os
import sys


def openai_chat():
    from openai import OpenAI

    messages = [{"role": "user", "content": "Good morning?"}]
    return OpenAI().chat.completions.create(model="stub", messages=messages).choices[0].message.content


def anthropic_message():
    from anthropic import Anthropic

    messages = [{"role": "user", "content": "Good morning?"}]
    return Anthropic().messages.create(model="stub", max_tokens=16, messages=messages).content[0].text


def stripe_refund():
    import stripe

    stripe.api_key = "sk_test_none"
    stripe.api_base = os.environ["STRIPE_BASE_URL"]
    return stripe.Refund.create(payment_intent="pi_1", amount=1250, stripe_account="acct_1").status


def langgraph_over_openai():
    """A node that is retried, around a client that retries."""
    from typing import TypedDict

    from langgraph.graph import END, START, StateGraph
    from langgraph.types import RetryPolicy

    class State(TypedDict):
        text: str

    graph = StateGraph(State)
    policy = RetryPolicy(max_attempts=3, initial_interval=0.1, jitter=False, retry_on=Exception)
    graph.add_node("ask", lambda state: {"text": openai_chat()}, retry_policy=policy)
    graph.add_edge(START, "ask")
    graph.add_edge("ask", END)
    return graph.compile().invoke({"text": ""})["text"]


def litellm_chat(retries):
    """A client with a retry of its own around a client that retries."""
    import litellm

    messages = [{"role": "user", "content": "Good morning?"}]
    answer = litellm.completion(
        model="openai/stub", messages=messages, api_base=os.environ["OPENAI_BASE_URL"], num_retries=retries
    )
    return answer.choices[0].message.content


def mcp_tool():
    """One tool call over streamable HTTP."""
    import asyncio

    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async def call():
        async with streamable_http_client(os.environ["MCP_URL"] + "/mcp") as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                result = await session.call_tool("add_note", {"text": "Order O-1 is on its way."})
                return result.content[0].text

    return asyncio.run(asyncio.wait_for(call(), 20))


CALLS = {
    "openai": openai_chat,
    "anthropic": anthropic_message,
    "stripe": stripe_refund,
    "langgraph": langgraph_over_openai,
    "litellm-1": lambda: litellm_chat(1),
    "litellm-2": lambda: litellm_chat(2),
    "mcp": mcp_tool,
}


def main():
    name = json.load(sys.stdin)["input"]["client"]
    try:
        # Some libraries print; what they print is no answer.
        with contextlib.redirect_stdout(sys.stderr):
            output = CALLS[name]()
    except Exception as error:
        output = f"{type(error).__module__.split('.')[0]}.{type(error).__name__}"
    print(json.dumps({"output": output}))


if __name__ == "__main__":
    main()
