"""Stands between a client and the hub, and lets everything pass until the hub says a certain word: of that, half comes
through and nothing more. So a client can be killed while it reads, at the same place each time.
"""

import asyncio
import socket
import struct
from urllib.parse import urlsplit

from rest import URL


class Gate:
    """One gate; `caught` is set when the word was said."""

    def __init__(self, word: str) -> None:
        self.word, self.caught = word.encode(), asyncio.Event()
        self.url = ""

    async def __aenter__(self) -> "Gate":
        self.server = await asyncio.start_server(self._passes, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.close()

    async def _passes(self, client_says: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        hub, own = urlsplit(URL), urlsplit(self.url)
        hub_says, to_hub = await asyncio.open_connection(hub.hostname, hub.port)
        back = asyncio.create_task(self._returns(hub_says, to_client))
        try:
            while some := await client_says.read(65536):
                # The hub answers for its own name alone.
                to_hub.write(some.replace(own.netloc.encode(), hub.netloc.encode()))
                await to_hub.drain()
        except OSError:
            pass  # a client that was killed may leave what it did not read
        finally:
            back.cancel()
            # As the system ends a connection for a process that died with something unread: with a reset.
            to_hub.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            to_hub.transport.abort()
            to_client.transport.abort()

    async def _returns(self, hub_says: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        tail = b""
        while some := await hub_says.read(65536):
            at = (tail + some).find(self.word)
            if at >= 0:
                to_client.write(some[: max(0, at + len(self.word) // 2 - len(tail))])
                self.caught.set()
                await asyncio.Event().wait()
            to_client.write(some)
            await to_client.drain()
            tail = (tail + some)[-len(self.word) + 1 :]
        to_client.close()
