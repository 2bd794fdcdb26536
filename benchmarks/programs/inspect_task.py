"""A task for inspect-ai whose model gives back what it was asked, as `cat` does for holdpoint and `echo` for promptfoo."""

from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes


def give_back(messages, tools, tool_choice, config):
    output = ModelOutput.from_content("mockllm/model", messages[-1].text)
    # Without it inspect-ai counts tokens, for which it downloads a table.
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


@task
def give_back_what_was_asked(samples):
    model = get_model("mockllm/model", custom_outputs=give_back)
    return Task(json_dataset(samples), model=model, scorer=includes())
