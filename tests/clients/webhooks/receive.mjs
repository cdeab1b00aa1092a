// Takes webhooks with the library of Standard Webhooks for JavaScript, and prints one line of JSON for each: whether
// the library takes it as it came, and whether it takes it with another byte in its body.
import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const library = new Webhook(process.argv[2]);
const takes = (body, headers) => {
  try {
    library.verify(body, headers);
    return true;
  } catch {
    return false;
  }
};
const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (part) => (body += part));
  request.on("end", () => {
    const { headers } = request;
    const seen = { body, taken: takes(body, headers), changed: takes(`${body} `, headers) };
    console.log(JSON.stringify(seen));
    response.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ port: server.address().port })));
process.stdin.on("end", () => process.exit()).resume();
