// Stands between a test program that knows no tokens and the hub that lets nobody in without one: adds the credential,
// and passes everything else on as it is, byte by byte as it comes.
import { createServer, request } from "node:http";

// Serves on a free port of the loopback; `close` ends it.
export async function withToken(hub, token) {
  const server = createServer((incoming, answer) => {
    const own = `127.0.0.1:${server.address().port}`;
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    // Only our own name is put right: a foreign one is what the test is about.
    if (headers.host === own) headers.host = hub.host;
    if (headers.origin === `http://${own}`) headers.origin = hub.origin;
    const onward = request(hub, { method: incoming.method, path: incoming.url, headers }, (reply) => {
      answer.writeHead(reply.statusCode, reply.headers);
      answer.flushHeaders();
      reply.pipe(answer);
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
